"""`gradcli check`: is this gradient right?"""

from __future__ import annotations

import math
import signal
from typing import TYPE_CHECKING, Annotated

import typer

from gradcli.cli import options as flag
from gradcli.cli import shell, streams
from gradcli.cli.bundles import expanded
from gradcli.cli.cluster import Sweeping
from gradcli.cli.foreign import Outside
from gradcli.cli.meter import metered
from gradcli.cli.watch import ENDING
from gradcli.diagnostics import GradcliError

if TYPE_CHECKING:
    from gradcli.analysis.problem import Problem
    from gradcli.analysis.progress import Progress
    from gradcli.analysis.verdict import Check, Tolerance

EXAMPLES = """\b
Examples:
  gradcli check "z = (2*x)**3; out = mean(z)" --set x="[[1,2],[3,4]]"
  gradcli check "sum(relu(w @ x))" -s w="[[1,-2]]" -s x=2,1 --strict
  gradcli check "logsumexp(x)" -s x=1,2,3 --order 2 --json
  gradcli check "out = mean((2*x)**3)" -s x=1,2 --mine x="24*x**2"
  gradcli check "sum(x**2)" -s x=1,2 --command "python3 grad.py"
  gradcli check "mean((2*x)**3)" -s x=@data.zarr/x --cluster local --jobs 4
"""

LOST = "interrupted in the middle of a step that cannot be stopped: what was known is lost\n"

Order = Annotated[
    int,
    typer.Option("--order", min=1, max=2, help="1 checks the gradient, 2 the Hessian."),
]
Mine = Annotated[
    list[str] | None,
    typer.Option(
        "--mine",
        metavar="NAME=EXPR",
        autocompletion=shell.bindings,
        help="Your own gradient of a leaf: a formula over the program's names (v is the gradient "
        "vector), numbers, or @FILE. A difference is diagnosed. Repeatable, once a leaf.",
    ),
]
Digits = Annotated[
    float | None,
    typer.Option(
        "--digits",
        min=0,
        help="Inconclusive where fewer digits are confirmed; --mine must agree to so many.",
    ),
]
Rtol = Annotated[
    float | None,
    typer.Option("--rtol", min=0, help="By how much of the gradient --mine may be off."),
]
Atol = Annotated[
    float | None, typer.Option("--atol", min=0, help="By how much, absolutely, --mine may be off.")
]


def _command(
    run: flag.Run,
    show: flag.Show,
    outside: Outside,
    kinks: flag.Kinks,
    sweeping: Sweeping,
    gradient: flag.Gradients = None,
    order: Order = 1,
    mine: Mine = None,
    digits: Digits = None,
    rtol: Rtol = None,
    atol: Atol = None,
) -> int:
    """Check the gradient of every leaf against differences, complex step and forward mode.

    Exits with 1 if one is wrong. Where there is no clear answer, at a kink for instance, it says
    why; that is an error under --strict only. With --mine it also checks your own gradient, and
    names the mistake in it: a formula must agree to rounding, on both sides of its own conditions
    and limits too, numbers to half a unit of their last digit, a file to the rounding of its dtype.
    With --command it checks the gradient that another program computes.
    """
    from gradcli.analysis.check import check, demand
    from gradcli.analysis.near import kink_notes
    from gradcli.cli import child, posing, sweep, watch

    child.stay()  # Ctrl-C is answered by what is known
    watch.tell(LOST)
    _require_one_claim(order, mine, outside)
    asked = _tolerance(digits, rtol, atol, own=bool(mine or outside.command))
    show.format()
    if sweeping.asked:
        _require_nothing_else(order, mine, outside, kinks, digits)
        try:
            swept = sweep.check(run, gradient, sweeping, quiet=show.quiet)
        except KeyboardInterrupt:
            streams.write_error("interrupted while the machines worked: nothing is known yet\n")
            return ENDING[signal.SIGINT]
        return _shown(swept, show, strict=run.strict)
    with metered(show.quiet) as meter, run.bounds.confined():
        try:
            if outside.command is not None:
                found = outside.checked(run, gradient, asked, meter)
            else:
                problem = posing.read_problem(run, gradient, {"--mine": mine})
                problem.notes.extend(kink_notes(problem, kinks.wanted()))
                found = (
                    _compared(problem, mine, asked, meter, safe=run.bounds.safe)
                    if mine
                    else check(problem, order, meter)
                )
        except KeyboardInterrupt:
            meter.end()
            streams.write_error("interrupted before the check began: nothing is known yet\n")
            return ENDING[signal.SIGINT]
        if digits is not None:
            found = demand(found, digits)
        meter.end()
        return _shown(found, show, strict=run.strict)


