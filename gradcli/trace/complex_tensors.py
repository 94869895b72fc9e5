"""Complex tensors: the real and the imaginary part, each a tensor through which gradients flow.

So the gradient of a real loss is right for real leaves; that of a complex leaf is PyTorch's, too:
the derivative by its real part, and by its imaginary part.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Protocol

import numpy as np

from gradcli.diagnostics import GradcliError, RefusedError
from gradcli.graph import Array, Node
from gradcli.ops import f
from gradcli.ops.control import detach
from gradcli.ops.shaping import EXPAND
from gradcli.trace.arguments import bind_names
from gradcli.trace.autograd import Autograd
from gradcli.trace.complex_parts import (
    OF_PARTS,
    OPERATORS,
    REAL,
    Parts,
    power,
    product_of_all,
    spread,
)
from gradcli.trace.items import Items, Unquoted
from gradcli.trace.objects import BuiltIn, Given, Object
from gradcli.trace.special import Size
from gradcli.trace.subscripts import subscript
from gradcli.trace.tensor_text import PLAIN, with_suffixes
from gradcli.trace.values import Value, Values

BY_PART = (
    "sum", "mean", "reshape", "view", "flatten", "unsqueeze", "squeeze", "permute", "transpose",
    "swapaxes", "movedim", "t", "expand", "repeat", "cumsum", "flip", "roll", "diagonal", "narrow",
    "tril", "triu", "trace", "unflatten", "index_select", "diag", "diag_embed", "diagflat", "tile",
    "gather", "take", "take_along_dim", "masked_select", "broadcast_to", "chunk", "split",
    "unbind", "tensor_split", "hsplit", "vsplit", "rot90", "fliplr", "flipud", "ravel", "moveaxis",
    "swapdims", "atleast_1d", "atleast_2d", "atleast_3d", "select", "unfold", "repeat_interleave",
    "expand_as", "view_as", "reshape_as", "nansum", "clone",
)  # fmt: skip
"""Functions of a tensor that are what they are of its parts."""
_TURNS = {"T": "t", "mT": "transpose", "mH": "transpose", "H": "t"}
_BY_RANKS = {(1, 1): "dot", (2, 1): "mv", (2, 2): "mm", (3, 3): "bmm"}
"""What PyTorch makes a product of tensors of so many axes of."""
_SAMES = ("contiguous", "resolve_conj", "cpu", "cuda", "numpy", "resolve_neg")
_IN_DTYPES = {
    "cfloat": "complex64",
    "cdouble": "complex128",
    "float": "float32",
    "double": "float64",
}


_OTHERS = (
    "masked_fill", "index_add", "index_copy", "scatter", "scatter_add", "mm", "mv", "bmm", "dot",
    "vdot", "outer", "kron", "inner", "norm", "inverse", "matrix_exp", "div", "divide", "multiply",
    "subtract", "true_divide", "diff", "add", "sub", "mul", "eq", "ne", "matmul", "tensordot",
)  # fmt: skip
"""Further methods that are functions, too."""
_IN_PLACE = {
    "add": "add", "sub": "sub", "mul": "mul", "div": "truediv", "truediv": "truediv",
    "neg": "neg", "conj_physical": "conj", "exp": "exp",
}  # fmt: skip
"""What changes a tensor in place, and the method that says to what."""


class Maker(Protocol):
    """What makes complex tensors, as these know it."""

    values: Values
    autograd: Autograd
    call: Callable[[str, list[Any], Given], Any]

    @property
    def default(self) -> str:
        """The dtype of floats where none is named."""

    def complex_of(self, dtype: str) -> str:
        """The complex dtype whose parts have that one."""

    def number(self, number: complex) -> Object:
        """A number of Python's as a value."""

    def plain_number(self, value: Value) -> complex | None:
        """A number of Python's; None for tensors."""

    def parts(self, value: Value) -> Parts:
        """The parts of a complex value, or of a real one."""

    def parts_of(self, number: complex) -> Parts:
        """A number in the place of a tensor."""

    def marked(self, parts: Parts) -> Parts:
        """Both as leaves that require grad."""

    def named(self, node: Node, name: str) -> Node:
        """A real tensor that PyTorch says a function has made of a complex one."""

    def node_of(self, name: str, node: Node) -> str:
        """What is printed of the function that made a complex tensor."""

    def write(self, node: Node, items: Sequence[Any] | None, value: Node) -> None:
        """Put values into a part, where `items` say or everywhere."""

    def own(self, node: Node) -> Node:
        """A copy that may change."""

    def made(self, array: Array, dtype: str) -> ComplexTensor:
        """A complex tensor with these elements."""

    def in_dtype(self, node: Node, dtype: Value) -> Node:
        """A real tensor in a real dtype."""

    def of_list(self, arguments: list[Any], keywords: Given) -> Value:
        """`torch.tensor([1 + 2j, 3])`; None where no number in it is complex."""

    def applied(self, name: str, arguments: list[Any], keywords: Given) -> Any:
        """A function of complex tensors by its name; None where there is none."""

    def cast(self, value: Value, dtype: Value) -> Value:
        """A tensor in a dtype, complex or real."""


