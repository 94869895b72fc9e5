# ruff: noqa: E501 — one function a line
"""Goldens of the rest of PyTorch's functions: small tensors of few digits, most of them shared."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import torch

from tests.ops.goldens.cases.linear_algebra import regular
from tests.ops.goldens.golden import Array, Golden
from tests.ops.goldens.inputs import NAN, coarse, draw

LA, SP = torch.linalg, torch.special
Call = tuple[str, Callable[..., Any]]
MATRICES = [
    coarse(shape, seed=i) for i, shape in enumerate([(2, 3), (3, 2), (2, 2, 2), (4, 2), (2, 4)])
]
"""Inputs for four calls or more."""
FEW = MATRICES[:3]
VECTORS = [coarse((n,), seed=20 + n) for n in (3, 4, 2, 5, 1)]
ROWS = [coarse((2, n), seed=70 + n) for n in (3, 4, 5, 3, 4)]
"""Matrices of two rows."""

OF_MATRIX: dict[str, list[Call]] = {
    "alias_copy": [("alias_copy(x)", torch.alias_copy), ("x.alias_copy() * 2", lambda x: torch.alias_copy(x) * 2), ("alias_copy(x[0])", lambda x: torch.alias_copy(x[0])), ("alias_copy(x[:1])", lambda x: torch.alias_copy(x[:1]))],
    "conj": [("conj(x)", torch.conj), ("torch.real(x)", torch.real), ("torch.resolve_neg(x)", torch.resolve_neg), ("torch.conj_physical(x)", torch.conj_physical)],
    "angle": [("angle(x)", torch.angle), ("angle(x) * x", lambda x: torch.angle(x) * x), ("angle(-x)", lambda x: torch.angle(-x)), ("torch.angle(x[0])", lambda x: torch.angle(x[0]))],
    "rsub": [("rsub(x, x[0])", lambda x: torch.rsub(x, x[0])), ("rsub(x, 3, alpha=2)", lambda x: torch.rsub(x, 3, alpha=2)), ("torch.rsub(x, other=2*x)", lambda x: torch.rsub(x, 2 * x)), ("rsub(x[0], x, alpha=-1)", lambda x: torch.rsub(x[0], x, alpha=-1))],
    "fliplr": [("fliplr(x)", torch.fliplr), ("fliplr(2*x[:1])", lambda x: torch.fliplr(2 * x[:1])), ("x.fliplr()", lambda x: x.fliplr()), ("fliplr(fliplr(x)) * x", lambda x: x * x)],
    "flipud": [("flipud(x)", torch.flipud), ("flipud(x[0])", lambda x: torch.flipud(x[0])), ("x.flipud()", lambda x: x.flipud()), ("flipud(x) * x", lambda x: torch.flipud(x) * x)],
    "atleast_1d": [("atleast_1d(x)", torch.atleast_1d), ("atleast_1d(amax(x))", lambda x: torch.atleast_1d(x.amax())), ("atleast_1d(sum(x), x)[0]", lambda x: torch.atleast_1d(x.sum(), x)[0]), ("torch.atleast_1d(x[0]) * 2", lambda x: x[0] * 2)],
    "atleast_2d": [("atleast_2d(x)", torch.atleast_2d), ("atleast_2d(x[0])", lambda x: torch.atleast_2d(x[0])), ("atleast_2d(sum(x))", lambda x: torch.atleast_2d(x.sum())), ("torch.atleast_2d([x, x[0]])[1]", lambda x: torch.atleast_2d([x, x[0]])[1])],
    "atleast_3d": [("atleast_3d(x)", torch.atleast_3d), ("atleast_3d(x[0])", lambda x: torch.atleast_3d(x[0])), ("atleast_3d(sum(x))", lambda x: torch.atleast_3d(x.sum())), ("atleast_3d(x[0], x)[1]", lambda x: torch.atleast_3d(x[0], x)[1])],
    "broadcast_tensors": [("broadcast_tensors(x, x[0])[1]", lambda x: torch.broadcast_tensors(x, x[0])[1]), ("broadcast_tensors(x[:1], x)[0]", lambda x: torch.broadcast_tensors(x[:1], x)[0]), ("broadcast_tensors(x)[0]", lambda x: torch.broadcast_tensors(x)[0]), ("broadcast_tensors(sum(x), x, x)[0]", lambda x: torch.broadcast_tensors(x.sum(), x, x)[0])],
    "tensor_split": [("tensor_split(x, 2)[0]", lambda x: torch.tensor_split(x, 2)[0]), ("tensor_split(x, 3, dim=-1)[1]", lambda x: torch.tensor_split(x, 3, dim=-1)[1]), ("x.tensor_split((1, 2), 1)[1]", lambda x: x.tensor_split((1, 2), 1)[1]), ("tensor_split(x, [1, 9], -1)[1]", lambda x: torch.tensor_split(x, [1, 9], -1)[1])],
    "hsplit": [("hsplit(x, [1])[1]", lambda x: torch.hsplit(x, [1])[1]), ("hsplit(x, 1)[0]", lambda x: torch.hsplit(x, 1)[0]), ("x.hsplit([0, 1])[1]", lambda x: x.hsplit([0, 1])[1]), ("hsplit(x[0], [1])[0]", lambda x: torch.hsplit(x[0], [1])[0])],
    "vsplit": [("vsplit(x, [1])[1]", lambda x: torch.vsplit(x, [1])[1]), ("vsplit(x, 1)[0]", lambda x: torch.vsplit(x, 1)[0]), ("x.vsplit([0, 1])[1]", lambda x: x.vsplit([0, 1])[1]), ("vsplit(x, [1, 2])[0]", lambda x: torch.vsplit(x, [1, 2])[0])],
    "dsplit": [("dsplit(atleast_3d(x), [1])[0]", lambda x: torch.dsplit(torch.atleast_3d(x), [1])[0]), ("dsplit(stack([x, 2*x], 2), 2)[1]", lambda x: torch.dsplit(torch.stack([x, 2 * x], 2), 2)[1]), ("dsplit(stack([x, 2*x], 2), 1)[0]", lambda x: torch.dsplit(torch.stack([x, 2 * x], 2), 1)[0]), ("stack([x, x*x], 2).dsplit([1])[1]", lambda x: torch.dsplit(torch.stack([x, x * x], 2), [1])[1])],
    "split_with_sizes": [("split_with_sizes(x[:2], [1, 1])[1]", lambda x: torch.split_with_sizes(x[:2], [1, 1])[1]), ("split_with_sizes(x[:2], (2, 0))[0]", lambda x: torch.split_with_sizes(x[:2], [2, 0])[0]), ("x[..., :2].split_with_sizes([1, 1], dim=-1)[0]", lambda x: x[..., :2].split_with_sizes([1, 1], -1)[0]), ("torch.split_with_sizes_copy(x[:2], [1, 1])[0]", lambda x: x[:2].split_with_sizes([1, 1])[0])],
    "diagflat": [("diagflat(x)", torch.diagflat), ("diagflat(x[0], 1)", lambda x: torch.diagflat(x[0], 1)), ("diagflat(x[:1], offset=-2)", lambda x: torch.diagflat(x[:1], offset=-2)), ("x[0].diagflat() * 2", lambda x: x[0].diagflat() * 2)],
    "constant_pad_nd": [("constant_pad_nd(x, (1, 0))", lambda x: torch.constant_pad_nd(x, (1, 0))), ("constant_pad_nd(x, (1, 2, 0, 1), 3)", lambda x: torch.constant_pad_nd(x, (1, 2, 0, 1), 3)), ("torch.constant_pad_nd(x, (-1, 0), value=2)", lambda x: torch.constant_pad_nd(x, (-1, 0), 2)), ("constant_pad_nd(x, (0, 0, 1, -1), -1)", lambda x: torch.constant_pad_nd(x, (0, 0, 1, -1), -1))],
    "msort": [("msort(x)", torch.msort), ("msort(x[0])", lambda x: torch.msort(x[0])), ("x.msort() * x", lambda x: x.msort() * x), ("msort(-x)", lambda x: torch.msort(-x))],
    "aminmax": [("aminmax(x).min", lambda x: torch.aminmax(x).min), ("aminmax(x, dim=0).max", lambda x: torch.aminmax(x, dim=0).max), ("aminmax(x, dim=-1, keepdim=True)[0]", lambda x: torch.aminmax(x, dim=-1, keepdim=True)[0]), ("x.aminmax()[1]", lambda x: x.aminmax()[1])],
    "select_scatter": [("select_scatter(x, 2*x[0], 0, 1)", lambda x: torch.select_scatter(x, 2 * x[0], 0, 1)), ("select_scatter(x, x[..., 0], -1, -1)", lambda x: torch.select_scatter(x, x[..., 0], -1, -1)), ("x.select_scatter(x[1], dim=0, index=0)", lambda x: torch.select_scatter(x, x[1], 0, 0)), ("select_scatter(x, x[-1] * 3, 0, -2)", lambda x: torch.select_scatter(x, x[-1] * 3, 0, -2))],
    "slice_scatter": [("slice_scatter(x, 2*x[1:], 0, 1)", lambda x: torch.slice_scatter(x, 2 * x[1:], 0, 1)), ("slice_scatter(x, x[..., :1], -1, -1)", lambda x: torch.slice_scatter(x, x[..., :1], -1, -1)), ("slice_scatter(x, 3*x[:1], 0, 0, 2, 2)", lambda x: torch.slice_scatter(x, 3 * x[:1], 0, 0, 2, 2)), ("slice_scatter(x, -x)", lambda x: torch.slice_scatter(x, -x))],
    "diagonal_scatter": [("diagonal_scatter(x, diagonal(x) * 2)", lambda x: torch.diagonal_scatter(x, x.diagonal() * 2)), ("diagonal_scatter(x, diagonal(x, 1) * 2, 1)", lambda x: torch.diagonal_scatter(x, x.diagonal(1) * 2, 1)), ("diagonal_scatter(x, diagonal(x, -1), offset=-1)", lambda x: torch.diagonal_scatter(x, x.diagonal(-1), -1)), ("diagonal_scatter(x, diagonal(x, 0, -1, 0), 0, -1, 0)", lambda x: torch.diagonal_scatter(x, x.diagonal(0, -1, 0), 0, -1, 0))],
    "as_strided": [("as_strided(x, (2, 2), (1, 2))", lambda x: torch.as_strided(x, (2, 2), (1, 2))), ("as_strided(x, (3,), (1,), 2)", lambda x: torch.as_strided(x, (3,), (1,), 2)), ("x.as_strided((2, 3), (0, 1))", lambda x: x.as_strided((2, 3), (0, 1))), ("torch.as_strided_copy(x, (), (), 3)", lambda x: torch.as_strided_copy(x, (), (), 3))],
    "masked_scatter": [("masked_scatter(x, x > 0, 2*x)", lambda x: x.masked_scatter(x > 0, 2 * x)), ("masked_scatter(x, x < 9, x.flatten() * 3)", lambda x: x.masked_scatter(x < 9, x.flatten() * 3)), ("x.masked_scatter(x[0] > 0, x*x)", lambda x: x.masked_scatter(x[0] > 0, x * x)), ("masked_scatter(x, x > 9, x)", lambda x: x.masked_scatter(x > 9, x))],
    "put": [("put(x, [3, 0], flatten(x)[1:3])", lambda x: x.put(torch.tensor([3, 0]), x.flatten()[1:3])), ("put(x, [1, 1], [2, 5], accumulate=True)", lambda x: x.put(torch.tensor([1, 1]), torch.tensor([2.0, 5.0]), accumulate=True)), ("x.put([-1], sum(x))", lambda x: x.put(torch.tensor([-1]), x.sum())), ("put(x, [[0, 2]], [[7, 8]])", lambda x: x.put(torch.tensor([[0, 2]]), torch.tensor([[7.0, 8.0]])))],
    "fill": [("fill(x, 3)", lambda x: torch.fill(x, 3)), ("fill(x, amax(x))", lambda x: torch.fill(x, x.amax())), ("x * fill(x, sum(x))", lambda x: x * torch.fill(x, x.sum())), ("torch.fill(x[0], -1)", lambda x: torch.fill(x[0], -1))],
    "scatter_reduce": [(f"scatter_reduce(x, 0, 0*argsort(x, 0), 2*x + 0.3, '{how}', include_self={own})", lambda x, how=how, own=own: x.scatter_reduce(0, 0 * x.argsort(0), 2 * x + 0.3, how, include_self=own)) for how in ("sum", "prod", "mean", "amax", "amin") for own in (True, False)],
    "index_reduce": [(f"index_reduce(x, 0, [1, 1], 2*x[:2] + 0.3, '{how}', include_self={own})", lambda x, how=how, own=own: x.index_reduce(0, torch.tensor([1, 1]), 2 * x[:2] + 0.3, how, include_self=own)) for how in ("prod", "mean", "amax", "amin") for own in (True, False)],
    "nextafter": [("nextafter(x, 2*x)", lambda x: torch.nextafter(x, 2 * x)), ("nextafter(x, x)", lambda x: torch.nextafter(x, x)), ("nextafter(x[0], zeros(1))", lambda x: torch.nextafter(x[0], torch.zeros(1))), ("nextafter(x, x[0]) * x", lambda x: torch.nextafter(x, x[0]) * x)],
    "frexp": [("frexp(x).mantissa", lambda x: torch.frexp(x).mantissa), ("frexp(x).exponent", lambda x: torch.frexp(x).exponent), ("frexp(100*x)[0]", lambda x: torch.frexp(100 * x)[0]), ("frexp(x*x/64)[0]", lambda x: torch.frexp(x * x / 64)[0])],
    "ldexp": [("ldexp(x, 3)", lambda x: torch.ldexp(x, torch.tensor(3.0))), ("ldexp(x, x)", lambda x: torch.ldexp(x, x)), ("torch.ldexp(x, other=x[0])", lambda x: torch.ldexp(x, x[0])), ("ldexp(x[0], -2)", lambda x: torch.ldexp(x[0], torch.tensor(-2.0)))],
    "renorm": [("renorm(x, 2, 0, 1)", lambda x: torch.renorm(x, 2, 0, 1)), ("renorm(x, 1, dim=1, maxnorm=0.7)", lambda x: torch.renorm(x, 1, dim=1, maxnorm=0.7)), ("x.renorm(3, -1, 2)", lambda x: x.renorm(3, -1, 2)), ("renorm(x, 2, 0, 99)", lambda x: torch.renorm(x, 2, 0, 99))],
}  # fmt: skip
OF_ROWS: dict[str, list[Call]] = {
    "addr": [("addr(outer(x[0], x[1]), x[0], x[1])", lambda x: torch.addr(torch.outer(x[0], x[1]), x[0], x[1])), ("addr(x[1], x[0], x[1], beta=0.5, alpha=2)", lambda x: torch.addr(x[1], x[0], x[1], beta=0.5, alpha=2)), ("x[0].addr(x[1], x[1])", lambda x: x[0].addr(x[1], x[1])), ("addr(x[:, :1], [1, 2], x[0], beta=0)", lambda x: torch.addr(x[:, :1], torch.tensor([1.0, 2.0]), x[0], beta=0))],
    "addbmm": [("addbmm(x, stack([x, 2*x]), stack([x.T @ x, x.T @ x]))", lambda x: torch.addbmm(x, torch.stack([x, 2 * x]), torch.stack([x.T @ x, x.T @ x]))), ("addbmm(x[0, 0], x[None], x.T[None], beta=2, alpha=-1)", lambda x: torch.addbmm(x[0, 0], x[None], x.T[None], beta=2, alpha=-1)), ("addbmm(x[:, :1], x[None], x.T[None], beta=0)", lambda x: torch.addbmm(x[:, :1], x[None], x.T[None], beta=0)), ("addbmm(x @ x.T, stack([x, x]), stack([x.T, x.T]))", lambda x: torch.addbmm(x @ x.T, torch.stack([x, x]), torch.stack([x.T, x.T])))],
    "cov": [("cov(x)", torch.cov), ("cov(x[0], correction=0)", lambda x: torch.cov(x[0], correction=0)), ("cov(x, aweights=x[0]**2)", lambda x: torch.cov(x, aweights=x[0] ** 2)), ("cov(x, fweights=arange(x.shape[1]).long())", lambda x: torch.cov(x, fweights=torch.arange(x.shape[1])))],
    "corrcoef": [("corrcoef(x)", torch.corrcoef), ("corrcoef(x[:, :3])[0, 1]", lambda x: torch.corrcoef(x[:, :3])[0, 1]), ("corrcoef(stack([x[0], x[1], x[0]*x[1]]))", lambda x: torch.corrcoef(torch.stack([x[0], x[1], x[0] * x[1]]))), ("torch.corrcoef(x)[0]", lambda x: torch.corrcoef(x)[0])],
    "np.corrcoef": [("np.corrcoef(cat([x, x**2 + 1], 0), rowvar=False)[0]", lambda x: torch.corrcoef(torch.cat([x, x**2 + 1], 0).T)[0]), ("np.corrcoef(x, sin(x))[0]", lambda x: torch.corrcoef(torch.vstack([x, x.sin()]))[0]), ("np.corrcoef(x, x[0] * x)[1]", lambda x: torch.corrcoef(torch.vstack([x, x[0] * x]))[1]), ("np.corrcoef(exp(x), x)[0]", lambda x: torch.corrcoef(torch.vstack([x.exp(), x]))[0])],
    "cumulative_trapezoid": [("cumulative_trapezoid(x)", torch.cumulative_trapezoid), ("cumulative_trapezoid(x, x**2)", lambda x: torch.cumulative_trapezoid(x, x**2)), ("cumulative_trapezoid(x, dx=0.5, dim=0)", lambda x: torch.cumulative_trapezoid(x, dx=0.5, dim=0)), ("cumulative_trapezoid(x, x[1])", lambda x: torch.cumulative_trapezoid(x, x[1]))],
    "gradient": [("gradient(x)[1]", lambda x: torch.gradient(x)[1]), ("gradient(x, spacing=0.5, dim=0)[0]", lambda x: torch.gradient(x, spacing=0.5, dim=0)[0]), ("gradient(x, spacing=[cumsum(x[0]**2 + 1, 0)], dim=1, edge_order=2)[0]", lambda x: torch.gradient(x, spacing=(torch.cumsum(x[0] ** 2 + 1, 0),), dim=1, edge_order=2)[0]), ("gradient(x, dim=-1, edge_order=2)[0]", lambda x: torch.gradient(x, dim=-1, edge_order=2)[0])],
    "mode": [("mode(round(x)).values", lambda x: torch.mode(x.round())[0]), ("mode(x).indices", lambda x: torch.mode(x)[1]), ("mode(x, 0, True)[0]", lambda x: torch.mode(x, 0, True)[0]), ("mode(cat([x, x[:, :1]], 1)).values", lambda x: torch.mode(torch.cat([x, x[:, :1]], 1))[0])],
    "nanmedian": [("nanmedian(where(x > 1, nan, x))", lambda x: torch.nanmedian(torch.where(x > 1, NAN, x))), ("nanmedian(x, 1).values", lambda x: torch.nanmedian(x, 1)[0]), ("nanmedian(where(x > 0, nan, x), 0, True)[0]", lambda x: torch.nanmedian(torch.where(x > 0, NAN, x), 0, True)[0]), ("nanmedian(where(x > 1, nan, x), -1).indices", lambda x: torch.nanmedian(torch.where(x > 1, NAN, x), -1)[1])],
    "nanquantile": [("nanquantile(where(x > 1, nan, x), 0.3)", lambda x: torch.nanquantile(torch.where(x > 1, NAN, x), 0.3)), ("nanquantile(where(x > 0, nan, x), [0.2, 0.7], dim=1)", lambda x: torch.nanquantile(torch.where(x > 0, NAN, x), torch.tensor([0.2, 0.7]), dim=1)), ("nanquantile(x, 0.6, 0, True, interpolation='lower')", lambda x: torch.nanquantile(x, 0.6, 0, True, interpolation="lower")), ("nanquantile(where(x > 0, nan, x), 0.5, -1, interpolation='midpoint')", lambda x: torch.nanquantile(torch.where(x > 0, NAN, x), 0.5, -1, interpolation="midpoint"))],
}  # fmt: skip
OF_VECTOR: dict[str, list[Call]] = {
    "combinations": [("combinations(x)", torch.combinations), ("combinations(x, 1)", lambda x: torch.combinations(x, 1)), ("combinations(x, with_replacement=True)", lambda x: torch.combinations(x, with_replacement=True)), ("combinations(x, 3)", lambda x: torch.combinations(x, 3))],
}  # fmt: skip


STRIDED: list[Call] = [
    (
        "as_strided_scatter(x, x[:2, :2] * 2, (2, 2), (1, 2))",
        lambda x: torch.as_strided_scatter(x, x[:2, :2] * 2, (2, 2), (1, 2)),
    ),
    (
        "as_strided_scatter(x, x[1], (3,), (1,), 2)",
        lambda x: torch.as_strided_scatter(x, x[1], (3,), (1,), 2),
    ),
    (
        "as_strided_scatter(x, 7, (), (), 1)",
        lambda x: torch.as_strided_scatter(x, torch.tensor(7.0), (), (), 1),
    ),
    (
        "as_strided_scatter(x, x.T, (3, 2), (2, 1))",
        lambda x: torch.as_strided_scatter(x, x.T, (3, 2), (2, 1)),
    ),
]
"""PyTorch's derivative is wrong: see the deviations."""


