"""Parameters that are computed of others: weights that are normalised, pruned, parametrised."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradcli.diagnostics import GradcliError
from gradcli.graph import Node
from gradcli.ops.control import detach, leaf
from gradcli.trace.items import Items
from gradcli.trace.modules import Module
from gradcli.trace.objects import Object
from gradcli.trace.values import Value


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
        """`compute` gives the value, or what the first of `kind` computes it of; `always`
        computes it each time that it is read, not at each call of the module alone.
        """
        self.module = module
        self.name = name
        self.originals = originals
        self.constants = constants or {}
        self.kind: Any = None
        """What computes it one after another, where these are modules."""
        self._compute = compute
        self.always = always

    def of(self, module: Module, copied: Callable[[Node], Node]) -> ComputedParameter:
        """The same of another module, a copy of this one."""
        originals = {name: copied(node) for name, node in self.originals.items()}
        constants = {name: copied(node) for name, node in self.constants.items()}
        made = ComputedParameter(
            module, self.name, originals, self._compute, constants, self.always
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
        found = yield self._compute(self)
        for each in self.kind or ():
            found = yield each.call(found if isinstance(found, list) else [found], {})
        self.module.store(self.name)[self.name] = self.module.values.tensor(found)

    def assign(self, value: Value) -> Any:
        """Give the originals values by which it has this one: `module.weight = a`."""
        values = self.module.values
        for each in reversed(self.kind):
            inverse = each.special("right_inverse")
            if inverse is None:
                raise GradcliError(
                    "name", f"{self.name} is computed, and {each.title} has no right_inverse",
                    hint="def right_inverse(self, A): what forward computes A of",
                )  # fmt: skip
            value = yield inverse.call([value], {})
        parts = values.elements(value) if isinstance(value, tuple | Items) else [value]
        for name, part in zip(self.originals, parts, strict=True):
            new = leaf(detach(values.tensor(part, name)), marked=True)
            self.module.replace(self.original(name), new)

    def lines(self) -> list[str]:
        """What its module shows of it; nothing where it is not computed by modules."""
        if not isinstance(self.kind, list):
            return []
        found = [f"({self.name}): ParametrizationList("]
        for place, each in enumerate(self.kind):
            first, *rest = each.shown().splitlines()
            found += [f"  ({place}): {first}", *(f"  {line}" for line in rest)]
        return [*found, ")"]

    def read(self) -> Any:
        """It as an attribute of the module."""
        if self.always:
            yield self.renew()
        return self.module.values.now(self.module.store(self.name)[self.name])


class Originals(Object):
    """`module.parametrizations`: by parameter, what it is computed of."""

    what = "the parametrizations of a layer"

    def __init__(self, module: Module) -> None:
        self._module = module

    def lines(self) -> list[str]:
        """What the layer shows of them."""
        found = [line for each in self._module.computed.values() for line in each.lines()]
        return found and ["(parametrizations): ModuleDict(", *(f"  {e}" for e in found), ")"]

    def shown(self) -> str:
        """As PyTorch shows the module that holds them."""
        first, *rest = self.lines() or ["(parametrizations): ModuleDict()"]
        return "\n".join([first.partition(": ")[2], *rest])

    def length(self) -> int:
        return len(self._module.computed)

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

    def shown(self) -> str:
        first, *rest = self._computed.lines() or ["(): ParametrizationList()"]
        return "\n".join([first.partition(": ")[2], *rest])

    def attribute(self, name: str) -> Any:
        path = f"parametrizations.{self._computed.name}.{name}"
        if path not in self._computed.originals:
            raise self.has_no("attribute", name)
        return self._computed.original(path)

    def elements(self) -> Items:
        return Items(list(self._computed.kind or ()))
