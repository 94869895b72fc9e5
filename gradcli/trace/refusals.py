"""What PyTorch, NumPy and Python refuse: dtypes and classes that an operand cannot have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gradcli.diagnostics import GradcliError, RefusedError
from gradcli.graph import Node
from gradcli.ops import FUNCTIONS
from gradcli.ops.shapes import show
from gradcli.ops.table import Alike, Demand, Ranked, kernel
from gradcli.ops.tiling import BEYOND
from gradcli.trace.dtype_names import C_NAMES, TYPES
from gradcli.trace.items import Items
from gradcli.trace.objects import Object
from gradcli.trace.values import NO_GRAD_YET, Value, Values

_FLOATS = Demand("").dtypes
_HALVES = _FLOATS[:2]
_MAKERS = {
    "int32": "long",
    "int64": "long",
    "bool": "bool",
    "float16": "float",
    "float32": "float",
    "uint8": "int",
}
"""What makes a tensor of the first dtype that is taken."""

MATCHED = {"input, other": Alike("{Type} did not match {Other}")}
"""What comparisons within tolerances take."""


def check_demands(
    values: Values,
    name: str,
    demands: Mapping[str, Demand | Alike | Ranked],
    given: Mapping[str, Value],
) -> None:
    """Raise `type` where a tensor among the arguments of a function is of a dtype that PyTorch does
    not take there.
    """
    for operands, demand in demands.items():
        found = [given[each] for each in operands.split(", ") if each in given]
        nodes = [each for each in found if isinstance(each, Node) and values.is_tensor(each)]
        if isinstance(demand, Ranked):
            _check_ranks(name, operands, demand, nodes)
            continue
        if isinstance(demand, Alike):
            _check_alike(values, name, operands, demand, nodes)
            continue
        argument, _, wanted = demand.only_with.partition("=")
        is_idle = (
            given.get(argument, wanted) != wanted
            if wanted
            else argument and (argument not in given)
        )
        if not nodes or len(nodes) < len(found) or is_idle:
            continue
        dtypes = list(map(values.array_dtype, nodes))
        like = given.get(demand.unless_like)
        is_alike = isinstance(like, Node) and like.shape == nodes[0].shape
        taken = _FLOATS if is_alike and demand.alike else demand.dtypes
        if demand.halves:
            taken = tuple(each for each in taken if each not in _HALVES)
        if (is_alike and not demand.alike) or not set(dtypes).isdisjoint(taken):
            continue
        words, kind = demand.alike if is_alike else demand.words, demand.kind
        if demand.halves and dtypes[0] in _HALVES:
            by_kernel = kernel(demand.halves)
            is_kernel = "{" not in demand.halves
            words = by_kernel.words if is_kernel else demand.halves
            kind = by_kernel.kind if is_kernel else kind
        said = words.format(Type=TYPES[dtypes[0]], type=C_NAMES[dtypes[0]], sizes=[*nodes[0].shape])
        raise RefusedError(
            (kind, said),
            "type",
            f"{name}: {operands} must be of {' or '.join(taken[-2:])}, not {dtypes[0]}",
            hint=f"x.{_MAKERS[taken[0]]}() makes such a tensor of x",
        )


_DRAWN = {
    **dict.fromkeys(("randn", "randn_like", "normal"), "normal_kernel_cpu"),
    **dict.fromkeys(("rand", "rand_like", "uniform"), "check_uniform_bounds"),
}
"""By function what PyTorch draws floats by."""


def check_drawn(name: str, dtype: str) -> None:
    """Raise `type` where floats are drawn for a tensor of integers or truth values."""
    if dtype in _FLOATS:
        return
    words = ("NotImplementedError", f"\"{_DRAWN.get(name)}\" not implemented for '{TYPES[dtype]}'")
    if name not in _DRAWN:
        said = f"{name.title()} distribution is a continuous probability distribution. dtype must "
        words = ("RuntimeError", f"{said}be a floating point but you specified {TYPES[dtype]}")
    raise RefusedError(
        words, "type", f"{name}: floats are drawn, and no tensor of {dtype} holds them",
        hint="x.float() makes such a tensor of x; torch.randint(0, 10, (3,)) draws integers",
    )  # fmt: skip


def _check_ranks(name: str, operands: str, demand: Ranked, nodes: list[Node]) -> None:
    if len({each.ndim for each in nodes}) > 1:
        pairs = zip(operands.split(", "), nodes, strict=False)
        sizes = ", ".join(f"{operand}: torch.Size({[*each.shape]})" for operand, each in pairs)
        raise RefusedError(
            ("RuntimeError", demand.words.format(sizes=sizes)),
            "shape",
            f"{name}: {operands} must have as many axes",
            hint="x.unsqueeze(0) has one more",
        )


def _check_alike(
    values: Values, name: str, operands: str, demand: Alike, nodes: list[Node]
) -> None:
    dtypes = list(map(values.array_dtype, nodes))
    other = next((each for each in dtypes if each != dtypes[0]), None)
    is_asked = not demand.with_axes or all(each.shape for each in nodes)
    if other is not None and is_asked:
        said = demand.words.format(
            Type=TYPES[dtypes[0]], type=C_NAMES[dtypes[0]], dtype=dtypes[0],
            Other=TYPES[other], other=C_NAMES[other], other_dtype=other,
        )  # fmt: skip
        raise RefusedError(
            (demand.kind, said),
            "type",
            f"{name}: {operands} must be of one dtype, not of {dtypes[0]} and {other}",
            hint="x.float() makes float32 of a tensor, x.to(w.dtype) what w has",
        )


def check_operands(values: Values, name: str, *operands: Node) -> None:
    """The same for operators, which take integers and truth values that others do not."""
    function = FUNCTIONS[name]
    given = dict(zip(function.operands, operands, strict=True))
    check_demands(values, name, function.demands, given)
    if name == "pow" and operands[0].kind == "int":
        base, power = operands
        is_whole = power.kind == "int" or values.plain_kind(power) == "int"
        if not is_whole or not values.is_tensor(base) or values.is_tensor(power):
            return
        if values.number(power, "") < 0:
            raise RefusedError(
                ("RuntimeError", "Integers to negative integer powers are not allowed."),
                "type",
                "integers have no negative powers that are integers",
                hint="x.float() makes floats of them",
            )


def check_kept(values: Values, before: Node, result: Node, operator: str = "") -> None:
    """Raise `type` where a change in place would need another kind of tensor, or of array."""
    if _KINDS.index(result.kind) <= _KINDS.index(before.kind):
        return
    values.stay_arrays(result, (before,))
    old, new = values.array_dtype(before), values.array_dtype(result)
    if before in values.arrays:
        error = "TypeError"
        casts = f"output from dtype({new!r}) to dtype({old!r}) with casting rule 'same_kind'"
        said = f"Cannot cast ufunc {_UFUNCS.get(operator, operator)!r} {casts}"
    else:
        error = "RuntimeError"
        said = f"result type {TYPES[new]} can't be cast to the desired output type {TYPES[old]}"
    raise RefusedError(
        (error, said),
        "type",
        f"a tensor or array of {old} cannot become one of {new} in place",
        hint="bind a name to the result: x = x + y",
    )


def one_of_several(name: str) -> RefusedError:
    """The error of a change in place of what PyTorch's function of that name has shown."""
    said = (
        f"Output 0 of {name} is a view and is being modified inplace. This view is the output of "
        "a function that returns multiple views. Such functions do not allow the output views to "
        "be modified inplace. You should replace the inplace operation by an out-of-place one."
    )
    return RefusedError(
        ("RuntimeError", said),
        "value",
        "this is one of several views that were made at once: it cannot change in place",
        hint="x[0] is a view that may change; y = y + 1 makes a new tensor",
    )


