"""Scripts for other libraries: the one for NumPy is run, the others are read."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from gradcli.analysis.derive import derive
from gradcli.analysis.reproduce import reproduce
from gradcli.analysis.single import run
from gradcli.diagnostics import GradcliError
from gradcli.report.script import render
from gradcli.session import Gradient
from tests.analysis.programs import parse

X = np.array([[1.0, 2.0], [3.0, 4.0]])


def script(text: str, library: str, gradient: list[float] | None = None) -> str:
    gradients = [] if gradient is None else [Gradient(np.array(gradient))]
    single = run(parse(text), {"x": X}, gradients)
    return render(reproduce(single, derive(single)), library)


def execute(text: str) -> int:
    finished = subprocess.run([sys.executable, "-c", text], check=False, capture_output=True)
    return finished.returncode


@pytest.mark.parametrize(
    ("text", "gradient"),
    [
        ("z = (2*x)**3; out = mean(z)", None),
        ("tanh(x) @ x.T", [1.0, 0.5]),
        ("where(x > 2, log(x), x**2)", [1.0, 2.0]),
        ("sigmoid(x[0]) * logsumexp(softmax(x, dim=1)) + relu(x[1])", [1.0, 2.0]),
        ("x * sum(exp(x), dim=0, keepdim=True)", [1.0, 2.0]),
    ],
)
def test_numpy_agrees(text: str, gradient: list[float] | None) -> None:
    written = script(text, "numpy", gradient)
    assert execute(written) == 0
    assert execute(written + "np.testing.assert_allclose(x_grad, 2 * x_grad)") != 0


def test_torch() -> None:
    assert script("z = (2*x)**3; out = mean(z)", "torch") == (
        "import torch\n\n"
        "torch.set_default_dtype(torch.float64)\n"
        "x = torch.tensor([[1, 2], [3, 4]], dtype=torch.float64, requires_grad=True)\n"
        "out = torch.mean((2 * x)**3)\n"
        "torch.autograd.backward([out], [torch.tensor(1, dtype=torch.float64)])\n"
        "torch.testing.assert_close(x.grad, torch.tensor([[6, 24], [54, 96]], "
        "dtype=torch.float64), rtol=1e-9, atol=1e-12, equal_nan=True)\n"
    )


def test_jax() -> None:
    written = script("z = (2*x)**3; out = mean(z)", "jax")
    compile(written, "script", "exec")
    assert "def f(x):\n    out = jnp.mean((2 * x)**3)\n    return [out]\n" in written


def test_a_function_that_a_library_lacks() -> None:
    with pytest.raises(GradcliError, match="no one function for erf"):
        script("sum(erf(x))**2", "numpy")
