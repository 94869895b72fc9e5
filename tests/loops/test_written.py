"""Loops that set and read elements by their number are one node, with the bits of their passes."""

from __future__ import annotations

import random

import pytest

from tests.loops.test_training import told

HEAD = """import torch
x = torch.linspace(-1, 1, 300, dtype=torch.float64).reshape(3, 100).requires_grad_()
w = torch.linspace(0.1, 1, 4, dtype=torch.float64).requires_grad_()
"""
ENDS = "\nprint(y)\n(y*torch.arange(y.numel()).reshape(y.shape)).sum().backward()\nprint(x.grad)"


def written(*body: str, before: str = "y = torch.zeros(100, dtype=torch.float64)") -> str:
    lines = "".join(f"\n    {line}" for line in body)
    return f"{HEAD}{before}\nfor t in range(1, 99):{lines}{ENDS}\nprint(w.grad)"


ROLLED = {
    "each element": written("y[t] = x[0, t]*w[0]"),
    "what stands before it": written("y[t] = y[t - 1]*0.5 + x[1, t]"),
    "the one behind it": written("y[t + 1] = y[t] + 0.1*torch.sin(x[1, t])"),
    "from the end": written("y[-t] = x[0, -t]*w[1]"),
    "added to": written("y[t] += x[2, t]", "y[t - 1] -= w[1]"),
    "rows": written("y[t] = x[:, t]*w[:3]", before="y = torch.zeros(100, 3).double()"),
    "columns": written("y[:, t] = x[:, t].sin()", before="y = torch.zeros(3, 100).double()"),
    "a diagonal": written("y[t, t] = x[0, t]", before="y = torch.zeros(100, 100).double()"),
    "two that move apart": written(
        "y[t, 99 - t] = x[0, t]*w[1]", before="y = torch.zeros(100, 100).double()"
    ),
    "a window that is read": written("y[t] = (x[:, t - 1:t + 2]*w[:3]).sum()"),
    "a window that is written": written("y[t - 1:t + 2] = x[:, t]"),
    "a window that changes": written("y[t - 1:t + 1] = y[t - 1:t + 1]*0.5 + 0.1*w[1]"),
    "the same elements again": written("y[t] = x[0, t % 7]*w[t % 4]"),
    "places that are not evenly spaced": written("y[t*t % 100] = x[0, t]"),
    "slices that stay": written("y[1:-1] = y[1:-1] + w[0]*(y[2:] - 2*y[1:-1] + y[:-2]) + 0.1"),
    "without gradients": written("with torch.no_grad(): y[t] = y[t - 1] + x[0, t]").replace(
        "(y*torch", "(x.sum()*y*torch"
    ),
    "an array": "import numpy as np\nv = np.zeros(100); z = np.zeros(100)\nz[0] = 1\n"
    "for t in range(99):\n    v[t + 1] = v[t] - 0.1*z[t]\n    z[t + 1] = z[t] + 0.1*v[t + 1]\n"
    "print(z, v.sum())",
    "an array backwards": "import numpy as np\nv = np.linspace(0, 1, 100); z = np.zeros(100)\n"
    "u = v[::-1]\nfor t in range(98, -1, -1):\n    z[t] = np.exp(u[t]) + 0.5*z[t + 1]\nprint(z)",
    "a list by its number": f"{HEAD}ys = [w[0]]\nfor t in range(1, 99):\n"
    f"    ys.append(ys[t - 1]*0.9 + torch.sin(ys[t - 1])*x[0, t])\ny = torch.stack(ys){ENDS}",
    "numbers in a list": f"{HEAD}c = [0.1*k for k in range(100)]\nn = [*range(100)]\n"
    "y = torch.zeros(2).double()\nfor t in range(99):\n    y = y + w[:2]*c[t] + n[99 - t]*x[0, 0]"
    f"{ENDS}",
    "the last rows first": f"{HEAD}z = torch.sin(x[0])\ny = torch.zeros(1).double()\n"
    f"for t in range(98, -1, -1):\n    y = y + torch.tanh(z[t])*x[1, 99 - t]{ENDS}",
}
UNROLLED = {
    "a mask": written(
        "y[y < 0.5] = y[y < 0.5]*0.9 + 0.01*t", before="y = torch.ones(100).double()"
    ),
    "a view that changes behind it": written(
        "row = y[t]", "y[t] = row*2 + x[:, t]", "y[t - 1] = row.detach() + y[t]",
        before="y = torch.ones(100, 3).double()",
    ),
    "a view that is changed": written(
        "row = y[t]", "row += x[:, t]", "row[0] = 7", before="y = torch.ones(100, 3).double()"
    ),
    "a list": written("c[t % 3] = float(t)", "y[t] = c[1]*w[0]", before=(
        "y = torch.zeros(100).double()\nc = [0.0, 0.0, 0.0]"
    )),
    "a dictionary": written("c['a'] = y[t - 1]", "y[t] = c['a'] + w[0]", before=(
        "y = torch.zeros(100).double()\nc = {}"
    )),
    "slices that grow": written("y[t] = x[0, :t].sum()"),
    "slices before the first element": written("y[t] = x[0, t - 50:t].sum()"),
    "what backward needs": written("y[t] = y[t - 1]*w[0]"),
    "an element that there is not": written("y[t + 1] = x[0, t + 2]"),
    "a list that is read from its beginning": f"{HEAD}ys = [w[0]]\nfor t in range(1, 99):\n"
    f"    ys.append(ys[t // 2]*0.9 + x[0, t])\ny = torch.stack(ys){ENDS}",
    "a list of tensors": f"{HEAD}c = [w*k for k in range(100)]\ny = torch.zeros(4).double()\n"
    f"for t in range(99): y = y + c[t]{ENDS}",
    "numbers and integers": f"{HEAD}c = [1, 2.5]*50\ny = torch.zeros(4).double()\n"
    f"for t in range(99): y = y + w*c[t]{ENDS}",
    "a list that the pass has made": f"{HEAD}y = torch.zeros(4).double()\n"
    f"for t in range(99): y = y + w*[y.sum().item(), 2.0][t % 2]{ENDS}",
}  # fmt: skip


