"""Write down what cupy offers: `python -m tests.ops.device.make_surface`.

It needs cupy (the extra `gpu`), but no card. Of the names that NumPy has too, and of its special
functions, the file keeps the parameters; of ufuncs how many operands they take.
"""

from __future__ import annotations

import inspect
import json
import re
from pathlib import Path
from typing import Any

import cupy
import cupyx.scipy.special
import numpy
import scipy.special

SURFACE = Path(__file__).with_name("surface.json")


def main() -> None:
    """Write the file again."""
    surface = {
        "cupy": cupy.__version__,
        "names": names(cupy, numpy),
        "linalg": names(cupy.linalg, numpy.linalg),
        "lib.stride_tricks": names(cupy.lib.stride_tricks, numpy.lib.stride_tricks),
        "special": names(cupyx.scipy.special, scipy.special),
        "array": names(cupy.ndarray, numpy.ndarray),
    }
    SURFACE.write_text(json.dumps(surface, indent=0) + "\n")


def names(room: Any, model: Any) -> dict[str, str]:
    """The parameters of what both rooms have, by name; "" for what cannot be called."""
    found = {}
    for name in sorted(set(dir(room)) & set(dir(model))):
        each = getattr(room, name)
        if not name.startswith("_") and not inspect.ismodule(each):
            found[name] = parameters(each)
    return found


def parameters(each: Any) -> str:
    """The names of a function's parameters; of a ufunc `ufunc` and its count of operands."""
    if isinstance(each, cupy.ufunc):
        return f"ufunc {each.nin}"
    if inspect.isclass(each) or not callable(each):
        return ""
    try:
        line = str(inspect.signature(each))
    except ValueError:  # Cython's methods say it in the first line of their documentation
        line = (each.__doc__ or "").partition("\n")[0]
    inside = re.search(r"\((.*)\)", line)
    assert inside is not None, f"{each} says no parameters"
    names = (re.match(r"(?:\w+ )?(\**\w*)", part) for part in re.split(r", (?![^(]*\))", inside[1]))
    return ", ".join(name[1] for name in names if name and name[1] not in ("", "self"))


if __name__ == "__main__":
    main()
