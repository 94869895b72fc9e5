"""What an optimiser remembers, as a dictionary and back."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Protocol, TypeAlias

from gradcli.diagnostics import GradcliError
from gradcli.graph import DECIMAL, Node
from gradcli.ops.control import bind
from gradcli.ops.loops import Unlike
from gradcli.trace.dictionaries import DefaultDictionary, Dictionary, Key
from gradcli.trace.items import Items
from gradcli.trace.objects import BuiltIn, Given
from gradcli.trace.printing import as_single
from gradcli.trace.values import Value, Values

Place: TypeAlias = tuple[int, int]
"""The place of a group, and that of a parameter in it."""


class RememberingOptimiser(Protocol):
    """What remembers something of its parameters."""

    groups: list[Dictionary]
    states: dict[Place, dict[str, Node]]
    steps: dict[Place, int]
    partners: dict[Place, set[tuple[Any, Place]]]
    held: dict[Place, dict[str, Node]]

    @property
    def counts_steps(self) -> bool:
        """Whether the count of its steps is part of what it remembers."""

    def parameters(self, group: Dictionary) -> list[Node]:
        """The parameters of a group as they are now."""


class StateOfParameter(Dictionary):
    """What an optimiser remembers of a parameter, which changes with its steps."""

    def __init__(self, values: Values, optimiser: RememberingOptimiser, place: Place) -> None:
        self.values, self.optimiser, self.place = values, optimiser, place

    def __copy__(self) -> Dictionary:
        return Dictionary(self.values, self.pairs())

    @property
    def _entries(self) -> dict[Key, tuple[Value, Value]]:  # type: ignore[override]
        """As it is now; the count of steps is the first of it."""
        optimiser, place = self.optimiser, self.place
        counts = optimiser.counts_steps and place in optimiser.steps
        count = (
            {"step": self.values.graph.constant(float(optimiser.steps[place]))} if counts else {}
        )
        now = {**count, **optimiser.states.get(place, {})}
        return {name: (name, self._given(name, node)) for name, node in now.items()}

    def _given(self, name: str, node: Node) -> Node:
        """A tensor of the state, which the program may hold: steps change it from now on."""
        held = self.optimiser.held.setdefault(self.place, {})
        if name not in held:
            if self.values.any_pass is not None:
                raise Unlike("the program may hold what an optimiser remembers")
            now = self.values.current(node)
            held[name] = self.values.own(now) if name == "step" else bind(now)
            self.values.copies.add(held[name])
        return self.values.current(held[name])

    def put(self, key: Value, value: Value) -> None:
        node = self.values.tensor(value, f"the state {key}")
        if key == "step":
            self.optimiser.steps[self.place] = self.values.integer(node, "step")
        else:
            self.optimiser.states.setdefault(self.place, {})[str(key)] = node
        self._let_go([str(key)])
        tell_partners(self.optimiser, self.place)

    def become(self, pairs: Iterable[tuple[Value, Value]]) -> None:
        for key, value in pairs:
            self.put(key, value)

    def methods(self) -> dict[str, Callable[[list[Value], Given], Value]]:
        return super().methods() | {"clear": lambda *_: self._forget()}

    def _let_go(self, names: Iterable[str]) -> None:
        """Have no step change what the program holds by these names."""
        held = self.optimiser.held.get(self.place, {})
        for name in [*names]:
            held.pop(name, None)

    def _forget(self) -> None:
        self.optimiser.held.pop(self.place, None)
        self.optimiser.states.pop(self.place, None)
        self.optimiser.steps.pop(self.place, None)

    def _pop(self, arguments: list[Value], keywords: Given) -> Value:
        value = super()._pop(arguments, keywords)
        name = str([*arguments, *keywords.values()][0])
        self.optimiser.states.get(self.place, {}).pop(name, None)
        self._let_go([name])
        return value


def state_of(values: Values, optimiser: RememberingOptimiser) -> Dictionary:
    """What is remembered, and the groups, with numbers in place of parameters."""
    constant = values.graph.constant
    groups = []
    places = _places(values, optimiser.groups)
    for place, group in enumerate(optimiser.groups):
        copied = Dictionary(values, [pair for pair in group.pairs() if pair[0] != "params"])
        own = [number for number, key in enumerate(places) if key[0] == place]
        copied.put("params", Items([constant(float(number)) for number in own]))
        groups.append(copied)
    state = Dictionary(values)
    for number, key in enumerate(places):
        if _is_begun(optimiser, key):
            state.put(constant(float(number)), StateOfParameter(values, optimiser, key))
    return Dictionary(values, [("state", state), ("param_groups", Items(groups))])


def state_by_parameter(values: Values, optimiser: RememberingOptimiser) -> Dictionary:
    """`optimizer.state`: what is remembered, by parameter."""
    state = DefaultDictionary(values, BuiltIn("dict", lambda *_: Dictionary(values)))
    for place, group in enumerate(map(optimiser.parameters, optimiser.groups)):
        for position, node in enumerate(group):
            key = place, position
            if _is_begun(optimiser, key):
                state.put(node, StateOfParameter(values, optimiser, key))
    return state


def _is_begun(optimiser: RememberingOptimiser, place: Place) -> bool:
    """Whether something is remembered of a parameter."""
    states = optimiser.states
    return bool(states.get(place) or (place in states and optimiser.counts_steps))


def load_state(values: Values, optimiser: RememberingOptimiser, state: Value) -> None:
    """Remember what `state_of` gave; tensors that another optimiser goes on with are one for both.
    Raises `type`.
    """
    parameter_groups = optimiser.groups
    known = isinstance(state, Dictionary) and state.contains("state")
    if not isinstance(state, Dictionary) or not known or not state.contains("param_groups"):
        raise GradcliError("type", "load_state_dict takes what state_dict() gave")
    found = values.elements(state.item(["param_groups"]))
    saved = [each for each in found if isinstance(each, Dictionary)]
    check_alike(values, parameter_groups, saved)
    for group, other in zip(parameter_groups, saved, strict=True):
        for key, value in other.pairs():
            if key != "params":
                group.put(key, value)
    remembered = state.item(["state"])
    for number, place in enumerate(_places(values, parameter_groups)):
        index = values.graph.constant(float(number))
        if not isinstance(remembered, Dictionary) or not remembered.contains(index):
            continue
        entry = remembered.item([index])
        pairs = dict(entry.pairs()) if isinstance(entry, Dictionary) else {}
        count = pairs.pop("step", None)
        optimiser.steps[place] = 1 if count is None else values.integer(count, "step")
        remembers = {str(name): values.tensor(value) for name, value in pairs.items()}
        optimiser.states[place] = remembers
        optimiser.held.pop(place, None)
        _join(optimiser, place, entry if isinstance(entry, StateOfParameter) else None)


def check_alike(values: Values, groups: Sequence[Dictionary], saved: Sequence[Dictionary]) -> None:
    """Raise `value` where saved groups are not as many, with as many parameters."""
    counts = [len(values.elements(group.item(["params"]))) for group in (*groups, *saved)]
    if len(saved) != len(groups):
        raise GradcliError("value", "loaded state dict has a different number of parameter groups",
                           hint="it has as many as the optimiser")  # fmt: skip
    if counts[: len(saved)] != counts[len(saved) :]:
        raise GradcliError(
            "value", "loaded state dict contains a parameter group that doesn't match the size of "
            "optimizer's group", hint="it has as many groups, with as many parameters",
        )  # fmt: skip


def _join(optimiser: RememberingOptimiser, place: Place, state: StateOfParameter | None) -> None:
    """Remember in the tensors of another optimiser's state from now on, or in own ones."""
    if state is not None and (state.optimiser, state.place) == (optimiser, place):
        return
    optimiser.partners.pop(place, set()).discard((optimiser, place))
    if state is not None:
        first = state.optimiser, state.place
        together = state.optimiser.partners.setdefault(state.place, {first})
        together.add((optimiser, place))
        optimiser.held[place] = state.optimiser.held.setdefault(state.place, {})
        optimiser.partners[place] = together


