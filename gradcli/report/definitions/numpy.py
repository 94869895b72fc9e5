"""Functions that a derived program may call and NumPy does not have, with the names and arguments
that they have in the language. A script contains those that it needs; in scripts for JAX, `np` is
`jnp`.
"""

from collections import namedtuple

import numpy as np
from scipy import linalg, special

Extreme = namedtuple("Extreme", "values indices")
Fraction = namedtuple("Fraction", "mantissa exponent")


def airy_ai(x):
    return special.airy(x)[0]


def airy_slope(x):
    return special.airy(x)[1]


def argsort(x, dim=-1, descending=False):
    return np.argsort(-x if descending else x, axis=dim, stable=True)


def bernoulli_nll(x, target):
    return -target * np.maximum(np.log(x), -100) - (1 - target) * np.maximum(np.log1p(-x), -100)


def chebyshev_polynomial_t(x, n):
    return polynomial(n, x, x, lambda k, last, other: 2 * x * last - other)


def cofactors(x):
    u, s, vh = np.linalg.svd(x)
    others = np.where(np.eye(s.shape[-1], dtype=bool), 1.0, s[..., None, :]).prod(-1)
    sign = np.linalg.det(u) * np.linalg.det(vh)
    return sign[..., None, None] * ((u * others[..., None, :]) @ vh)


def cummax(x, dim):
    values = np.maximum.accumulate(x, dim)
    here = np.arange(x.shape[dim]).reshape([-1 if i == dim else 1 for i in range(x.ndim)])
    return Extreme(values, np.maximum.accumulate(np.where(x == values, here, 0), dim))


def cummin(x, dim):
    return cummax(-x, dim)


def diag_embed(x, offset=0):
    n = x.shape[-1] + abs(offset)
    row = np.arange(x.shape[-1])
    y = np.zeros((*x.shape[:-1], n, n))
    y[..., row + max(-offset, 0), row + max(offset, 0)] = x
    return y


def difference(found, expected, rtol, atol):
    """By how much two arrays differ, in units of the largest number; an error if by too much."""
    np.testing.assert_allclose(found, expected, rtol=rtol, atol=atol)
    finite = np.isfinite(expected)
    size = np.max(np.abs(expected), initial=0.0, where=finite) or 1.0
    apart = np.abs(np.where(finite, found, 0.0) - np.where(finite, expected, 0.0))
    return float(np.max(apart, initial=0.0) / size)


def embed(x, shape, start, step=None):
    y = np.zeros(shape, x.dtype)
    steps = step or (1,) * x.ndim
    grid = (a + s * np.arange(n) for a, n, s in zip(start, x.shape, steps, strict=True))
    y[np.ix_(*grid)] = x
    return y


def flatten(x, start):
    return x.reshape((*x.shape[:start], -1))


def flip(x, dim):
    return np.flip(x, dim)


def frexp(x):
    return Fraction(*np.frexp(x))


def gather(x, dim, index):
    shape = [n if i == dim else index.shape[i] for i, n in enumerate(x.shape)]
    return np.take_along_axis(x[tuple(map(slice, shape))], index, dim)


def gaussian(x, rate):
    return np.exp(-rate * x**2)


def gegenbauer(n, alpha, x):
    def step(k, last, other):
        return (2 * x * (k + alpha - 1) * last - (k + 2 * alpha - 2) * other) / k

    return polynomial(n, x + 0 * alpha, 2 * alpha * x, step)


def hermite_polynomial_h(x, n):
    return polynomial(n, x, 2 * x, lambda k, last, other: 2 * x * last - 2 * (k - 1) * other)


def hermite_polynomial_he(x, n):
    return polynomial(n, x, x, lambda k, last, other: x * last - (k - 1) * other)


def ierfcx(n, x):
    before, current = 2 / np.sqrt(np.pi), special.erfcx(x)
    y = current + 0 * n
    for k in range(1, int(np.max(n)) + 1):
        before, current = current, (before - 2 * x * current) / (2 * k)
        y = np.where(k == n, current, y)
    return y


def laguerre(n, alpha, x):
    def step(k, last, other):
        return ((2 * k - 1 + alpha - x) * last - (k - 1 + alpha) * other) / k

    return polynomial(n, x + 0 * alpha, 1 + alpha - x, step)


def index_add(x, dim, index, source):
    return x + put_add(source, x.shape, dim, index)


def lerp(start, end, weight):
    return start + weight * (end - start)


def log_odds(x):
    return np.log(x) - np.log1p(-x)


def logcumsumexp(x, dim):
    return np.logaddexp.accumulate(x, dim)


def logsumexp(x, dim=None, keepdim=False):
    top = np.max(x, axis=dim, keepdims=True)
    total = np.sum(np.exp(x - top), axis=dim, keepdims=keepdim)
    return np.log(total) + top.reshape(total.shape)


