"""From flags to a problem for the analyses; what their commands have in common."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from gradcli.cli import options as flag
from gradcli.diagnostics import GradcliError, Source

if TYPE_CHECKING:
    from gradcli.analysis.diagnosis.claim import Claim
    from gradcli.analysis.evidence import Evidence
    from gradcli.analysis.problem import Problem, View
    from gradcli.cli.request import Invocation, Load
    from gradcli.graph import Array
    from gradcli.options import Options


def read_problem(
    run: flag.Run,
    gradients: Sequence[str] | None,
    later: Mapping[str, Sequence[str] | None],
    **more: Any,
) -> Problem:
    """Read the program and its values, and trace it. Raises what reading and tracing raise.

    `later` are the `[NAME=]VALUE`s of flags that will be read after it, `more` options of one
    command.
    """
    from gradcli.analysis.problem import pose

    request = _read(run, gradients, later, run.options(**more))
    return pose(request.program, request.inputs, request.gradients, request.options)


def read_rolled(
    run: flag.Run, gradients: Sequence[str] | None, later: Mapping[str, Sequence[str] | None]
) -> Problem:
    """The same, where loops may be one node."""
    from gradcli.analysis.problem import pose_rolled

    request = _read(run, gradients, later, run.options())
    return pose_rolled(request.program, request.inputs, request.gradients, request.options)


def later_values(later: Mapping[str, Sequence[str] | None]) -> list[tuple[str, str]]:
    """The flags `[NAME=]VALUE` that will be read after the program, and their values."""
    from gradcli.data.binding import parse_gradient

    return [(f, parse_gradient(text, f)[1]) for f in later for text in later[f] or ()]


def _read(
    run: flag.Run,
    gradients: Sequence[str] | None,
    later: Mapping[str, Sequence[str] | None],
    options: Options,
) -> Invocation:
    return run.request(gradients, options, later_values(later))


def read_vectors(
    flag: str,
    texts: Sequence[str] | None,
    problem: View,
    *,
    safe: bool,
    load: Load | None = None,
) -> dict[str, Array]:
    """The values of `--tangent [NAME=]VALUE` by leaf; `load` reads files, if not as a whole.

    Raises `usage`, also where there are none, and what reading raises.
    """
    from gradcli.cli.request import read_values

    if not texts:
        raise GradcliError(
            "usage",
            f"without {flag} nothing moves: say how the leaves do",
            hint=f"{flag} {next(iter(problem.leaves))}=…, one number for each element; the others "
            "stay where they are",
        )
    named = _by_leaf(flag, texts, problem, safe=safe)
    values = [(f"{flag} {name}", value) for name, value in named.items()]
    arrays, _, _ = read_values(values, problem.options, load)
    return dict(zip(named, arrays, strict=True))


def read_claims(
    texts: Iterable[str], problem: Problem, *, safe: bool
) -> list[tuple[Claim, Evidence]]:
    """The user's own gradients in `--mine [NAME=]EXPR`: formulas over the program's names, files.

    Raises `usage` and `name`, and what reading and tracing raise.
    """
    from gradcli.analysis.claims import claimed_numbers, claimed_text
    from gradcli.analysis.diagnosis.claim import differentiate
    from gradcli.cli.request import read_values
    from gradcli.data.load import stored_dtype

    walk = differentiate(problem)
    claims = []
    for name, value in _by_leaf("--mine", texts, problem, safe=safe).items():
        source = Source(f"--mine {name}", value.strip())
        if source.text.startswith("@"):
            (array,), _, _ = read_values([(source.name, source.text)], problem.options)
            dtype = stored_dtype(source.text[1:], problem.options.limits.memory_bytes())
            claims.append(claimed_numbers(walk, name, array, dtype))
        else:
            claims.append(claimed_text(walk, name, source))
    return claims


def _by_leaf(flag: str, texts: Iterable[str], problem: View, *, safe: bool) -> dict[str, str]:
    """Texts of `[NAME=]VALUE` by leaf; a name may be left out for the only leaf. Raises `usage`."""
    from gradcli.data.binding import parse_gradient

    leaf = next(iter(problem.leaves))
    named: dict[str, str] = {}
    for text in texts:
        name, value = parse_gradient(text, flag)
        if name is None and len(problem.leaves) > 1:
            raise GradcliError(
                "usage",
                f"there are {len(problem.leaves)} leaves: say which one {flag} is for",
                hint=f"{flag} {leaf}=…",
            )
        name = name or leaf
        if name in named:
            raise GradcliError("usage", f"{flag} {name} stands twice", hint="give each leaf once")
        if safe and value.lstrip().startswith("@"):
            raise GradcliError("usage", f"{flag} {name} names a file, and --safe opens none")
        named[name] = value
    return named
