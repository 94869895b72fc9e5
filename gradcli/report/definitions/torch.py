"""Functions that PyTorch does not have, or has with other arguments, as the language has them."""

import torch
from scipy import special


def computes_in(dtype):
    def decorated(function):
        def call(*arguments, **named):
            before = torch.get_default_dtype()
            torch.set_default_dtype(dtype)
            try:
                return function(*arguments, **named)
            finally:
                torch.set_default_dtype(before)

        call.__doc__ = function.__doc__
        return call

    return decorated


class WithSlope(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, function, slope):
        known = x.detach().numpy(force=True)
        ctx.save_for_backward(torch.as_tensor(slope(known)))
        return torch.as_tensor(function(known))

    @staticmethod
    def backward(ctx, change):
        return change * ctx.saved_tensors[0], None, None


def airy_ai(x):
    return WithSlope.apply(x, lambda x: special.airy(x)[0], lambda x: special.airy(x)[1])


def airy_slope(x):
    return WithSlope.apply(x, lambda x: special.airy(x)[1], lambda x: x * special.airy(x)[0])


def as_float(x):
    return torch.as_tensor(x).to(torch.get_default_dtype())


def difference(found, expected, rtol, atol):
    """By how much two tensors differ, in units of the largest number; an error if by too much."""
    torch.testing.assert_close(found, expected, rtol=rtol, atol=atol, equal_nan=True)
    finite = torch.isfinite(expected)
    sizes = torch.abs(expected[finite])
    apart = torch.abs(found[finite] - expected[finite])
    return float(apart.max() / (sizes.max() or 1.0)) if apart.numel() else 0.0


def gradients(outputs, leaves, seeds):
    """What `torch.autograd.grad` gives; zeros where no path leads to any leaf."""
    if not any(each.requires_grad for each in outputs):
        return tuple(map(torch.zeros_like, leaves))
    reached = [place for place, each in enumerate(outputs) if each.requires_grad]
    outputs, seeds = ([each[place] for place in reached] for each in (outputs, seeds))
    return torch.autograd.grad(outputs, leaves, seeds, allow_unused=True, materialize_grads=True)


def index_add(x, dim, index, source):
    return x + put_add(source, x.shape, dim, index)


def long(x):
    return torch.as_tensor(x).long()


def bessel_j0(x):
    return WithSlope.apply(x, special.j0, lambda x: -special.j1(x))


def bessel_j1(x):
    return WithSlope.apply(x, special.j1, lambda x: special.jvp(1, x))


def bessel_y0(x):
    return WithSlope.apply(x, special.y0, lambda x: -special.y1(x))


def bessel_y1(x):
    return WithSlope.apply(x, special.y1, lambda x: special.yvp(1, x))


def bernoulli_nll(x, target):
    both = torch.broadcast_tensors(x, target)
    return torch.nn.functional.binary_cross_entropy(*both, reduction="none")


def chebyshev_polynomial_t(x, n):
    return polynomial(n, x, x, lambda k, last, other: 2 * x * last - other)


def cofactors(x):
    u, s, vh = torch.linalg.svd(x)
    one = torch.eye(s.shape[-1], dtype=torch.bool)
    others = torch.where(one, 1.0, s[..., None, :]).prod(-1)
    sign = torch.linalg.det(u) * torch.linalg.det(vh)
    return sign[..., None, None] * ((u * others[..., None, :]) @ vh)


def embed(x, shape, start, step=None):
    steps = step or (1,) * x.ndim
    grid = [a + s * torch.arange(n) for a, n, s in zip(start, x.shape, steps, strict=True)]
    y = torch.zeros(shape, dtype=x.dtype)
    return y.index_put(torch.meshgrid(*grid, indexing="ij"), x)


def flip(x, dim):
    return torch.flip(x, (dim,) if isinstance(dim, int) else dim)


def floor_divide(a, b):
    return torch.div(a, b, rounding_mode="floor")


