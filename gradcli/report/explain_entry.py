"""One entry of a gradient as a document: a sum over paths."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from textwrap import wrap

import numpy as np

from gradcli.analysis.paths import Path, SumOverPaths
from gradcli.graph import CONSTANT, Node
from gradcli.ops.shapes import show
from gradcli.report.arrays import brief, counted, number
from gradcli.report.document import WIDTH, Chain, Heading, Paragraph
from gradcli.report.sanitise import sanitise
from gradcli.spelling.formula import Formulas

LEVELS = 8
"""How many ops below its node a rule shows."""


def entry_document(
    entry: SumOverPaths, precision: int = 6, width: int = WIDTH
) -> list[Heading | Paragraph | Chain]:
    """One entry of the gradient as a sum over paths."""
    blocks: list[Heading | Paragraph | Chain] = [
        Heading(f"{entry.name}.grad: the sum over {counted(entry.count, 'path')}"),
        Paragraph(
            "Along a path the local derivatives are multiplied, in its order, and with v, the "
            "gradient of the output's element. Steps with the derivative 0 are left out."
        ),
    ]
    formulas = _formulas(entry.names, precision)
    for node in entry.nameless:
        rule, remarks = _rule(formulas, node, width - 10)
        blocks.append(Chain(entry.names[node], [[rule]] if rule else [], remarks))
    blocks += [_path(path, precision, width) for path in entry.paths]
    shown = sum(path.product for path in entry.paths)
    if entry.count > len(entry.paths):
        rest = _number(entry.total - shown, precision)
        blocks.append(
            Paragraph(
                f"{entry.count - len(entry.paths):,} more paths, not listed, add up to {rest}."
            )
        )
    terms = [_bracketed(_number(path.product, precision)) for path in entry.paths]
    if entry.count > len(entry.paths):
        terms.append(_bracketed(_number(entry.total - shown, precision)))
    added = [wrap(" + ".join(terms), width - 20)] if len(terms) > 1 else []
    total = _number(entry.total, precision)
    agrees = bool(np.isclose(entry.total, entry.grad, rtol=1e-9, atol=0, equal_nan=True))
    remark = f"backward gives {_number(entry.grad, precision)}" + (": the same" if agrees else "")
    blocks.append(Chain(f"{entry.name}.grad", [*added, [total]], [remark], paths=entry.count))
    messages = dict.fromkeys(note.message for note in entry.notes)
    return [*blocks, *(Paragraph(f"Note: {sanitise(each)}.") for each in messages)]


def _path(path: Path, precision: int, width: int) -> Chain:
    factors = [_number(factor, precision) for factor in path.factors]
    product = " * ".join(map(_bracketed, [*factors, _number(path.v, precision)]))
    steps = zip(pairwise(path.places), factors, strict=True)
    labels = [f"{after} by {before}: {factor}" for (before, after), factor in steps]
    way = wrap(" -> ".join(path.places), width - 2, break_long_words=False)
    equal = [wrap(product, width - 6), [_number(path.product, precision)]]
    remark = "; ".join([*labels, f"v: {_number(path.v, precision)}"])
    return Chain("\n".join(way), equal, [remark], list(path.places))


def _bracketed(text: str) -> str:
    return f"({text})" if text.startswith("-") else text


def _number(value: float, precision: int) -> str:
    return number(np.float64(value), precision)


def _formulas(names: Mapping[Node, str], precision: int) -> Formulas:
    return Formulas(names, lambda node: brief(node.known, precision), LEVELS)


def _rule(formulas: Formulas, node: Node, width: int) -> tuple[str, list[str]]:
    """A node as a formula; and for each part that it leaves out, what the name there stands for."""
    known = len(formulas.names)
    text = formulas.of(node, width)
    remarks: list[str] = []
    while len(formulas.names) > known:
        left_out = list(formulas.names)[known]
        known += 1
        rule = "" if left_out.op is CONSTANT else formulas.of(left_out, width)
        what = f"= {rule}" if rule else f"is the {left_out.op.name} of shape {show(left_out.shape)}"
        remarks.append(f"{formulas.names[left_out]} {what}")
    return text, remarks
