"""Write `torch_nodes.json`: the names of PyTorch's nodes, for one case of each of its functions;
and `torch_nodes_by_call.json`: those of calls, by the shapes and options of their arguments.

    python -m tests.ops.make_torch_nodes

needs PyTorch.
"""

from __future__ import annotations

import contextlib
import io
import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from tests.ops.table_cases import all_cases

FILE = Path(__file__).with_name("torch_nodes.json")
BY_CALL = Path(__file__).with_name("torch_nodes_by_call.json")
"""Calls, and the names; calls are added by hand."""
MODULES = ("torch.nn.functional", "torch", "torch.linalg", "torch.special")


def cells() -> Iterator[tuple[str, str]]:
    """By function, cells that print the name of the node of one of its cases."""
    for name, case in all_cases():
        if not case.shapes or not case.program.startswith(f"{name.rpartition('.')[2]}("):
            continue
        drawn = np.random.default_rng(0)
        lines = [
            f"{each} = torch.tensor({np.round(drawn.uniform(*case.domain, shape), 3).tolist()}, "
            "requires_grad=True)"
            for each, shape in case.shapes.items()
        ]
        for module in MODULES:
            head = ["import torch", "import torch.nn.functional", *lines]
            call = f"r = {module}.{case.program}"
            yield name, "\n".join([*head, call, "print(r.grad_fn.name())"])


def main() -> None:
    """Run the cells by PyTorch; those that fail there are left out."""
    found: dict[str, tuple[str, str]] = {}
    for name, cell in cells():
        if name in found:
            continue
        printed = io.StringIO()
        with contextlib.suppress(Exception), contextlib.redirect_stdout(printed):
            exec(cell, {})  # a cell of this file, not of a user
        if printed.getvalue().strip().isalnum():
            found[name] = cell, printed.getvalue().strip()
    FILE.write_text(json.dumps(found, indent=0) + "\n", encoding="utf-8")


def ask_again() -> None:
    """The names of all calls, once more."""
    held = json.loads(BY_CALL.read_text(encoding="utf-8"))
    for call in held["names"]:
        known: dict[str, object] = {}
        exec(
            "\n".join([*held["before"], f"r = {call}", "n = r.grad_fn and r.grad_fn.name()"]), known
        )
        held["names"][call] = known["n"]
    BY_CALL.write_text(json.dumps(held, indent=0) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
    ask_again()
