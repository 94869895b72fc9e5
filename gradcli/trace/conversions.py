"""PyTorch's methods that convert a tensor: to numbers, lists, dtypes and devices."""

from __future__ import annotations

import math
from functools import cached_property, partial

from gradcli.diagnostics import Diagnostic, GradcliError, Note, RefusedError
from gradcli.graph import Array, Node
from gradcli.ops import FUNCTIONS
from gradcli.ops.control import bind, detach, leaf
from gradcli.ops.kinds import cast
from gradcli.ops.shapes import show
from gradcli.trace.arguments import bind_names
from gradcli.trace.autograd import Autograd
from gradcli.trace.constructors import as_dtype, construct
from gradcli.trace.device_names import DEVICES, check_device, is_device
from gradcli.trace.items import Device, Items, NumpyDtype, Unquoted
from gradcli.trace.names import is_complex_dtype
from gradcli.trace.printing import PrintedNumbers
from gradcli.trace.special import Special
from gradcli.trace.values import Value, describe

_METHODS = ("double", "half", "bfloat16", "float", "int", "long", "short", "char", "byte", "bool")
"""Methods that convert to the dtype of their name."""
TYPES = {
    "float16": "Half", "bfloat16": "BFloat16", "float32": "Float", "float64": "Double",
    "uint8": "Byte", "int8": "Char", "int16": "Short", "int32": "Int", "int64": "Long",
    "bool": "Bool",
}  # fmt: skip
"""What PyTorch calls dtypes in `x.type()`, and the functions `torch.LongTensor` and its like."""
BYTES = {"float16": 2, "bfloat16": 2, "float32": 4, "uint8": 1, "int8": 1, "int16": 2, "int32": 4,
         "bool": 1}  # fmt: skip
"""The size of an element; 8 of others."""
NUMPY_OF_GRAD = "numpy() is for a tensor through which no gradient flows"

PART = 2**30
"""So many bytes are between the tensors that `data_ptr` tells of."""


