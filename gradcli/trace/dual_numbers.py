"""`torch.autograd.forward_ad`: tensors with tangents, and what these are of what follows."""

from __future__ import annotations

from collections import namedtuple

from gradcli.diagnostics import RefusedError
from gradcli.differentiate.forward import jvp
from gradcli.graph import Node
from gradcli.ops.control import bind
from gradcli.ops.shapes import show
from gradcli.trace.arguments import bind_names
from gradcli.trace.autograd import Autograd
from gradcli.trace.objects import Recording
from gradcli.trace.special import Special
from gradcli.trace.values import Value


class Unpacked(namedtuple("Unpacked", ("primal", "tangent"))):
    """A dual number's parts."""

    __slots__ = ()
    title = "UnpackedDualTensor"


_MODULE = "torch.autograd.forward_ad"


class DualLevel(Recording):
    """`with dual_level():`, behind which tensors have no tangents."""

    def __init__(self, tangents: dict[Node, Node]) -> None:
        super().__init__(None)
        self._tangents = tangents

    def end(self) -> None:
        self._tangents.clear()


class DualNumbers:
    """The functions by name."""

    def __init__(self, autograd: Autograd) -> None:
        self.values = autograd.values
        self._tangents = autograd.tangents
        self.functions: dict[str, Special] = {
            f"{_MODULE}.dual_level": lambda *_: DualLevel(self._tangents),
            f"{_MODULE}.make_dual": self._make,
            f"{_MODULE}.unpack_dual": self._unpack,
        }
        self.methods: dict[str, Special] = {}

    def _make(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        names = ("tensor", "tangent", "level")
        given = bind_names("make_dual", names, arguments, keywords, names[2:])
        primal, tangent = (self.values.tensor(given[name], name) for name in names[:2])
        if primal.shape != tangent.shape:
            said = (
                "Trying to set a forward gradient that has a different size than that of the "
                "original Tensor, this is not supported. Tensor is of size "
                f"{[*primal.shape]} while the given forward gradient is of size {[*tangent.shape]}."
            )
            told = f"a tangent of {show(tangent.shape)} does not fit {show(primal.shape)}"
            raise RefusedError(("RuntimeError", said), "shape", told)
        dual = bind(primal)
        self._tangents[dual] = tangent
        return dual

    def _unpack(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        given = bind_names("unpack_dual", ("tensor", "level"), arguments, keywords, ("level",))
        node = self.values.tensor(given["tensor"])
        if node in self._tangents:
            return Unpacked(node.inputs[0], self._tangents[node])
        if not self._tangents:
            return Unpacked(node, None)
        (tangent,) = jvp([node], list(self._tangents), list(self._tangents.values()))
        return Unpacked(node, tangent)
