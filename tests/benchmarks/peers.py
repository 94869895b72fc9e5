"""How a user of PyTorch, JAX or autograd would do the same work: a script for each peer."""

from __future__ import annotations

# --- the example of the README -------------------------------------------------------------

EXAMPLE_PYTORCH = """
import torch
x = torch.tensor([[1., 2.], [3., 4.]], requires_grad=True)
((2*x)**3).mean().backward()
print(x.grad.tolist())
"""
EXAMPLE_JAX = """
import jax, jax.numpy as np
print(jax.grad(lambda x: ((2*x)**3).mean())(np.array([[1., 2.], [3., 4.]])).tolist())
"""
EXAMPLE_AUTOGRAD = """
import autograd, autograd.numpy as np
x = np.array([[1., 2.], [3., 4.]])
print(autograd.grad(lambda x: np.mean((2*x)**3))(x).tolist())
"""

# --- many records --------------------------------------------------------------------------

ONE_PROGRAM_PYTORCH = """
import json, sys, torch
for line in sys.stdin:
    record = json.loads(line)
    x = torch.tensor(record["set"]["x"], dtype=torch.float64, requires_grad=True)
    out = ((2*x)**3).mean()
    out.backward()
    print(json.dumps({"id": record["id"], "out": out.item(), "x": x.grad.tolist()}))
"""
# Python's exec, which no text from strangers should meet.
DISTINCT_PROGRAMS_PYTORCH = """
import json, sys, torch
for line in sys.stdin:
    record = json.loads(line)
    x = torch.tensor(record["set"]["x"], dtype=torch.float64, requires_grad=True)
    names = {"torch": torch, "x": x}
    exec(record["program"], names)
    out = names["out"]
    out.backward()
    print(json.dumps({"id": record["id"], "out": out.item(), "x": x.grad.tolist()}))
"""

# --- large arrays --------------------------------------------------------------------------

LOAD_MULTIPLY_SAVE = """
import numpy as np
np.save("peer.npy", 24 * np.load("x.npy"))
"""


def large_pytorch(body: str) -> str:
    """Value and gradient of the mean of an expression in x, the gradient saved."""
    return f"""
import numpy as np, torch
from torch import exp, tanh
x = torch.from_numpy(np.load("x.npy")).requires_grad_()
({body}).mean().backward()
np.save("peer.npy", x.grad.numpy())
"""


def large_jax(body: str) -> str:
    return f"""
import jax, numpy as np
jax.config.update("jax_enable_x64", True)
from jax.numpy import exp, tanh
step = jax.jit(jax.value_and_grad(lambda x: ({body}).mean()))
np.save("peer.npy", step(np.load("x.npy"))[1])
"""


def large_autograd(body: str) -> str:
    return f"""
import autograd, autograd.numpy as np
from autograd.numpy import exp, tanh
step = autograd.value_and_grad(lambda x: np.mean({body}))
np.save("peer.npy", step(np.load("x.npy"))[1])
"""


# --- learning ------------------------------------------------------------------------------

_LOGISTIC = """
import numpy as np, torch
from torch.nn.functional import binary_cross_entropy_with_logits
A, y = (torch.from_numpy(np.load(f"{name}.npy")) for name in "Ay")
w, b = (torch.from_numpy(np.load(f"{name}.npy")).requires_grad_() for name in "wb")
leaves = {"w": w, "b": b}
def step():
    for leaf in leaves.values():
        leaf.grad = None
    binary_cross_entropy_with_logits(A @ w + b, y).backward()
"""
_NETWORK = """
import numpy as np, torch
from torch.nn.functional import cross_entropy, relu
X, labels = (torch.from_numpy(np.load(f"{name}.npy")) for name in ("X", "labels"))
leaves = {
    name: torch.from_numpy(np.load(f"{name}.npy")).requires_grad_()
    for name in ("W1", "b1", "W2", "b2")
}
W1, b1, W2, b2 = leaves.values()
def step():
    for leaf in leaves.values():
        leaf.grad = None
    cross_entropy(relu(X @ W1 + b1) @ W2 + b2, labels).backward()
"""
TIMED = """
from tests.benchmarks.inside import timed
timed(step)
"""
_SAVED = """
step()
np.savez("p.npz", **{name: leaf.grad.numpy() for name, leaf in leaves.items()})
"""
LOGISTIC_PYTORCH, LOGISTIC_PYTORCH_INSIDE = _LOGISTIC + _SAVED, _LOGISTIC + TIMED
NETWORK_PYTORCH, NETWORK_PYTORCH_INSIDE = _NETWORK + _SAVED, _NETWORK + TIMED

# --- large arrays --------------------------------------------------------------------------


def arrays_pytorch(text: str, wrt: str, names: tuple[str, ...]) -> str:
    """Value and gradients of an expression over files, timed in the process."""
    return f"""
import numpy as np, torch, torch.nn.functional as F
inputs = {{name: torch.from_numpy(np.load(f"{{name}}.npy")) for name in {names!r}}}
globals().update(inputs)
leaves = [inputs[name].requires_grad_() for name in {wrt!r}.split(",")]
def step():
    for leaf in leaves:
        leaf.grad = None
    ({text}).backward()
{TIMED}"""


def arrays_jax(text: str, wrt: str, names: tuple[str, ...]) -> str:
    """The same, compiled before it is timed."""
    return f"""
import jax, numpy as np
jax.config.update("jax_enable_x64", True)
from jax import lax, nn, numpy as jnp
def function({", ".join(names)}):
    return {text}
point = [jax.device_put(np.load(f"{{name}}.npy")) for name in {names!r}]
found = jax.jit(jax.value_and_grad(function, tuple(range(len({wrt!r}.split(","))))))
def step():
    jax.block_until_ready(found(*point))
{TIMED}"""


# --- matrices ------------------------------------------------------------------------------


def matrix_pytorch(names: tuple[str, ...], wrt: str, function: str, way: str) -> tuple[str, str]:
    """A Jacobian or Hessian of a function by one of its inputs: saved, and timed in the process."""
    found = f"""
import numpy as np, torch
{", ".join(names)}, = (torch.from_numpy(np.load(f"{{name}}.npy")) for name in {names!r})
def function({wrt}):
    return {function}
point = {wrt}
def step():
    return {way}
"""
    return found + 'np.save("peer.npy", step().numpy())\n', found + TIMED
