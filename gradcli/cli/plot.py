"""`gradcli plot`: a curve and its derivative over a range."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from gradcli.cli import options as flag
from gradcli.cli.bundles import expanded
from gradcli.diagnostics import GradcliError, Source, nearest

if TYPE_CHECKING:
    from gradcli.graph import Array
    from gradcli.session import Options

EXAMPLES = """\b
Examples:
  gradcli plot "sin(x) * x" --over x=-6:6
  gradcli plot "mean((a*x - y)**2)" --over a=0:4 -s x=1,2,3 -s y=2,4,6
  gradcli plot "tanh(x)" --over x=-3:3 --format svg > tanh.svg
"""

Over = Annotated[
    str,
    typer.Option(
        "--over",
        metavar="NAME=FROM:TO",
        help="The input that moves, a single number, and its range.",
    ),
]
Points = Annotated[
    int, typer.Option("--points", metavar="N", min=2, max=100_000, help="How many points.")
]


def _command(
    over: Over,
    run: flag.Run,
    show: flag.Show,
    gradient: flag.Gradients = None,
    points: Points = 201,
) -> None:
    """Draw the output of a program and its derivative over a range of one input."""
    from gradcli.analysis.curve import curve

    if run.wrt:
        raise GradcliError("usage", "--wrt: a curve is differentiated by the input of --over")
    show.format()
    options = run.options()
    with run.bounds.confined():
        variable, places = _over(over, points, options)
        request = run.request(gradient, options)
        if variable in request.inputs:
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
        drawn = curve(
            request.program,
            request.inputs,
            variable,
            places,
            request.gradients,
            request.options,
        )
        show.write("curve", drawn)
        show.remark(note for note in drawn.notes if note.code == "broadcast-both")


command = expanded(_command, shows="curve")


def _over(text: str, points: int, options: Options) -> tuple[str, Array]:
    """The name in `x=-pi:pi`, and equally spaced points of the range. Its ends cannot be files."""
    import numpy as np

    from gradcli.cli.request import read_values
    from gradcli.data.binding import checked_name

    before, _, value = text.partition("=")
    name = checked_name(before)
    if "@" in value:
        raise GradcliError(
            "usage", f"--over {name} takes numbers, not @FILE", hint=f"--over {name}=-2:2"
        )
    texts = [(f"--over {name}", end) for end in value.split(":") if end.strip()]
    ends, _, _ = read_values(texts, options)
    if len(ends) != 2 or any(end.size != 1 or not np.isfinite(end).all() for end in ends):
        raise GradcliError("usage", f"--over {name} needs two numbers", hint=f"--over {name}=-2:2")
    first, last = (float(end.item()) for end in ends)
    scale = 1.0 if np.isfinite(last - first) else 0.5  # of -1e308:1e308 the width overflows
    return name, np.linspace(scale * first, scale * last, points) / scale