def of_polynomials() -> Iterator[tuple[str, str, Callable[..., Any]]]:
    """PyTorch has no derivatives of these."""
    for name in dir(SP):
        if "_polynomial_" in name:
            for n in (0, 1, 2, 5):
                yield (
                    name,
                    f"{name}(x, {n})",
                    lambda x, name=name, n=n: getattr(SP, name)(x.detach(), n),
                )


def unreduced(shape: tuple[int, ...], seed: int) -> Array:
    """Well conditioned matrices whose diagonals are large, so that rows stay where they are."""
    return regular(shape, seed) + 3 * np.eye(shape[-2], shape[-1])


SOLVED: dict[str, list[Call]] = {
    "tensorinv": [("tensorinv(x.reshape(3, 1, 3))", lambda x: LA.tensorinv(x.reshape(3, 1, 3))), ("tensorinv(x.reshape(3, 3, 1), ind=1)", lambda x: LA.tensorinv(x.reshape(3, 3, 1), ind=1)), ("tensorinv(x, 1)", lambda x: LA.tensorinv(x, 1)), ("torch.linalg.tensorinv(x.reshape(1, 3, 3), 2)", lambda x: LA.tensorinv(x.reshape(1, 3, 3), 2))],
    "tensorsolve": [("tensorsolve(x, x[0])", lambda x: LA.tensorsolve(x, x[0])), ("tensorsolve(x.reshape(3, 1, 3), x[:, :1]**2)", lambda x: LA.tensorsolve(x.reshape(3, 1, 3), x[:, :1] ** 2)), ("tensorsolve(x.reshape(3, 1, 3), x[:, :1]**2, dims=(0,))", lambda x: LA.tensorsolve(x.reshape(3, 1, 3), x[:, :1] ** 2, dims=(0,))), ("tensorsolve(x.T, x[:, 0])", lambda x: LA.tensorsolve(x.T, x[:, 0]))],
    "triangular_solve": [(f"triangular_solve(x[:, :2], x, {u}, {t}, {d}).solution", lambda x, u=u, t=t, d=d: torch.triangular_solve(x[:, :2], x, u, t, d)[0]) for u, t, d in ((True, False, False), (False, False, False), (True, True, False), (False, True, True))],
    "cholesky_inverse": [("cholesky_inverse(tril(x))", lambda x: torch.cholesky_inverse(x.tril())), ("cholesky_inverse(triu(x), upper=True)", lambda x: torch.cholesky_inverse(x.triu(), upper=True)), ("cholesky_inverse(tril(x), False)[0]", lambda x: torch.cholesky_inverse(x.tril())[0]), ("torch.cholesky_inverse(input=tril(x))", lambda x: torch.cholesky_inverse(x.tril()))],
    "cholesky_ex": [("cholesky_ex(x @ x.T).L", lambda x: LA.cholesky_ex(x @ x.T).L), ("cholesky_ex(x @ x.T, upper=True)[0]", lambda x: LA.cholesky_ex(x @ x.T, upper=True)[0]), ("cholesky_ex(x @ x.T).info", lambda x: LA.cholesky_ex(x @ x.T).info), ("torch.linalg.cholesky_ex(x @ x.T, check_errors=True).L", lambda x: LA.cholesky_ex(x @ x.T, check_errors=True).L)],
    "inv_ex": [("inv_ex(x).inverse", lambda x: LA.inv_ex(x).inverse), ("inv_ex(x).info", lambda x: LA.inv_ex(x).info), ("torch.linalg.inv_ex(x, check_errors=True)[0]", lambda x: LA.inv_ex(x)[0]), ("inv_ex(A=x)[0][0]", lambda x: LA.inv_ex(x)[0][0])],
    "solve_ex": [("solve_ex(x, x[:2].T).result", lambda x: LA.solve_ex(x, x[:2].T).result), ("solve_ex(x, x[:, :2].T, left=False)[0]", lambda x: LA.solve_ex(x, x[:, :2].T, left=False)[0]), ("solve_ex(x, x[0])[0]", lambda x: LA.solve_ex(x, x[0])[0]), ("solve_ex(x, x)[1]", lambda x: LA.solve_ex(x, x)[1])],
    "lu_factor": [("lu_factor(x).LU", lambda x: LA.lu_factor(x)[0]), ("lu_factor(x[:, :2])[0]", lambda x: LA.lu_factor(x[:, :2])[0]), ("lu_factor(x[:2]).LU", lambda x: LA.lu_factor(x[:2])[0]), ("lu_factor(x[[2, 0, 1]]).pivots", lambda x: LA.lu_factor(x[[2, 0, 1]])[1].long())],
    "lu_factor_ex": [("lu_factor_ex(x).LU", lambda x: LA.lu_factor_ex(x)[0]), ("lu_factor_ex(x)[2]", lambda x: LA.lu_factor_ex(x)[2].long()), ("torch.linalg.lu_factor_ex(x[:2])[0]", lambda x: LA.lu_factor_ex(x[:2])[0]), ("lu_factor_ex(x[:, :1]).LU", lambda x: LA.lu_factor_ex(x[:, :1])[0])],
    "lu": [("torch.lu(x)[0]", lambda x: LA.lu_factor(x)[0]), ("lu(x[:2], get_infos=True)[0]", lambda x: LA.lu_factor(x[:2])[0]), ("x.lu()[1]", lambda x: LA.lu_factor(x)[1].long()), ("lu(x[:, :2], True)[0]", lambda x: LA.lu_factor(x[:, :2])[0])],
    "linalg.lu": [("torch.linalg.lu(x).L", lambda x: LA.lu(x).L), ("linalg.lu(x[:, :2])[1]", lambda x: LA.lu(x[:, :2])[1]), ("torch.linalg.lu(x[:2]).U", lambda x: LA.lu(x[:2]).U), ("torch.linalg.lu(x[[2, 0, 1]]).P", lambda x: LA.lu(x[[2, 0, 1]]).P)],
    "lu_unpack": [("lu_unpack(x, [2, 3, 3]).P", lambda x: torch.lu_unpack(x, torch.tensor([2, 3, 3], dtype=torch.int32))[0]), ("lu_unpack(x, [3, 3, 3])[1]", lambda x: torch.lu_unpack(x, torch.tensor([3, 3, 3], dtype=torch.int32))[1]), ("lu_unpack(x[:2], [2, 2]).U", lambda x: torch.lu_unpack(x[:2], torch.tensor([2, 2], dtype=torch.int32))[2]), ("lu_unpack(x, [1, 2, 3], unpack_data=False)[0]", lambda x: torch.lu_unpack(x, torch.tensor([1, 2, 3], dtype=torch.int32), unpack_data=False)[0])],
    "linalg.lu_solve": [(f"torch.linalg.lu_solve(x, [2, 3, 3], x, left={left}, adjoint={adjoint})", lambda x, left=left, adjoint=adjoint: LA.lu_solve(x, torch.tensor([2, 3, 3], dtype=torch.int32), x, left=left, adjoint=adjoint)) for left in (True, False) for adjoint in (True, False)],
    "lu_solve": [("torch.lu_solve(x, x, [2, 3, 3])", lambda x: torch.lu_solve(x, x, torch.tensor([2, 3, 3], dtype=torch.int32))), ("lu_solve(x[:, :1], x, [1, 2, 3])", lambda x: torch.lu_solve(x[:, :1], x, torch.tensor([1, 2, 3], dtype=torch.int32))), ("lu_solve(x[:, 1:], x, [3, 3, 3])", lambda x: torch.lu_solve(x[:, 1:], x, torch.tensor([3, 3, 3], dtype=torch.int32))), ("torch.lu_solve(x, x, [1, 3, 3])[0]", lambda x: torch.lu_solve(x, x, torch.tensor([1, 3, 3], dtype=torch.int32))[0])],
    "householder_product": [("householder_product(x, x[0])", lambda x: LA.householder_product(x, x[0])), ("householder_product(x[:, :2], x[0, :2])", lambda x: LA.householder_product(x[:, :2], x[0, :2])), ("torch.orgqr(x, x[0, :1])", lambda x: torch.orgqr(x, x[0, :1])), ("householder_product(x[:, 1:], x[1, 1:])", lambda x: LA.householder_product(x[:, 1:], x[1, 1:]))],
    "ormqr": [(f"ormqr(x[:, :2], x[0, :2], x, {left}, {turned})", lambda x, left=left, turned=turned: torch.ormqr(x[:, :2], x[0, :2], x, left, turned)) for left in (True, False) for turned in (True, False)],
}  # fmt: skip