def check_filling(name: str, node: Node, value: Node) -> None:
    """Raise `shape` where `fill_` gets several elements, or `copy_` a tensor that does not fit."""
    count = len(value.shape)
    if name == "fill" and count:
        said = (
            f"fill_ only supports 0-dimension value tensor but got tensor with {count} dimensions."
        )
        raise RefusedError(("RuntimeError", said), "shape", "fill_ takes a single value",
                           hint="x.copy_(y) copies a tensor")  # fmt: skip
    axes = range(1, min(count, node.ndim) + 1)
    wrong = next((i for i in axes if value.shape[-i] not in (1, node.shape[-i])), None)
    if wrong is None and count <= node.ndim:
        return
    said = f"output with shape {[*node.shape]} doesn't match the broadcast shape {[*value.shape]}"
    if wrong is not None:
        said = (
            f"The size of tensor a ({node.shape[-wrong]}) must match the size of tensor b "
            f"({value.shape[-wrong]}) at non-singleton dimension {max(count, node.ndim) - wrong}"
        )
    told = f"a value of {show(value.shape)} cannot be put into {show(node.shape)}"
    raise RefusedError(("RuntimeError", said), "shape", told,
                       hint="a value has the shape of what it replaces")  # fmt: skip


def not_fitting(value: Node, places: Node, by_places: bool) -> RefusedError:
    """The error for values that do not fit the elements that they are put into."""
    new, old = [*value.shape], [*places.shape]
    if by_places:
        said = (
            f"shape mismatch: value tensor of shape {new} cannot be broadcast to indexing result "
            f"of shape {old}"
        )
    elif len(new) > len(old):
        kind = "FloatTensor" if value.kind == "float" else "LongTensor"
        said = (
            f"expand(torch.{kind}{{{new}}}, size={old}): the number of sizes provided ({len(old)}) "
            "must be greater or equal to the number of dimensions in the tensor "
            f"({len(new)})"
        )
    else:
        wrong = next(i for i in range(1, len(new) + 1) if new[-i] not in (1, old[-i]))
        said = (
            f"The expanded size of the tensor ({old[-wrong]}) must match the existing size "
            f"({new[-wrong]}) at non-singleton dimension {len(old) - wrong}.  "
            f"Target sizes: {old}.  Tensor sizes: {new}"
        )
    return RefusedError(
        ("RuntimeError", said),
        "shape",
        f"a value of {show(value.shape)} cannot be put into {show(places.shape)}",
        hint="a value has the shape of the elements that it replaces, or is a single one",
    )


