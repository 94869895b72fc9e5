"""What Python says of a call that does not fit a function of the program."""

from __future__ import annotations

from collections.abc import Sequence

from gradcli.diagnostics import GradcliError, RefusedError
from gradcli.trace.frames import UserFunction
from gradcli.trace.objects import Given
from gradcli.trace.values import Value


def misfit(
    function: UserFunction, arguments: Sequence[Value], keywords: Given, error: GradcliError
) -> RefusedError:
    """The error of a call, with what Python says of it."""
    known = error.diagnostic
    said = f"{function.qualified}() {_said(function, len(arguments), keywords)}"
    return RefusedError(("TypeError", said), known.code, known.message, hint=known.hint)


def _said(function: UserFunction, count: int, keywords: Given) -> str:
    """The first fault in the order in which Python looks for them."""
    parameters = function.definition.parameters
    star = next((i for i, each in enumerate(parameters) if each.name[0] == "*"), len(parameters))
    plain = [each.name for each in parameters[:star]]
    by_name = [each.name for each in parameters[star:] if each.name[0] != "*"]
    optional = {each.name for each in parameters if each.default is not None}
    stars = {each.name[: each.name.count("*")] for each in parameters if each.name != "*"}
    for name in keywords:
        if "**" not in stars and name not in plain and name not in by_name:
            return f"got an unexpected keyword argument '{name}'"
        if name in plain[:count]:
            return f"got multiple values for argument '{name}'"
    most = len(plain)
    if count > most and "*" not in stars:
        least = most - len(optional.intersection(plain))
        taken = f"from {least} to {most}" if least < most else str(most)
        named = sum(name in by_name for name in keywords)
        also = f" positional argument{_s(count)} (and {named} keyword-only argument{_s(named)})"
        were = "was" if count == 1 and not named else "were"
        return (
            f"takes {taken} positional argument{'s' if least < most else _s(most)} but "
            f"{count}{also if named else ''} {were} given"
        )
    for kind, names in (("positional", plain[count:]), ("keyword-only", by_name)):
        missing = [f"'{each}'" for each in names if each not in optional and each not in keywords]
        if missing:
            listed = ", ".join(missing[:-1]) + "," * (len(missing) > 2)
            listed += f" and {missing[-1]}" if listed else missing[-1]
            return f"missing {len(missing)} required {kind} argument{_s(len(missing))}: {listed}"
    return "got arguments that do not fit it"


def _s(count: int) -> str:
    return "" if count == 1 else "s"
