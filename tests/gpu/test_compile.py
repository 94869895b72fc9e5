"""NVRTC, CUDA's compiler, takes every kernel that the op table and the samples make. It needs no
card; the extras `gpu` and `gpu12` bring it, and so does `pip install nvidia-cuda-nvrtc`.
"""

from __future__ import annotations

import ctypes
import importlib.util
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from gradcli.engine.card import OPTIONS
from gradcli.graph import Precision
from tests.gpu import runs
from tests.gpu.emulator import name_of
from tests.gpu.stand_in import Card, standing_in
from tests.gpu.test_kernels import PRECISIONS

ARCHITECTURES = ("sm_80", "sm_90", "sm_100")
KERNELS = 200
"""Of one compilation."""


def library() -> Path | None:
    """Where the wheel has put NVRTC."""
    found = importlib.util.find_spec("nvidia")
    folders = (found and found.submodule_search_locations) or []
    return next((path for each in folders for path in Path(each).rglob("libnvrtc.so*")), None)


pytestmark = pytest.mark.skipif(library() is None, reason="there is no NVRTC")


@pytest.fixture
def card() -> Iterator[Card]:
    with standing_in() as card:
        yield card


def compile_all(texts: list[str], architecture: str) -> None:
    """Compile kernels, some together; the error says where."""
    assert texts
    nvrtc = ctypes.CDLL(str(library()))
    for first in range(0, len(texts), KERNELS):
        said = compiled(nvrtc, together(texts[first : first + KERNELS]), architecture)
        assert not said, said[:5000]


def together(texts: Iterable[str]) -> str:
    """Kernels as one text, each with names of its own."""
    return "\n".join(
        f"namespace space_{name} {{\n#define sweep sweep_{name}\n{text}\n#undef sweep\n}}"
        for text in texts
        for name in (name_of(text),)
    )


def compiled(nvrtc: ctypes.CDLL, text: str, architecture: str) -> str:
    """What the compiler says, warnings too. Not number 177, of variables that nothing reads: a
    coordinate may not matter.
    """
    options = [*OPTIONS, "--diag-suppress=177", f"--gpu-architecture={architecture}"]
    given = (ctypes.c_char_p * len(options))(*(option.encode() for option in options))
    program, size = ctypes.c_void_p(), ctypes.c_size_t()
    nvrtc.nvrtcCreateProgram(ctypes.byref(program), text.encode(), b"kernels.cu", 0, None, None)
    nvrtc.nvrtcCompileProgram(program, len(options), given)
    nvrtc.nvrtcGetProgramLogSize(program, ctypes.byref(size))
    log = ctypes.create_string_buffer(size.value)
    nvrtc.nvrtcGetProgramLog(program, log)
    nvrtc.nvrtcDestroyProgram(ctypes.byref(program))
    return log.value.decode()


@pytest.mark.wide
@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_elementwise_functions(card: Card, architecture: str) -> None:
    compile_all(runs.texts_of([runs.of_elementwise_functions("float32")], card), architecture)


@pytest.mark.slow
@pytest.mark.parametrize("architecture", ARCHITECTURES)
@pytest.mark.parametrize("precision", PRECISIONS)
def test_every_case_and_sample(card: Card, precision: Precision, architecture: str) -> None:
    wanted = [
        *runs.of_cases(precision),
        *runs.of_samples(precision),
        runs.of_elementwise_functions(precision),
    ]
    compile_all(runs.texts_of(wanted, card), architecture)


def test_what_is_wrong_is_said() -> None:
    text = 'extern "C" __global__ void sweep(int* x) { *x = q; }'
    found = compiled(ctypes.CDLL(str(library())), together([text]), ARCHITECTURES[0])
    assert 'error: identifier "q" is undefined' in found