def check_grad(values: Values, node: Node, grad: Value) -> None:
    """Raise `type` for what PyTorch takes for no grad of a tensor."""
    if isinstance(grad, Node) and values.is_tensor(grad):
        dtype, wanted = values.array_dtype(grad), values.array_dtype(node)
        if dtype == wanted:
            return
        kind = "RuntimeError"
        said = (
            f"attempting to assign a gradient with dtype '{C_NAMES[dtype]}' to a tensor with "
            f"grad_dtype '{TYPES[wanted]}'. The gradient must match the tensor's grad_dtype "
            "(defaults to the tensor's dtype). You can set the tensor's grad_dtype attribute with "
            "a specific dtype, or None to allow any dtype. Set grad_dtype with caution. Diverging "
            "the dtypes of a tensor and its gradient may break downstream systems that assume they "
            "match."
        )
        told = f"a grad of {dtype} is no grad of a tensor of {wanted}"
    else:
        kind = "TypeError"
        found = values.plain_kind(grad) or ("list" if isinstance(grad, Items) else (
            grad.class_name if isinstance(grad, Object) else type(grad).__name__))  # fmt: skip
        said = f"assigned grad expected to be a Tensor or None but got grad of type {found}"
        told = "a grad is a tensor"
    raise RefusedError((kind, said), "type", told, hint="torch.zeros_like(x) fits x")


def view_detached() -> RefusedError:
    """The error of `x[0].detach_()`."""
    said = (
        "Can't detach views in-place. Use detach() instead. If you are using "
        "DistributedDataParallel (DDP) for training, and gradient_as_bucket_view is set as True, "
        "gradients are views of DDP buckets, and "
        "hence"
        " detach_() cannot be called on these "
        "gradients. To fix this error, please refer to the Optimizer.zero_grad() function in "
        "torch/optim/optimizer.py as the solution."
    )
    return RefusedError(("RuntimeError", said), "value", "a view cannot be detached in place",
                        hint="y = y.detach()")  # fmt: skip


