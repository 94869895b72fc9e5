"""Goldens of linear algebra. What a decomposition leaves open, such as signs, is squared."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import torch

from tests.ops.goldens.golden import Array, Golden, Input, View
from tests.ops.goldens.inputs import INF, NAN, draw

RTOL = 1e-10
LA: Any = torch.linalg


def regular(shape: tuple[int, ...], seed: int) -> Array:
    """Square matrices with a heavy diagonal, far from singular."""
    return draw(shape, (-1.0, 1.0), seed) + 3 * np.eye(shape[-1])


SHAPES = ((1, 1), (2, 2), (3, 3), (4, 4), (5, 5), (2, 2, 2), (3, 1, 1), (1, 3, 3), (2, 2, 3, 3))


def squares() -> list[Input]:
    """20 square matrices and batches of them: views, triangles, permutations, large and tiny."""
    plain = [regular(shape, seed) for seed, shape in enumerate(SHAPES)]
    return [
        *plain,
        draw((3, 3), seed=20), draw((2, 4, 4), seed=21),
        View(regular((3, 3), 22), ".T"), View(regular((2, 2, 2), 23), ".mT"),
        View(regular((4, 2, 2), 24), "[::2]"),
        np.tril(regular((3, 3), 25)), np.triu(regular((3, 3), 26)),
        np.eye(3)[[2, 0, 1]], np.diag([1.0, -2.0, 0.5]),
        1e40 * regular((2, 2), 27), 1e-40 * regular((2, 2), 28),
        np.zeros((0, 2, 2)),
    ]  # fmt: skip


def rectangles() -> list[Input]:
    """20 matrices and batches of them with more rows than columns, as many, and fewer."""
    shapes = (
        (1, 1), (2, 2), (3, 3), (3, 2), (4, 2), (5, 1), (4, 3), (2, 3), (2, 4), (1, 3), (3, 4),
        (2, 2, 2), (2, 3, 2), (2, 2, 3), (1, 4, 2),
    )  # fmt: skip
    return [
        *(draw(shape, seed=40 + i) for i, shape in enumerate(shapes)),
        View(draw((2, 4), seed=60), ".T"), View(draw((2, 2, 3), seed=61), ".mT"),
        View(draw((6, 2), seed=62), "[::2]"), View(draw((3, 6), seed=63), "[..., ::2]"),
        1e5 * draw((3, 2), seed=64), 1e-5 * draw((2, 3), seed=65),
    ]  # fmt: skip


ROUNDED = {"eigh", "svd", "cond"}
"""Some of their gradients are 0 up to rounding."""


def one(function: str, program: str, call: Callable[..., Any], inputs: list[Input]) -> Golden:
    """A golden of a function of x."""
    rounded = function in ROUNDED
    return Golden(
        function,
        program,
        call,
        [{"x": x} for x in inputs],
        rtol=RTOL,
        atol=1e-11 if rounded else 0.0,
        reason="some gradients are 0 up to rounding" if rounded else "",
    )


def _has_distinct_eigenvalues(x: Input) -> bool:
    """Whether those of the symmetric part are: else their gradients are not unique."""
    array = _array(x)
    values = np.linalg.eigvalsh((array + np.swapaxes(array, -1, -2)) / 2)
    return bool((np.diff(values) > 1e-6 * np.abs(values).max(initial=0)).all())


def of_matrices() -> Iterator[Golden]:
    """Functions of one matrix."""
    regulars = squares()
    symmetric = "(x + x.mT) / 2"

    def sym(x: Any) -> Any:
        return (x + x.mT) / 2

    def definite(x: Any) -> Any:
        return x @ x.mT

    yield one("det", "det(x)", torch.det, regulars)
    yield one("slogdet", "slogdet(x).logabsdet", lambda x: LA.slogdet(x)[1], regulars)
    yield one("slogdet", "slogdet(x)[0]", lambda x: LA.slogdet(x)[0].detach(), regulars)
    yield one("logdet", "logdet(x @ x.mT)", lambda x: torch.logdet(x @ x.mT), regulars)
    yield one("inv", "inv(x)", torch.inverse, regulars)
    for n in (3, 6, 1, 0, -2):
        call = lambda x, n=n: LA.matrix_power(x, n)  # noqa: E731
        yield one("matrix_power", f"matrix_power(x, {n})", call, regulars[:12])
    tame = [x for x in regulars if np.abs(_array(x)).max(initial=0) < 9]
    tame += [np.zeros((2, 2)), 10 * draw((3, 3), seed=70)]
    yield one("matrix_exp", "matrix_exp(x)", torch.matrix_exp, tame)
    planes = [x for x in rectangles() if _array(x).ndim == 2]
    planes += [np.zeros((0, 2)), np.full((2, 2), INF), np.array([[NAN, 1.0], [1.0, 1.0]])]
    planes += [draw((6, 6)), draw((1, 7)), draw((7, 1))]
    yield one("trace", "trace(x)", torch.trace, planes)
    yield one("cholesky", "cholesky(x @ x.mT)", lambda x: LA.cholesky(definite(x)), regulars)
    upper = "cholesky(x @ x.mT, upper=True)"
    yield one("cholesky", upper, lambda x: LA.cholesky(definite(x), upper=True), regulars)
    distinct = [x for x in tame if _has_distinct_eigenvalues(x)]
    yield one("eigvalsh", f"eigvalsh({symmetric})", lambda x: LA.eigvalsh(sym(x)), distinct)
    values = [x for x in tame[:-2] if _array(x).shape != (0, 2, 2)]
    plain = [x for i, x in enumerate(values) if i not in (14, 15, 16)] + [
        draw((3, 3), seed=80 + i) for i in range(5)
    ]
    plain = [x for x in plain if np.abs(_array(x)).max() > 1e-9]  # else gradients are huge
    yield one("eigh", f"eigh({symmetric}).eigenvalues", lambda x: LA.eigh(sym(x))[0], plain)
    yield one(
        "eigh", f"eigh({symmetric}, 'U')[1]**2", lambda x: LA.eigh(sym(x), "U")[1] ** 2, plain
    )


def of_rectangles() -> Iterator[Golden]:
    """Functions of matrices of any shape."""
    any_shape = rectangles()
    tall = [x for x in any_shape if _rows(x) >= _columns(x)]
    yield one("qr", "qr(x).Q", lambda x: LA.qr(x)[0], tall)
    yield one("qr", "qr(x).R", lambda x: LA.qr(x)[1], any_shape)
    yield one("qr", "qr(x, 'r').R", lambda x: LA.qr(x)[1], any_shape)
    yield one("qr", "qr(x, 'complete').R", lambda x: LA.qr(x, "complete")[1].detach(), any_shape)
    yield one("svd", "svd(x).S", lambda x: LA.svd(x)[1], any_shape)
    thin = "svd(x, full_matrices=False)"
    yield one("svd", f"{thin}.U**2", lambda x: LA.svd(x, False)[0] ** 2, any_shape)
    yield one("svd", f"{thin}.Vh**2", lambda x: LA.svd(x, False)[2] ** 2, any_shape)
    yield one("svdvals", "svdvals(x)", LA.svdvals, any_shape)
    yield one("pinv", "pinv(x)", torch.pinverse, any_shape)
    yield one("pinv", "pinv(x, rtol=0.4)", lambda x: LA.pinv(x, rtol=0.4), any_shape)
    for order in ("fro", "nuc", 1, -1, 2, -2, INF, -INF):
        text = repr(order) if isinstance(order, str) else f"{order:g}"
        call = lambda x, order=order: LA.matrix_norm(x, order)  # noqa: E731
        yield one("matrix_norm", f"matrix_norm(x, {text})", call, any_shape[:12])
    yield one("norm", "norm(x, 'nuc')", lambda x: torch.norm(x, "nuc"), any_shape[:6])
    yield one(
        "norm",
        "norm(x, p='nuc', dim=(0, 2), keepdim=True)",
        lambda x: torch.norm(x, "nuc", dim=(0, 2), keepdim=True),
        [draw((2, 2, 3), seed=77)],
    )
    yield one(
        "matrix_norm",
        "matrix_norm(x, 1, dim=(1, 0), keepdim=True)",
        lambda x: LA.matrix_norm(x, 1, (1, 0), True),
        any_shape,
    )
    flat = [x for x in any_shape if len(_shape(x)) == 2]
    for order in ("nuc", 1, 2, -INF):
        text = repr(order) if isinstance(order, str) else f"{order:g}"
        call = lambda x, order=order: LA.norm(x, order)  # noqa: E731
        yield one("linalg.norm", f"torch.linalg.norm(x, {text})", call, flat)
    yield one("linalg.norm", "linalg.norm(x)", LA.norm, any_shape)
    yield one("linalg.norm", "linalg.norm(x, 3, dim=-1)", lambda x: LA.norm(x, 3, -1), any_shape)
    yield one("cond", "cond(x)", LA.cond, any_shape)
    yield one("cond", "cond(x, -2)", lambda x: LA.cond(x, -2), any_shape)
    for order in ("fro", "nuc", 1, -1, INF, -INF):
        text = repr(order) if isinstance(order, str) else f"{order:g}"
        call = lambda x, order=order: (  # noqa: E731 — the gradient of PyTorch's own fails
            LA.matrix_norm(x, order) * LA.matrix_norm(LA.inv(x), order)
        )
        yield one("cond", f"cond(x, {text})", call, squares()[1:10])


def _array(x: Input) -> Array:
    return np.asarray(x.base if isinstance(x, View) else x)


def _rows(x: Input) -> int:
    return _shape(x)[-2]


def _columns(x: Input) -> int:
    return _shape(x)[-1]


def _shape(x: Input) -> tuple[int, ...]:
    if isinstance(x, View):
        shape = list(x.base.shape)
        if "T" in x.how:
            shape[-2:] = shape[:-3:-1]
        return tuple(shape)
    return np.shape(x)


SYSTEMS: tuple[tuple[tuple[int, ...], tuple[int, ...]], ...] = (
    ((1, 1), (1, 1)), ((2, 2), (2, 2)), ((3, 3), (3, 1)), ((3, 3), (3, 4)), ((4, 4), (4, 2)),
    ((2, 2, 2), (2, 2, 1)), ((2, 3, 3), (3, 2)), ((3, 3), (2, 3, 2)), ((2, 1, 2, 2), (3, 2, 2)),
    ((5, 5), (5, 2)), ((3, 3), (3, 0)), ((0, 2, 2), (0, 2, 1)),
)  # fmt: skip


def systems() -> list[tuple[Input, Input]]:
    """20 pairs of square matrices and right sides, batches broadcast."""
    plain: list[tuple[Input, Input]] = [
        (regular(a, 100 + i), draw(b, seed=130 + i)) for i, (a, b) in enumerate(SYSTEMS)
    ]
    return [
        *plain,
        (View(regular((3, 3), 150), ".T"), draw((3, 2), seed=151)),
        (View(regular((2, 2, 2), 152), ".mT"), draw((2, 2, 2), seed=153)),
        (regular((3, 3), 154), View(draw((2, 3), seed=155), ".T")),
        (regular((2, 2), 156), View(draw((2, 6), seed=157), "[..., ::2]")),
        (1e30 * regular((2, 2), 158), draw((2, 2), seed=159)),
        (1e-30 * regular((2, 2), 160), draw((2, 2), seed=161)),
        (np.eye(3)[[1, 2, 0]], draw((3, 2), seed=162)),
        (np.diag([1.0, 2.0, -4.0]), draw((3, 1), seed=163)),
    ]


def two(function: str, program: str, call: Callable[..., Any], inputs: Any) -> Golden:
    return Golden(function, program, call, [{"x": x, "y": y} for x, y in inputs], rtol=RTOL)


def of_systems() -> Iterator[Golden]:
    """Equations and least squares."""
    vectors = [(regular((n, n), n), draw((n,), seed=n)) for n in (1, 2, 3, 4)]
    batch = [(regular((2, 3, 3), 170), draw((2, 3), seed=171))]
    yield two("solve", "solve(x, y)", LA.solve, [*systems(), *vectors, *batch])
    right = [(x, np.swapaxes(_array(y), -1, -2)) for x, y in systems()[:6]]
    yield two("solve", "solve(x, y, left=False)", lambda x, y: LA.solve(x, y, left=False), right)
    for upper in (True, False):
        for unit in (True, False):
            yield two(
                "solve_triangular",
                f"solve_triangular(x, y, upper={upper}, unitriangular={unit})",
                lambda x, y, upper=upper, unit=unit: LA.solve_triangular(
                    x, y, upper=upper, unitriangular=unit
                ),
                [(x, y) for x, y in systems() if not _is_permutation(x)],
            )
    equal = [pair for pair in systems() if _shape(pair[0])[:-2] == _shape(pair[1])[:-2]]
    equal += [(regular((n, n), 180 + n), draw((n, 2), seed=190 + n)) for n in range(1, 8)]
    yield two(
        "cholesky_solve",
        "cholesky_solve(y, tril(x))",
        lambda x, y: torch.cholesky_solve(y, x.tril()),
        [pair for pair in equal if not _is_permutation(pair[0])],
    )
    tall = [
        (x, draw((*_shape(x)[:-1], 2), seed=200 + i))
        for i, x in enumerate(rectangles())
        if not isinstance(x, View)
    ] + [(draw((4, 2), seed=220 + i), draw((4, 1), seed=230 + i)) for i in range(5)]
    yield two("lstsq", "lstsq(x, y).solution", lambda x, y: LA.lstsq(x, y)[0], tall)


def _is_permutation(x: Input) -> bool:
    return isinstance(x, np.ndarray) and set(x.ravel().tolist()) == {0.0, 1.0}


def goldens() -> Iterator[Golden]:
    """Every function of linear algebra but products."""
    yield from of_matrices()
    yield from of_rectangles()
    yield from of_systems()
