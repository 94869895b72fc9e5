"""Write down what libraries have, and what they give:

    python -m tests.ops.prefixes.make_prefixes [module …]

It needs PyTorch and JAX (the extra `bench`). The names go to `gradcli/trace/libraries.json`, the
results of calls to `calls` in this folder, a file for each module: what a file has stays, and of a
function that it lacks a few calls are added. All is in float64 on the CPU.
"""

from __future__ import annotations

import importlib
import json
import sys
import warnings
from pathlib import Path
from typing import Any

import jax
import numpy as np
import torch

from gradcli.ops import FUNCTIONS
from gradcli.trace.callee import MODELS
from gradcli.trace.libraries import has
from tests.ops.goldens.golden import encode
from tests.ops.prefixes.pasted import INPUTS, PREFIXES, arguments_of, flat

LIBRARIES = Path(__file__).parents[3] / "gradcli" / "trace" / "libraries.json"
CALLS = Path(__file__).with_name("calls")
ENOUGH = 8
"""Calls of a function that are added, at most."""
CLASSES = {"torch": ("Tensor", "FloatTensor", "DoubleTensor"), "np": ("float64", "double")}
"""Classes that are called as functions are."""
MORE = {
    "torch.autograd": "Variable backward grad",
    "torch.testing": "assert_close",
}
"""Modules of which programs call no other function."""


def names(module: str, room: Any) -> str:
    """The public functions of a module."""
    kept = CLASSES.get(module, ())
    found = [
        name
        for name in dir(room)
        if not name.startswith("_")
        and callable(each := getattr(room, name))
        and (name in kept or not isinstance(each, type))
    ]
    return " ".join(sorted(found))


def list_names(rooms: dict[str, Any]) -> None:
    """Write the names of every module."""
    listed = {module: names(module, room) for module, room in rooms.items()} | MORE
    listed["torch.Tensor"] = " ".join(each for each in dir(torch.Tensor) if each[0] != "_")
    LIBRARIES.write_text(json.dumps(listed, indent=0) + "\n")


def results(module: str, name: str, function: Any) -> dict[str, Any]:
    """By what stands in the parentheses: the arrays that the library gives."""
    found = {}
    taken = arguments_of(module, name)
    if module in MODELS:  # a call takes JAX long, a refusal longer: a third of what the model takes
        taken = tuple(json.loads((CALLS / f"{MODELS[module]}.json").read_text()).get(name, ()))[::3]
    for text in taken:
        inputs: dict[str, Any] = {key: value.copy() for key, value in INPUTS.items()}
        if module == "F" or module.startswith("torch"):
            inputs = {key: torch.tensor(value) for key, value in inputs.items()}
        elif module.startswith("j"):
            inputs = {key: jax.numpy.asarray(value) for key, value in inputs.items()}
        try:
            arrays = flat(eval(f"function({text})", {"function": function, **inputs}))
        except Exception:  # noqa: BLE001 — the library does not take these arguments
            continue
        if arrays is not None:
            found[text] = [shortened(encode(array)) for array in arrays]
    return found


def shortened(stored: dict[str, Any]) -> list[Any]:
    """Shape and elements, with 12 digits."""
    data = [float(f"{each:.12g}") if isinstance(each, float) else each for each in stored["data"]]
    return [stored["shape"], data]


def main() -> None:
    """Write both files."""
    settings: Any = jax.config
    settings.update("jax_enable_x64", True)
    settings.update("jax_traceback_filtering", "off")
    torch.set_default_dtype(torch.float64)
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    rooms = {module: importlib.import_module(name) for module, name in PREFIXES.items()}
    list_names(rooms)
    for module in sys.argv[1:] or rooms:
        write_calls(module, rooms[module])


def write_calls(module: str, room: Any) -> None:
    """Write what the functions of a module give, a function a line."""
    path = CALLS / f"{module}.json"
    stored = json.loads(path.read_text()) if path.exists() else {}
    for name in sorted({each.rpartition(".")[2] for each in FUNCTIONS} - set(stored)):
        function = getattr(room, name, None)
        listed = callable(function) and name in has(module)
        found = list((results(module, name, function) if listed else {}).items())
        if found:
            stored[name] = dict(found[:: -(-len(found) // ENOUGH)])
    lines = (
        f'"{name}":{json.dumps(calls, separators=(",", ":"))}'
        for name, calls in sorted(stored.items())
    )
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main()
