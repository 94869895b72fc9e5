"""What PyTorch 2.13 takes and refuses of arguments: gradcli prints what it printed."""

from __future__ import annotations

import pytest

from tests.cells.cells import difference, titled
from tests.cells.test_python_lines import ours

CELLS = r"""
### functions that make tensors, by other names
import torch
from torch import tensor
t, a, f, g = torch.tensor, torch.arange, torch.full, tensor
print(t(3), t([1, 2]), t(3).dtype, t(True), t(1.5), t([1, 2.]), t(data=[1, 2]), g([4]))
print(a(3), a(0, 3), a(3.), a(end=3), f((2,), 3), f((2,), 3.), t(3, dtype=torch.float32))
print(list(map(torch.tensor, [1, [2, 3]])), t(torch.tensor([1., 2.])).dtype)
===
tensor(3) tensor([1, 2]) torch.int64 tensor(True) tensor(1.5000) tensor([1., 2.]) tensor([1, 2])
tensor([4])
tensor([0, 1, 2]) tensor([0, 1, 2]) tensor([0., 1., 2.]) tensor([0, 1, 2]) tensor([3, 3])
tensor([3., 3.]) tensor(3.)
[tensor(1), tensor([2, 3])] torch.float32
### shifts of tensors
import torch
x = torch.tensor([1, 2, 3])
print(x << 1, x >> 1, 1 << x, x << x)
x <<= 2
x[0] >>= 1
print(x, torch.tensor([1], dtype=torch.uint8) << 7, torch.tensor([-8]) >> 1)
try:
    torch.tensor([1.5]) << 1
except NotImplementedError as e:
    print(e)
===
tensor([2, 4, 6]) tensor([0, 1, 1]) tensor([2, 4, 8]) tensor([ 2,  8, 24])
tensor([ 2,  8, 12]) tensor([128], dtype=torch.uint8) tensor([-4])
"lshift_cpu" not implemented for 'Float'
### which tensor does not fit the others
import torch
a, b, c = torch.ones(2), torch.ones(2, 2), torch.ones(3)
for f in (lambda: torch.stack([a, a, c]), lambda: torch.stack([a, c, a]),
          lambda: torch.cat([b, b, torch.ones(3, 3)], dim=-1), lambda: torch.vstack([a, a, a, c]),
          lambda: torch.cat([torch.ones(0), b, torch.ones(3, 3)]), lambda: torch.cat([b, b, a])):
    try:
        f()
    except RuntimeError as e:
        print(e)
for rows in ([[1, 2], [3, 4], [5]], [[[1, 2], [3, 4]], [[5, 6], [7, 8, 9]]], [[1, 2], [3]]):
    try:
        torch.tensor(rows)
    except ValueError as e:
        print(e)
===
stack expects each tensor to be equal size, but got [2] at entry 0 and [3] at entry 2
stack expects each tensor to be equal size, but got [2] at entry 0 and [3] at entry 1
Sizes of tensors must match except in dimension 1. Expected size 2 but got size 3 for tensor
number 2 in the list.
Sizes of tensors must match except in dimension 0. Expected size 2 but got size 3 for tensor
number 3 in the list.
Sizes of tensors must match except in dimension 0. Expected size 2 but got size 3 for tensor
number 2 in the list.
Tensors must have same number of dimensions: got 2 and 1
expected sequence of length 2 at dim 1 (got 1)
expected sequence of length 2 at dim 2 (got 3)
expected sequence of length 2 at dim 1 (got 1)
### infinities become the largest number of the tensor's dtype
import torch
import numpy as np
x = torch.tensor([float('inf'), -float('inf'), float('nan'), 1.0], requires_grad=True)
print(torch.nan_to_num(x.detach()), x.detach().nan_to_num(2.0, 5.0))
print(torch.nan_to_num(input=x.detach().double(), neginf=-1.0))
print(torch.nan_to_num(x.detach().half()), torch.nan_to_num(x.detach().bfloat16(), posinf=None))
print(x.detach().clone().nan_to_num_(), x.nan_to_num()[0].item(), torch.tensor([1]).nan_to_num())
torch.nan_to_num(x).sum().backward()
print(x.grad)
print(np.nan_to_num(np.array([np.inf, 1.])), np.nan_to_num(np.array([np.inf]), posinf=3.))
print(np.nan_to_num(np.array([np.inf, 1.], dtype=np.float32)))
===
tensor([ 3.4028e+38, -3.4028e+38,  0.0000e+00,  1.0000e+00]) tensor([ 5.0000e+00, -3.4028e+38,
2.0000e+00,  1.0000e+00])
tensor([1.7977e+308, -1.0000e+00,  0.0000e+00,  1.0000e+00],
       dtype=torch.float64)
tensor([ 6.5504e+04, -6.5504e+04,  0.0000e+00,  1.0000e+00],
       dtype=torch.float16) tensor([ 3.3895e+38, -3.3895e+38,  0.0000e+00,  1.0000e+00],
       dtype=torch.bfloat16)
tensor([ 3.4028e+38, -3.4028e+38,  0.0000e+00,  1.0000e+00]) 3.4028234663852886e+38 tensor([1])
tensor([0., 0., 0., 1.])
[1.79769313e+308 1.00000000e+000] [3.]
[3.4028235e+38 1.0000000e+00]
### products and quotients that are added to integers
import torch
a = torch.tensor([1, 2, 3])
print(torch.addcmul(a, a, a), a.addcmul(a, a, value=2), torch.addcmul(a, a, a, value=0.5))
print(torch.addcmul(a, a, a.float(), value=0.5), torch.addcdiv(a.float(), a, a.float()))
for f in (lambda: torch.addcdiv(a.float(), a, a), lambda: a.addcdiv(a, a, value=2)):
    try: f()
    except RuntimeError as e: print(str(e)[:60])
===
tensor([ 2,  6, 12]) tensor([ 3, 10, 21]) tensor([1, 2, 3])
tensor([1.5000, 4.0000, 7.5000]) tensor([2., 3., 4.])
Integer division with addcdiv is no longer supported, and in
Integer division with addcdiv is no longer supported, and in
### ranges
import torch
import numpy as np
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, "|", e)
n = 3
t(lambda: torch.arange(5, 1))
t(lambda: torch.arange(5, 1, -2))
t(lambda: torch.arange(1, 5, -1.0))
t(lambda: torch.arange(1, n, 0))
t(lambda: torch.arange(start=5, end=n))
t(lambda: torch.arange(-1))
t(lambda: torch.arange(0))
t(lambda: torch.arange(n, n, dtype=torch.float64))
t(lambda: torch.arange(float('inf')))
t(lambda: np.arange(5, 1))
t(lambda: torch.range(1, 4))
t(lambda: torch.range(1, 4, 0.5))
t(lambda: torch.range(0, 1, 0.3))
t(lambda: torch.range(3, 0, -1))
t(lambda: torch.range(0, end=4, dtype=torch.int64))
t(lambda: torch.range(3, 0))
t(lambda: torch.range(3, 0, 0))
t(lambda: torch.range(2, 2))
t(lambda: torch.range(1, 2, requires_grad=True))
===
RuntimeError | upper bound and lower bound inconsistent with step sign
tensor([5, 3])
RuntimeError | upper bound and lower bound inconsistent with step sign
RuntimeError | step must be nonzero
RuntimeError | upper bound and lower bound inconsistent with step sign
RuntimeError | upper bound and lower bound inconsistent with step sign
tensor([], dtype=torch.int64)
tensor([], dtype=torch.float64)
RuntimeError | unsupported range: 0 -> inf
[]
tensor([1., 2., 3., 4.])
tensor([1.0000, 1.5000, 2.0000, 2.5000, 3.0000, 3.5000, 4.0000])
tensor([0.0000, 0.3000, 0.6000, 0.9000])
tensor([3., 2., 1., 0.])
tensor([0, 1, 2, 3, 4])
RuntimeError | upper bound and lower bound inconsistent with step sign
RuntimeError | step must be nonzero
tensor([2.])
tensor([1., 2.], requires_grad=True)
### integers where floats are refused, and floats where integers are meant
import torch
import torch.nn.functional as F
from torch import nn
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, "|", e)
a = torch.tensor([1, 2, 3])
t(lambda: torch.gcd(a.float(), a.float()))
t(lambda: torch.lcm(a, a.float()))
t(lambda: a.gcd(a.double()))
t(lambda: torch.bitwise_left_shift(a.float(), a.float()))
t(lambda: torch.bitwise_right_shift(a.float(), 1))
t(lambda: torch.gcd(a > 1, a > 1))
t(lambda: torch.gcd(a, a * 2))
t(lambda: nn.Parameter(a))
t(lambda: nn.Parameter(a > 1))
t(lambda: nn.Parameter(a.float()))
w = torch.arange(6.).reshape(3, 2)
t(lambda: F.embedding_bag(a - 1, w, torch.tensor([0., 2.])))
t(lambda: F.embedding_bag(a - 1, w, torch.tensor([0, 2])))
===
NotImplementedError | "gcd_cpu" not implemented for 'Float'
NotImplementedError | "lcm_cpu" not implemented for 'Float'
NotImplementedError | "gcd_cpu" not implemented for 'Double'
NotImplementedError | "lshift_cpu" not implemented for 'Float'
NotImplementedError | "rshift_cpu" not implemented for 'Float'
NotImplementedError | "gcd_cpu" not implemented for 'Bool'
tensor([1, 2, 3])
RuntimeError | Only Tensors of floating point and complex dtype can require gradients
RuntimeError | Only Tensors of floating point and complex dtype can require gradients
Parameter containing:
tensor([1., 2., 3.], requires_grad=True)
RuntimeError | Expected tensor for argument #1 'indices' to have one of the following scalar
types: Long, Int; but got torch.FloatTensor instead (while checking arguments for embedding_bag)
tensor([[1., 2.],
        [4., 5.]])
### parameters that distributions do not have
import torch
import torch.distributions as D
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, "|", e)
T = torch.tensor
t(lambda: D.Normal(0., -1.))
t(lambda: D.Normal(T([0., 1.]), T([1., -1.])))
t(lambda: D.Normal(T([0., 1.]), -1.))
t(lambda: D.Normal(T([float('nan'), 1.]), 1.))
t(lambda: D.Normal(0., -1., validate_args=False))
t(lambda: D.Uniform(2., 1.))
t(lambda: D.Uniform(T([0., 3.]), T([1., 2.])))
t(lambda: D.Exponential(T([0., 1.])))
t(lambda: D.Laplace(0., 0.))
t(lambda: D.Bernoulli(1.5))
t(lambda: D.Bernoulli(T([0.5, -.1])))
t(lambda: D.Bernoulli(logits=float('nan')))
t(lambda: D.Bernoulli(1.))
t(lambda: D.Categorical(probs=T([-.5, 1.5])))
t(lambda: D.Categorical(probs=T([0., 0.])))
t(lambda: D.Categorical(T([[1., 3.], [2., 2.]])))
t(lambda: D.Categorical(logits=T([float('nan'), 1.])))
t(lambda: D.Categorical(logits=T([-float('inf'), 1.])))
===
ValueError | Expected parameter scale (Tensor of shape ()) of distribution Normal(loc: 0.0,
scale: -1.0) to satisfy the constraint GreaterThan(lower_bound=0.0), but found invalid values:
-1.0
ValueError | Expected parameter scale (Tensor of shape (2,)) of distribution Normal(loc:
torch.Size([2]), scale: torch.Size([2])) to satisfy the constraint GreaterThan(lower_bound=0.0),
but found invalid values:
tensor([ 1., -1.])
ValueError | Expected parameter scale (Tensor of shape (2,)) of distribution Normal(loc:
torch.Size([2]), scale: torch.Size([2])) to satisfy the constraint GreaterThan(lower_bound=0.0),
but found invalid values:
tensor([-1., -1.])
ValueError | Expected parameter loc (Tensor of shape (2,)) of distribution Normal(loc:
torch.Size([2]), scale: torch.Size([2])) to satisfy the constraint Real(), but found invalid
values:
tensor([nan, 1.])
Normal(loc: 0.0, scale: -1.0)
ValueError | Expected parameter low (Tensor of shape ()) of distribution Uniform(low: 2.0, high:
1.0) to satisfy the constraint LessThan(upper_bound=1.0), but found invalid values:
2.0
ValueError | Expected parameter low (Tensor of shape (2,)) of distribution Uniform(low:
torch.Size([2]), high: torch.Size([2])) to satisfy the constraint
LessThan(upper_bound=tensor([1., 2.])), but found invalid values:
tensor([0., 3.])
ValueError | Expected parameter rate (Tensor of shape (2,)) of distribution Exponential(rate:
torch.Size([2])) to satisfy the constraint GreaterThan(lower_bound=0.0), but found invalid
values:
tensor([0., 1.])
ValueError | Expected parameter scale (Tensor of shape ()) of distribution Laplace(loc: 0.0,
scale: 0.0) to satisfy the constraint GreaterThan(lower_bound=0.0), but found invalid values:
0.0
ValueError | Expected parameter probs (Tensor of shape ()) of distribution Bernoulli(probs: 1.5)
to satisfy the constraint Interval(lower_bound=0.0, upper_bound=1.0), but found invalid values:
1.5
ValueError | Expected parameter probs (Tensor of shape (2,)) of distribution Bernoulli(probs:
torch.Size([2])) to satisfy the constraint Interval(lower_bound=0.0, upper_bound=1.0), but found
invalid values:
tensor([ 0.5000, -0.1000])
ValueError | Expected parameter logits (Tensor of shape ()) of distribution Bernoulli(logits:
nan) to satisfy the constraint Real(), but found invalid values:
nan
Bernoulli(probs: 1.0)
ValueError | Expected parameter probs (Tensor of shape (2,)) of distribution Categorical(probs:
torch.Size([2])) to satisfy the constraint Simplex(), but found invalid values:
tensor([-0.5000,  1.5000])
ValueError | Expected parameter probs (Tensor of shape (2,)) of distribution Categorical(probs:
torch.Size([2])) to satisfy the constraint Simplex(), but found invalid values:
tensor([nan, nan])
Categorical(probs: torch.Size([2, 2]))
ValueError | Expected parameter logits (Tensor of shape (2,)) of distribution
Categorical(logits: torch.Size([2])) to satisfy the constraint IndependentConstraint(Real(), 1),
but found invalid values:
tensor([nan, nan])
Categorical(logits: torch.Size([2]))
### parameters that rarer distributions do not have
import torch
import torch.distributions as D
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, "|", e)
T = torch.tensor
t(lambda: D.Gamma(1., 0.))
t(lambda: D.Poisson(-1.))
t(lambda: D.Poisson(0.))
t(lambda: D.LogNormal(0., -1.))
t(lambda: D.Geometric(1.5))
t(lambda: D.Binomial(3, 1.5))
t(lambda: D.Dirichlet(T([1., -1.])))
t(lambda: D.Cauchy(0., -1.))
t(lambda: D.HalfNormal(-1.))
t(lambda: D.Weibull(-1., 1.))
t(lambda: D.Pareto(1., -1.))
t(lambda: D.InverseGamma(-1., 1.))
t(lambda: D.Kumaraswamy(-1., 1.))
t(lambda: D.VonMises(0., -1.))
t(lambda: D.OneHotCategorical(T([-1., 2.])))
t(lambda: D.Multinomial(2, T([-1., 2.])))
t(lambda: D.NegativeBinomial(1, 1.))
t(lambda: D.RelaxedOneHotCategorical(T(1.), T([-1., 2.])))
t(lambda: torch.normal(0., -1., (2,)))
t(lambda: torch.normal(torch.zeros(2), T([1., -1.])))
t(lambda: torch.normal(torch.zeros(2), -1.5))
===
ValueError | Expected parameter rate (Tensor of shape ()) of distribution Gamma(concentration:
1.0, rate: 0.0) to satisfy the constraint GreaterThan(lower_bound=0.0), but found invalid
values:
0.0
ValueError | Expected parameter rate (Tensor of shape ()) of distribution Poisson(rate: -1.0) to
satisfy the constraint GreaterThanEq(lower_bound=0.0), but found invalid values:
-1.0
Poisson(rate: 0.0)
ValueError | Expected parameter scale (Tensor of shape ()) of distribution Normal(loc: 0.0,
scale: -1.0) to satisfy the constraint GreaterThan(lower_bound=0.0), but found invalid values:
-1.0
ValueError | Expected parameter probs (Tensor of shape ()) of distribution Geometric(probs: 1.5)
to satisfy the constraint Interval(lower_bound=0.0, upper_bound=1.0), but found invalid values:
1.5
ValueError | Expected parameter probs (Tensor of shape ()) of distribution Binomial(total_count:
3.0, probs: 1.5) to satisfy the constraint Interval(lower_bound=0.0, upper_bound=1.0), but found
invalid values:
1.5
ValueError | Expected parameter concentration (Tensor of shape (2,)) of distribution
Dirichlet(concentration: torch.Size([2])) to satisfy the constraint
IndependentConstraint(GreaterThan(lower_bound=0.0), 1), but found invalid values:
tensor([ 1., -1.])
ValueError | Expected parameter scale (Tensor of shape ()) of distribution Cauchy(loc: 0.0,
scale: -1.0) to satisfy the constraint GreaterThan(lower_bound=0.0), but found invalid values:
-1.0
ValueError | Expected parameter scale (Tensor of shape ()) of distribution HalfNormal() to
satisfy the constraint GreaterThan(lower_bound=0.0), but found invalid values:
-1.0
ValueError | Expected parameter scale (Tensor of shape ()) of distribution Weibull(scale: -1.0,
concentration: 1.0) to satisfy the constraint GreaterThan(lower_bound=0.0), but found invalid
values:
-1.0
ValueError | Expected parameter rate (Tensor of shape ()) of distribution Exponential(rate:
-1.0) to satisfy the constraint GreaterThan(lower_bound=0.0), but found invalid values:
-1.0
ValueError | Expected parameter concentration (Tensor of shape ()) of distribution
Gamma(concentration: -1.0, rate: 1.0) to satisfy the constraint GreaterThan(lower_bound=0.0),
but found invalid values:
-1.0
ValueError | Expected parameter concentration1 (Tensor of shape ()) of distribution
Kumaraswamy(concentration1: -1.0, concentration0: 1.0) to satisfy the constraint
GreaterThan(lower_bound=0.0), but found invalid values:
-1.0
ValueError | Expected parameter concentration (Tensor of shape ()) of distribution VonMises(loc:
0.0, concentration: -1.0) to satisfy the constraint GreaterThan(lower_bound=0.0), but found
invalid values:
-1.0
ValueError | Expected parameter probs (Tensor of shape (2,)) of distribution Categorical(probs:
torch.Size([2])) to satisfy the constraint Simplex(), but found invalid values:
tensor([-1.,  2.])
ValueError | Expected parameter probs (Tensor of shape (2,)) of distribution Categorical(probs:
torch.Size([2])) to satisfy the constraint Simplex(), but found invalid values:
tensor([-1.,  2.])
ValueError | Expected parameter probs (Tensor of shape ()) of distribution
NegativeBinomial(total_count: 1.0, probs: 1.0) to satisfy the constraint
HalfOpenInterval(lower_bound=0.0, upper_bound=1.0), but found invalid values:
1.0
ValueError | Expected parameter probs (Tensor of shape (2,)) of distribution Categorical(probs:
torch.Size([2])) to satisfy the constraint Simplex(), but found invalid values:
tensor([-1.,  2.])
RuntimeError | normal expects std >= 0.0, but found std -1
RuntimeError | normal expects all elements of std >= 0.0
RuntimeError | normal expects std >= 0.0, but found std -1.5
### what shapes and parts cannot be
import torch
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, "|", e)
t(lambda: torch.arange(6).resize_(2, 2))
t(lambda: torch.arange(6.).resize_(2, 5).shape)
t(lambda: torch.arange(6.).resize_(-1))
t(lambda: torch.ones(2, 3, requires_grad=True).resize_(3))
t(lambda: torch.arange(6.)[:3].resize_(2))
t(lambda: torch.ones(2, 3).permute(0, 1, 2))
t(lambda: torch.ones(2, 3).permute(0, 5))
t(lambda: torch.ones(2, 3).permute(0))
t(lambda: torch.ones(2, 3).split(0))
t(lambda: torch.ones(3).split(-1))
t(lambda: torch.ones(2, 3).split(0, dim=1))
t(lambda: torch.ones(0).split(0))
t(lambda: torch.einsum('ij,jk->ik', torch.ones(2, 2), torch.ones(2, 2, dtype=torch.float64)))
t(lambda: torch.einsum('ij,jk->ik', torch.ones(2, 2), torch.ones(2, 2, dtype=torch.int64)))
===
tensor([[0, 1],
        [2, 3]])
torch.Size([2, 5])
RuntimeError | numel: integer multiplication overflow
RuntimeError | cannot resize variables that require grad
tensor([0., 1.])
RuntimeError | permute(sparse_coo): number of dimensions in the tensor input does not match the
length of the desired ordering of dimensions i.e. input.dim() = 2 is not equal to len(dims) = 3
IndexError | Dimension out of range (expected to be in range of [-2, 1], but got 5)
RuntimeError | permute(sparse_coo): number of dimensions in the tensor input does not match the
length of the desired ordering of dimensions i.e. input.dim() = 2 is not equal to len(dims) = 1
RuntimeError | split_size can only be 0 if dimension size is 0, but got dimension size of 2
RuntimeError | split expects split_size be non-negative, but got split_size=-1
RuntimeError | split_size can only be 0 if dimension size is 0, but got dimension size of 3
(tensor([]),)
RuntimeError | expected scalar type Float but found Double
RuntimeError | expected scalar type Float but found Long
"""


@pytest.mark.parametrize("cell", titled(CELLS))
def test_a_cell(cell: str) -> None:
    program, _, printed = cell.partition("===\n")
    assert not difference(ours(program), printed)
