"""How arrays of NumPy's lie in memory: `a.strides`, `a.flags`, and windows that share elements."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from gradcli.diagnostics import GradcliError
from gradcli.graph import Node
from gradcli.ops import FUNCTIONS, f
from gradcli.ops.control import bind
from gradcli.trace.arguments import bind_names
from gradcli.trace.autograd import Autograd
from gradcli.trace.conversions import BYTES
from gradcli.trace.objects import Given, Object
from gradcli.trace.special import Special
from gradcli.trace.strides import layout, usual
from gradcli.trace.values import Value

_ORDERED = ("flatten", "ravel", "reshape")
_STEADY = {"WRITEABLE": True, "ALIGNED": True, "WRITEBACKIFCOPY": False}


def _element(autograd: Autograd, node: Node) -> int:
    """The bytes of an element."""
    return BYTES.get(autograd.dtype_of(node), 8)


def _steps(autograd: Autograd, node: Node) -> tuple[int, ...]:
    """How far apart neighbours along each axis are, in elements."""
    base, views = autograd.values.lie(node)
    return layout(autograd.values.places(base, views))[1] if views else usual(node.shape)


def strides(autograd: Autograd, node: Node) -> Value:
    """The same in bytes."""
    size = _element(autograd, node)
    return tuple(autograd.values.plain(each * size) for each in _steps(autograd, node))


class Flags(Object):
    """`a.flags`: in which order the elements lie, and whose memory that is."""

    what = "the flags of an array"
    title = "numpy._core.multiarray.flagsobj"

    def __init__(self, autograd: Autograd, node: Node) -> None:
        self._autograd = autograd
        self._node = node

    def _found(self) -> dict[str, bool]:
        node, steps = self._node, _steps(self._autograd, self._node)
        turned = usual(node.shape[::-1])[::-1]
        views = self._autograd.values.storage(node)[1]
        return {
            "C_CONTIGUOUS": _are_steps(node.shape, steps, usual(node.shape)),
            "F_CONTIGUOUS": _are_steps(node.shape, steps, turned),
            "OWNDATA": not views,
            **_STEADY,
        }

    def attribute(self, name: str) -> Any:
        found = self._found()
        if name.upper() in found:
            return self._autograd.graph.constant(found[name.upper()])
        return super().attribute(name)

    def item(self, items: Sequence[Any]) -> Any:
        found = self._found()
        if len(items) == 1 and items[0] in found:
            return self._autograd.graph.constant(found[items[0]])
        raise GradcliError("index", "flags are asked by name", hint="a.flags['C_CONTIGUOUS']")

    def shown(self) -> str:
        return "".join(f"  {name} : {each}\n" for name, each in self._found().items())


def _are_steps(shape: Sequence[int], steps: Sequence[int], wanted: Sequence[int]) -> bool:
    return all(n < 2 or a == b for n, a, b in zip(shape, steps, wanted, strict=True))


class ArrayLayouts:
    """The functions by name."""

    def __init__(self, autograd: Autograd) -> None:
        self._autograd = autograd
        self._values = autograd.values
        module = "np.lib.stride_tricks"
        self.methods: dict[str, Special] = {
            f"array.{name}": partial(self._ordered, name) for name in _ORDERED
        }
        self.functions: dict[str, Special] = {
            f"{module}.sliding_window_view": self._windows,
            f"{module}.as_strided": self._strided,
        }

    def _array(self, node: Node) -> Node:
        self._values.arrays.add(node)
        return node

    def _ordered(self, name: str, arguments: list[Value], keywords: Given) -> Value:
        """`a.reshape(2, 3, order='F')`: columns first, as of the turned array."""
        given, order = dict(keywords), keywords["order"]
        del given["order"]
        node, *lengths = arguments
        node = self._values.tensor(node)
        if order in ("C", "A", "K"):
            columns = False
        elif order == "F":
            columns = True
        else:
            raise GradcliError("value", f"{name}: order is 'C' or 'F'")
        shape: tuple[int, ...] = (-1,)
        if name == "reshape":
            written = given.pop("shape", lengths[0] if len(lengths) == 1 else tuple(lengths))
            shape = self._values.integers(written, "reshape")
        turned = f("permute", node, tuple(reversed(range(node.ndim)))) if columns else node
        found = f("reshape", turned, *(shape[::-1] if columns else shape))
        if columns:
            found = f("permute", found, tuple(reversed(range(found.ndim))))
        return self._array(found if name != "flatten" else bind(found))

    def _windows(self, arguments: list[Value], keywords: Given) -> Value:
        """Windows along axes, whose own axes come last."""
        names = ("x", "window_shape", "axis")
        given = bind_names("sliding_window_view", names, arguments, keywords, names[2:])
        node = self._values.tensor(given["x"], "sliding_window_view")
        lengths = self._values.integers(given["window_shape"], "window_shape")
        axes = range(node.ndim)
        if given.get("axis") is not None:
            axes = self._values.integers(given["axis"], "axis")  # type: ignore[assignment]
        if len(axes) != len(lengths):
            raise GradcliError("value", "sliding_window_view: a length for each axis is needed",
                               hint="axis=0 chooses one")  # fmt: skip
        for axis, length in zip(axes, lengths, strict=True):
            node = FUNCTIONS["unfold"].build(node, axis % node.ndim, length, 1)
        return self._array(node)

    def _strided(self, arguments: list[Value], keywords: Given) -> Value:
        """`as_strided(a, shape, strides)`, with strides in bytes."""
        names = ("x", "shape", "strides")
        given = bind_names("as_strided", names, arguments, keywords)
        node = self._values.tensor(given["x"], "as_strided")
        size = _element(self._autograd, node)
        steps = self._values.integers(given["strides"], "strides")
        if any(each % size for each in steps):
            raise GradcliError("value", f"as_strided: elements are {size} bytes apart")
        shape = self._values.integers(given["shape"], "shape")
        return self._array(FUNCTIONS["as_strided"].build(node, shape, [s // size for s in steps]))
