"""`torch.distributions.constraints` as values: what `d.support` and `d.arg_constraints` give."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from gradcli.diagnostics import GradcliError
from gradcli.graph import Array
from gradcli.trace import constraints
from gradcli.trace.arguments import bind_names
from gradcli.trace.constraints import Constraint
from gradcli.trace.objects import Given, Object
from gradcli.trace.special import Special
from gradcli.trace.tensor_text import with_suffixes
from gradcli.trace.values import Value, Values, describe


class Support(Object):
    """A constraint: its name, and which values satisfy it."""

    what = "a constraint"
    family = "Constraint"

    def __init__(self, values: Values, constraint: Constraint) -> None:
        self.title = constraint.said.partition("(")[0]
        self.constraint = constraint
        self._values = values

    def methods(self) -> dict[str, Callable[[list[Any], Given], Any]]:
        return {"check": self._check}

    def _check(self, arguments: list[Value], keywords: Given) -> Value:
        given = bind_names("check", ("value",), arguments, keywords)["value"]
        found = self._values.evaluator.value(self._values.tensor(given, "check"))
        return self._values.own(
            self._values.graph.constant(np.asarray(self.constraint.holds(found)))
        )

    def attribute(self, name: str) -> Any:
        if name == "event_dim":
            return self._values.plain(self.constraint.events)
        if name == "is_discrete":
            return self._values.graph.constant(self.constraint.is_discrete)
        return super().attribute(name)

    def is_same(self, other: Any) -> bool:
        return isinstance(other, Support) and other.constraint.said == self.constraint.said

    def shown(self) -> str:
        return self.constraint.said


class Supports:
    """The constraints by name, and those that are made with numbers."""

    def __init__(self, values: Values) -> None:
        self._values = values
        home = "torch.distributions.constraints"
        ends = ("lower_bound", "upper_bound")
        makers: dict[str, tuple[Any, tuple[str, ...]]] = {
            "greater_than": (constraints.greater_than, ends[:1]),
            "greater_than_eq": (constraints.at_least, ends[:1]),
            "less_than": (constraints.less_than, ends[1:]),
            "interval": (constraints.within, ends),
            "half_open_interval": (constraints.below, ends),
            "integer_interval": (constraints.counted, ends),
        }
        self.constants: dict[str, Value] = {
            f"{home}.{name}": Support(values, each) for name, each in constraints.BY_NAME.items()
        }
        self.functions: dict[str, Special] = {
            **{
                f"{home}.{name}": partial(self._with_numbers, name, make, names)
                for name, (make, names) in makers.items()
            },
            f"{home}.independent": self._independent,
        }

    def _with_numbers(
        self, name: str, make: Any, names: tuple[str, ...], arguments: list[Value], keywords: Given
    ) -> Value:
        given = bind_names(name, names, arguments, keywords)
        found = [self._number(given[each], each) for each in names]
        limits, written = zip(*found, strict=True)
        made = make(*limits, written[0] if len(names) == 1 else written)
        return Support(self._values, made)

    def _number(self, value: Value, name: str) -> tuple[Array, str]:
        node = self._values.tensor(value, name)
        found = self._values.evaluator.value(node)
        return found, with_suffixes(found, ()) if found.shape else f"{found.item()}"

    def _independent(self, arguments: list[Value], keywords: Given) -> Value:
        names = ("base_constraint", "reinterpreted_batch_ndims")
        given = bind_names("independent", names, arguments, keywords)
        base = given[names[0]]
        axes = self._values.integer(given[names[1]], names[1])
        if not isinstance(base, Support):
            raise GradcliError("type", f"independent takes a constraint, not {describe(base)}")
        return Support(self._values, constraints.each(base.constraint, axes))
