"""The two sides: a program's answer from gradcli, and from PyTorch."""

from __future__ import annotations

import math
import traceback
import warnings
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from functools import lru_cache
from types import CodeType
from typing import Any, NamedTuple

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812

from gradcli.diagnostics import GradcliError, Source
from gradcli.language.parser import parse_program
from gradcli.session import Gradient, Options, evaluate
from tests.campaigns.against.program import HERE, TORCH, Program

Array = np.ndarray[Any, Any]

torch.set_num_threads(1)
TORCH_NAMES: dict[str, Any] = {
    "torch": torch,
    "F": F,
    "inf": math.inf,
    "nan": math.nan,
    "pi": math.pi,
}
"""What the texts for PyTorch may use."""
LIMITS = Options().limits._replace(memory=2**30)


class UnfitError(Exception):
    """What is asked of a program cannot be asked of PyTorch."""


class Answer(NamedTuple):
    """What a side says: values by name, and grads (None where there is none), or an error."""

    values: Mapping[str, Array]
    grads: Mapping[str, Array | None]
    error: str = ""
    crash: str = ""
    """The traceback of what should have been an error with a message."""


def here(program: Program) -> Answer:
    """gradcli's answer."""
    gradients = [] if program.gradient is None else [Gradient(program.gradient)]
    options = Options(
        outputs=(program.output,) if program.output else (),
        wrt=program.wrt if program.output else (),
        retain_grad=program.retained if program.output else (),
        forward_only=program.output is None and "backward" not in program.text(HERE),
        precision="float32" if program.dtype == "float32" else "float64",
        limits=LIMITS,
    )
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            tree = parse_program(Source("program", program.text(HERE)), options.limits.parse)
            result = evaluate(tree, program.inputs, gradients, options)
    except GradcliError as error:
        return Answer({}, {}, f"{error.diagnostic.code}: {error.diagnostic.message}")
    except Exception:  # noqa: BLE001
        return Answer({}, {}, "crash", traceback.format_exc())
    grads: dict[str, Array | None] = dict(result.grads)
    if result.passes:
        grads |= result.passes[-1].retained
    elif program.output is None:
        for note in result.notes:
            if note.message.startswith("unused: no backward reached "):
                grads[note.message.split()[4].rstrip(",")] = None
    return Answer(result.values, grads)


@lru_cache(64)
def _compiled(text: str) -> CodeType:
    return compile(text, "<program>", "exec")


def in_torch(
    program: Program,
    mode: Callable[[], AbstractContextManager[Any]] = nullcontext,
    backward: Callable[[], AbstractContextManager[Any]] = nullcontext,
) -> Answer:
    """PyTorch's answer; `mode` is entered for the run, `backward` for the grads at its end."""
    names = dict(TORCH_NAMES)
    torch.set_default_dtype(torch.float32 if program.dtype == "float32" else torch.float64)
    try:
        with warnings.catch_warnings(), mode():
            warnings.simplefilter("ignore")
            for name, array in program.inputs.items():
                leaf = torch.from_numpy(np.array(array))
                names[name] = leaf.requires_grad_() if array.dtype.kind == "f" else leaf
            exec(_compiled(program.text(TORCH)), names)
            with backward():
                grads = _grads(program, names)
    except GradcliError:
        raise
    except Exception as error:  # noqa: BLE001
        return Answer({}, {}, f"{type(error).__name__}: {error}")
    values = {
        name: value.detach().numpy(force=True)
        for name, value in names.items()
        if torch.is_tensor(value)
    }
    return Answer(values, grads)


def _grads(program: Program, names: Mapping[str, Any]) -> dict[str, Array | None]:
    if program.output is None:
        wanted = (*program.wrt, *program.retained)
        leaves = {name: names[name].grad for name in wanted if torch.is_tensor(names.get(name))}
        return {name: _array(grad) for name, grad in leaves.items()}
    output = names[program.output]
    targets = [*program.wrt, *program.retained]
    if not output.dtype.is_floating_point:
        return {}
    wanted_tensors = [names[name] for name in targets]
    if len(set(map(id, wanted_tensors))) < len(targets):
        raise UnfitError("two names of one tensor: a gradient for one alone cannot be asked for")
    if not output.requires_grad:
        return {
            name: np.zeros(tuple(each.shape), _dtype(each))
            for name, each in zip(targets, wanted_tensors, strict=True)
        }
    given = None if program.gradient is None else torch.from_numpy(np.array(program.gradient))
    asked = [each for each in wanted_tensors if each.requires_grad]
    found = iter(
        torch.autograd.grad(output, asked, given, allow_unused=True, materialize_grads=False)
    )
    grads: dict[str, Array | None] = {}
    for name, each in zip(targets, wanted_tensors, strict=True):
        grad = next(found) if each.requires_grad else None
        # A grad of 0 is what gradcli promises where an output does not depend on an input.
        grads[name] = np.zeros(tuple(each.shape), _dtype(each)) if grad is None else _array(grad)
    return grads


def _dtype(tensor: torch.Tensor) -> Any:
    return np.float32 if tensor.dtype == torch.float32 else np.float64


def _array(grad: torch.Tensor | None) -> Array | None:
    return None if grad is None else grad.detach().numpy(force=True)
