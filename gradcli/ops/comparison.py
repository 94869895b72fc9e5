"""Comparisons, logic and tests of elements: results are truth values."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING

from gradcli.graph import Array, Node
from gradcli.ops.group import Group
from gradcli.ops.kinds import ANY, WHOLE
from gradcli.ops.table import Case, Function

if TYPE_CHECKING:
    from typing import Unpack

    from gradcli.ops.group import Entry

table = Group("comparison")


_CELLS = {"==": "=", "!=": "<>"}


def _comparison(
    name: str, ufunc: str, symbol: str, latex: str, doc: str, alias: str = ""
) -> Function:
    return table.elementwise(
        name,
        doc,
        forward=ufunc,
        operands="a b",
        takes_numbers=("b",),
        overloaded=True,
        aliases=(alias or ufunc,),
        takes=ANY,
        result="bool",
        plain=getattr(operator, name),
        infix=symbol,
        cuda=f"{{0}} {symbol} {{1}}",
        latex=f"{{0}} {latex} {{1}}",
        cell=f"IF({{0}}{_CELLS.get(symbol, symbol)}{{1}},1,0)",
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


logical_and = table.elementwise(
    "logical_and",
    "Whether both are nonzero.",
    operands="a b",
    conditions=2,
    result="bool",
    infix="and",
    cuda="{0} && {1}",
    latex=r"{0} \land {1}",
    smooth=False,
    cost=1,
    exact=True,
    cell="IF(AND({0}<>0,{1}<>0),1,0)",
)
logical_or = table.elementwise(
    "logical_or",
    "Whether one of two is nonzero.",
    operands="a b",
    conditions=2,
    result="bool",
    infix="or",
    cuda="{0} || {1}",
    latex=r"{0} \lor {1}",
    smooth=False,
    cost=1,
    exact=True,
    cell="IF(OR({0}<>0,{1}<>0),1,0)",
)
logical_xor = table.elementwise(
    "logical_xor",
    "Whether exactly one of two is nonzero.",
    operands="a b",
    conditions=2,
    result="bool",
    cuda="{0} != {1}",
    latex=r"{0} \oplus {1}",
    smooth=False,
    cell="IF(({0}<>0)<>({1}<>0),1,0)",
)
logical_not = table.elementwise(
    "logical_not",
    "Whether an element is zero.",
    conditions=1,
    result="bool",
    infix="not",
    cuda="!{0}",
    latex=r"\lnot {0}",
    smooth=False,
    cost=1,
    exact=True,
    cell="IF({0}=0,1,0)",
)


def _bitwise(
    name: str,
    doc: str,
    of_truth: Function,
    forward: str = "",
    operands: str = "a b",
    **entry: Unpack[Entry],
) -> Function:
    """Logic on truth values, and on the bits of integers. The CUDA text is for truth values, and so
    are the cells, which are those of `of_truth`.
    """

    def cells(node: Node, *texts: Array) -> Array:
        from gradcli.ops.cells import NotWrittenError, formed  # only sheets ask for it

        assert of_truth.op is not None
        if node.kind != "bool":
            raise NotWrittenError
        return formed(str(of_truth.op.cell), node, texts)

    masks = [f"{each} > 0" for each in operands.split()]
    shapes = dict.fromkeys(operands.split(), (2, 3))
    return table.elementwise(
        name,
        doc,
        forward=forward,
        operands=operands,
        cases=[Case(f"{name}({', '.join(masks)})", shapes, smooth=False)],
        **({"takes": WHOLE, "cell": cells, "takes_numbers": ("a", "b")} | entry),
    )


bitwise_and = _bitwise(
    "bitwise_and",
    "Whether both are true; of integers, the bits that both have.",
    logical_and,
    infix="&",
    cuda="{0} & {1}",
    latex=r"{0} \mathbin{{\&}} {1}",
    overloaded=True,
)
bitwise_or = _bitwise(
    "bitwise_or",
    "Whether one of two is true; of integers, the bits that one has.",
    logical_or,
    infix="|",
    cuda="{0} | {1}",
    latex=r"{0} \mathbin{{|}} {1}",
    overloaded=True,
)
bitwise_xor = _bitwise(
    "bitwise_xor",
    "Whether exactly one of two is true; of integers, the bits that only one has.",
    logical_xor,
    infix="^",
    cuda="{0} != {1}",
    latex=r"{0} \oplus {1}",
    overloaded=True,
)
bitwise_not = _bitwise(
    "bitwise_not",
    "Whether an element is not true; of integers, all bits turned: -x - 1.",
    logical_not,
    "invert",
    operands="x",
    takes_numbers=(),
    infix="~",
    cuda="!{0}",
    latex=r"{{\sim}} {0}",
    aliases=("invert",),
)
isnan = table.elementwise(
    "isnan",
    "Whether an element is not a number.",
    result="bool",
    smooth=False,
    cost=1,
    cell="IF(ISNUMBER({0}),0,1)",
)
isinf = table.elementwise("isinf", "Whether an element is infinite.", result="bool", smooth=False)
isfinite = table.elementwise(
    "isfinite",
    "Whether an element is a finite number.",
    result="bool",
    smooth=False,
    cost=1,
    cell="IF(ISNUMBER({0}),1,0)",
)
