"""The functions of the language as data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gradcli.analysis.catalogue import Description, Example
from gradcli.language.printer import print_program
from gradcli.ops import Function
from gradcli.ops.deviations import DEVIATIONS, DIFFERENCES, Deviation
from gradcli.report.json import Data, result_data
from gradcli.trace.arguments import signature


def functions(groups: Mapping[str, Sequence[Function]]) -> dict[str, Data]:
    """For each group its functions, each with signature and doc."""
    return {group: [_facts(each) for each in members] for group, members in groups.items()}


def page(description: Description) -> dict[str, Data]:
    """All about one function; `derivative` is a list of statements, null where there is none."""
    function, derivative, example = (
        description.function,
        description.derivative,
        description.example,
    )
    return {
        **_facts(function),
        "group": function.group,
        "aliases": function.aliases,
        "torch": function.torch or None,
        "formula": function.formula or None,
        "formula_holds": description.formula_holds,
        "textbook": {
            name: [stated] if isinstance(stated, str) else [*stated]
            for name, stated in function.gradients.items()
        },
        "derivative": None if derivative is None else print_program(derivative).splitlines(),
        "kink": function.kink or None,
        "elsewhere": function.elsewhere,
        "beside_kernels": description.beside_kernels,
        "deviations": [_deviation(each) for each in description.deviations],
        "example": None if example is None else _example(example),
    }


def deviations() -> dict[str, Data]:
    """Where gradcli differs from PyTorch: rules of the language, and single points."""
    return {
        "rules": [each._asdict() for each in DIFFERENCES],
        "points": [_deviation(each) for each in DEVIATIONS],
    }


def _deviation(deviation: Deviation) -> dict[str, Data]:
    return deviation._asdict()


def _example(example: Example) -> dict[str, Data]:
    return {
        "program": example.program,
        "set": example.inputs,
        "result": result_data(example.result),
    }


def _facts(function: Function) -> dict[str, Data]:
    return {
        "name": function.name,
        "signature": signature(function),
        "doc": " ".join(function.doc.split()),
    }
