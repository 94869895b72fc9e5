"""Loops: recurrences, integrators, filters and steps of descent, and how PyTorch does the same.

The names that a program reads are files of `inputs.py`'s kind `loops`.
"""

from __future__ import annotations

from typing import NamedTuple


class Looping(NamedTuple):
    """A program with a loop."""

    name: str
    text: str
    """The program: for gradcli, or for both where it is PyTorch's own."""
    leaves: tuple[str, ...] = ()
    """What it is differentiated by; nothing where it calls backward itself."""
    data: tuple[str, ...] = ()
    """What else it reads."""
    pytorch: str = ""
    """Body of a function of all these: its result is differentiated."""
    jax: str = ""
    """The same for JAX, for one leaf."""
    ahead: float = 5
    """How many times as fast as PyTorch it should be as a whole process."""
    is_raced_inside: bool = True
    """Whether it is raced in process, too: what takes PyTorch seconds is not."""
    peak: float = 100
    """MiB that it may take."""


def pytorch(work: Looping) -> str:
    """A script that defines `step`, which does the work once."""
    if not work.pytorch:
        return f"import torch\ndef step():\n{_indented(work.text)}\n"
    names = (*work.leaves, *work.data)
    return f"""
import numpy as np, torch
from torch import sigmoid, tanh
inputs = {{name: torch.from_numpy(np.load(f"{{name}}.npy")) for name in {names!r}}}
leaves = [inputs[name].requires_grad_() for name in {work.leaves!r}]
def function({", ".join(names)}):
{_indented(work.pytorch)}
def step():
    for leaf in leaves:
        leaf.grad = None
    function(**inputs).backward()
"""


def jax(work: Looping) -> str:
    """A script that does the work once, in one compiled function."""
    return f"""
import jax, numpy as np
jax.config.update("jax_enable_x64", True)
from jax import lax, numpy as jnp
def function({", ".join(work.leaves)}):
{_indented(work.jax)}
jax.block_until_ready(jax.jit(jax.value_and_grad(function))(np.load("{work.leaves[0]}.npy")))
"""


def _indented(text: str) -> str:
    return "\n".join(f"    {line}" for line in text.strip().split("\n"))


CELLS = """
    f = sigmoid(x * m1[0] + b1[0])
    i = sigmoid(h1 * m1[1] + b1[1])
    o = sigmoid(x * m1[2] + b1[2])
    a = tanh(h1 * m1[3] + b1[3])
    c1 = c1 * f + i * a
    h1 = o * tanh(c1)
    f = sigmoid(h1 * m2[0] + b2[0])
    i = sigmoid(h2 * m2[1] + b2[1])
    o = sigmoid(h1 * m2[2] + b2[2])
    a = tanh(h2 * m2[3] + b2[3])
    c2 = c2 * f + i * a
    h2 = o * tanh(c2)
    y = h2 * w2 + b3
"""
"""Two layers of ADBench's LSTM, for both."""

FILTER = """
    m = F @ m
    P = F @ P @ F.T + Q
    v = Z[t] - H @ m
    S = H @ P @ H.T + R
    K = P @ H.T @ torch.linalg.inv(S)
    m = m + K @ v
    P = P - K @ H @ P
    total = total - 0.5 * (v @ torch.linalg.inv(S) @ v + torch.logdet(S))
"""
"""A pass of Kalman's filter, for both."""

LOOPS = (
    Looping(
        "a loop of 20,000 passes",
        "y = x\nfor i in range(20000): y = y + 0.001*(sin(y) - 0.1*y*y)\ny",
        ("x",),
        pytorch="y = x\nfor _ in range(20000):\n"
        "    y = y + 0.001*(torch.sin(y) - 0.1*y*y)\nreturn y",
        jax="return lax.scan(lambda y, _: (y + 0.001*(jnp.sin(y) - 0.1*y*y), None), x, None,\n"
        "    length=20000)[0]",
        ahead=10,
        is_raced_inside=False,
        peak=60,
    ),
    Looping(
        "ADBench's LSTM, 1,023 steps",
        "h1, c1, h2, c2 = s1, s2, s3, s4\ntotal = 0\nfor t in range(1023):\n    x = X[t] * w1"
        f"{CELLS}    total = total + sum(X[t + 1] * (y - log(sum(exp(y)) + 2)))\n-total / 14322",
        ("w1", "m1", "b1", "m2", "b2", "w2", "b3", "s1", "s2", "s3", "s4"),
        ("X",),
        "h1, c1, h2, c2 = s1, s2, s3, s4\ntotal = 0\nfor t in range(1023):\n    x = X[t] * w1"
        f"{CELLS}    total = total + (X[t + 1] * (y - torch.log(torch.exp(y).sum() + 2))).sum()\n"
        "return -total / 14322",
        ahead=3,
        is_raced_inside=False,
    ),
    Looping(
        "an RNN of 100 steps, batch 64, hidden 128",
        "h = zeros(64, 128)\nfor t in range(100): h = tanh(V[t] @ W + h @ U + b)\nmean(h**2)",
        ("W", "U", "b"),
        ("V",),
        "h = torch.zeros(64, 128, dtype=torch.float64)\nfor t in range(100):\n"
        "    h = tanh(V[t] @ W + h @ U + b)\nreturn (h**2).mean()",
    ),
    Looping(
        "Euler's method, 10,000 steps, 12 states",
        "y = y0\nfor i in range(10000): y = y + 0.001*tanh(M @ y)\nsum(y)",
        ("y0",),
        ("M",),
        "y = y0\nfor _ in range(10000):\n    y = y + 0.001*tanh(M @ y)\nreturn y.sum()",
    ),
    Looping(
        "Kalman's filter, 500 steps, 4 states",
        f"m, P, total = m0, P0, 0\nfor t in range(500):{FILTER}total",
        ("F", "Q", "H", "R", "m0", "P0"),
        ("Z",),
        f"m, P, total = m0, P0, 0\nfor t in range(500):{FILTER}return total",
    ),
    Looping(
        "gradient descent, 1,000 steps with backward",
        """import torch
A = torch.tensor([[3.0, 1.0], [1.0, 2.0]])
b = torch.tensor([1.0, -1.0])
w = torch.zeros(2, requires_grad=True)
for i in range(1000):
    loss = 0.5 * w @ A @ w - b @ w
    loss.backward()
    with torch.no_grad():
        w -= 0.1 * w.grad
    w.grad.zero_()""",
    ),
    Looping(
        "Newton's method, 500 steps",
        """import torch
x = torch.tensor(3.0, requires_grad=True)
for i in range(500):
    f = x**4 - 3 * x**3 + 2
    g, = torch.autograd.grad(f, x, create_graph=True)
    h, = torch.autograd.grad(g, x)
    x = (x - 0.1 * g / h).detach().requires_grad_()""",
    ),
)
