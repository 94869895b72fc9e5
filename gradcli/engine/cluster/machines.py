"""Whether machines compute the same bits: versions, what their processors can do, BLAS, and a
computation whose result shows what none of these tells.
"""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping
from functools import cache
from hashlib import blake2b
from importlib import import_module
from typing import Any, TypeAlias

import numpy as np

from gradcli.diagnostics import GradcliError, Note
from gradcli.engine.swept import compiler
from gradcli.engine.threads import BLAS_VARIABLES

Facts: TypeAlias = dict[str, str]
"""What decides about bits, by name."""


@cache
def facts(version: str) -> Facts:
    """Those of this process, which runs a `version` of gradcli, and of those that it forks."""
    import scipy

    build: Mapping[str, Any] = np.show_config(mode="dicts")
    blas = build.get("Build Dependencies", {}).get("blas", {})
    return {
        "gradcli": version,
        "Python": platform.python_version(),
        "NumPy": np.__version__,
        "SciPy": scipy.__version__,
        "processor features": " ".join(_features()),
        "BLAS": f"{blas.get('name', '')} {blas.get('version', '')}".strip(),
        "BLAS threads": _threads(),
        "compiler": compiler() or "none",
        "canary": canary(),
    }


def differences(ours: Mapping[str, str], theirs: Mapping[str, str]) -> list[str]:
    """What differs, in words."""
    found = []
    for name, value in ours.items():
        other = theirs.get(name, "")
        if other != value:
            shown = f" ({value} here, {other} there)" if len(value + other) < 40 else ""
            found.append(name + shown)
    return found


class Mixture:
    """In which ways machines differ from this one, as they may."""

    def __init__(self, ours: Facts, *, allowed: bool) -> None:
        self._ours = ours
        self._allowed = allowed
        self.differences: dict[str, None] = {}

    def meet(self, theirs: Mapping[str, str], name: str) -> None:
        """Raise `usage` where another machine would compute other bits, unless that is allowed."""
        found = differences(self._ours, theirs)
        if found and not self._allowed:
            raise GradcliError(
                "usage",
                f"{name} would compute other bits than this machine: {'; '.join(found)}",
                hint="make them the same, or accept that with --mixed",
            )
        self.differences |= dict.fromkeys(found)

    def notes(self) -> list[Note]:
        """What is to be told of them with an answer."""
        told = f"machines differ: {'; '.join(self.differences)}"
        return [Note("mixed", told)] if self.differences else []


def canary() -> str:
    """A digest of a computation that takes a millisecond: elementwise functions, sums, products of
    matrices, and LAPACK.
    """
    x = np.linspace(-3.0, 3.0, 1003)
    square = np.cos(np.arange(64 * 64.0)).reshape(64, 64)
    with np.errstate(all="ignore"):
        parts = [
            np.exp(x), np.sin(100 * x), np.tanh(x), np.log(x * x), np.cosh(x), np.power(x * x, 0.3),
            np.add.reduce(np.exp(x)), square @ square, np.linalg.svd(square)[1],
            np.exp(x.astype(np.float32)),
        ]  # fmt: skip
    digest = blake2b(digest_size=16)
    for part in parts:
        digest.update(np.ascontiguousarray(part).tobytes())
    return digest.hexdigest()


def _features() -> list[str]:
    """What NumPy has found in the processor among that for which it has code of its own."""
    core: Any = import_module("numpy._core._multiarray_umath")
    known: Mapping[str, bool] = core.__cpu_features__
    return [name for name in core.__cpu_dispatch__ if known.get(name)]


def _threads() -> str:
    """What the environment tells BLAS."""
    return " ".join(os.environ.get(name, "any") for name in BLAS_VARIABLES)