SMALL = (
    "inv_ex", "solve_ex", "cholesky_ex", "cholesky_inverse", "triangular_solve",
    "householder_product", "ormqr",
)  # fmt: skip
"""Functions of two rows and columns."""


def of_special() -> Iterator[tuple[str, str, Callable[..., Any], tuple[float, float], bool]]:
    """Name, program, PyTorch's function, domain, and whether PyTorch has the derivative."""
    yield "airy_ai", "airy_ai(x)", SP.airy_ai, (-2.0, 4.0), False
    for name in ("bessel_j0", "bessel_j1"):
        yield name, f"{name}(x)", getattr(SP, name), (-4.9, 4.9), False
    for name in ("bessel_y0", "bessel_y1", "modified_bessel_k0", "modified_bessel_k1",
                 "scaled_modified_bessel_k0", "scaled_modified_bessel_k1"):  # fmt: skip
        yield name, f"{name}(x)", getattr(SP, name), (0.1, 4.9), False
    yield (
        "spherical_bessel_j0",
        "spherical_bessel_j0(x)",
        SP.spherical_bessel_j0,
        (-8.0, 8.0),
        False,
    )
    yield "i0e", "i0e(x)", SP.i0e, (-8.0, 8.0), True
    yield "i1e", "torch.special.i1e(x)", SP.i1e, (-8.0, 8.0), True
    yield "ndtri", "ndtri(x)", SP.ndtri, (0.05, 0.95), True
    for a in (0.5, 3.0):
        yield (
            "gammainc",
            f"gammainc({a}, x)",
            lambda x, a=a: SP.gammainc(torch.tensor(a), x),
            (0.1, 5.0),
            True,
        )
        yield (
            "gammaincc",
            f"torch.igammac({a}, x)",
            lambda x, a=a: SP.gammaincc(torch.tensor(a), x),
            (0.1, 5.0),
            True,
        )
        yield (
            "zeta",
            f"zeta({a + 1}, x)",
            lambda x, a=a: SP.zeta(torch.tensor(a + 1), x),
            (0.3, 5.0),
            True,
        )
    for p in (1, 3):
        yield "mvlgamma", f"mvlgamma(x, {p})", lambda x, p=p: torch.mvlgamma(x, p), (1.2, 5.0), True


