"""Layers of PyTorch's that are made of parameters and other layers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradcli.graph import Node
from gradcli.trace.autograd import Autograd
from gradcli.trace.modules import Module, Replace
from gradcli.trace.objects import Given
from gradcli.trace.values import Value


class Composite(Module):
    """A layer of PyTorch's that is made of parameters and other layers."""

    def __init__(
        self,
        autograd: Autograd,
        title: str,
        replace: Replace,
        fields: dict[str, Any],
        compute: Callable[[Composite, list[Value], Given], Any],
    ) -> None:
        super().__init__(autograd, title, replace)
        self.fields = fields
        self.settings: dict[str, Any] = {}
        """What it was made with, by name: numbers may be Python's."""
        self._deleted: set[str] = set()
        """What may be set again, as another kind of value."""
        self._compute = compute

    def own(self) -> dict[str, Node]:
        found: dict[str, Node] = {}
        for name, value in self.fields.items():
            found |= self.parts_of(name, self.values.now(value))
        return found

    def store(self, name: str) -> dict[str, Any]:
        return self.fields

    def inside(self) -> dict[str, Module]:
        return {name: each for name, each in self.fields.items() if isinstance(each, Module)}

    def forward(self, arguments: list[Value], keywords: Given) -> Any:
        return self._compute(self, arguments, keywords)

    def attribute(self, name: str) -> Value:
        if name in self.fields:
            return self.values.now(self.fields[name])
        if name in self.settings:
            return self.values.setting(self.settings[name])
        return super().attribute(name)

    def set(self, name: str, value: Value) -> None:
        if name not in self.fields and name not in self._deleted:
            super().set(name, value)
        else:
            self.fields[name] = value

    def delete(self, name: str) -> None:
        if name not in self.fields:
            raise self.has_no("attribute", name)
        del self.fields[name]
        self._deleted.add(name)
