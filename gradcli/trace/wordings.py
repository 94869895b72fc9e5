"""PyTorch's words, and Python's, for errors that `except … as e` has caught."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any, NamedTuple

Shape = tuple[int, ...]


class Phrase(NamedTuple):
    """How an error of gradcli's is said elsewhere."""

    pattern: re.Pattern[str]
    """What gradcli says; its groups are what the words are made of."""
    kind: str
    """The class of the exception."""
    words: Callable[..., str]
    """Of the groups: shapes as tuples, other things as text."""


def worded(message: str) -> tuple[str, str] | None:
    """The class and the message of an error there, where they are known."""
    for pattern, kind, words in _PHRASES:
        found = pattern.search(message)
        if found is not None:
            return kind, words(*map(_plain, found.groups()))
    return None


def _plain(text: str) -> Any:
    """A shape as a tuple of lengths."""
    if re.fullmatch(r"\([-\d, ]*\)", text):
        return tuple(map(int, re.findall(r"-?\d+", text)))
    return text


def _sizes(a: Shape, b: Shape, axis: str, of_a: str, of_b: str) -> str:
    place = max(len(a), len(b)) + int(axis)
    return (
        f"The size of tensor a ({of_a}) must match the size of tensor b ({of_b}) at non-singleton "
        f"dimension {place}"
    )


def _expanded(old: Shape, new: Shape, axis: str, of_old: str, of_new: str) -> str:
    place = max(len(old), len(new)) + int(axis)
    return (
        f"The expanded size of the tensor ({of_new}) must match the existing size ({of_old}) at "
        f"non-singleton dimension {place}.  Target sizes: {[*new]}.  Tensor sizes: {[*old]}"
    )


def _product(a: Shape, b: Shape) -> str:
    if len(a) == len(b) == 1:
        return (
            f"inconsistent tensor size, expected tensor {[*a]} and src {[*b]} to have the same "
            f"number of elements, but got {a[0]} and {b[0]} elements respectively"
        )
    if len(b) == 1:
        rows = math.prod(a[:-1])
        return f"size mismatch, got input ({rows}), mat ({rows}x{a[-1]}), vec ({b[0]})"
    if len(a) > 2 and len(b) > 2:
        wanted, found = [math.prod(b[:-2]), a[-1]], [math.prod(b[:-2]), b[-2]]
        return (
            f"Expected size for first two dimensions of batch2 tensor to be: {wanted} but got: "
            f"{found}."
        )
    rows = math.prod(a[:-1])
    return f"mat1 and mat2 shapes cannot be multiplied ({rows}x{a[-1]} and {b[0]}x{b[-1]})"


def _linear(x: Shape, weight: Shape) -> str:
    return _product((math.prod(x[:-1]), x[-1]), weight[::-1])


def _joined(a: Shape, b: Shape, axis: str) -> str:
    if len(a) != len(b):
        return f"Tensors must have same number of dimensions: got {len(a)} and {len(b)}"
    place = next(i for i in range(len(a)) if i != int(axis) and a[i] != b[i])
    return (
        f"Sizes of tensors must match except in dimension {axis}. Expected size {a[place]} but got "
        f"size {b[place]} for tensor number 1 in the list."
    )


def _axis(dim: str, count: str) -> str:
    n = max(1, int(count))
    return f"Dimension out of range (expected to be in range of [{-n}, {n - 1}], but got {dim})"


def _phrase(pattern: str, kind: str, words: Callable[..., str]) -> Phrase:
    return Phrase(re.compile(pattern, re.DOTALL), kind, words)


_C_NAMES = {"float64": "double", "float32": "float", "float16": "c10::Half", "int64": "long long",
            "int32": "int", "bfloat16": "c10::BFloat16"}  # fmt: skip
_TYPES = {"float64": "Double", "float32": "Float", "float16": "Half", "int64": "Long",
          "int32": "Int", "bfloat16": "BFloat16"}  # fmt: skip
"""What PyTorch's errors call dtypes."""


