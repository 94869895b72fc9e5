"""Where gradcli differs from PyTorch 2.13 on purpose, and why: `gradcli ops --deviations`.

Tests run both sides of each deviation: ours here, PyTorch's where its results are stored.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

INF = float("inf")
NAN = float("nan")


class Deviation(NamedTuple):
    """One point at which the two answers differ."""

    where: str
    """The functions and the point."""
    functions: Sequence[str]
    """The entries of the op table that are concerned."""
    program: str
    torch: str
    """The same for PyTorch, as Python over `torch`, its `F` and the inputs."""
    inputs: Mapping[str, Any]
    here: Mapping[str, Any]
    """What gradcli gives: `value`, the grad of an input under its name, or an `error`'s code."""
    there: Mapping[str, Any]
    """What PyTorch gives for the same, or its `error`'s first line."""
    reason: str


class Difference(NamedTuple):
    """A rule of the language that is not PyTorch's."""

    where: str
    here: str
    there: str
    reason: str


DIFFERENCES = [
    Difference(
        "a gradient that broadcasts to the output",
        "broadcast, with a note; --strict refuses it",
        "an error",
        "the tutorials on `backward` do it",
    ),
    Difference(
        "the default dtype",
        "float64",
        "float32",
        "gradients are checked here, and float32 hides mistakes",
    ),
    Difference(
        "`softmax(x)` without `dim`",
        "the last axis",
        "a guess and a warning",
        "",
    ),
    Difference(
        "`grad(y, x)` of one tensor x",
        "the grad itself; `torch.autograd.grad(y, x)` is a tuple here too",
        "`torch.autograd.grad(y, x)`, a tuple of one",
        "a value to compute on: `grad(grad(y, x, create_graph=True), x)`",
    ),
    Difference(
        "`grad(z, w)` where z does not depend on w",
        "0, and a note",
        "an error; None with `allow_unused`",
        "0 is the derivative",
    ),
    Difference(
        "`g = x.grad`, and then another backward or `x.grad.zero_()`",
        "g stays what it was",
        "g changes too",
        "values never change in place",
    ),
    Difference(
        "a second backward through `y = x + 2`",
        "the error `graph-freed`, as for `x * 2`",
        "works, as nothing was saved for the first",
        "a rule without exceptions",
    ),
    Difference(
        "numbers in programs",
        "floats",
        "integers and floats",
        "`x // 2`, `7 / 2` and `2**-1` have one meaning",
    ),
    Difference(
        "`x.to('cuda')`, `x.to(torch.float32)`",
        "as it was; a note says so of dtypes",
        "moved, rounded",
        "a run has one device and one floating-point dtype: --device, --dtype",
    ),
    Difference(
        "statistics of `batch_norm` in training",
        "as they are",
        "updated in place",
        "values never change in place",
    ),
]
"""Rules that differ."""


