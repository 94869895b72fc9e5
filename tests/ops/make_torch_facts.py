"""Write `torch_facts.json`, what PyTorch itself tells of its functions: which have several forms,
what autocast has them compute in, whether their results lie in memory as their operands do, and
which give integers of integers.

    python -m tests.ops.make_torch_facts

needs PyTorch.
"""

from __future__ import annotations

import contextlib
import json
import warnings
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812

from gradcli.ops import FUNCTIONS
from tests.ops.table_cases import all_cases

FILE = Path(__file__).with_name("torch_facts.json")
MODULES = (F, torch, torch.linalg, torch.special)
SQUARE, IMAGES = {"x": (3, 3)}, {"x": (1, 2, 4, 6)}
BESIDE: Mapping[str, tuple[Callable[..., Any], Mapping[str, tuple[int, ...]]]] = {
    "cosine_embedding_loss": (
        lambda x, y: F.cosine_embedding_loss(x, y, torch.ones(2)), {"x": (2, 3), "y": (2, 3)}),
    "ctc_loss": (
        lambda x: F.ctc_loss(x, torch.ones(1, 1, dtype=torch.int64), (4,), (1,)), {"x": (4, 1, 3)}),
    "cholesky": (lambda x: torch.linalg.cholesky(x @ x.T + torch.eye(3)), SQUARE),
    "hinge_embedding_loss": (lambda x: F.hinge_embedding_loss(x, torch.ones(3, 3)), SQUARE),
    "margin_ranking_loss": (
        lambda x, y: F.margin_ranking_loss(x, y, torch.ones(2)), {"x": (2,), "y": (2,)}),
    "multi_margin_loss": (lambda x: F.multi_margin_loss(x, torch.tensor([0, 1, 2])), SQUARE),
    "multilabel_margin_loss": (
        lambda x: F.multilabel_margin_loss(x, torch.tensor([[0, -1, 1]] * 3)), SQUARE),
    "nll_loss": (lambda x: F.nll_loss(x, torch.tensor([0, 1, 2])), SQUARE),
    "soft_margin_loss": (lambda x: F.soft_margin_loss(x, torch.ones(3, 3)), SQUARE),
    "addcmul": (lambda x: torch.addcmul(x, x, x), SQUARE),
    "addcdiv": (lambda x: torch.addcdiv(x, x, x), SQUARE),
    "where": (lambda x: torch.where(x > 0, x, x), SQUARE),
    "full_like": (lambda x: torch.full_like(x, 2.0), SQUARE),
    "zeros_like": (torch.zeros_like, SQUARE),
    "ones_like": (torch.ones_like, SQUARE),
    "rand_like": (torch.rand_like, SQUARE),
    "randn_like": (torch.randn_like, SQUARE),
    "dropout": (lambda x: F.dropout(x, 0.5), SQUARE),
    "masked_fill": (lambda x: torch.masked_fill(x, x > 0, 1.0), SQUARE),
    "avg_pool2d": (lambda x: F.avg_pool2d(x, 2), IMAGES),
}  # fmt: skip
"""Calls of functions whose cases are no calls of PyTorch's, and the shapes of their operands."""


def cases() -> Iterator[tuple[str, Callable[..., Any], Mapping[str, Any], tuple[float, float]]]:
    """By function, calls of PyTorch's, with the shapes and the domain of their operands."""
    for name, (call, shapes) in BESIDE.items():
        yield name, call, shapes, (0.2, 1.0)
    for name, case in all_cases():
        if name in BESIDE or not case.shapes:
            continue
        if not case.program.startswith(f"{name.rpartition('.')[2]}("):
            continue
        for module in MODULES:
            text = f"lambda {', '.join(case.shapes)}: module.{case.program}"
            call = eval(text, {"module": module, "torch": torch})  # a case of this table
            yield name, call, case.shapes, case.domain


def tensors(value: Any) -> list[torch.Tensor]:
    """The tensors in a result, side by side."""
    if isinstance(value, torch.Tensor):
        return [value]
    return [t for each in value for t in tensors(each)] if isinstance(value, tuple | list) else []


def dtypes(call: Callable[..., Any], given: Mapping[str, torch.Tensor]) -> set[str]:
    """The floating-point dtypes of what autocast gives for operands."""
    with torch.autocast("cpu", dtype=torch.bfloat16):
        found = [t.dtype for t in tensors(call(**given)) if t.is_floating_point()]
    return {str(each).removeprefix("torch.") for each in found}


def turned(x: torch.Tensor) -> torch.Tensor:
    """The same tensor, whose last two axes lie in the other order."""
    return x.mT.contiguous().mT if x.ndim > 1 else x


def keeps(call: Callable[..., Any], given: Mapping[str, torch.Tensor]) -> bool | None:
    """Whether a new result of the operands' shape lies as they do; None where it has another."""
    other_way = {name: turned(x) for name, x in given.items()}
    found = [tensors(call(**operands)) for operands in (given, other_way)]
    usual, other = found[0][0], found[1][0]
    shapes = {x.shape for x in given.values()}
    if len(found[0]) > 1 or shapes != {usual.shape} or 1 in usual.shape:
        return None
    if usual.ndim < 2 or usual._is_view() or not usual.is_contiguous():
        return None
    return bool(other.stride() == turned(usual).stride())


def gives_integers(call: Callable[..., Any], integers: Mapping[str, torch.Tensor]) -> bool:
    """Whether all that is computed of integers are integers."""
    return all(t.dtype == torch.int64 for t in tensors(call(**integers)))


def is_overloaded(function: Callable[..., Any]) -> bool:
    """Whether a second argument of a wrong class is told of together with all forms there are."""
    try:
        function(torch.ones(2, 2), object())
    except (AttributeError, RuntimeError, TypeError, ValueError) as error:
        return "invalid combination" in str(error)
    return False


def main() -> None:
    """Ask PyTorch of all functions; calls that fail there are left out."""
    warnings.simplefilter("ignore")
    names = [name for name, function in FUNCTIONS.items() if function.name == name]
    overloaded = {
        name: is_overloaded(getattr(torch, name))
        for name in names
        if hasattr(torch, name) and not isinstance(getattr(torch, name), type)
    }
    cast: dict[str, list[set[str]]] = {}
    order: dict[str, set[bool]] = {}
    whole: dict[str, set[bool]] = {}
    for name, call, shapes, domain in cases():
        drawn = np.random.default_rng(0)
        given = {
            each: torch.tensor(drawn.uniform(*domain, shape), dtype=torch.float32)
            for each, shape in shapes.items()
        }
        halves = {each: x.bfloat16() for each, x in given.items()}
        with contextlib.suppress(Exception):
            both = cast.setdefault(name, [set(), set()])
            both[0] |= dtypes(call, given)
            both[1] |= dtypes(call, halves)
        integers = {each: torch.tensor(drawn.integers(1, 5, shapes[each])) for each in given}
        with contextlib.suppress(Exception):
            if all(t.is_floating_point() for t in tensors(call(**given))):
                whole.setdefault(name, set()).add(gives_integers(call, integers))
        with contextlib.suppress(Exception):
            kept = keeps(call, given)
            if kept is not None:
                order.setdefault(name, set()).add(kept)
    found = {
        "overloaded": overloaded,
        "autocast": {name: [*map(sorted, both)] for name, both in cast.items() if all(both)},
        "order": {name: all(kept) for name, kept in order.items()},
        "integers": {name: any(found) for name, found in whole.items()},
    }
    FILE.write_text(json.dumps(found, indent=0, sort_keys=True) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
