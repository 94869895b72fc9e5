"""Class indices: checked when their values are known, not before."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gradcli.diagnostics import GradcliError
from gradcli.graph import Array, Node
from gradcli.language.construct import call, compare, number
from gradcli.language.syntax import Expression
from gradcli.ops.kinds import General, cast
from gradcli.ops.shapes import show

if TYPE_CHECKING:
    from gradcli.graph import ArrayNamespace


def _classes(xp: ArrayNamespace, x: Array, what: str, count: int, ignored: int | None) -> Array:
    indices = xp.asarray(x).astype(int)
    fractional = indices != x
    wrong = (indices < 0) | (indices >= count)
    if ignored is not None:
        wrong &= indices != ignored
    if fractional.any():
        raise GradcliError(
            "type", f"{what} must hold integers, not {float(x[fractional].flat[0]):g}"
        )
    if wrong.any():
        raise GradcliError(
            "index",
            f"{what} {show(x.shape)} holds {int(indices[wrong].flat[0])}, which is out of range "
            f"for {count} class{'' if count == 1 else 'es'}",
            hint=f"classes are from 0 to {count - 1}" if count else None,
        )
    return xp.where(wrong | (indices == ignored), 0, indices)


def _spelled(node: Node, x: Expression) -> Expression:
    """The labels themselves, 0 where they are left out."""
    _, _, ignored = node.attributes
    if ignored is None:
        return x
    return call("where", compare("!=", x, number(ignored)), x, number(0.0))


CLASSES = General(
    "classes",
    infer=lambda x, what, count, ignored: (x.shape, "int"),
    forward=_classes,
    refuses=True,
    spell=_spelled,
)


def classes(x: Node, what: str, count: int, ignored: int | None = None) -> Node:
    """x as integers from 0 to `count` - 1; 0 where x is `ignored`. Raises `index` and `type`."""
    return x.graph.apply(CLASSES, (x,), (what, count, ignored))


def _one_hot(xp: ArrayNamespace, x: Array, count: int) -> Array:
    checked = _classes(xp, x, "one_hot: input", count, None)
    return (checked[..., None] == xp.arange(count)).astype(int)  # type: ignore[no-any-return]


ONE_HOT = General(
    "one_hot",
    infer=lambda x, count: ((*x.shape, count), "int"),
    forward=_one_hot,
    refuses=True,
    spell=lambda node, x: call("one_hot", x, number(node.attributes[0])),
)
"""`one_hot` of indices that are not known yet: those of textbook forms."""


def one_hot_of(x: Node, count: int) -> Node:
    """A node of `ONE_HOT`, as floats."""
    return cast(x.graph.apply(ONE_HOT, (cast(x, "int"),), (count,)), "float")