def _shown(found: Check, show: flag.Show, *, strict: bool) -> int:
    """Show what was found; the exit code that tells of it."""
    from gradcli.cli.exit import DONE, FINDING

    show.write("check", found)
    if found.stopped:
        return ENDING[signal.SIGINT]
    wrong = {"fail", "inconclusive"} if strict else {"fail"}
    return FINDING if found.verdict in wrong else DONE


def _require_nothing_else(
    order: int, mine: list[str] | None, outside: Outside, kinks: flag.Kinks, digits: float | None
) -> None:
    """Refuse what no cluster does. Raises `usage`."""
    others = {
        "--mine": mine, "--command": outside.command, "--order 2": order == 2,
        "--kinks": kinks.kinks, "--as": kinks.as_, "--digits": digits is not None,
    }  # fmt: skip
    given = [name for name, value in others.items() if value]
    if given:
        raise GradcliError(
            "usage",
            f"--cluster moves all elements at once, and {given[0]} looks at each",
            hint="leave one out",
        )


def _require_one_claim(order: int, mine: list[str] | None, outside: Outside) -> None:
    """Refuse what cannot be judged together. Raises `usage`."""
    if mine and order == 2:
        raise GradcliError(
            "usage", "--mine is a gradient, and --order 2 checks the Hessian", hint="leave one out"
        )
    if outside.command is None:
        if outside.only_value:
            raise GradcliError(
                "usage", "--command-only-value is for --command", hint="--command 'python3 f.py'"
            )
    elif mine or order == 2:
        raise GradcliError(
            "usage",
            f"--command and {'--mine' if mine else '--order 2'} are two checks",
            hint="leave one out",
        )


def _compared(
    problem: Problem, mine: list[str], asked: Tolerance | None, done: Progress, *, safe: bool
) -> Check:
    """The check of a program, and the user's own gradients compared with its own."""
    from gradcli.analysis.check import check
    from gradcli.analysis.diagnosis.claim import weighed
    from gradcli.analysis.diagnosis.compare import compare_all
    from gradcli.cli import posing
    from gradcli.cli.deadline import half

    problem = weighed(problem)
    claims = posing.read_claims(mine, problem, safe=safe)
    checked = check(problem, done=done)
    return checked if checked.stopped else compare_all(checked, claims, asked, half)


def _tolerance(
    digits: float | None, rtol: float | None, atol: float | None, *, own: bool
) -> Tolerance | None:
    """What the user asks of a gradient of their own, if it is said. Raises `usage`."""
    from gradcli.analysis.verdict import Tolerance

    by_hand = {"--rtol": rtol, "--atol": atol}
    for option, value in (by_hand | {"--digits": digits}).items():
        if value is not None and math.isnan(value):
            raise GradcliError("usage", f"{option} is not a number", hint=f"{option} 6")
    told = " ".join(f"{flag} {value:g}" for flag, value in by_hand.items() if value is not None)
    if told and (digits is not None or not own):
        raise GradcliError(
            "usage",
            "--rtol and --atol say how closely --mine must agree",
            hint="leave --digits out" if own else "--mine NAME=EXPR gives your own gradient",
        )
    if digits is not None:
        return Tolerance(f"--digits {digits:g}", rtol=10.0**-digits)
    return Tolerance(told, rtol or 0.0, atol or 0.0) if told else None


command = expanded(_command, shows="check")
