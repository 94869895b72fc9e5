"""Make the goldens with PyTorch: `python -m tests.ops.goldens.make_goldens [NAME …]`.

A name is a group, or a function: then its goldens alone are made, and all others stay.
It needs PyTorch 2.13 (the extra `oracle`). Everything runs in float64 on one thread of the CPU.
"""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Callable, Collection, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch

from gradcli.ops.deviations import DEVIATIONS, Deviation
from tests.ops.goldens.golden import Array, Golden, Input, View, cotangent, decode, encode

HERE = Path(__file__).parent
GROUPS = sorted(path.stem for path in (HERE / "cases").glob("[a-z]*.py"))
"""The modules in `cases`; each has a function `goldens()`."""


class Store:
    """Arrays of one file, each kept once."""

    def __init__(self) -> None:
        self.arrays: list[dict[str, Any]] = []
        self._places: dict[str, int] = {}

    def put(self, array: Array) -> int:
        """The place of the array in the file."""
        encoded = encode(array)
        place = self._places.setdefault(json.dumps(encoded), len(self.arrays))
        if place == len(self.arrays):
            self.arrays.append(encoded)
        return place


VIEWS: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    ".T": lambda tensor: tensor.T,
    ".mT": lambda tensor: tensor.mT,
    "[::2]": lambda tensor: tensor[::2],
    "[..., ::2]": lambda tensor: tensor[..., ::2],
}
"""What an input is read through, as gradcli and PyTorch both spell it."""


def as_array(value: Input) -> Array:
    """An input as an array of float64, int64 or bool."""
    array = np.asarray(value.base if isinstance(value, View) else value)
    return array if array.dtype.kind in "ib" else array.astype(np.float64)


def record(golden: Golden, inputs: dict[str, Input], store: Store) -> dict[str, Any]:
    """One run: what PyTorch makes of it, and the program where it reads an input by a view."""
    leaves: dict[str, torch.Tensor] = {}
    operands: list[torch.Tensor] = []
    views = []
    for name, value in inputs.items():
        leaf = torch.tensor(as_array(value))
        if leaf.dtype == torch.float64:
            leaf.requires_grad_(golden.differentiable)
        if isinstance(value, View):
            leaves[f"{name}_"] = leaf
            operands.append(VIEWS[value.how](leaf))
            views.append(f"{name} = {name}_{value.how}; ")
        else:
            leaves[name] = leaf
            operands.append(leaf)
    result = golden.torch(*operands)
    stored: dict[str, Any] = {
        **({"program": "".join(views) + golden.program} if views else {}),
        "inputs": {name: store.put(leaf.detach().numpy()) for name, leaf in leaves.items()},
        "value": store.put(result.detach().numpy()),
    }
    if result.requires_grad:
        wanted = {name: leaf for name, leaf in leaves.items() if leaf.requires_grad}
        weights = torch.tensor(cotangent(tuple(result.shape)))
        found = torch.autograd.grad(result, list(wanted.values()), weights, allow_unused=True)
        stored["grads"] = {
            name: store.put((torch.zeros_like(leaf) if grad is None else grad).numpy())
            for (name, leaf), grad in zip(wanted.items(), found, strict=True)
        }
    return stored


def entry(golden: Golden, store: Store) -> dict[str, Any]:
    """A golden with all its records."""
    tolerance = {"rtol": golden.rtol, "atol": golden.atol, "reason": golden.reason}
    records = []
    for inputs in golden.inputs:
        try:
            records.append(record(golden, dict(inputs), store))
        except Exception as error:
            error.add_note(f"in {golden.program} on {dict(inputs)}")
            raise
    return {
        "function": golden.function,
        "program": golden.program,
        **tolerance,
        "elementwise": golden.elementwise,
        "records": records,
    }


def stored(path: Path) -> Iterator[tuple[str, Callable[[Store], dict[str, Any]]]]:
    """The goldens of a file: the function, and what puts a golden's arrays into a store."""
    file = json.loads(path.read_text())

    def kept(golden: dict[str, Any], store: Store) -> dict[str, Any]:
        def put(place: int) -> int:
            return store.put(decode(file["arrays"][place]))

        for each in golden["records"]:
            each["inputs"] = {name: put(place) for name, place in each["inputs"].items()}
            each["value"] = put(each["value"])
            if "grads" in each:
                each["grads"] = {name: put(place) for name, place in each["grads"].items()}
        return golden

    for golden in file["goldens"]:
        yield golden["function"], partial(kept, golden)


def goldens_of(group: str) -> Iterator[Golden]:
    """The cases of one module."""
    yield from importlib.import_module(f"tests.ops.goldens.cases.{group}").goldens()


def write(group: str, functions: Collection[str] = ()) -> None:
    """Run a group, or some of its functions, and write its file, a golden or an array a line."""
    path = HERE / f"{group}.json"
    store = Store()
    kept: dict[str, list[Callable[[Store], dict[str, Any]]]] = {}
    for name, put in stored(path) if functions else ():
        kept.setdefault(name, []).append(put)
    goldens = []
    for golden in goldens_of(group):
        if functions and golden.function not in functions:
            goldens.append(kept[golden.function].pop(0)(store))
        else:
            goldens.append(entry(golden, store))

    def lines(items: list[dict[str, Any]]) -> str:
        return ",\n".join(json.dumps(item, separators=(",", ":")) for item in items)

    path.write_text(
        f'{{"torch":"{torch.__version__}",\n"goldens":[\n{lines(goldens)}],\n'
        f'"arrays":[\n{lines(store.arrays)}]}}\n'
    )
    count = sum(len(golden["records"]) for golden in goldens)
    print(f"{path.name}: {count} records, {path.stat().st_size:,} bytes")  # noqa: T201


def pytorch_side(deviation: Deviation) -> dict[str, Any]:
    """PyTorch's value and grads at the point where gradcli differs."""
    leaves = {
        name: torch.tensor(value, dtype=torch.float64, requires_grad=True)
        for name, value in deviation.inputs.items()
    }
    try:
        names = {"torch": torch, "F": torch.nn.functional, **leaves}
        result = eval(deviation.torch, names)  # our own text, not a user's
        if result.requires_grad:
            result.sum().backward()
    except RuntimeError as error:
        return {"error": str(error).splitlines()[0]}
    grads = {
        name: encode(leaf.grad.numpy()) for name, leaf in leaves.items() if leaf.grad is not None
    }
    return {"value": encode(result.detach().numpy()), **grads}


def write_deviations() -> None:
    """Run PyTorch at every point where gradcli differs."""
    sides = {deviation.where: pytorch_side(deviation) for deviation in DEVIATIONS}
    (HERE / "deviations.json").write_text(json.dumps(sides, indent=1) + "\n")


if __name__ == "__main__":
    torch.set_num_threads(1)
    wanted = sys.argv[1:] or GROUPS
    for name in GROUPS:
        if name in wanted:
            write(name)
        elif chosen := {golden.function for golden in goldens_of(name)} & {*wanted}:
            write(name, chosen)
    write_deviations()
