"""Layers that are classes of the program, made from PyTorch's: `class Block(nn.Sequential)`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from gradcli.diagnostics import GradcliError
from gradcli.graph import Node
from gradcli.trace.autograd import Autograd
from gradcli.trace.classes import Class, Instance
from gradcli.trace.layer import Layer
from gradcli.trace.modules import Method, Module, Replace
from gradcli.trace.objects import Given, Object
from gradcli.trace.own_modules import Model
from gradcli.trace.values import Value


class OwnLayer(Model):
    """An object of such a class: what it does not say itself, PyTorch's layer says."""

    def __init__(
        self,
        autograd: Autograd,
        made_by: Class,
        replace: Replace,
        make: Callable[[list[Value], Given], Any],
    ) -> None:
        """`make` makes PyTorch's layer of the arguments of `super().__init__`."""
        self._layer: Module | None = None
        super().__init__(autograd, made_by, replace)
        self._make = make
        self._is_beginning = False

    @property
    def base(self) -> Module:
        """PyTorch's layer. Raises `type` before it was made."""
        if self._layer is None:
            raise GradcliError(
                "type",
                f"{self.described} was not set up",
                hint="super().__init__(…) stands first in its __init__",
            )
        return self._layer

    def begin(self, arguments: list[Value], keywords: Given) -> Any:
        """`super().__init__(…)`, or the class itself where that has no `__init__`."""
        if self._is_beginning:  # asked for by a class behind the layer
            self.begin_as_module()
            return
        self._is_beginning = True
        behind = self.made_by.behind_layer("__init__")
        if isinstance(behind, Object):
            yield behind.call([self], {})
        made = yield self._make(arguments, keywords)
        assert isinstance(made, Module)
        self._layer = made
        self._is_beginning = False
        self.begin_as_module()
        reset = self.special("reset_parameters")
        if reset is not None and "reset_parameters" in made.methods():  # PyTorch's layers call it
            yield reset.call([], {})

    # --- as a module: its own parts, and those of the layer ---

    @property
    def training(self) -> bool:
        return self._is_training

    @training.setter
    def training(self, value: bool) -> None:
        self._is_training = value
        if self._layer is not None:
            self._layer.training = value

    def own(self) -> dict[str, Node]:
        return self.base.own() | super().own()

    def store(self, name: str) -> dict[str, Any]:
        is_own = name in self.fields or not (self.base.own() or self.base.buffers())
        return self.fields if is_own else self.base.store(name)

    def buffers(self) -> dict[str, Node]:
        return self.base.buffers() | super().buffers()

    def inside(self) -> dict[str, Module]:
        return self.base.inside() | super().inside()

    def forward(self, arguments: list[Value], keywords: Given) -> Any:
        if self.special("forward") is None and "forward" not in self.fields:
            return self.base.forward(arguments, keywords)
        return super().forward(arguments, keywords)

    def details(self) -> str:
        return super().details() or self.base.details()

    def lines(self) -> list[str]:
        return self.base.lines()

    def labelled(self, inside: list[tuple[str, list[str]]]) -> list[tuple[str, list[str]]]:
        return self.base.labelled(inside)

    # --- as an object ---

    def attribute(self, name: str) -> Any:
        is_own = name in self.fields or self.made_by.found(name) is not None
        if is_own or name in ("training", "_modules", "__class__", "__dict__"):
            return super().attribute(name)
        return self.base.attribute(name)

    def set(self, name: str, value: Value) -> Any:
        if self._layer is not None and name in self._layer.own():
            return self._layer.set(name, value)
        if isinstance(self._layer, Layer) and self._layer.has_setting(name):
            self._layer.set(name, value)
        return super().set(name, value)

    def methods(self) -> dict[str, Method]:
        own = super().methods() | {
            "__init__": self.begin,
            "extra_repr": lambda *_: self.base.details(),
        }
        if self._layer is None:
            return own
        more = {name: each for name, each in self._layer.methods().items() if name not in own}
        return own | more | {"forward": self._layer.forward}

    def elements(self) -> Any:
        if self.special("__iter__") or self.special("__getitem__"):
            return Instance.elements(self)
        return self.base.elements()

    def length(self) -> int:
        return Instance.length(self) if self.special("__len__") else self.base.length()

    def item(self, items: Sequence[Any]) -> Any:
        return Instance.item(self, items) if self.special("__getitem__") else self.base.item(items)

    def set_item(self, items: Sequence[Any], value: Any) -> Any:
        if self.special("__setitem__"):
            return Instance.set_item(self, items, value)
        return self.base.set_item(items, value)