class ComplexTensor(Object):
    """A tensor of complex numbers."""

    what = "a complex tensor"
    title = "Tensor"

    def __init__(self, maker: Maker, parts: Parts, made_by: str = "") -> None:
        """`made_by` is the function that PyTorch says has made it."""
        self._maker = maker
        self._values = maker.values
        self._values.of_complex = maker.applied
        shape = np.broadcast_shapes(parts[0].shape, parts[1].shape)
        real, imaginary = (spread(each, shape) for each in parts)
        if made_by and not maker.autograd.records():
            real, imaginary = detach(real), detach(imaginary)
        self._parts = real, imaginary
        self._made_by = made_by

    @property
    def maker(self) -> Maker:
        return self._maker

    @property
    def pair(self) -> Parts:
        """The real and the imaginary part as they are now."""
        current = self._values.current
        return current(self._parts[0]), current(self._parts[1])

    @property
    def array(self) -> Array:
        """The elements, looked at now."""
        real, imaginary = map(self._values.evaluator.value, self.pair)
        found = np.empty(np.broadcast_shapes(real.shape, imaginary.shape), np.complex128)
        found.real, found.imag = real, imaginary
        return found

    @property
    def dtype(self) -> str:
        return self._maker.complex_of(self._values.array_dtype(self.pair[0]))

    @property
    def requires_grad(self) -> bool:
        return any(map(self._maker.autograd.requires_grad, self.pair))

    def of_parts(self, parts: Parts) -> ComplexTensor:
        """One of the same class."""
        return type(self)(self._maker, parts, self._made_by)

    def _like(self, parts: Parts, made_by: str) -> ComplexTensor:
        return ComplexTensor(self._maker, parts, made_by)

    def attribute(self, name: str) -> Any:
        real, imaginary = self.pair
        if name in ("real", "imag"):
            return self._maker.named(real if name == "real" else imaginary, "select")
        if name in _TURNS:
            axes = (-2, -1) if "m" in name else ()
            turned = self._applied(_TURNS[name], [*map(self._values.plain, axes)], {})
            return turned.method("conj")([], {}) if "H" in name else turned
        constant = self._values.graph.constant
        found: dict[str, Callable[[], Any]] = {
            "dtype": lambda: Unquoted(f"torch.{self.dtype}"),
            "shape": lambda: Size([self._values.plain(each) for each in real.shape]),
            "ndim": lambda: self._values.plain(real.ndim),
            "requires_grad": lambda: constant(self.requires_grad),
            "is_leaf": lambda: constant(not self.requires_grad or self._is_leaf()),
            "device": lambda: "cpu",
            "grad": self._grad,
            "data": lambda: self._like((detach(real), detach(imaginary)), ""),
        }
        return found[name]() if name in found else super().attribute(name)

    def _is_leaf(self) -> bool:
        return not self._made_by and all(map(self._maker.autograd.is_leaf, self.pair))

    def _grad(self) -> Value:
        """The derivatives of a loss by both parts; None where it is no leaf."""
        if not self._is_leaf():
            return None
        grads = [self._maker.autograd.grad_of(each) for each in self.pair]
        if grads[0] is None and grads[1] is None:
            return None
        zero = self._values.graph.constant(0.0)
        real, imaginary = (zero if each is None else each for each in grads)
        return self._like((real, imaginary), "")

    def set(self, name: str, value: Value) -> None:
        """`z.grad = None`, `z.requires_grad = True`, and `z.real = x`."""
        if name in ("real", "imag"):
            part = self._changeable()[name == "imag"]
            self._maker.write(part, None, spread(self._values.tensor(value, name), part.shape))
        elif name == "requires_grad":
            self._mark(self._values.truth(value))
        elif name == "grad" and (value is None or isinstance(value, ComplexTensor)):
            for place, part in enumerate(self.pair):
                self._maker.autograd.set_grad(part, None if value is None else value.pair[place])
        else:
            super().set(name, value)

    def methods(self) -> dict[str, Callable[[list[Any], Given], Any]]:
        values, constant = self._values, self._values.graph.constant
        sizes: dict[str, Callable[[], Any]] = {
            "real": lambda: self.attribute("real"),
            "imag": lambda: self.attribute("imag"),
            "numel": lambda: values.plain(self.pair[0].size),
            "dim": lambda: values.plain(self.pair[0].ndim),
            "is_complex": lambda: constant(True),
            "is_floating_point": lambda: constant(False),
            "detach": lambda: self._like((detach(self.pair[0]), detach(self.pair[1])), ""),
            "item": self._item,
            "backward": self._backward,
        }
        return {
            **{name: partial(self._bare, name, make) for name, make in sizes.items()},
            **{name: partial(self._made, name) for name in (*OF_PARTS, *REAL)},
            **{name: partial(self._applied, name) for name in (*BY_PART, *_OTHERS)},
            **{f"{name}_": partial(self._change, name) for name in _IN_PLACE},
            **{name: partial(self._in_dtype, dtype) for name, dtype in _IN_DTYPES.items()},
            **dict.fromkeys(_SAMES, lambda *_: self),
            "to": self._to,
            "adjoint": lambda *_: self.attribute("mH"),
            "type": self._to,
            "tolist": lambda *_: self._listed(),
            "prod": lambda *_: self._like(product_of_all(self.pair), "prod"),
            "isreal": lambda *_: f("eq", self.pair[1], 0.0),
            "equal": lambda given, _: constant(bool(np.array_equal(self.array, given[0].array))),
            "zero_": lambda *_: self._become((f("zeros_like", self.pair[0]),) * 2),
            "copy_": lambda given, _: self._become(self._maker.parts(given[0])),
            "fill_": lambda given, _: self._become(self._maker.parts(given[0])),
            "size": self._size,
            "pow": lambda given, _: self._power(given[0]),
            "allclose": self._is_close,
            "requires_grad_": self._marked,
        }

    def _bare(self, name: str, make: Callable[[], Any], given: list[Any], keywords: Given) -> Any:
        bind_names(name, (), given, keywords)
        return make()

    def _made(self, name: str, given: list[Any], keywords: Given) -> Any:
        bind_names(name, (), given, keywords)
        if name in REAL:
            return self._maker.named(REAL[name](self.pair), name)
        return self._like(OF_PARTS[name](self.pair), name)

    def _applied(self, name: str, given: list[Any], keywords: Given) -> Any:
        return self._maker.applied(name, [self, *given], keywords)

    def _in_dtype(self, dtype: str, given: list[Any], keywords: Given) -> Value:
        return self._maker.cast(self, f"torch.{dtype}")

    def _to(self, given: list[Any], keywords: Given) -> Value:
        """`z.to(dtype)`, `z.to(device)`, `z.to(w)`."""
        names = ("other", "dtype", "device", "non_blocking", "copy", "memory_format")
        found = bind_names("to", names, given, keywords, names)
        other = found.get("other")
        if isinstance(other, ComplexTensor):
            other = f"torch.{other.dtype}"
        dtypes = [e for e in (other, found.get("dtype")) if isinstance(e, str) and "torch." in e]
        return self._maker.cast(self, dtypes[-1]) if dtypes else self

    def _listed(self) -> Value:
        """The elements as numbers of Python's, in lists."""
        array = self.array.astype(self.dtype)
        self._values.graph.check_room(array.size)
        level: list[Value] = [self._maker.number(each) for each in array.ravel().tolist()]
        for axis in reversed(range(array.ndim)):
            length = array.shape[axis]
            level = [Items(level[i : i + length]) for i in range(0, len(level), length or 1)]
        return level[0] if level else Items([])

    # --- what changes in place ---

    def _changeable(self) -> Parts:
        """The parts, each with memory of its own."""
        shown = (each.op is EXPAND or each.known is not None for each in self.pair)
        real, imaginary = (
            self._maker.own(each) if is_shared else each
            for each, is_shared in zip(self.pair, shown, strict=True)
        )
        self._parts = real, imaginary
        return real, imaginary

    def set_item(self, items: Sequence[Any], value: Any) -> None:
        pairs = zip(self._changeable(), self._maker.parts(value), strict=True)
        for part, new in pairs:
            self._maker.write(part, items, new)

    def _become(self, new: Parts) -> ComplexTensor:
        for part, value in zip(self._changeable(), new, strict=True):
            self._maker.write(part, None, spread(value, part.shape))
        return self

    def _change(self, name: str, given: list[Any], keywords: Given) -> ComplexTensor:
        """`z.mul_(w)`, `z += w`."""
        name = _IN_PLACE[name]
        found = self.special(f"__{name}__")
        assert found is not None
        made = found.call(given, keywords)
        if made.pair[0].shape != self.pair[0].shape:
            raise GradcliError("shape", f"{name}_ would change the shape",
                               hint="bind a name to the result")  # fmt: skip
        return self._become(made.pair)

    def _size(self, given: list[Any], keywords: Given) -> Any:
        found = bind_names("size", ("dim",), given, keywords, ("dim",))
        shape = self.attribute("shape")
        return subscript(self._values, shape, [found["dim"]]) if "dim" in found else shape

    def _power(self, exponent: Value) -> ComplexTensor:
        return self._like(power(self.pair, self._values.number(exponent, "an exponent")), "pow")

    def _item(self) -> Value:
        if self.pair[0].size != 1:
            raise GradcliError("type", "item is for a tensor of one element")
        return self._maker.number(complex(self.array.item()))

    def _backward(self) -> Value:
        said = (
            "grad can be implicitly created only for real scalar outputs but got "
            f"torch.{self.dtype}"
        )
        raise RefusedError(("RuntimeError", said), "gradient-required",
                           "a complex number has no gradient of its own",
                           hint="z.abs().sum() is real, and so is z.real")  # fmt: skip

    def _marked(self, given: list[Any], keywords: Given) -> ComplexTensor:
        names = ("requires_grad",)
        found = bind_names("requires_grad_", names, given, keywords, names)
        self._mark("requires_grad" not in found or self._values.truth(found["requires_grad"]))
        return self

    def _mark(self, wanted: bool) -> None:
        """Whether gradients flow to it from now on, or no longer."""
        if wanted == self.requires_grad:
            return
        if not wanted and not self._is_leaf():
            said = (
                "you can only change requires_grad flags of leaf variables. If you want to use a "
                "computed variable in a subgraph that doesn't require differentiation use "
                "var_no_grad = var.detach()."
            )
            raise RefusedError(("RuntimeError", said), "no-grad", "this is no leaf",
                               hint="z.detach()")  # fmt: skip
        self._made_by = ""
        real, imaginary = self.pair
        self._parts = self._maker.marked(self.pair) if wanted else (detach(real), detach(imaginary))

    def _is_close(self, given: list[Any], keywords: Given) -> Value:
        names = ("other", "rtol", "atol", "equal_nan")
        found = bind_names("allclose", names, given, keywords, names[1:])
        other = self._maker.parts(found.pop("other"))
        limits = {name: self._values.number(found[name], name) for name in ("rtol", "atol")
                  if name in found}  # fmt: skip
        array = np.asarray(self._values.evaluator.value(other[0])) + 1j * np.asarray(
            self._values.evaluator.value(other[1])
        )
        rtol, atol = limits.get("rtol", 1e-5), limits.get("atol", 1e-8)
        return self._values.graph.constant(bool(np.allclose(self.array, array, rtol, atol)))

    def method(self, name: str) -> Callable[[list[Any], Given], Any]:
        own = self.special(name) if name.startswith("__") else None
        return super().method(name) if own is None else own.call

    def special(self, name: str) -> Object | None:
        bare = name.strip("_")
        is_right = bare not in OPERATORS and bare[1:] in OPERATORS and bare[0] == "r"
        known = OPERATORS.get(bare[1:] if is_right else bare)
        if bare[0] == "i" and bare[1:] in OPERATORS and name.startswith("__i"):
            return BuiltIn(name, lambda _, given, __: self._change(bare[1:], given, {}))
        if known is not None:
            title = bare[1:] if is_right else bare
            return BuiltIn(
                name, lambda _, given, __: self._operated(title, known, given[0], is_right)
            )
        if bare in ("eq", "ne"):
            return BuiltIn(name, lambda _, given, __: self._compared(bare, given[0]))
        if bare == "format" and not self.pair[0].shape:
            return BuiltIn(name, self._formatted)
        own = self.methods().get(bare)  # also of `torch.abs(z)`
        return own and BuiltIn(name, lambda _, given, keywords: own(given, keywords))

    def _operated(
        self, name: str, apply: Callable[[Parts, Parts], Parts], other: Value, is_right: bool
    ) -> Value:
        sides = self.pair, self._maker.parts(other)
        is_reciprocal = is_right and self._maker.plain_number(other) is not None
        made_by = {"truediv": "mul" if is_reciprocal else "div"}.get(name, name)
        if name == "matmul":
            made_by = _BY_RANKS.get((sides[0][0].ndim, sides[1][0].ndim), name)
        return self._like(apply(*(sides[::-1] if is_right else sides)), made_by)

    def _compared(self, name: str, other: Value) -> Node:
        pairs = zip(self.pair, self._maker.parts(other), strict=True)
        same = [f("eq", *pair) for pair in pairs]
        both = f("logical_and", *same)
        return both if name == "eq" else f("logical_not", both)

    def item(self, items: Sequence[Any]) -> Value:
        real, imaginary = (subscript(self._values, each, items) for each in self.pair)
        assert isinstance(real, Node)
        assert isinstance(imaginary, Node)
        return self._like((real, imaginary), "select")

    def elements(self) -> Items:
        rows = map(self._values.rows, self.pair)
        return Items([self._like(pair, "unbind") for pair in zip(*rows, strict=True)])

    def length(self) -> int:
        if not self.pair[0].shape:
            raise GradcliError("type", "a single value has no length")
        return self.pair[0].shape[0]

    def shown(self) -> str:
        dtype = self.dtype
        is_usual = self._maker.complex_of(self._maker.default) == dtype
        suffixes = [] if is_usual else [f"dtype=torch.{dtype}"]
        if self.requires_grad:
            suffixes += ["requires_grad=True"] if self._is_leaf() else [self._maker.node_of(
                self._made_by, self.pair[0])]  # fmt: skip
        return with_suffixes(self.array.astype(dtype), suffixes, self._values.style or PLAIN)

    def _formatted(self, _: str, arguments: list[Value], keywords: Given) -> str:
        """A single number in a format string, as Python writes it."""
        return formatted(complex(self.array.astype(self.dtype).item()), str(arguments[0]))


