"""`torch.testing.assert_close` of complex tensors."""

from __future__ import annotations

import numpy as np

from gradcli.diagnostics import GradcliError
from gradcli.ops.shapes import show
from gradcli.trace.closeness import TOLERANCE
from gradcli.trace.complex_tensors import ComplexTensor
from gradcli.trace.objects import Given
from gradcli.trace.values import Values


def check_close(values: Values, given: Given) -> None:
    """Raise `assertion` where two complex tensors are not close: |a - b| <= atol + rtol·|b|."""
    actual, expected = given["actual"], given["expected"]
    if not isinstance(actual, ComplexTensor) or not isinstance(expected, ComplexTensor):
        raise GradcliError("assertion", "one is complex, and the other is not")
    a, b = actual.array, expected.array
    if a.shape != b.shape:
        raise GradcliError("assertion", f"the shapes differ: {show(a.shape)} and {show(b.shape)}")
    checks = "check_dtype" not in given or values.truth(given["check_dtype"])
    if checks and actual.dtype != expected.dtype:
        raise GradcliError(
            "assertion", "The values for attribute 'dtype' do not match: "
            f"torch.{actual.dtype} != torch.{expected.dtype}.",
            hint="check_dtype=False lets them differ",
        )  # fmt: skip
    usual = TOLERANCE["float64" if actual.dtype == "complex128" else "float32"]
    rtol, atol = (
        values.number(given[name], name) if given.get(name) is not None else default
        for name, default in zip(("rtol", "atol"), usual, strict=True)
    )
    apart = np.abs(a - b)
    is_nan = "equal_nan" in given and values.truth(given["equal_nan"])
    close = (a == b) | (apart <= atol + rtol * np.abs(b)) | (is_nan & np.isnan(a) & np.isnan(b))
    if not close.all():
        raise GradcliError(
            "assertion",
            f"the values are not close: {int((~close).sum())} of {close.size} elements differ, by "
            f"{float(apart[~close].max()):.3g} at most",
        )
