"""The differences that are documented (`gradcli ops --deviations`): a rule for each."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import torch
from torch.utils._python_dispatch import TorchDispatchMode

from tests.campaigns.against.compare import Difference, differences
from tests.campaigns.against.program import HERE, Program
from tests.campaigns.against.sides import Answer, in_torch

ONLY_FLOATS = re.compile(
    "not implemented for '(Bool|Int|Long)'|only support floating point|bool tensor is not "
    "supported|dtype (Bool|Long|Int)|floating point|on two bool tensors"
)
DIGITS = re.compile("gelu|digamma|psi|polygamma|hardsigmoid|lgamma|gammaln")


def deviation(
    program: Program, here: Answer, theirs: Answer, found: Sequence[Difference]
) -> str | None:
    """The name of the documented deviation that explains all differences, if one does."""
    first = found[0]
    if first.sort == "refusal":
        return next((name for name, text in REFUSED.items() if re.match(text, here.error)), None)
    if first.sort == "acceptance":
        return next(
            (name for name, text in ACCEPTED.items() if re.search(text, theirs.error)), None
        )
    return next((name for name, holds in RULES.items() if holds(program, here, found)), None)


REFUSED = {
    "a second backward through `y = x + 2`": "graph-freed",
    "a singular matrix, which is the same error in each function that solves": "singular",
    "`grad` of what an earlier `grad` has cut off": "no-grad: .* is a constant: it comes",
}
"""By gradcli's error."""
ACCEPTED = {
    "derivatives that PyTorch has not": r"derivative for aten::\w+ is not implemented",
    "values that never change in place": "modified by an inplace operation",
    "functions of floats that take truth values and whole numbers too": ONLY_FLOATS.pattern,
}
"""By PyTorch's error."""


# --- rules of values and grads ---------------------------------------------------------------


def _digits(program: Program, here: Answer, found: Sequence[Difference]) -> bool:
    """PyTorch's trigamma has nine digits, so has the 1/6 of its hardsigmoid, and its gelu loses
    them where it is small.
    """
    return bool(DIGITS.search(program.text(HERE))) and all(
        each.sort in ("value", "grad")
        and np.allclose(each.here, each.theirs, rtol=1e-7, atol=1e-8, equal_nan=True)
        for each in found
    )


def _closer(program: Program, here: Answer, found: Sequence[Difference]) -> bool:
    """In float32 PyTorch is farther from what it gives in float64 than gradcli is."""
    if program.dtype != "float32" or any(each.sort not in ("value", "grad") for each in found):
        return False
    inputs = {name: _widened(array) for name, array in program.inputs.items()}
    given = None if program.gradient is None else _widened(program.gradient)
    exact = in_torch(replace(program, dtype="float64", inputs=inputs, gradient=given))
    for each in found:
        true = (exact.values if each.sort == "value" else exact.grads).get(each.name)
        if true is None or true.shape != each.here.shape or each.here.dtype.kind != "f":
            return False
        ours, other = np.abs(each.here - true), np.abs(each.theirs - true)
        if not (ours <= other + 1e-6 * np.abs(true)).all():
            return False
    return True


def _widened(array: Any) -> Any:
    return array.astype(np.float64) if array.dtype.kind == "f" else array


def _nothing(program: Program, here: Answer, found: Sequence[Difference]) -> bool:
    """Of no elements PyTorch gives truth values where it gives floats of others."""
    return all(each.sort == "kind of the value" and not each.here.size for each in found)


def _linear(program: Program, here: Answer, found: Sequence[Difference]) -> bool:
    """What `grad` gives of something linear has the derivative 0; in PyTorch there is none."""
    return "grad(" in program.text(HERE) and all(
        each.sort == "none" and each.theirs is None and not each.here.any() for each in found
    )


def _retained(program: Program, here: Answer, found: Sequence[Difference]) -> bool:
    """`grad` adds to the `.grad` that an intermediate retains, in PyTorch."""
    text = program.text(HERE)
    names = {each.name for each in found}
    return "retain_grad" in text and "grad(" in text and names <= set(program.retained)


class NoFlow(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """A gradient that is 0 stays 0, whatever it is multiplied by."""

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        out = func(*args, **(kwargs or {}))
        name = func._schema.name.split("::")[1]
        if not torch.is_tensor(out) or not out.is_floating_point() or out._is_zerotensor():
            return out
        if not (name in ("mul", "div") or name.endswith("_backward")) or not bool(
            out.isnan().any()
        ):
            return out
        for each in args[:2] if name == "mul" else args[:1]:
            if torch.is_tensor(each) and each.shape == out.shape:
                out = out.where(each != 0, torch.zeros_like(out))
        return out


def _no_flow(program: Program, here: Answer, found: Sequence[Difference]) -> bool:
    """0 · inf and 0 · nan where no gradient flows, as in the branch that `where` did not select."""
    if any(each.sort != "grad" or not np.isnan(each.theirs).any() for each in found):
        return False
    inside = program.output is None  # a session calls backward itself
    mode = "mode" if inside else "backward"
    return _agrees(in_torch(program, **{mode: NoFlow}), program, here)


def _with(**functions: Callable[..., Any]) -> Callable[..., bool]:
    """A rule: the answers agree when PyTorch's functions are replaced by these."""

    def rule(program: Program, here: Answer, found: Sequence[Difference]) -> bool:
        text = program.text(HERE)
        if not any(re.search(rf"\b{name}\b", text) for name in functions):
            return False
        saved = {
            (module, name): getattr(module, name)
            for name in functions
            for module in (torch, torch.Tensor, torch.nn.functional, torch.special, torch.linalg)
            if hasattr(module, name)
        }
        try:
            for module, name in saved:
                setattr(module, name, functions[name])
            return _agrees(in_torch(program), program, here)
        finally:
            for (module, name), function in saved.items():
                setattr(module, name, function)

    return rule


def _agrees(theirs: Answer, program: Program, here: Answer) -> bool:
    return not theirs.error and not differences(program, here, theirs)


def _first_topk(x: Any, k: int, dim: int = -1, largest: bool = True, sorted: bool = True) -> Any:
    values, places = torch.sort(x, dim=dim, descending=largest, stable=True)
    return Ordered((values.narrow(dim, 0, k), places.narrow(dim, 0, k)))


class Ordered(tuple[Any, ...]):
    """A pair under PyTorch's names."""

    values = property(lambda self: self[0])
    indices = property(lambda self: self[1])


def _clamped(x: Any, min: Any = None, max: Any = None) -> Any:
    low = -torch.inf if min is None else min
    high = torch.inf if max is None else max
    inside = (x > low) & (x < high)
    return torch.where(inside, x, x.detach().clip(low, high).to(x.dtype))


RULES: Mapping[str, Callable[[Program, Answer, Sequence[Difference]], bool]] = {
    "digits of trigamma, of `hardsigmoid`'s derivative and of small `gelu`s": _digits,
    "a `.grad` that is retained, and `grad`": _retained,
    "the second derivative of what is linear": _linear,
    "digits of PyTorch's float32": _closer,
    "the kind of what has no elements": _nothing,
    "a branch of `where` that is not selected, and other zeros that meet nan": _no_flow,
    "which of equal elements `topk` takes": _with(topk=_first_topk),
    "`clamp` at a bound": _with(
        clamp=_clamped,
        clamp_min=_clamped,
        clamp_max=lambda x, high: _clamped(x, None, high),
    ),
}
"""By name; each says whether it explains what was found."""
