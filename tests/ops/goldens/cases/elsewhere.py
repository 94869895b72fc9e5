"""Goldens of functions that another library means otherwise than PyTorch, made of PyTorch's."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812

from tests.ops.goldens.cases.reductions import matrices
from tests.ops.goldens.golden import Golden, Input
from tests.ops.goldens.inputs import draw

LA = torch.linalg
Call = tuple[str, Callable[..., Any]]


def plain() -> list[Input]:
    """20 tensors of 2 to 4 axes, none with ties, the last axis of length 3."""
    shapes = [(2 + i % 3, 3)[i % 5 == 4 :] for i in range(15)]
    more = [(2, 2, 3), (2, 1, 3), (1, 3), (2, 1, 2, 3), (5, 3)]
    return [draw(shape, (-2.0, 2.0), i) for i, shape in enumerate([*shapes, *more])]


def batches() -> list[Input]:
    """20 tensors of two axes or more, the last two of length 2 to 4."""
    lead: list[tuple[int, ...]] = [(), (2,), (2, 1), (3,)]
    return [draw((*lead[i % 4], 2 + i % 3, 2 + i % 2), (-2.0, 2.0), 100 + i) for i in range(20)]


def scaled(x: torch.Tensor, *dim: int) -> torch.Tensor:
    """The exponentials over their sum, along some axes."""
    return torch.exp(x - torch.logsumexp(x, dim, keepdim=True))


def every(x: torch.Tensor) -> tuple[int, ...]:
    """All axes."""
    return tuple(range(x.ndim))


REDUCTIONS: dict[str, list[Call]] = {
    "np.var": [
        ("np.var(x)", lambda x: x.var(correction=0)),
        ("np.var(x, axis=0, ddof=1)", lambda x: x.var(0)),
    ],
    "np.std": [
        ("np.std(x)", lambda x: x.std(correction=0)),
        ("np.std(x, axis=0, keepdims=True)", lambda x: x.std(0, correction=0, keepdim=True)),
    ],
    "scipy.special.logsumexp": [
        ("scipy.special.logsumexp(x)", lambda x: torch.logsumexp(x, every(x))),
        ("jax.nn.logsumexp(x, 0)", lambda x: torch.logsumexp(x, 0)),
    ],
}
FINITE: dict[str, list[Call]] = {
    "np.median": [
        ("np.median(x)", lambda x: torch.quantile(x, 0.5, interpolation="midpoint")),
        ("np.median(x, axis=-1)", lambda x: torch.quantile(x, 0.5, -1, interpolation="midpoint")),
    ],
    "np.sort": [
        ("np.sort(x)", lambda x: x.sort(-1)[0]),
        ("np.sort(x, axis=None)", lambda x: x.flatten().sort()[0]),
    ],
    **{
        f"F.{name}": [
            (f"F.{name}(x)", lambda x, name=name: getattr(F, name)(x)),
            (f"F.{name}(x, 0)", lambda x, name=name: getattr(F, name)(x, 0)),
        ]
        for name in ("softmax", "log_softmax", "softmin")
    },
    "np.repeat": [
        ("np.repeat(x, 2)", lambda x: x.repeat_interleave(2)),
        ("np.repeat(x, 3, axis=0)", lambda x: x.repeat_interleave(3, 0)),
    ],
    "np.split": [
        ("np.split(x, 3, -1)[1]", lambda x: x.tensor_split(3, -1)[1]),
        ("np.split(x, [1, 2], axis=-1)[2]", lambda x: x.tensor_split([1, 2], -1)[2]),
    ],
    "np.meshgrid": [
        (
            "np.meshgrid(x.flatten(), x.flatten())[0]",
            lambda x: torch.meshgrid(x.flatten(), x.flatten(), indexing="xy")[0],
        )
    ],
    "scipy.special.softmax": [
        ("scipy.special.softmax(x)", lambda x: scaled(x, *every(x))),
        ("scipy.special.softmax(x, axis=0)", lambda x: x.softmax(0)),
    ],
    "scipy.special.log_softmax": [
        ("scipy.special.log_softmax(x)", lambda x: x - torch.logsumexp(x, every(x))),
        ("scipy.special.log_softmax(x, axis=0)", lambda x: x.log_softmax(0)),
    ],
    "scipy.special.logsumexp": [
        (
            "scipy.special.logsumexp(x, b=x**2, axis=-1, keepdims=True)",
            lambda x: torch.log((x**2 * torch.exp(x)).sum(-1, keepdim=True)),
        ),
    ],
    "linalg.cross": [
        ("torch.linalg.cross(x, 2*x + 1)", lambda x: LA.cross(x, 2 * x + 1)),
        ("np.cross(x, x**2)", lambda x: LA.cross(x, x**2)),
    ],
    "linalg.vander": [
        ("torch.linalg.vander(x)", LA.vander),
        ("torch.linalg.vander(x, N=4)", lambda x: LA.vander(x, N=4)),
    ],
    "math.prod": [("math.prod(x)", lambda x: x.prod(0))],
    "equal": [("equal(x, x)", lambda x: torch.tensor(torch.equal(x, x)))],
}
MATRICES: dict[str, list[Call]] = {
    "linalg.diagonal": [
        ("torch.linalg.diagonal(x)", LA.diagonal),
        ("np.linalg.diagonal(x, offset=1)", lambda x: LA.diagonal(x, offset=1)),
    ],
    "torch.svd": [
        ("torch.svd(x).V**2", lambda x: torch.svd(x)[2] ** 2),
        ("torch.svd(x).S", lambda x: torch.svd(x)[1]),
    ],
    "np.linalg.qr": [("np.linalg.qr(x)[1]", lambda x: LA.qr(x)[1])],
    "np.transpose": [
        ("np.transpose(x)", lambda x: x.permute(*range(x.ndim - 1, -1, -1))),
        ("np.transpose(x.flatten(0, -2), (1, 0))", lambda x: x.flatten(0, -2).T),
    ],
    "np.expand_dims": [
        ("np.expand_dims(x, 0)", lambda x: x.unsqueeze(0)),
        ("np.expand_dims(x, axis=(0, -1))", lambda x: x.unsqueeze(0).unsqueeze(-1)),
    ],
    "np.take": [
        ("np.take(x, [[0, 2]])", lambda x: x.take(torch.tensor([[0, 2]]))),
        ("np.take(x, [[0], [1]], axis=-2)", lambda x: x[..., torch.tensor([[0], [1]]), :]),
    ],
}


def goldens() -> Iterator[Golden]:
    """Every function on its inputs."""
    groups = ((REDUCTIONS, matrices()), (FINITE, plain()), (MATRICES, batches()))
    for calls, inputs in groups:
        for function, programs in calls.items():
            rounded = "linalg" in function or "svd" in function
            for program, call in programs:
                yield Golden(
                    function,
                    program,
                    call,
                    [{"x": x} for x in inputs],
                    rtol=1e-10 if rounded else 1e-12,
                    atol=1e-11 if "svd" in function else 0.0,
                    reason="some gradients are 0 up to rounding" if "svd" in function else "",
                )
    special = [np.array([x, 0.5]) for x in (np.inf, -np.inf, np.nan, 0.0, -0.0, 1e300)] * 4
    yield Golden(
        "np.nan_to_num",
        "np.nan_to_num(x, True, 2, 3)",
        lambda x: torch.nan_to_num(x, 2.0, 3.0),
        [{"x": x} for x in special],
        elementwise=True,
    )
