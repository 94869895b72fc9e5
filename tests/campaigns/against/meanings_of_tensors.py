"""Functions of whole tensors of PyTorch as gradcli means them, for `conventions`."""

from __future__ import annotations

from collections.abc import Callable
from itertools import permutations
from typing import Any

import mpmath
import numpy as np
import torch

from tests.campaigns.against import meanings
from tests.campaigns.against.flow import nothing_of

# --- reductions and orders -------------------------------------------------------------------


def extreme(of_all: Callable[..., Any]) -> Callable[..., Any]:
    def function(original: Any, x: Any, *args: Any, **keywords: Any) -> Any:
        return original(x, *args, **keywords) if args or keywords else of_all(x)

    return function


def pow_(original: Any, x: Any, exponent: Any) -> Any:
    out = original(x, exponent)
    zeros = torch.as_tensor(exponent) == 0
    if not torch.is_tensor(x) or not x.is_floating_point() or not bool(zeros.any()):
        return out
    nothing = x.nan_to_num(0.0, 0.0, 0.0) * 0
    return out + nothing.where(zeros, 0.0)


def counting(original: Any, x: Any, *args: Any, **keywords: Any) -> Any:
    """A norm whose derivative is 0 where it counts, and not None."""
    order = args[0] if args else keywords.get("p", 2)
    out = original(x, *args, **keywords)
    return out if order != 0 else out + nothing_of(x)


def mean_too(original: Any, x: Any, dim: Any = None, **keywords: Any) -> Any:
    spread, _ = original(x, dim, **keywords)
    return spread, torch.mean(x, dim, keepdim=keywords.get("keepdim", False))


def largest_of(x: Any, dim: Any) -> Any:
    """The largest element along the axes: over it no square overflows. 1 where that is no help."""
    if not x.numel():
        return torch.ones_like(x.detach().sum(dim, keepdim=True))
    size = x.detach().abs().amax(dim, keepdim=True)
    return size.where((size > 0) & size.isfinite(), torch.ones_like(size))


def vector_length(original: Any, x: Any, *args: Any, **keywords: Any) -> Any:
    dim = args[1] if len(args) > 1 else keywords.get("dim")
    axes = tuple(range(x.dim())) if dim is None else dim
    keep = args[2] if len(args) > 2 else keywords.get("keepdim", False)
    order = args[0] if args else keywords.get("p", keywords.get("ord", 2))
    if order == 0:  # it counts
        return original(x, *args, **keywords)
    size = largest_of(x, axes)
    return original(x / size, *args, **keywords) * (size if keep else size.sum(axes))


def direction(original: Any, x: Any, p: Any = 2.0, dim: Any = 1, eps: float = 1e-12) -> Any:
    if p == 0:  # it counts
        return original(x, p, dim, eps)
    size = largest_of(x, dim)
    length = torch.linalg.vector_norm(x / size, p, dim, keepdim=True)
    return x / size / torch.maximum(length, eps / size)


def logcumsumexp(original: Any, x: Any, dim: int) -> Any:
    largest = x.detach().amax(dim, keepdim=True) if x.numel() else torch.zeros(())
    return torch.log(torch.cumsum(torch.exp(x - largest), dim)) + largest


def cumprod(original: Any, x: Any, dim: int) -> Any:
    """Each product by itself, so that what flows to it is multiplied by all others."""
    if not x.is_floating_point() or not x.dim() or not x.numel():
        return original(x, dim)
    products = list(x.unbind(dim))
    for place in range(1, len(products)):
        products[place] = products[place - 1] * products[place]
    return torch.stack(products, dim)


def trapezoid(original: Any, x: Any, dim: int = -1) -> Any:
    n = x.shape[dim]
    return ((x.narrow(dim, 0, max(n - 1, 0)) + x.narrow(dim, min(1, n), max(n - 1, 0))) / 2).sum(
        dim
    )


def cosine_similarity(original: Any, x1: Any, x2: Any, dim: int = 1, eps: float = 1e-8) -> Any:
    def unit(x: Any) -> Any:
        size = largest_of(x, dim)
        scaled = x / size
        length = torch.linalg.vector_norm(scaled, dim=dim, keepdim=True)
        return scaled / torch.maximum(length, eps / size)

    shape = np.broadcast_shapes(x1.shape, x2.shape)
    x1, x2 = x1.expand(shape), x2.expand(shape)
    return (unit(x1) * unit(x2)).sum(dim)


def as_floats(original: Any, x: Any, *args: Any, **keywords: Any) -> Any:
    x = x if x.is_floating_point() else x.to(torch.get_default_dtype())
    return original(x, *args, **keywords)


def std(original: Any, x: Any, dim: Any = None, **keywords: Any) -> Any:
    """What flows back where it is 0 is multiplied by 0, be it infinite or not."""
    out = original(x, dim, **keywords)
    nothing = (x * 0).sum(dim, keepdim=keywords.get("keepdim", False))
    return out + nothing.where(out == 0, torch.zeros_like(out))


def sinc(original: Any, x: Any) -> Any:
    """Exactly 0 at whole numbers, near which it is a line; there no square overflows."""
    whole = (x == x.round()) & (x != 0)
    around = torch.where(whole, x, 1.0).to(x.dtype)
    line = (1 - 2 * (around.detach() % 2)) * (around - around.detach()) / around
    return torch.where(whole, line, original(torch.where(whole, 0.5, x).to(x.dtype)))


