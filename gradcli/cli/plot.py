"""`gradcli plot`: a curve and its derivative over a range."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from gradcli.cli import options as flag
from gradcli.cli import shell
from gradcli.cli.bundles import expanded
from gradcli.cli.meter import Meter, metered
from gradcli.diagnostics import GradcliError, Source, nearest

if TYPE_CHECKING:
    from gradcli.analysis.curve import Curve, Moving
    from gradcli.cli.request import Invocation
    from gradcli.graph import Array
    from gradcli.language.syntax import Program
    from gradcli.session import Options

_WHOLE = re.compile(r"\s*-?\d{1,9}\s*")

EXAMPLES = """\b
Examples:
  gradcli plot "sin(x) * x" --over x=-6:6
  gradcli plot "mean((a*x - y)**2)" --over a=0:4 -s x=1,2,3 -s y=2,4,6
  gradcli plot "tanh(x)" --over x=-3:3 --format svg > tanh.svg
  gradcli plot "relu(x)" --with "softplus(x)" --over x=-3:3
  gradcli plot "x**2 - y**2" --over x=-2:2 --over y=-2:2 --format svg > map.svg
  gradcli plot "sum(w**3)" --over "w[0]=-2:2" -s w=1,2
"""

Over = Annotated[
    list[str],
    typer.Option(
        "--over",
        metavar="NAME=FROM:TO",
        autocompletion=shell.bindings,
        help="The number that moves, an input or w[0] of one in --set, and its range; given "
        "twice, a map over both is drawn.",
    ),
]
Points = Annotated[
    int | None,
    typer.Option(
        "--points",
        metavar="N",
        min=2,
        max=100_000,
        help="How many points, equally spaced. [default: 201, and more where a curve bends]",
        show_default=False,
    ),
]
Others = Annotated[
    list[str] | None,
    typer.Option("--with", metavar="PROGRAM", help="Another program in the picture. Repeatable."),
]
DEFAULT_POINTS = 201
DEFAULT_GRID = 41
LARGEST_GRID = 301
"""Points along a side of a map."""


def _command(
    over: Over,
    run: flag.Run,
    show: flag.Show,
    gradient: flag.Gradients = None,
    points: Points = None,
    with_: Others = None,
) -> None:
    """Draw the outputs of programs and their derivatives over a range of one number."""
    from gradcli.analysis.curve import curve
    from gradcli.analysis.progress import share

    if run.wrt:
        raise GradcliError("usage", "--wrt: a curve is differentiated by the number of --over")
    show.format()
    options = run.options()
    if len(over) > 2:
        raise GradcliError("usage", "--over: two numbers can move at most")
    with metered(show.quiet) as meter, run.bounds.confined():
        request = run.request(gradient, options)
        if len(over) == 2:
            _show_field(over, request, show, points or DEFAULT_GRID, with_ or (), meter)
            return
        moving, places = _over(over[0], points or DEFAULT_POINTS, options)
        request = _freed(moving, request)
        _check(moving, request)
        chosen = request.options.outputs
        each_output: list[tuple[str, ...]] = [(each,) for each in chosen] or [()]
        pairs = [
            (program, outputs)
            for program in (request.program, *map(_read, with_ or ()))
            for outputs in each_output
        ]
        curves = [
            curve(program, request.inputs, moving, places, request.gradients,
                  request.options._replace(outputs=outputs),
                  share(meter, number / len(pairs), (number + 1) / len(pairs)), more=points is None)
            for number, (program, outputs) in enumerate(pairs)
        ]  # fmt: skip
        meter.end()
        show.write("curve", _named(curves, [program.source.text for program, _ in pairs]))
        notes = [note for each in curves for note in each.notes]
        show.remark(note for note in notes if note.code == "broadcast-both")


def _show_field(
    over: Sequence[str],
    request: Invocation,
    show: flag.Show,
    points: int,
    others: Sequence[str],
    meter: Meter,
) -> None:
    """A map over two numbers."""
    from gradcli.analysis.field import field

    if others or len(request.options.outputs) > 1:
        raise GradcliError("usage", "a map over two numbers shows one output of one program")
    if points > LARGEST_GRID:
        raise GradcliError("usage", f"--points: a map has {LARGEST_GRID} along a side at most")
    (first, across), (second, up) = (_over(each, points, request.options) for each in over)
    for moving in (first, second):
        request = _freed(moving, request)
        _check(moving, request)
    if first == second:
        raise GradcliError("usage", f"--over {first} is given twice")
    drawn = field(
        request.program, request.inputs, (first, second), across, up, request.gradients,
        request.options, meter,
    )  # fmt: skip
    meter.end()
    show.write("field", drawn)
    show.remark(note for note in drawn.notes if note.code == "broadcast-both")


def _read(text: str) -> Program:
    from gradcli.language.parser import ParseLimits, parse_program

    return parse_program(Source("--with", text), ParseLimits())


def _named(curves: list[Curve], texts: list[str]) -> list[Curve]:
    """The curves; those of programs that call their output the same are numbered, and keep the
    texts of these.
    """
    from dataclasses import replace

    if len({each.output for each in curves}) == len(curves):
        return curves
    return [
        replace(each, output=f"{each.output}_{number}", text=text)
        for number, (each, text) in enumerate(zip(curves, texts, strict=True), 1)
    ]


def _freed(moving: Moving, request: Invocation) -> Invocation:
    """The request without the statement that gives the moving input a constant value, as `x = 3`
    in a script does: of what moves alone it says where it was, and of an array the other elements.
    """
    from gradcli.language.syntax import Assign, Name
    from gradcli.literals import literals
    from gradcli.ops.shapes import show
    from gradcli.trace.names import binds_unread

    name, program, inputs = moving.name, request.program, request.inputs
    given = next(
        (
            each
            for each in program.statements
            if isinstance(each, Assign) and isinstance(each.target, Name) and each.target.id == name
        ),
        None,
    )
    if given is None or name in inputs:
        return request
    others = tuple(each for each in program.statements if each is not given)
    rest = program._replace(statements=others)
    if not binds_unread(program, name) or binds_unread(rest, name):
        return request
    text = program.source.text[slice(*given.value.span)]
    try:
        (value,), seed, _ = literals([Source(f"--over {moving}", text)], request.options)
    except GradcliError:
        return request
    if seed is not None or not others:
        return request
    if moving.element is not None:
        inputs = inputs | {name: value}
    elif value.size > 1:
        raise GradcliError(
            "usage",
            f"--over {name}: the program gives {name} the shape {show(value.shape)}, and one "
            "number moves",
            hint=f"--over '{name}[{', '.join('0' * value.ndim)}]=…' moves one of its elements",
        )
    return request._replace(program=rest, inputs=inputs)


def _check(moving: Moving, request: Invocation) -> None:
    """Raise `usage`, `name` or `index` where the program has no such number."""
    from gradcli.trace.names import binds_unread

    variable, index = moving
    known = request.inputs.get(variable)
    if known is not None and index is None:
        raise GradcliError(
            "usage", f"{variable} is both in --set and in --over", hint="give it once"
        )
    if variable not in request.program.names:
        near = nearest(variable, request.program.names)
        raise GradcliError(
            "name",
            f"--over {variable}: the program does not mention {variable}",
            source=Source(f"--over {variable}", ""),
            hint=f"did you mean {near!r}?" if near else "move a name that it reads",
        )
    if binds_unread(request.program, variable):
        raise GradcliError(
            "usage",
            f"--over {variable}: the program binds {variable}, so the input would not be used",
            hint=f"leave {variable} = … out of the program",
        )
    if index is None:
        return
    if known is None:
        raise GradcliError(
            "usage", f"--over {moving}: the other elements are not known",
            hint=f"--set {variable}=…",
        )  # fmt: skip
    inside = len(index) == known.ndim and all(
        -length <= each < length for each, length in zip(index, known.shape, strict=False)
    )
    if not inside:
        raise GradcliError(
            "index", f"--over {moving}: there is no such element in shape {known.shape}"
        )


command = expanded(_command, shows="curve")


def _over(text: str, points: int, options: Options) -> tuple[Moving, Array]:
    """The number in `x=-pi:pi`, and equally spaced points of the range, whose ends are no files."""
    import numpy as np

    from gradcli.analysis.curve import Moving
    from gradcli.cli.request import read_values
    from gradcli.data.binding import checked_name

    before, _, value = text.partition("=")
    title, bracket, inside = before.strip().partition("[")
    name = checked_name(title)
    index: tuple[int, ...] | None = None
    if bracket:
        numbers = inside.removesuffix("]").split(",")
        if not inside.endswith("]") or not all(_WHOLE.fullmatch(each) for each in numbers):
            raise GradcliError("usage", f"--over {before} is no element", hint="--over 'w[0]=-2:2'")
        index = tuple(map(int, numbers))
    if "@" in value:
        raise GradcliError(
            "usage", f"--over {name} takes numbers, not @FILE", hint=f"--over {name}=-2:2"
        )
    if ".." in value:
        raise GradcliError(
            "usage", f"--over {name}: a range has a colon", hint=f"--over {name}=-2:2"
        )
    texts = [(f"--over {name}", end) for end in value.split(":") if end.strip()]
    ends, _, _ = read_values(texts, options)
    if len(ends) != 2 or any(end.size != 1 or not np.isfinite(end).all() for end in ends):
        raise GradcliError("usage", f"--over {name} needs two numbers", hint=f"--over {name}=-2:2")
    first, last = (float(end.item()) for end in ends)
    scale = 1.0 if np.isfinite(last - first) else 0.5  # of -1e308:1e308 the width overflows
    return Moving(name, index), np.linspace(scale * first, scale * last, points) / scale
