"""What NumPy makes of PyTorch's tensors: it reads their numbers where no gradient flows back."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile

import numpy as np

from gradcli.diagnostics import GradcliError, RefusedError
from gradcli.graph import Node
from gradcli.ops import f
from gradcli.trace.autograd import Autograd
from gradcli.trace.constructors import as_dtype
from gradcli.trace.conversions import NUMPY_OF_GRAD
from gradcli.trace.items import Items
from gradcli.trace.refusals import no_operator, no_order
from gradcli.trace.values import Value, Values

_ASKING = frozenset(("shape", "size", "ndim", "isscalar", "shuffle", "float64", "double"))
"""Functions that read no numbers of a tensor, or ask it for its only one."""
_METHODS = {
    "sum": "sum", "mean": "mean", "prod": "prod", "max": "max", "min": "min", "amax": "max",
    "amin": "min", "std": "std", "var": "var", "any": "any", "all": "all",
}  # fmt: skip
"""Functions that call the method of a tensor, with arguments that PyTorch's has not."""
_DIMS = frozenset(("max", "min", "prod"))
"""Those whose methods take the None that NumPy gives for all axes for a `dim`."""


def check_function(
    autograd: Autograd, name: str, arguments: Sequence[Value], *, with_axis: bool
) -> None:
    """Raise `no-grad` where NumPy's function of that name reads a tensor that requires grad, and
    `type` where it calls a method that PyTorch's tensors have with other arguments.
    """
    values = autograd.values
    if arguments and name in _METHODS and values.is_tensor(arguments[0]):
        raise _without_axis(_METHODS[name], with_axis=with_axis)
    if name in _ASKING:
        return
    waiting = list(arguments)
    while waiting:
        part = waiting.pop()
        if isinstance(part, Items | tuple):
            waiting += part
        elif isinstance(part, Node) and values.is_tensor(part) and autograd.requires_grad(part):
            raise GradcliError("no-grad", NUMPY_OF_GRAD, hint="x.detach().numpy()")


def stacked(values: Values, given: Value) -> Value:
    """A list of tensors of one shape as one tensor; other values as they are. Raises `shape` for
    arrays and tensors of several shapes.
    """
    if type(given) is not Items or given.is_rolled or not given:
        return given
    rows = [each for each in given if isinstance(each, Node) and each.shape]
    if len(rows) < len(given):
        return given
    shape = rows[0].shape
    if any(each.shape != shape for each in rows):
        lengths = zip(*(each.shape for each in rows), strict=False)
        common = [column[0] for column in takewhile(lambda column: len({*column}) == 1, lengths)]
        said = (
            "setting an array element with a sequence. The requested array has an inhomogeneous "
            f"shape after {1 + len(common)} dimensions. The detected shape was "
            f"{(len(rows), *common)} + inhomogeneous part."
        )
        raise RefusedError(("ValueError", said), "shape", "rows of one array have one shape",
                           hint="a list holds arrays of any shapes")  # fmt: skip
    if not all(map(values.is_tensor, rows)):
        return given
    return f("stack", [*map(values.current, rows)], 0)


def _without_axis(name: str, *, with_axis: bool) -> RefusedError:
    said = f"{name}() got an unexpected keyword argument 'axis'"
    if name in _DIMS and not with_axis:
        said = f"{name}(): argument 'dim' must be int, not NoneType"
    elif name in ("std", "var", "any", "all"):
        before = "ddof=int, dtype=NoneType, " if name in ("std", "var") else ""
        axis = "int" if with_axis else "NoneType"
        said = (
            f"{name}() received an invalid combination of arguments - got "
            f"({before}out=NoneType, axis={axis}, ), but expected one of:"
        )
    return RefusedError(
        ("TypeError", said),
        "type",
        f"np.{name} calls x.{name}, which in PyTorch does not take what NumPy gives it",
        hint=f"x.{name}() is the tensor's own; np.{name}(x.numpy()) an array's",
    )


def beside_array(autograd: Autograd, operator: str, left: Node, right: Node) -> tuple[Node, Node]:
    """The two sides of an operator, a tensor next to an array in the dtype that NumPy gives both.
    Raises `no-grad` if the tensor requires grad, and `type` where NumPy does not know the tensor.
    """
    values = autograd.values
    if values.is_tensor(left) and _is_array(autograd, right):
        return _of_numpy(autograd, left, right), right
    if values.is_tensor(right) and _is_array(autograd, left):
        if operator != "/":
            raise _unknown(operator, no_operator(operator, "numpy.ndarray", "Tensor"))
        return left, _of_numpy(autograd, right, left)
    return left, right


def check_order(autograd: Autograd, operator: str, left: Node, right: Node) -> None:
    """Raise `type` where a tensor and an array of NumPy's have no order."""
    if operator not in ("<", "<=", ">", ">="):
        return
    for one, other in ((left, right), (right, left)):
        if autograd.values.is_tensor(one) and _is_array(autograd, other):
            kinds = ["Tensor", "numpy.ndarray"]
            said = no_order(operator, *(kinds if one is left else kinds[::-1]))
            raise _unknown(operator, said)


def _unknown(operator: str, said: RefusedError) -> RefusedError:
    """The error for an operator between an array and a tensor."""
    words = said.elsewhere
    if operator == "+":
        words = (
            "TypeError",
            (
                "Concatenation operation is not implemented for NumPy arrays, use np.concatenate() "
                "instead. Please do not rely on this error; it may not be given on all Python "
                "implementations."
            ),
        )
    return RefusedError(words, "type", f"there is no {operator} of an array and a tensor",
                        hint="torch.from_numpy(a) makes a tensor of an array a")  # fmt: skip


def _is_array(autograd: Autograd, node: Node) -> bool:
    """Whether it is an array of NumPy's, and no number of it."""
    values = autograd.values
    return node in values.arrays and (bool(node.shape) or node in values.boxed)


def _of_numpy(autograd: Autograd, tensor: Node, array: Node) -> Node:
    if autograd.requires_grad(tensor):
        raise GradcliError("no-grad", NUMPY_OF_GRAD, hint="torch.from_numpy(a) makes a tensor of a")
    found, other = map(autograd.values.array_dtype, (tensor, array))
    if "bfloat16" in (found, other):  # which NumPy has not
        return tensor
    common = np.result_type(found, other).name
    return tensor if found == common else as_dtype(autograd, tensor, common)
