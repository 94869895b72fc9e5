"""Transforms that are classes of the program: `class Planar(Transform)`, with `_call`."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from gradcli.diagnostics import GradcliError
from gradcli.graph import Node
from gradcli.trace.arguments import bind_names
from gradcli.trace.classes import Class, Instance
from gradcli.trace.constraints import REAL
from gradcli.trace.distribution_calls import HOME
from gradcli.trace.frames import Frame
from gradcli.trace.objects import Decorated, Given
from gradcli.trace.special import Special
from gradcli.trace.supports import Support
from gradcli.trace.transformed import Bijection
from gradcli.trace.values import Value, Values


class OwnTransforms:
    """`torch.distributions.transforms.Transform`, from which classes are made."""

    def __init__(self, values: Values, run: Callable[[Any], Value]) -> None:
        """`run` runs what visits a method's body."""
        frame = Frame()
        frame.values |= {
            "bijective": values.graph.constant(False),
            "domain": Support(values, REAL),
            "codomain": Support(values, REAL),
            "sign": values.graph.constant(1.0),
            "__init__": Decorated("__init__", _begin),
            "__call__": Decorated("__call__", _called),
            "inv": Decorated("inv", _inverted),
        }
        self.base = Class(
            "Transform", (), (f"{HOME}.Transform",), frame, partial(Instance, values), run=run
        )

        self.functions: dict[str, Special] = {
            f"{HOME}.{where}Transform.__init__": partial(_begin, "__init__")
            for where in ("", "transforms.")
        }

    def bijection(self, value: Value) -> Value:
        """An object of such a class among the transforms that there are; others as they are."""
        is_own = isinstance(value, Instance) and self.base in value.made_by.order
        return OfProgram(value) if is_own else value  # type: ignore[arg-type]


def _begin(_: str, arguments: list[Any], keywords: Given) -> Value:
    """`super().__init__(cache_size=0)`, which goes on with that of a module."""
    transform, *given = arguments
    found = bind_names("Transform", ("cache_size",), given, keywords, ("cache_size",))
    size = found.get("cache_size")
    if size is not None and transform.values.integer(size, "cache_size"):
        raise GradcliError("value", "a transform of the program has no cache here",
                           hint="cache_size=0")  # fmt: skip
    begin: Callable[[], None] | None = getattr(transform, "begin_as_module", None)
    if begin is not None:
        begin()
    return None


def _called(_: str, arguments: list[Any], keywords: Given) -> Any:
    transform, *given = arguments
    return transform.method("_call")(given, keywords)


def _inverted(_: str, arguments: list[Any], keywords: Given) -> Any:
    transform, *given = arguments
    return transform.method("_inverse")(given, keywords)


class OfProgram(Bijection):
    """Such a transform among others."""

    def __init__(self, made: Instance) -> None:
        super().__init__(made.values)
        self.title = made.made_by.name
        self._made = made
        self.domain, self.codomain = (self._support(name) for name in ("domain", "codomain"))
        self.events = max(self.domain.events, self.codomain.events)

    def _support(self, name: str) -> Any:
        found = self._made.made_by.run(self._made.attribute(name))
        if not isinstance(found, Support):
            raise GradcliError("type", f"{self.title}.{name} is a constraint",
                               hint="constraints.real")  # fmt: skip
        return found.constraint

    def _found(self, name: str, *given: Node) -> Node:
        found = self._made.made_by.run(self._made.method(name)([*given], {}))
        return self.values.tensor(found, f"{self.title}.{name}")

    def forward(self, x: Node) -> Node:
        return self._found("_call", x)

    def backward(self, y: Node) -> Node:
        return self._found("_inverse", y)

    def log_stretch(self, x: Node, y: Node) -> Node:
        return self._found("log_abs_det_jacobian", x, y)

    def sign(self) -> Any:
        return self._made.made_by.run(self._made.attribute("sign"))

    def parameters(self) -> tuple[Any, ...]:
        return (self._made,)