def tell_partners(optimiser: RememberingOptimiser, place: Place) -> None:
    """Have what is remembered of a parameter known to those that remember in its tensors."""
    for other, key in optimiser.partners.get(place, ()):
        if other is not optimiser:
            other.states[key] = {**optimiser.states.get(place, {})}
            other.steps[key] = optimiser.steps.get(place, 0)


def _places(values: Values, groups: Sequence[Dictionary]) -> list[Place]:
    """The group of each parameter, and its place in that."""
    return [
        (place, i)
        for place, group in enumerate(groups)
        for i in range(len(values.elements(group.item(["params"]))))
    ]


def in_field(values: Values, value: Value) -> Value:
    """What a field of an f-string has of a value: the number of a tensor of one element."""
    if not isinstance(value, Node) or value.shape or values.plain_kind(value):
        return value
    number = values.evaluator.value(value).item()
    return str(as_single(number) if values.is_single(value) else number)


def shown_options(
    values: Values, options: Mapping[str, Any], group: Dictionary
) -> list[tuple[str, str]]:
    """The options of a group by name, as PyTorch prints them."""
    shown = {}
    for key, value in group.pairs():
        if isinstance(value, tuple | Items) and key != "params" and isinstance(key, str):
            items = ", ".join(
                [
                    repr(each)
                    if isinstance(each, str | None)
                    else _shown(values.number(each, key), each)
                    for each in value
                ]
            )
            shown[key] = f"[{items}]" if isinstance(value, Items) else f"({items})"
        elif isinstance(value, str) or value is None:
            shown[str(key)] = str(value)
        elif key != "params" and isinstance(key, str):
            shown_number = in_field(values, value)
            if isinstance(shown_number, str):
                shown[key] = shown_number
                continue
            number = values.number(value, key)
            is_truth = isinstance(options.get(key), bool) or (
                isinstance(value, Node) and value.kind == "bool"
            )
            shown[key] = str(bool(number)) if is_truth else _shown(number, value)
    return sorted(shown.items())


def _shown(number: float, value: Value = None) -> str:
    """A number as it was written."""
    is_decimal = isinstance(value, Node) and value.attributes == DECIMAL
    return str(number) if is_decimal or not number.is_integer() else str(int(number))