def view_unrecorded() -> RefusedError:
    """The error of a view that was made under `no_grad` and changes where gradients flow."""
    said = (
        "A view was created in no_grad mode and is being modified inplace with grad mode enabled. "
        "Given that this use case is ambiguous and error-prone, it is forbidden. You can clarify "
        "your code by moving both the view and the inplace either both inside the no_grad block "
        "(if you don't want the inplace to be tracked) or both outside (if you want the inplace to "
        "be tracked)."
    )
    return RefusedError(
        ("RuntimeError", said), "value",
        "a view that was made under no_grad cannot change in place where gradients flow",
        hint="do both under no_grad, or both outside",
    )  # fmt: skip


_KINDS = ("bool", "int", "float")
_UFUNCS = {"+": "add", "-": "subtract", "*": "multiply", "/": "divide", "//": "floor_divide",
           "**": "power", "%": "remainder", "&": "bitwise_and", "|": "bitwise_or",
           "^": "bitwise_xor", "@": "matmul"}  # fmt: skip
"""What NumPy calls operators."""


def no_operator(operator: str, left: str, right: str) -> RefusedError:
    """The error for an operator between values of classes that have none."""
    if operator == "+" and left in ("str", "list", "tuple"):
        said = f'can only concatenate {left} (not "{right}") to {left}'
    elif operator == "*" and left in ("str", "list", "tuple"):
        said = f"can't multiply sequence by non-int of type '{right}'"
    else:
        function = " or pow()" if operator == "**" else ""
        said = f"unsupported operand type(s) for {operator}{function}: '{left}' and '{right}'"
    return RefusedError(
        ("TypeError", said),
        "type",
        f"there is no {operator} of {left} and {right}",
        hint=NO_GRAD_YET
        if "NoneType" in (left, right)
        else "torch.tensor(…) makes a tensor of a list, str(x) a text, float(s) a number",
    )


def before_its_value(name: str, is_local: bool) -> RefusedError:
    """The error for a name of a function's own, or of a function around it, that is read before it
    has a value.
    """
    said = f"cannot access {'local' if is_local else 'free'} variable '{name}' where it is not "
    said += "associated with a value" + ("" if is_local else " in enclosing scope")
    return RefusedError(
        ("UnboundLocalError" if is_local else "NameError", said),
        "name",
        f"the name {name!r} has no value yet: the function gives it one of its own",
        hint=f"global {name} in its first line means the one outside; or pass it as an argument",
    )


def no_order(operator: str, left: str, right: str) -> RefusedError:
    """The error for a comparison of values of classes that have no order."""
    said = f"'{operator}' not supported between instances of '{left}' and '{right}'"
    return RefusedError(
        ("TypeError", said),
        "type",
        f"there is no {operator} of {left} and {right}",
        hint=NO_GRAD_YET if "NoneType" in (left, right) else "float(s) makes a number of a text",
    )


def no_sign(operator: str, kind: str) -> RefusedError:
    """The error for an operator before a value of a class that has none."""
    return RefusedError(
        ("TypeError", f"bad operand type for unary {operator}: '{kind}'"),
        "type",
        f"there is no {operator} of {kind}",
        hint="torch.tensor(…) makes a tensor of a list, [-each for each in row] a list",
    )


def division_by_zero(operator: str, whole: bool) -> RefusedError:
    """Python's error, of two integers if they are `whole`."""
    said = {
        "//": "integer division or modulo by zero" if whole else "float floor division by zero",
        "divmod": "integer division or modulo by zero" if whole else "float divmod()",
        "**": "0.0 cannot be raised to a negative power",
        "%": "integer modulo by zero" if whole else "float modulo",
    }.get(operator, "division by zero" if whole else "float division by zero")
    return RefusedError(
        ("ZeroDivisionError", said),
        "value",
        "division by zero",
        hint="torch.tensor(0.) divides as PyTorch does",
    )


def check_power(base: float, power: float, *, whole: bool) -> None:
    """Raise `value` where a power of numbers of Python's is too large, of integers if `whole`."""
    try:
        base**power
    except OverflowError as error:
        if whole:
            raise GradcliError(
                "value", "whole numbers are exact up to 2**53 here",
                hint="2.0**100 is a float, of which 16 digits are right",
            ) from None  # fmt: skip
        raise RefusedError(
            ("OverflowError", str(error)), "value",
            f"{base:g} ** {power:g} is too large for a number",
            hint="torch.tensor(10.)**400 is inf",
        ) from None  # fmt: skip