class Conversions:
    """The methods by name. A run has one device and one floating-point dtype, so that moving to
    another has no effect.
    """

    def __init__(self, autograd: Autograd) -> None:
        self.autograd = autograd
        self.values = autograd.values
        self.functions: dict[str, Special] = {
            "clone": self._clone,
            "device": self._device,
            "torch.from_numpy": self._from_numpy,
            "torch.is_tensor": self._is_tensor,
            "empty": partial(self._empty, "zeros"),
            "empty_like": partial(self._empty, "zeros_like"),
            **{
                f"torch.{TYPES[dtype]}Tensor": partial(self._tensor_of, dtype)
                for dtype in TYPES
                if dtype != "float32"
            },
        }

    @cached_property
    def methods(self) -> dict[str, Special]:
        """The methods by name."""
        return {
            "item": self._item,
            "tolist": self._tolist,
            "numpy": self._numpy,
            "clone": self._clone,
            "data_ptr": self._data_ptr,
            "new_zeros": partial(self._new, "zeros"),
            "new_ones": partial(self._new, "ones"),
            "to": self._to,
            **{name: partial(self._same, name) for name in ("cpu", "cuda", "contiguous")},
            **{name: partial(self._typed, name) for name in ("type", "astype")},
            **{name: partial(self._as, name) for name in _METHODS},
            "element_size": self._element_size,
            "type_as": self._type_as,
        }

    def _only(self, name: str, arguments: list[Value], keywords: dict[str, Value]) -> Node:
        """The tensor that a method without arguments is called on."""
        given = bind_names(name, ("self",), arguments, keywords)
        return self.values.tensor(given["self"])

    # --- numbers and lists ---

    def _item(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        """The only element, looked at now: a number, from which no gradient flows back."""
        node = self._only("item", arguments, keywords)
        if node.size != 1:
            raise GradcliError(
                "type",
                f"item is for a tensor of one element; this is {show(node.shape)}",
                hint="x[0].item() is the number in one element, x.tolist() gives all of them",
            )
        self.values.check_look(node, "item")
        passes = self.values.any_pass
        if passes is not None and (number := passes.number_in(node)) is not None:
            self.values.taken_numbers[number] = node
            return number
        return self._number(self._elements(node).item(), node)

    def _elements(self, node: Node) -> Array:
        """The elements, looked at now, as its dtype holds them."""
        found = self.values.evaluator.value(node)
        dtype = self.autograd.dtypes.of(node) if self.autograd.dtypes is not None else ""
        if BYTES.get(dtype, 8) >= 4:
            return found
        from gradcli.trace.tensor_text import as_held  # few programs have short dtypes

        return as_held(found, dtype)

    def _tolist(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        """The elements as lists of numbers, looked at now; the number itself of a single value."""
        node = self._only("tolist", arguments, keywords)
        self.values.check_look(node, "storage")
        self.values.graph.check_room(math.prod(max(1, length) for length in node.shape))
        level: list[Value] = [
            self._number(each, node) for each in self._elements(node).ravel().tolist()
        ]
        for axis in reversed(range(node.ndim)):
            length = node.shape[axis]
            rows = range(math.prod(node.shape[:axis]))
            level = [Items(level[row * length : (row + 1) * length]) for row in rows]
        return level[0]

    def _number(self, value: float | bool, node: Node) -> Node:
        """A number out of a tensor, as a node."""
        single = self.values.is_single(node)
        if single:
            from gradcli.trace.printing import as_single

            value = as_single(value)
        return self.values.plain(value, single=single)

    def _numpy(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        given = self._only("numpy", arguments, keywords)
        self.values.check_look(given, "storage")
        is_followed = given.kind == "float" and self.autograd.requires_grad(given)
        if self.values.is_pytorch and is_followed and self.autograd.records():
            raise GradcliError("no-grad", NUMPY_OF_GRAD, hint="x.detach().numpy()")
        node = detach(given) if given.kind == "float" else given
        if not self.values.is_pytorch:
            return node
        array = bind(node)
        if not array.shape:
            self.values.boxed.add(array)
        self.values.arrays.add(array)
        if self.autograd.dtypes is not None:
            self.autograd.dtypes.name(array, self.autograd.dtypes.of(given))
        return array

    def _from_numpy(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        """A tensor in the memory of an array of NumPy's."""
        given = bind_names("from_numpy", ("ndarray",), arguments, keywords)
        value = given["ndarray"]
        node = self.values.tensor(value, "from_numpy")
        kind = PrintedNumbers(self.values).class_of(value) or (
            "Tensor" if self.values.is_pytorch and self.values.is_tensor(value) else ""
        )
        if kind and kind != "numpy.ndarray":
            raise RefusedError(
                ("TypeError", f"expected np.ndarray (got {kind})"), "type",
                f"from_numpy takes an array of NumPy's, not a {kind.lower()}",
                hint="torch.tensor(x) makes a tensor of a list, and a copy of one",
            )  # fmt: skip
        if node in self.values.arrays:
            if self.values.is_pytorch:
                from gradcli.trace.backward_arrays import check_forward  # few cells come here

                check_forward(self.values, node)
            tensor = bind(node)
            if self.autograd.dtypes is not None:
                self.autograd.dtypes.name(tensor, self.values.array_dtype(node))
            return tensor
        return construct(self.autograd, FUNCTIONS["tensor"], [node], {})

    def _type_as(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        """x with elements of the dtype of another tensor."""
        given = bind_names("type_as", ("self", "other"), arguments, keywords)
        x, other = (self.values.tensor(each, f"type_as: {name}") for name, each in given.items())
        return self._like(x, other)

    def _is_tensor(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        given = bind_names("is_tensor", ("obj",), arguments, keywords)["obj"]
        numbers = PrintedNumbers(self.values)
        return self.values.graph.constant(
            isinstance(given, Node) and given not in self.values.arrays and given not in numbers
        )

    def _new(self, name: str, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        """`x.new_zeros(2, 3)`: a tensor of the kind of x."""
        like = self.values.tensor(arguments[0])
        made = construct(self.autograd, FUNCTIONS[name], arguments[1:], keywords)
        is_other = "dtype" in keywords or not isinstance(made, Node)
        return made if is_other else self.values.own(self._like(self.values.tensor(made), like))

    def _like(self, node: Node, other: Node) -> Node:
        """The node with elements of the dtype of another one."""
        dtypes = self.autograd.dtypes
        return cast(node, other.kind) if dtypes is None else dtypes.like(node, other)

    def _as(self, name: str, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        """`x.double()` and its like."""
        return as_dtype(self.autograd, self._only(name, arguments, keywords), name)

    def _element_size(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        node = self._only("element_size", arguments, keywords)
        return self.values.plain(BYTES.get(self.autograd.dtype_of(node), 8))

    def _tensor_of(self, dtype: str, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        """`torch.LongTensor([1, 2])` and its like."""
        return construct(self.autograd, FUNCTIONS["FloatTensor"], arguments, {"dtype": dtype})

    def _data_ptr(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        """Where in memory the first element lies: each tensor that is no view has its own part."""
        node = self._only("data_ptr", arguments, keywords)
        base, views = self.values.storage(node)
        start = PART * (1 + self.values.first.get(base, base).index)
        if views:
            size = BYTES.get(self.autograd.dtype_of(node), 8)
            start += size * int(self.values.places(base, views).ravel()[:1].sum())
        return self.values.plain(start)

    # --- copies, dtypes and devices ---

    def _clone(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        wanted = keywords.pop("memory_format", None)
        copied = self._copy(self._only("clone", arguments, keywords))
        if wanted is None or "preserve" in str(wanted):
            self.values.kept_order.add(copied)
        return copied

    def _copy(self, node: Node) -> Node:
        """The same values as an intermediate of its own, whose gradient flows back."""
        if node.kind != "float":
            return leaf(node, marked=False) if self.values.is_apart else node
        copied = bind(node)
        self.values.copies.add(copied)
        return copied

    def _same(self, name: str, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        """The tensor itself, as in PyTorch where nothing has to be copied."""
        return self._only(name, arguments, keywords)

    def _typed(self, name: str, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        given = bind_names(name, ("self", "dtype"), arguments, keywords, ("dtype",))
        if "dtype" not in given:
            dtype = self.autograd.dtype_of(self.values.tensor(given["self"]))
            return f"torch.{TYPES[dtype]}Tensor"
        if is_complex_dtype(given["dtype"]) and self.values.in_complex is not None:
            return self.values.in_complex(given["self"], given["dtype"])  # type: ignore[no-any-return]
        if name == "astype" and type(given["dtype"]) is str:
            from gradcli.trace.array_dtypes import of_code

            given["dtype"] = of_code(given["dtype"])
        if name == "type" and self.values.is_pytorch:
            self._check_type(given["dtype"])
        node = as_dtype(self.autograd, self.values.tensor(given["self"]), given["dtype"])
        self.values.stay_arrays(node, [given["self"]])
        if node not in self.values.arrays or node is given["self"]:
            return node
        named = as_dtype(self.autograd, node, given["dtype"])  # now that its default is NumPy's
        self.values.stay_arrays(named, [node])
        return named

    def _check_type(self, dtype: Value) -> None:
        """Raise what `x.type` of PyTorch does for a dtype that is not its own."""
        if type(dtype) is str and not dtype.startswith("torch."):
            written = str(dtype)
        elif isinstance(dtype, NumpyDtype):
            written = f"numpy.{dtype.removeprefix('torch.')}"
        else:
            return
        said = f"invalid type: {written!r}"
        raise RefusedError(("ValueError", said), "value", said, hint="x.type(torch.float32)")

    def _to(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        """`x.to(dtype)`, `x.to(device)`, `x.to(device, dtype)`, and `x.to(y)` for y's dtype."""
        given = self._bound_to(arguments, keywords)
        node = self.values.tensor(given["self"])
        if "copy" in given and self.values.truth(given["copy"]):
            node = self._copy(node)
        if "memory_format" in given:
            from gradcli.trace.memory import Memory, is_channels_last, with_channels_last

            if is_channels_last(given["memory_format"]):
                node = with_channels_last(self.values, node)
            elif "contiguous" in str(given["memory_format"]):
                in_rows: Node = Memory(self.autograd).methods["contiguous"]([node], {})  # type: ignore[assignment]
                node = in_rows
        other, dtype = given.get("other"), given.get("dtype")
        for each in (other, dtype):
            if is_complex_dtype(each):
                assert self.values.in_complex is not None
                return self.values.in_complex(node, each)  # type: ignore[no-any-return]
        if self.values.is_pytorch:
            check_device(given.get("device"))
            self._check_dtype(other)
        if isinstance(other, Node) and self.values.plain_kind(other) == "float":
            other = Unquoted("torch.float64")  # as PyTorch makes a tensor of a number
        if isinstance(other, Node):
            node = self._like(node, other)
        elif other is not None and not is_device(other):
            node = as_dtype(self.autograd, node, other)
        return node if dtype is None else as_dtype(self.autograd, node, dtype)

    def _bound_to(self, arguments: list[Value], keywords: dict[str, Value]) -> dict[str, Value]:
        """The arguments of `to` by name: a device and a dtype, or what has the dtype alone."""
        first = arguments[1] if len(arguments) > 1 else None
        what = ("device", "dtype") if first is None or is_device(first) else ("other",)
        names = ("self", *what, "non_blocking", "copy", "memory_format")
        try:
            given = bind_names("to", names, arguments, keywords, names[1:])
            if self.values.is_pytorch:
                self._check_places(given, keywords)
        except GradcliError as error:
            if not self.values.is_pytorch:
                raise
            from gradcli.trace.wrong_arguments import CombinationError, class_of  # a mistake

            kinds = [class_of(self.values, each) for each in arguments[1:]]
            named = {name: class_of(self.values, each) for name, each in keywords.items()}
            raise CombinationError("to", kinds, named, error.diagnostic) from None
        return given

    def _check_places(self, given: dict[str, Value], keywords: dict[str, Value]) -> None:
        """Raise `type` where what is by its place a dtype or a truth value is none."""
        for name, wanted in (("dtype", "torch.dtype"), ("non_blocking", "bool"), ("copy", "bool")):
            value = given.get(name)
            is_open = name in keywords or (name == "dtype" and value is None)
            if name not in given or is_open:
                continue
            from gradcli.trace.wrong_arguments import class_of  # few calls give them by place

            if class_of(self.values, value) != wanted:
                raise GradcliError(
                    "type", f"to: {name} must be a {wanted}, not {describe(value)}",
                    hint="x.to(device, dtype), x.to(dtype) or x.to(y), for the dtype of y",
                )  # fmt: skip

    def _check_dtype(self, value: Value) -> None:
        """Raise what PyTorch does where a value is no dtype of its own, and no device: a text, a
        list, a number that would be that of a device.
        """
        if type(value) is str:
            check_device(value)  # raises: a dtype is no text
        kind = PrintedNumbers(self.values).class_of(value)
        if isinstance(value, Node) and value.shape and not self.values.is_tensor(value):
            kind = kind or "list"
        if kind == "int":
            said = "Cannot access accelerator device when none is available."
            raise RefusedError(
                ("RuntimeError", said), "value", "a number stands for a device, which is not there",
                hint="x.to(torch.float32) gives it another dtype",
            )  # fmt: skip
        if isinstance(value, NumpyDtype):
            kind = "type"
        if kind in ("list", "tuple", "type"):
            from gradcli.trace.wrong_arguments import CombinationError  # a mistake

            told = Diagnostic("type", f"to: a {kind} is no dtype", hint="x.to(torch.float32)")
            raise CombinationError("to", [kind], {}, told)

    def _empty(self, name: str, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        """`torch.empty`, whose elements have no values until they are set: zeros here."""
        note = Note(
            "empty", "the elements of torch.empty are undefined in PyTorch; they are 0 here"
        )
        if note not in self.autograd.notes:
            self.autograd.notes.append(note)
        function = FUNCTIONS[name]
        if self.values.is_pytorch:
            from gradcli.trace.given_tensors import check_function

            called = name.replace("zeros", "empty")
            check_function(PrintedNumbers(self.values), function, called, arguments, keywords)
        made = construct(self.autograd, function, arguments, keywords)
        from gradcli.trace.memory import is_channels_last, with_channels_last

        if is_channels_last(keywords.get("memory_format")) and isinstance(made, Node):
            return with_channels_last(self.values, made)
        if name == "zeros_like" and isinstance(made, Node):
            self.values.made_by[made] = name, arguments, {}
        return made

    def _device(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        """`torch.device('cpu')`, `torch.device('cuda', 0)`: its name."""
        given = bind_names("device", ("type", "index"), arguments, keywords, ("index",))
        name = given["type"]
        if self.values.is_pytorch:
            check_device(name)
        if not is_device(name):
            raise GradcliError("value", f"a device is one of {', '.join(DEVICES)}")
        if given.get("index") is not None:
            return Device(f"{name}:{self.values.integer(given['index'], 'index')}")
        return Device(name)
