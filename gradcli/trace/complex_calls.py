"""The functions that make complex tensors: `torch.complex`, `torch.polar`, `torch.fft`, `eig`."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from gradcli.diagnostics import GradcliError, RefusedError
from gradcli.graph import Array, Node
from gradcli.ops import f
from gradcli.ops.axes import roll
from gradcli.ops.control import bind, detach
from gradcli.ops.shapes import normalize_axis
from gradcli.trace.arguments import bind_names
from gradcli.trace.autograd import Autograd
from gradcli.trace.collections_calls import record
from gradcli.trace.complex_functions import ComplexFunctions
from gradcli.trace.complex_parts import OF_PARTS, Parts, polar, spread
from gradcli.trace.complex_tensors import ComplexNumber, ComplexTensor
from gradcli.trace.constructors import as_dtype
from gradcli.trace.fourier import FourierTransform, transformed, without_elements
from gradcli.trace.items import Items
from gradcli.trace.objects import Given
from gradcli.trace.special import Special
from gradcli.trace.values import Value

_SHIFTS = ("fftshift", "ifftshift")
_ALONG = ("input", "n", "dim", "norm")
_TRANSFORMS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("fft", "ifft", "rfft", "irfft"), _ALONG),
    **dict.fromkeys(("fft2", "ifft2", "fftn", "ifftn", "rfft2", "irfft2", "rfftn", "irfftn"),
                    ("input", "s", "dim", "norm")),
    **dict.fromkeys(_SHIFTS, ("input", "dim")),
}  # fmt: skip
"""By the name in `torch.fft`: PyTorch's parameters."""
_TITLES = {"reshape": "view", "flatten": "view", "square": "pow", "absolute": "abs"}
"""What PyTorch names nodes after that are not named after their function."""
MOST = 2**24
"""The most elements that a transform is made of."""