@pytest.mark.parametrize("name", ROLLED)
def test_a_loop_that_sets_elements_is_one_node_with_the_bits_of_its_passes(name: str) -> None:
    found, loops = told(ROLLED[name])
    assert loops
    assert found == told(ROLLED[name], unroll=True)[0]


@pytest.mark.parametrize("name", UNROLLED)
def test_what_a_node_cannot_do_is_done_pass_by_pass(name: str) -> None:
    assert told(UNROLLED[name])[0] == told(UNROLLED[name], unroll=True)[0]


def test_a_recurrence_in_a_tensor_is_that_of_the_formula() -> None:
    # y_t = y_{t-1}/2 + 1, y_0 = 0: 2·(1 - 2^-t)
    text = (
        "import torch\ny = torch.zeros(80, dtype=torch.float64)\n"
        "for t in range(1, 80): y[t] = y[t - 1]/2 + 1\n"
        "print((y == 2 - 2*0.5**torch.arange(80)).all())"
    )
    ((printed, *_), loops) = told(text)
    assert loops
    assert "True" in str(printed)


def a_program(seed: int) -> str:
    """A program at random that reads and sets elements of tensors in a loop."""
    draw = random.Random(seed)
    places = ["t", "t - 1", "t + 1", "99 - t", "-t", "t % 5", "3*t % 100", "0", "t // 2"]
    windows = ["t - 1:t + 1", "99 - t:100 - t", "2*t % 50:2*t % 50 + 2", "0:2"]

    def read() -> str:
        owner = draw.choice(["x[0]", "x[2]", "y", "y", "z", "w*w"])
        if owner == "w*w":
            return f"w[{draw.choice(['t % 4', '1'])}]"
        if draw.random() < 0.2:
            return f"{owner}[{draw.choice(windows)}].sum()"
        return f"{owner}[{draw.choice(places)}]"

    def value() -> str:
        functions = ["torch.sin({})", "0.5*{}", "torch.tanh({})", "{} + 0.1", "{}.clone()**2"]
        terms = [draw.choice(functions).format(read()) for _ in range(draw.randint(1, 3))]
        return draw.choice([" + ", " - "]).join(terms)

    body = []
    for _ in range(draw.randint(1, 3)):
        target = draw.choice(["y", "z"])
        if draw.random() < 0.2:
            body.append(f"{target}[{draw.choice(windows)}] = {value()}")
        else:
            operator = draw.choice(["=", "=", "+=", "*="])
            body.append(f"{target}[{draw.choice(places)}] {operator} {value()}")
        if draw.random() < 0.3:
            body.append(f"s = s*0.5 + {read()}")
    before = "y = torch.zeros(100).double()\nz = torch.linspace(0, 1, 100).double()\ns = w.sum()"
    if draw.random() < 0.3:
        body = [f"with torch.no_grad(): {line}" if line[0] in "yz" else line for line in body]
    return written(*body, before=before).replace("print(y)", "print(y, z, s)\ny = y + s*z")


@pytest.mark.parametrize("seed", range(60))
def test_loops_made_at_random_have_the_bits_of_their_passes(seed: int) -> None:
    text = a_program(seed)
    printed_and_bits = slice(2)  # a note on what is not finite tells the loop, or the op in it
    assert told(text)[0][printed_and_bits] == told(text, unroll=True)[0][printed_and_bits], text


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(60, 1000))
def test_more_loops_made_at_random_have_the_bits_of_their_passes(seed: int) -> None:
    test_loops_made_at_random_have_the_bits_of_their_passes(seed)
