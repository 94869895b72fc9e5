"""Functions that PyTorch does not have, or has with other arguments, as the language has them."""

import torch


def as_float(x):
    return torch.as_tensor(x).to(torch.get_default_dtype())


def long(x):
    return torch.as_tensor(x).long()


def bernoulli_nll(x, target):
    both = torch.broadcast_tensors(x, target)
    return torch.nn.functional.binary_cross_entropy(*both, reduction="none")


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


def heaviside(x, values):
    return torch.where(x == 0, values, torch.heaviside(x.detach(), values.detach()))


def logsumexp(x, dim=None, keepdim=False):
    return torch.logsumexp(x, tuple(range(x.ndim)) if dim is None else dim, keepdim)


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


def prod(x, dim=None, keepdim=False):
    if dim is not None:
        return torch.prod(x, dim, keepdim)
    return torch.prod(x).reshape((1,) * x.ndim if keepdim else ())


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
