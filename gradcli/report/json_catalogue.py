"""The functions of the language as JSON, one object on one line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gradcli.analysis.catalogue import Description, Example
from gradcli.language.printer import print_program
from gradcli.ops import Function
from gradcli.report.json import arrays, render, string, strings
from gradcli.trace.arguments import signature


def render_list(groups: Mapping[str, Sequence[Function]]) -> str:
    """Group to its functions, each with signature and doc."""
    members = (
        f"{string(group)}: [{', '.join(_object(_facts(each)) for each in functions)}]"
        for group, functions in groups.items()
    )
    return "{" + ", ".join(members) + "}"


def render_page(description: Description) -> str:
    """All about one function; `derivative` is a list of statements, null where there is none."""
    function = description.function
    derivative = description.derivative
    statements = [] if derivative is None else print_program(derivative).splitlines()
    return _object(
        {
            **_facts(function),
            "group": string(function.group),
            "aliases": strings(function.aliases),
            "torch": string(function.torch or None),
            "formula": string(function.formula or None),
            "derivative": "null" if derivative is None else strings(statements),
            "kink": string(function.kink or None),
            "beside_kernels": _object(
                {where: strings(ops) for where, ops in description.beside_kernels.items()}
            ),
            "example": "null" if description.example is None else _example(description.example),
        }
    )


def _facts(function: Function) -> dict[str, str]:
    return {
        "name": string(function.name),
        "signature": string(signature(function)),
        "doc": string(" ".join(function.doc.split())),
    }


def _example(example: Example) -> str:
    return _object(
        {
            "program": string(example.program),
            "set": "".join(arrays(example.inputs)),
            "result": render(example.result),
        }
    )


def _object(fields: Mapping[str, str]) -> str:
    return "{" + ", ".join(f"{string(key)}: {value}" for key, value in fields.items()) + "}"