_KEPT = {
    "parameter": "torch.nn.Parameter",
    "child module": "torch.nn.Module",
    "buffer": "torch.nn.Buffer, torch.Tensor",
}
"""What parts of models stay, as PyTorch says it."""


def of_another_kind(values: Values, name: str, kind: str, value: Value) -> RefusedError:
    """The error where a part of a model would become something else."""
    if isinstance(value, Node):
        is_tensor = values.is_tensor(value)
        given = f"torch.{TYPES[values.array_dtype(value)]}Tensor" if is_tensor else (
            values.plain_kind(value)
        )  # fmt: skip
    else:
        given = getattr(value, "title", type(value).__name__)
    said = f"cannot assign '{given}' as {kind} '{name}' ({_KEPT[kind]} or None expected)"
    return RefusedError(
        ("TypeError", said),
        "type",
        f"{name} is a {kind} of the model, and stays one",
        hint=f"with torch.no_grad(): model.{name}.copy_(…) changes its elements"
        if kind == "parameter"
        else "give the other value a name of its own",
    )


_PADDED = ((2, 2), (3, 2), (3, 4), (4, 4), (4, 6), (5, 6))
"""Of so many axes, so many counts pad by elements that are there."""


def check_pad(values: Values, arguments: Sequence[Value], keywords: Mapping[str, Value]) -> None:
    """Raise `shape` for what PyTorch does not pad: by elements that are there, it pads the last
    axes behind one or two others.
    """
    given = dict(zip(("x", "pad", "mode", "value"), arguments, strict=False))
    given |= keywords
    x, counts = given.get("x", given.get("input")), given.get("pad")
    mode = str(given.get("mode", "constant"))
    if not isinstance(x, Node) or counts is None:
        return
    widths = values.integers(counts, "pad")
    kind, said = "RuntimeError", ""
    if len(widths) % 2:
        said = "Padding length must be divisible by 2"
    elif len(widths) > 2 * x.ndim:
        said = (
            "Padding length should be less than or equal to two times the input dimension but got "
            f"padding length {len(widths)} and input of dimension {x.ndim}"
        )
    elif mode == "constant":
        return
    elif mode not in BEYOND:
        kind, said = "NotImplementedError", f"Unrecognised padding mode {mode}"
    elif given.get("value") is not None and values.number(given["value"], "value") != 0:
        said = f'Padding mode "{mode}" doesn\'t take in value argument'
    elif (x.ndim, len(widths)) not in _PADDED:
        kind, said = (
            "NotImplementedError",
            (
                f"Padding size {len(widths)} is not supported for {x.ndim}D input tensor.\n"
                "Supported combinations for non-constant padding:\n"
                "  - 2D or 3D input: padding size = 2 (pads last dimension)\n"
                "  - 3D or 4D input: padding size = 4 (pads last 2 dimensions)\n"
                "  - 4D or 5D input: padding size = 6 (pads last 3 dimensions)"
            ),
        )
    else:
        said = _too_wide(x, widths, mode)
    if said:
        raise RefusedError(
            (kind, said), "shape", f"pad: {show(x.shape)} is not padded by {mode} of {widths}",
            hint="counts are (before, after) of the last axis, then of the one before; other modes "
            "than 'constant' pad x[None], and take less than there are elements",
        )  # fmt: skip


def _too_wide(x: Node, widths: Sequence[int], mode: str) -> str:
    """What PyTorch says where more is added than there is, if it is."""
    for place in range(len(widths) // 2):
        axis = x.ndim - 1 - place
        pair = tuple(widths[2 * place : 2 * place + 2])
        if mode == "reflect" and max(pair) >= x.shape[axis]:
            return (
                "Argument #4: Padding size should be less than the corresponding input dimension, "
                f"but got: padding {pair} at dimension {axis} of input {[*x.shape]}"
            )
        if mode == "circular" and max(pair) > x.shape[axis]:
            return "Padding value causes wrapping around more than once."
    return ""
