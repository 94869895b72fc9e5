"""Goldens of reductions, norms, statistics, softmax and scans."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812

from tests.ops.goldens.golden import Golden, Input, View
from tests.ops.goldens.inputs import INF, NAN, Domain, draw

WIDE = (-3.0, 3.0)


def matrices(domain: Domain = WIDE, *, nan: bool = True) -> list[Input]:
    """Tensors of two or more axes, none of length 0: ties, zeros, large, tiny, inf and nan."""
    tied = np.array([[1.0, 2.0, 2.0], [2.0, 1.0, 1.0]])
    zeros = np.array([[0.0, 2.0, 3.0], [0.0, 0.0, 5.0], [4.0, -1.0, 2.0]])
    found: list[Input] = [
        *(draw(shape, domain, i) for i, shape in enumerate(
            [(1, 1), (2, 3), (3, 2), (1, 4), (4, 1), (2, 2), (5, 3), (2, 3, 2), (2, 1, 3),
             (1, 3, 1, 2), (3, 4), (7, 2)]
        )),
        View(draw((2, 3), domain, 20), ".T"),
        View(draw((2, 2, 3), domain, 21), ".mT"),
        View(draw((5, 2), domain, 22), "[::2]"),
        View(draw((2, 5), domain, 23), "[..., ::2]"),
        tied, np.ones((2, 3)), np.zeros((2, 2)), zeros,
        1e9 * draw((2, 3), domain, 24), 1e-9 * draw((2, 3), domain, 25),
        np.array([[INF, 1.0, -1.0], [2.0, -INF, 0.5]]),
    ]  # fmt: skip
    if nan:
        found.append(np.array([[NAN, 1.0, -1.0], [2.0, 3.0, 0.5]]))
    return found


SINGLE: list[Input] = [draw((), WIDE, 40), np.array(0.0), np.array(-2.0)]
EMPTY: list[Input] = [np.zeros(0), np.zeros((2, 0))]
VECTORS: list[Input] = [draw((4,), WIDE, 41), np.array([1.0, 1.0, 0.0]), draw((1,), WIDE, 42)]

Call = tuple[str, Callable[..., Any]]


def forms(name: str, function: Callable[..., Any], rest: str = "", **keywords: Any) -> list[Call]:
    """A reduction over all elements, one axis, and several or kept ones."""
    more = f", {rest}" if rest else ""
    return [
        (f"{name}(x{more})", lambda x: function(x, **keywords)),
        (f"{name}(x, dim=0{more})", lambda x: function(x, dim=0, **keywords)),
        (f"{name}(x, dim=-1, keepdim=True{more})",
         lambda x: function(x, dim=-1, keepdim=True, **keywords)),
        (f"x.{name}(dim=(0, -1){more})", lambda x: function(x, dim=(0, -1), **keywords)),
    ]  # fmt: skip


def one_axis(name: str, function: Callable[..., Any], *, whole: bool = True) -> list[Call]:
    """A reduction over all elements or along one axis only."""
    calls: list[Call] = [
        (f"{name}(x, 0)", lambda x: function(x, 0)),
        (f"{name}(x, dim=-1, keepdim=True)", lambda x: function(x, dim=-1, keepdim=True)),
    ]
    return [(f"{name}(x)", function), *calls] if whole else calls


def scan(name: str, function: Callable[..., Any]) -> list[Call]:
    """A scan along the first and the last axis."""
    return [
        (f"{name}(x, 0)", lambda x: function(x, 0)),
        (f"{name}(x, dim=-1)", lambda x: function(x, dim=-1)),
    ]


def pair(name: str, function: Callable[..., Any]) -> list[Call]:
    """A function that gives values and indices along an axis."""
    return [
        (f"{name}(x, 0).values", lambda x: function(x, 0)[0]),
        (f"{name}(x, dim=-1)[1]", lambda x: function(x, dim=-1)[1]),
    ]


CALLS: dict[str, list[Call]] = {
    "sum": forms("sum", torch.sum),
    "mean": forms("mean", torch.mean),
    "amax": forms("amax", torch.amax),
    "amin": forms("amin", torch.amin),
    "nansum": forms("nansum", torch.nansum),
    "nanmean": forms("nanmean", torch.nanmean),
    "logsumexp": [
        ("logsumexp(x)", lambda x: torch.logsumexp(x, tuple(range(x.ndim)))),
        *forms("logsumexp", torch.logsumexp)[1:],
    ],
    "prod": one_axis("prod", torch.prod),
    "argmax": one_axis("argmax", torch.argmax),
    "argmin": one_axis("argmin", torch.argmin),
    "all": one_axis("all", torch.all),
    "any": one_axis("any", torch.any),
    "count_nonzero": [
        ("count_nonzero(x)", torch.count_nonzero),
        ("count_nonzero(x, dim=0)", lambda x: torch.count_nonzero(x, dim=0)),
    ],
    "max": [("max(x)", torch.max), *pair("max", torch.max)],
    "min": [("min(x)", torch.min), *pair("min", torch.min)],
    "median": [("median(x)", torch.median), ("median(x, 0).values", lambda x: x.median(0)[0])],
    "var": [
        *forms("var", torch.var), *forms("var", torch.var, "correction=0", correction=0),
        ("var(x, False)", lambda x: torch.var(x, False)),
    ],
    "std": [
        *forms("std", torch.std), *forms("std", torch.std, "correction=0", correction=0),
        ("std(x, True)", lambda x: torch.std(x, True)),
        ("std(x, 0, False, True)", lambda x: torch.std(x, 0, False, True)),
    ],
    "var_mean": [
        ("var_mean(x)[0]", lambda x: torch.var_mean(x)[0]),
        ("var_mean(x, unbiased=False)[0]", lambda x: torch.var_mean(x, unbiased=False)[0]),
        ("var_mean(x, dim=0, correction=0.5)[0]", lambda x: x.var(0, correction=0.5)),
        ("var_mean(x, dim=-1)[1]", lambda x: torch.var_mean(x, -1)[1]),
    ],
    "std_mean": [("std_mean(x, dim=-1)[0]", lambda x: torch.std_mean(x, -1)[0])],
    "norm": [
        *forms("norm", torch.norm),
        *forms("norm", torch.norm, "p=1", p=1),
        *forms("norm", torch.norm, "p=3", p=3),
        *forms("norm", torch.norm, "p=0.5", p=0.5),
        *forms("norm", torch.norm, "p=inf", p=INF),
        *forms("norm", torch.norm, "p=-inf", p=-INF),
        *forms("norm", torch.norm, "p=0", p=0),
        *forms("norm", torch.norm, "p=-1", p=-1),
    ],
    "vector_norm": forms("vector_norm", torch.linalg.vector_norm),
    "softmax": scan("softmax", torch.softmax),
    "log_softmax": scan("log_softmax", torch.log_softmax),
    "softmin": scan("softmin", F.softmin),
    "cumsum": scan("cumsum", torch.cumsum),
    "cumprod": scan("cumprod", torch.cumprod),
    "cummax": pair("cummax", torch.cummax),
    "cummin": pair("cummin", torch.cummin),
    "logcumsumexp": scan("logcumsumexp", torch.logcumsumexp),
    "normalize": [
        ("normalize(x)", F.normalize),
        ("normalize(x, p=1, dim=0)", lambda x: F.normalize(x, p=1, dim=0)),
    ],
    "diff": [
        ("diff(x)", torch.diff),
        ("diff(x, n=2, dim=0)", lambda x: torch.diff(x, n=2, dim=0)),
        ("diff(x, append=x)", lambda x: torch.diff(x, append=x)),
    ],
    "trapezoid": [
        ("trapezoid(x)", torch.trapezoid),
        ("trapezoid(x, dx=0.5, dim=0)", lambda x: torch.trapezoid(x, dx=0.5, dim=0)),
        ("trapezoid(x, x**2)", lambda x: torch.trapezoid(x, x**2)),
    ],
    "quantile": [
        ("quantile(x, 0.3)", lambda x: torch.quantile(x, 0.3)),
        ("quantile(x, [0.25, 0.9], dim=0)",
         lambda x: torch.quantile(x, torch.tensor([0.25, 0.9], dtype=x.dtype), dim=0)),
        ("quantile(x, 0.6, dim=-1, keepdim=True)",
         lambda x: torch.quantile(x, 0.6, dim=-1, keepdim=True)),
        *((f"quantile(x, 0.4, interpolation='{how}')",
           lambda x, how=how: torch.quantile(x, 0.4, interpolation=how))
          for how in ("lower", "higher", "midpoint", "nearest")),
    ],
}  # fmt: skip

NO_AXES: dict[str, list[Call]] = {
    **{
        name: [
            (f"{name}(x, dim=())", lambda x, function=function: function(x, dim=())),
            (f"{name}(x, dim=[], keepdim=True)",
             lambda x, function=function: function(x, dim=[], keepdim=True)),
        ]
        for name, function in {
            "sum": torch.sum, "mean": torch.mean, "nansum": torch.nansum, "nanmean": torch.nanmean,
            "amax": torch.amax, "amin": torch.amin, "var": torch.var, "std": torch.std,
            "norm": torch.norm, "vector_norm": torch.linalg.vector_norm,
            "all": torch.all, "any": torch.any,
        }.items()
    },
    "logsumexp": [
        ("logsumexp(x, dim=[], keepdim=True)", lambda x: torch.logsumexp(x, [], keepdim=True)),
    ],
    "var_mean": [
        ("var_mean(x, ())[0]", lambda x: torch.var_mean(x, ())[0]),
        ("var_mean(x, ())[1]", lambda x: torch.var_mean(x, ())[1]),
    ],
    "std_mean": [("std_mean(x, ())[0]", lambda x: torch.std_mean(x, ())[0])],
    "count_nonzero": [("count_nonzero(x, dim=())", lambda x: torch.count_nonzero(x, dim=()))],
    "normalize": [("normalize(x, dim=())", lambda x: F.normalize(x, dim=()))],
    "squeeze": [("squeeze(x, ())", lambda x: torch.squeeze(x, ()))],
    "flip": [("flip(x, ())", lambda x: torch.flip(x, ()))],
}  # fmt: skip
"""Calls with an empty list of axes: all of them for most, none for `all`, `any` and what is no
reduction. (PyTorch's logsumexp wants keepdim then.)
"""

OF_NOTHING = ("sum", "mean", "prod", "nansum", "nanmean", "logsumexp", "norm", "all", "any")
"""Reductions that have a value when there are no elements."""

TWO: dict[str, list[Call]] = {
    "dist": [
        ("dist(x, y)", torch.dist),
        ("dist(x, y, p=1)", lambda x, y: torch.dist(x, y, 1)),
        ("dist(x, y, 3)", lambda x, y: torch.dist(x, y, 3)),
    ],
    "cosine_similarity": [
        ("cosine_similarity(x, y)", F.cosine_similarity),
        ("cosine_similarity(x, y, dim=0)", lambda x, y: F.cosine_similarity(x, y, 0)),
    ],
}


NAN_ONLY: tuple[float, ...] = (NAN,)
SHORT: tuple[float, ...] = (0.0, *(abs(v) for v in (1e-9 * draw((2, 3), WIDE, 25)).flat))
NOT_FINITE = (NAN, INF)
LEFT_OUT: dict[str, tuple[float, ...]] = {
    "prod": NOT_FINITE,
    "cumprod": NOT_FINITE,
    "trapezoid": NOT_FINITE,
    "var_mean": NOT_FINITE,
    "dist": NOT_FINITE,
    "cosine_similarity": SHORT,
    "norm": NAN_ONLY,
    "max": NAN_ONLY,
    "min": NAN_ONLY,
    "median": NAN_ONLY,
}
"""What may not be in the inputs, as `deviations.py` has a row for it."""

INACCURATE = {"logcumsumexp": (1e-6, "PyTorch adds gradients as logarithms of large numbers")}


def allowed(name: str, inputs: list[Input]) -> list[Input]:
    """The inputs without those on which PyTorch deviates."""
    left_out = LEFT_OUT.get(name, ())

    def fits(value: Input) -> bool:
        array = np.abs(np.asarray(value.base if isinstance(value, View) else value))
        return not any(np.isin(array, left_out, assume_unique=True).ravel()) and not (
            NAN in left_out and np.isnan(array).any()
        )

    return [each for each in inputs if fits(each)]


def goldens() -> Iterator[Golden]:
    """Every call on the same list of inputs."""
    for name, calls in CALLS.items():
        for program, function in calls:
            inputs = matrices()
            if "(0, -1)" not in program and name != "normalize":
                inputs += VECTORS
            if program.endswith("(x)") and name not in ("normalize", "diff", "trapezoid"):
                inputs += SINGLE
                inputs += EMPTY if name in OF_NOTHING else []
            rtol, reason = INACCURATE.get(name, (1e-12, ""))
            records: list[dict[str, Input]] = [{"x": x} for x in allowed(name, inputs)]
            yield Golden(name, program, function, records, rtol, reason=reason)
    for name, calls in NO_AXES.items():
        for program, function in calls:
            records = [{"x": draw(shape, WIDE)} for shape in ((2, 3), (4,))]
            smooth = name[:3] not in ("var", "std")  # `deviations.py` has a row for them
            yield Golden(name, program, function, records, differentiable=smooth)
    for name, calls in TWO.items():
        for program, function in calls:
            both: list[dict[str, Input]] = [
                {"x": x, "y": draw(np.shape(x), (-2.0, 2.0), 60 + i)}
                for i, x in enumerate(allowed(name, matrices()))
                if not isinstance(x, View)
            ]
            both += [
                {"x": draw((2, 3), WIDE, 80), "y": draw((3,), WIDE, 81)},
                {"x": draw((2, 1), WIDE, 82), "y": draw((1, 3), WIDE, 83)},
                {"x": View(draw((2, 3), WIDE, 84), ".T"), "y": draw((3, 2), WIDE, 85)},
            ]
            reason = "where the derivative is 0 the rounding of both is left"
            yield Golden(name, program, function, both, atol=1e-15, reason=reason)
