"""Complex tensors: what `torch.linalg.eig` and `torch.fft.fft` give of values that are known.

They look at values now, and no gradient flows through them.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from gradcli.diagnostics import GradcliError, RefusedError
from gradcli.graph import Array, Node, Shape
from gradcli.ops.axes import roll
from gradcli.ops.shapes import normalize_axis
from gradcli.trace.arguments import bind_names
from gradcli.trace.autograd import Autograd
from gradcli.trace.collections_calls import record
from gradcli.trace.items import Items, Unquoted
from gradcli.trace.objects import BuiltIn, Given, Object
from gradcli.trace.special import Size, Special
from gradcli.trace.tensor_text import PLAIN, with_suffixes
from gradcli.trace.values import Value

_OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "add": operator.add, "sub": operator.sub, "mul": operator.mul, "truediv": operator.truediv,
    "pow": operator.pow, "matmul": operator.matmul,
}  # fmt: skip
_SHIFTS = ("fftshift", "ifftshift")
_ALONG = ("input", "n", "dim", "norm")
_TRANSFORMS: dict[str, tuple[Callable[..., Array], tuple[str, ...]]] = {
    **{name: (getattr(np.fft, name), _ALONG) for name in ("fft", "ifft", "rfft", "irfft")},
    **{name: (getattr(np.fft, name), ("input", "s", "dim", "norm"))
       for name in ("fft2", "ifft2", "fftn", "ifftn", "rfft2", "irfft2")},
    **{name: (getattr(np.fft, name), ("input", "dim")) for name in _SHIFTS},
}  # fmt: skip
"""By the name in `torch.fft`: NumPy's function, and PyTorch's parameters."""
MOST = 2**24
"""The most elements that a transform is made of."""


class ComplexTensor(Object):
    """A tensor of complex numbers."""

    what = "a complex tensor"
    title = "Tensor"

    def __init__(self, maker: ComplexCalls, array: Array, dtype: str) -> None:
        self._maker = maker
        self._values = maker.values
        self.array = array.astype(dtype)
        self.dtype = dtype

    def attribute(self, name: str) -> Any:
        if name in ("real", "imag"):
            return self._maker.real(getattr(self.array, name), self)
        if name == "dtype":
            return Unquoted(f"torch.{self.dtype}")
        if name == "shape":
            return Size([self._values.plain(each) for each in self.array.shape])
        if name == "ndim":
            return self._values.plain(self.array.ndim)
        if name in ("T", "mT"):
            return self._like(np.swapaxes(self.array, -1, -2) if self.array.ndim > 1 else
                              self.array)  # fmt: skip
        if name == "requires_grad":
            return self._values.graph.constant(False)
        return super().attribute(name)

    def methods(self) -> dict[str, Callable[[list[Any], Given], Any]]:
        found: dict[str, Callable[[], Any]] = {
            "abs": lambda: self._maker.real(np.abs(self.array), self),
            "angle": lambda: self._maker.real(np.angle(self.array), self),
            "__neg__": lambda: self._like(-self.array),
            "conj": lambda: self._like(self.array.conj()),
            "real": lambda: self.attribute("real"),
            "imag": lambda: self.attribute("imag"),
            "numel": lambda: self._values.plain(self.array.size),
            "dim": lambda: self._values.plain(self.array.ndim),
            "is_complex": lambda: self._values.graph.constant(True),
            "detach": lambda: self,
            "clone": lambda: self,
        }
        reduced = {name: partial(self._reduced, name) for name in ("sum", "mean")}
        bare = {name: partial(self._bare, name, make) for name, make in found.items()}
        return {**bare, **reduced}

    def _reduced(self, name: str, arguments: list[Any], keywords: Given) -> Value:
        given = bind_names(name, ("dim",), arguments, keywords, ("dim",))
        axes = self._values.integers(given["dim"], "dim") if "dim" in given else None
        try:
            return self._like(getattr(self.array, name)(axes))
        except np.exceptions.AxisError as error:
            raise GradcliError("axis", f"{name}: {error}") from None

    def _bare(
        self, name: str, make: Callable[[], Any], arguments: list[Any], keywords: Given
    ) -> Any:
        bind_names(name, (), arguments, keywords)
        return make()

    def special(self, name: str) -> Object | None:
        bare = name.strip("_")
        is_right = bare not in _OPERATORS and bare[1:] in _OPERATORS and bare[0] == "r"
        known = _OPERATORS.get(bare[1:] if is_right else bare)
        own = self.methods().get(bare)  # also of `torch.abs(z)`
        if own is not None:
            return BuiltIn(name, lambda _, given, keywords: own(given, keywords))
        if bare == "format" and not self.array.shape:
            return BuiltIn(name, self._formatted)
        if known is None:
            return None
        return BuiltIn(name, lambda _, given, __: self._operated(known, given[0], is_right))

    def _operated(self, apply: Callable[[Any, Any], Any], other: Value, is_right: bool) -> Value:
        number, wide = self._maker.known(other)
        sides = (number, self.array) if is_right else (self.array, number)
        try:
            self._maker.require(_count(apply, *map(np.shape, sides)))
            with np.errstate(all="ignore"):
                found = apply(*sides)
        except ValueError as error:
            raise GradcliError("shape", f"complex tensors: {error}") from None
        return ComplexTensor(self._maker, np.asarray(found), wide or self.dtype)

    def item(self, items: Sequence[Any]) -> Value:
        if any(isinstance(each, Items | Object | str | range) for each in items):
            raise GradcliError("type", "a complex tensor takes numbers and slices between brackets")
        places = [self._place(each) if isinstance(each, Node) else each for each in items]
        try:
            self._maker.require(self._count_of([each for each in places if np.ndim(each)]))
            return self._like(np.asarray(self.array[tuple(places)]))
        except (IndexError, ValueError) as error:
            raise GradcliError("index", f"complex tensor: {error}") from None

    def _count_of(self, rows: Sequence[Array]) -> int:
        """How many elements it has at most where rows of places stand for some of its axes."""
        picked: int = math.prod(np.broadcast_shapes(*map(np.shape, rows)))
        rest: int = math.prod(sorted(self.array.shape)[len(rows) :])
        return picked * rest

    def _place(self, index: Node) -> Any:
        if index.shape:
            whole = index if index.kind == "bool" else self._values.index(index, "an index")
            return self._values.evaluator.value(whole)
        return self._values.integer(index, "an index")

    def elements(self) -> Items:
        self._values.graph.check_room(self.length())
        return Items([self._like(np.asarray(each)) for each in self.array])

    def length(self) -> int:
        if not self.array.shape:
            raise GradcliError("type", "a single value has no length")
        return len(self.array)

    def shown(self) -> str:
        is_usual = self._maker.complex_of(self._maker.default) == self.dtype
        suffixes = () if is_usual else (f"dtype=torch.{self.dtype}",)
        return with_suffixes(self.array, suffixes, self._values.style or PLAIN)

    def _formatted(self, _: str, arguments: list[Value], keywords: Given) -> str:
        """A single number in a format string, as Python writes it."""
        if arguments[0]:
            raise GradcliError("value", "complex numbers have no format of their own here",
                               hint="z.real and z.imag have one")  # fmt: skip
        return str(complex(self.array))

    def _like(self, array: Array) -> ComplexTensor:
        return ComplexTensor(self._maker, np.asarray(array), self.dtype)


def _count(apply: Callable[[Any, Any], Any], left: Shape, right: Shape) -> int:
    """How many elements an operator makes."""
    if apply is not operator.matmul:
        return math.prod(np.broadcast_shapes(left, right))
    return math.prod(left[:-1]) * math.prod(right[:-2]) * (right[-1] if len(right) > 1 else 1)


class ComplexCalls:
    """The functions that give complex tensors, by name."""

    def __init__(self, autograd: Autograd) -> None:
        self.autograd = autograd
        self.values = autograd.values
        self.functions: dict[str, Special] = {
            "torch.linalg.eig": self._eig,
            "torch.linalg.eigvals": self._eigenvalues,
            "torch.complex": self._complex,
            "torch.imag": self._imaginary,
            **{f"torch.fft.{name}": partial(self._transform, name) for name in _TRANSFORMS},
            **{
                f"torch.fft.{name}": partial(self._frequencies, name)
                for name in ("fftfreq", "rfftfreq")
            },
        }
        self.methods: dict[str, Special] = {}

    @property
    def default(self) -> str:
        return self.autograd.dtypes.default if self.autograd.dtypes else "float64"

    def complex_of(self, dtype: str) -> str:
        return "complex128" if dtype == "float64" else "complex64"

    def real(self, array: Array, of: ComplexTensor) -> Node:
        """The real or imaginary part of a complex tensor, or what else is real."""
        made = self.values.own(self.values.graph.constant(np.asarray(array, np.float64)))
        if self.autograd.dtypes is not None:
            self.autograd.dtypes.name(made, "float64" if of.dtype == "complex128" else "float32")
        return made

    def known(self, value: Value) -> tuple[Any, str]:
        """The numbers of a tensor, and the complex dtype that follows from it; that of a number is
        empty.
        """
        if isinstance(value, ComplexTensor):
            return value.array, value.dtype
        node = self.values.tensor(value, "an operand of a complex tensor")
        if self.autograd.requires_grad(node):
            raise GradcliError(
                "no-grad", "no gradient flows through complex numbers here",
                hint="x.detach() goes on without; keep the real and the imaginary part as two "
                "tensors, and their gradients are known",
            )  # fmt: skip
        array = self.values.evaluator.value(node)
        if array.size > MOST:
            raise GradcliError("limit-memory", f"complex tensors have at most {MOST:,} elements")
        if not self.values.is_tensor(node):
            return array, ""
        dtype = self.complex_of(self.values.array_dtype(node))
        is_single = array.dtype.kind == "f" and dtype == "complex64"
        return array.astype(np.float32) if is_single else array, dtype

    def require(self, count: int) -> None:
        """Ask for the memory of so many elements, and of what is computed on the way."""
        self.values.graph.ledger.require(48 * count, "a complex tensor")

    def _made(self, array: Array, dtype: str) -> ComplexTensor:
        return ComplexTensor(self, array, dtype or self.complex_of(self.default))

    # --- functions ---

    def _square(self, name: str, arguments: list[Value], keywords: Given) -> tuple[Any, str]:
        (given,) = bind_names(name, ("A",), arguments, keywords).values()
        array, dtype = self.known(given)
        if array.ndim < 2 or array.shape[-1] != array.shape[-2]:
            raise GradcliError("shape", f"{name} takes square matrices; this is {array.shape}")
        if not np.isfinite(array).all():
            raise GradcliError("value", f"{name}: the input has an element that is not finite")
        return array, dtype

    def _eigenvalues(self, arguments: list[Value], keywords: Given) -> Value:
        array, dtype = self._square("eigvals", arguments, keywords)
        return self._made(np.linalg.eigvals(array), dtype)

    def _eig(self, arguments: list[Value], keywords: Given) -> Value:
        array, dtype = self._square("eig", arguments, keywords)
        parts = [self._made(each, dtype) for each in np.linalg.eig(array)]
        found = record("linalg_eig", ("eigenvalues", "eigenvectors"), parts)
        self.values.titles[id(found)] = "linalg_eig", found
        return found

    def _imaginary(self, arguments: list[Value], keywords: Given) -> Value:
        (given,) = bind_names("imag", ("input",), arguments, keywords).values()
        if isinstance(given, ComplexTensor):
            found: Value = given.attribute("imag")
            return found
        said = "imag is not implemented for tensors with non-complex dtypes."
        raise RefusedError(("RuntimeError", said), "type", "a tensor of floats is real")

    def _complex(self, arguments: list[Value], keywords: Given) -> Value:
        given = bind_names("complex", ("real", "imag"), arguments, keywords)
        (real, dtype), (imag, _) = map(self.known, given.values())
        try:
            self.require(math.prod(np.broadcast_shapes(np.shape(real), np.shape(imag))))
        except ValueError as error:
            raise GradcliError("shape", f"complex: {error}") from None
        return self._made(real + 1j * imag, dtype)

    def _transform(self, name: str, arguments: list[Value], keywords: Given) -> Value:
        transform, names = _TRANSFORMS[name]
        given = bind_names(name, names, arguments, keywords, names[1:])
        if name in _SHIFTS and isinstance(given["input"], Node):
            return self._shifted(name, given["input"], given.get("dim"))
        array, dtype = self.known(given.pop("input"))
        options: dict[str, Any] = {}
        for each, value in given.items():
            if value is None:
                continue
            option = {"dim": "axis" if "n" in names else "axes"}.get(each, each)
            if each == "norm":
                options[option] = self._norm(value)
            elif each == "n":
                options[option] = self._length(value)
            elif each == "s":
                options[option] = [self._length(part) for part in self.values.elements(value)]
            elif "n" in names:
                options[option] = self.values.integer(value, each)
            else:
                options[option] = self.values.integers(value, each)
        lengths = [options["n"]] if "n" in options else options.get("s", [])
        self.require(array.size * math.prod(lengths))
        try:
            found = transform(array, **options)
        except (ValueError, IndexError) as error:
            raise GradcliError("value", f"torch.fft.{name}: {error}") from None
        if found.dtype.kind == "c":
            return self._made(found, dtype)
        if found.dtype.kind != "f":
            return self.values.own(self.values.graph.constant(found))
        return self.real(found, self._made(found, dtype))

    def _shifted(self, name: str, node: Node, dim: Value) -> Value:
        """A real tensor with the element of frequency 0 in the middle, or back at the start."""
        dims = range(node.ndim) if dim is None else self.values.integers(dim, "dim")
        axes = tuple(normalize_axis(f"torch.fft.{name}", each, node.ndim) for each in dims)
        halves = tuple(node.shape[axis] // 2 for axis in axes)
        steps = halves if name == "fftshift" else tuple(-half for half in halves)
        return roll.build(node, steps, axes)  # type: ignore[no-any-return]

    def _norm(self, value: Value) -> str:
        if value not in ("forward", "backward", "ortho"):
            raise GradcliError("value", "norm is 'forward', 'backward' or 'ortho'")
        return str(value)

    def _length(self, value: Value) -> int:
        length = self.values.integer(value, "n")
        if not 0 < length <= MOST:
            raise GradcliError("value", f"a transform has 1 to {MOST:,} elements, not {length}")
        return length

    def _frequencies(self, name: str, arguments: list[Value], keywords: Given) -> Value:
        given = bind_names(name, ("n", "d"), arguments, keywords, ("d",))
        count = self._length(given["n"])
        spacing = self.values.number(given["d"], "d") if "d" in given else 1.0
        if not spacing:
            raise GradcliError("value", f"torch.fft.{name}: d is not 0")
        return self.values.own(self.values.graph.constant(getattr(np.fft, name)(count, spacing)))
