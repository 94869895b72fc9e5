"""Definitions for JAX where they differ from those for NumPy, which JAX uses for all others."""

from collections import namedtuple

import jax
import jax.numpy as jnp
from jax.scipy import special

Extreme = namedtuple("Extreme", "values indices")


def cummax(x, dim):
    values = jax.lax.cummax(x, dim)
    here = jnp.arange(x.shape[dim]).reshape([-1 if i == dim else 1 for i in range(x.ndim)])
    return Extreme(values, jax.lax.cummax(jnp.where(x == values, here, 0), dim))


def diag_embed(x, offset=0):
    n = x.shape[-1] + abs(offset)
    row = jnp.arange(x.shape[-1])
    y = jnp.zeros((*x.shape[:-1], n, n))
    return y.at[..., row + max(-offset, 0), row + max(offset, 0)].set(x)


def embed(x, shape, start, step=None):
    steps = step or (1,) * x.ndim
    grid = (a + s * jnp.arange(n) for a, n, s in zip(start, x.shape, steps, strict=True))
    return jnp.zeros(shape, x.dtype).at[jnp.ix_(*grid)].set(x)


def logcumsumexp(x, dim):
    return jax.lax.cumlogsumexp(x, dim)


def polygamma(n, x):
    return special.polygamma(int(n), x)


def put_add(x, shape, dim, *index):
    where = [slice(None)] * len(shape)
    for axis, each in zip((dim,) if isinstance(dim, int) else dim, index, strict=True):
        where[axis] = each
    return jnp.zeros(shape).at[tuple(where)].add(x)


def places(index):
    index = jnp.asarray(index)
    return index if index.dtype == bool else index.astype(int)


def decay(exponent, x, dim):
    factor, x = jnp.moveaxis(jnp.exp(exponent), dim, 0), jnp.moveaxis(x, dim, 0)
    y = [x[0]]
    for k in range(1, len(x)):
        y.append(x[k] + factor[k] * y[-1])
    return jnp.moveaxis(jnp.stack(y), 0, dim)


def recurrence(factor, x, dim):
    factor, x = jnp.moveaxis(jnp.broadcast_to(factor, x.shape), dim, 0), jnp.moveaxis(x, dim, 0)
    y = [x[0]]
    for k in range(1, len(x)):
        y.append(x[k] + factor[k] * y[-1])
    return jnp.moveaxis(jnp.stack(y), 0, dim)
