"""Write down PyTorch's keywords: `python -m tests.ops.prefixes.make_keywords`.

It needs PyTorch 2.13 (the extra `oracle`). For each function that gradcli has under PyTorch's name,
the file keeps the parameters of all its forms.
"""

from __future__ import annotations

import inspect
import json
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional

from gradcli.ops import FUNCTIONS

KEYWORDS = Path(__file__).with_name("keywords.json")
ROOMS: dict[str, tuple[Any, str]] = {
    "torch": (torch, "aten::"),
    "torch.linalg": (torch.linalg, "aten::linalg_"),
    "torch.special": (torch.special, "aten::special_"),
    "F": (torch.nn.functional, "aten::"),
}
"""By prefix: the module, and how the operators behind its functions begin."""


def keywords(function: Any, operator: str) -> list[str]:
    """The parameters of a function written in Python, or of the forms of an operator."""
    if inspect.isfunction(function):
        found = inspect.signature(inspect.unwrap(function)).parameters.values()
        names = [each.name for each in found if each.kind is not each.VAR_KEYWORD]
    else:
        schemas: list[Any] = torch._C._jit_get_schemas_for_operator(operator)
        names = [
            each.name
            for schema in schemas
            if "Dimname" not in str(schema)
            if any("Tensor" in str(each.type) for each in schema.returns)
            for each in schema.arguments
            if not each.is_out
        ]
    return sorted({"input" if name == "self" else name for name in names} - {"args", "kwargs"})


def main() -> None:
    """Write the file."""
    found = {}
    for prefix, (room, operator) in ROOMS.items():
        for name in sorted(each for each in FUNCTIONS if "." not in each):
            function = getattr(room, name, None)
            if callable(function) and not isinstance(function, type):
                names = keywords(function, operator + name)
                if names:
                    found[f"{prefix}.{name}"] = names
    lines = (f"{json.dumps(name)}: {json.dumps(' '.join(each))}" for name, each in found.items())
    KEYWORDS.write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main()
