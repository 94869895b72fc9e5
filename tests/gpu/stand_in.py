"""A card that is not there: the stand-in for cupy on which rules are tested, with kernels that are
compiled as C++ and run on the CPU.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from types import SimpleNamespace
from typing import Any

import numpy as np

from gradcli.engine import card as card_room
from tests.gpu.emulator import Emulator
from tests.ops.device.standin import DeviceArray, Room, special
from tests.ops.device.standin import cupy as functions

ALIGNMENT = 512
"""Of the memory that cupy allocates."""


class CUDARuntimeError(RuntimeError):
    """What a driver reports."""


class CompileException(Exception):  # noqa: N818 (the name is cupy's)
    """What cupy raises where NVRTC refuses a kernel."""


class OutOfMemoryError(MemoryError):
    """What cupy raises where the card is full."""


class Stream:
    """A queue of work, which is done at once here."""

    def __enter__(self) -> Stream:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def synchronize(self) -> None:
        pass


class Card:
    """What a test can set and see of the card."""

    def __init__(self) -> None:
        self.emulator = Emulator()
        self.free = 2**40
        self.count = 1
        self.texts: list[str] = []
        """Of the kernels that were launched."""
        self.dry = False
        """Kernels are not run."""

    def kernel(self, text: str, name: str, options: tuple[str, ...]) -> Callable[..., None]:
        assert name == "sweep"

        def launch(grid: tuple[int], block: tuple[int], arguments: tuple[Any, ...]) -> None:
            self.texts.append(text)
            assert 0 < grid[0] < 2**31
            assert all(isinstance(each, DeviceArray | np.generic) for each in arguments)
            if not self.dry:
                given = [each.held if isinstance(each, DeviceArray) else each for each in arguments]
                self.emulator.launch(text, grid[0], block[0], given)

        return launch


def empty(shape: Any, dtype: Any, byte: int = 0x5A) -> DeviceArray:
    """Memory as cupy has it, with bytes in it that nobody should read."""
    dtype = np.dtype(dtype)
    size = int(np.prod(shape)) * dtype.itemsize
    memory = np.full(size + ALIGNMENT, byte, np.uint8)
    start = -memory.ctypes.data % ALIGNMENT
    return DeviceArray(memory[start : start + size].view(dtype).reshape(shape))


def asarray(value: Any, dtype: Any = None) -> DeviceArray:
    """An array on the card, the same one if it is there."""
    if isinstance(value, DeviceArray):
        return value if dtype in (None, value.dtype) else DeviceArray(value.held.astype(dtype))
    array = np.asarray(value, dtype)
    copy = empty(array.shape, array.dtype)
    copy.held[...] = array
    return copy


def modules(card: Card) -> dict[str, Any]:
    """`cupy` and `cupyx` as far as gradcli knows them."""
    cuda = SimpleNamespace(
        runtime=SimpleNamespace(
            CUDARuntimeError=CUDARuntimeError,
            getDeviceCount=lambda: card.count,
            getDeviceProperties=lambda number: {"name": b"Stand-in"},
            memGetInfo=lambda: (card.free, 2**40),
        ),
        driver=SimpleNamespace(CUDADriverError=CUDARuntimeError),
        compiler=SimpleNamespace(CompileException=CompileException),
        memory=SimpleNamespace(OutOfMemoryError=OutOfMemoryError),
        alloc_pinned_memory=bytearray,
        nvrtc=SimpleNamespace(getVersion=lambda: (13, 0)),
        Device=lambda number: nullcontext(),
        Stream=Stream,
    )
    own = {
        **functions._own,
        "__version__": "0.0",
        "RawKernel": card.kernel,
        "asarray": asarray,
        "empty": lambda shape, dtype: empty(shape, dtype, 0 if card.dry else 0x5A),
        "get_default_memory_pool": lambda: SimpleNamespace(free_bytes=lambda: 0),
        "cuda": cuda,
    }
    return {
        "cupy": Room("cupy", np, functions._names, **own),
        "cupyx": SimpleNamespace(errstate=lambda **_: nullcontext()),
        "cupyx.scipy": SimpleNamespace(),
        "cupyx.scipy.special": special,
    }


def forget() -> None:
    """Have the card looked for again."""
    for known in (card_room.card, card_room.kernel, card_room.compiled):
        known.cache_clear()


@contextmanager
def installed(replacements: dict[str, Any]) -> Iterator[None]:
    """Have imports find these modules and no others of cupy."""
    before = {name: module for name, module in sys.modules.items() if name.startswith("cupy")}
    for name in before:
        del sys.modules[name]
    sys.modules.update(replacements)
    forget()
    try:
        yield
    finally:
        for name in replacements:
            sys.modules.pop(name, None)
        sys.modules.update(before)
        forget()


@contextmanager
def standing_in() -> Iterator[Card]:
    """Have a card."""
    card = Card()
    try:
        with installed(modules(card)):
            yield card
    finally:
        card.emulator.close()
