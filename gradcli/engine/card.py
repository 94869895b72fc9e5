"""The GPU, through cupy: this is the one module that imports it."""

from __future__ import annotations

import os
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

OTHERWISE = "--device cpu computes without a GPU"


class Card:
    """A GPU by its number, through cupy. The error `device` says what was found where there is
    none.
    """

    def __init__(self, number: int) -> None:
        try:
            import cupy
        except Exception as error:  # noqa: BLE001 (what a broken installation raises is its own)
            raise _error(f"cupy cannot be imported: {_told(error)}", INSTALL) from None
        try:
            count = cupy.cuda.runtime.getDeviceCount()
            if count:
                cupy.cuda.nvrtc.getVersion()
                cupy.cuda.runtime.memGetInfo()
        except Exception as error:  # noqa: BLE001
            says = f"cupy {cupy.__version__} cannot use a GPU: {_told(error)}"
            raise _error(says, INSTALL) from None
        if not count:
            raise _error(f"cupy {cupy.__version__} finds no GPU", INSTALL)
        if number >= count:
            found = "1 GPU: gpu:0" if count == 1 else f"{count} GPUs: gpu:0 to gpu:{count - 1}"
            raise _error(f"there is no gpu:{number}; cupy finds {found}", OTHERWISE)
        self.xp = cupy
        self.number = number
        self.lanes = Lanes(cupy)
        self._process = os.getpid()
        properties = cupy.cuda.runtime.getDeviceProperties(number)
        self.name: str = properties["name"].decode()

    def free_bytes(self) -> int:
        """Memory that values can take now."""
        free, _ = self.xp.cuda.runtime.memGetInfo()
        return int(free + self.xp.get_default_memory_pool().free_bytes())

    @contextmanager
    def working(self) -> Iterator[None]:
        """Around work on the card: what goes wrong there is the error `device`."""
        if os.getpid() != self._process:  # CUDA answers with whatever went wrong first
            says = f"{self.name} was in use when this process was forked from another"
            raise _error(says, OTHERWISE)
        cuda = self.xp.cuda
        try:
            with cuda.Device(self.number):
                yield
        except cuda.memory.OutOfMemoryError as error:
            raise _error(f"{self.name} is out of memory: {_told(error)}", OTHERWISE) from None
        except (cuda.runtime.CUDARuntimeError, cuda.driver.CUDADriverError) as error:
            raise _error(f"{self.name} failed: {_told(error)}", OTHERWISE) from None
        except cuda.compiler.CompileException as error:
            says = f"a kernel could not be compiled: {_first_error(error)}"
            raise _error(says, OTHERWISE) from None


@contextmanager
def refusing() -> Iterator[None]:
    """Around functions of cupy's linear algebra: they raise an error where they give nan."""
    import cupyx  # a third of a second, of which most runs need nothing

    with cupyx.errstate(linalg="raise"):
        yield


@lru_cache
def card(number: int) -> Card:
    """The card of that number, looked for once."""
    return Card(number)


@lru_cache(KERNELS)
def kernel(sweep: Sweep, layout: SweepLayout, precision: Precision) -> Any:
    """What sweeps over a region of this layout."""
    return compiled(source(sweep, layout, precision))


@lru_cache(KERNELS)
def compiled(text: str) -> Any:
    """A kernel, compiled when it is first called; cupy keeps what it compiles on the disk."""
    return card(0).xp.RawKernel(text, "sweep", options=OPTIONS)


def _told(error: Exception) -> str:
    """What an exception says, in a line: its last words, which are the cause."""
    lines = [line.strip(" =") for line in str(error).splitlines()]
    return next((line for line in reversed(lines) if line), type(error).__name__)


def _first_error(error: Exception) -> str:
    """What a compiler says first is wrong; further lines follow from it."""
    lines = str(error).splitlines()
    return next((line.strip() for line in lines if "error" in line), _told(error))


def _error(what: str, hint: str) -> GradcliError:
    return GradcliError("device", what, hint=hint, source=Source("--device gpu", ""))
