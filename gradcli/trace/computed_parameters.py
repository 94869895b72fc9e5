"""Parameters that are computed of others: weights that are normalised, pruned, parametrised."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradcli.graph import Node
from gradcli.trace.items import Items
from gradcli.trace.modules import Module
from gradcli.trace.objects import Object


class ComputedParameter:
    """What a module has in the place of a parameter: that is computed of `originals`, which are
    its parameters in that one's stead, and of `constants`, which are buffers.
    """

    def __init__(
        self,
        module: Module,
        name: str,
        originals: dict[str, Node],
        compute: Callable[[ComputedParameter], Any],
        constants: dict[str, Node] | None = None,
        always: bool = False,
    ) -> None:
        """`compute` gives the value, or the visitor that finds it; `always` computes it each time
        that it is read, not at each call of the module alone.
        """
        self.module = module
        self.name = name
        self.originals = originals
        self.constants = constants or {}
        self.kind: Any = None
        """What computes it, for those who look for one of that kind."""
        self._compute = compute
        self._always = always

    def of(self, module: Module, copied: Callable[[Node], Node]) -> ComputedParameter:
        """The same of another module, a copy of this one."""
        originals = {name: copied(node) for name, node in self.originals.items()}
        constants = {name: copied(node) for name, node in self.constants.items()}
        made = ComputedParameter(
            module, self.name, originals, self._compute, constants, self._always
        )
        made.kind = self.kind
        module.parametrizations = Originals(module)
        return made

    def original(self, name: str) -> Node:
        """An original or a constant as it is now."""
        found = self.originals | self.constants
        return self.module.values.current(found[name])

    def renew(self) -> Any:
        """Compute it, and let the module have it."""
        known = self.module.values.computed_once
        if known is not None and self in known:
            return
        if known is not None:
            known.add(self)
        self.module.store()[self.name] = yield self._compute(self)

    def read(self) -> Any:
        """It as an attribute of the module."""
        if self._always:
            yield self.renew()
        return self.module.values.now(self.module.store()[self.name])


class Originals(Object):
    """`module.parametrizations`: by parameter, what it is computed of."""

    what = "the parametrizations of a layer"

    def __init__(self, module: Module) -> None:
        self._module = module

    def attribute(self, name: str) -> Any:
        if name not in self._module.computed:
            raise self.has_no("attribute", name)
        return _OriginalsOf(self._module.computed[name])

    def item(self, items: Any) -> Any:
        return self.attribute(str(items[0]))

    def contains(self, value: Any) -> bool:
        return value in self._module.computed


class _OriginalsOf(Object):
    what = "the parametrizations of a parameter"

    def __init__(self, computed: ComputedParameter) -> None:
        self._computed = computed

    def attribute(self, name: str) -> Any:
        path = f"parametrizations.{self._computed.name}.{name}"
        if path not in self._computed.originals:
            raise self.has_no("attribute", name)
        return self._computed.original(path)

    def elements(self) -> Items:
        return Items(list(self._computed.kind or ()))
