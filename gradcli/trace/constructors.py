"""Arguments of all functions that make tensors: `requires_grad`, `dtype` and `device`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from gradcli.diagnostics import GradcliError, Note, RefusedError, nearest
from gradcli.graph import Kind, Node
from gradcli.ops import FUNCTIONS
from gradcli.ops.control import LEAF, bind, detach
from gradcli.ops.kinds import cast
from gradcli.ops.table import Function
from gradcli.trace.arguments import call
from gradcli.trace.autograd import Autograd
from gradcli.trace.device_names import check_device
from gradcli.trace.dtypes import ALIASES, INTEGERS
from gradcli.trace.items import Items
from gradcli.trace.names import EXTRA
from gradcli.trace.objects import BuiltIn, is_row
from gradcli.trace.special import Size
from gradcli.trace.values import Value, Values

KINDS: dict[str, Kind] = {
    **dict.fromkeys(
        ("float", "float32", "float64", "double", "float16", "half", "bfloat16"), "float"
    ),
    **dict.fromkeys(
        ("int", "int8", "int16", "int32", "int64", "long", "short", "uint8", "char", "byte"), "int"
    ),
    "bool": "bool",
}
"""The kind of elements for PyTorch's and NumPy's names of dtypes."""
TENSORS = {
    "HalfTensor": "float16", "FloatTensor": "float32", "DoubleTensor": "float64",
    "ByteTensor": "uint8", "CharTensor": "int8", "ShortTensor": "int16", "IntTensor": "int32",
    "LongTensor": "int64", "BoolTensor": "bool",
}  # fmt: skip
"""Classes of PyTorch's tensors: the dtype of each."""
_HALVES = ("float16", "half", "bfloat16")
_SHORT = ("int8", "char", "uint8", "byte", "int16", "short")
PRECISIONS = {"float32": "float32", "float64": "float64", "double": "float64"}


_COPIED = (
    "To copy construct from a tensor, it is recommended to use sourceTensor.detach().clone() or "
    "sourceTensor.detach().clone().requires_grad_(True), rather than torch.tensor(sourceTensor)."
)
"""What PyTorch warns of where a tensor is made of one."""


def _warn_of_copy(autograd: Autograd, given: Sequence[Value]) -> None:
    if autograd.warn is not None and given and autograd.values.is_tensor(given[0]):
        autograd.warn("UserWarning", _COPIED)


def construct(
    autograd: Autograd,
    function: Function,
    arguments: Sequence[Value],
    keywords: Mapping[str, Value],
) -> Value:
    """Call a function that makes a tensor. A run has one device and one floating-point dtype, so
    `device` and the memory's layout have no effect, and `dtype` only chooses between floats,
    integers and truth values.
    """
    itself = _given_itself(autograd, function, arguments, keywords)
    if itself is not None:
        return autograd.another(itself, "alias", arguments, {})
    return _made(autograd, _chosen(autograd, function, keywords), arguments, keywords)


def _made(
    autograd: Autograd,
    function: Function,
    arguments: Sequence[Value],
    keywords: Mapping[str, Value],
) -> Value:
    own = {name: keywords[name] for name in keywords if name not in EXTRA}
    given = [*arguments, *own.values()]
    if not given and function.name == "FloatTensor":  # `torch.Tensor()` has no elements
        arguments = [autograd.values.graph.constant(0.0)]
    if function.name in _OF_DATA:
        _warn_of_copy(autograd, given)
        function, arguments = _with_data(autograd, function, arguments)
    made = call(autograd.values, function, arguments, own)
    if isinstance(made, tuple):
        return made  # several, as of `np.tril_indices`
    node: Node = made
    if function.name == "tensor" and autograd.values.is_pytorch and autograd.requires_grad(node):
        node = detach(node)  # a copy of numbers: no gradient flows back from it
    dtype = keywords.get("dtype")
    if dtype is not None:
        _check_range(autograd, function, arguments, dtype)
        node = as_dtype(autograd, node, dtype)
    elif autograd.dtypes is not None:
        node = _of_usual_dtype(autograd, function, node, given)
    _check_drawn(autograd, function, node)
    marked = keywords.get("requires_grad")
    if marked is not None and autograd.values.truth(marked):
        return autograd.mark(node)
    if node in autograd.values.arrays:
        if function.passes_on:
            return bind(node)  # in the same memory
        return autograd.values.own(bind(node))
    is_number = node.known is not None and not node.shape
    is_given = not is_number and any(node is each for each in (*arguments, *own.values()))
    if is_given and not function.passes_on and autograd.values.is_pytorch:
        return autograd.values.own(node)
    if is_given or (autograd.values.distinct and autograd.requires_grad(node)):
        return node  # nothing was made, as by `x.float()`, or of what gradients flow back to
    return autograd.values.own(node)


