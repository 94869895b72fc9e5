"""`gradcli explain`: the chain rule with this run's numbers."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from gradcli.cli import options as flag
from gradcli.cli.bundles import expanded
from gradcli.cli.inside import Inside, parts
from gradcli.diagnostics import GradcliError

LONGEST = 1 << 18
"""The longest traceback that is read."""

EXAMPLES = """\b
Examples:
  gradcli explain "y = 2*x; z = y**3; out = mean(z)" --set x="[[1,2],[3,4]]"
  gradcli explain "y = mm(x, [[1,2],[3,4]])" -s x="[[2,1]]" -g "[[1,0]]"
  gradcli explain "z = (2*x)**3; out = mean(z)" -s x="[[1,2],[3,4]]" \\
      --entry "x[0,1]"
  gradcli explain \\
      --error "grad can be implicitly created only for scalar outputs"
"""

Entry = Annotated[
    str | None,
    typer.Option(
        "--entry",
        metavar="ENTRY",
        help="One entry of the gradient, x[0,1], as a sum over paths.",
    ),
]

Message = Annotated[
    str | None,
    typer.Option(
        "--error",
        metavar="MESSAGE",
        help="An error message of PyTorch, or a whole traceback: what it means. - reads it.",
    ),
]


def _command(
    run: flag.Run,
    show: flag.Show,
    kinks: flag.Kinks,
    gradient: flag.Gradients = None,
    accumulate: flag.Accumulate = False,
    entry: Entry = None,
    inside: Inside = None,
    error: Message = None,
) -> None:
    """Explain a gradient: values forward, then grads backward, each rule with its numbers."""
    from gradcli.analysis import single
    from gradcli.analysis.explain import explain
    from gradcli.analysis.paths import follow

    written_out = show.format() == "xlsx"  # a spreadsheet has a row for every pass of a loop
    if error is not None:
        _explain_message(error, show)
        return
    options = run.options(unroll=written_out, accumulate=accumulate)
    with run.bounds.confined():
        request = run.request(gradient, options)
        if entry is None:
            show.write("explanation", explain(*request, parts(inside), kinks.wanted()))
        else:
            show.write("explanation", follow(single.run(*request), entry, kinks.wanted()))


def _explain_message(message: str, show: flag.Show) -> None:
    """What a message of PyTorch means. Raises `value` for one that is not known."""
    from gradcli.analysis.messages import explained
    from gradcli.data.text import read_text

    if message == "-":
        message = read_text(sys.stdin.buffer, "--error", LONGEST) if sys.stdin else ""
    if len(message) > LONGEST:
        raise GradcliError("limit-tokens", f"--error: more than {LONGEST:,} characters")
    answer = explained(message)
    if answer is None:
        raise GradcliError(
            "value",
            "--error: this holds no message of PyTorch that is known here",
            hint="paste it whole: gradcli explain --error - < traceback.txt",
        )
    show.write("message", answer)


command = expanded(_command, shows="explanation")
