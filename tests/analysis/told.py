"""Judges what an explanation prints: each equation is read and computed by the session itself."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import numpy as np

from gradcli.analysis.explain import Explanation
from gradcli.diagnostics import GradcliError
from gradcli.differentiate import vjp
from gradcli.graph import Array, Precision
from gradcli.language.syntax import FunctionDefinition
from gradcli.ops.loops import NotRolled
from gradcli.report.document import Chain, Together
from gradcli.report.explain import CANCELLED, ROUNDING, document
from gradcli.report.explain import _Story as Story
from gradcli.session import Options, evaluate
from tests.analysis.programs import parse

CLOSE = 2e-5
"""Numbers are printed with six digits."""


def problems(explanation: Explanation) -> Iterator[str]:
    """The printed equations that are false, or that the language cannot read."""
    names = {title: explanation.value(node) for node, title in explanation.names.items()}
    story = Story(explanation, 6)
    yield from _ambiguous(explanation, names)
    yield from _judged(story.forward(), names, explanation)
    yield from wrong_grads(explanation)
    for told in explanation.passes:
        totals = {
            f"{explanation.names[grad.node]}.grad": (
                grad.value if grad.held is None else grad.held + grad.value
            )
            for grad in told.grads
        }
        grads = {grad.title: grad.value for grad in told.grads} | totals
        yield from _judged(story.backward(told), names | grads, explanation)


def _ambiguous(explanation: Explanation, names: dict[str, Array]) -> Iterator[str]:
    """Names that stand for several arrays in one telling."""
    lines: dict[str, str] = {}
    for block in chains(document(explanation)):
        for remark in block.remarks:
            if remark.startswith("where "):
                title, text = remark.removeprefix("where ").split(" = ", 1)
                if title in names or lines.setdefault(title, text) != text:
                    yield f"two arrays are called {title}: {text} and {lines.get(title)}"


def wrong_grads(explanation: Explanation) -> Iterator[str]:
    """The grads that are told, of all values, and are not those of reverse mode."""
    run = explanation.run
    for backward, told in zip(run.prepared.backwards, explanation.passes, strict=False):
        nodes = [grad.node for grad in told.grads]
        outputs = [backward.outputs[name] for name in backward.cotangents]
        try:
            found = vjp(outputs, [*backward.cotangents.values()], nodes)
        except NotRolled:
            continue  # the gradient of a value in a loop that is one node
        size = max(
            float(np.max(np.abs(part.value), initial=0.0))
            for grad in told.grads
            for part in grad.parts
        )
        for grad, node in zip(told.grads, found, strict=True):
            true = np.zeros(grad.node.shape) if node is None else run.value(node)
            both = np.stack([np.asarray(grad.value), np.asarray(true)])
            if np.max(np.abs(both), initial=0.0) < ROUNDING[run.prepared.graph.precision] * size:
                continue  # nothing but the rounding of larger grads
            if not same(both[0], both[1]):
                yield f"not the grad of {explanation.names[grad.node]}: {grad.value}, but {true}"


def chains(blocks: Iterable[object]) -> Iterator[Chain]:
    """The equations of a document, those that are told together too."""
    for block in blocks:
        if isinstance(block, Together):
            yield from block.chains
        elif isinstance(block, Chain):
            yield block


def _judged(
    blocks: Iterator[object], names: dict[str, Array], explanation: Explanation
) -> Iterator[str]:
    functions = "".join(
        explanation.program.source.text[slice(*each.span)] + "\n"
        for each in explanation.program.statements
        if isinstance(each, FunctionDefinition)
    )
    precision = explanation.run.prepared.graph.precision
    for block in chains(blocks):
        known = dict(names)
        equations = [[block.left, *(" ".join(lines) for lines in block.equal)]]
        for remark in block.remarks:
            where, _, rest = remark.partition("where ")
            if not where and " = " in rest:
                title, text = rest.split(" = ", 1)
                value = computed(functions + text, known, precision)
                if value is None:
                    yield f"unreadable: {remark}"
                else:
                    known[title] = value
            elif " = " in remark and re.match(r"(through [\w, ]+|v): |.+\[[0, ]+\] = ", remark):
                sides = re.sub(r"^(through [\w, ]+|v): ", "", remark).split(" = ")
                equations.append(sides)
        for sides in equations:
            values = [computed(functions + side, known, precision) for side in sides]
            for side, value in zip(sides, values, strict=True):
                if value is None:
                    yield f"unreadable: {side}"
                elif values[0] is not None and not _agree(values[0], value, block):
                    yield f"false: {sides[0]} = {side}"


def _agree(left: Array, right: Array, block: Chain) -> bool:
    """Whether two sides are the same; of parts that cancel only rounding is left."""
    return same(left, right) or (CANCELLED in block.remarks and left.shape == right.shape)


def computed(text: str, names: dict[str, Array], precision: Precision = "float64") -> Array | None:
    """The value of a sentence over named arrays."""
    plain = re.sub(r"\b(\w+)\.grad\b", r"\1_grad_", text)
    given = {name.replace(".grad", "_grad_"): np.asarray(value) for name, value in names.items()}
    used = {
        name: value
        for name, value in given.items()
        if re.search(rf"(?<!\.)\b{name}\b(?!=[^=])", plain)
    }
    options = Options(forward_only=True, values="outputs", precision=precision)
    try:
        result = evaluate(parse(plain), used, (), options)
    except GradcliError:
        return None
    (value,) = result.values.values()
    return np.asarray(value)


def same(a: Array, b: Array) -> bool:
    """Whether arrays have one shape and, apart from rounding, the same numbers."""
    if a.shape != b.shape:
        return False
    size = np.max(np.abs(a[np.isfinite(a)]), initial=0.0) if a.dtype.kind == "f" else 1.0
    return bool(np.allclose(a, b, rtol=CLOSE, atol=CLOSE * size, equal_nan=True))
