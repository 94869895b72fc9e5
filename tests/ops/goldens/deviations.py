"""Where gradcli differs from PyTorch 2.13 on purpose, and why.

The README's table is made from `rows`. `make_goldens.py` runs PyTorch's side and writes
`deviations.json`; `test_deviations.py` runs ours.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

INF = float("inf")
NAN = float("nan")


@dataclass(frozen=True)
class Deviation:
    """One point at which the two answers differ."""

    where: str
    """The function and the point, as the README says it."""
    program: str
    torch: Callable[..., Any]
    """Called with the module `torch` and the inputs, in their order."""
    inputs: Mapping[str, Any]
    here: Mapping[str, Any]
    """What gradcli gives: `value`, the grad of an input under its name, or an `error`'s code."""
    reason: str


DEVIATIONS = [
    Deviation(
        "`hypot` at the origin",
        "hypot(x, y)",
        lambda torch, x, y: torch.hypot(x, y),
        {"x": 0.0, "y": 0.0},
        {"x": 0.0, "y": 0.0},
        "the subgradient of least norm, as for `norm`",
    ),
    Deviation(
        "`clamp` at a bound",
        "clamp(x, min=1)",
        lambda torch, x: torch.clamp(x, min=1),
        {"x": 1.0},
        {"x": 0.0},
        "the subgradient of least norm; newer releases of PyTorch agree",
    ),
    Deviation(
        "the second derivative of `elu`, `celu` and `selu` at 0",
        "grad(elu(x) + celu(x), x, create_graph=True)",
        lambda torch, x: torch.autograd.grad(
            torch.nn.functional.elu(x) + torch.nn.functional.celu(x), x, create_graph=True
        )[0],
        {"x": 0.0},
        {"value": 2.0, "x": 2.0},
        "both derivatives at 0 are those of the exponential that is 0 there",
    ),
    Deviation(
        "a branch of `where` that is not selected",
        "sum(where(x > 0, sqrt(x), 0))",
        lambda torch, x: torch.where(x > 0, torch.sqrt(x), 0).sum(),
        {"x": [0.0, 4.0]},
        {"x": [0.0, 0.25]},
        "it gets no gradient at all, so 0 · inf cannot arise",
    ),
    Deviation(
        "`sign` of nan",
        "sign(x)",
        lambda torch, x: torch.sign(x),
        {"x": NAN},
        {"value": NAN},
        "nan stays visible, as in NumPy; the derivative of `abs` follows",
    ),
    Deviation(
        "`acosh` below 1",
        "acosh(x)",
        lambda torch, x: torch.acosh(x),
        {"x": -2.0},
        {"value": NAN, "x": NAN},
        "there is no value, so there is no derivative",
    ),
    Deviation(
        "`atan2` close to the origin",
        "atan2(x, y)",
        lambda torch, x, y: torch.atan2(x, y),
        {"x": 0.0, "y": 1e-300},
        {"x": 1e300},
        "`x**2 + y**2` vanishes in PyTorch; here nothing does before the derivative overflows",
    ),
    Deviation(
        "`sinc` close to 0",
        "sinc(x)",
        lambda torch, x: torch.sinc(x),
        {"x": 1e-9},
        {"x": -3.2898681336964527e-09},
        "PyTorch subtracts equal numbers; here the derivative is a Bessel function",
    ),
    Deviation(
        "`sinc` and `softsign` at infinity",
        "sinc(x) + softsign(x)",
        lambda torch, x: torch.sinc(x) + torch.nn.functional.softsign(x),
        {"x": INF},
        {"x": 0.0},
        "the limit of the derivative",
    ),
    Deviation(
        "`hardswish` at -inf",
        "hardswish(x)",
        lambda torch, x: torch.nn.functional.hardswish(x),
        {"x": -INF},
        {"value": 0.0},
        "0 · inf does not arise, as the pieces are selected",
    ),
    Deviation(
        "`i1` at nan",
        "i1(x)",
        lambda torch, x: torch.special.i1(x),
        {"x": NAN},
        {"x": NAN},
        "a derivative at nan is not a number",
    ),
    Deviation(
        "`log_ndtr` far below 0",
        "log_ndtr(x)",
        lambda torch, x: torch.special.log_ndtr(x),
        {"x": -1e9},
        {"x": 1e9},
        "PyTorch divides a density by a probability that are both 0",
    ),
    Deviation(
        "the derivative of `digamma` at its poles",
        "digamma(x)",
        lambda torch, x: torch.digamma(x),
        {"x": -1.0},
        {"x": INF},
        "PyTorch divides by the rounding error of sin(pi * x)",
    ),
    Deviation(
        "`lgamma` at -inf",
        "lgamma(x)",
        lambda torch, x: torch.lgamma(x),
        {"x": -INF},
        {"value": -INF},
        "SciPy's value; there is no limit",
    ),
    Deviation(
        "`rsqrt` at -0.0",
        "rsqrt(x)",
        lambda torch, x: torch.rsqrt(x),
        {"x": -0.0},
        {"value": -INF, "x": -INF},
        "as for `sqrt`, whose derivative is -inf there",
    ),
    Deviation(
        "`polygamma` at inf",
        "polygamma(1, x)",
        lambda torch, x: torch.polygamma(1, x),
        {"x": INF},
        {"x": 0.0},
        "the limit",
    ),
    Deviation(
        "`heaviside` of nan",
        "heaviside(x, 0.5)",
        lambda torch, x: torch.heaviside(x.detach(), torch.tensor(0.5, dtype=x.dtype)),
        {"x": NAN},
        {"value": NAN},
        "nan stays visible",
    ),
    Deviation(
        "`addcdiv` by a tiny divisor",
        "addcdiv(0, x, y)",
        lambda torch, x, y: torch.addcdiv(torch.tensor(0.0, dtype=x.dtype), x, y),
        {"x": 0.0, "y": 1e-300},
        {"y": 0.0},
        "the divisor is not squared",
    ),
    Deviation(
        "`copysign` of inf",
        "copysign(x, y)",
        lambda torch, x, y: torch.copysign(x, y),
        {"x": INF, "y": -2.0},
        {"x": -1.0},
        "PyTorch divides inf by inf",
    ),
    Deviation(
        "`fmod` and `remainder` where the quotient overflows",
        "fmod(x, y) + remainder(x, y)",
        lambda torch, x, y: torch.fmod(x, y) + torch.remainder(x, y),
        {"x": [1e300] * 8, "y": [1e-9] * 8},
        {"value": [2 * 7.318252699976746e-10] * 8},
        "the remainder is exact however large the quotient is; in PyTorch only for few elements",
    ),
    Deviation(
        "`floor_divide`",
        "floor_divide(x, y)",
        lambda torch, x, y: torch.floor_divide(x, y),
        {"x": 7.0, "y": 2.0},
        {"x": 0.0, "y": 0.0},
        "0 as for `floor`; PyTorch refuses to differentiate it",
    ),
    Deviation(
        "`prod` and `cumprod` with inf",
        "prod(x) + cumprod(x, 0)[1]",
        lambda torch, x: torch.prod(x) + torch.cumprod(x, 0)[1],
        {"x": [INF, 2.0]},
        {"x": [4.0, INF]},
        "the product of the others, without a division",
    ),
    Deviation(
        "`max()`, `min()`, `median()` and `norm(x, inf)` of nan",
        "max(x)",
        lambda torch, x: torch.max(x),
        {"x": [NAN, 2.0]},
        {"x": [NAN, NAN]},
        "as for `amax`: where the result is nan, so is its derivative",
    ),
    Deviation(
        "`norm(x, 1)` of nan",
        "norm(x, 1)",
        lambda torch, x: torch.norm(x, p=1),
        {"x": [NAN, 2.0]},
        {"x": [NAN, 1.0]},
        "as for `sign`",
    ),
    Deviation(
        "the mean of `var_mean` with inf",
        "var_mean(x)[1]",
        lambda torch, x: torch.var_mean(x)[1],
        {"x": [INF, 2.0]},
        {"value": INF},
        "it is the mean",
    ),
    Deviation(
        "the derivatives of `var` and `std` with `dim=()`",
        "var(x, dim=())",
        lambda torch, x: torch.var(x, dim=()),
        {"x": [1.0, 2.0, 6.0]},
        {"x": [-2.0, -1.0, 3.0]},
        "() is all axes, as the value says; PyTorch's derivative divides by 0",
    ),
    Deviation(
        "`trapezoid` of inf",
        "trapezoid(x)",
        lambda torch, x: torch.trapezoid(x),
        {"x": [INF, 2.0]},
        {"value": INF},
        "PyTorch takes half the ends off the sum: inf - inf",
    ),
    Deviation(
        "`cosine_similarity` of a vector shorter than eps",
        "cosine_similarity(x, y, 0)",
        lambda torch, x, y: torch.nn.functional.cosine_similarity(x, y, 0),
        {"x": [3e-9, 0.0], "y": [3.0, 4.0]},
        {"value": 0.18, "x": [0.6e8, 0.8e8]},
        "the derivative of the value; PyTorch differentiates the norm that eps has replaced",
    ),
    Deviation(
        "losses with a margin, at the margin",
        "hinge_embedding_loss(x, -1)",
        lambda torch, x: torch.nn.functional.hinge_embedding_loss(x, torch.tensor(-1)),
        {"x": 1.0},
        {"x": 0.0},
        "the subgradient of least norm, as for `clamp`",
    ),
    Deviation(
        "`det` of a singular matrix",
        "det(x)",
        lambda torch, x: torch.det(x),
        {"x": [[1.0, 2.0], [2.0, 4.0]]},
        {"x": [[4.0, -2.0], [-2.0, 1.0]]},
        "the derivative of a determinant is the adjugate, singular or not",
    ),
    Deviation(
        "`scatter` that writes to one place twice",
        "sum(scatter(zeros(2), 0, [0, 0], x))",
        lambda torch, x: torch.zeros(2, dtype=x.dtype).scatter(0, torch.tensor([0, 0]), x).sum(),
        {"x": [3.0, 4.0]},
        {"x": [0.0, 1.0]},
        "what was overwritten has no part in the result; `index_put` likewise",
    ),
    Deviation(
        "`slogdet` of a singular matrix",
        "slogdet(x).logabsdet",
        lambda torch, x: torch.linalg.slogdet(x)[1],
        {"x": [[1.0, 2.0], [2.0, 4.0]]},
        {"x": [[INF, -INF], [-INF, INF]]},
        "the adjugate over +0: its signs are those of the adjugate",
    ),
    Deviation(
        "`solve_triangular` with a zero on the diagonal",
        "solve_triangular(x, [[1], [1]], upper=True)",
        lambda torch, x: torch.linalg.solve_triangular(
            x, torch.ones(2, 1, dtype=x.dtype), upper=True
        ),
        {"x": [[0.0, 1.0], [0.0, 1.0]]},
        {"error": "singular"},
        "a singular matrix is the same error in each function that solves",
    ),
    Deviation(
        "the residuals of `lstsq`",
        "lstsq(x, [[1], [2], [4]]).residuals",
        lambda torch, x: (
            torch.linalg.lstsq(x, torch.tensor([[1.0], [2.0], [4.0]], dtype=x.dtype)).residuals
        ),
        {"x": [[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]]},
        {"value": [16.0]},
        "they are there for every matrix, and differentiable",
    ),
]
