"""Complex numbers: gradients are those of differences, transforms are their sums."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

from gradcli.engine.plan import nbytes, work_bytes
from gradcli.graph import Graph, Precision
from gradcli.ops.fourier import FOURIER, fourier
from tests.cells.test_python_lines import ours


@pytest.mark.parametrize(
    "function",
    [
        *(f"torch.fft.{name}(x{options}).real" for name in ("fft", "ifft", "rfft")
          for options in ("", ", n=3", ", n=7", ", norm='ortho'", ", norm='forward'")),
        *(f"torch.fft.irfft(torch.complex(x, x**2){options})"
          for options in ("", ", n=5", ", n=7", ", norm='ortho'", ", norm='forward'")),
        *(f"torch.fft.{name}(x.reshape(2, 3)).imag" for name in ("fft2", "fftn", "rfft2", "ifftn")),
        "torch.fft.irfft2(torch.fft.rfft2(x.reshape(2, 3)), s=(2, 4))",
        "torch.fft.fft(x.reshape(2, 3), dim=0).abs()", "torch.fft.fft(x).angle()[1:3]",
        *(f"torch.complex(x, x.flip(0)).{name}().real" for name in (
            "exp", "log", "sqrt", "square", "reciprocal", "sin", "cos", "conj")),
        "(torch.complex(x, 1 - x) ** 2.5).imag", "(torch.complex(x, 1 - x) ** -2).imag",
        "(torch.polar(x, x) / torch.complex(x, 2 * x**2)).imag", "((1 + 2j) * x / (x - 1j)).abs()",
        "(torch.complex(x, x.sin()).reshape(2, 3) @ torch.complex(x, x).reshape(3, 2)).imag",
        "torch.view_as_real(torch.view_as_complex(x.reshape(3, 2)) ** 2)",
    ],
)  # fmt: skip
def test_gradients_are_those_of_differences(function: str) -> None:
    cell = (
        "import torch\nx = torch.tensor([0.9, 1.4, 0.6, 2.1, 1.7, 0.4], dtype=torch.float64, "
        f"requires_grad=True)\nprint(torch.autograd.gradcheck(lambda x: {function}, x))"
    )
    assert ours(cell) == "True\n"


@pytest.mark.parametrize("sign", [1, -1])
def test_the_transform_is_that_of_its_sum(sign: int) -> None:
    numbers = np.array([1 + 2j, -0.5j, 3.0])
    places = np.arange(3)
    sums = np.exp(sign * 2j * np.pi * np.outer(places, places) / 3) @ numbers
    parts = np.stack([numbers.real, numbers.imag], -1)
    found = FOURIER.forward(np, parts, sign)
    assert np.allclose(found, np.stack([sums.real, sums.imag], -1))
    graph = Graph()
    assert fourier(graph.constant(parts), sign).shape == (3, 2)
    with pytest.raises(TypeError):
        FOURIER.forward(np, parts * 1j, sign)


@pytest.mark.parametrize("precision", ["float32", "float64"])
def test_a_transform_takes_the_memory_that_it_says(precision: Precision) -> None:
    parts = np.ones((40, 1000, 2), precision).transpose(1, 0, 2)
    node = fourier(Graph(precision).constant(parts), 1)
    tracemalloc.start()
    found = FOURIER.forward(np, parts, 1)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert found.dtype == parts.dtype
    assert peak <= nbytes(node) + work_bytes(node) + 10_000
