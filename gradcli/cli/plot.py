"""`gradcli plot`: a curve and its derivative over a range."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

import typer

from gradcli.cli import options as flag
from gradcli.cli import streams
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
Form = Annotated[
    Literal["text", "svg", "csv", "json"], typer.Option("--format", help="What to print.")
]


def command(
    over: Over,
    program: flag.Program = None,
    file: flag.ProgramFile = None,
    set_: flag.Inputs = None,
    gradient: flag.Gradients = None,
    output: flag.Outputs = None,
    points: Points = 201,
    format_: Form = "text",
    dtype: flag.Dtype = "float64",
    seed: flag.Seed = None,
    max_memory: flag.MaxMemory = None,
    max_steps: flag.MaxSteps = None,
    timeout: flag.Timeout = None,
    safe: flag.Safe = False,
) -> None:
    """Draw the output of a program and its derivative over a range of one input."""
    from gradcli.analysis.curve import curve
    from gradcli.cli.deadline import confined
    from gradcli.cli.posing import read_options, write
    from gradcli.cli.request import read_request
    from gradcli.report import plot

    options = read_options(output, None, dtype, seed, max_memory, max_steps, safe=safe)
    with confined(timeout, options.limits.memory_bytes(), safe=safe):
        variable, places = _over(over, points, options)
        request = read_request(program, file, set_ or (), gradient or (), options, safe=safe)
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
            request.draws,
        )
        if format_ == "text":
            text = plot.as_text(drawn, streams.width(), ascii_only=not streams.speaks_unicode())
        else:
            text = {"svg": plot.as_svg, "csv": plot.as_csv, "json": plot.as_json}[format_](drawn)
        write([text])


def _over(text: str, points: int, options: Options) -> tuple[str, Array]:
    """The name in `x=-pi:pi`, and equally spaced points of the range. Its ends are no files."""
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
