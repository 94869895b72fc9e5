"""Dtypes that PyTorch refuses: what it says of each was printed by PyTorch 2.13."""

from __future__ import annotations

import pytest

from gradcli.diagnostics import GradcliError
from tests.cells.cells import difference, titled
from tests.cells.test_python_lines import ours

BEFORE = r"""
import torch
import torch.nn as nn
import torch.nn.functional as F
def t(f):
    try:
        r = f()
        print("ok", r)
    except Exception as e:
        print(type(e).__name__, "|", e)
x = torch.tensor([[1., 2., 3.], [4., 5., 6.]])
v = torch.tensor([1., 2., 3.])
fi = torch.tensor([0., 1.])
fi2 = torch.tensor([[0., 1.], [1., 0.]])
fm = torch.tensor([[1., 0., 1.], [0., 1., 0.]])
im = torch.tensor([[1, 0, 1], [0, 1, 0]])
ii2 = torch.tensor([[0, 1], [1, 0]], dtype=torch.int32)
i32 = torch.tensor([0, 1], dtype=torch.int32)
"""
CELLS = r"""
### indices and classes are integers
t(lambda: F.cross_entropy(x, fi))
t(lambda: F.cross_entropy(x, i32))
t(lambda: F.cross_entropy(x, torch.tensor([True, False])))
t(lambda: nn.CrossEntropyLoss()(x, fi))
t(lambda: F.nll_loss(x, fi))
t(lambda: F.nll_loss(x, i32))
t(lambda: nn.NLLLoss()(x, fi))
t(lambda: F.multi_margin_loss(x, fi))
t(lambda: F.multilabel_margin_loss(x, torch.tensor([[0., 1., -1.], [0., -1., 1.]])))
t(lambda: F.embedding(fi, x))
t(lambda: nn.Embedding(3, 2)(fi))
t(lambda: F.embedding_bag(fi, x, torch.tensor([0, 1])))
t(lambda: F.one_hot(fi))
t(lambda: F.one_hot(i32))
t(lambda: torch.gather(x, 1, fi2))
t(lambda: x.gather(1, fi2))
t(lambda: torch.index_select(x, 1, fi))
t(lambda: torch.take(x, fi))
t(lambda: torch.take(x, i32))
t(lambda: torch.take_along_dim(x, fi2, 1))
t(lambda: torch.zeros(2, 3).scatter(1, fi2, torch.ones(2, 2)))
t(lambda: torch.zeros(2, 3).scatter_(1, fi2, 1.0))
t(lambda: torch.zeros(2, 3).scatter_add(1, fi2, torch.ones(2, 2)))
t(lambda: torch.zeros(2, 3).scatter_reduce(1, fi2, torch.ones(2, 2), reduce="sum"))
t(lambda: torch.zeros(2, 3).index_add(0, fi, x))
t(lambda: torch.zeros(2, 3).index_copy(0, fi, x))
t(lambda: torch.zeros(2, 3).index_fill(0, fi, 1.0))
t(lambda: torch.zeros(2, 3).index_reduce(0, fi, x, "prod"))
t(lambda: torch.zeros(3).index_put((fi,), torch.tensor(1.)))
t(lambda: torch.zeros(3).put(fi, torch.tensor([1., 2.])))
t(lambda: torch.bincount(torch.tensor([-1, 2])))
t(lambda: x[fi])
t(lambda: x[fm])
t(lambda: x[torch.tensor(1.0)])
t(lambda: x[1.0])
t(lambda: x[0, fi])
t(lambda: F.binary_cross_entropy(torch.tensor([.5, .5]), torch.tensor([1, 0])))
t(lambda: nn.BCELoss()(torch.tensor([.5, .5]), torch.tensor([1, 0])))
t(lambda: nn.Linear(2, 1)(torch.tensor([[1, 2]])))
t(lambda: torch.tensor([[1, 2]]) @ torch.ones(2, 1))
t(lambda: torch.tensor([True]) - torch.tensor([True]))
t(lambda: torch.tensor([1, 2]) ** -1)
===
RuntimeError | expected target dtype to be Long or Byte, but got Float
RuntimeError | expected target dtype to be Long or Byte, but got Int
RuntimeError | expected target dtype to be Long or Byte, but got Bool
RuntimeError | expected target dtype to be Long or Byte, but got Float
RuntimeError | expected target dtype to be Long or Byte, but got Float
RuntimeError | expected target dtype to be Long or Byte, but got Int
RuntimeError | expected target dtype to be Long or Byte, but got Float
RuntimeError | expected scalar type Long but found Float
RuntimeError | expected scalar type Long but found Float
RuntimeError | Expected tensor for argument #1 'indices' to have one of the following scalar
types: Long, Int; but got torch.FloatTensor instead (while checking arguments for embedding)
RuntimeError | Expected tensor for argument #1 'indices' to have one of the following scalar
types: Long, Int; but got torch.FloatTensor instead (while checking arguments for embedding)
RuntimeError | Expected tensor for argument #1 'indices' to have one of the following scalar
types: Long, Int; but got torch.FloatTensor instead (while checking arguments for embedding_bag)
RuntimeError | one_hot is only applicable to index tensor of type LongTensor.
RuntimeError | one_hot is only applicable to index tensor of type LongTensor.
RuntimeError | gather(): Expected dtype int32/int64 for index
RuntimeError | gather(): Expected dtype int32/int64 for index
RuntimeError | index_select(): Expected dtype int32 or int64 for index
RuntimeError | take(): Expected a long tensor for index, but got Float
RuntimeError | take(): Expected a long tensor for index, but got Int
RuntimeError | torch.take_along_dim(): dtype of indices should be Long but got Float
RuntimeError | scatter(): Expected dtype int32/int64 for index
RuntimeError | scatter(): Expected dtype int32/int64 for index
RuntimeError | scatter(): Expected dtype int32/int64 for index
RuntimeError | scatter(): Expected dtype int32/int64 for index
RuntimeError | index_add_(): Expected dtype int32/int64 for index but got: Float
RuntimeError | index_copy_(): Expected a long tensor for index, but got Float
IndexError | index_fill_(): Expected dtype int64 for index.
RuntimeError | index_reduce_(): Expected dtype int32/int64 for index but got: Float
IndexError | tensors used as indices must be long, int, byte or bool tensors
RuntimeError | put_(): Expected a long tensor for index, but got Float
RuntimeError | bincount only supports 1-d non-negative integral inputs.
IndexError | tensors used as indices must be long, int, byte or bool tensors
IndexError | tensors used as indices must be long, int, byte or bool tensors
IndexError | tensors used as indices must be long, int, byte or bool tensors
IndexError | only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are
valid indices (got float)
IndexError | tensors used as indices must be long, int, byte or bool tensors
RuntimeError | Found dtype Long but expected Float
RuntimeError | Found dtype Long but expected Float
RuntimeError | mat1 and mat2 must have the same dtype, but got Long and Float
RuntimeError | expected m1 and m2 to have the same dtype, but got: long int != float
RuntimeError | Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^`
or `logical_xor()` operator instead.
RuntimeError | Integers to negative integer powers are not allowed.
### masks are truth values
t(lambda: x.masked_fill(fm, 0))
t(lambda: x.masked_fill(im, 0))
t(lambda: x.clone().masked_fill_(fm, 0))
t(lambda: x.masked_select(fm))
t(lambda: torch.masked_select(x, im))
t(lambda: x.masked_scatter(fm, torch.ones(6)))
t(lambda: x.masked_scatter(im, torch.ones(6)))
t(lambda: torch.where(fm, x, 0.))
t(lambda: torch.where(im, x, 0.))
t(lambda: x.where(fm, 0.))
t(lambda: -torch.tensor([True]))
t(lambda: 1 - torch.tensor([True]))
===
RuntimeError | masked_fill_ only supports boolean masks, but got mask with dtype float
RuntimeError | masked_fill_ only supports boolean masks, but got mask with dtype long int
RuntimeError | masked_fill_ only supports boolean masks, but got mask with dtype float
RuntimeError | masked_select: expected BoolTensor for mask
RuntimeError | masked_select: expected BoolTensor for mask
RuntimeError | masked_scatter_ only supports boolean masks, but got mask with dtype Float
RuntimeError | masked_scatter_ only supports boolean masks, but got mask with dtype Long
RuntimeError | where expected condition to be a boolean tensor, but got a tensor with dtype Float
RuntimeError | where expected condition to be a boolean tensor, but got a tensor with dtype Long
RuntimeError | where expected condition to be a boolean tensor, but got a tensor with dtype Float
RuntimeError | Negation, the `-` operator, on a bool tensor is not supported. If you are trying to
invert a mask, use the `~` or `logical_not()` operator instead.
RuntimeError | Subtraction, the `-` operator, with a bool tensor is not supported. If you are
trying to invert a mask, use the `~` or `logical_not()` operator instead.
### operands are of one dtype
import numpy as np
d = x.double()
f3 = torch.arange(18.).reshape(2, 3, 3)
d3 = f3.double()
def put(where, what):
    y = x.clone()
    y[where] = what
    return y
def add(where, what):
    y = x.clone()
    y[where] += what
    return y
t(lambda: F.conv1d(d3, f3))
t(lambda: F.conv1d(d3, f3, v[:2]))
t(lambda: nn.Conv2d(2, 3, 2)(d3))
t(lambda: nn.Conv2d(2, 3, 2, bias=False)(d3))
t(lambda: nn.Conv2d(2, 3, 2).double()(f3))
t(lambda: nn.Conv3d(1, 2, 1)(im[None, None, None]))
t(lambda: nn.ConvTranspose2d(2, 3, 2)(d3))
t(lambda: nn.LayerNorm(3)(d))
t(lambda: F.layer_norm(d, (3,)).dtype)
t(lambda: nn.LayerNorm(3)(im))
t(lambda: nn.BatchNorm1d(3)(d))
t(lambda: nn.BatchNorm1d(3).eval()(d))
t(lambda: nn.BatchNorm1d(3)(im))
t(lambda: nn.GroupNorm(1, 3)(d))
t(lambda: nn.InstanceNorm1d(3)(d3).dtype)
t(lambda: nn.InstanceNorm1d(3, affine=True)(d3))
t(lambda: nn.LSTM(3, 2)(d3))
t(lambda: nn.GRU(3, 2)(im[None]))
t(lambda: nn.RNN(3, 2).double()(x))
t(lambda: nn.RNN(3, 2).double()(d)[0].dtype)
t(lambda: nn.GRU(3, 2)(f3, torch.zeros(1, 3, 2).double()))
t(lambda: nn.LSTMCell(3, 2)(d))
t(lambda: nn.RNNCell(3, 2)(x, torch.zeros(2, 2).double()))
t(lambda: nn.RNNCell(3, 2).double()(d).dtype)
t(lambda: nn.MultiheadAttention(3, 1)(d, d, d))
t(lambda: nn.MultiheadAttention(3, 1)(x, d, d))
t(lambda: F.scaled_dot_product_attention(x, d, d))
t(lambda: nn.PReLU()(d))
t(lambda: nn.Bilinear(3, 3, 2)(x, d))
t(lambda: F.binary_cross_entropy(fm, fm.double()))
t(lambda: F.binary_cross_entropy(fm.double(), fm))
t(lambda: nn.BCELoss()(fm, im))
t(lambda: F.binary_cross_entropy_with_logits(x, d).dtype)
t(lambda: F.mse_loss(x, d).dtype)
t(lambda: F.cross_entropy(d, torch.tensor([0, 1]), weight=v))
t(lambda: F.nll_loss(d, torch.tensor([0, 1]), weight=v))
t(lambda: torch.cdist(x, d))
t(lambda: torch.addmm(fi2, x, d.t()))
t(lambda: torch.addmm(fi2.double(), x, x.t()))
t(lambda: torch.baddbmm(f3.double(), f3, f3))
t(lambda: torch.tensordot(x, d, dims=([1], [1])))
t(lambda: torch.inner(x, d))
t(lambda: torch.cross(x, d, dim=1))
t(lambda: torch.linalg.cross(x, d))
t(lambda: torch.linalg.solve(fi2, fi2.double()))
t(lambda: torch.linalg.lstsq(fi2, fi2.double()))
t(lambda: torch.cholesky_solve(fi2, fi2.double()))
t(lambda: torch.lerp(x, d, 0.5))
t(lambda: F.grid_sample(f3[None], torch.zeros(1, 2, 2, 2).double()))
t(lambda: x.quantile(torch.tensor([0.5]).double()))
t(lambda: x.scatter(1, im, d))
t(lambda: x.scatter_add(1, im, d))
t(lambda: x.scatter_reduce(1, im, d, 'sum'))
t(lambda: x.index_add(0, torch.tensor([0, 1]), d))
t(lambda: x.index_copy(0, torch.tensor([0, 1]), d))
t(lambda: x.index_reduce(0, torch.tensor([0, 1]), d, 'prod'))
t(lambda: x.index_put((torch.tensor([0]),), d[0]))
t(lambda: x.put(torch.tensor([0]), v[:1].double()))
t(lambda: x.masked_scatter(x > 2, d))
t(lambda: torch.isclose(x, d))
t(lambda: torch.allclose(x, d))
t(lambda: x.allclose(torch.from_numpy(np.ones((2, 3)))))
t(lambda: put(x > 2, d.flatten()[:4]))
t(lambda: put([0, 1], d))
t(lambda: put(torch.tensor([1]), im[:1]))
t(lambda: put(x > 2, torch.tensor(7.).double()))
t(lambda: put(0, d[1]))
t(lambda: put((slice(None), 0), d[:, 1]))
t(lambda: add(torch.tensor([0]), d[:1]))
t(lambda: torch.where(x > 2, x, d).dtype)
t(lambda: torch.cat([x, d]).dtype)
===
RuntimeError | expected scalar type Double but found Float
RuntimeError | Input type (double) and bias type (float) should be the same
RuntimeError | Input type (double) and bias type (float) should be the same
RuntimeError | expected scalar type Double but found Float
RuntimeError | Input type (float) and bias type (double) should be the same
RuntimeError | Input type (long int) and bias type (float) should be the same
RuntimeError | expected scalar type Double but found Float
RuntimeError | mixed dtype (CPU): all inputs must share same datatype.
ok torch.float64
RuntimeError | mixed dtype (CPU): all inputs must share same datatype.
RuntimeError | mixed dtype (CPU): all inputs must share same datatype.
RuntimeError | mixed dtype (CPU): all inputs must share same datatype.
NotImplementedError | "batch_norm" not implemented for 'Long'
RuntimeError | mixed dtype (CPU): all inputs must share same datatype.
ok torch.float64
RuntimeError | mixed dtype (CPU): all inputs must share same datatype.
ValueError | RNN input dtype (torch.float64) does not match weight dtype (torch.float32). Convert
input: input.to(torch.float32), or convert model: model.to(torch.float64)
ValueError | RNN input dtype (torch.int64) does not match weight dtype (torch.float32). Convert
input: input.to(torch.float32), or convert model: model.to(torch.int64)
ValueError | RNN input dtype (torch.float32) does not match weight dtype (torch.float64). Convert
input: input.to(torch.float64), or convert model: model.to(torch.float32)
ok torch.float64
RuntimeError | mat1 and mat2 must have the same dtype, but got Double and Float
RuntimeError | mat1 and mat2 must have the same dtype, but got Double and Float
RuntimeError | mat1 and mat2 must have the same dtype, but got Double and Float
ok torch.float64
RuntimeError | mat1 and mat2 must have the same dtype, but got Double and Float
RuntimeError | mat1 and mat2 must have the same dtype, but got Double and Float
RuntimeError | Expected query, key, and value to have the same dtype, but got query.dtype: float
key.dtype: double and value.dtype: double instead.
RuntimeError | prelu: Type promoting not supported. Got Double and Float
RuntimeError | All tensors must have the same dtype, got input1: float, input2: double, weight:
float, bias: float
RuntimeError | Found dtype Double but expected Float
RuntimeError | Found dtype Float but expected Double
RuntimeError | Found dtype Long but expected Float
ok torch.float64
ok torch.float64
RuntimeError | expected scalar type Double but found Float
RuntimeError | expected scalar type Double but found Float
RuntimeError | expected scalar type Float but found Double
RuntimeError | self and mat2 must have the same dtype, but got Float and Double
RuntimeError | self and mat2 must have the same dtype, but got Double and Float
RuntimeError | Input dtypes must be the same, got: input double, batch1: float, batch2: float
RuntimeError | both inputs should have same dtype
RuntimeError | both inputs should have same dtype
RuntimeError | expected scalar type Float but found Double
RuntimeError | expected scalar type Float but found Double
RuntimeError | linalg.solve: Expected A and B to have the same dtype, but found A of type Float and
B of type Double instead
RuntimeError | torch.linalg.lstsq: Expected input and other to have the same dtype, but got input's
dtype Float and other's dtype Double
RuntimeError | Expected b and A to have the same dtype, but found b of type Float and A of type
Double instead.
RuntimeError | expected dtype float for `end` but got dtype double
RuntimeError | expected scalar type Float but found Double
RuntimeError | quantile() q tensor must be same dtype as the input tensor
RuntimeError | scatter(): Expected self.dtype to be equal to src.dtype
RuntimeError | scatter(): Expected self.dtype to be equal to src.dtype
RuntimeError | scatter(): Expected self.dtype to be equal to src.dtype
RuntimeError | index_add_(): self (Float) and source (Double) must have the same scalar type
RuntimeError | index_copy_(): self and source expected to have the same dtype, but got (self) Float
and (source) Double
RuntimeError | index_reduce_(): self (Float) and source (Double) must have the same scalar type
RuntimeError | Index put requires the source and destination dtypes match, got Float for the
destination and Double for the source.
RuntimeError | put_(): self and source expected to have the same dtype, but got self.dtype = Float
and source.dtype = Double
RuntimeError | masked_scatter: expected self and source to have same dtypes but gotFloat and Double
RuntimeError | Float did not match Double
RuntimeError | Float did not match Double
RuntimeError | Float did not match Double
RuntimeError | Index put requires the source and destination dtypes match, got Float for the
destination and Double for the source.
RuntimeError | Index put requires the source and destination dtypes match, got Float for the
destination and Double for the source.
RuntimeError | Index put requires the source and destination dtypes match, got Float for the
destination and Long for the source.
ok tensor([[1., 2., 7.],
        [7., 7., 7.]])
ok tensor([[4., 5., 6.],
        [4., 5., 6.]])
ok tensor([[2., 2., 3.],
        [5., 5., 6.]])
ok tensor([[2., 4., 6.],
        [4., 5., 6.]])
ok torch.float64
ok torch.float64
### floats where PyTorch has no kernel for integers
t(lambda: torch.bincount(fi))
t(lambda: fm & fm)
t(lambda: torch.bitwise_or(fm, im))
t(lambda: fm ^ im)
t(lambda: torch.multinomial(torch.tensor([1, 2]), 1))
t(lambda: F.dropout(torch.tensor([1, 2])))
t(lambda: F.softmax(torch.tensor([1, 2]), 0))
t(lambda: torch.tensor([0, 0]).var())
t(lambda: torch.tensor([3, 4]).norm())
t(lambda: torch.linalg.norm(torch.tensor([3, 4])))
t(lambda: F.mse_loss(torch.tensor([1, 2]), torch.tensor([1, 4])))
t(lambda: F.binary_cross_entropy_with_logits(torch.tensor([.5, .5]), torch.tensor([1, 0])))
t(lambda: F.log_softmax(torch.tensor([1, 2]), 0))
t(lambda: torch.inverse(torch.tensor([[1, 2], [3, 4]])))
t(lambda: torch.det(torch.tensor([[1, 2], [3, 4]])))
t(lambda: F.layer_norm(torch.tensor([[1, 2]]), (2,)))
t(lambda: torch.quantile(torch.tensor([1, 2]), 0.5))
t(lambda: F.gelu(torch.tensor([1, 2])))
t(lambda: F.cosine_similarity(torch.tensor([[1, 2]]), torch.tensor([[1, 2]])))
t(lambda: torch.cdist(torch.tensor([[1, 2]]), torch.tensor([[1, 2]])))
t(lambda: torch.tensor([True]).mean())
t(lambda: torch.bernoulli(torch.tensor([1, 0])))
t(lambda: torch.normal(torch.tensor([1, 0])))
t(lambda: torch.tensor([1, 2]).add_(0.5))
t(lambda: torch.tensor([1, 2]).mul_(0.5))
t(lambda: torch.tensor([1, 2]).div_(2))
t(lambda: torch.histc(torch.tensor([1, 2]), 2))
t(lambda: F.kl_div(torch.zeros(2), torch.tensor([1, 1])))
t(lambda: torch.lerp(torch.tensor([1, 2]), torch.tensor([3, 4]), 0.5))
t(lambda: F.huber_loss(torch.tensor([1, 2]), torch.tensor([1, 4])))
===
NotImplementedError | "bincount_cpu" not implemented for 'Float'
NotImplementedError | "bitwise_and_cpu" not implemented for 'Float'
NotImplementedError | "bitwise_or_cpu" not implemented for 'Float'
NotImplementedError | "bitwise_xor_cpu" not implemented for 'Float'
RuntimeError | multinomial only supports floating-point dtypes for input, got: Long
RuntimeError | result type Float can't be cast to the desired output type Long
NotImplementedError | "softmax_lastdim_kernel_impl" not implemented for 'Long'
RuntimeError | std and var only support floating point and complex dtypes
RuntimeError | linalg.vector_norm: Expected a floating point or complex tensor as input. Got Long
RuntimeError | linalg.vector_norm: Expected a floating point or complex tensor as input. Got Long
NotImplementedError | "mse_cpu" not implemented for 'Long'
RuntimeError | result type Float can't be cast to the desired output type Long
NotImplementedError | "log_softmax_lastdim_kernel_impl" not implemented for 'Long'
RuntimeError | linalg.inv: Expected a floating point or complex tensor as input. Got Long
RuntimeError | linalg.det: Expected a floating point or complex tensor as input. Got Long
NotImplementedError | "LayerNormKernelImpl" not implemented for 'Long'
RuntimeError | quantile() input tensor must be either float or double dtype
NotImplementedError | "GeluKernelImpl" not implemented for 'Long'
RuntimeError | expected common dtype to be floating point, yet common dtype is Long
RuntimeError | cdist only supports floating-point dtypes, X1 got: Long
RuntimeError | mean(): could not infer output dtype. Input dtype must be either a floating point
or complex dtype. Got: Bool
NotImplementedError | "bernoulli_tensor_cpu_p_" not implemented for 'Long'
NotImplementedError | "normal_kernel_cpu" not implemented for 'Long'
RuntimeError | result type Float can't be cast to the desired output type Long
RuntimeError | result type Float can't be cast to the desired output type Long
RuntimeError | result type Float can't be cast to the desired output type Long
NotImplementedError | "histogram_cpu" not implemented for 'Long'
RuntimeError | kl_div: Integral inputs not supported.
NotImplementedError | "lerp_kernel_scalar" not implemented for 'Long'
NotImplementedError | "huber_cpu" not implemented for 'Long'
### numbers that are no integers in Python
t(lambda: x[0:1.0])
t(lambda: list(range(3.0)))
t(lambda: [i for i in range(4/2)])
t(lambda: [1, 2][1.0])
t(lambda: [0] * 2.0)
t(lambda: "a" * 2.0)
===
TypeError | slice indices must be integers or None or have an __index__ method
TypeError | 'float' object cannot be interpreted as an integer
TypeError | 'float' object cannot be interpreted as an integer
TypeError | list indices must be integers or slices, not float
TypeError | can't multiply sequence by non-int of type 'float'
TypeError | can't multiply sequence by non-int of type 'float'
### what is taken
t(lambda: torch.gather(x, 1, ii2))
t(lambda: torch.index_select(x, 1, i32))
t(lambda: torch.zeros(2, 3).scatter(1, ii2, torch.ones(2, 2)))
t(lambda: torch.where(im.byte(), x, 0.))
t(lambda: torch.where(fm))
t(lambda: x[im])
t(lambda: x[im.byte()])
t(lambda: x[i32])
t(lambda: x[torch.tensor(1)])
t(lambda: torch.logical_and(fm, im))
t(lambda: ~im)
t(lambda: torch.arange(2.0))
t(lambda: torch.sigmoid(torch.tensor([1, 2])))
t(lambda: torch.relu(torch.tensor([-1, 2])))
t(lambda: torch.exp(torch.tensor([0, 0])))
t(lambda: F.mse_loss(torch.tensor([1., 2]), torch.tensor([1, 4])))
t(lambda: F.l1_loss(torch.tensor([1., 2]), torch.tensor([1, 4])))
t(lambda: torch.median(torch.tensor([1, 2])))
t(lambda: torch.tanh(torch.tensor([0, 0])))
t(lambda: ~torch.tensor([True]))
t(lambda: torch.isnan(torch.tensor([1])))
t(lambda: torch.floor(torch.tensor([1])))
t(lambda: torch.clamp(torch.tensor([1, 5]), 0, 2.5))
t(lambda: torch.tensor([1, 2]).fill_(0.5))
t(lambda: torch.lgamma(torch.tensor([1, 2])))
t(lambda: torch.all(torch.tensor([1., 0.])))
t(lambda: torch.any(torch.tensor([1., 0.])))
t(lambda: fm.all(dim=1))
t(lambda: fm.nonzero())
t(lambda: torch.bucketize(v, torch.tensor([1.5])))
t(lambda: torch.isin(v, torch.tensor([1.0])))
t(lambda: torch.tensor([1, 2]).float().histc(2, 0, 3))
t(lambda: torch.where(torch.tensor(True), 1, 0))
t(lambda: torch.cat([torch.tensor([1, 2]), torch.tensor([1.5])]))
t(lambda: torch.stack([torch.tensor([1, 2]), torch.tensor([1.5, 1.])]))
t(lambda: torch.maximum(torch.tensor([1, 2]), torch.tensor([1.5, 1.])))
t(lambda: torch.outer(torch.tensor([1, 2]), torch.tensor([1.5])))
t(lambda: F.mse_loss(torch.tensor([1.]), torch.tensor([True])))
t(lambda: (x.argmax(1) == fi).float().mean())
t(lambda: (x[:, [0, 2]], x[[1]], x[range(2), [0, 1]], torch.arange(6)[[0, 2]], x[[True, False]]))
t(lambda: (x[(x.argmax(1) - 1)], x[-1][torch.arange(3) % 2 == 0], x[len([1]) - 1, int(4 / 2)]))
===
ok tensor([[1., 2.],
        [5., 4.]])
ok tensor([[1., 2.],
        [4., 5.]])
ok tensor([[1., 1., 0.],
        [1., 1., 0.]])
ok tensor([[1., 0., 3.],
        [0., 5., 0.]])
ok (tensor([0, 0, 1]), tensor([0, 2, 1]))
ok tensor([[[4., 5., 6.],
         [1., 2., 3.],
         [4., 5., 6.]],

        [[1., 2., 3.],
         [4., 5., 6.],
         [1., 2., 3.]]])
ok tensor([1., 3., 5.])
ok tensor([[1., 2., 3.],
        [4., 5., 6.]])
ok tensor([4., 5., 6.])
ok tensor([[ True, False,  True],
        [False,  True, False]])
ok tensor([[-2, -1, -2],
        [-1, -2, -1]])
ok tensor([0., 1.])
ok tensor([0.7311, 0.8808])
ok tensor([0, 2])
ok tensor([1., 1.])
ok tensor(2.)
ok tensor(1.)
ok tensor(1)
ok tensor([0., 0.])
ok tensor([False])
ok tensor([False])
ok tensor([1])
ok tensor([1.0000, 2.5000])
ok tensor([0, 0])
ok tensor([0., 0.])
ok tensor(False)
ok tensor(True)
ok tensor([False, False])
ok tensor([[0, 0],
        [0, 2],
        [1, 1]])
ok tensor([0, 1, 1])
ok tensor([ True, False, False])
ok tensor([1., 1.])
ok tensor(1)
ok tensor([1.0000, 2.0000, 1.5000])
ok tensor([[1.0000, 2.0000],
        [1.5000, 1.0000]])
ok tensor([1.5000, 2.0000])
ok tensor([[1.5000],
        [3.0000]])
ok tensor(0.)
ok tensor(0.)
ok (tensor([[1., 3.],
        [4., 6.]]), tensor([[4., 5., 6.]]), tensor([1., 5.]),
tensor([0, 2]), tensor([[1., 2., 3.]]))
ok (tensor([[4., 5., 6.],
        [4., 5., 6.]]), tensor([4., 6.]), tensor(3.))
"""


@pytest.mark.parametrize("cell", titled(CELLS))
def test_a_cell(cell: str) -> None:
    program, _, printed = cell.partition("===\n")
    assert not difference(ours(BEFORE + program), printed)


def test_gradclis_own_language_takes_whole_floats_as_integers() -> None:
    assert ours("print(gather([1, 2, 3], 0, [0, 2]), masked_fill([1, 2], [1, 0], 5))").strip()


def test_a_grad_that_is_not_there_yet_is_what_none_stands_for() -> None:
    with pytest.raises(GradcliError) as found:
        ours("import torch\nx = torch.ones(2, requires_grad=True)\nx.grad + 1")
    assert "until a backward" in (found.value.diagnostic.hint or "")
