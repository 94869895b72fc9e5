"""Rounding, and division with a remainder."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from gradcli.diagnostics import GradcliError
from gradcli.graph import Array, Node, Op
from gradcli.ops.group import Group
from gradcli.ops.kinds import NUMBERS, General
from gradcli.ops.table import Case, Function, everywhere, kernel

if TYPE_CHECKING:
    from typing import Unpack

    from gradcli.graph import ArrayNamespace
    from gradcli.ops.group import Entry

table = Group("rounding")

MAX_DECIMALS = 308
"""Powers of ten up to this one are float64."""


def to_integer(xp: ArrayNamespace, x: Array) -> Array:
    """About the distance to the next integer, with a sign that changes at each of them."""
    return xp.sin(math.pi * x) / math.pi


def _rounding(name: str, doc: str, **entry: Unpack[Entry]) -> Function:
    steps: Entry = {
        "takes": NUMBERS,
        "smooth": False,
        "kink": "the derivative is 0 everywhere, at the jumps too",
        "elsewhere": everywhere("0"),
        "edge": to_integer,
    }
    return table.elementwise(name, doc, whole=lambda op, x: x, **(steps | entry))


floor = _rounding(
    "floor",
    "The largest integer that is not above x.",
    latex=r"\lfloor {0} \rfloor",
    cell="INT({0})",
)
ceil = _rounding(
    "ceil",
    "The smallest integer that is not below x.",
    latex=r"\lceil {0} \rceil",
    cell="-INT(-{0})",
)
rint = _rounding(
    "rint",
    "The nearest integer; halves go to the even one.",
    latex=r"\lfloor {0} \rceil",
    edge=lambda xp, x: to_integer(xp, x - 0.5),
    torch="torch.round",
    cell="IF(ABS({0}-TRUNC({0}))=0.5,2*ROUND({0}/2,0),ROUND({0},0))",
)
trunc = _rounding(
    "trunc",
    "x without its fraction.",
    latex=r"\mathrm{{trunc}}( {0} )",
    aliases=("fix",),
    cell="TRUNC({0})",
)


@table.function(
    aliases=("around",),
    cases=[Case("round(x)", smooth=False), Case("round(x, decimals=1)", smooth=False)],
    formula="round(x)",
    kink="the derivative is 0 everywhere, at the jumps too",
    elsewhere=everywhere("0"),
    overloaded=True,
    order="kept",
    demands={"x": kernel("round_cpu")._replace(only_with="decimals")},
    keeps_integers=True,
)
def round_(x: Node, decimals: int = 0) -> Node:
    """The nearest number with `decimals` digits after the point; halves go to the even digit."""
    if decimals == 0:
        return rint(x)
    if abs(decimals) > MAX_DECIMALS:
        raise GradcliError(
            "value",
            f"round: decimals is {decimals}",
            hint=f"it is from -{MAX_DECIMALS} to {MAX_DECIMALS}",
        )
    unit = 10.0 ** abs(decimals)
    return rint(x * unit) / unit if decimals > 0 else rint(x / unit) * unit


@table.function(
    cases=[Case("frac(x)", domain=(0.1, 0.9))],
    formula="x - trunc(x)",
    kink="1 at the jumps",
    elsewhere={"torch": "1"},
    demands={"x": kernel("frac_cpu")},
    order="kept",
)
def frac(x: Node) -> Node:
    """The fraction of x, with the sign of x."""
    return x - trunc(x)


def _check_divisor(xp: ArrayNamespace, divisor: Array) -> Array:
    if not divisor.all():
        raise GradcliError(
            "value",
            "an integer is divided by 0",
            hint="float(…) makes floating-point numbers of integers: they have inf and nan",
        )
    return divisor


DIVISOR = General(
    "divisor",
    infer=lambda divisor: (divisor.shape, "int"),
    forward=_check_divisor,
    refuses=True,
    spell=lambda node, divisor: divisor,
    cell="{0}",
)


def _divided(op: Op, a: Node, b: Node) -> Node:
    """A division of integers, none of them by 0; of no integers, by whatever there is."""
    return a.graph.apply(op, (a, a.graph.apply(DIVISOR, (b,)) if a.size else b))


floor_divide = table.elementwise(
    "floor_divide",
    "Quotient rounded towards minus infinity.",
    operands="a b",
    takes_numbers=("a", "b"),
    torch="",  # its floor_divide has no gradient
    takes=NUMBERS,
    whole=_divided,
    infix="//",
    cuda="{T} rest = fmod({0}, {1}); {T} whole = ({0} - rest) / {1};"
    " if (rest != 0 && ({1} < 0) != (rest < 0)) whole -= 1;"
    " {T} below = floor(whole); {T} found = whole - below > ({T})0.5 ? below + 1 : below;"
    " return {1} != 0 && whole != 0 ? found : {1} == 0 ? {0} / {1} : copysign(({T})0, {0} / {1});",
    latex=r"\left\lfloor \frac{{{0}}}{{{1}}} \right\rfloor",
    formula="floor(a / b)",
    cell="INT({0}/{1})",
    edge=lambda xp, a, b: to_integer(xp, a / b),
    domain=(0.5, 2.0),
    smooth=False,
    kink="the derivative is 0 everywhere, at the jumps too",
    overloaded=True,
)
remainder = table.elementwise(
    "remainder",
    "Remainder of the floored quotient; it has the sign of the divisor, as Python's `%`.",
    (1, lambda y, a, b: -floor_divide(a, b)),
    operands="a b",
    takes_numbers=("a", "b"),
    takes=NUMBERS,
    whole=_divided,
    aliases=("mod",),
    infix="%",
    cuda="{T} rest = fmod({0}, {1});"
    " return {1} == 0 ? rest : rest == 0 ? copysign(({T})0, {1})"
    " : ({1} < 0) != (rest < 0) ? rest + {1} : rest;",
    latex=r"{0} \bmod {1}",
    cell="MOD({0},{1})",
    formula="a - b * floor(a / b)",
    edge=lambda xp, a, b: to_integer(xp, a / b),
    domain=(1.1, 1.9),
    elsewhere={"torch": "1", "jax": "1", "numpy": "1"},
    kink="at a jump the derivative from inside the step",
    unlike={"math.remainder": "x - round(x / y) * y"},
    overloaded=True,
)
fmod = table.elementwise(
    "fmod",
    "Remainder of the truncated quotient; it has the sign of the dividend, as C's `fmod`.",
    (1, lambda y, a, b: -trunc(a / b)),
    operands="a b",
    takes_numbers=("b",),
    takes=NUMBERS,
    whole=_divided,
    formula="a - b * trunc(a / b)",
    cell="{0}-{1}*TRUNC({0}/{1})",
    edge=lambda xp, a, b: to_integer(xp, a / b),
    domain=(1.1, 1.9),
    elsewhere={"torch": "1", "jax": "1"},
    kink="at a jump the derivative from inside the step",
    overloaded=True,
)
