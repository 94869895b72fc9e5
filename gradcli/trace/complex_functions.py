"""Functions of complex tensors, by what they make of the parts of their arguments.

What is linear is done to each part. What is a product of several operands is the sum of the
products of their parts, each imaginary one with a factor of i.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial

from gradcli.diagnostics import GradcliError
from gradcli.graph import Node
from gradcli.ops import f
from gradcli.trace.arguments import bind_names
from gradcli.trace.complex_arrays import ComplexArray
from gradcli.trace.complex_parts import OF_PARTS, Parts, absolute
from gradcli.trace.complex_tensors import (
    BY_PART,
    OF_NUMBER,
    ComplexNumber,
    ComplexTensor,
    Maker,
)
from gradcli.trace.items import Items
from gradcli.trace.names import COMPLEX, complex_name, is_complex_dtype
from gradcli.trace.objects import Given
from gradcli.trace.subscripts import subscript
from gradcli.trace.values import Value

_LIKE = ("zeros_like", "ones_like", "empty_like", "full_like", "rand_like", "randn_like")
_MADE = ("zeros", "ones", "empty", "eye", "full", "rand", "randn", "arange", "linspace", *_LIKE)
"""What makes tensors whose dtype may be complex."""
_OF_DATA = ("tensor", "as_tensor", "asarray", "from_numpy")
_JOINING = (
    "cat", "concat", "concatenate", "stack", "hstack", "vstack", "row_stack", "dstack",
    "column_stack", "block_diag",
)  # fmt: skip
_VALUES = {
    **dict.fromkeys(_JOINING, (0,)), "where": (1, 2), "masked_fill": (0, 2), "index_add": (0, 3),
    "index_copy": (0, 3), "scatter": (0, 3), "scatter_add": (0, 3), "lerp": (0, 1), "diff": (0,),
}  # fmt: skip
"""Functions that are linear in several arguments, and the places of these."""
_PRODUCTS = (
    "matmul", "mm", "mv", "bmm", "dot", "outer", "ger", "kron", "inner", "tensordot", "cross",
)  # fmt: skip
"""Products of their first two arguments."""
_EMBEDDED = ("inv", "inverse", "matrix_exp", "linalg.matrix_exp", "pinv")
"""Functions of a matrix which a real one of twice the size stands for."""
_NORMS = ("norm", "linalg.norm", "vector_norm", "linalg.vector_norm")
_LEAST_PRODUCTS = 12
"""Up to so many complex operands have a product: each doubles its terms."""


def part_dtype(value: Value) -> str:
    """The dtype of the parts of a complex one."""
    return COMPLEX[complex_name(value)]


def holds_complex(value: Value) -> bool:
    """Whether it is complex, or a list that has an element that is."""
    if isinstance(value, Items | tuple):
        is_plain = isinstance(value, tuple) or not value.is_rolled
        return is_plain and any(isinstance(e, ComplexTensor | ComplexNumber) for e in value)
    return isinstance(value, ComplexTensor | ComplexNumber)


def _array_among(given: Sequence[Value]) -> ComplexArray | None:
    """The first array of NumPy's with complex numbers, in lists, too."""
    for each in given:
        rows = [*each] if isinstance(each, tuple) or type(each) is Items else [each]
        found = next((row for row in rows if isinstance(row, ComplexArray)), None)
        if found is not None:
            return found
    return None


