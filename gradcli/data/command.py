"""A function that a program outside computes, in any language: its values and its gradients.

The program is started once. It reads a request from each line of its standard input and answers
with a line of its standard output; both are JSON objects:

    {"id": 1, "inputs": {"x": [1.0, 2.0]}}                       asks for the value
    {"id": 1, "value": 5.0}
    {"id": 2, "inputs": {"x": [1.0, 2.0]}, "gradient": 1.0}      asks for the grads, too
    {"id": 2, "value": 5.0, "grads": {"x": [2.0, 4.0]}}
    {"id": 3, "error": "log of a negative number"}               no value there

`gradient` is the v of vᵀ·J and has the shape of the value. Arrays are nested lists; numbers that
are not finite are the strings of `gradcli.literals.NON_FINITE`, and in answers also bare `NaN` and
`Infinity`, as Python and Julia write them. An answer may leave `id` out.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from gradcli.analysis.foreign.function import ForeignAnswer
from gradcli.data.json import to_array
from gradcli.data.line_process import LineProcess
from gradcli.diagnostics import GradcliError
from gradcli.graph import Array
from gradcli.literals import NON_FINITE

PER_NUMBER = 64
"""The most bytes of an answer for each number of the request …"""
AT_LEAST = 1 << 20
"""… and besides."""


class Answering:
    """The function; leaving the block ends its program."""

    def __init__(self, command: str, seconds: float) -> None:
        """Raises what `LineProcess` does."""
        self.text = command
        self.requests = 0
        self.refusal = ""
        """Why the last request had no value."""
        self._process = LineProcess(command, seconds)

    def __enter__(self) -> Answering:
        self._process.__enter__()
        return self

    def __exit__(self, *ending: Any) -> None:
        self._process.__exit__(*ending)

    def __call__(
        self, inputs: Mapping[str, Array], gradient: Array | None = None
    ) -> ForeignAnswer | None:
        """The value, and with a gradient the grads; None where the program has no value.

        Raises `data` for everything that is no answer, and `limit-time`.
        """
        self.requests += 1
        asked: dict[str, Any] = {
            "id": self.requests,
            "inputs": {name: _lists(array) for name, array in inputs.items()},
        }
        if gradient is not None:
            asked["gradient"] = _lists(gradient)
        request = json.dumps(asked, ensure_ascii=False, allow_nan=False)
        numbers = sum(array.size for array in inputs.values())
        told = self._process.ask(request, AT_LEAST + PER_NUMBER * numbers)
        try:
            return self._read(told, inputs, gradient)
        except (GradcliError, OverflowError) as error:
            raise self._process.wrong(f"answered {told[:80]!r}: {error}", request) from None

    def _read(
        self, told: str, inputs: Mapping[str, Array], gradient: Array | None
    ) -> ForeignAnswer | None:
        try:
            answer = json.loads(told)
        except (ValueError, RecursionError):
            raise GradcliError("data", "that is not a JSON object") from None
        if not isinstance(answer, dict):
            raise GradcliError("data", "that is not a JSON object")
        if answer.get("id", self.requests) != self.requests:
            raise GradcliError("data", f"the id is {answer['id']!r}"[:60])
        if "error" in answer:
            self.refusal = str(answer["error"])
            return None
        value = _array(answer, "value")
        if gradient is None:
            return ForeignAnswer(value, {})
        if value.shape != gradient.shape:
            raise GradcliError(
                "data", f"value has the shape {value.shape}, and had {gradient.shape}"
            )
        grads = answer.get("grads")
        if not isinstance(grads, dict):
            raise GradcliError("data", "there is no object `grads`")
        found = {name: _array(grads, name) for name in inputs if name in grads}
        for name, grad in found.items():
            if grad.shape != inputs[name].shape:
                shape = inputs[name].shape
                raise GradcliError("data", f"grads.{name} has the shape {grad.shape}, not {shape}")
        return ForeignAnswer(value, found)


def _array(answer: Mapping[str, Any], key: str) -> Array:
    if key not in answer:
        raise GradcliError("data", f"there is no `{key}`")
    return to_array(answer[key], key).astype(np.float64)


def _lists(array: Array) -> Any:
    """Nested lists; numbers that are not finite by their names."""
    if array.dtype.kind != "f" or np.isfinite(array).all():
        return array.tolist()
    named = array.astype(object)
    for name, number in NON_FINITE.items():
        named[np.isnan(array) if np.isnan(number) else array == number] = name
    return named.tolist()
