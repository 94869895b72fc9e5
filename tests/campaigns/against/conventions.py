"""PyTorch's functions as gradcli means them, where the two differ on purpose.

Each convention has the words by which `gradcli ops --deviations` documents the difference. A
program is run in PyTorch with the functions exchanged: what is in the way of an explanation is then
computed, not guessed.
"""

from __future__ import annotations

import torch

from tests.campaigns.against import flow
from tests.campaigns.against import meanings as single
from tests.campaigns.against import meanings_of_tensors as whole
from tests.campaigns.against.exchange import Convention

CONVENTIONS = [
    Convention(
        "`clamp` at a bound",
        {
            **dict.fromkeys(("clamp", "clip", "clamp_min"), single.clamped),
            "clamp_max": single.clamped_above,
        },
    ),
    Convention("a branch of `where` that is not selected", {}, {"*": flow.no_flow}),
    Convention("a branch of `where` that is not selected", {}, {"*": flow.masked}),
    Convention(
        "`abs` at 0 where infinity flows back",
        {**dict.fromkeys(("abs", "absolute"), single.abs_), "l1_loss": single.l1_loss},
    ),
    Convention(
        "`erfcx` at infinity",
        {"erfcx": single.erfcx},
    ),
    Convention("`hypot` at the origin", {"hypot": single.hypot}),
    Convention("`atan2` close to the origin", {"atan2": single.atan2}),
    Convention(
        "the second derivative of `elu`, `celu` and `selu` at 0",
        {"elu": single.elu, "celu": single.celu, "selu": single.selu},
    ),
    Convention(
        "`sign` of nan",
        {},
        dict.fromkeys(("sign", "sgn"), lambda out, x: out.where(~x.isnan(), x)),
    ),
    Convention(
        "`heaviside` of nan", {}, {"heaviside": lambda out, x, zero: out.where(~x.isnan(), x)}
    ),
    Convention(
        "`acosh` below 1", {"acosh": lambda original, x: single.nan_where(x < 1, original(x))}
    ),
    Convention("`i1` at nan", {"i1": lambda original, x: single.nan_where(x.isnan(), original(x))}),
    Convention(
        "which of 0 and -0 is taken by `fmin`, `fmax`, `minimum` and `maximum`",
        {},
        {name: single.as_numpy(name) for name in ("fmin", "fmax", "minimum", "maximum")},
    ),
    Convention("digits of the derivative of `digamma`", {}, {"polygamma": single.polygamma}),
    Convention(
        "digits of the derivative of `hardsigmoid`",
        {},
        {
            "hardsigmoid_backward": lambda out, change, x: torch.where(
                (x > -3) & (x < 3), change / 6, 0.0 * change
            )
        },
    ),
    Convention("digits of small `ndtr`", {"ndtr": single.ndtr}),
    Convention(
        "digits of small `gelu`", {}, {"gelu": single.gelu, "gelu_backward": single.gelu_backward}
    ),
    Convention("which of equal elements `topk` takes", {}, {"topk": whole.topk}),
    Convention(
        "which of equal elements `kthvalue`, `median` and `quantile` take",
        {},
        {"sort": whole.sort, "kthvalue": whole.kthvalue, "median": whole.median},
    ),
    Convention(
        "`max()`, `min()`, `median()` and `norm(x, inf)` of nan",
        {"max": whole.extreme(torch.amax), "min": whole.extreme(torch.amin)},
    ),
    Convention(
        "the mean of `var_mean` with inf",
        dict.fromkeys(("var_mean", "std_mean"), whole.mean_too),
    ),
    Convention(
        "`x ** 0` where infinity flows back",
        dict.fromkeys(("pow", "__pow__", "float_power"), whole.pow_),
    ),
    Convention(
        "`x.grad.zero_()` of grads that share memory",
        {},
        {"expand": lambda out, *_: out.clone() if torch._C._current_autograd_node() else out},
    ),
    Convention(
        "`.grad` after the backward of `norm(x, 0)`",
        dict.fromkeys(("norm", "vector_norm"), whole.counting),
    ),
    Convention(
        "`grad(z, x)` through a y that retains its grad",
        {"retain_grad": flow.retain_grad, "grad": flow.grad_alone},
    ),
    Convention("the second derivative of what is linear", {"grad": flow.grad_linked}),
    Convention(
        "kinds that a function does not take",
        dict.fromkeys(("softmax", "log_softmax", "softmin"), whole.as_floats),
    ),
    Convention("`std` of equal elements where infinity flows back", {"std": whole.std}),
    Convention(
        "digits of the second derivative of `binary_cross_entropy`",
        {"binary_cross_entropy": whole.binary_cross_entropy},
    ),
    Convention(
        "`binary_cross_entropy` of a `sigmoid` that rounds to 0 or 1",
        {"sigmoid": whole.sigmoid, "binary_cross_entropy": whole.binary_cross_entropy},
    ),
    Convention("the sign of 0 from `%`", {}, {"remainder": single.remainder}),
    Convention("the sign of 0 from `softshrink`", {"softshrink": single.softshrink}),
    Convention("`sinc` of whole numbers", {"sinc": whole.sinc}),
    Convention(
        "`xlogy` where 0 flows back from log(0)", {"xlogy": whole.xlogy, "kl_div": whole.kl_div}
    ),
    Convention(
        "`asinh` where the square of x overflows",
        {"asinh": single.asinh, "arcsinh": single.asinh},
    ),
    Convention(
        "`elu`, `selu`, `celu` and `hardswish` at nan",
        {
            "elu": single.elu,
            "celu": single.celu,
            "selu": single.selu,
            "hardswish": single.hardswish,
        },
    ),
    Convention(
        "`float_power` and `double` with `--dtype float32`",
        dict.fromkeys(("float_power", "double"), whole.one_float),
    ),
    Convention(
        "`roll` and `repeat_interleave` of a single value", {"repeat_interleave": whole.repeat}
    ),
    Convention("digits of small `tanhshrink`", {"tanhshrink": single.tanhshrink}),
    Convention("digits of `digamma` below 0", {}, {"digamma": single.digamma}),
    Convention(
        "`addcdiv` where the square of a divisor overflows",
        {"addcdiv": lambda original, x, a, b, value=1: x + value * (a / b)},
    ),
    Convention(
        "`norm` and `normalize` of vectors whose squares overflow",
        {
            "norm": whole.vector_length,
            "vector_norm": whole.vector_length,
            "normalize": whole.direction,
        },
    ),
    Convention("`logcumsumexp` where nan flows back", {"logcumsumexp": whole.logcumsumexp}),
    Convention("`cumprod` with zeros where nan flows back", {"cumprod": whole.cumprod}),
    Convention("`trapezoid` of inf", {"trapezoid": whole.trapezoid}),
    Convention(
        "`cosine_similarity` of a vector shorter than eps",
        {"cosine_similarity": whole.cosine_similarity},
    ),
    Convention(
        "losses with a margin, at the margin", {"margin_ranking_loss": whole.margin_ranking_loss}
    ),
    Convention("`det` of a singular matrix", {"det": whole.det}),
    Convention("`matrix_exp` where it overflows", {}, {"linalg_matrix_exp": whole.matrix_exp}),
    Convention("`lstsq` of a matrix without full rank", {"lstsq": whole.lstsq}),
    Convention("`x.int()`", {"int": lambda original, x: x.long()}),
]
