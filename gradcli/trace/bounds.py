"""Settings with which PyTorch makes no layer, scheduler or optimiser, and what it says of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from gradcli.diagnostics import RefusedError
from gradcli.graph import Node
from gradcli.trace.values import Values

Numbers = Mapping[str, float]


class Condition(NamedTuple):
    """A condition on settings."""

    holds: Callable[[Numbers], bool]
    said: str
    """PyTorch's message, with settings in braces."""
    kind: str = "ValueError"


def _positive(name: str, said: str) -> Condition:
    return Condition(lambda n: n[name] > 0, said)


def _fraction(name: str, said: str) -> Condition:
    return Condition(lambda n: 0 <= n[name] <= 1, said)


_RECURRENT = (
    _positive("hidden_size", "hidden_size must be greater than zero"),
    _positive("num_layers", "num_layers must be greater than zero"),
    _fraction(
        "dropout",
        "dropout should be a number in range [0, 1] representing the probability of an element "
        "being zeroed",
    ),
)
BOUNDS: Mapping[str, tuple[Condition, ...]] = {
    "RNN": _RECURRENT,
    "LSTM": _RECURRENT,
    "GRU": _RECURRENT,
    "Bilinear": (
        _positive(
            "in1_features", "in1_features must be > 0, but got (in1_features={in1_features})"
        ),
    ),
    "Hardtanh": (
        Condition(
            lambda n: n["max_val"] > n["min_val"],
            "max_val ({max_val}) must be greater than min_val ({min_val})",
            "AssertionError",
        ),
    ),
    "TripletMarginLoss": (
        _positive(
            "margin",
            "TripletMarginLoss: expected margin to be greater than 0, got {margin} instead",
        ),
    ),
    "LinearLR": (
        Condition(
            lambda n: 0 < n["start_factor"] <= 1,
            "Starting multiplicative factor expected to be greater than 0 and less or equal to 1.",
        ),
        _fraction("end_factor", "Ending multiplicative factor expected to be between 0 and 1."),
    ),
    "ConstantLR": (
        _fraction("factor", "Constant multiplicative factor expected to be between 0 and 1."),
    ),
    "CosineAnnealingWarmRestarts": (
        _positive("T_0", "Expected positive integer T_0, but got {T_0}"),
        Condition(lambda n: n["T_mult"] >= 1, "Expected integer T_mult >= 1, but got {T_mult}"),
    ),
    "RMSprop": (Condition(lambda n: n["alpha"] >= 0, "Invalid alpha value: {alpha}"),),
    "Rprop": (
        Condition(
            lambda n: 0 < n["eta1"] < 1 < n["eta2"], "Invalid eta values: {eta1:g}, {eta2:g}"
        ),
    ),
}
"""By the name of PyTorch's class."""


def check_numbers(title: str, numbers: Numbers) -> None:
    """Raise `value` for numbers that PyTorch's class of that name is not made with."""
    for bound in BOUNDS.get(title, ()):
        if not bound.holds(numbers):
            said = bound.said.format(**numbers)
            told = said if said.startswith(title) else f"{title}: {said}"
            raise RefusedError((bound.kind, said), "value", told)


def check_settings(values: Values, title: str, settings: Mapping[str, Any]) -> None:
    """The same for settings that may be no numbers, which are asked for elsewhere."""
    if title not in BOUNDS:
        return
    numbers = {
        name: int(number) if values.plain_kind(value) == "int" else number
        for name, value in settings.items()
        if isinstance(value, Node) and not value.shape
        for number in [values.number(value, name)]
    }
    numbers |= {n: v for n, v in settings.items() if isinstance(v, int | float)}
    check_numbers(title, numbers)
