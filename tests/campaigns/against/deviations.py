"""Which documented differences (`gradcli ops --deviations`) explain what was found."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import torch
from torch.utils._python_dispatch import TorchDispatchMode

from tests.campaigns.against import sides
from tests.campaigns.against.compare import ROUNDING, Difference, differences, is_rounding
from tests.campaigns.against.conventions import CONVENTIONS
from tests.campaigns.against.exchange import Convention, exchanged
from tests.campaigns.against.flow import no_flow
from tests.campaigns.against.program import HERE, Program
from tests.campaigns.against.sides import Answer, in_torch

FLOAT32 = "digits of float32"
SINGULAR = "a singular matrix"
NOTHING = "`.grad` after the backward of `norm(x, 0)`"
SEVERAL = "several of these at once"
STRICT = [each for each in CONVENTIONS if each.aten.get("*") is not no_flow]
"""Without the convention that 0 stays 0 whatever it is multiplied by: it holds downstream of what
selects, and elsewhere 0 times infinity is nan.
"""
KINDS = re.compile(
    "not implemented for '(Bool|Int|Long)'|only support floating point|bool tensor is not "
    "supported|dtype (Bool|Long|Int)|floating point|(on|with) two bool tensors|same dtype|"
    "but got dtype|boolean masks|be a boolean tensor|expected BoolTensor|"
    "expected scalar type|different dtypes|"
    "does not support bool|bool is not supported|used as indices must be|"
    "only implemented on integer|either float or double"
)
ACCEPTED = {
    "`floor_divide`": re.compile(r"derivative for aten::\w+ is not implemented"),
    "the second derivative of `cdist`": re.compile("derivative for '_cdist_backward'"),
    "`linalg.vander` of vectors of one element": re.compile("N must be greater than 1"),
    "`pad` of a vector, or of all axes of a matrix, in a mode of its own": re.compile(
        r"Padding size \d+ is not supported for \dD input"
    ),
    "`roll` and `repeat_interleave` of a single value": re.compile("tensor has no dimensions"),
    "`binary_cross_entropy` of nan": re.compile("elements of input should be between 0 and 1"),
    "kinds that a function does not take": KINDS,
    "the gradient of `vander`": re.compile(r"modified by an inplace .* AsStrided, is at version 3"),
}
"""What gradcli takes and PyTorch does not, by PyTorch's error."""


def deviation(
    program: Program, here: Answer, theirs: Answer, found: Sequence[Difference]
) -> str | None:
    """The name of the documented difference that explains all that was found, if one does."""
    if found[0].sort == "refusal":
        return _refused(program, here)
    together = _remaining(program, here, CONVENTIONS)
    if found[0].sort == "acceptance" and together:
        return _accepted(theirs.error)
    if not together or not _remaining(program, here, STRICT):
        return _which(program, here)
    if together[0].sort == "acceptance":  # with what gradcli means, PyTorch goes on to refuse it
        return _accepted(together[0].theirs)
    if all(map(_is_nothing, together)):
        return NOTHING
    if len(together) == len(found) and _same(together, found):
        return SINGULAR if _meets_singular(program) else None
    if is_rounding(program, together, lambda: exchanged(CONVENTIONS)):
        return SEVERAL
    found_alone = _which(program, here)
    if found_alone != SEVERAL:
        return found_alone
    return SINGULAR if _meets_singular(program) else None


def _accepted(error: str) -> str | None:
    return next((name for name, text in ACCEPTED.items() if text.search(error)), None)


def _is_nothing(found: Difference) -> bool:
    """A grad of 0, or of 0 times nan, that PyTorch leaves None."""
    return found.sort == "none" and found.theirs is None and not np.nan_to_num(found.here).any()


def _which(program: Program, here: Answer) -> str:
    """The one that is enough."""
    for each in CONVENTIONS:
        if not _remaining(program, here, [each]):
            return each.where
    return SEVERAL


