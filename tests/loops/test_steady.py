"""Which kinds of objects keep nothing from pass to pass is said of each kind on purpose."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator

import gradcli.trace
from gradcli.trace.objects import Object
from gradcli.trace.steady import KEEPING, STEADY

LIKE_OTHERS = {
    "BoundMethod", "Fields", "ModuleFields", "OrderedDictionary", "Occurrences", "Layer",
    "BatchNorm", "RecurrentLayer", "Composite", "ModuleDict", "AdaptiveSoftmax", "ModuleList",
    "Sequential", "Model", "OwnLayer", "Member", "OwnError", "OwnValue", "FormulaScheduler",
    "WarmRestarts", "LambdaScheduler", "MilestoneScheduler", "PlateauScheduler", "OneCycle",
    "Cyclic",
}  # fmt: skip
"""Kinds that are steady as what they are made from is: they add tensors, modes, or what schedulers
tell of themselves. Distributions all have parameters alone."""


def kinds() -> Iterator[type[Object]]:
    """All kinds of objects of a program."""
    for module in pkgutil.iter_modules(gradcli.trace.__path__):
        importlib.import_module(f"gradcli.trace.{module.name}")
    waiting = Object.__subclasses__()
    for kind in waiting:  # which grows by what is made from it
        if kind.__module__.startswith("gradcli."):
            yield kind
        waiting += kind.__subclasses__()


def test_all_kinds_that_are_named_exist() -> None:
    assert {kind.__name__ for kind in kinds()} >= STEADY | KEEPING


def test_no_kind_is_steady_unseen() -> None:
    known = STEADY | KEEPING | {"Distribution"}
    for kind in kinds():
        above = [each.__name__ for each in kind.__mro__ if each.__name__ in known]
        if kind.__name__ not in known and above and above[0] in STEADY - {"Distribution"}:
            assert kind.__name__ in LIKE_OTHERS, f"say in steady.py whether {kind} keeps anything"