def _check_drawn(autograd: Autograd, function: Function, node: Node) -> None:
    """Raise `type` where floats are drawn for a tensor of integers."""
    if not function.name.startswith("rand") or not autograd.values.is_pytorch:
        return
    if autograd.dtypes is not None:
        from gradcli.trace.refusals import check_drawn

        check_drawn(function.name, autograd.dtypes.of(node))


def _chosen(autograd: Autograd, function: Function, keywords: Mapping[str, Value]) -> Function:
    """The function, or the one that copies where it is asked to. Raises `value` for tensors that
    are sparse in PyTorch, and for devices that it does not know.
    """
    if autograd.values.is_pytorch:
        check_device(keywords.get("device"))
    if "sparse" in str(keywords.get("layout")):
        raise GradcliError("value", f"{function.name}: tensors are dense here, not sparse",
                           hint="leave layout=… out: it has the same elements")  # fmt: skip
    copies = keywords.get("copy")
    is_copy = function.passes_on and copies is not None and autograd.values.truth(copies)
    return FUNCTIONS["tensor"] if is_copy else function


def _of_usual_dtype(
    autograd: Autograd, function: Function, node: Node, given: Sequence[Value]
) -> Node:
    """A tensor that was made without a word of its dtype, as PyTorch has it."""
    dtypes = autograd.dtypes
    assert dtypes is not None
    if function.name == "FloatTensor":
        return as_dtype(autograd, node, f"torch.{dtypes.default}")
    if function.name.endswith("_like"):
        return dtypes.as_dtype(node, dtypes.of(autograd.values.tensor(given[0])))
    arrays = autograd.values.arrays
    if function.name in _OF_DATA and arrays and not (node.shape and node in arrays):
        of_numpy = dtypes.of_numbers(given[:1], node.kind)
        if of_numpy:
            node = bind(node)
            dtypes.name(node, of_numpy)
    return dtypes.in_half(node)


_OF_NUMBERS = ("tensor", "full")
"""Functions whose last argument is a number, or are several."""


def _check_range(
    autograd: Autograd, function: Function, arguments: Sequence[Value], dtype: Value
) -> None:
    """Raise PyTorch's error where a dtype of integers has none of a number that is given: those
    below 0 wrap around where it has no sign.
    """
    name = str(dtype).removeprefix("torch.")
    name = ALIASES.get(name, name)
    if name not in INTEGERS or function.name not in _OF_NUMBERS or not arguments:
        return
    given = arguments[-1]
    if isinstance(given, Node) and (given.shape or given.op is LEAF):
        return  # a tensor, which wraps around
    value = autograd.values.evaluator.value(autograd.values.tensor(given))
    most = np.iinfo(name).max
    if not ((value >= (np.iinfo(name).min or -most)) & (value <= most)).all():
        raise GradcliError(
            "value",
            f"value cannot be converted to type {name} without overflow",
            hint=f"{name} holds {np.iinfo(name).min:,} to {most:,}",
        )


_OF_DATA = ("tensor", "as_tensor", "FloatTensor")
"""Functions of elements that are given as lists or tuples."""


