"""Slips at derivatives: a function stands where its derivative belongs, or the other way round, or
what it is taken of.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeGuard

from gradcli.analysis.diagnosis.calls import reduces
from gradcli.analysis.diagnosis.pieces import Change, Material
from gradcli.analysis.diagnosis.products import factors_in, multiplied
from gradcli.language.construct import binary, call, number
from gradcli.language.rewrite import Place, called, changed, keyword
from gradcli.language.syntax import Binary, Call, Expression, Name, Number, Unary


def differentiated(part: Binary, _place: Place, material: Material) -> Iterator[Change]:
    """u**n for n*u or n*u**(n - 1)."""
    base: Expression = part.right
    value = material.values.get(base)
    if value is not None and value.kind == "bool":
        return
    power = 1.0
    if isinstance(base, Binary) and base.operator == "**" and isinstance(base.right, Number):
        power, base = base.right.value, base.left
    first, factors = factors_in(part.left)
    numbers = [("*", first), *factors] if part.operator == "*" else []
    for place, (symbol, factor) in enumerate(numbers):
        if symbol == "*" and isinstance(factor, Number) and factor.value == power + 1:
            whole = binary("**", base, factor)
            (_, start), *rest = [*numbers[:place], *numbers[place + 1 :], ("*", whole)]
            yield 1.2, "differentiated", multiplied(start, rest)


def undifferentiated(part: Binary, _place: Place, _material: Material) -> Iterator[Change]:
    """n*u**(n - 1) for u**n."""
    n = known_value(part.right) if part.operator == "**" else None
    if n is not None and n not in (0.0, 1.0):
        lowered = part.left if n == 2 else binary("**", part.left, number(n - 1))
        yield 1.15, "undifferentiated", binary("*", number(n), lowered)


def known_value(part: Expression) -> float | None:
    """That of a number, with or without a sign."""
    if isinstance(part, Unary) and part.operator == "-" and isinstance(part.operand, Number):
        return -part.operand.value
    return part.value if isinstance(part, Number) else None


def of_quotient(part: Binary, _place: Place, material: Material) -> Iterator[Change]:
    """a*log(u) for a/u, the derivative, and a*log(b/u) for a*b/u."""
    if part.operator != "/":
        return
    above, below = part.left, part.right
    if "log" in material.own and not isinstance(below, Number):
        whole = call("log", below)
        alone = known_value(above) == 1
        yield 1.35, "derivative", whole if alone else binary("*", above, whole)
    if isinstance(above, Binary) and above.operator == "*":
        ratio = binary("/", above.right, below)
        for title in material.functions:
            if title in material.own and title != "neg" and not reduces(title):
                yield 1.5, "function-missing", binary("*", above.left, call(title, ratio))


def of_base(part: Number, place: Place, _material: Material) -> Iterator[Change]:
    """log(10) for 10, as for the derivative of a power of it."""
    above = place.above and place.above.part
    factor = isinstance(above, Binary) and above.operator in "*/"
    if factor and part.value in (2, 10):
        yield 1.45, "function-missing", call("log", part)


def from_the_other_end(part: Call, _place: Place, material: Material) -> Iterator[Change]:
    """A sum that runs from the last element for one that runs from the first, and the like."""
    if _runs(part, material):
        inside, axis = part.arguments[0], _axis(part)
        if _is_flip(inside):
            yield 1.2, "reversed", call("flip", part, axis)
        else:
            turned = changed(part, arguments=(call("flip", inside, axis), *part.arguments[1:]))
            yield 1.2, "reversed", call("flip", turned, axis)
    elif _is_flip(part) and _runs(part.arguments[0], material):
        running = part.arguments[0]
        inside, *more = running.arguments
        if _is_flip(inside):
            yield 1.15, "reversed", changed(running, arguments=(inside.arguments[0], *more))
        else:
            turned = changed(running, arguments=(call("flip", inside, _axis(running)), *more))
            yield 1.2, "reversed", changed(part, arguments=(turned, *part.arguments[1:]))


def _runs(part: Expression, material: Material) -> TypeGuard[Call]:
    """Whether a part is a sum or the like that runs along an axis, `cumsum(x, 0)`."""
    if not isinstance(part, Call) or not isinstance(part.callee, Name) or not part.arguments:
        return False
    return called(part)[0] in material.running


def _axis(running: Call) -> Expression:
    along = keyword(running, "dim", "axis")
    given = running.arguments[1:] or ((along.value,) if along else ())
    return given[0] if given else number(0.0)


def _is_flip(part: Expression) -> TypeGuard[Call]:
    if not isinstance(part, Call) or not isinstance(part.callee, Name) or not part.arguments:
        return False
    return called(part)[0] == "flip"
