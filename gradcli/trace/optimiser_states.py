"""What an optimiser remembers, as a dictionary and back."""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping, Sequence
from typing import TypeAlias

from gradcli.diagnostics import GradcliError
from gradcli.graph import DECIMAL, Node
from gradcli.trace.dictionaries import Dictionary
from gradcli.trace.items import Items
from gradcli.trace.values import Value, Values

_NAMES = {"momentum": "momentum_buffer", "m": "exp_avg", "v": "exp_avg_sq",
          "most": "max_exp_avg_sq"}  # fmt: skip
"""What PyTorch calls what an optimiser remembers."""


Place: TypeAlias = tuple[int, int]
"""The place of a group, and that of a parameter in it."""


def state_of(
    values: Values,
    name: str,
    parameter_groups: Sequence[Dictionary],
    states: Mapping[Place, Mapping[str, Node]],
    steps: Mapping[Place, int],
) -> Dictionary:
    """What is remembered, and the groups, with numbers in place of parameters."""
    constant = values.graph.constant
    groups = []
    for place, group in enumerate(parameter_groups):
        copied = Dictionary(values, _options(values, name, group))
        own = [
            number
            for number, key in enumerate(_places(values, parameter_groups))
            if key[0] == place
        ]
        copied.put("params", Items([constant(float(number)) for number in own]))
        groups.append(copied)
    state = Dictionary(values)
    for number, key in enumerate(_places(values, parameter_groups)):
        if key in states:
            entry = Dictionary(values, [("step", values.own(constant(float(steps[key]))))])
            for own_name, node in states[key].items():
                entry.put(_NAMES.get(own_name, own_name), node)
            state.put(constant(float(number)), entry)
    return Dictionary(values, [("state", state), ("param_groups", Items(groups))])


def state_by_parameter(
    values: Values,
    parameters: Sequence[Sequence[Node]],
    states: Mapping[Place, Mapping[str, Node]],
    steps: Mapping[Place, int],
) -> Dictionary:
    """`optimizer.state`: what is remembered, by parameter, of which each group has several."""
    state = Dictionary(values)
    for place, group in enumerate(parameters):
        for position, node in enumerate(group):
            key = place, position
            if key in states:
                count = values.own(values.graph.constant(float(steps[key])))
                entry = Dictionary(values, [("step", count)])
                for name, remembered in states[key].items():
                    entry.put(_NAMES.get(name, name), remembered)
                state.put(node, entry)
    return state


def _options(values: Values, name: str, group: Dictionary) -> list[tuple[Value, Value]]:
    """The options of a group in PyTorch's order, with those that mean nothing here."""
    options = {
        key: values.graph.constant(values.truth(value)) if key in _TRUTHS else value
        for key, value in group.pairs()
        if isinstance(key, str) and key != "params"
    }
    for flag in ("maximize", "foreach", "capturable", "differentiable", "fused"):
        if flag not in _LACKING.get(name, ()):
            default = None if _FLAGS[flag] is None else values.graph.constant(False)
            options.setdefault(flag, default)
    if name in ("Adam", "AdamW"):
        options["decoupled_weight_decay"] = values.graph.constant(name == "AdamW")
    return [*options.items()]


def in_order(values: Values, name: str, group: Dictionary) -> None:
    """Have the parameters first in a group, and then its options, as in PyTorch."""
    group.become([("params", group.item(["params"])), *_options(values, name, group)])


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
    saved = values.elements(state.item(["param_groups"]))
    for group, other in zip(parameter_groups, saved, strict=False):
        for key, value in other.pairs() if isinstance(other, Dictionary) else []:
            if key != "params":
                group.put(key, value)
    remembered = state.item(["state"])
    own = {name: key for key, name in _NAMES.items()}
    for number, place in enumerate(_places(values, parameter_groups)):
        index = values.graph.constant(float(number))
        if not isinstance(remembered, Dictionary) or not remembered.contains(index):
            continue
        entry = remembered.item([index])
        pairs = dict(entry.pairs()) if isinstance(entry, Dictionary) else {}
        steps[place] = values.integer(pairs.pop("step", index), "step")
        states[place] = {
            own.get(str(name), str(name)): values.tensor(value) for name, value in pairs.items()
        }


def _places(values: Values, groups: Sequence[Dictionary]) -> list[Place]:
    """The group of each parameter, and its place in that."""
    return [
        (place, i)
        for place, group in enumerate(groups)
        for i in range(len(values.elements(group.item(["params"]))))
    ]


_FLAGS = {"capturable": False, "differentiable": False, "foreach": None, "fused": None,
          "maximize": False}  # fmt: skip
_LACKING = {
    "SGD": ("capturable",), "RMSprop": ("fused",), "Adagrad": ("capturable",),
    **dict.fromkeys(("Adadelta", "Adamax", "NAdam", "RAdam", "ASGD", "Rprop"), ("fused",)),
}  # fmt: skip
"""Options that one of PyTorch's optimisers does not have."""
_TRUTHS = ("nesterov", "amsgrad", "centered", "maximize", "decoupled_weight_decay")


def shown_options(values: Values, name: str, group: Dictionary) -> list[tuple[str, str]]:
    """The options of a group by name, as PyTorch prints them."""
    shown = {key: str(each) for key, each in _FLAGS.items() if key not in _LACKING.get(name, ())}
    if name in ("Adam", "AdamW"):
        shown["decoupled_weight_decay"] = str(name == "AdamW")
    for key, value in group.pairs():
        if isinstance(value, tuple | Items) and key != "params" and isinstance(key, str):
            pair = (_shown(values.number(each, key), each) for each in value)
            shown[key] = f"({', '.join(pair)})"
        elif key != "params" and isinstance(key, str) and value is not None:
            number = values.number(value, key)
            is_truth = key in _TRUTHS or key in _FLAGS or key in shown
            shown[key] = str(bool(number)) if is_truth else _shown(number, value)
    return sorted(shown.items())


def _shown(number: float, value: Value = None) -> str:
    """A number as it was written."""
    is_decimal = isinstance(value, Node) and value.attributes == DECIMAL
    return str(number) if is_decimal or not number.is_integer() else str(int(number))
