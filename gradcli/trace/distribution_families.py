"""All that few programs use of `torch.distributions`, by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradcli.trace import (
    more_distributions,
    rare_distributions,
    rows_of_normals,
    tailed_distributions,
)
from gradcli.trace.compound_distributions import CompoundDistributions
from gradcli.trace.distribution_calls import HOME, DistributionCalls
from gradcli.trace.divergences import divergence
from gradcli.trace.own_transforms import OwnTransforms
from gradcli.trace.special import Special
from gradcli.trace.supports import Supports
from gradcli.trace.transformed import TransformedDistributions
from gradcli.trace.values import Value

_ROOMS = (more_distributions, rare_distributions, rows_of_normals, tailed_distributions)


class DistributionFamilies:
    """The functions and constants by name."""

    def __init__(self, calls: DistributionCalls, run: Callable[[Any], Value]) -> None:
        """`run` runs what visits the body of a method of the program's."""
        supports = Supports(calls.values)
        own = OwnTransforms(calls.values, run)
        self.constants: dict[str, Value] = {
            **supports.constants,
            **dict.fromkeys((f"{HOME}.Transform", f"{HOME}.transforms.Transform"), own.base),
        }
        self.methods: dict[str, Special] = {}
        self.functions: dict[str, Special] = {
            **{name: make for room in _ROOMS for name, make in calls.makers(room.CLASSES).items()},
            **CompoundDistributions(calls).functions,
            **TransformedDistributions(calls, own.bijection).functions,
            **supports.functions,
            **own.functions,
            f"{HOME}.kl_divergence": divergence,
            f"{HOME}.kl.kl_divergence": divergence,
        }