DEVIATIONS = [
    Deviation(
        "`hypot` at the origin",
        ["hypot"],
        "hypot(x, y)",
        "torch.hypot(x, y)",
        {"x": 0.0, "y": 0.0},
        {"x": 0.0, "y": 0.0},
        {"x": NAN, "y": NAN},
        "the subgradient of least norm, as for `norm`",
    ),
    Deviation(
        "`clamp` at a bound",
        ["clamp"],
        "clamp(x, min=1)",
        "torch.clamp(x, min=1)",
        {"x": 1.0},
        {"x": 0.0},
        {"x": 1.0},
        "the subgradient of least norm; newer releases of PyTorch agree",
    ),
    Deviation(
        "the second derivative of `elu`, `celu` and `selu` at 0",
        ["elu", "celu", "selu"],
        "grad(elu(x) + celu(x), x, create_graph=True)",
        "torch.autograd.grad(F.elu(x) + F.celu(x), x, create_graph=True)[0]",
        {"x": 0.0},
        {"value": 2.0, "x": 2.0},
        {"value": 2.0, "x": 0.0},
        "both derivatives at 0 are those of the exponential that is 0 there",
    ),
    Deviation(
        "a branch of `where` that is not selected",
        ["where"],
        "sum(where(x > 0, sqrt(x), 0))",
        "torch.where(x > 0, torch.sqrt(x), 0).sum()",
        {"x": [0.0, 4.0]},
        {"x": [0.0, 0.25]},
        {"x": [NAN, 0.25]},
        "it gets no gradient at all, so 0 · inf cannot arise",
    ),
    Deviation(
        "`sign` of nan",
        ["sign"],
        "sign(x)",
        "torch.sign(x)",
        {"x": NAN},
        {"value": NAN},
        {"value": 0.0},
        "nan stays visible, as in NumPy; the derivative of `abs` follows",
    ),
    Deviation(
        "`acosh` below 1",
        ["acosh"],
        "acosh(x)",
        "torch.acosh(x)",
        {"x": -2.0},
        {"value": NAN, "x": NAN},
        {"value": NAN, "x": 0.5773502691896258},
        "there is no value, so there is no derivative",
    ),
    Deviation(
        "`atan2` close to the origin",
        ["atan2"],
        "atan2(x, y)",
        "torch.atan2(x, y)",
        {"x": 0.0, "y": 1e-300},
        {"x": 1e300},
        {"x": 0.0},
        "`x**2 + y**2` vanishes in PyTorch; here nothing does before the derivative overflows",
    ),
    Deviation(
        "`sinc` close to 0",
        ["sinc"],
        "sinc(x)",
        "torch.sinc(x)",
        {"x": 1e-09},
        {"x": -3.2898681336964527e-09},
        {"x": 0.0},
        "PyTorch subtracts equal numbers; here the derivative is a Bessel function",
    ),
    Deviation(
        "`sinc` and `softsign` at infinity",
        ["sinc", "softsign"],
        "sinc(x) + softsign(x)",
        "torch.sinc(x) + F.softsign(x)",
        {"x": INF},
        {"x": 0.0},
        {"x": NAN},
        "the limit of the derivative",
    ),
    Deviation(
        "`hardswish` at -inf",
        ["hardswish"],
        "hardswish(x)",
        "F.hardswish(x)",
        {"x": -INF},
        {"value": 0.0},
        {"value": NAN},
        "0 · inf does not arise, as the pieces are selected",
    ),
    Deviation(
        "`i1` at nan",
        ["i1"],
        "i1(x)",
        "torch.special.i1(x)",
        {"x": NAN},
        {"x": NAN},
        {"x": 0.5},
        "a derivative at nan is not a number",
    ),
    Deviation(
        "`log_ndtr` far below 0",
        ["log_ndtr"],
        "log_ndtr(x)",
        "torch.special.log_ndtr(x)",
        {"x": -1000000000.0},
        {"x": 1000000000.0},
        {"x": 0.3989422804014327},
        "PyTorch divides a density by a probability that are both 0",
    ),
    Deviation(
        "the derivative of `digamma` at its poles",
        ["digamma"],
        "digamma(x)",
        "torch.digamma(x)",
        {"x": -1.0},
        {"x": INF},
        {"x": 6.580790147320947e32},
        "PyTorch divides by the rounding error of sin(pi * x)",
    ),
    Deviation(
        "`lgamma` at -inf",
        ["lgamma"],
        "lgamma(x)",
        "torch.lgamma(x)",
        {"x": -INF},
        {"value": -INF},
        {"value": INF},
        "SciPy's value; there is no limit",
    ),
    Deviation(
        "`rsqrt` at -0.0",
        ["rsqrt"],
        "rsqrt(x)",
        "torch.rsqrt(x)",
        {"x": -0.0},
        {"value": -INF, "x": -INF},
        {"value": -INF, "x": INF},
        "as for `sqrt`, whose derivative is -inf there",
    ),
    Deviation(
        "`polygamma` at inf",
        ["polygamma"],
        "polygamma(1, x)",
        "torch.polygamma(1, x)",
        {"x": INF},
        {"x": 0.0},
        {"x": NAN},
        "the limit",
    ),
    Deviation(
        "`heaviside` of nan",
        ["heaviside"],
        "heaviside(x, 0.5)",
        "torch.heaviside(x.detach(), torch.tensor(0.5, dtype=x.dtype))",
        {"x": NAN},
        {"value": NAN},
        {"value": 0.0},
        "nan stays visible",
    ),
    Deviation(
        "`addcdiv` by a tiny divisor",
        ["addcdiv"],
        "addcdiv(0, x, y)",
        "torch.addcdiv(torch.tensor(0.0, dtype=x.dtype), x, y)",
        {"x": 0.0, "y": 1e-300},
        {"y": 0.0},
        {"y": NAN},
        "the divisor is not squared",
    ),
    Deviation(
        "`copysign` of inf",
        ["copysign"],
        "copysign(x, y)",
        "torch.copysign(x, y)",
        {"x": INF, "y": -2.0},
        {"x": -1.0},
        {"x": NAN},
        "PyTorch divides inf by inf",
    ),
    Deviation(
        "`fmod` and `remainder` where the quotient overflows",
        ["fmod", "remainder"],
        "fmod(x, y) + remainder(x, y)",
        "torch.fmod(x, y) + torch.remainder(x, y)",
        {"x": [1e300] * 8, "y": [1e-09] * 8},
        {"value": [2 * 7.318252699976746e-10] * 8},
        {"value": [NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN]},
        "the remainder is exact however large the quotient is; in PyTorch only for few elements",
    ),
    Deviation(
        "`floor_divide`",
        ["floor_divide"],
        "floor_divide(x, y)",
        "torch.floor_divide(x, y)",
        {"x": 7.0, "y": 2.0},
        {"x": 0.0, "y": 0.0},
        {"error": "derivative for aten::floor_divide is not implemented"},
        "0 as for `floor`; PyTorch refuses to differentiate it",
    ),
    Deviation(
        "`prod` and `cumprod` with inf",
        ["prod", "cumprod"],
        "prod(x) + cumprod(x, 0)[1]",
        "torch.prod(x) + torch.cumprod(x, 0)[1]",
        {"x": [INF, 2.0]},
        {"x": [4.0, INF]},
        {"x": [NAN, INF]},
        "the product of the others, without a division",
    ),
    Deviation(
        "`max()`, `min()`, `median()` and `norm(x, inf)` of nan",
        ["max", "min", "median", "norm"],
        "max(x)",
        "torch.max(x)",
        {"x": [NAN, 2.0]},
        {"x": [NAN, NAN]},
        {"x": [1.0, 0.0]},
        "as for `amax`: where the result is nan, so is its derivative",
    ),
    Deviation(
        "`norm(x, 1)` of nan",
        ["norm"],
        "norm(x, 1)",
        "torch.norm(x, p=1)",
        {"x": [NAN, 2.0]},
        {"x": [NAN, 1.0]},
        {"x": [0.0, 1.0]},
        "as for `sign`",
    ),
    Deviation(
        "the mean of `var_mean` with inf",
        ["var_mean"],
        "var_mean(x)[1]",
        "torch.var_mean(x)[1]",
        {"x": [INF, 2.0]},
        {"value": INF},
        {"value": NAN},
        "it is the mean",
    ),
    Deviation(
        "the derivatives of `var` and `std` with `dim=()`",
        ["var", "std"],
        "var(x, dim=())",
        "torch.var(x, dim=())",
        {"x": [1.0, 2.0, 6.0]},
        {"x": [-2.0, -1.0, 3.0]},
        {"x": [-INF, -INF, INF]},
        "() is all axes, as the value says; PyTorch's derivative divides by 0",
    ),
    Deviation(
        "`trapezoid` of inf",
        ["trapezoid"],
        "trapezoid(x)",
        "torch.trapezoid(x)",
        {"x": [INF, 2.0]},
        {"value": INF},
        {"value": NAN},
        "PyTorch takes half the ends off the sum: inf - inf",
    ),
    Deviation(
        "`cosine_similarity` of a vector shorter than eps",
        ["cosine_similarity"],
        "cosine_similarity(x, y, 0)",
        "F.cosine_similarity(x, y, 0)",
        {"x": [3e-09, 0.0], "y": [3.0, 4.0]},
        {"value": 0.18, "x": [60000000.0, 80000000.0]},
        {"value": 0.18, "x": [42000000.0, 80000000.0]},
        "the derivative of the value; PyTorch differentiates the norm that eps has replaced",
    ),
    Deviation(
        "losses with a margin, at the margin",
        [
            "hinge_embedding_loss",
            "cosine_embedding_loss",
            "margin_ranking_loss",
            "triplet_margin_loss",
        ],
        "hinge_embedding_loss(x, -1)",
        "F.hinge_embedding_loss(x, torch.tensor(-1))",
        {"x": 1.0},
        {"x": 0.0},
        {"x": -1.0},
        "the subgradient of least norm, as for `clamp`",
    ),
    Deviation(
        "`det` of a singular matrix",
        ["det"],
        "det(x)",
        "torch.det(x)",
        {"x": [[1.0, 2.0], [2.0, 4.0]]},
        {"x": [[4.0, -2.0], [-2.0, 1.0]]},
        {"x": [[0.0, -0.0], [-0.0, 0.0]]},
        "the derivative of a determinant is the adjugate, singular or not",
    ),
    Deviation(
        "`scatter` that writes to one place twice",
        ["scatter"],
        "sum(scatter(zeros(2), 0, [0, 0], x))",
        "torch.zeros(2, dtype=x.dtype).scatter(0, torch.tensor([0, 0]), x).sum()",
        {"x": [3.0, 4.0]},
        {"x": [0.0, 1.0]},
        {"x": [1.0, 1.0]},
        "what was overwritten has no part in the result; `index_put` likewise",
    ),
    Deviation(
        "`slogdet` of a singular matrix",
        ["slogdet"],
        "slogdet(x).logabsdet",
        "torch.linalg.slogdet(x)[1]",
        {"x": [[1.0, 2.0], [2.0, 4.0]]},
        {"x": [[INF, -INF], [-INF, INF]]},
        {"x": [[-INF, INF], [INF, -INF]]},
        "the adjugate over +0: its signs are those of the adjugate",
    ),
    Deviation(
        "`solve_triangular` with a zero on the diagonal",
        ["solve_triangular"],
        "solve_triangular(x, [[1], [1]], upper=True)",
        "torch.linalg.solve_triangular(x, torch.ones(2, 1, dtype=x.dtype), upper=True)",
        {"x": [[0.0, 1.0], [0.0, 1.0]]},
        {"error": "singular"},
        {"value": [[NAN], [1.0]]},
        "a singular matrix is the same error in each function that solves",
    ),
    Deviation(
        "the residuals of `lstsq`",
        ["lstsq"],
        "lstsq(x, [[1], [2], [4]]).residuals",
        "torch.linalg.lstsq(x, torch.tensor([[1.0], [2.0], [4.0]], dtype=x.dtype)).residuals",
        {"x": [[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]]},
        {"value": [16.0]},
        {"value": []},
        "they are there for every matrix, and differentiable",
    ),
    Deviation(
        "`lstsq` of a matrix without full rank",
        ["lstsq"],
        "lstsq(x, [[1], [2]]).solution",
        "torch.linalg.lstsq(x, torch.tensor([[1.0], [2.0]], dtype=x.dtype)).solution",
        {"x": [[0.0, 1.0], [0.0, 2.0]]},
        {"value": [[0.0], [1.0]]},
        {"value": [[0.0], [0.0]]},
        "the solution of least norm, as from its driver gelsd",
    ),
    Deviation(
        "which of equal elements `topk` takes",
        ["topk"],
        "topk(x, 1).indices",
        "torch.topk(x, 1).indices",
        {"x": [2.0, 2.0, 1.0, 2.0]},
        {"value": [0]},
        {"value": [1]},
        "the first, as for `sort`; PyTorch promises none",
    ),
    Deviation(
        "digits of the derivative of `hardsigmoid`",
        ["hardsigmoid"],
        "hardsigmoid(x)",
        "F.hardsigmoid(x)",
        {"x": 0.5},
        {"x": 1 / 6},
        {"x": 0.1666666716337204},
        "PyTorch's 1/6 has the digits of float32",
    ),
]
"""Points that differ."""
