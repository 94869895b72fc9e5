"""The GPU, through cupy: this is the one module that imports it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

from gradcli.diagnostics import GradcliError, Source
from gradcli.engine.cuda import Sweep, source
from gradcli.engine.lanes import Lanes
from gradcli.engine.layout import SweepLayout
from gradcli.graph import Precision

OPTIONS = ("--std=c++17", "--prec-div=false")
"""Quotients of float32 may be 2 units in the last place off: exact ones take four times as long."""
KERNELS = 4096
"""Kernels that are kept loaded."""

INSTALL = (
    "pip install 'gradcli[gpu]' is for drivers of CUDA 13, 'gradcli[gpu12]' of CUDA 12; "
    "--device cpu needs neither"
)


class Card:
    """The GPU, through cupy. The error `device` says what was found where there is none."""

    def __init__(self) -> None:
        try:
            import cupy
            import cupyx
        except Exception as error:  # noqa: BLE001 (what a broken installation raises is its own)
            raise _unusable(f"cupy cannot be imported: {_told(error)}") from None
        try:
            count = cupy.cuda.runtime.getDeviceCount()
            if count:
                cupy.cuda.nvrtc.getVersion()
                cupy.cuda.runtime.memGetInfo()
        except Exception as error:  # noqa: BLE001
            raise _unusable(f"cupy {cupy.__version__} cannot use a GPU: {_told(error)}") from None
        if not count:
            raise _unusable(f"cupy {cupy.__version__} finds no GPU")
        self.xp = cupy
        self.lanes = Lanes(cupy, cupyx.empty_pinned)
        self._errstate = cupyx.errstate
        properties = cupy.cuda.runtime.getDeviceProperties(cupy.cuda.Device().id)
        self.name: str = properties["name"].decode()

    def free_bytes(self) -> int:
        """Memory that values can take now."""
        free, _ = self.xp.cuda.runtime.memGetInfo()
        return int(free + self.xp.get_default_memory_pool().free_bytes())

    @contextmanager
    def working(self) -> Iterator[None]:
        """Around work on the card: what goes wrong there is the error `device`."""
        cuda = self.xp.cuda
        try:
            with self._errstate(linalg="raise"):
                yield
        except cuda.memory.OutOfMemoryError as error:
            raise _unusable(f"{self.name} is out of memory: {_told(error)}") from None
        except (
            cuda.runtime.CUDARuntimeError,
            cuda.driver.CUDADriverError,
            cuda.compiler.CompileException,
        ) as error:
            raise _unusable(f"{self.name} failed: {_told(error)}") from None


@lru_cache(1)
def card() -> Card:
    """The card, looked for once."""
    return Card()


@lru_cache(KERNELS)
def kernel(sweep: Sweep, layout: SweepLayout, precision: Precision) -> Any:
    """What sweeps over a region of this layout."""
    return compiled(source(sweep, layout, precision))


@lru_cache(KERNELS)
def compiled(text: str) -> Any:
    """A kernel, compiled when it is first called; cupy keeps what it compiles on the disk."""
    return card().xp.RawKernel(text, "sweep", options=OPTIONS)


def _told(error: Exception) -> str:
    """What an exception says, in a line: its last words, which are the cause."""
    lines = [line.strip(" =") for line in str(error).splitlines()]
    return next((line for line in reversed(lines) if line), type(error).__name__)


def _unusable(what: str) -> GradcliError:
    return GradcliError("device", what, hint=INSTALL, source=Source("--device gpu", ""))
