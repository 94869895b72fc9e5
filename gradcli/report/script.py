"""A gradient as a script for NumPy, PyTorch or JAX, with the inputs, and assertions at the end.

For PyTorch and JAX the script is the program itself, which they differentiate; for NumPy it is the
derived program.
"""

from __future__ import annotations

import numpy as np

from gradcli.analysis.reproduce import Reproduction
from gradcli.report.dialects import Writer

OTHERWISE = 100.0
"""Another way to the same gradient may differ by this many times the measured rounding error."""


def render(reproduction: Reproduction, library: str) -> str:
    """The script. Raises `usage` where the library has no function for a step."""
    layout = {"numpy": _numpy, "torch": _torch, "jax": _jax}[library]
    writer = Writer(library, reproduction.dtype)
    body = layout(reproduction, writer)
    return "\n".join(writer.heading() + body) + "\n"


def _numpy(told: Reproduction, write: Writer) -> list[str]:
    arrays = told.arrays | told.given
    lines = [f"{write.title(name)} = {write.array(array)}" for name, array in arrays.items()]
    lines += write.statements(told.derivative)
    for leaf in told.grads:
        lines.append(f"np.testing.assert_allclose({leaf}_grad, {_expected(leaf, told, write)})")
    return lines


def _torch(told: Reproduction, write: Writer) -> list[str]:
    lines = [f"torch.set_default_dtype(torch.{told.dtype})"]
    for name, array in told.arrays.items():
        marked = ", requires_grad=True" if name in told.leaves else ""
        lines.append(f"{write.title(name)} = {write.array(array, marked)}")
    lines += write.statements(told.forward)
    outputs = [write.title(name) for name in told.gradients]
    given = [write.array(array) for array in told.gradients.values()]
    if any(grad.any() for grad in told.grads.values()):
        lines.append(f"torch.autograd.backward([{', '.join(outputs)}], [{', '.join(given)}])")
    else:  # PyTorch refuses to differentiate what no path leads to
        for output, gradient in zip(outputs, given, strict=True):
            lines.append(f"if {output}.requires_grad:")
            lines.append(f"    torch.autograd.backward({output}, {gradient}, retain_graph=True)")
    for leaf, grad in told.grads.items():
        expected = _expected(leaf, told, write)
        found = f"{write.title(leaf)}.grad"
        if not grad.any():  # PyTorch gives None to a leaf that no path reaches
            found = f"torch.zeros({grad.shape}) if {found} is None else {found}"
        lines.append(f"torch.testing.assert_close({found}, {expected}, equal_nan=True)")
    return lines


def _jax(told: Reproduction, write: Writer) -> list[str]:
    leaves = ", ".join(map(write.title, told.leaves))
    outputs = ", ".join(map(write.title, told.gradients))
    given = ", ".join(map(write.array, told.gradients.values()))
    lines = ['jax.config.update("jax_enable_x64", True)']
    lines += [f"{write.title(name)} = {write.array(array)}" for name, array in told.arrays.items()]
    lines += ["", "", f"def f({leaves}):"]
    lines += [f"    {line}" for line in write.statements(told.forward)]
    lines += [f"    return [{outputs}]", "", ""]
    lines += [f"_, pull = jax.vjp(f, {leaves})", f"grads = pull([{given}])"]
    for place, leaf in enumerate(told.grads):
        expected = _expected(leaf, told, write)
        lines.append(f"np.testing.assert_allclose(grads[{place}], {expected})")
    return lines


def _expected(leaf: str, told: Reproduction, write: Writer) -> str:
    """The gradient and its tolerance: other libraries round in another order, and where terms
    cancel, what is left may be rounding error only.
    """
    grad = told.grads[leaf]
    relative = 1e-9 if told.dtype == "float64" else 1e-4
    largest = float(np.max(np.abs(grad), initial=0.0, where=np.isfinite(grad)))
    absolute = max(relative / 1e3 * (largest or 1.0), OTHERWISE * told.noise[leaf])
    return f"{write.array(grad)}, rtol={relative:.0e}, atol={absolute:.0e}"
