"""What `torch.func` says of functions and arguments that it does not take, in PyTorch's words."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from gradcli.diagnostics import RefusedError
from gradcli.graph import Node
from gradcli.ops.shapes import show
from gradcli.trace.objects import Object
from gradcli.trace.values import Value, Values, describe

_RAISES = {"": "RuntimeError", ".": "TypeError"}


def is_no_tensor(values: Values, value: Value) -> bool:
    """Whether a function of a program that imports PyTorch returns what is no tensor."""
    return values.is_pytorch and (not isinstance(value, Node) or bool(values.plain_kind(value)))


def not_scalar(node: Node) -> RefusedError:
    """The error for the gradient of a function whose value has axes."""
    said = (
        f"grad_and_value(f)(*args): Expected f(*args) to return a scalar Tensor, got tensor with "
        f"{node.ndim} dims. Maybe you wanted to use the vjp or jacrev APIs instead?"
    )
    return RefusedError(
        ("RuntimeError", said),
        "gradient-required",
        f"the function's value has {show(node.shape)}: a gradient is of a single value",
        hint="let it return a sum, or use jacrev or jacobian",
    )


def no_tensor(values: Values, value: Value, before: str, after: str = "") -> RefusedError:
    """The error for a function whose value is no tensor, of which PyTorch says the class."""
    kind = values.plain_kind(value) or (
        value.class_name if isinstance(value, Object) else type(value).__name__
    )
    return RefusedError(
        (_RAISES.get(after, "ValueError"), f"{before}<class '{kind}'>{after}"),
        "type",
        f"the function returns {describe(value)}, not a tensor",
        hint="let it return what is computed of its arguments",
    )


def of_no_floats(dtype: str) -> RefusedError:
    """The error for rows of derivatives of integers or truth values."""
    said = (
        "vjp(f, ...): All outputs of f must be floating-point or complex Tensors, got Tensor with "
        f"dtype torch.{dtype}"
    )
    return RefusedError(
        ("RuntimeError", said),
        "not-differentiable",
        f"the function returns {dtype}: that has no derivative",
        hint="x.argmax() and x > 0 change in steps; softmax and sigmoid(x) are smooth",
    )


OUTPUTS = (
    "The outputs of the user-provided function given to {} must be either a Tensor or a tuple of "
    "Tensors but the given outputs of the user-provided function has type "
)


def not_single(name: str, node: Node) -> RefusedError:
    """The error for a function of several values in `torch.autograd.functional`."""
    said = f"The Tensor returned by the function given to {name} should contain a single element"
    if name == "vjp":
        said = (
            "The vector v can only be None if the user-provided function returns a single Tensor "
            "with a single element."
        )
    return RefusedError(
        ("RuntimeError", said),
        "gradient-required",
        f"the function's value has {show(node.shape)}: {name} is of a single value",
        hint="let it return a sum, or give v",
    )


def no_tuple() -> RefusedError:
    """The error for a tensor where `torch.func.jvp` takes a tuple."""
    said = (
        "jvp(f, primals, tangents): Expected primals to be a tuple. E.g. it should be valid to "
        "call f(*primals)."
    )
    return RefusedError(
        ("RuntimeError", said), "type", "jvp takes a tuple of arguments, and one of tangents",
        hint="jvp(f, (x,), (t,))",
    )  # fmt: skip


def no_argument(place: int, count: int) -> RefusedError:
    """The error for a gradient by an argument that there is not."""
    return RefusedError(
        ("RuntimeError", f"Got argnum={place}, but only {count} positional inputs"),
        "index",
        f"argnums is {place}, and there are {count} arguments",
    )


def no_integer() -> RefusedError:
    """The error for a gradient by integers."""
    return RefusedError(
        ("RuntimeError", "only Tensors of floating point dtype can require gradients"),
        "type",
        "a gradient is by a tensor of floats",
        hint="x.float() makes floats of integers",
    )


def vmap_title(values: Values, function: Object, dims: Value) -> str:
    """How PyTorch writes such a call."""
    return f"vmap({name_of(function)}, in_dims={_written(values, dims)}, ...)(<inputs>): "


def name_of(function: Object) -> str:
    """The name of a function; that of its class where it has none."""
    name = getattr(getattr(function, "definition", None), "name", function.title)
    return "<lambda>" if name == "lambda" else str(name)


def _written(values: Values, dims: Value) -> str:
    if isinstance(dims, Node):
        return str(values.integer(dims, "in_dims"))
    if isinstance(dims, tuple):
        inside = ", ".join(_written(values, each) for each in dims)
        return f"({inside},)" if len(dims) == 1 else f"({inside})"
    return str(dims)


def not_transformed(kind: str) -> RefusedError:
    """The error for an argument of this class, by which nothing is derived."""
    said = f"Thing passed to transform API must be Tensor, got <class '{kind}'>"
    told = f"a derivative is by tensors, not by a {kind}"
    return RefusedError(("ValueError", said), "type", told, hint="torch.tensor(x) makes one of x")


def no_tensor_mapped(title: str, dim: int, kind: str) -> RefusedError:
    """The error for an argument of this class, which has no rows."""
    said = (
        f"{title}Got in_dim={dim} for an input but the input is of type <class '{kind}'>. We "
        "cannot vmap over non-Tensor arguments, please use None as the respective in_dim"
    )
    return RefusedError(("ValueError", said), "type", f"vmap goes over tensors, not over a {kind}",
                        hint="in_dims=(0, None) takes the second argument as it is")  # fmt: skip


def no_axis(title: str, dim: int, node: Node) -> RefusedError:
    """The error for rows along an axis that a tensor has not."""
    said = (
        f"{title}Got in_dim={dim} for some input, but that input is a Tensor of dimensionality "
        f"{node.ndim} so expected in_dim to satisfy -{node.ndim} <= in_dim < {node.ndim}."
    )
    return RefusedError(
        ("ValueError", said),
        "shape",
        f"vmap: in_dim is {dim}, and the tensor has {show(node.shape)}",
        hint="in_dims=(0, None) takes the second argument as it is",
    )


def of_other_lengths(counts: Collection[int]) -> RefusedError:
    """The error for arguments with several numbers of rows."""
    said = (
        "vmap: Expected all tensors to have the same size in the mapped dimension, got sizes "
        f"{[*counts]} for the mapped dimension"
    )
    return RefusedError(
        ("ValueError", said),
        "shape",
        "vmap needs arguments with one number of rows",
        hint="in_dims=(0, None) takes the second as it is",
    )


def no_axes_given(title: str) -> RefusedError:
    """The error for `in_dims=None`."""
    said = (
        f"{title}expected `in_dims` to be int or a (potentially nested) tuple matching the "
        "structure of inputs, got: <class 'NoneType'>."
    )
    return RefusedError(("ValueError", said), "value", "vmap: in_dims is a number, or a tuple",
                        hint="in_dims=(0, None)")  # fmt: skip


def other_structure(title: str, wanted: Sequence[Value], inputs: Sequence[Value]) -> RefusedError:
    """The error for axes that are not one for each argument."""
    said = (
        f"{title}in_dims is not compatible with the structure of `inputs`. in_dims has structure "
        f"{_tree(len(wanted))} but inputs has structure {_tree(len(inputs))}."
    )
    return RefusedError(
        ("ValueError", said),
        "value",
        f"in_dims is for {len(wanted)} arguments; {len(inputs)} are given",
    )


def _tree(count: int) -> str:
    inside = ",\n  ".join("*" * count)
    return f"TreeSpec(tuple, None, [{inside}])"
