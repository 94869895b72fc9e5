"""Arrays of complex numbers, as `np.fft` gives them: they are looked at, and have no gradient."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

import numpy as np

from gradcli.diagnostics import GradcliError, RefusedError
from gradcli.graph import Node, Shape
from gradcli.trace.arguments import bind_names
from gradcli.trace.arrays_of_numpy import ArrayCalls
from gradcli.trace.complex_tensors import OF_NUMBER, WITH_ARRAY, ComplexNumber, formatted
from gradcli.trace.items import Items, Unquoted
from gradcli.trace.names import COMPLEX, complex_name, is_complex_dtype
from gradcli.trace.objects import BuiltIn, Given, Object
from gradcli.trace.special import Special
from gradcli.trace.values import Value, describe

_TWO = {name: getattr(operator, name) for name in (
    "add", "sub", "mul", "truediv", "pow", "matmul", "eq", "ne")}  # fmt: skip
_OPERATORS: dict[str, Callable[[Any, Any], Any]] = {f"__{n}__": of for n, of in _TWO.items()}
_REFLECTED = {f"__r{name}__": of for name, of in _TWO.items()}
_ALONE: dict[str, Callable[..., Any]] = {
    "__neg__": np.negative, "__pos__": np.positive, "__abs__": np.abs, "__exp__": np.exp,
    "__sum__": np.sum, "__mean__": np.mean, "__sqrt__": np.sqrt, "__square__": np.square,
    "__conj__": np.conj, "__allclose__": np.allclose,
}  # fmt: skip
"""What functions of arrays are here, by the names that are asked for."""
_METHODS = ("conj", "conjugate", "copy", "cumsum", "diagonal", "flatten", "mean", "prod", "ravel",
            "reshape", "round", "squeeze", "std", "sum", "tolist", "trace", "transpose",
            "var")  # fmt: skip
_TRANSFORMS = {
    **dict.fromkeys(("fft", "ifft", "rfft", "irfft", "hfft", "ihfft"), ("a", "n", "axis", "norm")),
    **dict.fromkeys(("fft2", "ifft2", "rfft2", "irfft2", "fftn", "ifftn", "rfftn", "irfftn"),
                    ("a", "s", "axes", "norm")),
    **dict.fromkeys(("fftfreq", "rfftfreq"), ("n", "d")),
    **dict.fromkeys(("fftshift", "ifftshift"), ("x", "axes")),
}  # fmt: skip
_LOOKED = {"angle": ("z", "deg"), "real": ("val",), "imag": ("val",), "iscomplex": ("x",),
           "iscomplexobj": ("x",), "isrealobj": ("x",)}  # fmt: skip


_FUNCTIONS: dict[str, Callable[..., Any]] = {
    **{name: getattr(np, name) for name in (
        "add", "subtract", "multiply", "divide", "exp", "log", "sqrt", "square", "abs", "absolute",
        "conj", "conjugate", "sin", "cos", "tan", "sinh", "cosh", "tanh", "sum", "mean", "prod",
        "std", "var", "cumsum", "cumprod", "round", "around", "diff", "roll", "flip", "reshape",
        "ravel", "squeeze", "transpose", "trace", "diagonal", "isclose", "array_equal", "allclose",
        "concatenate", "stack", "hstack", "vstack", "array", "asarray", "copy", "zeros_like",
        "ones_like", "real", "imag", "angle", "vdot", "dot", "matmul", "inner", "outer", "kron",
    )},
    **{f"linalg.{name}": getattr(np.linalg, name) for name in ("norm", "inv", "det", "solve")},
    "norm": np.linalg.norm, "inv": np.linalg.inv, "det": np.linalg.det, "solve": np.linalg.solve,
}  # fmt: skip
"""What is computed of arrays of which one is complex, by name."""
_PRODUCTS = ("dot", "matmul", "inner", "outer", "kron")


def _of_shape(shape: Any, *_: Any, **__: Any) -> Shape:
    return tuple(int(each) for each in np.atleast_1d(shape))


def _of_square(n: int, m: int | None = None, *_: Any, **named: Any) -> Shape:
    other = named.get("M", m)
    return int(n), int(n if other is None else other)


def _of_steps(start: Any, stop: Any = None, step: Any = 1, *_: Any) -> Shape:
    first, last = (0, start) if stop is None else (start, stop)
    return (math.ceil(abs((last - first) / step)),)


def _of_count(start: Any, stop: Any, num: int = 50, *_: Any, **__: Any) -> Shape:
    return (*np.broadcast_shapes(np.shape(start), np.shape(stop)), int(num))


_LENGTHS: dict[str, Callable[..., Shape]] = {
    **dict.fromkeys(("zeros", "ones", "empty", "full"), _of_shape),
    **dict.fromkeys(("eye", "identity"), _of_square),
    "arange": _of_steps,
    "linspace": _of_count,
}
"""The lengths of what they make, by their arguments."""
_MAKERS: dict[str, Callable[..., Any]] = {name: getattr(np, name) for name in (
    *_LENGTHS, "array", "asarray", "zeros_like", "ones_like", "empty_like", "full_like",
    )} | {"astype": np.asarray}  # fmt: skip
"""What makes arrays that may have a complex dtype."""
_NUMBERS = ("complex64", "complex128", "csingle", "cdouble")
COMPLEX_BYTES = 16


class ComplexArray(Object):
    """Complex numbers that are computed with by NumPy itself."""

    what = "an array of complex numbers"
    title = "ndarray"
    holds_none = True

    def __init__(self, calls: ComplexArrays, held: Any) -> None:
        """`held` is an array, or one of NumPy's numbers."""
        calls.values.graph.ledger.take(held.nbytes, "an array of complex numbers")
        self._calls = calls
        self.held = held
        if not held.ndim:  # one of NumPy's numbers
            self.title = str(held.dtype)
            self.python_class = f"numpy.{self.title}"

    # --- elements ---

    def length(self) -> int:
        return len(self.held)

    def elements(self) -> Items:
        self._calls.values.graph.check_room(len(self.held))
        return Items([self._calls.given(each) for each in self.held])

    def item(self, items: Sequence[Any]) -> Value:
        try:
            return self._calls.given(self.held[tuple(map(self._place, items))])
        except (IndexError, ValueError) as error:
            said = type(error).__name__, str(error)
            raise RefusedError(said, "index", str(error)) from None

    def set_item(self, items: Sequence[Any], value: Any) -> None:
        try:
            self.held[tuple(map(self._place, items))] = self._calls.plain(value)
        except (IndexError, ValueError) as error:
            said = type(error).__name__, str(error)
            raise RefusedError(said, "index", str(error)) from None

    def _place(self, item: Any) -> Any:
        if isinstance(item, slice):
            bounds = (item.start, item.stop, item.step)
            return slice(*(None if each is None else self._place(each) for each in bounds))
        if item is None or item is Ellipsis or isinstance(item, int):
            return item
        values = self._calls.values
        node = values.tensor(item, "an index")
        if node.kind == "bool":
            return np.asarray(values.evaluator.value(node), bool)
        found = np.asarray(values.evaluator.value(values.index(node, "an index")))
        return int(found) if not found.ndim else found.astype(np.int64)

    # --- as an array ---

    def special(self, name: str) -> Object | None:
        if name == "__format__" and not self.held.ndim:
            return BuiltIn(name, lambda _, given, __: formatted(self.held, str(given[0])))
        known = name in _OPERATORS or name in _REFLECTED or name in _ALONE
        return BuiltIn(name, self._operated) if known else None

    def applied(self, name: str, arguments: list[Value], keywords: Given) -> Value:
        """What a function makes of it and others; None where it makes nothing of such arrays."""
        name = name.removeprefix("np.")
        if name not in _FUNCTIONS:
            return None
        if name in _PRODUCTS and len(arguments) == 2:
            one, other = (np.asarray(self._calls.plain(each)) for each in arguments)
            summed = 1 if name in ("outer", "kron") else max(1, (one.shape or (1,))[-1])
            self._calls.require((one.size * other.size // summed**2,))
        return self._calls.computed(_FUNCTIONS[name], arguments, keywords)

    def _operated(self, name: str, arguments: list[Value], keywords: Given) -> Value:
        if name in _ALONE:
            return self._calls.computed(_ALONE[name], [self, *arguments], keywords)
        if name in _REFLECTED:
            return self._calls.operated(_REFLECTED[name], [*arguments, self])
        return self._calls.operated(_OPERATORS[name], [self, *arguments])

    def attribute(self, name: str) -> Any:
        if name == "shape":
            return tuple(self._calls.values.plain(each) for each in self.held.shape)
        if name in ("size", "ndim", "nbytes", "itemsize"):
            return self._calls.values.plain(int(getattr(self.held, name)))
        if name == "dtype":
            return Unquoted(str(self.held.dtype))
        if name in ("real", "imag", "T"):
            return self._calls.given(getattr(self.held, name))
        return super().attribute(name)

    def methods(self) -> dict[str, Callable[[list[Value], Given], Any]]:
        own: dict[str, Any] = {name: partial(self._called, name) for name in _METHODS}
        return own | {name: partial(self._operated, name) for name in ("__neg__", "__pos__")}

    def _called(self, name: str, arguments: list[Value], keywords: Given) -> Value:
        if name == "tolist":
            self._calls.values.graph.check_room(self.held.size)
            return _as_lists(self._calls, self.held)
        return self._calls.computed(
            lambda held, *given, **named: getattr(held, name)(*given, **named),
            [self, *arguments],
            keywords,
        )

    def shown(self) -> str:
        with np.printoptions(**self._calls.values.array_options):
            return str(self.held)

    def parts(self, quoted: bool) -> list[tuple[Any, bool]] | None:
        with np.printoptions(**self._calls.values.array_options):
            return [(repr(self.held), False)] if quoted else None


def _shape_of(compute: Callable[..., Any], one: Shape, other: Shape) -> Shape:
    """The shape of what two arrays give. Raises ValueError where they do not fit."""
    if compute is not operator.matmul:
        return np.broadcast_shapes(one, other)
    return (*np.broadcast_shapes(one[:-2], other[:-2]), *one[-2:-1], *other[-1:])


def _as_lists(calls: ComplexArrays, held: Any) -> Value:
    if not np.ndim(held):
        return calls.number(held)
    return Items([_as_lists(calls, each) for each in held])


def _transformed(shape: Shape, count: int | None, named: Mapping[str, Any]) -> Shape:
    """The shape, at least, that a transform gives: of the lengths that are asked for, or of twice
    that of the last axis.
    """
    if count is not None:  # of frequencies
        return (count,)
    lengths = named.get("s") if "s" in named else named.get("n")
    if lengths is None:
        return (2, *shape)
    lengths = np.atleast_1d(lengths)
    axes = named.get("axes", named.get("axis"))
    axes = range(-len(lengths), 0) if axes is None else np.atleast_1d(axes)
    found = list(shape)
    for axis, length in zip(axes, lengths, strict=False):
        if -len(found) <= axis < len(found):
            found[axis] = int(length)
    return tuple(found)


class ComplexArrays:
    """The functions by name."""

    def __init__(self, arrays: ArrayCalls) -> None:
        self._arrays = arrays
        self.values = arrays.values
        self.methods: dict[str, Special] = {}
        self.functions: dict[str, Special] = {
            **{f"np.fft.{name}": partial(self._transform, name) for name in _TRANSFORMS},
            **{f"np.{name}": partial(self._looked, name) for name in _LOOKED},
            **{f"np.{name}": partial(self._number, name) for name in _NUMBERS},
            WITH_ARRAY: self._with_array,
            OF_NUMBER: self._of_number,
            "complex.array": self._array,
        }

    def _array(self, arguments: list[Value], keywords: Given) -> Value:
        """An array of a complex dtype that a function of NumPy's makes."""
        name, *given = arguments
        make = _MAKERS.get(str(name))
        if make is None:
            raise GradcliError("type", f"np.{name} makes no complex numbers here",
                               hint=f"np.{name}(…).astype(complex)")  # fmt: skip
        lengths = _LENGTHS.get(str(name))
        if lengths is not None:
            numbers = [self.plain(each) for each in given]
            named = {word: self.plain(each) for word, each in keywords.items() if word != "dtype"}
            with suppress(TypeError, ValueError):  # NumPy says what does not fit
                self.require(lengths(*numbers, **named))
        return self.computed(make, given, keywords)

    def _with_array(self, arguments: list[Value], keywords: Given) -> Value:
        """An operator between a complex number of Python's and an array."""
        name, *sides = arguments
        return self.operated(_TWO[str(name)], sides)

    def _of_number(self, arguments: list[Value], keywords: Given) -> Value:
        """What a function of NumPy's makes of a complex number of Python's; None for others."""
        name, *given = arguments
        function = _FUNCTIONS.get(str(name).removeprefix("np."))
        return None if function is None else self.computed(function, given, keywords)

    def operated(self, compute: Callable[[Any, Any], Any], sides: Sequence[Value]) -> Value:
        """What an operator gives."""
        with suppress(ValueError):  # NumPy says which shapes do not fit
            self.require(_shape_of(compute, *(np.shape(self.plain(each)) for each in sides)))
        return self.computed(compute, sides, {})

    def number(self, held: Any) -> Value:
        """One of NumPy's numbers as one of Python's."""
        if not np.iscomplexobj(held):
            return self.values.plain(held.item())
        parts = [self.values.plain(each) for each in (float(held.real), float(held.imag))]
        return self._arrays.call("complex", parts, {})  # type: ignore[no-any-return]

    def given(self, found: Any) -> Value:
        """What NumPy has computed as a value."""
        if np.iscomplexobj(found):
            self.values.of_complex = self.values.of_complex or self._applied
            return ComplexArray(self, found)
        return self._arrays.array(found)

    def plain(self, value: Value) -> Any:
        """A value as NumPy takes it."""
        if isinstance(value, ComplexArray):
            return value.held
        if isinstance(value, ComplexNumber):
            return value.number
        if is_complex_dtype(value):
            is_single = COMPLEX[complex_name(value)] == "float32"
            return np.dtype("complex64" if is_single else "complex128")
        if isinstance(value, Items) and any(isinstance(each, Object | Items) for each in value):
            return [self.plain(each) for each in value]
        if isinstance(value, Object):
            pair = getattr(value, "pair", None)
            if pair is None:
                raise GradcliError("type", f"arrays are not computed with {describe(value)}")
            real, imaginary = map(self.values.evaluator.value, pair)
            return (real + 1j * imaginary)[()]
        if isinstance(value, Node) and self.values.plain_kind(value) == "float":
            return self.values.number(value, "a number")
        if isinstance(value, tuple):
            if any(isinstance(each, Object) for each in value):
                return tuple(map(self.plain, value))
            return tuple(self.values.integers(value, "a shape"))
        return self._arrays.plain("fft", value)

    def _applied(self, name: str, arguments: list[Value], keywords: Given) -> Value:
        """The same as of other complex values."""
        found: Value = self._arrays.call("complex.applied", [name, *arguments], keywords)
        return found

    def computed(
        self, compute: Callable[..., Any], arguments: Sequence[Value], keywords: Given
    ) -> Value:
        """What a function of NumPy's gives."""
        numbers = [self.plain(each) for each in arguments]
        named = {name: self.plain(each) for name, each in keywords.items()}
        return self._made(compute, numbers, named)

    def require(self, shape: Shape) -> None:
        """Raise `limit-memory` where there is no room for complex numbers of this shape."""
        count = math.prod(max(0, each) for each in shape)
        self.values.graph.ledger.require(COMPLEX_BYTES * count, "an array of complex numbers")

    def _made(
        self, compute: Callable[..., Any], numbers: Sequence[Any], named: Mapping[str, Any]
    ) -> Value:
        try:
            return self.given(compute(*numbers, **named))
        except (ValueError, TypeError, np.exceptions.AxisError) as error:
            said = type(error).__name__, str(error)
            raise RefusedError(said, "value", str(error)) from None

    def _transform(self, name: str, arguments: list[Value], keywords: Given) -> Value:
        names = _TRANSFORMS[name]
        given = bind_names(name, names, arguments, keywords, names[1:])
        first = self.plain(given.pop(names[0]))
        named = {key: self.plain(each) for key, each in given.items()}
        self.require(_transformed(np.shape(first), int(first) if names[0] == "n" else None, named))
        return self._made(getattr(np.fft, name), [first], named)

    def _number(self, name: str, arguments: list[Value], keywords: Given) -> Value:
        """`np.complex64(1 + 2j)`; of an array it makes one of that dtype."""
        (value,) = bind_names(name, ("x",), arguments, keywords, ("x",)).values() or (None,)
        return self._made(getattr(np, name), [0 if value is None else self.plain(value)], {})

    def _looked(self, name: str, arguments: list[Value], keywords: Given) -> Value:
        names = _LOOKED[name]
        given = bind_names(name, names, arguments, keywords, names[1:])
        return self.computed(getattr(np, name), [given.pop(names[0])], given)
