"""What an import binds: modules whose functions gradcli has, and members of them."""

from __future__ import annotations

import math
import re
import string
import sys
from collections.abc import Mapping, Sequence
from typing import NoReturn

import numpy as np

from gradcli.diagnostics import GradcliError, RefusedError
from gradcli.ops import FUNCTIONS
from gradcli.trace.callee import MODULES, PYTHON
from gradcli.trace.constructors import KINDS
from gradcli.trace.items import NumpyDtype, Unquoted
from gradcli.trace.libraries import has
from gradcli.trace.names import COMPLEX

_PACKAGES = frozenset(("numpy", "torch", "math", "jax", "scipy", "scipy.special", "functorch"))
_ABBREVIATED = frozenset(
    ("F", "T", "autograd", "distributions", "jnp", "linalg", "lr_scheduler", "nn", "np", "optim")
)
"""What functions may have before them without an import, and that is no module by itself."""
_EMPTY = frozenset(("__future__", "typing", "collections.abc", "abc", "numbers"))
"""Modules that have no part in what is computed: importing from them does nothing."""
HINTS = ("typing", "collections.abc", "numbers")
"""Those of them whose members are types, which values are not computed of."""
_CONSTANTS = {"pi": math.pi, "e": math.e, "inf": math.inf, "nan": math.nan}
_VERSIONS = {"torch": "2.13.0", "torch.version": "2.13.0", "np": np.__version__}
"""The PyTorch whose meaning programs have, and the NumPy that is there."""
_NOTHING = ("torch.version.cuda", "torch.version.hip", "numpy.newaxis", "np.newaxis",
            "torch.newaxis")  # fmt: skip
"""Members of modules that are None: this PyTorch has no GPU."""
_FLAGS = ("I", "IGNORECASE", "M", "MULTILINE", "S", "DOTALL", "X", "VERBOSE")
_BY_PATH: dict[str, float | str | tuple[int, ...]] = {
    "torch.has_mps": False, "torch.has_cuda": False, "torch.has_cudnn": False,
    "torch.has_mkldnn": True,
    "math.tau": math.tau, "np.euler_gamma": np.euler_gamma, "numpy.euler_gamma": np.euler_gamma,
    "sys.maxsize": float(sys.maxsize), "sys.byteorder": "little", "sys.platform": "linux",
    "sys.version_info": (3, 11, 0), "sys.version": "3.11.0",
    "sys.stdout": Unquoted("sys.stdout"), "sys.stderr": Unquoted("sys.stderr"),
    **{f"re.{name}": float(getattr(re, name)) for name in _FLAGS},
}  # fmt: skip
_ABSTRACT = ("np.floating", "np.integer", "np.number", "np.generic")
"""What NumPy calls kinds of dtypes."""
_LAYOUTS = ("strided", "contiguous_format", "preserve_format", "channels_last",
            "channels_last_3d")  # fmt: skip
_KERNELS = ("MATH", "FLASH_ATTENTION", "EFFICIENT_ATTENTION", "CUDNN_ATTENTION", "OVERRIDEABLE")
"""By what attention may be computed, which is the same here."""
_HOMES = ("torch", "torch.version", "np", "math", "jnp")
"""Modules that have constants and dtypes."""


def check(path: str, special: Mapping[str, object], constants: Mapping[str, object]) -> str | None:
    """What the path of an import stands for; None where that is nothing.

    `special` and `constants` are functions and others with dots in their names. Raises `name` where
    gradcli has no such module or member.
    """
    if path.partition(".")[0] in _ABBREVIATED:
        _unknown_module(path)
    if path in MODULES or path in _PACKAGES:
        return path
    module, _, member = path.rpartition(".")
    if module in HINTS:
        return path
    if path in _EMPTY or module in _EMPTY:
        return None
    home = MODULES.get(module)
    if home is None:
        _unknown_module(module or path)
    known = f"{home}.{member}" in special or constant_of(path) is not None or path in constants
    of_table = member in FUNCTIONS or member in PYTHON or member in special
    if known or (of_table and (member in has(home) or home.startswith("torch"))):
        return path
    raise GradcliError(
        "name",
        f"gradcli has no {path}",
        hint="delete it from the import, unless it is used: gradcli ops lists all functions",
    )


