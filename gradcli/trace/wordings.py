"""PyTorch's words, and Python's, for errors that `except … as e` has caught."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any, NamedTuple

from gradcli.ops.table import Function
from gradcli.trace.dtype_names import C_NAMES, TYPES

Shape = tuple[int, ...]


class Phrase(NamedTuple):
    """How an error of gradcli's is said elsewhere."""

    pattern: str
    """What gradcli says; its groups are what the words are made of. It is compiled where it is
    needed: few programs see an error, and to compile them all takes longer than most cells run."""
    kind: str
    """The class of the exception."""
    words: Callable[..., str]
    """Of the groups: shapes as tuples, other things as text."""


def worded(message: str) -> tuple[str, str] | None:
    """The class and the message of an error there, where they are known."""
    for pattern, kind, words in _PHRASES:
        found = re.search(pattern, message, re.DOTALL)
        if found is not None:
            return kind, words(*map(plain, found.groups()))
    return None


def of_function(function: Function, message: str) -> tuple[str, str] | None:
    """The same where a function has words of its own for an index out of range."""
    found = re.match(r"index (-?\d+) is out of range for an axis of (\d+)", message)
    if not function.beyond or not found:
        return None
    return "IndexError", function.beyond.format(index=found[1], length=found[2])


def plain(text: str) -> Any:
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
    if not x:
        return "both arguments to linear need to be at least 1D, but they are 0D and 2D"
    return _product((math.prod(x[:-1]), x[-1]), weight[::-1])


def _joined(a: Shape, b: Shape, number: str, axis: str) -> str:
    if len(a) != len(b):
        return f"Tensors must have same number of dimensions: got {len(a)} and {len(b)}"
    place = next(i for i in range(len(a)) if i != int(axis) and a[i] != b[i])
    return (
        f"Sizes of tensors must match except in dimension {axis}. Expected size {a[place]} but got "
        f"size {b[place]} for tensor number {number} in the list."
    )


def _axis(dim: str, count: str) -> str:
    n = max(1, int(count))
    return f"Dimension out of range (expected to be in range of [{-n}, {n - 1}], but got {dim})"


def _dtypes(name: str, left: str, right: str) -> str:
    if name == "linear":
        sides = " and ".join(TYPES.get(each, each) for each in (left, right))
        return f"mat1 and mat2 must have the same dtype, but got {sides}"
    if name == "dot":
        sides = " and ".join(TYPES.get(each, each) for each in (left, right))
        return f"dot : expected both vectors to have same dtype, but found {sides}"
    if name == "mv":
        first, second = (TYPES.get(each, each) for each in (right, left))
        return (
            f"addmv input tensors must have the same dtype, but got {first}, {second}, and {first}"
        )
    if name in ("einsum", "bmm"):
        wanted, found = (TYPES.get(each, each) for each in (left, right))
        return f"expected scalar type {wanted} but found {found}"
    sides = " != ".join(C_NAMES.get(each, each) for each in (left, right))
    return f"expected m1 and m2 to have the same dtype, but got: {sides}"


_ON_BITS = {"&": "and", "|": "or", "^": "xor"}


def _not_bits(operator: str) -> str:
    """The kinds of both sides are not told: floats are float32 mostly."""
    if operator == "~":
        return "~ (operator.invert) is only implemented on integer and Boolean-type tensors"
    return f"\"bitwise_{_ON_BITS[operator]}_cpu\" not implemented for 'Float'"


def _by(lengths: Shape) -> str:
    return " x ".join(map(str, lengths))


def _differs(mask: Shape, x: Shape) -> int:
    """The first axis at which a mask is not as long as a tensor."""
    pairs = enumerate(zip(mask, x, strict=False))
    return next((i for i, (a, b) in pairs if a != b), min(len(mask), len(x)))


def _longer(index: Shape, x: Shape) -> int:
    pairs = enumerate(zip(index, x, strict=True))
    return next((i for i, (a, b) in pairs if a > b), 0)


def _permuted(dims: Shape, count: str) -> str:
    if len(dims) == int(count):
        return "permute(): duplicate dims are not allowed."
    return (
        "permute(sparse_coo): number of dimensions in the tensor input does not match the length "
        f"of the desired ordering of dimensions i.e. input.dim() = {count} is not equal to "
        f"len(dims) = {len(dims)}"
    )