def _remaining(
    program: Program, here: Answer, conventions: Sequence[Convention]
) -> list[Difference]:
    """What differs from a PyTorch that has these conventions."""
    theirs = in_torch(program, lambda: exchanged(conventions))
    return differences(program, here, theirs)


def _same(one: Sequence[Difference], other: Sequence[Difference]) -> bool:
    """Whether the conventions changed nothing."""
    return all(
        a.name == b.name and np.array_equal(a.theirs, b.theirs, equal_nan=True)
        for a, b in zip(one, other, strict=True)
        if isinstance(a.theirs, np.ndarray)
        and isinstance(b.theirs, np.ndarray)
        and a.theirs.dtype.kind == b.theirs.dtype.kind == "f"
    )


# --- refusals --------------------------------------------------------------------------------


def _refused(program: Program, here: Answer) -> str | None:
    code = here.error.split(":")[0]
    if code == "graph-freed" and _freeing(program):
        return "a second backward through `y = x + 2`"
    if code == "no-grad" and "is a constant: it comes from the grad" in here.error:
        return "`grad(z, w)` where z depends on w by way of a `.grad` alone"
    if code == "shape" and "pad: circular" in here.error:
        return "`pad` in circles of an axis of which negative counts leave nothing"
    if code == "index" and "is out of range" in here.error:  # PyTorch looks at what is taken
        return "a place that is out of range where nothing is taken"
    if code == "gradient-shape":
        return _other_shape(program)
    if code == "type":
        error = in_torch(program, lambda: exchanged(CONVENTIONS)).error
        return "kinds that a function does not take" if error else None
    if code == "value" and re.search("did not converge|has nan or infinities", here.error):
        return "singular values of a matrix with infinities"
    if code == "singular" and _meets_singular(program):
        return SINGULAR
    return None


def _other_shape(program: Program) -> str | None:
    """Why there are other elements than those for which PyTorch's shape gave the gradient."""
    forward = replace(program, output=None, wrt=(), retained=(), gradient=None)
    ours = sides.here(forward)
    if not _remaining(forward, ours, CONVENTIONS):
        return _which(forward, ours)
    found = differences(forward, ours, in_torch(forward))
    return ROUNDING if found and is_rounding(forward, found) else None


def _freeing(program: Program) -> bool:
    """Whether a backward that frees the graph has another one behind it."""
    passes = re.findall(r"backward\([^\n]*|grad\([^\n]*", program.text(HERE))
    return any("=True" not in each for each in passes[:-1])


class Matrices(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Sees whether PyTorch solves with, inverts or factorises a matrix that is singular."""

    singular = False

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if re.search("solve|inv|lu_|det|cholesky", func._schema.name.split("::")[1]):
            self.singular |= any(map(_is_singular, args))
        return func(*args, **(kwargs or {}))


def _is_singular(x: Any) -> bool:
    if not torch.is_tensor(x) or x.dim() < 2 or x.shape[-1] != x.shape[-2] or not x.numel():
        return False
    if not x.is_floating_point() or not bool(x.isfinite().all()):
        return x.is_floating_point()
    values = torch.linalg.svdvals(x)
    return bool((values[..., -1] <= 64 * torch.finfo(x.dtype).eps * values[..., 0]).any())


def _meets_singular(program: Program) -> bool:
    seen = Matrices()  # type: ignore[no-untyped-call]
    in_torch(program, lambda: seen)
    return seen.singular


# --- float32 ---------------------------------------------------------------------------------


def is_closer(program: Program, here: Answer, found: Sequence[Difference]) -> bool:
    """In float32 PyTorch is farther from what it gives in float64 than gradcli is."""
    if program.dtype != "float32" or any(each.sort not in ("value", "grad") for each in found):
        return False
    inputs = {name: _widened(array) for name, array in program.inputs.items()}
    given = None if program.gradient is None else _widened(program.gradient)
    wide = replace(program, dtype="float64", inputs=inputs, gradient=given)
    exact = in_torch(wide, lambda: exchanged(CONVENTIONS))
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
