"""What an optimiser remembers, as a dictionary and back."""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping, Sequence
from typing import Any, TypeAlias

from gradcli.diagnostics import GradcliError
from gradcli.graph import DECIMAL, Node
from gradcli.trace.dictionaries import DefaultDictionary, Dictionary
from gradcli.trace.items import Items
from gradcli.trace.objects import BuiltIn
from gradcli.trace.values import Value, Values

Place: TypeAlias = tuple[int, int]
"""The place of a group, and that of a parameter in it."""


def state_of(
    values: Values,
    parameter_groups: Sequence[Dictionary],
    states: Mapping[Place, Mapping[str, Node]],
    steps: Mapping[Place, int] | None,
) -> Dictionary:
    """What is remembered, and the groups, with numbers in place of parameters."""
    constant = values.graph.constant
    groups = []
    for place, group in enumerate(parameter_groups):
        copied = Dictionary(values, [pair for pair in group.pairs() if pair[0] != "params"])
        own = [
            number
            for number, key in enumerate(_places(values, parameter_groups))
            if key[0] == place
        ]
        copied.put("params", Items([constant(float(number)) for number in own]))
        groups.append(copied)
    state = Dictionary(values)
    for number, key in enumerate(_places(values, parameter_groups)):
        if states.get(key) or (key in states and steps):
            state.put(constant(float(number)), _entry(values, states[key], key, steps))
    return Dictionary(values, [("state", state), ("param_groups", Items(groups))])


def state_by_parameter(
    values: Values,
    parameters: Sequence[Sequence[Node]],
    states: Mapping[Place, Mapping[str, Node]],
    steps: Mapping[Place, int] | None,
) -> Dictionary:
    """`optimizer.state`: what is remembered, by parameter, of which each group has several."""
    state = DefaultDictionary(values, BuiltIn("dict", lambda *_: Dictionary(values)))
    for place, group in enumerate(parameters):
        for position, node in enumerate(group):
            key = place, position
            if states.get(key) or (key in states and steps):
                state.put(node, _entry(values, states[key], key, steps))
    return state


def _entry(
    values: Values, remembered: Mapping[str, Node], key: Place, steps: Mapping[Place, int] | None
) -> Dictionary:
    """What is remembered of a parameter; its count of steps is the first of it."""
    count = {} if steps is None else {"step": values.graph.constant(float(steps[key]))}
    pairs = [(name, node if node.shape else values.own(node))
             for name, node in {**count, **remembered}.items()]  # fmt: skip
    return Dictionary(values, pairs)


def load_state(
    values: Values,
    parameter_groups: Sequence[Dictionary],
    states: MutableMapping[Place, dict[str, Node]],
    steps: MutableMapping[Place, int],
    state: Value,
) -> None:
    """Remember what `state_of` gave. Raises `type`."""
    known = isinstance(state, Dictionary) and state.contains("state")
    if not isinstance(state, Dictionary) or not known or not state.contains("param_groups"):
        raise GradcliError("type", "load_state_dict takes what state_dict() gave")
    found = values.elements(state.item(["param_groups"]))
    saved = [each for each in found if isinstance(each, Dictionary)]
    counts = [len(values.elements(group.item(["params"]))) for group in (*parameter_groups, *saved)]
    if len(saved) != len(parameter_groups):
        raise GradcliError("value", "loaded state dict has a different number of parameter groups",
                           hint="it has as many as the optimiser")  # fmt: skip
    if counts[: len(saved)] != counts[len(saved) :]:
        raise GradcliError(
            "value", "loaded state dict contains a parameter group that doesn't match the size of "
            "optimizer's group", hint="it has as many groups, with as many parameters",
        )  # fmt: skip
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
        steps[place] = 1 if count is None else values.integer(count, "step")
        states[place] = {str(name): values.tensor(value) for name, value in pairs.items()}


def _places(values: Values, groups: Sequence[Dictionary]) -> list[Place]:
    """The group of each parameter, and its place in that."""
    return [
        (place, i)
        for place, group in enumerate(groups)
        for i in range(len(values.elements(group.item(["params"]))))
    ]


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
