"""Comparisons, logic and tests of elements: results are truth values."""

from __future__ import annotations

from gradcli.ops.elementwise import elementwise
from gradcli.ops.kinds import ANY, WHOLE
from gradcli.ops.table import Case, Function


def _comparison(
    name: str, ufunc: str, symbol: str, latex: str, doc: str, alias: str = ""
) -> Function:
    return elementwise(
        name,
        doc,
        ufunc,
        operands="a b",
        group="comparison",
        aliases=(alias or ufunc,),
        takes=ANY,
        result="bool",
        infix=symbol,
        cuda=f"{{0}} {symbol} {{1}}",
        latex=f"{{0}} {latex} {{1}}",
        formula=f"a {symbol} b",
        edge=lambda xp, a, b: a - b,
        smooth=False,
        cost=1,
        exact=True,
    )


eq = _comparison("eq", "equal", "==", "=", "Whether two elements are equal.", "np.equal")
ne = _comparison("ne", "not_equal", "!=", r"\neq", "Whether two elements differ.")
lt = _comparison("lt", "less", "<", "<", "Whether a is less than b.")
le = _comparison("le", "less_equal", "<=", r"\leq", "Whether a is at most b.")
gt = _comparison("gt", "greater", ">", ">", "Whether a is greater than b.")
ge = _comparison("ge", "greater_equal", ">=", r"\geq", "Whether a is at least b.")


logical_and = elementwise(
    "logical_and",
    "Whether both are nonzero.",
    "logical_and",
    operands="a b",
    group="comparison",
    conditions=2,
    result="bool",
    infix="and",
    cuda="{0} && {1}",
    latex=r"{0} \land {1}",
    formula="a and b",
    smooth=False,
    cost=1,
    exact=True,
)
logical_or = elementwise(
    "logical_or",
    "Whether one of two is nonzero.",
    "logical_or",
    operands="a b",
    group="comparison",
    conditions=2,
    result="bool",
    infix="or",
    cuda="{0} || {1}",
    latex=r"{0} \lor {1}",
    formula="a or b",
    smooth=False,
    cost=1,
    exact=True,
)
logical_xor = elementwise(
    "logical_xor",
    "Whether exactly one of two is nonzero.",
    "logical_xor",
    operands="a b",
    group="comparison",
    conditions=2,
    result="bool",
    cuda="{0} != {1}",
    latex=r"{0} \oplus {1}",
    formula="logical_xor(a, b)",
    smooth=False,
)
logical_not = elementwise(
    "logical_not",
    "Whether an element is zero.",
    "logical_not",
    group="comparison",
    conditions=1,
    result="bool",
    infix="not",
    cuda="!{0}",
    latex=r"\lnot {0}",
    formula="not x",
    smooth=False,
    cost=1,
    exact=True,
)


def _bitwise(
    name: str,
    doc: str,
    ufunc: str,
    infix: str,
    operands: str = "a b",
    cuda: str = "",
    latex: str = "",
    aliases: tuple[str, ...] = (),
) -> Function:
    """Logic on truth values, and on the bits of integers. The text in CUDA is for the former."""
    masks = [f"{each} > 0" for each in operands.split()]
    shapes = dict.fromkeys(operands.split(), (2, 3))
    return elementwise(
        name,
        doc,
        ufunc,
        operands=operands,
        group="comparison",
        aliases=aliases,
        takes=WHOLE,
        infix=infix,
        cuda=cuda,
        latex=latex,
        formula=f"a {infix} b" if infix else f"{name}(a, b)",
        cases=[Case(f"{name}({', '.join(masks)})", shapes, smooth=False)],
        smooth=False,
    )


bitwise_and = _bitwise(
    "bitwise_and",
    "Whether both are true; of integers, the bits that both have.",
    "bitwise_and",
    "&",
    cuda="{0} & {1}",
    latex=r"{0} \mathbin{{\&}} {1}",
)
bitwise_or = _bitwise(
    "bitwise_or",
    "Whether one of two is true; of integers, the bits that one has.",
    "bitwise_or",
    "|",
    cuda="{0} | {1}",
    latex=r"{0} \mathbin{{|}} {1}",
)
bitwise_xor = _bitwise(
    "bitwise_xor",
    "Whether exactly one of two is true; of integers, the bits that only one has.",
    "bitwise_xor",
    "",
    cuda="{0} != {1}",
    latex=r"{0} \oplus {1}",
)
bitwise_not = _bitwise(
    "bitwise_not",
    "Whether an element is not true; of integers, all bits turned: -x - 1.",
    "invert",
    "~",
    operands="x",
    cuda="!{0}",
    latex=r"{{\sim}} {0}",
    aliases=("invert",),
)
isnan = elementwise(
    "isnan",
    "Whether an element is not a number.",
    "isnan",
    group="comparison",
    result="bool",
    cuda="isnan({0})",
    latex=r"\mathrm{{isnan}}({0})",
    formula="isnan(x)",
    smooth=False,
    cost=1,
)
isinf = elementwise(
    "isinf",
    "Whether an element is infinite.",
    "isinf",
    group="comparison",
    result="bool",
    cuda="isinf({0})",
    latex=r"\mathrm{{isinf}}({0})",
    formula="isinf(x)",
    smooth=False,
)
isfinite = elementwise(
    "isfinite",
    "Whether an element is a finite number.",
    "isfinite",
    group="comparison",
    result="bool",
    cuda="isfinite({0})",
    latex=r"\mathrm{{isfinite}}({0})",
    formula="isfinite(x)",
    smooth=False,
    cost=1,
)
