"""The CUDA compiler takes every kernel that the op table and the samples make. It needs no card."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from gradcli.graph import Precision
from tests.gpu import runs
from tests.gpu.emulator import name_of
from tests.gpu.stand_in import Card, standing_in
from tests.gpu.test_kernels import PRECISIONS

ARCHITECTURE = "sm_90"
nvcc = shutil.which("nvcc")
pytestmark = pytest.mark.skipif(not nvcc, reason="there is no nvcc")


@pytest.fixture
def card() -> Iterator[Card]:
    with standing_in() as card:
        yield card


def compile_all(texts: Iterable[str], folder: Path) -> None:
    """Compile kernels together, to machine code; the error says where.

    Warning 177 is of variables that nothing reads: a coordinate may not matter.
    """
    parts = []
    for text in texts:
        name = name_of(text)
        parts.append(
            f"#define sweep sweep_{name}\nnamespace space_{name} {{\n{text}\n}}\n#undef sweep\n"
        )
    path = folder / "kernels.cu"
    path.write_text("\n".join(parts))
    assert nvcc is not None
    finished = subprocess.run(
        [nvcc, "-std=c++17", "--prec-div=false", f"-arch={ARCHITECTURE}", "-cubin",
         "-Werror", "all-warnings", "-diag-suppress", "177",
         "-o", str(folder / "kernels.cubin"), str(path)],
        capture_output=True, text=True, timeout=1800, check=False,
    )  # fmt: skip
    assert finished.returncode == 0, finished.stderr[:5000]


@pytest.mark.wide
def test_elementwise_functions(card: Card, tmp_path: Path) -> None:
    compile_all(runs.texts_of([runs.of_elementwise_functions("float32")], card), tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("precision", PRECISIONS)
def test_every_case_and_sample(card: Card, tmp_path: Path, precision: Precision) -> None:
    wanted = [
        *runs.of_cases(precision),
        *runs.of_samples(precision),
        runs.of_elementwise_functions(precision),
    ]
    compile_all(runs.texts_of(wanted, card), tmp_path)