def _with_data(
    autograd: Autograd, function: Function, arguments: Sequence[Value]
) -> tuple[Function, Sequence[Value]]:
    """What makes a tensor of elements, and these: a tuple or deque as a list; zeros where there are
    none, or where lengths are given.
    """
    are_lengths = function.name == "FloatTensor" and _are_lengths(autograd, arguments)
    if autograd.values.is_pytorch and arguments and arguments[0] in autograd.values.arrays:
        from gradcli.trace.backward_arrays import check_forward  # few cells come here

        check_forward(autograd.values, arguments[0])
    if arguments and isinstance(arguments[0], Size) and not are_lengths:
        lengths = autograd.values.tensor(Items(list(arguments[0])))
        arguments = [cast(lengths, "int"), *arguments[1:]]
    arguments = [
        Items(autograd.values.elements(each)) if is_row(each) or isinstance(each, range) else each
        for each in arguments
    ]
    if autograd.values.is_pytorch and arguments and isinstance(arguments[0], Items):
        arguments = [_singles(autograd.values, arguments[0]), *arguments[1:]]
    if _is_empty(arguments):
        return FUNCTIONS["zeros"], [autograd.values.graph.constant(0.0)]
    if are_lengths:
        return FUNCTIONS["zeros"], arguments  # of undefined elements in PyTorch
    return function, arguments


def _singles(values: Values, items: Items) -> Items:
    """A list, or a list of lists, in which tensors of one element stand for numbers, as in
    PyTorch.
    """
    if items.is_rolled:
        return items
    for each in items:
        if isinstance(each, Node) and each.size != 1 and values.is_tensor(each):
            said = "only one element tensors can be converted to Python scalars"
            raise RefusedError(("ValueError", said), "type",
                               "a list of tensors of several elements is no list of numbers",
                               hint="torch.stack(tensors) makes one tensor of them")  # fmt: skip
    inner = [Items(_numbers(values, each)) if _is_list(each) else each for each in items]
    return Items(_numbers(values, inner))


def _is_list(value: Value) -> bool:
    return type(value) is Items and not value.is_rolled


def _numbers(values: Values, row: Sequence[Value]) -> list[Value]:
    now = map(values.now, row)
    return [FUNCTIONS["reshape"].build(each) if _is_single(values, each) else each for each in now]


def _is_single(values: Values, each: Value) -> bool:
    """Whether it is a tensor of one element that has axes."""
    return (
        isinstance(each, Node)
        and bool(each.shape)
        and each.size == 1
        and each not in values.arrays
        and each not in values.listed
        and each not in values.number_lists
    )


def _given_itself(
    autograd: Autograd,
    function: Function,
    arguments: Sequence[Value],
    keywords: Mapping[str, Value],
) -> Node | None:
    """The tensor that `torch.Tensor(x)` is given, and returns in the same memory; None for one of
    another dtype than `torch.LongTensor` has, which is converted.
    """
    if function.name != "FloatTensor" or len(arguments) != 1 or not keywords.keys() <= {"dtype"}:
        return None
    given, dtype = arguments[0], keywords.get("dtype")
    if not (autograd.values.is_pytorch and isinstance(given, Node)):
        return None
    fits = dtype is None or autograd.dtype_of(given) == str(dtype).removeprefix("torch.")
    return given if fits and autograd.values.is_tensor(given) else None


def _is_empty(arguments: Sequence[Value]) -> bool:
    """Whether a tensor is made of an empty list: `torch.tensor([])`."""
    return len(arguments) == 1 and isinstance(arguments[0], Items) and not arguments[0].entries()


def _are_lengths(autograd: Autograd, arguments: Sequence[Value]) -> bool:
    """Whether `torch.FloatTensor(2, 3)` is given lengths, or a shape, in place of elements."""
    if len(arguments) == 1 and isinstance(arguments[0], Size):
        return True
    if not autograd.values.is_pytorch:
        return False
    if len(arguments) == 1 and isinstance(arguments[0], Node):
        _check_not_float(autograd.values, arguments[0])
    is_any = len(arguments) > 1  # of several, tensors and numbers of NumPy are lengths, too
    return all(
        isinstance(each, Node)
        and not each.shape
        and (is_any or each.op is not LEAF or each in autograd.values.arrays)
        for each in arguments
    )


