"""`gradcli check`: is this gradient right?"""

from __future__ import annotations

from typing import Annotated

import typer

from gradcli.cli import options as flag
from gradcli.cli.bundles import expanded
from gradcli.diagnostics import GradcliError

EXAMPLES = """\b
Examples:
  gradcli check "z = (2*x)**3; out = mean(z)" --set x="[[1,2],[3,4]]"
  gradcli check "sum(relu(w @ x))" -s w="[[1,-2]]" -s x=2,1 --strict
  gradcli check "logsumexp(x)" -s x=1,2,3 --order 2 --json
  gradcli check "out = mean((2*x)**3)" -s x=1,2 --mine x="24*x**2"
"""

Order = Annotated[
    int,
    typer.Option("--order", min=1, max=2, help="1 checks the gradient, 2 the Hessian."),
]
Mine = Annotated[
    list[str] | None,
    typer.Option(
        "--mine",
        metavar="NAME=EXPR",
        help="Your own gradient of a leaf: a formula over the program's names (v is the gradient "
        "vector), numbers, or @FILE. A difference is diagnosed. Repeatable, once a leaf.",
    ),
]
Strict = Annotated[
    bool,
    typer.Option("--strict", help="Exit with 1 where the result is inconclusive, too."),
]


def _command(
    run: flag.Run,
    show: flag.Show,
    gradient: flag.Gradients = None,
    order: Order = 1,
    mine: Mine = None,
    strict: Strict = False,
) -> int:
    """Check the gradient of every leaf against differences, complex step and forward mode.

    Exits with 1 if one is wrong. Where there is no clear answer, at a kink for instance, it says
    why; that is an error under --strict only. With --mine it also checks your own gradient, and
    names the mistake in it.
    """
    from dataclasses import replace

    from gradcli.analysis.check import check
    from gradcli.cli import posing
    from gradcli.cli.exit import DONE, FINDING

    if mine and order == 2:
        raise GradcliError(
            "usage", "--mine is a gradient, and --order 2 checks the Hessian", hint="leave one out"
        )
    show.format()
    with run.bounds.confined():
        problem = posing.read_problem(run, gradient, {"--mine": mine})
        if mine:
            from gradcli.analysis.diagnosis.claim import weighed
            from gradcli.analysis.diagnosis.compare import compare

            problem = weighed(problem)
            claims = posing.read_claims(mine, problem, safe=run.bounds.safe)
            found = replace(check(problem), mine=[compare(claim) for claim in claims])
        else:
            found = check(problem, order)
        show.write("check", found)
        wrong = {"fail", "inconclusive"} if strict else {"fail"}
        return FINDING if found.verdict in wrong else DONE


command = expanded(_command, shows="check")
