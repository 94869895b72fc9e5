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
from gradcli.ops import FUNCTIONS
from gradcli.ops.control import detach
from gradcli.trace.arguments import bind_names
from gradcli.trace.autograd import Autograd
from gradcli.trace.items import Items, Unquoted
from gradcli.trace.objects import BuiltIn, Given, Object
from gradcli.trace.special import Size
from gradcli.trace.tensor_text import PLAIN, with_suffixes
from gradcli.trace.values import Value, Values

Parts = tuple[Node, Node]
"""The real and the imaginary part."""
_BY_PART = (
    "sum", "mean", "reshape", "view", "flatten", "unsqueeze", "squeeze", "permute", "transpose",
    "swapaxes", "movedim", "t", "expand", "repeat", "cumsum", "flip", "roll", "diagonal", "narrow",
    "tril", "triu", "trace", "unflatten", "index_select",
)  # fmt: skip
"""Functions of a tensor that are what they are of its parts."""
_TURNS = {"T": "t", "mT": "transpose", "mH": "transpose", "H": "t"}
_MOST_PRODUCTS = 64
"""Up to here powers are products."""


def f(name: str, *operands: Any, **options: Any) -> Node:
    """A node of a function of the op table."""
    found: Node = FUNCTIONS[name].build(*operands, **options)
    return found


def spread(node: Node, shape: Sequence[int]) -> Node:
    """The node in a shape that it broadcasts to."""
    return node if node.shape == tuple(shape) else f("expand", node, *shape)


# --- what functions make of parts -------------------------------------------------------------


def product(a: Parts, b: Parts) -> Parts:
    return a[0] * b[0] - a[1] * b[1], a[0] * b[1] + a[1] * b[0]


def matrix_product(a: Parts, b: Parts) -> Parts:
    (ar, ai), (br, bi) = a, b
    return f("matmul", ar, br) - f("matmul", ai, bi), f("matmul", ar, bi) + f("matmul", ai, br)


def quotient(a: Parts, b: Parts) -> Parts:
    size = b[0] * b[0] + b[1] * b[1]
    real, imaginary = product(a, (b[0], -b[1]))
    return real / size, imaginary / size


def polar(size: Node, angle: Node) -> Parts:
    return size * f("cos", angle), size * f("sin", angle)


def absolute(a: Parts) -> Node:
    """The norm of both, whose derivative at 0 is 0, as PyTorch's is."""
    return f("norm", f("stack", a, dim=-1), 2, -1)


def angle(a: Parts) -> Node:
    return f("atan2", a[1], a[0])


def power(a: Parts, exponent: float) -> Parts:
    if exponent.is_integer() and 0 < abs(exponent) <= _MOST_PRODUCTS:
        found = a
        for _ in range(int(abs(exponent)) - 1):
            found = product(found, a)
        constant = found[0].graph.constant
        return found if exponent > 0 else quotient((constant(1.0), constant(0.0)), found)
    return polar(absolute(a) ** exponent, angle(a) * exponent)


_OF_PARTS: dict[str, Callable[[Parts], Parts]] = {
    "exp": lambda a: polar(f("exp", a[0]), a[1]),
    "log": lambda a: (f("log", absolute(a)), angle(a)),
    "sqrt": lambda a: power(a, 0.5),
    "square": lambda a: product(a, a),
    "reciprocal": lambda a: power(a, -1.0),
    "neg": lambda a: (-a[0], -a[1]),
    "conj": lambda a: (a[0], -a[1]),
    "sin": lambda a: (f("sin", a[0]) * f("cosh", a[1]), f("cos", a[0]) * f("sinh", a[1])),
    "cos": lambda a: (f("cos", a[0]) * f("cosh", a[1]), -f("sin", a[0]) * f("sinh", a[1])),
    "clone": lambda a: a,
}
"""Functions that give a complex tensor, by name."""
_REAL = {"abs": absolute, "absolute": absolute, "angle": angle}
"""Those that give a real one."""
_OPERATORS: dict[str, Callable[[Parts, Parts], Parts]] = {
    "add": lambda a, b: (a[0] + b[0], a[1] + b[1]),
    "sub": lambda a, b: (a[0] - b[0], a[1] - b[1]),
    "mul": product,
    "truediv": quotient,
    "matmul": matrix_product,
}
_SAMES = ("contiguous", "resolve_conj", "cpu", "to", "numpy", "physical_conj")


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


class ComplexTensor(Object):
    """A tensor of complex numbers."""

    what = "a complex tensor"
    title = "Tensor"

    def __init__(self, maker: Maker, parts: Parts, made_by: str = "") -> None:
        """`made_by` is the function that PyTorch says has made it."""
        self._maker = maker
        self._values = maker.values
        shape = np.broadcast_shapes(parts[0].shape, parts[1].shape)
        real, imaginary = (spread(each, shape) for each in parts)
        if made_by and not maker.autograd.records():
            real, imaginary = detach(real), detach(imaginary)
        self._parts = real, imaginary
        self._made_by = made_by

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

    def _like(self, parts: Parts, made_by: str) -> ComplexTensor:
        return ComplexTensor(self._maker, parts, made_by)

    def attribute(self, name: str) -> Any:
        real, imaginary = self.pair
        if name in ("real", "imag"):
            return self._maker.named(real if name == "real" else imaginary, "select")
        if name in _TURNS:
            axes = (-2, -1) if "m" in name else ()
            turned = self._by_part(_TURNS[name], [*map(self._values.plain, axes)], {})
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
            **{name: partial(self._made, name) for name in (*_OF_PARTS, *_REAL)},
            **{name: partial(self._by_part, name) for name in _BY_PART},
            **dict.fromkeys(_SAMES, lambda *_: self),
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
        if name in _REAL:
            return self._maker.named(_REAL[name](self.pair), name)
        return self._like(_OF_PARTS[name](self.pair), name)

    def _by_part(self, name: str, given: list[Any], keywords: Given) -> ComplexTensor:
        real, imaginary = (self._maker.call(name, [each, *given], keywords) for each in self.pair)
        return self._like((real, imaginary), name)

    def _size(self, given: list[Any], keywords: Given) -> Any:
        return self._maker.call("size", [self.pair[0], *given], keywords)

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
        if "requires_grad" not in found or self._values.truth(found["requires_grad"]):
            self._parts = self._maker.marked(self.pair)
        return self

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
        is_right = bare not in _OPERATORS and bare[1:] in _OPERATORS and bare[0] == "r"
        known = _OPERATORS.get(bare[1:] if is_right else bare)
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
        return self._like(apply(*(sides[::-1] if is_right else sides)), made_by)

    def _compared(self, name: str, other: Value) -> Node:
        pairs = zip(self.pair, self._maker.parts(other), strict=True)
        same = [f("eq", *pair) for pair in pairs]
        both = f("logical_and", *same)
        return both if name == "eq" else f("logical_not", both)

    def item(self, items: Sequence[Any]) -> Value:
        real, imaginary = (self._values.subscript(each, items) for each in self.pair)
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


class ComplexNumber(Object):
    """A complex number of Python's."""

    what = "a complex number"
    title = "complex"

    def __init__(self, maker: Maker, number: complex) -> None:
        self._maker = maker
        self.number = number

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
