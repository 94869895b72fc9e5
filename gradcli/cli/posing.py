"""From flags to a problem for the analyses, and what its commands do alike with an answer."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from gradcli.cli import streams
from gradcli.diagnostics import GradcliError

if TYPE_CHECKING:
    from gradcli.analysis.problem import Problem
    from gradcli.graph import Array
    from gradcli.report.text_style import Layout
    from gradcli.session import Options


def read_problem(
    program: str | None,
    file: str | None,
    inputs: Sequence[str],
    gradients: Sequence[str],
    options: Options,
    *,
    safe: bool,
) -> Problem:
    """Read the program and its values, and trace it. Raises what reading and tracing raise."""
    from gradcli.analysis.problem import pose
    from gradcli.cli.request import read_request

    request = read_request(program, file, inputs, gradients, options, safe=safe)
    return pose(request.program, request.inputs, request.gradients, request.options, request.draws)


def read_vectors(
    flag: str, texts: Iterable[str], problem: Problem, *, safe: bool
) -> dict[str, Array]:
    """The values of `--tangent [NAME=]VALUE` by leaf; a name may be left out for the only leaf.

    Raises `usage`, and what reading raises.
    """
    from gradcli.cli.request import read_values
    from gradcli.data.binding import parse_gradient

    named: dict[str, str] = {}
    for text in texts:
        name, value = parse_gradient(text)
        if name is None and len(problem.leaves) > 1:
            raise GradcliError(
                "usage",
                f"there are {len(problem.leaves)} leaves: say which one the vector is for",
                hint=f"{flag} {next(iter(problem.leaves))}=…",
            )
        name = name or next(iter(problem.leaves))
        if name in named:
            raise GradcliError("usage", f"{flag} {name} stands twice", hint="give each leaf once")
        if safe and value.lstrip().startswith("@"):
            raise GradcliError("usage", f"{flag} {name} names a file, and --safe opens none")
        named[name] = value
    values = [(f"{flag} {name}", value) for name, value in named.items()]
    arrays, _, _ = read_values(values, problem.options)
    return dict(zip(named, arrays, strict=True))


def layout(precision: int) -> Layout:
    """What there is to draw on."""
    from gradcli.report.text_style import Layout

    return Layout(streams.width(), precision, not streams.speaks_unicode())


def write(pieces: Iterable[str]) -> None:
    """Print an answer."""
    with streams.output() as stream:
        stream.writelines(pieces)
