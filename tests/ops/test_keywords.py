"""Every keyword of PyTorch's functions is understood, or refused by an error that names it."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from gradcli.diagnostics import GradcliError
from gradcli.trace.arguments import REFUSED
from tests.ops.test_prefixes import ours

KEYWORDS: dict[str, str] = json.loads(
    (Path(__file__).parent / "prefixes" / "keywords.json").read_text()
)
"""By function, with its prefix: PyTorch's keywords."""
OTHER_FORMS = {
    "torch.cholesky": "out",
    "torch.cond": "pred true_fn false_fn operands",
    "torch.expand_copy": "implicit",
    "torch.lstsq": "A",
    "torch.repeat_interleave": "repeats",
    "torch.solve": "A",
    "torch.as_tensor": "t",
    "torch.tensor": "t",
    "torch.view_copy": "dtype",
}
"""Keywords of functions that PyTorch has taken away, or that only share the name, or are those of
TorchScript.
"""


@pytest.mark.one_in(3)
@pytest.mark.parametrize("function", KEYWORDS)
def test_each_keyword_is_taken_or_refused(function: str) -> None:
    unknown = []
    for keyword in KEYWORDS[function].split():
        diagnostic = complaint(f"{function}({keyword}=s)")
        if f"has no parameter '{keyword}'" in diagnostic:
            unknown.append(keyword)
        if f"takes no {keyword} here" in diagnostic:
            assert REFUSED[keyword] in diagnostic
    assert set(unknown) <= set(OTHER_FORMS.get(function, "").split())


def complaint(program: str) -> str:
    """What is wrong with a program, and what to do; nothing if it runs."""
    try:
        ours(program)
    except GradcliError as error:
        return f"{error.diagnostic.message}: {error.diagnostic.hint}"
    return ""


@pytest.mark.parametrize(
    ("call", "plain"),
    [
        ("flip(x, dims=(0,))", "flip(x, 0)"),
        ("np.roll(x, 1, axis=0)", "roll(x, 1, 0)"),
        ("sum(x, dim=0, dtype=torch.float64)", "sum(x, 0)"),
        ("x.sum(dtype=torch.double)", "sum(x)"),
        ("mean(x, dtype=None)", "mean(x)"),
        ("sum(3*x, dtype=torch.long)", "sum((3*x).long()).long()"),
        ("cumsum(3*x, 0, dtype=torch.int64)", "cumsum((3*x).long(), 0).long()"),
        ("prod(input=3*v, dtype=torch.long)", "prod((3*v).long()).long()"),
        ("torch.softmax(x, 0, dtype=torch.float64)", "softmax(x, 0)"),
        ("torch.norm(x, p=None, dtype=torch.float64)", "norm(x)"),
        ("var(x, correction=None)", "var(x)"),
        ("F.relu(x, inplace=False)", "relu(x)"),
        ("scatter(v, 0, [1], value=2)", "scatter(v, 0, [1], 2)"),
        ("scatter(v, 0, [1, 1], w[:2], reduce='add')", "scatter_add(v, 0, [1, 1], w[:2])"),
        ("torch.mm(A, mat2=B)", "A @ B"),
        ("torch.bmm(z, mat2=z)", "z @ z"),
        ("torch.mv(A, vec=v)", "A @ v"),
        ("torch.outer(v, vec2=w)", "outer(v, w)"),
        ("torch.dot(v, tensor=w)", "dot(v, w)"),
        ("torch.kron(A, other=B)", "kron(A, B)"),
        ("zeros(size=(2, 3))", "zeros(2, 3)"),
        ("ones(2, layout=torch.strided, pin_memory=False)", "ones(2)"),
        ("ones_like(x, memory_format=torch.preserve_format)", "ones_like(x)"),
        ("torch.linalg.svdvals(x, driver='gesvd')", "svdvals(x)"),
        ("torch.linalg.pinv(A, hermitian=True)", "pinv(A)"),
        ("torch.linalg.pinv(A, rcond=0.3)", "pinv(A, 0.3)"),
        ("cdist(A, B, compute_mode='use_mm_for_euclid_dist')", "cdist(A, B)"),
        ("v.repeat_interleave(2, output_size=6)", "v.repeat_interleave(2)"),
        ("torch.split(v, split_size_or_sections=2)[0]", "split(v, 2)[0]"),
        ("torch.linalg.solve(A=A, B=v)", "solve(A, v)"),
    ],
)
def test_a_keyword_means_what_it_does_in_pytorch(call: str, plain: str) -> None:
    (found,), (expected,) = ours(call), ours(plain)
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize(
    ("call", "message", "hint"),
    [
        ("sum(x, out=y)", "sum takes no out here", "never change in place"),
        ("randn(2, generator=s)", "randn takes no generator here", "--seed"),
        ("F.relu(x, inplace=True)", "inplace=True", "x = relu(x)"),
        ("scatter(v, 0, [1], 2, reduce='amax')", "'amax'", "scatter_reduce"),
        ("scatter(v, 0, [1])", "needs src or value", "src"),
        ("grad(sum(gammainc(x, y)), x)", "no derivative of gammainc by input", "by `other`"),
    ],
)
def test_what_is_not_here_is_said(call: str, message: str, hint: str) -> None:
    with pytest.raises(GradcliError) as caught:
        ours(call)
    assert message in caught.value.diagnostic.message
    assert hint in (caught.value.diagnostic.hint or "")
