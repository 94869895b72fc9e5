"""The public functions of the libraries whose prefixes people paste, by module.

`libraries.json` is made from the libraries themselves, by `tests/ops/prefixes/make_prefixes.py`.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path


@cache
def _modules() -> dict[str, frozenset[str]]:
    listed = json.loads(Path(__file__).with_name("libraries.json").read_text())
    return {module: frozenset(names.split()) for module, names in listed.items()}


def has(module: str) -> frozenset[str]:
    """The names of a module's functions."""
    return _modules().get(module, frozenset())


def modules_with(name: str) -> list[str]:
    """The modules that have a function of that name."""
    rooms = ((module, names) for module, names in _modules().items() if module != "torch.Tensor")
    return [module for module, names in rooms if name in names]