def _dtypes(name: str, left: str, right: str) -> str:
    if name == "linear":
        sides = " and ".join(_TYPES.get(each, each) for each in (left, right))
        return f"mat1 and mat2 must have the same dtype, but got {sides}"
    sides = " != ".join(_C_NAMES.get(each, each) for each in (left, right))
    return f"expected m1 and m2 to have the same dtype, but got: {sides}"


def _not_floats(name: str, dtype: str) -> str:
    if name == "mean":
        return (
            "mean(): could not infer output dtype. Input dtype must be either a floating point or "
            f"complex dtype. Got: {_TYPES.get(dtype, dtype.capitalize())}"
        )
    return "std and var only support floating point and complex dtypes"


NOT_VIEWED = (
    "view size is not compatible with input tensor's size and stride (at least one dimension spans "
    "across two contiguous subspaces). Use .reshape(...) instead."
)
_SHAPE = r"(\([-\d, ]*\))"
_PHRASES = (
    _phrase(rf"^expand: shapes {_SHAPE} and {_SHAPE} do not broadcast: axis (-\d+) .* has (\d+) "
             r"and (\d+) ", "RuntimeError", _expanded),
    _phrase(rf": shapes {_SHAPE} and {_SHAPE} do not broadcast: axis (-\d+) .* has (\d+) and "
             r"(\d+) ", "RuntimeError", _sizes),
    _phrase(r"^(\w+): the dtypes of the factors differ: (\w+) and (\w+)", "RuntimeError", _dtypes),
    _phrase(r"^(\w+) takes floats; this tensor holds (\w+)", "RuntimeError", _not_floats),
    _phrase(rf"^matmul: inner dimensions differ: {_SHAPE} @ {_SHAPE}", "RuntimeError", _product),
    _phrase(rf"^linear: input {_SHAPE} and weight {_SHAPE} do not fit", "RuntimeError", _linear),
    _phrase(rf"^reshape: {_SHAPE} has (\d+) elements, which do not fit {_SHAPE}", "RuntimeError",
             lambda _, count, new: f"shape '{[*new]}' is invalid for input of size {count}"),
    _phrase(rf"^the gradient has shape {_SHAPE}, the output .* has {_SHAPE}", "RuntimeError",
             lambda a, b: f"Mismatch in shape: grad_output[0] has a shape of torch.Size({[*a]}) "
             f"and output[0] has a shape of torch.Size({[*b]})."),
    _phrase(rf"^item is for a tensor of one element; this is {_SHAPE}", "RuntimeError",
             lambda a: f"a Tensor with {math.prod(a)} elements cannot be converted to Scalar"),
    _phrase(r"^a condition of several elements", "RuntimeError",
             lambda: "Boolean value of Tensor with more than one value is ambiguous"),
    _phrase(rf"^cat: {_SHAPE} and {_SHAPE} differ not only in axis (\d+)", "RuntimeError",
             _joined),
    _phrase(rf"^stack: shapes {_SHAPE} and {_SHAPE} differ", "RuntimeError",
             lambda a, b: f"stack expects each tensor to be equal size, but got {[*a]} at entry 0 "
             f"and {[*b]} at entry 1"),
    _phrase(r"^index (-?\d+) is out of range for axis (\d+), which has (\d+) elements?",
             "IndexError", lambda place, axis, count:
             f"index {place} is out of bounds for dimension {axis} with size {count}"),
    _phrase(r"^index -?\d+ is out of range for \d+ values", "IndexError",
             lambda: "list index out of range"),
    _phrase(r": dim (-?\d+) is out of range for (\d+) dimensions?", "IndexError", _axis),
    _phrase(r": target \([\d, ]*\) holds (-?\d+), which is out of range", "IndexError",
             lambda target: f"Target {target} is out of bounds."),
    _phrase(r"^there is no method '(\w+)'", "AttributeError",
             lambda name: f"'Tensor' object has no attribute '{name}'"),
    _phrase(r"^the dictionary has no key (.*)", "KeyError", lambda key: key),
    _phrase(r"holds (?:int|bool) values: they have no derivative", "RuntimeError", lambda:
             "element 0 of tensors does not require grad and does not have a grad_fn"),
    _phrase(r"^the elements of a tuple cannot be set", "TypeError", lambda:
             "'tuple' object does not support item assignment"),
    _phrase(r"^requires_grad_ is for floats", "RuntimeError", lambda:
             "only Tensors of floating point dtype can require gradients"),
    _phrase(r"^only floats can require grad", "RuntimeError", lambda:
             "Only Tensors of floating point and complex dtype can require gradients"),
    _phrase(r"^requires_grad can be set to False for leaves only", "RuntimeError", lambda:
             "you can only change requires_grad flags of leaf variables. If you want to use a "
             "computed variable in a subgraph that doesn't require differentiation use "
             "var_no_grad = var.detach()."),
    _phrase(r"^('.*') is no whole number$", "ValueError",
             lambda text: f"invalid literal for int() with base 10: {text}"),
    _phrase(r"^('.*') is no number$", "ValueError",
             lambda text: f"could not convert string to float: {text}"),
    _phrase(r"^retain_grad is for what requires grad", "RuntimeError", lambda:
             "can't retain_grad on Tensor that has requires_grad=False"),
    _phrase(r"^(Jacobian mismatch for output .*)", "GradcheckError", lambda text: text),
    _phrase(r"^only leaves can be copied with what they hold", "RuntimeError", lambda:
             "Only Tensors created explicitly by the user (graph leaves) support the deepcopy "
             "protocol at the moment.  If you were attempting to deepcopy a module, this may be "
             "because of a torch.nn.utils.weight_norm usage, see "
             "https://github.com/pytorch/pytorch/pull/103001"),
    _phrase(r"^division by zero", "ZeroDivisionError", lambda: "division by zero"),
    _phrase(r"^view size is not compatible with", "RuntimeError", lambda: NOT_VIEWED),
    _phrase(r"^a tensor of shape .* has no attribute '(\w+)'", "AttributeError",
             lambda name: f"'Tensor' object has no attribute '{name}'"),
    _phrase(r"^(value cannot be converted to type \w+ without overflow)", "RuntimeError", str),
    _phrase(r"^None has no attribute '(\w+)'", "AttributeError",
             lambda name: f"'NoneType' object has no attribute '{name}'"),
    _phrase(r"\.grad is None: there is nothing to set to zero yet", "AttributeError",
             lambda: "'NoneType' object has no attribute 'zero_'"),
    _phrase(r"^what is indexed must be a tensor, not None", "TypeError",
             lambda: "'NoneType' object is not subscriptable"),
    _phrase(r"^(\w+): x must be a tensor, not None", "TypeError", lambda name:
             f"{name}(): argument 'input' (position 1) must be Tensor, not NoneType"),
    _phrase(r"^the name '(\w+)' has no value", "NameError",
             lambda name: f"name '{name}' is not defined"),
    _phrase(r"^embedding: input .* which is out of range", "IndexError",
             lambda: "index out of range in self"),
    _phrase(r"^binary_cross_entropy: input .* a probability is from 0 to 1", "RuntimeError",
             lambda: "all elements of input should be between 0 and 1"),
    _phrase(rf"^conv\dd: the input has (\d+) channels, the weight needs (\d+) .*groups=(\d+)\): "
             rf"input {_SHAPE} and weight {_SHAPE}", "RuntimeError",
             lambda found, wanted, groups, x, w: f"Given groups={groups}, weight of size {[*w]}, "
             f"expected input{[*x]} to have {wanted} channels, but got {found} channels instead"),
    _phrase(r"^a single value has no length", "TypeError", lambda: "len() of a 0-d tensor"),
    _phrase(r"^inv: the matrix is singular: its pivot (\d+)", "_LinAlgError", lambda pivot:
             f"linalg.inv: The diagonal element {int(pivot)} is zero, the inversion could not be "
             "completed because the input matrix is singular."),
)  # fmt: skip
"""The first that fits is taken."""
