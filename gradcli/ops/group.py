"""How the table's entries are written: each module has a group, whose methods register functions.

    table = Group("exponential")

    @table.derivative(latex=r"\\ln {0}", domain=(0.3, 3.0))
    def log(y: Node, x: Node) -> Node:
        "Natural logarithm."
        return 1 / x

is all that the language, both modes of differentiation, the engines and the tests need of `log`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from gradcli.graph import Array, Kind, Node, Op, Operand, Shape
from gradcli.ops.elementwise import Derivative, Elementwise, Whole
from gradcli.ops.kinds import Rule, are_floats, lift
from gradcli.ops.table import Case, Function, register

if TYPE_CHECKING:
    from typing import TypedDict, Unpack

    from gradcli.graph import Facts
    from gradcli.ops.table import Told

    class Entry(Facts, Told, total=False):
        """What may be stated of an elementwise function."""

        domain: tuple[float, float]
        """Its examples are drawn from this open interval."""
        smooth: bool
        arrays: float
        """How many of the result's size a `forward` of several calls makes on the way, at most."""

    class Ends(TypedDict):
        """Where a function ends, steeply: entries that share it take it whole."""

        edge: Callable[..., Array]
        domain: tuple[float, float]
        kink: str


FROM_0: Ends = {"edge": lambda xp, x: x, "domain": (0.3, 3.0), "kink": "inf at 0"}
WITHIN_1: Ends = {
    "edge": lambda xp, x: 1 - xp.abs(x),
    "domain": (-0.8, 0.8),
    "kink": "inf at -1 and 1",
}
LETTERED = frozenset(["arccos", "arcsin", "arctan", "cos", "cosh", "sin", "sinh", "tan", "tanh"])
"""Functions for which LaTeX has a command, and which need no parentheses."""


class Group:
    """Functions that are listed together."""

    def __init__(self, name: str) -> None:
        self.name = name

    def function(
        self,
        name: str = "",
        *,
        op: Op | None = None,
        cases: Sequence[Case] = (),
        **told: Unpack[Told],
    ) -> Callable[[Callable[..., Any]], Function]:
        """Register a Python function that checks its arguments and builds nodes.

        Its parameters become those of the language's function, its docstring the documentation,
        its name (without the underscore that keeps it apart from Python's) the name.
        """

        def decorate(build: Callable[..., Any]) -> Function:
            doc = (build.__doc__ or "").strip()
            known_as = name or build.__name__.rstrip("_")
            by_book = told.get("by_book")
            if by_book is not None and not by_book.__annotations__:  # a lambda
                by_book.__annotations__ = build.__annotations__
            return register(
                Function(known_as, build, self.name, doc, op=op, cases=tuple(cases), **told)
            )

        return decorate

    def derivative(
        self, forward: str | Callable[..., Array] = "", **entry: Unpack[Entry]
    ) -> Callable[[Callable[..., Node]], Function]:
        """Register the elementwise function of which a rule `(y, x)` is the local derivative."""

        def decorate(rule: Callable[..., Node]) -> Function:
            code = rule.__code__
            (_, operand) = code.co_varnames[: code.co_argcount]
            name, doc = rule.__name__.rstrip("_"), (rule.__doc__ or "").strip()
            return self.elementwise(name, doc, rule, forward=forward, operands=operand, **entry)

        return decorate

    def elementwise(
        self,
        name: str,
        doc: str,
        derivative: Derivative | tuple[Derivative, ...] = None,
        *,
        forward: str | Callable[..., Array] = "",
        operands: str = "x",
        chain: Rule | tuple[Rule | None, ...] | None = None,
        conditions: int = 0,
        result: Kind | None = None,
        whole: Whole | None = None,
        cases: Sequence[Case] = (),
        **entry: Unpack[Entry],
    ) -> Function:
        """Register an elementwise function of any number of operands.

        `forward` is the name of a NumPy function where it is another one, or a function
        `(xp, *arrays)`. `derivative` gives the local derivative by each operand. Ops that select
        elements give `chain` instead: rules `(change, y, *operands)` that are linear in `change`,
        built with `where`.

        The first `conditions` operands are read as truth values. The others are promoted to a kind
        that the op `takes`, all to the same; the result is of that kind unless `result` gives
        another. `whole` builds a call that holds no floats, where that is another one.

        What is not stated follows from the name: NumPy's function, and where that does it CUDA's
        and PyTorch's; the formula and how LaTeX writes it.
        """
        names = tuple(operands.split())
        facts: dict[str, Any] = {**entry}
        domain, smooth = facts.pop("domain", (-2.0, 2.0)), facts.pop("smooth", True)
        told = {key: facts.pop(key) for key in Function._fields if key in facts}
        ufunc = "" if callable(forward) else forward or name
        places = ", ".join(f"{{{i}}}" for i in range(len(names)))
        if ufunc:
            facts.setdefault("cuda", f"{name}({places})")
            told = {"numpy": f"np.{ufunc}", "torch": f"torch.{name}"} | told
        known_to_latex = rf"\{name} {places}" if name in LETTERED else None
        told.setdefault("latex", known_to_latex or rf"\mathrm{{{{{name}}}}}({places})")
        told.setdefault("formula", _formula(name, names, facts.get("infix", "")))
        op = Elementwise(
            name,
            forward or name,
            derivative if isinstance(derivative, tuple) else (derivative,) * len(names),
            chain if isinstance(chain, tuple) or chain is None else (chain,) * len(names),
            conditions,
            result,
            whole,
            **facts,
        )
        plain = "float" in op.takes and not conditions

        def build(*values: Operand) -> Node:
            if plain and are_floats(values):
                return values[0].graph.apply(op, values)
            nodes = tuple(lift(values))
            if plain and are_floats(nodes):
                return nodes[0].graph.apply(op, nodes)
            return op.on(nodes)

        shown = tuple(cases) or _broadcasting_cases(name, names, domain, smooth)
        return register(
            Function(name, build, self.name, doc, op=op, operands=names, cases=shown, **told)
        )


def _formula(name: str, operands: tuple[str, ...], infix: str) -> str:
    """The call, or the operator with its operands."""
    if not infix:
        return f"{name}({', '.join(operands)})"
    if len(operands) > 1:
        return f" {infix} ".join(operands)
    return f"{infix} {operands[0]}" if infix.isalpha() else f"{infix}{operands[0]}"


def _broadcasting_cases(
    name: str, operands: tuple[str, ...], domain: tuple[float, float], smooth: bool
) -> tuple[Case, ...]:
    """The plain call on equal shapes, single values, and shapes that broadcast."""
    program = f"{name}({', '.join(operands)})"
    shapes: list[dict[str, Shape]] = [dict.fromkeys(operands, (2, 3)), dict.fromkeys(operands, ())]
    if len(operands) > 1:
        shapes += [
            dict(zip(operands, [(2, 1), (3,), (2, 3)], strict=False)),
            dict(zip(operands, [(3,), (2, 1), ()], strict=False)),
        ]
    return tuple(Case(program, shape, domain, smooth) for shape in shapes)