class Xlogy(torch.autograd.Function):
    """Its derivatives are what flows back times log(y) and x / y, of which 0 / 0 is nan."""

    @staticmethod
    def forward(context: Any, x: Any, y: Any) -> Any:  # type: ignore[override]
        context.save_for_backward(x, y)
        return torch.where((x == 0) & ~y.isnan(), 0.0, x * torch.log(y))

    @staticmethod
    def backward(context: Any, change: Any) -> Any:  # type: ignore[override]
        x, y = context.saved_tensors
        by_x = torch.where((x == 0) & (y <= 0), 0.0, change * torch.log(y))
        by_y = change * (1 / y * x)  # what flows is a factor, and never divided
        return by_x.sum_to_size(x.shape), by_y.sum_to_size(y.shape)


def xlogy(original: Any, x: Any, y: Any) -> Any:
    if not torch.is_tensor(x) or not torch.is_tensor(y) or x.dtype != y.dtype:
        return original(x, y)
    return Xlogy.apply(x, y) if x.is_floating_point() else original(x, y)


def kl_div(
    original: Any, x: Any, target: Any, *, reduction: str = "mean", log_target: bool = False
) -> Any:
    if log_target or reduction == "batchmean":
        return original(x, target, reduction=reduction, log_target=log_target)
    loss = xlogy(torch.special.xlogy, target, target) - target * x
    return loss if reduction == "none" else getattr(loss, reduction)()


def sigmoid(original: Any, x: Any) -> Any:
    out = original(x)
    out.logits = x
    return out


def binary_cross_entropy(original: Any, p: Any, target: Any, reduction: str = "mean") -> Any:
    """The same value, differentiated in another form."""
    t = target
    if hasattr(p, "logits"):
        z = torch.where(p.logits.isinf(), meanings.within(p.logits.detach(), -1e3, 1e3), p.logits)
        form = torch.nn.functional.softplus(-z) + (1 - t) * z
    else:
        form = -t * meanings.within(torch.log(p), -100) - (1 - t) * meanings.within(
            torch.log1p(-p), -100
        )
    form = form if reduction == "none" else getattr(form, reduction)()
    return original(p.detach(), t.detach(), reduction=reduction) + form - form.detach()


def margin_ranking_loss(
    original: Any, a: Any, b: Any, target: Any, margin: float, reduction: str = "mean"
) -> Any:
    loss = meanings.clamped(None, -target * (a - b) + margin, min=0)
    return loss if reduction == "none" else getattr(loss, reduction)()


def sort(out: Any, x: Any, *args: Any, **keywords: Any) -> Any:
    if args and isinstance(args[0], bool):  # the overload that has `stable` before the axis
        args = args[1:]
    keywords.pop("stable", None)
    dim = args[0] if args else keywords.get("dim", -1)
    descending = args[1] if len(args) > 1 else keywords.get("descending", False)
    return torch.sort(x, stable=True, dim=dim, descending=descending)


def topk(out: Any, x: Any, k: int, dim: int = -1, largest: bool = True, sorted: bool = True) -> Any:
    if not x.dim():
        return out
    values, places = torch.sort(x, dim=dim, descending=largest, stable=True)
    return values.narrow(dim, 0, k), places.narrow(dim, 0, k)


def kthvalue(out: Any, x: Any, k: int, dim: int = -1, keepdim: bool = False) -> Any:
    if not x.dim():
        return out
    values, places = torch.sort(x, dim=dim, stable=True)
    found = values.narrow(dim, k - 1, 1), places.narrow(dim, k - 1, 1)
    return found if keepdim else tuple(each.squeeze(dim) for each in found)


def median(out: Any, x: Any, dim: int | None = None, keepdim: bool = False) -> Any:
    if dim is None or not x.dim() or bool(x.isnan().any()):
        return out
    return kthvalue(out, x, (x.shape[dim] + 1) // 2, dim, keepdim)


# --- kinds and shapes ------------------------------------------------------------------------


def one_float(original: Any, *args: Any) -> Any:
    """In the floating-point dtype of the run."""
    return original(*args).to(torch.get_default_dtype())


def repeat(original: Any, x: Any, *args: Any, **keywords: Any) -> Any:
    return original(x if x.dim() else x.reshape(1), *args, **keywords)


# --- matrices --------------------------------------------------------------------------------


def det(original: Any, x: Any) -> Any:
    """The sum over all permutations, whose derivative is the adjugate."""
    n = x.shape[-1]
    total = torch.zeros(x.shape[:-2], dtype=x.dtype)
    for order in permutations(range(n)):
        odd = sum(a > b for i, a in enumerate(order) for b in order[i + 1 :]) % 2
        product = torch.ones(x.shape[:-2], dtype=x.dtype)
        for row, column in enumerate(order):
            product = product * x[..., row, column]
        total = total - product if odd else total + product
    return total


def matrix_exp(out: Any, x: Any) -> Any:
    """Infinite where the exponential overflows, which is found without squares that do."""
    if not bool(x.isfinite().all()) or bool(out.isfinite().all()) or float(x.abs().max()) > 1e6:
        return out
    with mpmath.workdps(50):
        found = [
            [[float(each) for each in row] for row in mpmath.expm(mpmath.matrix(one)).tolist()]
            for one in x.detach().reshape(-1, *x.shape[-2:]).tolist()
        ]
    return torch.tensor(found, dtype=out.dtype).reshape(out.shape)


def lstsq(original: Any, a: Any, b: Any) -> Any:
    if b.dim() < a.dim() and b.shape != a.shape[:-1]:
        b = b.expand(*a.shape[:-2], *b.shape[-2:])
    return original(a, b, driver="gelsd")
