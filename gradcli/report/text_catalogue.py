"""The functions of the language for people: the list of all, and a page about one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from textwrap import wrap
from typing import Any

import numpy as np
from rich.text import Text

from gradcli.analysis.catalogue import Description, Example
from gradcli.language.printer import print_program
from gradcli.ops import Function
from gradcli.ops.deviations import DEVIATIONS, DIFFERENCES, Deviation
from gradcli.ops.table import FRAMEWORKS
from gradcli.report import text
from gradcli.report.layout import Layout
from gradcli.report.text_style import ASIDE, HEADING, printed
from gradcli.report.typed import command_lines, quoted
from gradcli.trace.arguments import signature

GAP = 2


def render_list(groups: Mapping[str, Sequence[Function]], *, width: int, colour: bool) -> str:
    """A heading for each group, and a line for each function: its name and what it does."""
    functions = [function for members in groups.values() for function in members]
    column = max(len(function.name) for function in functions) + GAP
    lines: list[Text] = []
    for group, members in groups.items():
        lines += [Text(), Text(group, style=HEADING)] if lines else [Text(group, style=HEADING)]
        for function in members:
            doc = " ".join(function.doc.split())
            name = Text(f"  {function.name:{column}}")
            lines += _hanging(name, doc, width)
    lines += [Text(), Text(f"{len(functions)} functions; gradcli ops NAME explains one", ASIDE)]
    return printed([Text("\n").join(lines)], colour)


def render_page(
    description: Description, *, width: int, colour: bool, ascii_only: bool = False
) -> str:
    """Signature, doc, formula, derivative, what holds at kinks, and an example with its output."""
    function = description.function
    start = Text("\n").join(
        [*_signature(function, width), *map(Text, _folded(function.doc, width))]
    )
    facts = {
        "group": function.group,
        "also": ", ".join(function.aliases),
        "PyTorch": function.torch,
        "formula" if description.formula_holds else "in words": function.formula,
        "textbook": _textbook(description),
        "derivative": _derivative(description),
        "at kinks": function.kink,
        "elsewhere": "; ".join(
            f"{FRAMEWORKS[name]}: {there}" for name, there in function.elsewhere.items()
        ),
        "on a GPU": _on_gpu(description),
        "differs": "\n".join(map(_deviation, description.deviations)),
    }
    column = max(map(len, facts)) + GAP
    rows = [
        row
        for name, fact in facts.items()
        if fact
        for row in _hanging(Text(f"{name:{column}}", ASIDE), fact, width)
    ]
    page = printed([start, Text("\n").join(rows)], colour)
    if description.example is None:
        return page
    first, *others = command_lines([_command(description.example)], width - len("example  "))
    command = Text("\n").join(
        [
            Text.assemble(("example", ASIDE), f"  {first}"),
            *(Text(f"{'':9}{each}") for each in others),
        ]
    )
    layout = Layout(width, ascii_only=ascii_only, colour=colour)
    output = text.render(description.example.result, layout)
    return f"{page}\n{printed([command], colour)}{output}"


def _signature(function: Function, width: int) -> list[Text]:
    """The call with its parameters, further lines of which begin below the first one."""
    indent = " " * (len(function.name) + 1)
    whole = signature(function).replace(", ", ",\0").replace(" ", "\1")  # breaks at commas only
    lines = wrap(
        whole.replace("\0", " "), width, subsequent_indent=indent, break_long_words=False,
        break_on_hyphens=False,
    )  # fmt: skip
    return [Text(line.replace("\1", " "), "bold") for line in lines]


def _textbook(description: Description) -> str:
    """The gradients that the entry states."""
    return "\n".join(f"{name}.grad = {text}" for name, text in description.textbook.items())


def render_deviations(*, width: int, colour: bool) -> str:
    """Where gradcli differs from PyTorch: rules of the language, then single points."""
    rows = [
        (each.where, {"PyTorch": each.there, "gradcli": each.here, "why": each.reason})
        for each in DIFFERENCES
    ]
    rows += [
        (
            each.where,
            {
                "program": each.program + _at(each.inputs),
                "PyTorch": _answer(each.there),
                "gradcli": _answer(each.here),
                "why": each.reason,
            },
        )
        for each in DEVIATIONS
    ]
    column = len("program") + GAP
    lines: list[Text] = []
    for where, facts in rows:
        lines += [Text(line, style=HEADING) for line in _folded(where, width)]
        for name, fact in facts.items():
            if fact:
                lines += _hanging(Text(f"  {name:{column}}", ASIDE), fact, width)
        lines.append(Text())
    lines.append(Text(f"{len(rows)} differences from PyTorch 2.13; a test runs each", ASIDE))
    return printed([Text("\n").join(lines)], colour)


def _deviation(deviation: Deviation) -> str:
    """Where one function differs, in a line."""
    here, there = _answer(deviation.here), _answer(deviation.there)
    return f"{deviation.where}: {here}, in PyTorch {there}: {deviation.reason}"


def _at(inputs: Mapping[str, Any]) -> str:
    values = ", ".join(f"{name} = {_short(value)}" for name, value in inputs.items())
    return f" at {values}"


def _answer(answer: Mapping[str, Any]) -> str:
    """The answer at a point: `value 0; x.grad nan`, or an error."""
    if "error" in answer:
        return f"an error: {answer['error']}"
    return "; ".join(
        f"{name if name == 'value' else f'{name}.grad'} {_short(value)}"
        for name, value in answer.items()
    )


def _short(value: Any) -> str:
    """One number, or a few of many."""
    texts = [f"{each:.6g}" for each in np.ravel(np.asarray(value, dtype=float))]
    if not isinstance(value, list):
        return texts[0]
    return f"[{texts[0]}, …]" if len(texts) > 4 else f"[{', '.join(texts)}]"


def _derivative(description: Description) -> str:
    if description.derivative is None:
        return "none: the result holds integers or truth values"
    return print_program(description.derivative).rstrip("\n")


def _on_gpu(description: Description) -> str:
    """What computes the function on a GPU."""
    others = description.beside_kernels.items()
    return "; ".join(f"{library}: {', '.join(ops)}" for library, ops in others) or "one kernel"


def _command(example: Example) -> str:
    """The example as it is typed."""
    parts = ["gradcli", "eval", quoted(example.program)]
    for name, array in example.inputs.items():
        parts += ["--set", quoted(f"{name}={_value(array)}")]
    if example.gradient is not None:
        parts += ["--gradient", quoted(_value(example.gradient))]
    if example.result.seed is not None:
        parts += ["--seed", str(example.result.seed)]
    return " ".join([*parts, "--no-tree"])


def _value(array: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> str:
    numbers = str((array + 0.0).tolist()).replace(" ", "").replace(".0,", ",").replace(".0]", "]")
    return numbers.removesuffix(".0")


def _hanging(label: Text, body: str, width: int) -> list[Text]:
    """The label and the body behind it; further lines of the body begin in the same column."""
    room = max(20, width - len(label))
    first, *rest = [line for each in body.split("\n") for line in _folded(each, room)]
    return [label + first, *(Text(" " * len(label) + line) for line in rest)]


def _folded(body: str, width: int) -> list[str]:
    return [
        line
        for each in body.split("\n")
        for line in wrap(each.strip(), width, break_long_words=False, break_on_hyphens=False)
        or [""]
    ]
