"""Errors of indices and loops: what Python and PyTorch say of them."""

from __future__ import annotations

import math

from gradcli.diagnostics import RefusedError
from gradcli.trace.items import Items


def float_as_index() -> RefusedError:
    """The error for a tensor of floats between brackets."""
    return RefusedError(
        ("IndexError", "tensors used as indices must be long, int, byte or bool tensors"),
        "type",
        "an index must be a tensor of integers or truth values, not of floats",
        hint="i.long() makes integers of it, x > 0 is a mask",
    )


def check_bounds(start: float, end: float, step: float) -> None:
    """Raise PyTorch's error where `torch.arange` has no such range."""
    if not (math.isfinite(start) and math.isfinite(end)):
        said = f"unsupported range: {start:g} -> {end:g}"
    elif step == 0:
        said = "step must be nonzero"
    elif (end - start) * step < 0:
        said = "upper bound and lower bound inconsistent with step sign"
    else:
        return
    raise RefusedError(
        ("RuntimeError", said),
        "value",
        f"arange: there are no numbers from {start:g} to {end:g} in steps of {step:g}",
        hint="a step below 0 counts down",
    )


def float_for_integer(what: str, *, is_tensor: bool) -> RefusedError:
    """The error for a number such as 2.0 where PyTorch and Python want an integer."""
    name, _, parameter = what.rpartition(": ")
    kind = "TypeError"
    if is_tensor:
        said = "only integer tensors of a single element can be converted to an index"
    elif what == "range":
        said = "'float' object cannot be interpreted as an integer"
    elif what.startswith("an index of a "):
        said = f"{what.rpartition(' ')[2]} indices must be integers or slices, not float"
    elif what == "an index":
        kind = "IndexError"
        said = (
            "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are "
            "valid indices (got float)"
        )
    elif what == "a slice's bound":
        said = "slice indices must be integers or None or have an __index__ method"
    elif what.startswith("how often"):
        said = "can't multiply sequence by non-int of type 'float'"
    else:
        call = f"{name.rpartition('.')[2]}(): " if name else ""
        said = f"{call}argument '{parameter}' must be int, not float"
    return RefusedError(
        (kind, said),
        "type",
        f"{what} must be an integer, not a float",
        hint="int(n) is an integer, and n // 2 of one is one",
    )


def out_of_range(place: int, count: int, kind: str) -> RefusedError:
    """The error for an index of a list, a tuple or a string."""
    return RefusedError(
        ("IndexError", f"{kind.rpartition(' ')[2]} index out of range"),
        "index",
        f"index {place} is out of range for {count} values",
        hint=f"indices are from {-count} to {count - 1}" if count else None,
    )


def nothing_inside(described: str, kind: str, is_array: bool) -> RefusedError:
    """The error for a loop over a single value; `kind` is its class if it is a number."""
    said = f"iteration over a 0-d {'array' if is_array else 'tensor'}"
    said = f"'{kind}' object is not iterable" if kind else said
    return RefusedError(
        ("TypeError", said),
        "type",
        f"{described} has nothing to loop over",
        hint="loop over range(3), a list, or the rows of a tensor",
    )


def uneven(items: Items) -> RefusedError | None:
    """The error for the first list inside others that is not as long as those next to it."""
    lengths: list[int] = []
    first: object = items
    while isinstance(first, Items):
        lengths.append(len(first))
        first = first[0] if first else None
    waiting: list[tuple[object, int]] = [(items, 0)]
    while waiting:
        part, depth = waiting.pop()
        if not isinstance(part, Items) or depth >= len(lengths):
            continue
        if len(part) != lengths[depth]:
            said = f"expected sequence of length {lengths[depth]} at dim {depth} (got {len(part)})"
            return RefusedError(
                ("ValueError", said),
                "shape",
                f"a list of {len(part)} is next to one of {lengths[depth]}: they make no tensor",
                hint="all lists inside one must be as long as each other",
            )
        waiting += [(each, depth + 1) for each in reversed(part)]
    return None


def backwards() -> RefusedError:
    """The error for a slice of a tensor with a step below 0."""
    return RefusedError(
        ("ValueError", "step must be greater than zero"),
        "value",
        "a slice of a tensor has a step above 0 in PyTorch",
        hint="x.flip(0) turns an axis round",
    )