def members(module: str, special: Mapping[str, object]) -> list[str]:
    """The names that `from module import *` binds: of its functions, classes and constants.

    `special` are functions with dots in their names. Raises `name` for an unknown module.
    """
    home = MODULES.get(module)
    if module in _EMPTY:
        return []
    if home is None:
        _unknown_module(module)
    own = {each.rpartition(".")[2] for each in special if each.rpartition(".")[0] == home}
    of_table = {each for each in has(home) if each in FUNCTIONS}
    constants = {each for each in _CONSTANTS if constant_of(f"{home}.{each}") is not None}
    inside = {each.removeprefix(f"{home}.") for each in MODULES if each.startswith(f"{home}.")}
    own |= {each for each in inside if "." not in each}
    return sorted(name for name in own | of_table | constants if not name.startswith("_"))


def imported(path: Sequence[str], imports: Mapping[str, str]) -> str | None:
    """The whole path of a name, or of a name behind a module, as it was imported."""
    if path[0] in imports:
        return ".".join([imports[path[0]], *path[1:]])
    return ".".join(path) if len(path) > 1 and ".".join(path[:-1]) in MODULES else None


def has_no_meaning(path: Sequence[str], imports: Mapping[str, str]) -> bool:
    """Whether it is a setting of the libraries behind PyTorch: `torch.backends.cudnn.benchmark`."""
    if path[0] not in imports:
        return False
    return (imported(path, imports) or "").startswith("torch.backends.")


def constant_of(path: str) -> float | str | tuple[int, ...] | None:
    """The constant or dtype of that path: `math.pi`, `torch.float32`."""
    module, _, name = path.rpartition(".")
    home = MODULES.get(module)
    if path in _BY_PATH:
        return _BY_PATH[path]
    if home == "string":
        found = getattr(string, name, None)
        return found if isinstance(found, str) and not name.startswith("_") else None
    if home == "torch.nn.attention.SDPBackend":
        return Unquoted(f"SDPBackend.{name}") if name in _KERNELS else None
    if home not in _HOMES:
        return None
    if f"{home}.{name}" in _ABSTRACT:
        return Unquoted(f"numpy.{name}")
    if name == "__version__":
        return _VERSIONS.get(home)
    if name in _CONSTANTS:
        return _CONSTANTS[name]
    if home in ("torch", "np") and name in COMPLEX and name != "complex":
        name = "complex64" if COMPLEX[name] == "float32" else "complex128"
        return (NumpyDtype if home == "np" else Unquoted)(f"torch.{name}")
    name = "bool" if path == "numpy.bool_" else name
    is_dtype = home != "math" and (name in KINDS or name in _LAYOUTS)
    if not is_dtype:
        return None
    if home == "torch":
        from gradcli.trace.dtypes import ALIASES

        name = ALIASES.get(name, name)
    return (NumpyDtype if home == "np" else Unquoted)(f"torch.{name}")


def is_none(path: Sequence[str], imports: Mapping[str, str]) -> bool:
    """Whether it is a member of a module that is None, as `torch.version.cuda`. Raises `name` for
    a member that a module does not have.
    """
    written = imported(path, imports) if path[0] in imports else None
    if written in _NOTHING:
        return True
    module, _, member = (written or "").rpartition(".")
    if module in MODULES and written not in MODULES:
        from gradcli.trace.outside import advice

        raise GradcliError(
            "name",
            f"gradcli has no {written}",
            hint=advice(f"{module}.{member}")
            or "write its value, or delete what uses it: gradcli ops lists all functions",
        )
    return False


def _unknown_module(module: str) -> NoReturn:
    from gradcli.trace.outside import advice

    raise RefusedError(
        ("ModuleNotFoundError", f"No module named '{module}'"),
        "name",
        f"gradcli has no module {module!r}",
        hint=advice(module)
        or "there are torch, numpy and math with parts of them (gradcli help language): delete "
        "the import and what uses it",
    )
