"""How tests run programs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gradcli.diagnostics import GradcliError, Source
from gradcli.language.parser import ParseLimits, parse_program
from gradcli.result import Result
from gradcli.session import Gradient, Options, evaluate


def run(text: str, options: Options | None = None, *gradients: Any, **inputs: Any) -> Result:
    program = parse_program(Source("program", text), ParseLimits())
    arrays = {name: np.asarray(value) for name, value in inputs.items()}
    given = [Gradient(np.asarray(each)) for each in gradients]
    return evaluate(program, arrays, given, options or Options())


def grads(text: str, **inputs: Any) -> dict[str, Any]:
    return {name: grad.tolist() for name, grad in run(text, **inputs).grads.items()}


def value(text: str, **inputs: Any) -> Any:
    """The value that a program ends on."""
    result = run(text, Options(forward_only=True), **inputs)
    (name,) = result.outputs
    return result.values[name].tolist()


def error(text: str, options: Options | None = None, **inputs: Any) -> GradcliError:
    with pytest.raises(GradcliError) as caught:
        run(text, options, **inputs)
    return caught.value


def codes(result: Result) -> list[str]:
    return [note.code for note in result.notes]
