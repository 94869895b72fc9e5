"""Gradients of well-known programs as people derive them, and slips in their formulas: in `models`.

Below a line `### what it is` stand the program, its inputs as JSON, and the gradient of one leaf,
`d/dx = …`; then the same in other words, `equal: …`, or as PyTorch finds it, `pytorch: …`. Each
further line is a wrong formula and what it may be called, separated by bars: the code of the cause,
or a part of its sentence.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple


class Model(NamedTuple):
    """A program with the gradient of one leaf, and wrong formulas for it."""

    name: str
    program: str
    inputs: Mapping[str, Any]
    leaf: str
    right: str
    slips: Mapping[str, str]
    """By wrong formula: what it may be called, separated by bars."""
    equal: tuple[str, ...] = ()
    """The gradient in other words."""
    pytorch: Any = None
    """The numbers that PyTorch finds, where they were asked for."""


def models_in(text: str) -> Iterator[Model]:
    for part in re.split(r"^### ", text, flags=re.MULTILINE)[1:]:
        name, program, inputs, gradient, *lines = part.strip().split("\n")
        _, leaf, right = re.split(r"^d/d(\w+) = ", gradient)
        told = [line.split(": ", 1) for line in lines if line.startswith(("equal: ", "pytorch: "))]
        wrong = [(line.split("  # ")[0], line.split("  # ")[1]) for line in lines if "  # " in line]
        yield Model(
            name,
            program,
            json.loads(inputs),
            leaf,
            right,
            dict(wrong),
            tuple(formula for kind, formula in told if kind == "equal"),
            next((json.loads(numbers) for kind, numbers in told if kind == "pytorch"), None),
        )


FIELDS = {
    file.stem: list(models_in(file.read_text()))
    for file in sorted(Path(__file__).with_name("models").glob("*.txt"))
}
"""The models of each field."""
MODELS = [model for models in FIELDS.values() for model in models]
