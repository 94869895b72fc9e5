"""`gradcli explain`: the chain rule with this run's numbers."""

from __future__ import annotations

from typing import Annotated

import typer

from gradcli.cli import options as flag
from gradcli.cli.bundles import expanded

EXAMPLES = """\b
Examples:
  gradcli explain "y = 2*x; z = y**3; out = mean(z)" --set x="[[1,2],[3,4]]"
  gradcli explain "y = mm(x, [[1,2],[3,4]])" -s x="[[2,1]]" -g "[[1,0]]"
  gradcli explain "z = (2*x)**3; out = mean(z)" -s x="[[1,2],[3,4]]" --entry "x[0,1]"
"""

Entry = Annotated[
    str | None,
    typer.Option(
        "--entry",
        metavar="ENTRY",
        help="One entry of the gradient, x[0,1], as a sum over paths.",
    ),
]

Inside = Annotated[
    list[str] | None,
    typer.Option(
        "--inside",
        metavar="NAME",
        help="Open a function, 'for', 'while' or steps 7-12, which are one step otherwise; or all.",
    ),
]


def _command(
    run: flag.Run,
    show: flag.Show,
    gradient: flag.Gradients = None,
    strict: flag.Strict = False,
    entry: Entry = None,
    inside: Inside = None,
) -> None:
    """Explain a gradient: values forward, then grads backward, each rule with its numbers."""
    from gradcli.analysis import single
    from gradcli.analysis.explain import explain
    from gradcli.analysis.paths import follow

    show.format()
    options = run.options(strict=strict)
    with run.bounds.confined():
        request = run.request(gradient, options)
        if entry is None:
            opened = [name.strip() for text in inside or () for name in text.split(",")]
            show.write("explanation", explain(*request, opened))
        else:
            show.write("explanation", follow(single.run(*request), entry))


command = expanded(_command, shows="explanation")