def _check_not_float(values: Values, given: Node) -> None:
    """Raise `type` where `torch.Tensor(2.5)` is given neither a length nor elements."""
    is_array = given in values.arrays and given.kind == "float" and not given.shape
    if not is_array and values.plain_kind(given) != "float":
        return
    name = "numpy.float64" if is_array else "float"
    said = f"new(): data must be a sequence (got {name})"
    raise RefusedError(("TypeError", said), "type", "torch.Tensor is given elements, or lengths, "
                       "which are integers", hint="torch.tensor(2.5) is the number")  # fmt: skip


def compute_in(
    autograd: Autograd,
    function: Function,
    arguments: Sequence[Value],
    keywords: Mapping[str, Value],
) -> Value:
    """Call a function that converts its operand to `dtype` before it computes."""
    own = {name: value for name, value in keywords.items() if name != "dtype"}
    dtype = keywords["dtype"]
    operand = next((name for name in ("input", "self", "x", "a") if name in own), None)
    if not arguments and operand is not None:
        arguments = [own.pop(operand)]
    if dtype is None or not arguments:
        unchanged: Value = call(autograd.values, function, arguments, own)
        return unchanged
    node = as_dtype(autograd, autograd.values.tensor(arguments[0], function.name), dtype)
    result: Node = call(autograd.values, function, [node, *arguments[1:]], own)
    converted: Node = as_dtype(autograd, result, dtype)
    return converted


def as_dtype(autograd: Autograd, node: Node, dtype: Value) -> Node:
    """The node with elements of the dtype of that name."""
    name = dtype_name(autograd, dtype, node.graph.precision)
    converted = cast(node, KINDS[name])
    if autograd.dtypes is None:
        return converted
    return autograd.dtypes.as_dtype(converted, name)


def dtype_name(autograd: Autograd, dtype: Value, run: str) -> str:
    """The name of a dtype without `torch.`; the error `type` lists the dtypes, and a note says
    where floats have the run's dtype instead.
    """
    if isinstance(dtype, BuiltIn):
        dtype = dtype.name  # dtype = torch.FloatTensor
    if isinstance(dtype, str):
        dtype = dtype.removeprefix("torch.")
        dtype = TENSORS.get(dtype.removeprefix("cuda."), dtype)
        if dtype not in KINDS:
            from gradcli.trace.array_dtypes import of_code  # few programs write these

            dtype = of_code(dtype)
    if not isinstance(dtype, str) or dtype not in KINDS:
        guess = nearest(dtype, KINDS) if isinstance(dtype, str) else None
        raise GradcliError(
            "type",
            f"there is no dtype {dtype}" if isinstance(dtype, str) else "dtype must be a name",
            hint=f"did you mean {guess!r}?"
            if guess
            else "float, int and bool are there; --dtype float32 is for the whole run",
        )
    said = _other_than(dtype, run, tracked=autograd.dtypes is not None)
    if said and (note := Note("dtype", said)) not in autograd.notes:
        autograd.notes.append(note)
    return dtype


def _other_than(dtype: str, run: str, *, tracked: bool) -> str:
    """By what values of a run differ from those of a dtype; nothing where they do not. `tracked`:
    dtypes of tensors are known, as in Python's cells.
    """
    if dtype in _HALVES and not tracked:
        return f"a run has one floating-point dtype: {dtype} is computed as {run} here"
    if dtype in _SHORT and not tracked:
        return f"integers are computed with 64 bits here: {dtype} does not wrap around"
    if PRECISIONS.get(dtype, run) != run:
        return (
            f"a run has one floating-point dtype: {dtype} is {run} here; "
            f"--dtype {PRECISIONS[dtype]} makes it the run's"
        )
    return ""