def _square(name: str, x: Shape) -> str:
    if len(x) < 2:
        return f"linalg.{name}: The input tensor A must have at least 2 dimensions."
    return (
        f"linalg.{name}: A must be batches of square matrices, but they are {x[-2]} by {x[-1]} "
        "matrices"
    )


def _grown(old: Shape, new: Shape) -> str:
    return f"output with shape {[*old]} doesn't match the broadcast shape {[*new]}"


def _called(name: str) -> str:
    """What is called where that is a class: `Linear.__init__`."""
    if "." in name:
        return name
    return f"{name}.__init__" if name[:1].isupper() else "<lambda>" if name == "lambda" else name


def _missing(name: str, parameters: str) -> str:
    from gradcli.ops import FUNCTIONS  # here, as few programs fail

    names = re.split(", | and ", parameters)
    if name.removeprefix("F.") in FUNCTIONS:  # whose first operand is the input there
        name, names = name.removeprefix("F."), ["input" if n == "x" else n for n in names]
    quoted = [f"'{each}'" for each in names]
    several = ", ".join(quoted[:-1]) + ("," if len(names) > 2 else "") + f" and {quoted[-1]}"
    listed = quoted[0] if len(names) == 1 else several
    plural = "s" if len(names) > 1 else ""
    called = _called(name)
    return f"{called}() missing {len(names)} required positional argument{plural}: {listed}"


def _shuffled(shape: Shape, factor: str) -> str:
    if len(shape) < 3:
        return (
            "pixel_shuffle expects input to have at least 3 dimensions, but got input with "
            f"{len(shape)} dimension(s)"
        )
    return (
        "pixel_shuffle expects its input's 'channel' dimension to be divisible by the square of "
        f"upscale_factor, but input.size(-3)={shape[-3]} is not divisible by {int(factor) ** 2}"
    )


_RANKS = {"linear": 3, "bilinear": 4, "trilinear": 5}
"""The axes of what these modes of `interpolate` take."""


def _resized(mode: str, _: str, shape: Shape) -> str:
    count = len(shape)
    if 3 <= count <= 5 and mode in _RANKS:
        return f"Got {count}D input, but {mode} mode needs {_RANKS[mode]}D input"
    return (
        f"Input Error: Only 3D, 4D and 5D input Tensors supported (got {count}D) for the modes: "
        "nearest | linear | bilinear | bicubic | trilinear | lanczos | area | nearest-exact (got "
        f"{mode})"
    )


def _surplus(name: str, most: str, given: str) -> str:
    called = _called(name)
    plural = "" if most == "1" else "s"
    return f"{called}() takes {most} positional argument{plural} but {given} were given"


NOT_VIEWED = (
    "view size is not compatible with input tensor's size and stride (at least one dimension spans "
    "across two contiguous subspaces). Use .reshape(...) instead."
)
_SHAPE = r"(\([-\d, ]*\))"


def _narrowed(length: str, start: str, axis: str, shape: Shape) -> str:
    count = shape[int(axis)]
    first = int(start) % count if int(start) < count else count
    return f"start ({first}) + length ({length}) exceeds dimension size ({count})."