class ComplexCalls:
    """The functions that give complex tensors, by name."""

    def __init__(
        self,
        autograd: Autograd,
        call: Callable[[str, list[Any], Given], Any],
        put: Callable[..., Any],
    ) -> None:
        """`call` calls a function by its name, `put` writes into a tensor."""
        self.autograd = autograd
        self.values = autograd.values
        self.call = call
        self._put = put
        of_complex = ComplexFunctions(self)
        self.applied, self.cast = of_complex.__call__, of_complex.cast
        self.functions: dict[str, Special] = {
            "torch.linalg.eig": self._eig,
            "torch.linalg.eigvals": self._eigenvalues,
            "torch.complex": self._complex,
            "torch.polar": self._polar,
            "torch.view_as_real": self._as_real,
            "torch.view_as_complex": self._as_complex,
            "torch.imag": self._imaginary,
            "complex": self._number,
            "complex.applied": self._applied,
            "complex.cast": lambda given, _: self.cast(*given),
            **{f"torch.fft.{name}": partial(self._transform, name) for name in _TRANSFORMS},
            "torch.fft.hfft": partial(self._hermitian, "irfft"),
            "torch.fft.ihfft": partial(self._hermitian, "rfft"),
            **{
                f"torch.fft.{name}": partial(self._frequencies, name)
                for name in ("fftfreq", "rfftfreq")
            },
        }
        self.methods: dict[str, Special] = {
            name: partial(self._in_complex, dtype)
            for name, dtype in (("cfloat", "complex64"), ("cdouble", "complex128"))
        }

    @property
    def default(self) -> str:
        return self.autograd.dtypes.default if self.autograd.dtypes else "float64"

    def complex_of(self, dtype: str) -> str:
        return "complex128" if dtype == "float64" else "complex64"

    # --- values ---

    def number(self, number: complex) -> ComplexNumber:
        return ComplexNumber(self, number)

    def plain_number(self, value: Value) -> complex | None:
        """A number of Python's; None for tensors."""
        if isinstance(value, ComplexNumber):
            return value.number
        numbers = self.values.plain_numbers
        if isinstance(value, Node) and not value.shape and numbers is not None and value in numbers:
            return self.values.number(value, "a number")
        return None

    def parts(self, value: Value) -> Parts:
        """The parts of a complex value, or of a real one."""
        if isinstance(value, ComplexTensor):
            return value.pair
        if isinstance(value, ComplexNumber):
            return self.parts_of(value.number)
        node = self.values.tensor(value, "an operand of a complex tensor")
        return node, node.graph.constant(0.0)

    def parts_of(self, number: complex) -> Parts:
        """A number in the place of a tensor."""
        constant = self.values.graph.constant
        return constant(number.real), constant(number.imag)

    def marked(self, parts: Parts) -> Parts:
        """Both as leaves that require grad."""
        return self.autograd.mark(parts[0]), self.autograd.mark(parts[1])

    def in_dtype(self, node: Node, dtype: Value) -> Node:
        """A real tensor in a real dtype."""
        return as_dtype(self.autograd, node, dtype)

    def own(self, node: Node) -> Node:
        """A copy that may change."""
        return self.values.own(bind(node))

    def write(self, node: Node, items: Sequence[Any] | None, value: Node) -> None:
        """Put values into a part, where `items` say or everywhere."""
        self._put(node, value, items)

    def named(self, node: Node, name: str) -> Node:
        """A real tensor that PyTorch says a function has made of a complex one."""
        if not self.autograd.records():
            return detach(node)
        if not self.autograd.requires_grad(node):
            return node
        name = _TITLES.get(name, name)
        title = "".join(word[:1].upper() + word[1:] for word in name.split("_"))
        return self.autograd.another(node, f"{title}Backward0", (), {})

    def node_of(self, name: str, node: Node) -> str:
        """What is printed of the function that made a complex tensor."""
        return f"grad_fn=<{self.autograd.node_name(self.named(node, name or 'alias'))}>"

    def made(self, array: Array, dtype: str, made_by: str = "") -> ComplexTensor:
        """A complex tensor with these elements, through which no gradient flows."""
        return ComplexTensor(self, (self._own(array.real, dtype), self._own(array.imag, dtype)),
                             made_by)  # fmt: skip

    def _own(self, array: Array, dtype: str) -> Node:
        """A real tensor with these elements."""
        made = self.values.own(self.values.graph.constant(np.array(array, np.float64)))
        if self.autograd.dtypes is not None:
            self.autograd.dtypes.name(made, "float64" if dtype == "complex128" else "float32")
        return made

    def _known(self, value: Value) -> tuple[Array, str]:
        """The elements of a tensor, looked at now, and the complex dtype that follows from it."""
        parts = self.parts(value)
        if self.autograd.followed or any(map(self.autograd.requires_grad, parts)):
            raise GradcliError("no-grad", "no gradient flows through eigenvalues that are complex",
                               hint="torch.linalg.eigh is for symmetric matrices")  # fmt: skip
        for each in parts:
            self.values.check_look(each, "eig")
        return self._elements(parts, value), self.complex_of(self.values.array_dtype(parts[0]))

    def _elements(self, parts: Parts, value: Value) -> Array:
        """The elements, real ones where the tensor is."""
        size = max(each.size for each in parts)
        if size > MOST:
            raise GradcliError("limit-memory", f"complex tensors have at most {MOST:,} elements")
        real, imaginary = map(self.values.evaluator.value, parts)
        return real + 1j * imaginary if isinstance(value, ComplexTensor) else real

    def require(self, count: int) -> None:
        """Ask for the memory of so many elements, and of what is computed on the way."""
        self.values.graph.ledger.require(48 * count, "a complex tensor")

    # --- functions ---

    def _applied(self, arguments: list[Value], keywords: Given) -> Value:
        name, *rest = arguments
        return self.applied(str(name), rest, keywords)

    def _number(self, arguments: list[Value], keywords: Given) -> Value:
        """`complex(1, 2)`."""
        names = ("real", "imag")
        given = bind_names("complex", names, arguments, keywords, names)
        if isinstance(given.get("real"), ComplexTensor | Node) and "imag" not in given:
            return ComplexTensor(self, self.parts(given["real"])).method("item")([], {})  # type: ignore[no-any-return]
        found = [self.plain_number(each) for each in given.values()]
        if None in found:
            raise GradcliError("type", "complex takes numbers", hint="torch.complex takes tensors")
        real, imaginary = [*found, 0, 0][:2]
        return self.number(complex(real + 1j * imaginary))  # type: ignore[operator]

    def _in_complex(self, dtype: str, arguments: list[Value], keywords: Given) -> Value:
        (given,) = bind_names("cfloat", ("self",), arguments, keywords).values()
        return self.cast(given, dtype)

    def of_list(self, arguments: list[Value], keywords: Given) -> Value:
        """`torch.tensor([1 + 2j, 3])`; None where no number in it is complex."""
        names = ("data", "dtype", "device", "requires_grad")
        if not arguments or not has_complex(arguments[0]):
            return None
        given = bind_names("tensor", names, arguments, keywords, names[1:])
        array = np.array(self._listed(given["data"]))
        made = self.made(array, "complex128" if "complex128" in str(given.get("dtype"))
                         else self.complex_of(self.default))  # fmt: skip
        marks = given.get("requires_grad")
        if marks is not None and self.values.truth(marks):
            return made.method("requires_grad_")([], {})  # type: ignore[no-any-return]
        return made

    def _listed(self, value: Value, depth: int = 0) -> Any:
        """Nested lists of numbers as Python's."""
        if isinstance(value, Items | tuple) and depth < 64:
            return [self._listed(each, depth + 1) for each in self.values.elements(value)]
        real, imaginary = (self.values.number(each, "an element") for each in self.parts(value))
        return complex(real, imaginary)

    def _square(self, name: str, arguments: list[Value], keywords: Given) -> tuple[Any, str]:
        (given,) = bind_names(name, ("A",), arguments, keywords).values()
        array, dtype = self._known(given)
        if array.ndim < 2 or array.shape[-1] != array.shape[-2]:
            raise GradcliError("shape", f"{name} takes square matrices; this is {array.shape}")
        if not np.isfinite(array).all():
            raise GradcliError("value", f"{name}: the input has an element that is not finite")
        return array, dtype

    def _eigenvalues(self, arguments: list[Value], keywords: Given) -> Value:
        array, dtype = self._square("eigvals", arguments, keywords)
        return self.made(np.linalg.eigvals(array), dtype)

    def _eig(self, arguments: list[Value], keywords: Given) -> Value:
        array, dtype = self._square("eig", arguments, keywords)
        parts = [self.made(each, dtype) for each in np.linalg.eig(array)]
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

    def _two(self, name: str, names: tuple[str, str], given: list[Value], keywords: Given) -> Parts:
        """Two real tensors of one shape."""
        bound = bind_names(name, names, given, keywords)
        first, second = (self.values.tensor(each, key) for key, each in bound.items())
        try:
            shape = np.broadcast_shapes(first.shape, second.shape)
        except ValueError as error:
            raise GradcliError("shape", f"{name}: {error}") from None
        self.require(math.prod(shape))
        return spread(first, shape), spread(second, shape)

    def _complex(self, arguments: list[Value], keywords: Given) -> Value:
        parts = self._two("complex", ("real", "imag"), arguments, keywords)
        return ComplexTensor(self, parts, "complex")

    def _polar(self, arguments: list[Value], keywords: Given) -> Value:
        parts = self._two("polar", ("abs", "angle"), arguments, keywords)
        return ComplexTensor(self, polar(*parts), "polar")

    def _as_real(self, arguments: list[Value], keywords: Given) -> Value:
        (given,) = bind_names("view_as_real", ("input",), arguments, keywords).values()
        if not isinstance(given, ComplexTensor):
            said = "view_as_real is only supported for complex tensors"
            raise RefusedError(
                ("RuntimeError", said), "type", "view_as_real takes a complex tensor"
            )
        return self.named(f("stack", given.pair, dim=-1), "view_as_real")

    def _as_complex(self, arguments: list[Value], keywords: Given) -> Value:
        (given,) = bind_names("view_as_complex", ("input",), arguments, keywords).values()
        node = self.values.tensor(given, "view_as_complex")
        if not node.shape or node.shape[-1] != 2:
            said = "Tensor must have a last dimension of size 2"
            raise RefusedError(("RuntimeError", said), "shape",
                               "view_as_complex takes both parts along the last axis")  # fmt: skip
        real, imaginary = (f("select", node, -1, place) for place in (0, 1))
        return ComplexTensor(self, (real, imaginary), "view_as_complex")

    # --- transforms ---

    def _transform(self, name: str, arguments: list[Value], keywords: Given) -> Value:
        names = _TRANSFORMS[name]
        given = bind_names(name, names, arguments, keywords, names[1:])
        value = given.pop("input")
        if name in _SHIFTS:
            return self._shifted(name, value, given.get("dim"))
        parts = self.parts(value)
        options = self._options(given, "n" in names)
        is_real = not isinstance(value, ComplexTensor)
        length = max(each.size for each in parts) * math.prod(options["lengths"] or ())
        if length > MOST:
            raise GradcliError("limit-memory", f"transforms have at most {MOST:,} elements")
        self.require(length)
        real, imaginary = transformed(FourierTransform(name, **options), parts, is_real)
        title = "fft_C2R" if imaginary is None else "fft_R2C" if is_real else "fft_C2C"
        if imaginary is None:
            return self.named(real, title)
        return ComplexTensor(self, (real, imaginary), title)

    def _hermitian(self, name: str, arguments: list[Value], keywords: Given) -> Value:
        """`hfft`, `ihfft`: the other real transform of the conjugate, which is scaled as that goes
        the other way.
        """
        title = "hfft" if name == "irfft" else "ihfft"
        given = bind_names(title, _ALONG, arguments, keywords, _ALONG[1:])
        norm = self._norm(given.get("norm") or "backward")
        turned = {"backward": "forward", "forward": "backward"}.get(norm, norm)
        value = given.pop("input")
        options = {**given, "norm": turned}
        if name == "rfft":
            found = self._transform(name, [value], options)
            return ComplexTensor(self, OF_PARTS["conj"](self.parts(found)), "conj")
        conjugate = ComplexTensor(self, OF_PARTS["conj"](self.parts(value)), "conj")
        return self._transform(name, [conjugate], options)

    def _options(self, given: Given, of_one: bool) -> dict[str, Any]:
        """The axes and their lengths, None where nothing is said of them, and the norm."""
        found: dict[str, Any] = {"axes": None, "lengths": None, "norm": "backward"}
        if given.get("dim") is not None:
            found["axes"] = [*self.values.integers(given["dim"], "dim")]
        lengths = given.get("n") if of_one else given.get("s")
        if lengths is not None:
            several = [lengths] if of_one else self.values.elements(lengths)
            found["lengths"] = [self._length(each) for each in several]
        if given.get("norm") is not None:
            found["norm"] = self._norm(given["norm"])
        return found

    def _shifted(self, name: str, value: Value, dim: Value) -> Value:
        """A tensor with the element of frequency 0 in the middle, or back at the start."""
        if isinstance(value, ComplexTensor):
            real, imaginary = (self._shifted(name, each, dim) for each in value.pair)
            assert isinstance(real, Node)
            assert isinstance(imaginary, Node)
            return ComplexTensor(self, (real, imaginary), "roll")
        node = self.values.tensor(value, name)
        dims = range(node.ndim) if dim is None else self.values.integers(dim, "dim")
        axes = tuple(normalize_axis(f"torch.fft.{name}", each, node.ndim) for each in dims)
        halves = tuple(node.shape[axis] // 2 for axis in axes)
        steps = halves if name == "fftshift" else tuple(-half for half in halves)
        return roll(node, steps, axes)

    def _norm(self, value: Value) -> str:
        if value not in ("forward", "backward", "ortho"):
            raise GradcliError("value", "norm is 'forward', 'backward' or 'ortho'")
        return str(value)

    def _length(self, value: Value) -> int:
        length = self.values.integer(value, "n")
        if length < 1:
            raise without_elements(length)
        if length > MOST:
            raise GradcliError("limit-memory", f"transforms have at most {MOST:,} elements")
        return length

    def _frequencies(self, name: str, arguments: list[Value], keywords: Given) -> Value:
        given = bind_names(name, ("n", "d"), arguments, keywords, ("d",))
        count = self._length(given["n"])
        spacing = self.values.number(given["d"], "d") if "d" in given else 1.0
        if not spacing:
            raise GradcliError("value", f"torch.fft.{name}: d is not 0")
        return self.values.own(self.values.graph.constant(getattr(np.fft, name)(count, spacing)))


def has_complex(value: Value) -> bool:
    """Whether a number in nested lists is complex."""
    waiting: list[Any] = [value]
    while waiting:
        part = waiting.pop()
        if isinstance(part, ComplexNumber):
            return True
        if isinstance(part, tuple) or (isinstance(part, Items) and not part.is_rolled):
            waiting += part
    return False
