"""Rounding, and division with a remainder."""

from __future__ import annotations

from gradcli.ops.table import elementwise

for _name, _doc, _open, _close in (
    ("floor", "The largest integer that is not above x.", r"\lfloor", r"\rfloor"),
    ("ceil", "The smallest integer that is not below x.", r"\lceil", r"\rceil"),
    ("round", "The nearest integer; halves go to the even one.", r"\lfloor", r"\rceil"),
    ("trunc", "x without its fraction.", r"\mathrm{{trunc}}(", ")"),
):
    elementwise(
        _name,
        _doc,
        "rint" if _name == "round" else _name,
        aliases=("fix",) if _name == "trunc" else (),
        cuda="rint({0})" if _name == "round" else f"{_name}({{0}})",
        latex=f"{_open} {{0}} {_close}",
        formula=f"{_name}(x)",
        smooth=False,
        kink="the derivative is 0 everywhere, at the jumps too",
    )
floor_divide = elementwise(
    "floor_divide",
    "Quotient rounded towards minus infinity.",
    "floor_divide",
    operands="a b",
    group="arithmetic",
    infix="//",
    cuda="floor({0} / {1})",
    latex=r"\left\lfloor \frac{{{0}}}{{{1}}} \right\rfloor",
    formula="floor(a / b)",
    domain=(0.5, 2.0),
    smooth=False,
    kink="the derivative is 0 everywhere, at the jumps too",
)
remainder = elementwise(
    "remainder",
    "Remainder of the floored quotient; it has the sign of the divisor, as Python's `%`.",
    "remainder",
    (1, lambda y, a, b: -floor_divide(a, b)),
    operands="a b",
    group="arithmetic",
    aliases=("mod",),
    infix="%",
    cuda="{0} - {1} * floor({0} / {1})",
    latex=r"{0} \bmod {1}",
    formula="a - b*floor(a / b)",
    domain=(1.1, 1.9),
    kink="at a jump the derivative from inside the step",
)