INACCURATE = {
    "zeta": (1e-9, 0.0, "PyTorch's zeta has ten digits"),
    **dict.fromkeys(
        ("bessel_j0", "bessel_j1", "bessel_y0", "bessel_y1"),
        (1e-4, 1e-5, "PyTorch's has five to nine digits; see the deviations"),
    ),
}


def goldens() -> Iterator[Golden]:
    """Every function on its inputs."""
    torch.set_default_dtype(torch.float64)
    for table, inputs in ((OF_MATRIX, MATRICES), (OF_ROWS, ROWS), (OF_VECTOR, VECTORS)):
        for name, calls in table.items():
            used = FEW if len(calls) > 6 else inputs
            for program, call in calls:
                yield Golden(name, program, call, [{"x": x} for x in used], rtol=1e-11)
    for name, calls in SOLVED.items():
        size = 2 if name in SMALL else 3
        matrices = [unreduced((size, size), seed) for seed in range(5)]
        for program, call in calls:
            yield Golden(name, program, call, [{"x": np.round(x, 2)} for x in matrices], rtol=1e-10)
    for name, program, function in of_polynomials():
        yield Golden(
            name,
            program,
            function,
            [{"x": coarse((2,), (0.0, 1.0), i)} for i in range(5)],
            differentiable=False,
        )
    for name, program, function, domain, differentiable in of_special():
        count = 10 if name in ("gammainc", "gammaincc", "zeta", "mvlgamma") else 20
        rtol, atol, reason = INACCURATE.get(name, (1e-12, 0.0, ""))
        yield Golden(
            name,
            program,
            function,
            [
                {"x": np.round(draw((1 if i and count > 10 else 2,), domain, i), 4)}
                for i in range(count)
            ],
            rtol,
            atol,
            reason,
            True,
            differentiable,
        )
    for program, call in STRIDED:
        yield Golden(
            "as_strided_scatter",
            program,
            call,
            [{"x": coarse((2, 3), seed=i)} for i in range(5)],
            differentiable=False,
        )