def median(x):
    return np.sort(x.ravel())[(x.size - 1) // 2]


def mode(x, dim=-1, keepdim=False):
    x = np.moveaxis(np.asarray(x), dim, -1)
    count = np.sum(x[..., None] == x[..., None, :], axis=-1)
    value = np.min(np.where(count == count.max(-1, keepdims=True), x, np.inf), axis=-1)
    last = x.shape[-1] - 1 - np.argmax(x[..., ::-1] == value[..., None], axis=-1)
    found = (value, last)
    return Extreme(*(np.expand_dims(each, dim) for each in found) if keepdim else found)


def nanmedian(x, dim=None, keepdim=False):
    axis = -1 if dim is None else dim
    x = x.ravel() if dim is None else x
    middle = np.maximum(np.sum(~np.isnan(x), axis=axis, keepdims=True) - 1, 0) // 2
    places = np.take_along_axis(np.argsort(x, axis=axis), middle, axis)
    found = (np.take_along_axis(x, places, axis), places)
    values, indices = found if keepdim else (each.squeeze(axis) for each in found)
    return values if dim is None else Extreme(values, indices)


def norm(x, p=2.0, dim=None, keepdim=False):
    if p == np.inf:
        return np.max(np.abs(x), axis=dim, keepdims=keepdim)
    if p == -np.inf:
        return np.min(np.abs(x), axis=dim, keepdims=keepdim)
    if p == 0:
        return np.sum(x != 0.0, axis=dim, keepdims=keepdim) * 1.0
    return np.sum(np.abs(x) ** p, axis=dim, keepdims=keepdim) ** (1 / p)


def orthogonal_complement(q):
    return np.linalg.qr(q, mode="complete").Q[..., q.shape[-1] :]


def pinv(x, rtol=None, atol=0.0):
    if rtol is None:
        rtol = 0.0 if atol else max(x.shape[-2:]) * np.finfo(x.dtype).eps
    u, s, vh = np.linalg.svd(x, full_matrices=False)
    used = np.maximum(rtol * s.max(-1, keepdims=True), atol) < s
    return (vh.mT * np.where(used, 1 / np.where(used, s, 1.0), 0.0)[..., None, :]) @ u.mT


def polynomial(n, x, first, step):
    before, current = 1.0 + 0.0 * (n + x), first + 0.0 * n
    y = np.where(n == 0, before, current)
    for k in range(2, int(np.max(n)) + 1):
        before, current = current, step(k, current, before)
        y = np.where(n == k, current, y)
    return np.where(n < 0, 0.0, y)


def std(x, dim=None, correction=1, keepdim=False):
    return np.std(x, axis=dim, ddof=correction, keepdims=keepdim)


def one_hot(input, num_classes):
    return np.eye(num_classes)[np.asarray(input).astype(int)]


def var(x, dim=None, correction=1, keepdim=False):
    return np.var(x, axis=dim, ddof=correction, keepdims=keepdim)


def places(index):
    index = np.asarray(index)
    return index if index.dtype == bool else index.astype(int)


def pad(x, pad):
    around = zip(pad[::2], pad[1::2], strict=True)
    return np.pad(x, [(0, 0)] * (x.ndim - len(pad) // 2) + [*around][::-1])


def put(x, index, source):
    y = np.array(x)
    y.reshape(-1)[np.ravel(index)] = np.ravel(source)
    return y


def put_add(x, shape, dim, *index):
    y = np.zeros(shape)
    where = [slice(None)] * len(shape)
    for axis, each in zip((dim,) if isinstance(dim, int) else dim, index, strict=True):
        where[axis] = each
    np.add.at(y, tuple(where), x)
    return y


def decay(exponent, x, dim):
    factor, y = np.moveaxis(np.exp(exponent), dim, 0), np.moveaxis(x, dim, 0)
    y = y.copy()
    for k in range(1, len(y)):
        y[k] += factor[k] * y[k - 1]
    return np.moveaxis(y, 0, dim)


def recurrence(factor, x, dim):
    factor, y = np.moveaxis(np.broadcast_to(factor, x.shape), dim, 0), np.moveaxis(x, dim, 0)
    y = y.copy()
    for k in range(1, len(y)):
        y[k] += factor[k] * y[k - 1]
    return np.moveaxis(y, 0, dim)


def relu(x):
    return np.maximum(x, 0.0)


def roll(x, shifts, dims=None):
    return np.roll(x, shifts, dims)


def rsqrt(x):
    return 1 / np.sqrt(x)


def scale(a, b):
    return np.where(a == 0, 0.0, a * np.where(a == 0, 1.0, b))


def sigmoid(x):
    return special.expit(x)


def softmax(x, dim=-1):
    return special.softmax(x, axis=dim)


def softsign(x):
    return x / (1 + np.abs(x))


def sum_to(x, *shape):
    shape = () if shape == ((),) else shape
    lead = x.ndim - len(shape)
    kept = [i + lead for i, n in enumerate(shape) if n == 1]
    return np.sum(x, axis=(*range(lead), *kept)).reshape(shape)


def tanhshrink(x):
    return x - np.tanh(x)


def tril(x, diagonal=0):
    return np.tril(x, diagonal)


def triu(x, diagonal=0):
    return np.triu(x, diagonal)


def matrix_exp(x):
    return linalg.expm(x)