def gaussian(x, rate):
    return torch.exp(-rate * x**2)


def gegenbauer(n, alpha, x):
    def step(k, last, other):
        return (2 * x * (k + alpha - 1) * last - (k + 2 * alpha - 2) * other) / k

    return polynomial(n, x + 0 * alpha, 2 * alpha * x, step)


def heaviside(x, values):
    return torch.where(x == 0, values, torch.heaviside(x.detach(), values.detach()))


def hermite_polynomial_h(x, n):
    return polynomial(n, x, 2 * x, lambda k, last, other: 2 * x * last - 2 * (k - 1) * other)


def hermite_polynomial_he(x, n):
    return polynomial(n, x, x, lambda k, last, other: x * last - (k - 1) * other)


def laguerre(n, alpha, x):
    def step(k, last, other):
        return ((2 * k - 1 + alpha - x) * last - (k - 1 + alpha) * other) / k

    return polynomial(n, x + 0 * alpha, 1 + alpha - x, step)


def logsumexp(x, dim=None, keepdim=False):
    return torch.logsumexp(x, tuple(range(x.ndim)) if dim is None else dim, keepdim)


def modified_bessel_k0(x):
    return WithSlope.apply(x, special.k0, lambda x: -special.k1(x))


def modified_bessel_k1(x):
    return WithSlope.apply(x, special.k1, lambda x: special.kvp(1, x))


def scaled_modified_bessel_k0(x):
    return WithSlope.apply(x, special.k0e, lambda x: special.k0e(x) - special.k1e(x))


def scaled_modified_bessel_k1(x):
    return WithSlope.apply(x, special.k1e, lambda x: special.k1e(x) * (1 - 1 / x) - special.k0e(x))


def softmax(x, dim=-1):
    return torch.softmax(x, dim)


def one_hot(input, num_classes):
    hot = torch.nn.functional.one_hot(torch.as_tensor(input).long(), int(num_classes))
    return hot.to(torch.get_default_dtype())


def places(index):
    index = torch.as_tensor(index)
    return index if index.dtype == torch.bool else index.long()


def polygamma(n, x):
    return torch.polygamma(int(n), x)


def polynomial(n, x, first, step):
    before, current = 1.0 + 0.0 * (n + x), first + 0.0 * n
    y = torch.where(n == 0, before, current)
    for k in range(2, int(torch.max(n)) + 1):
        before, current = current, step(k, current, before)
        y = torch.where(n == k, current, y)
    return torch.where(n < 0, 0.0, y)


def prod(x, dim=None, keepdim=False):
    if dim is not None:
        return torch.prod(x, dim, keepdim)
    return torch.prod(x).reshape((1,) * x.ndim if keepdim else ())


def put(x, index, source):
    return x.put(index, source)


def put_add(x, shape, dim, *index):
    where = [slice(None)] * len(shape)
    for axis, each in zip((dim,) if isinstance(dim, int) else dim, index, strict=True):
        where[axis] = each
    y = torch.zeros(shape)
    here = torch.arange(y.numel()).reshape(shape)[tuple(where)]
    return y.flatten().index_add(0, here.flatten(), x.flatten()).reshape(shape)


def decay(exponent, x, dim):
    factor, x = exponent.exp().unbind(dim), x.unbind(dim)
    y = [x[0]]
    for k in range(1, len(x)):
        y.append(x[k] + factor[k] * y[-1])
    return torch.stack(y, dim)


def recurrence(factor, x, dim):
    factor, x = factor.broadcast_to(x.shape).unbind(dim), x.unbind(dim)
    y = [x[0]]
    for k in range(1, len(x)):
        y.append(x[k] + factor[k] * y[-1])
    return torch.stack(y, dim)


def scale(a, b):
    return torch.where(a == 0, 0.0, a * torch.where(a == 0, 1.0, b))


def sum_to(x, *shape):
    return x.sum_to_size(() if shape == ((),) else shape)