class ComplexFunctions:
    """Calls of functions by name, where an argument is complex or the dtype is."""

    def __init__(self, maker: Maker) -> None:
        self._maker = maker
        self._values = maker.values
        self._own: dict[str, Callable[[list[Value], Given], Value]] = {
            "einsum": self._einsum,
            "vdot": self._vdot,
            "multi_dot": lambda given, _: self._chained(self._values.elements(given[0])),
            "chain_matmul": lambda given, _: self._chained(given),
            "linear": self._affine,
            "dist": self._distance,
            "complex.close": self._check_close,
            "solve": self._solved,
            "eigvalsh": partial(self._half_of_doubled, "eigvalsh"),
            "svdvals": partial(self._half_of_doubled, "svdvals"),
        }
        """Functions of a kind of their own."""

    def __call__(self, name: str, arguments: list[Value], keywords: Given) -> Value:
        """The value; None where the function is none of these, or nothing is complex."""
        name = name.removeprefix("torch.")
        given = [*arguments, *keywords.values()]
        of_numpy = _array_among(given)
        if of_numpy is not None and name in _OF_DATA and of_numpy is arguments[0]:
            return self._maker.made(of_numpy.held, str(of_numpy.held.dtype))
        if of_numpy is not None:
            return of_numpy.applied(name, arguments, keywords)
        if name in _OF_DATA and arguments:
            return self._of_data(arguments, keywords)
        if name in _MADE:
            return self._made(name, arguments, keywords)
        if not any(map(holds_complex, given)):
            return None
        if name == "array":
            return self._maker.call(OF_NUMBER, [name, *arguments], keywords)  # type: ignore[no-any-return]
        own = self._own.get(name.removeprefix("linalg."))
        if own is not None:
            return own(arguments, keywords)
        if name in _PRODUCTS and len(arguments) > 1:
            return self._products(name, arguments, keywords)
        if name in _VALUES:
            return self._linear(name, _VALUES[name], arguments, keywords)
        if name in _NORMS:
            real = self._maker.named(absolute(self._maker.parts(arguments[0])), "abs")
            return self._maker.call(name, [real, *arguments[1:]], keywords)  # type: ignore[no-any-return]
        if name in _EMBEDDED:
            return self._embedded(name, arguments)
        return self._as_method(name, arguments, keywords)

    def _like(self, parts: Parts, made_by: str = "") -> ComplexTensor:
        return ComplexTensor(self._maker, parts, made_by)

    # --- what makes tensors ---

    def _made(self, name: str, arguments: list[Value], keywords: Given) -> Value:
        """`zeros(2, dtype=torch.complex64)`, `ones_like(z)`, `full((2,), 1j)`."""
        keywords, arguments = dict(keywords), [*arguments]
        given = keywords.pop("dtype", None)
        dtype = part_dtype(given) if is_complex_dtype(given) else None
        if given is not None and dtype is None and not any(map(holds_complex, arguments)):
            return None
        if name in _LIKE and isinstance(arguments[0], ComplexTensor):
            of = arguments[0].pair[0]
            arguments[0] = of
            dtype = dtype or (None if given is not None else self._values.array_dtype(of))
        number = keywords.get("fill_value", arguments[-1] if arguments else None)
        is_filled = name in ("full", "full_like") and isinstance(number, ComplexNumber)
        if is_filled:
            assert isinstance(number, ComplexNumber)
            keywords["fill_value"] = self._values.plain(number.number.real)
            arguments = [each for each in arguments if each is not number]
            dtype = dtype or self._maker.default
        if dtype is None:
            if given is None:
                return None
            return self._maker.call(name, arguments, {**keywords, "dtype": given})  # type: ignore[no-any-return]
        marks = keywords.pop("requires_grad", None)
        keywords["dtype"] = f"torch.{dtype}"
        real = self._maker.call(name, arguments, keywords)
        if name.startswith("rand"):  # both have half of the variance
            size = math.sqrt(0.5) if "randn" in name else 1.0
            real, imaginary = real * size, self._maker.call(name, arguments, keywords) * size
        elif is_filled:
            keywords["fill_value"] = self._values.plain(number.number.imag)  # type: ignore[union-attr]
            imaginary = self._maker.call(name, arguments, keywords)
        else:
            imaginary = self._maker.call("zeros_like", [real], {})
        return self._marked(self._like((real, imaginary)), marks)

    def _marked(self, made: ComplexTensor, marks: Value) -> ComplexTensor:
        if marks is not None and self._values.truth(marks):
            made.method("requires_grad_")([], {})
        return made

    def _of_data(self, arguments: list[Value], keywords: Given) -> Value:
        """`torch.tensor([1 + 2j, 3])`, `torch.tensor([1.0], dtype=torch.complex64)`."""
        dtype = keywords.get("dtype")
        data = arguments[0]
        if dtype is not None and not is_complex_dtype(dtype):
            return None
        if isinstance(data, ComplexTensor):
            parts = tuple(self._maker.own(each) for each in data.pair)
            made = self._like((parts[0], parts[1]))
            return made if dtype is None else self.cast(made, dtype)
        found = self._maker.of_list(arguments, keywords)
        if found is not None or dtype is None:
            return found
        own = {key: value for key, value in keywords.items() if key != "requires_grad"}
        real = self._maker.call("tensor", arguments, {**own, "dtype": f"torch.{part_dtype(dtype)}"})
        made = self._like((real, self._maker.call("zeros_like", [real], {})))
        return self._marked(made, keywords.get("requires_grad"))

    def cast(self, value: Value, dtype: Value) -> Value:
        """A tensor in a complex dtype, or the real part of a complex one in a real dtype."""
        call = self._maker.call
        if not is_complex_dtype(dtype):
            real = value.pair[0] if isinstance(value, ComplexTensor) else value
            return self._maker.in_dtype(self._values.tensor(real), dtype)
        parts = self._maker.parts(value)
        if not isinstance(value, ComplexTensor):
            parts = parts[0], call("zeros_like", [parts[0]], {})
        name = f"torch.{part_dtype(dtype)}"
        if isinstance(value, ComplexTensor) and value.dtype == self._maker.complex_of(
            part_dtype(dtype)
        ):
            return value
        real, imaginary = (self._maker.in_dtype(each, name) for each in parts)
        return self._like((real, imaginary), "to_copy")

    # --- what is linear ---

    def _linear(
        self, name: str, places: Sequence[int], arguments: list[Value], keywords: Given
    ) -> Value:
        """A function that is linear in the arguments at these places, of each part."""
        found = []
        for part in (0, 1):
            own = [
                self._part(each, part) if place in places else each
                for place, each in enumerate(arguments)
            ]
            named = {
                key: self._part(each, part) if holds_complex(each) else each
                for key, each in keywords.items()
            }
            found.append(self._maker.call(name, own, named))
        if isinstance(found[0], tuple):
            pairs = zip(*found, strict=True)
            return tuple(self._like((real, imaginary), name) for real, imaginary in pairs)
        return self._like((found[0], found[1]), name)

    def _part(self, value: Value, part: int) -> Value:
        """The real part of a value, or the imaginary one, which is 0 of what is real."""
        if isinstance(value, Items | tuple):
            return Items([self._part(each, part) for each in value])
        if isinstance(value, ComplexTensor):
            return value.pair[part]
        if isinstance(value, ComplexNumber):
            number = value.number
            return self._values.plain(number.imag if part else number.real)
        if not part:
            return value
        is_number = self._maker.plain_number(value) is not None
        return self._values.plain(0.0) if is_number else self._maker.call("zeros_like", [value], {})

    # --- products ---

    def _products(self, name: str, arguments: list[Value], keywords: Given) -> Value:
        """A product of the first two arguments, plus what else there is."""
        first, second, *rest = arguments
        return self._product(name, [first, second], name, rest, keywords)

    def _affine(self, arguments: list[Value], keywords: Given) -> Value:
        """`F.linear(x, weight, bias)`."""
        names = ("input", "weight", "bias")
        given = bind_names("linear", names, arguments, keywords, names[2:])
        turned = self._linear("t", (0,), [given["weight"]], {})
        found = self._product("matmul", [given["input"], turned], "mm")
        bias = given.get("bias")
        return found if bias is None else self._as_method("add", [found, bias], {})

    def _check_close(self, arguments: list[Value], keywords: Given) -> Value:
        """What `assert_close` asks of complex tensors. Raises `assertion`."""
        from gradcli.trace.complex_closeness import check_close  # few programs compare these

        check_close(self._values, keywords)
        return self._values.graph.constant(True)

    def _distance(self, arguments: list[Value], keywords: Given) -> Value:
        """`torch.dist(z, w, p)`: the norm of the difference."""
        names = ("input", "other", "p")
        given = bind_names("dist", names, arguments, keywords, names[2:])
        apart = self._as_method("sub", [given["input"], given["other"]], {})
        return self("vector_norm", [apart, *([given["p"]] if "p" in given else [])], {})

    def _vdot(self, arguments: list[Value], keywords: Given) -> Value:
        """The product of two vectors, the first of them conjugate."""
        left, right = bind_names("vdot", ("input", "other"), arguments, keywords).values()
        conjugate = self._like(OF_PARTS["conj"](self._maker.parts(left)), "conj")
        return self._product("dot", [conjugate, right], "vdot")

    def _chained(self, matrices: Sequence[Value]) -> Value:
        found = matrices[0]
        for each in matrices[1:]:
            found = self._product("matmul", [found, each], "mm")
        return found

    def _product(
        self,
        name: str,
        operands: Sequence[Value],
        made_by: str,
        rest: Sequence[Value] = (),
        keywords: Given | None = None,
    ) -> ComplexTensor:
        """A function that is linear in each of the operands."""
        return self._multilinear(
            lambda given: self._maker.call(name, [*given, *rest], keywords or {}),
            operands,
            made_by,
        )

    def _multilinear(
        self,
        build: Callable[[list[Value]], Node],
        operands: Sequence[Value],
        made_by: str,
    ) -> ComplexTensor:
        if sum(map(holds_complex, operands)) > _LEAST_PRODUCTS:
            raise GradcliError("limit-memory",
                               f"a product of more than {_LEAST_PRODUCTS} complex tensors",
                               hint="multiply some of them first")  # fmt: skip
        terms: list[tuple[list[Value], int]] = [([], 0)]
        for each in operands:
            if holds_complex(each):
                real, imaginary = self._maker.parts(each)
                terms = [
                    ([*given, part], turns + turn)
                    for given, turns in terms
                    for part, turn in ((real, 0), (imaginary, 1))
                ]
            else:
                terms = [([*given, each], turns) for given, turns in terms]
        parts: list[Node | None] = [None, None]
        for given, turns in terms:
            term = build(given)
            before, is_less = parts[turns % 2], turns % 4 > 1
            if before is None:
                parts[turns % 2] = -term if is_less else term
            else:
                parts[turns % 2] = before - term if is_less else before + term
        real_part, imaginary_part = parts
        assert real_part is not None
        assert imaginary_part is not None
        return self._like((real_part, imaginary_part), made_by)

    def _einsum(self, arguments: list[Value], keywords: Given) -> Value:
        bind_names("einsum", (), (), keywords)
        equation, *operands = arguments
        if len(operands) == 1 and isinstance(operands[0], Items | tuple):
            operands = [*operands[0]]
        return self._multilinear(
            lambda given: self._maker.call("einsum", [equation, *given], {}), operands, "einsum"
        )

    # --- matrices ---

    def _doubled(self, parts: Parts) -> Node:
        """The real matrix [[A, -B], [B, A]], which stands for A + iB."""
        real, imaginary = parts
        upper = f("cat", [real, -imaginary], dim=-1)
        return f("cat", [upper, f("cat", [imaginary, real], dim=-1)], dim=-2)

    def _left(self, doubled: Node, rows: int, columns: int, made_by: str) -> ComplexTensor:
        """What the left half of such a matrix stands for."""
        left = f("narrow", doubled, -1, 0, columns)
        halves = (f("narrow", left, -2, start, rows) for start in (0, rows))
        real, imaginary = halves
        return self._like((real, imaginary), made_by)

    def _embedded(self, name: str, arguments: list[Value]) -> Value:
        parts = self._maker.parts(arguments[0])
        found = self._maker.call(name, [self._doubled(parts), *arguments[1:]], {})
        rows, columns = found.shape[-2] // 2, found.shape[-1] // 2
        title = "linalg_inv_ex" if name in ("inv", "inverse") else name
        return self._left(found, rows, columns, title)

    def _half_of_doubled(self, name: str, arguments: list[Value], keywords: Given) -> Value:
        """Numbers of a matrix, each of which the doubled one has twice, one after the other."""
        (matrix,) = bind_names(name, ("A",), arguments, keywords).values()
        both = self._maker.call(name, [self._doubled(self._maker.parts(matrix))], {})
        return subscript(self._values, both, [Ellipsis, slice(None, None, 2)])

    def _solved(self, arguments: list[Value], keywords: Given) -> Value:
        matrix, right = bind_names("solve", ("A", "B"), arguments, keywords).values()
        a, b = self._maker.parts(matrix), self._maker.parts(right)
        is_vector = b[0].ndim == 1
        if not isinstance(right, ComplexTensor):
            b = b[0], self._maker.call("zeros_like", [b[0]], {})
        if is_vector:
            b = f("unsqueeze", b[0], -1), f("unsqueeze", b[1], -1)
        both = self._maker.call("solve", [self._doubled(a), f("cat", [*b], dim=-2)], {})
        rows = a[0].shape[-1]
        found = self._left(both, rows, both.shape[-1], "linalg_solve_ex")
        if is_vector:
            return self._linear("squeeze", (0,), [found, self._values.plain(-1)], {})
        return found

    # --- what a complex tensor does itself ---

    def _as_method(self, name: str, arguments: list[Value], keywords: Given) -> Value:
        """A function that complex tensors have as a method; None where they have none."""
        bare = name.rpartition(".")[2]
        bare = _OTHER_NAMES.get(bare, bare)
        if not arguments or isinstance(arguments[0], Items | tuple):
            return None
        if isinstance(arguments[0], ComplexNumber):
            if arguments[0].special(f"__{bare}__") is not None:
                return None
            return self._maker.call(OF_NUMBER, [name, *arguments], keywords)  # type: ignore[no-any-return]
        first, *rest = arguments
        if isinstance(first, Node):
            if bare not in ("add", "sub", "mul", "truediv", "pow", "eq", "ne"):
                return None
            first = self._like(self._maker.parts(first))
        if not isinstance(first, ComplexTensor):
            return None
        if bare in BY_PART:
            return self._linear(bare, (0,), [first, *rest], keywords)
        own = first.special(f"__{bare}__")
        return None if own is None else own.call(rest, keywords)


_OTHER_NAMES = {
    "div": "truediv", "divide": "truediv", "true_divide": "truediv", "multiply": "mul",
    "subtract": "sub", "negative": "neg", "conj_physical": "conj", "absolute": "abs",
}  # fmt: skip
