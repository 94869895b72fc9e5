"""The functions of `torch.distributions` that make a distribution, by name."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial

from gradcli.diagnostics import GradcliError
from gradcli.graph import Node
from gradcli.ops.kinds import cast
from gradcli.trace.arguments import bind_names
from gradcli.trace.distributions import Distribution, OfLogits, both
from gradcli.trace.draws import Draws
from gradcli.trace.special import Special
from gradcli.trace.usual_distributions import CLASSES
from gradcli.trace.values import Value, Values

HOME = "torch.distributions"


class DistributionCalls:
    """The functions by name."""

    def __init__(self, draws: Draws) -> None:
        self.draws = draws
        self.values: Values = draws.values
        self._checks = True
        """Whether parameters and values are looked at, unless a call says it."""
        self.functions: dict[str, Special] = {
            **self.makers(CLASSES),
            f"{HOME}.Distribution.set_default_validate_args": self._set_checks,
        }

    def makers(self, classes: Iterable[type[Distribution]]) -> dict[str, Special]:
        """What makes distributions of these classes."""
        return {f"{HOME}.{made.__name__}": partial(self._make, made) for made in classes}

    def _make(
        self, made: type[Distribution], arguments: list[Value], keywords: dict[str, Value]
    ) -> Distribution:
        """A distribution of a class with these parameters."""
        keywords, told = self._as_named(made, keywords)
        names = made.takes or made.names
        optional = {*made.defaults, *(OfLogits.names if issubclass(made, OfLogits) else ())}
        given = bind_names(
            made.__name__, (*names, "validate_args"), arguments, keywords,
            (*optional, "validate_args"),
        )  # fmt: skip
        for name, default in made.defaults.items():
            given.setdefault(name, self.values.graph.constant(default))
        nodes = {
            name: self.parameter(given[name], f"{made.__name__}: {name}")
            for name in names
            if given.get(name) is not None
        }
        if issubclass(made, OfLogits):
            nodes, told = self._with_both(made, nodes)
        found = made(self.draws, [*nodes.values()])
        if told and found.printed_names != ():
            found.printed_names = told
        self._check(found, told or names, given)
        return found

    def _as_named(
        self, made: type[Distribution], keywords: dict[str, Value]
    ) -> tuple[dict[str, Value], tuple[str, ...] | None]:
        """The parameters by the class's own names; and by which they are shown, if by others."""
        for name, turned in made.instead.items():
            if keywords.get(name) is not None:
                first, own = made.names
                node = turned(self.parameter(keywords[name], f"{made.__name__}: {name}"))
                others = {key: each for key, each in keywords.items() if key != name}
                return {**others, own: node}, (first, name)
        return keywords, None

    def _with_both(
        self, made: type[OfLogits], nodes: dict[str, Node]
    ) -> tuple[dict[str, Node], tuple[str, ...]]:
        """The parameters with both of `probs` and `logits`; and those that are given."""
        ways = [name for name in nodes if name in OfLogits.names]
        if len(ways) != 1:
            first = "".join(f"{name}, " for name in nodes if name not in ways)
            raise GradcliError("type", f"{made.__name__} takes probs or logits, one of them",
                               hint=f"{made.__name__}({first}logits=x)")  # fmt: skip
        pair = both(self.values, made, ways[0], nodes[ways[0]])
        found = {name: node for name, node in nodes.items() if name not in ways}
        return {**found, **dict(zip(OfLogits.names, pair, strict=True))}, (*nodes,)

    def _check(self, made: Distribution, names: Sequence[str], given: dict[str, Value]) -> None:
        """Raise PyTorch's error for a parameter, unless the call says `validate_args=False`."""
        if self.checks(given.get("validate_args")):
            made.check(names)
            made.checks_values = True

    def checks(self, wanted: Value | None) -> bool:
        """Whether parameters and values are looked at, with `validate_args` as given."""
        is_wanted = self._checks if wanted is None else self.values.truth(wanted)
        return self.values.is_pytorch and is_wanted

    def _set_checks(self, arguments: list[Value], keywords: dict[str, Value]) -> None:
        given = bind_names("set_default_validate_args", ("value",), arguments, keywords)
        self._checks = self.values.truth(given["value"])

    def parameter(self, value: Value, what: str) -> Node:
        """A parameter as a tensor, also where it is given as a number."""
        node = cast(self.values.tensor(value, what), "float")
        numbers = self.values.plain_numbers
        is_number = node.known is not None or (numbers is not None and node in numbers)
        return self.values.own(node) if is_number else node
