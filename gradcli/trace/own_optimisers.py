"""Optimisers that are classes of the program: `class Own(torch.optim.Optimizer)`, `…(SGD)`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import itemgetter
from typing import Any

from gradcli.diagnostics import GradcliError
from gradcli.graph import Node
from gradcli.trace.arguments import bind_names
from gradcli.trace.autograd import Autograd
from gradcli.trace.classes import Class, Instance
from gradcli.trace.dictionaries import Dictionary
from gradcli.trace.items import Items
from gradcli.trace.modules import Method
from gradcli.trace.objects import Given
from gradcli.trace.optimiser_states import check_alike, in_field
from gradcli.trace.optimisers import Optimiser
from gradcli.trace.printing import LINE
from gradcli.trace.rated import Rated, StepHooks, clear_grads
from gradcli.trace.values import Value


class States(Dictionary):
    """What is remembered of each parameter: a dictionary, which is empty at first."""

    def item(self, items: Any) -> Any:
        (key,) = items
        first = self.values.first.get(key, key)
        if not super().contains(first):
            self.put(first, Dictionary(self.values))
        return super().item([first])

    def contains(self, value: Any) -> bool:
        return super().contains(self.values.first.get(value, value))


class OwnOptimiser(Rated, Instance):
    """An object of such a class."""

    def __init__(self, autograd: Autograd, made_by: Class) -> None:
        super().__init__(autograd.values, made_by)
        self.autograd = autograd
        self.hooks = StepHooks([], [])
        self.fields |= {"param_groups": Items([]), "state": States(self.values)}

    @property
    def groups(self) -> Sequence[Dictionary]:  # type: ignore[override]
        """What `param_groups` is bound to now."""
        found = self.values.elements(self.fields["param_groups"])
        return [each for each in found if isinstance(each, Dictionary)]

    def methods(self) -> dict[str, Method]:
        return {
            "__init__": self.begin,
            "zero_grad": self._zero_grad,
            "add_param_group": self._add_group,
            "state_dict": self._state_dict,
            "load_state_dict": self._load,
            **self.registering(),
        }

    def method(self, name: str) -> Method:
        is_own = name in self.fields or self.made_by.found(name) is not None
        if not is_own and name in self.methods():
            return self.methods()[name]
        found = super().method(name)
        return self.hooked(found) if name == "step" else found

    def parts(self, quoted: bool) -> list[tuple[Any, bool]] | None:
        """As PyTorch prints it: the options of each group by name."""
        if self.made_by.found("__repr__") is not None:
            return super().parts(quoted)
        groups = self.fields["param_groups"]
        assert isinstance(groups, Items)
        found: list[tuple[Any, bool]] = [(f"{self.made_by.name} (", False)]
        for place, group in enumerate(groups):
            found.append((f"{LINE * (2 if place else 1)}Parameter Group {place}", False))
            options = {str(key): value for key, value in group.pairs() if key != "params"}
            for key, value in sorted(options.items(), key=itemgetter(0)):
                found += [(f"{LINE}    {key}: ", False), (in_field(self.values, value), False)]
        return [*found, (f"{LINE})", False)]

    def begin(self, arguments: list[Value], keywords: Given) -> Value:
        """`super().__init__(params, defaults)`."""
        given = bind_names("Optimizer", ("params", "defaults"), arguments, keywords)
        defaults = given["defaults"]
        if not isinstance(defaults, Dictionary):
            raise GradcliError("type", "defaults are a dictionary", hint="dict(lr=lr)")
        self.fields["defaults"] = defaults
        params = self.values.elements(given["params"])
        if not params or not isinstance(params[0], Dictionary):
            params = [Dictionary(self.values, [("params", Items(params))])]
        for group in params:
            self._add_group([group], {})
        return None

    def _add_group(self, arguments: list[Value], keywords: Given) -> Value:
        (group,) = bind_names("add_param_group", ("param_group",), arguments, keywords).values()
        defaults, groups = self.fields["defaults"], self.fields["param_groups"]
        if not isinstance(group, Dictionary) or not group.contains("params"):
            raise GradcliError("type", "a group is a dictionary with params", hint="{'params': …}")
        assert isinstance(defaults, Dictionary)
        assert isinstance(groups, Items)
        held = group.item(["params"])
        nodes = [held] if isinstance(held, Node) else self.values.elements(held)
        pairs = dict(group.pairs()) | {"params": Items(nodes)}
        pairs |= {key: value for key, value in defaults.pairs() if key not in pairs}
        groups.append(Dictionary(self.values, list(pairs.items())))
        return None

    def _state_dict(self, arguments: list[Value], keywords: Given) -> Value:
        """What is remembered, and the groups, with numbers in place of parameters."""
        bind_names("state_dict", (), arguments, keywords)
        numbers = {node: place for place, node in enumerate(self._all_parameters())}
        groups = Items([])
        for group in self.groups:
            own = [self.values.plain(numbers[node]) for node in self.parameters(group)]
            pairs = [pair for pair in group.pairs() if pair[0] != "params"]
            groups.append(Dictionary(self.values, [*pairs, ("params", Items(own))]))
        remembered = self.fields["state"]
        assert isinstance(remembered, Dictionary)
        current = {key: self.values.current(key) if isinstance(key, Node) else key
                   for key, _ in remembered.pairs()}  # fmt: skip
        state = [
            (self.values.plain(numbers[node]) if node in numbers else node, entry)
            for node, entry in ((current[key], entry) for key, entry in remembered.pairs())
        ]
        return Dictionary(
            self.values, [("state", Dictionary(self.values, state)), ("param_groups", groups)]
        )

    def _load(self, arguments: list[Value], keywords: Given) -> Value:
        """Go on with what `state_dict` gave, in dictionaries of its own."""
        (given,) = bind_names("load_state_dict", ("state_dict",), arguments, keywords).values()
        known = isinstance(given, Dictionary) and given.contains("state")
        if not isinstance(given, Dictionary) or not known or not given.contains("param_groups"):
            raise GradcliError("type", "load_state_dict takes what state_dict() gave")
        saved = [e for e in self.values.elements(given.item(["param_groups"]))
                 if isinstance(e, Dictionary)]  # fmt: skip
        check_alike(self.values, self.groups, saved)
        groups = Items([])
        for group, other in zip(self.groups, saved, strict=True):
            pairs = [pair for pair in other.pairs() if pair[0] != "params"]
            pairs.append(("params", group.item(["params"])))
            groups.append(Dictionary(self.values, pairs))
        state, remembered = States(self.values), given.item(["state"])
        nodes = dict(enumerate(self._all_parameters()))
        for key, entry in remembered.pairs() if isinstance(remembered, Dictionary) else ():
            own = nodes[self.values.integer(key, "a parameter's number")] if isinstance(
                key, Node) and not key.shape else key  # fmt: skip
            own = self.values.first.get(own, own) if isinstance(own, Node) else own
            copied = Dictionary(self.values, entry.pairs()) if isinstance(
                entry, Dictionary) else entry  # fmt: skip
            state.put(own, copied)
        self.fields |= {"param_groups": groups, "state": state}
        defaults = self.fields["defaults"]
        if isinstance(defaults, Dictionary) and not defaults.contains("differentiable"):
            defaults.put("differentiable", self.values.graph.constant(False))
        return None

    def _all_parameters(self) -> list[Node]:
        return [node for group in self.groups for node in self.parameters(group)]

    def _zero_grad(self, arguments: list[Value], keywords: Given) -> Value:
        for group in self.values.elements(self.fields["param_groups"]):
            assert isinstance(group, Dictionary)
            nodes = self.values.elements(group.item(["params"]))
            clear_grads(self.autograd, nodes, arguments, keywords)
        return None


class DerivedOptimiser(Rated, Instance):
    """An object of a class that is made from one of PyTorch's optimisers, which does what the
    class does not say itself.
    """

    family = "Optimizer"

    def __init__(
        self, autograd: Autograd, made_by: Class, make: Callable[[list[Value], Given], Any]
    ) -> None:
        """`make` makes PyTorch's optimiser of the arguments of `super().__init__`."""
        super().__init__(autograd.values, made_by)
        self._make = make
        self._base: Optimiser | None = None
        self.hooks = StepHooks([], [])

    @property
    def base(self) -> Optimiser:
        """PyTorch's optimiser. Raises `type` before it was made."""
        if self._base is None:
            raise GradcliError("type", f"{self.described} was not set up",
                               hint="super().__init__(…) stands first in its __init__")  # fmt: skip
        return self._base

    @property
    def groups(self) -> Sequence[Dictionary]:  # type: ignore[override]
        return self.base.groups

    def begin(self, arguments: list[Value], keywords: Given) -> Any:
        """`super().__init__(…)`, or the class itself where that has no `__init__`."""
        made = yield self._make(arguments, keywords)
        assert isinstance(made, Optimiser)
        made.title = self.made_by.name
        self._base = made

    def methods(self) -> dict[str, Method]:
        own = {"__init__": self.begin, **self.registering()}
        return own if self._base is None else self._base.methods() | own

    def method(self, name: str) -> Method:
        is_own = name in self.fields or self.made_by.found(name) is not None
        found = super().method(name) if is_own or name not in (m := self.methods()) else m[name]
        return self.hooked(found) if name == "step" else found

    def attribute(self, name: str) -> Any:
        is_own = name in self.fields or self.made_by.found(name) is not None
        if not is_own and name in ("param_groups", "state", "defaults"):
            return self.base.attribute(name)
        return super().attribute(name)

    def parts(self, quoted: bool) -> list[tuple[Any, bool]] | None:
        if self.made_by.found("__repr__") is not None:
            return super().parts(quoted)
        return [(self.base.shown(), False)]
