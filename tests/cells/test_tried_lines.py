"""What fails in a try, operators of lists, dtypes that stay: as in PyTorch 2.13."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cells.cells import difference, titled
from tests.cells.test_python_lines import ours

ROWS = Path(__file__).with_name("rows_and_sums.txt").read_text(encoding="utf-8")
"""Tensors that are looped over, and Python's `sum` and `max` of them."""
CELLS = r"""
### what is found of float64 is float64
import torch
A = torch.tensor([[2., 1.], [1., 3.]], dtype=torch.float64)
x = torch.tensor([3., 1., 2.], dtype=torch.float64)
def show(*ts):
    print(*[str(t.dtype)[6:] for t in ts])
show(*torch.linalg.lu(A), *torch.lu_unpack(*torch.linalg.lu_factor(A)), *torch.linalg.lu_factor(A))
show(torch.linalg.cond(A), torch.linalg.cond(A, 1), torch.linalg.matrix_rank(A), torch.trace(A))
show(torch.histc(x), *torch.histogram(x, 3), torch.unique(x), torch.unique_consecutive(x))
show(torch.histc(x.float()), *torch.linalg.lu(A.float()), torch.unique(x.long()))
===
float64 float64 float64 float64 float64 float64 float64 int32
float64 float64 int64 float64
float64 float64 float64 float64 float64
float32 float32 float32 float32 int64
### leaves that are marked no more get no grads
import torch
w = torch.ones(2, requires_grad=True)
v = torch.ones(2, requires_grad=True)
y = (w * v).sum()
w.requires_grad = False
y.backward()
print(w.grad, v.grad, w.requires_grad)
w = torch.ones(2, requires_grad=True)
y = (w * 2).sum()
w.requires_grad_(False)
print(y.requires_grad)
y.backward()
print(w.grad)
w.requires_grad_(True)
z = (w * 3).sum()
z.backward()
print(w.grad)
m = torch.nn.Linear(2, 1)
o = m(torch.ones(1, 2))
m.requires_grad_(False)
o.sum().backward()
print(m.weight.grad, m.bias.grad)
w = torch.ones(2, requires_grad=True)
y = (w * 2).sum()
w.requires_grad_(False)
w.requires_grad_(True)
y.backward()
print(w.grad)
w.grad = None
y = (w * 2).sum()
w.requires_grad_(False)
try:
    print(torch.autograd.grad(y, w))
except RuntimeError as e: print(e)
m = torch.nn.Linear(2, 1)
torch.nn.init.constant_(m.weight, .1)
o = m(torch.ones(1, 2))
m.weight.requires_grad = False
o.sum().backward()
print(m.weight.grad, m.bias.grad)
w = torch.tensor([1., 2.], requires_grad=True)
d = torch.tensor([0.5, -1.], requires_grad=True)
for i in range(12):
    d.requires_grad_(False)
    loss = ((w * d) ** 2).sum()
    loss.backward()
    with torch.no_grad():
        w -= 0.1 * w.grad
    w.grad = None
    d.requires_grad_(True)
    out = (w.detach() * d).sum()
    d.requires_grad = i % 2 == 0
    out.backward()
    if d.grad is not None and d.requires_grad:
        with torch.no_grad():
            d += 0.1 * d.grad
        d.grad = None
    d.requires_grad = True
print(w, d, d.grad)
ps = [torch.nn.Parameter(torch.ones(2) * k) for k in (1, 2)]
for epoch in range(4):
    for p in ps: p.requires_grad = True
    loss = (ps[0] * ps[1]).sum()
    for p in ps[1:]: p.requires_grad = False
    loss.backward()
    print([p.grad for p in ps])
===
None tensor([1., 1.]) False
True
None
tensor([3., 3.])
None None
tensor([2., 2.])
One of the differentiated Tensors does not require grad
None tensor([1.])
tensor([0.2553, 0.6258], requires_grad=True) tensor([ 0.8690, -0.4111], requires_grad=True) None
[tensor([2., 2.]), None]
[tensor([4., 4.]), None]
[tensor([6., 6.]), None]
[tensor([8., 8.]), None]
### what a backward of the program's own is given
import torch
class Sq(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x
    @staticmethod
    def backward(ctx, g):
        x, = ctx.saved_tensors
        print("g", g, g.requires_grad, torch.is_grad_enabled(), x.requires_grad)
        r = g * 2 * x
        print(r, r.requires_grad)
        return r
x = torch.tensor([1., 2.], requires_grad=True)
y = (Sq.apply(x) ** 2).sum()
y.backward()
print(x.grad)
y = (Sq.apply(x) ** 2).sum()
g, = torch.autograd.grad(y, x, create_graph=True)
print(g)
g.sum().backward()
print(x.grad)
def hook(g):
    print("hook", g, g.requires_grad)
z = (x * 3)
z.register_hook(hook)
(z ** 2).sum().backward()
===
g tensor([2., 8.]) False False True
tensor([ 4., 32.]) False
tensor([ 4., 32.])
g tensor([2., 8.], grad_fn=<MulBackward0>) True True True
tensor([ 4., 32.], grad_fn=<MulBackward0>) True
tensor([ 4., 32.], grad_fn=<MulBackward0>)
g tensor([4., 8.]) False False True
tensor([ 8., 32.]) False
tensor([16., 80.])
hook tensor([ 6., 12.]) False
### the nodes of tensors that are written into
import torch
x = torch.tensor([1., 2., 3., 4.], requires_grad=True)
def t(f):
    b = torch.zeros(2, 4)
    f(b)
    print(b.grad_fn.name())
i = torch.tensor([1, 0]); m = torch.tensor([True, False])
def a(b): b[0] = x
def a2(b): b[i] = x
def a3(b): b[m] = x
def a4(b): b[0, 1] = x[0]
def a5(b): b[:, 0] = x[:2]
def a6(b): b[i, i] = x[:2]
def a7(b): b[[0, 1]] = x
def a8(b): b[..., 1:3] = x[:2]
def a9(b): b[i, 1] = x[:2]
def a10(b): b[:, i] = x[:2]
def a11(b): b[b == 0] = x[0]
def a12(b): b[:] = x
def a13(b): b[0][1] = x[0]
def a14(b): b[0, i] = x[:2]
def a15(b): b[0].copy_(x)
def a16(b): b += x
def a17(b): b[0] += x
def a18(b): b[i] += x
def a19(b): b[None] = x
def a20(b): b[torch.tensor(1)] = x
for f in (a, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17):
    t(f)
for f in (a18, a19, a20): t(f)
===
torch::autograd::CopySlices
IndexPutBackward0
IndexPutBackward0
torch::autograd::CopySlices
torch::autograd::CopySlices
IndexPutBackward0
IndexPutBackward0
torch::autograd::CopySlices
torch::autograd::CopySlices
IndexPutBackward0
IndexPutBackward0
torch::autograd::CopyBackwards
torch::autograd::CopySlices
torch::autograd::CopySlices
torch::autograd::CopySlices
AddBackward0
torch::autograd::CopySlices
IndexPutBackward0
torch::autograd::CopySlices
torch::autograd::CopySlices
### nothing behind a line that fails in a try is done
import torch
A = torch.ones(2, 2)
y, count, rows, named = None, 0, [], {}
try:
    y = torch.linalg.inv(A)
    count += 1
    named["a"] = y
except RuntimeError as e:
    print("failed")
print(y, count, named)
try:
    rows.append(torch.linalg.inv(A)); rows.append(1)
except RuntimeError: print(rows)
class Holder: pass
h = Holder(); h.v = 3
try: h.v = torch.linalg.inv(A)
except RuntimeError: print(h.v)
x = torch.zeros(3)
try: x.scatter_add_(0, torch.tensor([5]), torch.ones(1))
except RuntimeError as e: print(e)
try: x.index_add_(0, torch.tensor([5]), torch.ones(1))
except IndexError as e: print("index")
print(x)
def attempt(M):
    try:
        return torch.linalg.inv(M)
    except RuntimeError:
        return None
    finally:
        print("tried")
print(attempt(A), attempt(torch.eye(2)))
jitter, K = 0.0, torch.ones(2, 2)
for i in range(5):
    try:
        L = torch.linalg.cholesky(K + jitter * torch.eye(2))
        print("ok", i); break
    except torch.linalg.LinAlgError:
        jitter = max(1e-6, jitter * 10); print("jitter", jitter)
print(L)
===
failed
None 0 {}
[]
3
index 5 is out of bounds for dimension 0 with size 3
index
tensor([0., 0., 0.])
tried
tried
None tensor([[1., 0.],
        [0., 1.]])
jitter 1e-06
ok 1
tensor([[1.0000, 0.0000],
        [1.0000, 0.0014]])
### errors that a block suppresses
import torch
from contextlib import suppress
n = 0
with suppress(RuntimeError):
    torch.linalg.inv(torch.zeros(2, 2))
    n = 5
print(n)
class Own(ValueError): pass
with suppress(KeyError, ValueError):
    raise Own("x")
try:
    with suppress(KeyError): raise ValueError("v")
except ValueError as e: print(e)
===
0
v
### lists have Python's operators alone
import torch
def said(f):
    try: print("no error", f())
    except Exception as e: print(type(e).__name__, "|", e)
a = [1, 2]
said(lambda: [1] >> 1)
said(lambda: [1] & 1)
said(lambda: [1] ^ [2])
said(lambda: 1 >> [1])
said(lambda: [1] - [1])
said(lambda: [1] / 2)
said(lambda: [1] ** 2)
said(lambda: [1] @ [1])
said(lambda: 1 + [1])
said(lambda: [1] * [1])
said(lambda: [1] * 1.5)
said(lambda: [[1, 2], [3, 4]] - a)
said(lambda: -[1])
said(lambda: ~a)
said(lambda: +(1, 2))
said(lambda: [1] < 1)
said(lambda: a < 1)
said(lambda: "a" < 1)
said(lambda: (1,) < [1])
said(lambda: None < 1)
said(lambda: ([1, 2] < [1, 3], [1, 2] * 2, [1] + [2], (1, 2) < (2,)))
===
TypeError | unsupported operand type(s) for >>: 'list' and 'int'
TypeError | unsupported operand type(s) for &: 'list' and 'int'
TypeError | unsupported operand type(s) for ^: 'list' and 'list'
TypeError | unsupported operand type(s) for >>: 'int' and 'list'
TypeError | unsupported operand type(s) for -: 'list' and 'list'
TypeError | unsupported operand type(s) for /: 'list' and 'int'
TypeError | unsupported operand type(s) for ** or pow(): 'list' and 'int'
TypeError | unsupported operand type(s) for @: 'list' and 'list'
TypeError | unsupported operand type(s) for +: 'int' and 'list'
TypeError | can't multiply sequence by non-int of type 'list'
TypeError | can't multiply sequence by non-int of type 'float'
TypeError | unsupported operand type(s) for -: 'list' and 'list'
TypeError | bad operand type for unary -: 'list'
TypeError | bad operand type for unary ~: 'list'
TypeError | bad operand type for unary +: 'tuple'
TypeError | '<' not supported between instances of 'list' and 'int'
TypeError | '<' not supported between instances of 'list' and 'int'
TypeError | '<' not supported between instances of 'str' and 'int'
TypeError | '<' not supported between instances of 'tuple' and 'list'
TypeError | '<' not supported between instances of 'NoneType' and 'int'
no error (True, [1, 2, 1, 2], [1, 2], True)
### classes of errors as values
kinds = {"a": ValueError, "b": KeyError}
try: raise kinds["a"]("w")
except ValueError as e: print(repr(e))
try: raise kinds["b"]
except KeyError as e: print(repr(e))
e = [IndexError][0]("x"); print(e, repr(e), type(e))
def make(): return RuntimeError
print(repr(make()("hm")), isinstance(make()(), RuntimeError))
class Own(Exception): pass
print(repr({"m": Own}["m"]("z")))
===
ValueError('w')
KeyError()
x IndexError('x') <class 'IndexError'>
RuntimeError('hm') True
Own('z')
### what functions say of an index out of range
import torch
x, five, one = torch.zeros(3), torch.tensor([5]), torch.ones(1)
def said(f):
    try: print("no error", f())
    except Exception as e: print(type(e).__name__, "|", e)
said(lambda: x.index_select(0, five))
said(lambda: torch.take(x, five))
said(lambda: x.index_add(0, five, one))
said(lambda: x.index_copy(0, five, one))
said(lambda: x.select(0, 5))
said(lambda: x.narrow(0, 2, 5))
said(lambda: x.narrow(0, 5, 1))
said(lambda: x.index_add(0, torch.tensor([0, 1]), one))
said(lambda: x[five])
===
IndexError | index out of range in self
IndexError | out of range: tried to access index 5 on a tensor of 3 elements.
IndexError | index out of range in self
IndexError | index_copy_(): index 5 is out of bounds for dimension 0 with size 3
IndexError | select(): index 5 out of range for tensor of size [3] at dimension 0
RuntimeError | start (2) + length (5) exceeds dimension size (3).
IndexError | start out of range (expected to be in range of [-3, 3], but got 5)
RuntimeError | index_add_(): Number of indices (2) should be equal to source.size(dim): (1), for
dim: 0
IndexError | index 5 is out of bounds for dimension 0 with size 3
### tensors keep their dtype where they are filled or loaded
import torch, torch.nn as nn, copy
m = nn.Linear(2, 1).double()
x = torch.ones(3, 2, dtype=torch.float64)
o = torch.optim.LBFGS(m.parameters())
def closure():
    o.zero_grad(); loss = m(x).pow(2).mean(); loss.backward(); return loss
o.step(closure)
print(m.weight.dtype, m.weight.grad.dtype, closure().dtype)
nn.init.xavier_uniform_(m.weight); nn.init.constant_(m.bias, 1.0)
print(m.weight.dtype, m.bias, m(x).dtype)
with torch.no_grad(): m.weight[0, 0] = 3
c = copy.deepcopy(m)
c.load_state_dict(nn.Linear(2, 1).state_dict())
print(c.weight.dtype, c(x).dtype)
w = torch.tensor([float("nan"), float("inf")]); nn.init.zeros_(w); print(w)
===
torch.float64 torch.float64 torch.float64
torch.float64 Parameter containing:
tensor([1.], dtype=torch.float64, requires_grad=True) torch.float64
torch.float64 torch.float64
tensor([0., 0.])
### vmap's graph, and numbers of NumPy
import torch, numpy as np
from torch.func import vmap
a = torch.tensor([1., 2.], requires_grad=True)
s = torch.stack([a, a])
print(vmap(lambda t: (t ** 2).mean())(s), vmap(torch.sin)(a).grad_fn.name())
print(vmap(lambda t: t.sum())(s).grad_fn.name(), vmap(torch.dot)(s, s).grad_fn.name())
m = np.arange(6).reshape(2, 3)
print(np.unravel_index(m.argmax(), m.shape), divmod(np.int64(7), 2))
print(m[np.unravel_index(4, m.shape)])
===
tensor([2.5000, 2.5000], grad_fn=<MeanBackward1>) SinBackward0
SumBackward1 SqueezeBackward1
(np.int64(1), np.int64(2)) (np.int64(3), np.int64(1))
4
### a second backward through nodes that have saved nothing
import torch
def again(name, f):
    x = torch.ones(2, 2, requires_grad=True)
    y = f(x)
    try:
        for _ in range(2):
            y.backward(torch.ones_like(y))
        print(name, x.grad.sum().item())
    except RuntimeError as e:
        print(name, str(e)[:43])
again("mean", lambda x: x.mean())
again("sum of sums", lambda x: (x + 2 - x.sum(0)).sum())
again("parts", lambda x: torch.cat([x[0], -x.t()[1], 1 - x.view(4)]))
again("shapes", lambda x: torch.stack([x.flip(0), x.cumsum(1)]).permute(2, 0, 1).unsqueeze(0))
again("spread", lambda x: x.expand(3, 2, 2).clone().repeat(1, 2, 1).mean(0))
again("product", lambda x: x * 2)
again("quotient", lambda x: x / 2)
again("sum of squares", lambda x: (x ** 2).sum())
again("places", lambda x: x[[0, 1]])
again("largest", lambda x: x.max())
again("matrices", lambda x: x @ x)
again("inside", lambda x: x.relu().sum())
x = torch.ones(2, requires_grad=True)
h = x * 3
a, b = h.sum(), h.mean()
a.backward()
try:
    b.backward()
except RuntimeError:
    print("freed")
g = x + 3
a, b = (g ** 2).sum(), g.mean()
a.backward()
b.backward()
print(x.grad)
===
mean 2.0
sum of sums -8.0
parts -8.0
shapes 20.0
spread 16.0
product Trying to backward through the graph a seco
quotient Trying to backward through the graph a seco
sum of squares Trying to backward through the graph a seco
places Trying to backward through the graph a seco
largest Trying to backward through the graph a seco
matrices Trying to backward through the graph a seco
inside Trying to backward through the graph a seco
freed
tensor([11.5000, 11.5000])
### an object of a function's class has apply, too
import torch
class Turned(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.clone()
    @staticmethod
    def backward(ctx, grad):
        return -grad
x = torch.tensor([1., 2.], requires_grad=True)
turn = Turned()
turn.apply(x).sum().backward()
print(x.grad, type(turn).__name__)
f = turn.apply
print(f(x * 2))
===
tensor([-1., -1.]) Turned
tensor([2., 4.], grad_fn=<TurnedBackward>)
### tuples of tensors are equal where they hold the same ones
import torch
from torch.utils import data
a, b = torch.ones(3), torch.zeros(3)
t = (a, b)
def kept(*tensors):
    return data.TensorDataset(*tensors).tensors == tensors
print((a, b) == t, t != (a, b), [a, b] == [a, b], a in [a, b], kept(a, b), t == (a,))
===
True False True True True False
### what recurrent layers say of their weights
import torch, torch.nn as nn
for C in (nn.RNN, nn.LSTM, nn.GRU):
    r = C(3, 4, 2, bidirectional=C is nn.GRU)
    r.flatten_parameters()
    print(r.mode, len(r.all_weights), len(r._flat_weights), r.all_weights[1][0].shape)
print(nn.RNN(1, 1, nonlinearity="relu").mode)
r = nn.LSTM(3, 4, proj_size=2, bias=False)
print(r._all_weights, r.all_weights[0][0] is r.weight_ih_l0)
for row in r.all_weights:
    for w in row:
        nn.init.constant_(w, 0.5)
print(r.weight_hr_l0)
===
RNN_TANH 2 8 torch.Size([4, 4])
LSTM 2 8 torch.Size([16, 4])
GRU 4 16 torch.Size([12, 3])
RNN_RELU
[['weight_ih_l0', 'weight_hh_l0', 'weight_hr_l0']] True
Parameter containing:
tensor([[0.5000, 0.5000, 0.5000, 0.5000],
        [0.5000, 0.5000, 0.5000, 0.5000]], requires_grad=True)
### np.linspace without its end, and its step
import numpy as np, torch
s = np.linspace(0, np.pi, 4, dtype=np.float32, endpoint=False)
print(s, s.dtype, torch.from_numpy(s[np.newaxis, :, np.newaxis]).shape)
print(torch.from_numpy(np.linspace(-2, 2, 4, endpoint=False)), np.linspace(0, 2, 4, False))
x, dx = np.linspace(0, 1, 11, retstep=True)
print(dx, (x**2).sum() * dx, np.linspace(0, 10, 4, endpoint=False, dtype=int))
print(np.linspace(0, 1, 3, endpoint=False).tolist(), np.linspace(start=0, stop=1, num=3))
try:
    np.linspace(0, 1, -1, endpoint=False)
except ValueError:
    print("refused")
===
[0.        0.7853982 1.5707964 2.3561945] float32 torch.Size([1, 4, 1])
tensor([-2., -1.,  0.,  1.], dtype=torch.float64) [0.  0.5 1.  1.5]
0.1 0.3850000000000001 [0 2 5 7]
[0.0, 0.3333333333333333, 0.6666666666666666] [0.  0.5 1. ]
refused
"""


@pytest.mark.parametrize("cell", [*titled(CELLS), *titled(ROWS)])
def test_a_cell(cell: str) -> None:
    program, _, printed = cell.partition("===\n")
    assert not difference(ours(program), printed)