_PHRASES = (
    Phrase(rf"^expand: shapes {_SHAPE} and {_SHAPE} do not broadcast: axis (-\d+) .* has (\d+) "
             r"and (\d+) ", "RuntimeError", _expanded),
    Phrase(rf": shapes {_SHAPE} and {_SHAPE} do not broadcast: axis (-\d+) .* has (\d+) and "
             r"(\d+) ", "RuntimeError", _sizes),
    Phrase(r"^(\w+): the dtypes of the factors differ: (\w+) and (\w+)", "RuntimeError", _dtypes),
    Phrase(rf"^matmul: inner dimensions differ: {_SHAPE} @ {_SHAPE}", "RuntimeError", _product),
    Phrase(rf"^linear: input {_SHAPE} and weight {_SHAPE} do not fit", "RuntimeError", _linear),
    Phrase(rf"^reshape: {_SHAPE} has (\d+) elements, which do not fit \(-1, -1", "RuntimeError",
             lambda *_: "only one dimension can be inferred"),
    Phrase(rf"^reshape: {_SHAPE} has (\d+) elements, which do not fit {_SHAPE}", "RuntimeError",
             lambda _, count, new: f"shape '{[*new]}' is invalid for input of size {count}"),
    Phrase(rf"^the gradient has shape {_SHAPE}, the output .* has {_SHAPE}", "RuntimeError",
             lambda a, b: f"Mismatch in shape: grad_output[0] has a shape of torch.Size({[*a]}) "
             f"and output[0] has a shape of torch.Size({[*b]})."),
    Phrase(rf"^item is for a tensor of one element; this is {_SHAPE}", "RuntimeError",
             lambda a: f"a Tensor with {math.prod(a)} elements cannot be converted to Scalar"),
    Phrase(r"^a condition of (several|no) elements", "RuntimeError", lambda count:
             "Boolean value of Tensor with "
             f"{'no values' if count == 'no' else 'more than one value'} is ambiguous"),
    Phrase(rf"^cat: {_SHAPE} and {_SHAPE} at place (\d+) differ not only in axis (\d+)",
             "RuntimeError", _joined),
    Phrase(rf"^stack: shapes {_SHAPE} and {_SHAPE} at place (\d+) differ", "RuntimeError",
             lambda a, b, place: f"stack expects each tensor to be equal size, but got {[*a]} at "
             f"entry 0 and {[*b]} at entry {place}"),
    Phrase(r"^index (-?\d+) is out of range for axis (\d+), which has (\d+) elements?",
             "IndexError", lambda place, axis, count:
             f"index {place} is out of bounds for dimension {axis} with size {count}"),
    Phrase(r"^index -?\d+ is out of range for \d+ values", "IndexError",
             lambda: "list index out of range"),
    Phrase(r": dim (-?\d+) is out of range for (\d+) dimensions?", "IndexError", _axis),
    Phrase(r": target \([\d, ]*\) holds (-?\d+), which is out of range", "IndexError",
             lambda target: f"Target {target} is out of bounds."),
    Phrase(r"^there is no method '(shape)'", "TypeError",
             lambda _: "'torch.Size' object is not callable"),
    Phrase(r"^there is no method '(\w+)'", "AttributeError",
             lambda name: f"'Tensor' object has no attribute '{name}'"),
    Phrase(r"^the dictionary has no key (.*)", "KeyError", lambda key: key),
    Phrase(r"holds (?:int|bool) values: they have no derivative", "RuntimeError", lambda:
             "element 0 of tensors does not require grad and does not have a grad_fn"),
    Phrase(r"^the elements of a (tuple|string) cannot be set", "TypeError", lambda kind:
             f"'{kind.replace('ing', '')}' object does not support item assignment"),
    Phrase(r"^requires_grad_ is for floats", "RuntimeError", lambda:
             "only Tensors of floating point dtype can require gradients"),
    Phrase(r"^requires_grad is for floats", "RuntimeError", lambda:
             "only Tensors of floating point and complex dtype can require gradients"),
    Phrase(r"^only floats can require grad", "RuntimeError", lambda:
             "Only Tensors of floating point and complex dtype can require gradients"),
    Phrase(r"^requires_grad can be set to False for leaves only", "RuntimeError", lambda:
             "you can only change requires_grad flags of leaf variables. If you want to use a "
             "computed variable in a subgraph that doesn't require differentiation use "
             "var_no_grad = var.detach()."),
    Phrase(r"^('.*') is no whole number$", "ValueError",
             lambda text: f"invalid literal for int() with base 10: {text}"),
    Phrase(r"^('.*') is no number$", "ValueError",
             lambda text: f"could not convert string to float: {text}"),
    Phrase(r"^retain_grad is for what requires grad", "RuntimeError", lambda:
             "can't retain_grad on Tensor that has requires_grad=False"),
    Phrase(r"^only leaves can be copied with what they hold", "RuntimeError", lambda:
             "Only Tensors created explicitly by the user (graph leaves) support the deepcopy "
             "protocol at the moment.  If you were attempting to deepcopy a module, this may be "
             "because of a torch.nn.utils.weight_norm usage, see "
             "https://github.com/pytorch/pytorch/pull/103001"),
    Phrase(r"^this tensor is expanded", "RuntimeError", lambda:
             "unsupported operation: more than one element of the written-to tensor refers to a "
             "single memory location. Please clone() the tensor before performing the operation."),
    Phrase(r"^division by zero", "ZeroDivisionError", lambda: "division by zero"),
    Phrase(r"^view size is not compatible with", "RuntimeError", lambda: NOT_VIEWED),
    Phrase(r"^a tensor of shape .* has no attribute '(\w+)'", "AttributeError",
             lambda name: f"'Tensor' object has no attribute '{name}'"),
    Phrase(r"^(value cannot be converted to type \w+ without overflow)", "RuntimeError", str),
    Phrase(r"^(?:tensor: data|an element|an index) must be a tensor, not a string", "TypeError",
             lambda: "new(): invalid data type 'str'"),
    Phrase(r"^(?:tensor: data|an element) must be a tensor, not (None|a dictionary)",
             "RuntimeError", lambda what: "Could not infer dtype of "
             f"{'NoneType' if what == 'None' else 'dict'}"),
    Phrase(r"^an integer is divided by 0", "RuntimeError", lambda: "ZeroDivisionError"),
    Phrase(rf"^a grad of {_SHAPE} does not fit a tensor of {_SHAPE}", "RuntimeError",
             lambda grad, x: f"attempting to assign a gradient of size '{[*grad]}' to a tensor of "
             f"size '{[*x]}'. Please ensure that the gradient and the tensor are the same size"),
    Phrase(r"^(cannot register a hook on a tensor that doesn't require gradient)", "RuntimeError",
             str),
    Phrase(r"^an index of a (list|tuple) must be a tensor, not (a string|None)", "TypeError",
             lambda kind, given: f"{kind} indices must be integers or slices, not "
             f"{'str' if given == 'a string' else 'NoneType'}"),
    Phrase(r"^a list cannot be a key", "TypeError", lambda: "unhashable type: 'list'"),
    Phrase(r"^None has no attribute '(\w+)'", "AttributeError",
             lambda name: f"'NoneType' object has no attribute '{name}'"),
    Phrase(r"\.grad is None: there is nothing to set to zero yet", "AttributeError",
             lambda: "'NoneType' object has no attribute 'zero_'"),
    Phrase(r"^what is indexed must be a tensor, not None", "TypeError",
             lambda: "'NoneType' object is not subscriptable"),
    Phrase(r"^(\w+): x must be a tensor, not None", "TypeError", lambda name:
             f"{name}(): argument 'input' (position 1) must be Tensor, not NoneType"),
    Phrase(r"^the name '(\w+)' has no value", "NameError",
             lambda name: f"name '{name}' is not defined"),
    Phrase(r"^embedding: input .* which is out of range", "IndexError",
             lambda: "index out of range in self"),
    Phrase(r"^binary_cross_entropy: (input|target) .* a probability is from 0 to 1",
             "RuntimeError", lambda what: f"all elements of {what} should be between 0 and 1"),
    Phrase(rf"^conv\dd: the input has (\d+) channels, the weight needs (\d+) .*groups=(\d+)\): "
             rf"input {_SHAPE} and weight {_SHAPE}", "RuntimeError",
             lambda found, wanted, groups, x, w: f"Given groups={groups}, weight of size {[*w]}, "
             f"expected input{[*x]} to have {wanted} channels, but got {found} channels instead"),
    Phrase(r"^`(\W+)` is for truth values and integers, not for floats", "NotImplementedError",
             _not_bits),
    Phrase(r"^bincount takes one row of integers", "RuntimeError",
             lambda: "bincount only supports 1-d non-negative integral inputs."),
    Phrase(r"^inv: the matrix is singular: its pivot (\d+)", "_LinAlgError", lambda pivot:
             f"linalg.inv: The diagonal element {int(pivot)} is zero, the inversion could not be "
             "completed because the input matrix is singular."),
    Phrase(r"^what (?:float|int) converts must be a single number", "ValueError",
             lambda: "only one element tensors can be converted to Python scalars"),
    Phrase(rf"^mm takes 2 and 2 dimensions; these are {_SHAPE} and {_SHAPE}", "RuntimeError",
             lambda a, b: f"{'self' if len(a) != 2 else 'mat2'} must be a matrix"),
    Phrase(rf"^bmm: batches differ: {_SHAPE} and {_SHAPE}", "RuntimeError",
             lambda a, b: "Expected size for first two dimensions of batch2 tensor to be: "
             f"{[a[0], a[2]]} but got: {[*b[:2]]}."),
    Phrase(rf"^bmm takes 3 and 3 dimensions; these are {_SHAPE} and {_SHAPE}", "RuntimeError",
             lambda a, b: f"{'batch1' if len(a) != 3 else 'batch2'} must be a 3D tensor"),
    Phrase(rf"^dot takes 1 and 1 dimensions; these are {_SHAPE} and {_SHAPE}", "RuntimeError",
             lambda a, b: f"1D tensors expected, but got {len(a)}D and {len(b)}D tensors"),
    Phrase(rf"^matmul needs at least 1 dimension on each side: {_SHAPE} @ {_SHAPE}",
             "RuntimeError", lambda a, b: "both arguments to matmul need to be at least 1D, but "
             f"they are {len(a)}D and {len(b)}D"),
    Phrase(rf"^outer takes two vectors; these are {_SHAPE} and {_SHAPE}", "RuntimeError",
             lambda a, b: f"outer: Expected 1-D argument self, but got {len(a)}-D"
             if len(a) != 1 else f"outer: Expected 1-D argument vec2, but got {len(b)}-D"),
    Phrase(rf"^conv\dd: a kernel of {_SHAPE} is larger than its input of {_SHAPE}",
             "RuntimeError", lambda kernel, x: "Calculated padded input size per channel: "
             f"({_by(x)}). Kernel size: ({_by(kernel)}). Kernel size can't be greater than actual "
             "input size"),
    Phrase(rf"^conv(\d)d takes an input of .*; these are input {_SHAPE}", "RuntimeError",
             lambda n, x: f"Expected {int(n) + 1}D (unbatched) or {int(n) + 2}D (batched) input to "
             f"conv{n}d, but got input of size: {[*x]}"),
    Phrase(r"^cat: there is nothing to join", "ValueError",
             lambda: "torch.cat(): expected a non-empty list of Tensors"),
    Phrase(r"^the ModuleDict has no ('.*')", "KeyError", lambda key: key),
    Phrase(r"^the ParameterDict has no '(.*)'", "AttributeError",
             lambda key: f"'ParameterDict' object has no attribute '{key}'"),
    Phrase(r"^stack: there is nothing to join", "RuntimeError",
             lambda: "stack expects a non-empty TensorList"),
    Phrase(r"^chunk: (\S+) parts cannot be made", "RuntimeError",
             lambda count: f"chunk expects `chunks` to be greater than 0, got: {count}"),
    Phrase(r"^dim (\d+) of (?:gather|scatter): index (-?\d+) is out of range for an axis of (\d+)",
             "RuntimeError", lambda axis, place, count:
             f"index {place} is out of bounds for dimension {axis} with size {count}"),
    Phrase(r"^index (-?\d+) is out of range for an axis of (\d+)", "IndexError",
             lambda place, count:
             f"index {place} is out of bounds for dimension 0 with size {count}"),
    Phrase(rf"^select: (-?\d+) is out of range for axis (\d+) of {_SHAPE}", "IndexError",
             lambda place, axis, shape: f"select(): index {place} out of range for tensor of size "
             f"{[*shape]} at dimension {axis}"),
    Phrase(rf"^narrow: (-?\d+) elements from (-?\d+) on are not within axis (\d+) of {_SHAPE}",
             "RuntimeError", _narrowed),
    Phrase(rf"^narrow: it cannot begin at (-?\d+) in axis (\d+) of {_SHAPE}", "IndexError",
             lambda start, axis, shape: "start out of range (expected to be in range of "
             f"[-{shape[int(axis)]}, {shape[int(axis)]}], but got {start})"),
    Phrase(rf"^index_add: (\d+) places in {_SHAPE} need a source of {_SHAPE}; this is {_SHAPE}",
             "RuntimeError", lambda count, shape, needed, source: "index_add_(): Number of indices "
             f"({count}) should be equal to source.size(dim): ({source[0] if source else 1}), for "
             "dim: 0"),
    Phrase(rf"^gather: an index of {_SHAPE} does not fit in {_SHAPE}", "RuntimeError",
             lambda index, x: "Index tensor must have the same number of dimensions as input tensor"
             if len(index) != len(x) else f"Size does not match at dimension {_longer(index, x)} "
             f"expected index {[*index]} to be no larger than self {[*x]} apart from dimension 0"),
    Phrase(rf"^permute: {_SHAPE} does not name each of (\d+) axes", "RuntimeError", _permuted),
    Phrase(rf"^\.T is for at most 2 dimensions; this is {_SHAPE}", "RuntimeError", lambda x:
             f"t() expects a tensor with <= 2 dimensions, but self is {len(x)}D"),
    Phrase(r"^1 indices for 0 dimensions", "IndexError", lambda:
             "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or "
             "`tensor.item<T>()` in C++ to convert a 0-dim tensor to a number"),
    Phrase(r"^\d+ indices for (\d+) dimensions", "IndexError",
             lambda count: f"too many indices for tensor of dimension {count}"),
    Phrase(rf"^a mask of {_SHAPE} does not fit a tensor of {_SHAPE}", "IndexError",
             lambda mask, x: f"The shape of the mask {[*mask]} at index {_differs(mask, x)} does "
             f"not match the shape of the indexed tensor {[*x]} at index {_differs(mask, x)}"),
    Phrase(rf"^\w+_ would change the shape {_SHAPE} to {_SHAPE}", "RuntimeError", _grown),
    Phrase(rf"^\S+= would change the shape {_SHAPE} to {_SHAPE}", "RuntimeError", _grown),
    Phrase(r"^gradcli has no ((?:torch|numpy|math)(?:\.\w+)*)\.(\w+)$", "AttributeError",
             lambda module, name: f"module '{module}' has no attribute '{name}'"),
    Phrase(r"^there is no function '(\w+)'$", "NameError",
             lambda name: f"name '{name}' is not defined"),
    Phrase(r"^there is no function '([\w.]+)\.(\w+)'", "AttributeError",
             lambda module, name: f"module '{module}' has no attribute '{name}'"),
    Phrase(r"^a (list|string|tuple) has no (?:attribute|method) '(\w+)'", "AttributeError",
             lambda kind, name: f"'{kind.replace('ing', '')}' object has no attribute '{name}'"),
    Phrase(r"^([\w.]+) needs (\w+(?:(?:, | and )\w+)*)$", "TypeError", _missing),
    Phrase(r"^(\w+) takes (\d+) arguments?; (\d+) are given", "TypeError", _surplus),
    Phrase(r"^(\w+) has no parameter '(\w+)'", "TypeError",
             lambda name, given: f"{_called(name)}() got an unexpected keyword argument "
             f"'{given}'"),
    Phrase(rf"^pixel_shuffle takes .* this is {_SHAPE} and (\d+)$", "RuntimeError", _shuffled),
    Phrase(rf"^interpolate: mode '(\w+)' takes ([\d or]+) dimensions, .* this is {_SHAPE}$",
             "NotImplementedError", _resized),
    Phrase(rf"^multi_head_attention_forward: query {_SHAPE} is not \(L\[, batch\], (\d+)\)",
             "AssertionError", lambda query, width:
             f"was expecting embedding dimension of {width}, but got {query[-1]}"),
    Phrase(r"^(\w+): (\w+) is given twice", "TypeError",
             lambda name, given: f"{_called(name)}() got multiple values for argument '{given}'"),
    Phrase(r"^remove: .* is not in the list", "ValueError",
             lambda: "list.remove(x): x not in list"),
    Phrase(rf"^zeros: a length cannot be negative: {_SHAPE}", "RuntimeError",
             lambda shape: "zeros: Dimension size must be non-negative."),
    Phrase(r"^linspace: a length cannot be negative", "RuntimeError",
             lambda: "number of steps must be non-negative"),
    Phrase(rf"^binary_cross_entropy: target has shape {_SHAPE}, input {_SHAPE}", "ValueError",
             lambda a, b: f"Using a target size (torch.Size({[*a]})) that is different to the "
             f"input size (torch.Size({[*b]})) is deprecated. Please ensure they have the same "
             "size."),
    Phrase(rf"^binary_cross_entropy_with_logits: target has shape {_SHAPE}, input {_SHAPE}",
             "ValueError", lambda a, b: f"Target size (torch.Size({[*a]})) must be the same as "
             f"input size (torch.Size({[*b]}))"),
    Phrase(r"^(?:rand|randn|full): a length cannot be negative: (.*)", "RuntimeError",
             lambda shape: f"Trying to create tensor with negative dimension "
             f"{next(each for each in shape if each < 0)}: {[*shape]}"),
    Phrase(r"^one_hot: num_classes must be positive, not 0", "RuntimeError",
             lambda: "Class values must be non-negative."),
    Phrase(rf"^glu halves an axis of even length; dim (-?\d+) of {_SHAPE}", "RuntimeError",
             lambda dim, x: f"Halving dimension must be even, but dimension {int(dim) % len(x)} is "
             f"size {x[int(dim)]}"),
    Phrase(r"^gelu: approximate is", "RuntimeError",
             lambda: "approximate argument must be either none or tanh."),
    Phrase(r"^\w*dropout\w*: p is a probability, from 0 to 1, not (\S+)", "ValueError",
             lambda p: f"dropout probability has to be between 0 and 1, but got {float(p)}"),
    Phrase(r"^huber_loss: delta must be positive", "RuntimeError",
             lambda: "huber_loss does not support non-positive values for delta."),
    Phrase(r"^smooth_l1_loss: beta must not be negative", "RuntimeError",
             lambda: "smooth_l1_loss does not support negative values for beta."),
    Phrase(r"^cross_entropy: label_smoothing is from 0 to 1, not (\S+)", "RuntimeError",
             lambda x: f"label_smoothing must be between 0.0 and 1.0. Got: {x}"),
    Phrase(r"^gaussian_nll_loss: var .* and a variance is not negative", "ValueError",
             lambda: "var has negative entry/entries"),
    Phrase(r"^mode of nothing", "IndexError",
             lambda: "mode(): Expected reduction dim 0 to have non-zero size."),
    Phrase(r"^quantile of nothing", "RuntimeError",
             lambda: "quantile() input tensor must be non-empty"),
    Phrase(r"^amin of nothing", "RuntimeError",
             lambda: "min(): Expected reduction dim to be specified for input.numel() == 0. "
             "Specify the reduction dim with the 'dim' argument."),
    Phrase(r"^one_hot: input .* holds (-?\d+), which is out of range", "RuntimeError",
             lambda value: "Class values must be non-negative." if int(value) < 0
             else "Class values must be smaller than num_classes."),
    Phrase(rf"^layer_norm: input {_SHAPE} does not end in normalized_shape {_SHAPE}",
             "RuntimeError", lambda x, shape: f"Given normalized_shape={[*shape]}, expected input "
             f"with shape [*, {', '.join(map(str, shape))}], but got input of size{[*x]}"),
    Phrase(r"^(embed_dim must be divisible by num_heads)", "AssertionError", str),
    Phrase(rf"^unfold: windows of (\d+), .* do not fit axis (\d+) of {_SHAPE}", "RuntimeError",
             lambda size, axis, shape: f"maximum size for tensor at dimension {axis} is "
             f"{shape[int(axis)]} but size is {size}"),
    Phrase(r"^diagonal: dim1 and dim2 are the same axis", "RuntimeError",
             lambda: "diagonal dimensions cannot be identical 0, 0"),
    Phrase(r"^\w+: invalid lr: (\S+)", "ValueError", lambda lr: f"Invalid learning rate: {lr}"),
    Phrase(r"^\w+: invalid beta([12]): (\S+)", "ValueError",
             lambda place, beta: f"Invalid beta parameter at index {int(place) - 1}: {beta}"),
    Phrase(r"^\w+: invalid eps: (\S+)", "ValueError", lambda eps: f"Invalid epsilon value: {eps}"),
    Phrase(r"^\w+: invalid (\w+): (\S+)", "ValueError",
             lambda name, number: f"Invalid {name} value: {number}"),
    Phrase(r"^(can't optimize a non-leaf Tensor)", "ValueError", str),
    Phrase(rf"^(\w+) takes square matrices; this is {_SHAPE}", "RuntimeError", _square),
    Phrase(rf"^(svd|qr|svdvals|pinv|matrix_norm|cond|matrix_rank) takes matrices; this is "
             rf"{_SHAPE}", "RuntimeError", _square),
    Phrase(r"^cholesky: the matrix is not positive definite: its pivot (\d+)", "_LinAlgError",
             lambda pivot: "linalg.cholesky: The factorization could not be completed because the "
             f"input is not positive-definite (the leading minor of order {pivot} is not "
             "positive-definite)."),
    Phrase(r"^solve: the matrix is singular", "_LinAlgError", lambda:
             "torch.linalg.solve: The solver failed because the input matrix is singular."),
    Phrase(rf"^einsum: label '(\w)' has length (\d+) in {_SHAPE} and (\d+) in {_SHAPE}",
             "RuntimeError", lambda label, first, _, second, __:
             f"einsum(): subscript {label} has size {second} for operand 1 which does not "
             f"broadcast with previously seen size {first}"),
    Phrase(r"^einsum: the output '\w*' has '(\w)' but no operand has it", "RuntimeError",
             lambda label: f"einsum(): output subscript {label} does not appear in the equation "
             "for any input operand"),
    Phrase(rf"^einsum: '(\w+)' has (\d+) labels for an operand of shape {_SHAPE}",
             "RuntimeError", lambda _, count, x: "einsum(): the number of subscripts in the "
             f"equation ({count}) does not match the number of dimensions ({len(x)}) for operand 0 "
             "and no ellipsis was given"),
    Phrase(r"^einsum: '.*' is for (\d+) operands; (\d+) are given", "RuntimeError",
             lambda wanted, given: f"einsum(): {'fewer' if int(given) < int(wanted) else 'more'} "
             "operands were provided than specified in the equation"),
    Phrase(rf"^split: sizes {_SHAPE} do not add up to the (\d+) elements of axis (\d+)",
             "RuntimeError", lambda sizes, count, axis: "split_with_sizes expects split_sizes to "
             f"sum exactly to {count} (input tensor's size at dimension {axis}), but got "
             f"split_sizes={[*sizes]}"),
    Phrase(r"^split: parts of (-\d+) elements", "RuntimeError", lambda size:
             f"split expects split_size be non-negative, but got split_size={size}"),
    Phrase(r"^split: parts of 0 elements cannot be made of axis -?\d+ of length (\d+)",
             "RuntimeError", lambda count: "split_size can only be 0 if dimension size is 0, but "
             f"got dimension size of {count}"),
    Phrase(r"^topk: there are no \d+ elements", "RuntimeError",
             lambda: "selected index k out of range"),
    Phrase(r"^(cannot resize variables that require grad)", "RuntimeError", str),
    Phrase(r"^resize_: lengths are 0 or more", "RuntimeError",
             lambda: "numel: integer multiplication overflow"),
    Phrase(rf"^repeat: {_SHAPE} is not one count", "RuntimeError", lambda counts:
             "Number of dimensions of repeat dims can not be smaller than number of dimensions of "
             "tensor"),
    Phrase(r"^weights are 0 or more, and not all of them 0", "RuntimeError",
             lambda: "probability tensor contains either `inf`, `nan` or element < 0"),
    Phrase(r"^\d+ different places cannot be drawn from so few", "RuntimeError", lambda:
             "cannot sample n_sample > prob_dist.size(-1) samples without replacement"),
    Phrase(r"^(\w+) has no forward", "NotImplementedError",
             lambda name: f'Module [{name}] is missing the required "forward" function'),
    Phrase(rf"^unflatten: {_SHAPE} does not fit axis (\d+) of {_SHAPE}", "RuntimeError",
             lambda sizes, axis, x: f"unflatten: Provided sizes {[*sizes]} don't multiply up to "
             f"the size of dim {axis} ({x[int(axis)]}) in the input tensor"),
    Phrase(r"^amax of nothing", "RuntimeError", lambda:
             "max(): Expected reduction dim to be specified for input.numel() == 0. Specify the "
             "reduction dim with the 'dim' argument."),
    Phrase(r"^(argmax|argmin) of nothing", "IndexError", lambda name:
             f"{name}(): Expected reduction dim to be specified for input.numel() == 0."),
    Phrase(r"^(min|max): there are no elements", "ValueError",
             lambda name: f"{name}() arg is an empty sequence"),
    Phrase(r"^batch_size is 1 or more", "ValueError", lambda:
             "batch_size should be a positive integer value, but got batch_size=0"),
    Phrase(r"^TensorDataset takes tensors of as many rows", "AssertionError",
             lambda: "Size mismatch between tensors"),
    Phrase(rf"^Expected more than 1 value per channel when training, got {_SHAPE}", "ValueError",
             lambda x: "Expected more than 1 value per channel when training, got input size "
             f"torch.Size({[*x]})"),
)  # fmt: skip
"""The first that fits is taken."""