WITH_ARRAY = "complex.with_array"
"""The name of what computes with a complex number and an array of NumPy's."""
OF_NUMBER = "complex.of_number"
"""That of NumPy's functions of a complex number of Python's, which PyTorch's do not take."""


class ComplexNumber(Object):
    """A complex number of Python's."""

    what = "a complex number"
    title = "complex"

    def __init__(self, maker: Maker, number: complex) -> None:
        self._maker = maker
        self.number = number
        maker.values.of_complex = maker.applied

    def attribute(self, name: str) -> Any:
        if name in ("real", "imag"):
            return self._maker.values.plain(float(getattr(self.number, name)))
        return super().attribute(name)

    def methods(self) -> dict[str, Callable[[list[Any], Given], Any]]:
        return {"conjugate": lambda *_: self._maker.number(self.number.conjugate())}

    def special(self, name: str) -> Object | None:
        bare = name.strip("_")
        unary: dict[str, Callable[[], Any]] = {
            "neg": lambda: self._maker.number(-self.number),
            "pos": lambda: self,
            "abs": lambda: self._maker.values.plain(abs(self.number)),
            "complex": lambda: self,
        }
        if bare in unary:
            return BuiltIn(name, lambda *_: unary[bare]())
        if bare == "format":
            return BuiltIn(name, lambda _, given, __: formatted(self.number, str(given[0])))
        is_right = bare not in _OF_NUMBERS and bare[1:] in _OF_NUMBERS and bare[0] == "r"
        known = bare[1:] if is_right else bare
        if known not in _OF_NUMBERS:
            return None
        return BuiltIn(name, lambda _, given, __: self._operated(known, given[0], is_right))

    def method(self, name: str) -> Callable[[list[Any], Given], Any]:
        own = self.special(name) if name.startswith("__") else None
        return super().method(name) if own is None else own.call

    def _operated(self, name: str, other: Value, is_right: bool) -> Value:
        if isinstance(other, Node) and other in self._maker.values.arrays:
            both: list[Value] = [other, self] if is_right else [self, other]
            return self._maker.call(WITH_ARRAY, [name, *both], {})  # type: ignore[no-any-return]
        number = self._maker.plain_number(other)
        if number is None:  # a tensor, which makes a tensor of this
            made = ComplexTensor(self._maker, self._maker.parts_of(self.number))
            if isinstance(other, ComplexTensor):
                made, other, is_right = other, self, not is_right
            own = made.special(f"__{'r' if is_right else ''}{name}__")
            if own is None:
                raise GradcliError("type", f"a complex number has no {name} with a tensor here")
            return own.call([other], {})  # type: ignore[no-any-return]
        sides = (number, self.number) if is_right else (self.number, number)
        try:
            found = _OF_NUMBERS[name](*sides)
        except (ZeroDivisionError, OverflowError) as error:
            said = type(error).__name__, str(error)
            raise RefusedError(said, "value", f"a complex number: {error}") from None
        if isinstance(found, bool):
            return self._maker.values.graph.constant(found)
        return self._maker.number(found)

    def is_same(self, other: Any) -> bool:
        return isinstance(other, ComplexNumber) and self.number == other.number

    def shown(self) -> str:
        return str(self.number)


_OF_NUMBERS: dict[str, Callable[[complex, complex], complex | bool]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "truediv": lambda a, b: a / b,
    "pow": lambda a, b: a**b,
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
}


def formatted(number: complex, specification: str) -> str:
    """A complex number by a format specification, as Python writes it."""
    try:
        return format(number, specification)
    except ValueError as error:
        raise RefusedError(("ValueError", str(error)), "value", f"a format: {error}") from None
