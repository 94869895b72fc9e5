"""What `print(e)` prints of errors that are caught: it was printed by PyTorch 2.13, Python 3.11."""

from __future__ import annotations

from tests.cells.cells import difference
from tests.cells.test_python_lines import ours

CELL = r"""
import torch
import torch.nn as nn
import torch.nn.functional as F
from collections import OrderedDict
def t(f):
    try:
        r = f()
        print("ok", r)
    except Exception as e:
        print(type(e).__name__, "|", e)
x = torch.ones(2, 3, requires_grad=True)
y = torch.arange(6.).reshape(2, 3)
def run(body):
    return body()
t(lambda: torch.mm(y, y))
t(lambda: torch.mm(y, torch.ones(3)))
t(lambda: torch.bmm(torch.ones(2, 2, 3), torch.ones(3, 3, 2)))
t(lambda: torch.bmm(y, y))
t(lambda: torch.matmul(y, torch.ones(2)))
t(lambda: torch.ones(4) @ y)
t(lambda: torch.ones(2, 2, 3) @ torch.ones(2, 2, 3))
t(lambda: torch.ones(2, 2, 3) @ torch.ones(2, 3))
t(lambda: torch.tensor(2.) @ torch.ones(2))
t(lambda: torch.addmm(torch.ones(2, 2), y, y))
t(lambda: torch.mv(y, torch.ones(2)))
t(lambda: torch.outer(y, y))
t(lambda: torch.dot(y, y))
t(lambda: nn.Conv1d(2, 3, 3)(torch.ones(1, 3, 5)))
t(lambda: nn.Conv2d(1, 1, 5)(torch.ones(1, 1, 3, 3)))
t(lambda: nn.Conv2d(1, 1, 3)(torch.ones(5)))
t(lambda: nn.Linear(3, 2)(torch.ones(5)))
t(lambda: nn.Linear(10, 2)(y))
t(lambda: torch.cat([y, torch.ones(3)]))
t(lambda: torch.cat([]))
t(lambda: torch.cat([y, y], dim=2))
t(lambda: torch.stack([]))
t(lambda: y.expand(4, 3))
t(lambda: y.view(5))
t(lambda: y.view(-1, 4))
t(lambda: y.view(-1, -1))
t(lambda: y.reshape(2, 2))
t(lambda: y.t().view(6))
t(lambda: y.chunk(0))
t(lambda: y.chunk(2, dim=3))
t(lambda: y.gather(1, torch.tensor([0])))
t(lambda: y.sum(dim=2))
t(lambda: y.max(dim=2))
t(lambda: F.softmax(y, dim=2))
t(lambda: y.transpose(0, 2))
t(lambda: y.permute(0))
t(lambda: y.permute(0, 0))
t(lambda: y.unsqueeze(4))
t(lambda: y.squeeze(2))
t(lambda: y.flatten(1, 5))
t(lambda: torch.ones(2, 2, 2).t())
t(lambda: y[0, 0, 0])
t(lambda: y[2])
t(lambda: y[:, 3])
t(lambda: y[torch.tensor([0, 2])])
t(lambda: torch.tensor(1.)[0])
t(lambda: y[torch.tensor([True, False, True])])
t(lambda: y + torch.ones(4))
t(lambda: torch.ones(2, 3, 4) * torch.ones(2, 4))
t(lambda: y.clone().add_(torch.ones(2, 2, 3)))
def leaf():
    w = torch.ones(2, requires_grad=True)
    w += 1
t(leaf)
def leaf2():
    w = torch.ones(2, requires_grad=True)
    w[0] = 3.
t(leaf2)
def leaf3():
    w = torch.ones(2, requires_grad=True)
    w.zero_()
t(leaf3)
def dbl():
    w = torch.ones(2, requires_grad=True)
    l = (w ** 2).sum()
    l.backward()
    l.backward()
t(dbl)
t(lambda: y.sum().backward())
t(lambda: (x * 2).backward())
def inplace():
    w = torch.ones(2, requires_grad=True)
    e = w.exp()
    e += 1
    e.sum().backward()
t(inplace)
t(lambda: torch.autograd.grad(y.sum(), y))
t(lambda: torch.autograd.grad((x * 2).sum(), torch.ones(1, requires_grad=True)))
t(lambda: x.numpy())
t(lambda: y.item())
t(lambda: float(y))
t(lambda: int(y))
t(lambda: bool(y))
t(lambda: 1 if y > 0 else 2)
t(lambda: (y > 0) and (y < 2))
t(lambda: not y)
t(lambda: y.foo)
t(lambda: y.foo())
t(lambda: torch.foo)
t(lambda: nn.Linaer(2, 2))
t(lambda: nn.Linear(2, 2).foo)
t(lambda: {'a': 1}['b'])
t(lambda: {1: 2}[3])
t(lambda: [1, 2][5])
t(lambda: (1, 2)[2])
t(lambda: {}.pop('k'))
t(lambda: "abc"[10])
t(lambda: 1 / 0)
t(lambda: 1 // 0)
t(lambda: 5 % 0)
t(lambda: 1.0 / 0)
t(lambda: int("x"))
t(lambda: float("abc"))
t(lambda: [i for i in 5])
t(lambda: None.foo)
t(lambda: None[0])
t(lambda: None + 1)
t(lambda: [1] + 1)
t(lambda: "a" + 1)
t(lambda: 1 + "a")
t(lambda: [1] + "a")
t(lambda: [].foo)
t(lambda: "s".foo)
def unpack():
    a, b = [1, 2, 3]
t(unpack)
def unpack2():
    a, b = 1,
t(unpack2)
def f(a, b=2): return a
t(lambda: f())
t(lambda: f(1, c=3))
t(lambda: f(1, a=3))
t(lambda: foo)
t(lambda: [1].remove(3))
t(lambda: y + None)
t(lambda: None * y)
t(lambda: y + [1, 2, 3])
t(lambda: torch.zeros(-1))
t(lambda: F.mse_loss(y, torch.ones(2, 2)))
t(lambda: F.binary_cross_entropy(torch.ones(2), torch.ones(3)))
t(lambda: F.binary_cross_entropy_with_logits(torch.ones(2), torch.ones(3)))
t(lambda: F.cross_entropy(y, torch.tensor([0, 1, 2])))
t(lambda: F.cross_entropy(y, torch.tensor([0, 3])))
t(lambda: F.cross_entropy(y, torch.tensor([0, -1])))
t(lambda: nn.Embedding(3, 2)(torch.tensor([[0, 3]])))
t(lambda: F.one_hot(torch.tensor([0, 5]), 3))
t(lambda: nn.BatchNorm1d(4)(y))
t(lambda: nn.BatchNorm2d(3)(y))
t(lambda: nn.LayerNorm(5)(y))
t(lambda: nn.LSTM(4, 2)(torch.ones(1, 1, 3)))
t(lambda: nn.GRU(4, 2)(torch.ones(5, 1, 3)))
t(lambda: nn.MultiheadAttention(5, 2))
t(lambda: nn.Dropout(1.5))
t(lambda: nn.Sequential(nn.Linear(3, 4), nn.Linear(5, 2))(y))
t(lambda: nn.Linear(2, 2).load_state_dict({}))
t(lambda: torch.optim.Adam([]))
t(lambda: torch.optim.SGD([x], lr=-1))
t(lambda: torch.optim.Adam([x * 2]))
t(lambda: torch.linalg.inv(torch.zeros(2, 2)))
t(lambda: torch.linalg.inv(y))
t(lambda: torch.det(y))
t(lambda: torch.linalg.cholesky(torch.tensor([[1., 2.], [2., 1.]])))
t(lambda: torch.linalg.solve(torch.zeros(2, 2), torch.ones(2)))
t(lambda: torch.linalg.eigh(y))
t(lambda: torch.einsum('ij,jk->ik', y, y))
t(lambda: torch.einsum('ij->k', y))
t(lambda: torch.einsum('ijk->i', y))
t(lambda: torch.einsum('ij,jk', y))
t(lambda: y @ torch.ones(3, 2, dtype=torch.float64))
t(lambda: nn.Linear(3, 2)(y.double()))
t(lambda: torch.tensor([1, 2], requires_grad=True))
t(lambda: torch.tensor([1, 2]).mean())
t(lambda: y.split([1, 1], dim=1))
t(lambda: y.topk(5))
t(lambda: y.repeat(2))
t(lambda: torch.where(y > 0, torch.ones(2), y))
t(lambda: y.masked_fill(torch.tensor([True, False]), 0))
t(lambda: torch.linspace(0, 1, -1))
t(lambda: torch.multinomial(torch.tensor([-1., 2.]), 1))
t(lambda: torch.multinomial(torch.tensor([1., 2.]), 3))
t(lambda: next(iter([])))
t(lambda: nn.Module()(1))
t(lambda: y.unflatten(1, (2, 2)))
t(lambda: y.movedim(0, 5))
t(lambda: torch.tensor([]).argmax())
t(lambda: torch.tensor([]).max())
t(lambda: min(()))
t(lambda: torch.utils.data.DataLoader([1, 2], batch_size=0))
"""
PRINTED = r"""
RuntimeError | mat1 and mat2 shapes cannot be multiplied (2x3 and 2x3)
RuntimeError | mat2 must be a matrix
RuntimeError | Expected size for first two dimensions of batch2 tensor to be: [2, 3] but got: [3,
3].
RuntimeError | batch1 must be a 3D tensor
RuntimeError | size mismatch, got input (2), mat (2x3), vec (2)
RuntimeError | mat1 and mat2 shapes cannot be multiplied (1x4 and 2x3)
RuntimeError | Expected size for first two dimensions of batch2 tensor to be: [2, 3] but got: [2,
2].
RuntimeError | mat1 and mat2 shapes cannot be multiplied (4x3 and 2x3)
RuntimeError | both arguments to matmul need to be at least 1D, but they are 0D and 1D
RuntimeError | mat1 and mat2 shapes cannot be multiplied (2x3 and 2x3)
RuntimeError | size mismatch, got input (2), mat (2x3), vec (2)
RuntimeError | outer: Expected 1-D argument self, but got 2-D
RuntimeError | 1D tensors expected, but got 2D and 2D tensors
RuntimeError | Given groups=1, weight of size [3, 2, 3], expected input[1, 3, 5] to have 2
channels, but got 3 channels instead
RuntimeError | Calculated padded input size per channel: (3 x 3). Kernel size: (5 x 5). Kernel
size can't be greater than actual input size
RuntimeError | Expected 3D (unbatched) or 4D (batched) input to conv2d, but got input of size: [5]
RuntimeError | mat1 and mat2 shapes cannot be multiplied (1x5 and 3x2)
RuntimeError | mat1 and mat2 shapes cannot be multiplied (2x3 and 10x2)
RuntimeError | Tensors must have same number of dimensions: got 2 and 1
ValueError | torch.cat(): expected a non-empty list of Tensors
IndexError | Dimension out of range (expected to be in range of [-2, 1], but got 2)
RuntimeError | stack expects a non-empty TensorList
RuntimeError | The expanded size of the tensor (4) must match the existing size (2) at non-
singleton dimension 0.  Target sizes: [4, 3].  Tensor sizes: [2, 3]
RuntimeError | shape '[5]' is invalid for input of size 6
RuntimeError | shape '[-1, 4]' is invalid for input of size 6
RuntimeError | only one dimension can be inferred
RuntimeError | shape '[2, 2]' is invalid for input of size 6
RuntimeError | view size is not compatible with input tensor's size and stride (at least one
dimension spans across two contiguous subspaces). Use .reshape(...) instead.
RuntimeError | chunk expects `chunks` to be greater than 0, got: 0
IndexError | Dimension out of range (expected to be in range of [-2, 1], but got 3)
RuntimeError | Index tensor must have the same number of dimensions as input tensor
IndexError | Dimension out of range (expected to be in range of [-2, 1], but got 2)
IndexError | Dimension out of range (expected to be in range of [-2, 1], but got 2)
IndexError | Dimension out of range (expected to be in range of [-2, 1], but got 2)
IndexError | Dimension out of range (expected to be in range of [-2, 1], but got 2)
RuntimeError | permute(sparse_coo): number of dimensions in the tensor input does not match the
length of the desired ordering of dimensions i.e. input.dim() = 2 is not equal to len(dims) = 1
RuntimeError | permute(): duplicate dims are not allowed.
IndexError | Dimension out of range (expected to be in range of [-3, 2], but got 4)
IndexError | Dimension out of range (expected to be in range of [-2, 1], but got 2)
IndexError | Dimension out of range (expected to be in range of [-2, 1], but got 5)
RuntimeError | t() expects a tensor with <= 2 dimensions, but self is 3D
IndexError | too many indices for tensor of dimension 2
IndexError | index 2 is out of bounds for dimension 0 with size 2
IndexError | index 3 is out of bounds for dimension 1 with size 3
IndexError | index 2 is out of bounds for dimension 0 with size 2
IndexError | invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()`
in C++ to convert a 0-dim tensor to a number
IndexError | The shape of the mask [3] at index 0 does not match the shape of the indexed tensor
[2, 3] at index 0
RuntimeError | The size of tensor a (3) must match the size of tensor b (4) at non-singleton
dimension 1
RuntimeError | The size of tensor a (3) must match the size of tensor b (2) at non-singleton
dimension 1
RuntimeError | output with shape [2, 3] doesn't match the broadcast shape [2, 2, 3]
RuntimeError | a leaf Variable that requires grad is being used in an in-place operation.
RuntimeError | a view of a leaf Variable that requires grad is being used in an in-place
operation.
RuntimeError | a leaf Variable that requires grad is being used in an in-place operation.
RuntimeError | Trying to backward through the graph a second time (or directly access saved
tensors after they have already been freed). Saved intermediate values of the graph are freed when
you call .backward() or autograd.grad(). Specify retain_graph=True if you need to backward through
the graph a second time or if you need to access saved tensors after calling backward.
RuntimeError | element 0 of tensors does not require grad and does not have a grad_fn
RuntimeError | grad can be implicitly created only for scalar outputs
RuntimeError | one of the variables needed for gradient computation has been modified by an
inplace operation: [torch.FloatTensor [2]], which is output 0 of Exp, is at version 1; expected
version 0 instead. Hint: enable anomaly detection to find the operation that failed to compute its
gradient, with torch.autograd.set_detect_anomaly(True, check_nan=False).
RuntimeError | element 0 of tensors does not require grad and does not have a grad_fn
RuntimeError | The differentiated Tensor at index 0 appears to not have been used in the graph.
Set allow_unused=True if this is the desired behavior.
RuntimeError | Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy()
instead.
RuntimeError | a Tensor with 6 elements cannot be converted to Scalar
ValueError | only one element tensors can be converted to Python scalars
ValueError | only one element tensors can be converted to Python scalars
RuntimeError | Boolean value of Tensor with more than one value is ambiguous
RuntimeError | Boolean value of Tensor with more than one value is ambiguous
RuntimeError | Boolean value of Tensor with more than one value is ambiguous
RuntimeError | Boolean value of Tensor with more than one value is ambiguous
AttributeError | 'Tensor' object has no attribute 'foo'
AttributeError | 'Tensor' object has no attribute 'foo'
AttributeError | module 'torch' has no attribute 'foo'
AttributeError | module 'torch.nn' has no attribute 'Linaer'
AttributeError | 'Linear' object has no attribute 'foo'
KeyError | 'b'
KeyError | 3
IndexError | list index out of range
IndexError | tuple index out of range
KeyError | 'k'
IndexError | string index out of range
ZeroDivisionError | division by zero
ZeroDivisionError | integer division or modulo by zero
ZeroDivisionError | integer modulo by zero
ZeroDivisionError | float division by zero
ValueError | invalid literal for int() with base 10: 'x'
ValueError | could not convert string to float: 'abc'
TypeError | 'int' object is not iterable
AttributeError | 'NoneType' object has no attribute 'foo'
TypeError | 'NoneType' object is not subscriptable
TypeError | unsupported operand type(s) for +: 'NoneType' and 'int'
TypeError | can only concatenate list (not "int") to list
TypeError | can only concatenate str (not "int") to str
TypeError | unsupported operand type(s) for +: 'int' and 'str'
TypeError | can only concatenate list (not "str") to list
AttributeError | 'list' object has no attribute 'foo'
AttributeError | 'str' object has no attribute 'foo'
ValueError | too many values to unpack (expected 2)
ValueError | not enough values to unpack (expected 2, got 1)
TypeError | f() missing 1 required positional argument: 'a'
TypeError | f() got an unexpected keyword argument 'c'
TypeError | f() got multiple values for argument 'a'
NameError | name 'foo' is not defined
ValueError | list.remove(x): x not in list
TypeError | unsupported operand type(s) for +: 'Tensor' and 'NoneType'
TypeError | unsupported operand type(s) for *: 'NoneType' and 'Tensor'
TypeError | unsupported operand type(s) for +: 'Tensor' and 'list'
RuntimeError | zeros: Dimension size must be non-negative.
RuntimeError | The size of tensor a (3) must match the size of tensor b (2) at non-singleton
dimension 1
ValueError | Using a target size (torch.Size([3])) that is different to the input size
(torch.Size([2])) is deprecated. Please ensure they have the same size.
ValueError | Target size (torch.Size([3])) must be the same as input size (torch.Size([2]))
ValueError | Expected input batch_size (2) to match target batch_size (3).
IndexError | Target 3 is out of bounds.
IndexError | Target -1 is out of bounds.
IndexError | index out of range in self
RuntimeError | Class values must be smaller than num_classes.
RuntimeError | running_mean should contain 3 elements not 4
ValueError | expected 4D input (got 2D input)
RuntimeError | Given normalized_shape=[5], expected input with shape [*, 5], but got input of
size[2, 3]
RuntimeError | input.size(-1) must be equal to input_size. Expected 4, got 3
RuntimeError | input.size(-1) must be equal to input_size. Expected 4, got 3
AssertionError | embed_dim must be divisible by num_heads
ValueError | dropout probability has to be between 0 and 1, but got 1.5
RuntimeError | mat1 and mat2 shapes cannot be multiplied (2x4 and 5x2)
RuntimeError | Error(s) in loading state_dict for Linear:
        Missing key(s) in state_dict: "weight", "bias".
ValueError | optimizer got an empty parameter list
ValueError | Invalid learning rate: -1
ValueError | can't optimize a non-leaf Tensor
_LinAlgError | linalg.inv: The diagonal element 1 is zero, the inversion could not be completed
because the input matrix is singular.
RuntimeError | linalg.inv: A must be batches of square matrices, but they are 2 by 3 matrices
RuntimeError | linalg.det: A must be batches of square matrices, but they are 2 by 3 matrices
_LinAlgError | linalg.cholesky: The factorization could not be completed because the input is not
positive-definite (the leading minor of order 2 is not positive-definite).
_LinAlgError | torch.linalg.solve: The solver failed because the input matrix is singular.
RuntimeError | linalg.eigh: A must be batches of square matrices, but they are 2 by 3 matrices
RuntimeError | einsum(): subscript j has size 2 for operand 1 which does not broadcast with
previously seen size 3
RuntimeError | einsum(): output subscript k does not appear in the equation for any input operand
RuntimeError | einsum(): the number of subscripts in the equation (3) does not match the number of
dimensions (2) for operand 0 and no ellipsis was given
RuntimeError | einsum(): fewer operands were provided than specified in the equation
RuntimeError | expected m1 and m2 to have the same dtype, but got: float != double
RuntimeError | mat1 and mat2 must have the same dtype, but got Double and Float
RuntimeError | Only Tensors of floating point and complex dtype can require gradients
RuntimeError | mean(): could not infer output dtype. Input dtype must be either a floating point
or complex dtype. Got: Long
RuntimeError | split_with_sizes expects split_sizes to sum exactly to 3 (input tensor's size at
dimension 1), but got split_sizes=[1, 1]
RuntimeError | selected index k out of range
RuntimeError | Number of dimensions of repeat dims can not be smaller than number of dimensions of
tensor
RuntimeError | The size of tensor a (3) must match the size of tensor b (2) at non-singleton
dimension 1
RuntimeError | The size of tensor a (2) must match the size of tensor b (3) at non-singleton
dimension 1
RuntimeError | number of steps must be non-negative
RuntimeError | probability tensor contains either `inf`, `nan` or element < 0
RuntimeError | cannot sample n_sample > prob_dist.size(-1) samples without replacement
StopIteration |
NotImplementedError | Module [Module] is missing the required "forward" function
RuntimeError | unflatten: Provided sizes [2, 2] don't multiply up to the size of dim 1 (3) in the
input tensor
IndexError | Dimension out of range (expected to be in range of [-2, 1], but got 5)
IndexError | argmax(): Expected reduction dim to be specified for input.numel() == 0.
RuntimeError | max(): Expected reduction dim to be specified for input.numel() == 0. Specify the
reduction dim with the 'dim' argument.
ValueError | min() arg is an empty sequence
ValueError | batch_size should be a positive integer value, but got batch_size=0
"""


def test_errors_say_what_pytorch_says() -> None:
    assert not difference(ours(CELL), PRINTED)
