"""Functions that are not in the op table: on lists and shapes, and those that print or check."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeAlias

import numpy as np

from gradcli.diagnostics import GradcliError, RefusedError
from gradcli.graph import Array, Node
from gradcli.ops import FUNCTIONS
from gradcli.ops.kinds import cast
from gradcli.ops.shapes import broadcast, show
from gradcli.ops.shaping import reshape
from gradcli.trace.arguments import bind_names
from gradcli.trace.items import Items
from gradcli.trace.objects import Object
from gradcli.trace.printing import LINE, Moment, Piece, Printed, PrintedNumbers, pieces
from gradcli.trace.printing import text as written_text
from gradcli.trace.subscripts import subscript
from gradcli.trace.values import Value, Values, describe

Special: TypeAlias = Callable[[list[Value], dict[str, Value]], Value]
"""A function of the values that stand in the parentheses, without and with names."""

_COMPARED = ("actual", "expected")
ON_NUMBERS = {"max": "maximum", "min": "minimum"}
"""Of several plain numbers, Python's function: which element is the largest, or smallest."""

OF_LISTS = (
    "math.prod", "math.fsum", "collections.namedtuple", "collections.deque", "functools.partial",
    "types.SimpleNamespace", "argparse.Namespace",
)  # fmt: skip
"""Functions of lists as they are written, which the op table may have of tensors, too."""


class Size(tuple[Node, ...]):
    """A tensor's shape, as print shows it in PyTorch."""

    __slots__ = ()


_OF_MEMORY = ("check_device", "check_layout", "check_stride")
"""What `assert_close` may be told about memory, which is one here."""


class Specials:
    """The special functions and methods; `printed` is what they print."""

    def __init__(self, values: Values) -> None:
        self.values = values
        self.graph = values.graph
        self.printed: list[list[Piece]] = []
        """A list of pieces for each line."""
        self.moments: list[Moment] = []
        """One for each call of print."""
        self._goes_on = False
        """Whether what is printed next stands on the last of these lines."""
        self.numbers = values.plain_numbers = PrintedNumbers(values)

    @property
    def functions(self) -> dict[str, Special]:
        """The functions by name, made when they are asked for: few programs need them."""
        return {
            "range": self._range,
            "append": self._append,
            "len": self._len,
            "print": self._print,
            "assert_close": self._assert_close,
            "torch.allclose": partial(self._of_tensors, "allclose", self._allclose, 0),
            "torch.equal": partial(self._of_tensors, "equal", self._equal, 0),
            "torch.nonzero": self._nonzero,
            "np.allclose": self._allclose,
            "np.array_equal": self._equal,
            "np.dot": partial(self._dot, of_numpy=True),
            "np.cumsum": partial(self._running, "cumsum"),
            "np.cumprod": partial(self._running, "cumprod"),
        }

    @property
    def methods(self) -> dict[str, Special]:
        """The methods by name, in the same way."""
        return {
            "size": self._size,
            "dim": self._dim,
            "array.dot": self._dot,
            "numel": self._numel,
            "nelement": self._numel,
            "allclose": partial(self._of_tensors, "allclose", self._allclose, 1),
            "equal": partial(self._of_tensors, "equal", self._equal, 1),
            "nonzero": self._nonzero,
        }

    def shape(self, node: Node) -> tuple[Node, ...]:
        """The lengths of a tensor's axes, as numbers to compute with."""
        lengths = [self._number(length) for length in node.shape]
        is_size = self.values.is_pytorch and node not in self.values.arrays
        return Size(lengths) if is_size else tuple(lengths)

    def _number(self, count: int) -> Node:
        return self.graph.constant(float(count))

    # --- tensors ---

    def _size(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        given = bind_names("size", ("self", "dim"), arguments, keywords, ("dim",))
        shape = self.shape(self.values.tensor(given["self"]))
        return subscript(self.values, shape, [given["dim"]]) if "dim" in given else shape

    def _dim(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        given = bind_names("dim", ("self",), arguments, keywords)
        return self._number(self.values.tensor(given["self"]).ndim)

    def _numel(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        given = bind_names("numel", ("self",), arguments, keywords)
        return self._number(self.values.tensor(given["self"]).size)

    def _dot(
        self, arguments: list[Value], keywords: dict[str, Value], *, of_numpy: bool = False
    ) -> Value:
        """NumPy's `dot`, which multiplies matrices and numbers, too; PyTorch's takes rows alone."""
        names = ("a", "b") if of_numpy else ("input", "other")
        given = bind_names("dot", names, arguments, keywords)
        a, b = (self.values.tensor(each, "dot") for each in given.values())
        is_of_numpy = of_numpy or not self.values.is_pytorch
        if not (a.ndim == b.ndim == 1) and (
            is_of_numpy or not {a, b}.isdisjoint(self.values.arrays)
        ):
            name = "matmul" if a.shape and b.shape and b.ndim < 3 else "mul"
        else:
            name = "dot"
        product: Node = FUNCTIONS[name](a, b)
        if a.kind == b.kind == "int":
            product = cast(product, "int")
        self.values.stay_arrays(product, (a, b))
        return product

    def _running(self, name: str, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        """NumPy's `cumsum` and `cumprod`: of all elements in a row, where no axis is given."""
        names = ("a", "axis", "dtype")
        given = bind_names(name, names, arguments, keywords, names[1:])
        node = self.values.tensor(given["a"], name)
        axis = given.get("axis")
        if axis is None:
            node = reshape(node, -1)
        place = 0 if axis is None else self.values.integer(axis, "axis")
        found: Node = FUNCTIONS[name](node, place)
        return cast(found, "int") if node.kind != "float" else found

    # --- lists and ranges ---

    def _range(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        no_names("range", keywords)
        bind_names("range", ("start", "stop", "step"), arguments, {}, ("stop", "step"))
        bounds = [self.values.place(argument, "range") for argument in arguments]
        if len(bounds) == 3 and bounds[2] == 0:
            raise GradcliError("value", "range: the step is 0", hint="range(0, 10, 2)")
        made = range(*bounds)
        if made and (made[-1] - made[0]) // made.step >= sys.maxsize:  # Python cannot count them
            raise GradcliError("value", "range: these are 2**63 numbers or more")
        return made

    def _append(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        given = bind_names("append", ("list", "item"), arguments, keywords)
        items = given["list"]
        if isinstance(items, Node):
            items = Items(self.values.rows(items))
        if not isinstance(items, Items):
            raise GradcliError(
                "type",
                f"append takes a list, not {describe(items)}",
                hint="hs = [] is an empty list, and hs = append(hs, h) makes it longer",
            )
        return items.appended(given["item"])

    def _len(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        value = bind_names("len", ("value",), arguments, keywords)["value"]
        if isinstance(value, Items | tuple | range | str):
            return self._number(len(value))
        if isinstance(value, Object):
            return self._number(value.length())
        node = self.values.tensor(value)
        if not node.shape:
            of_python = node in self.numbers
            kind = "int" if self.numbers.is_integer(node) else "float"
            raise RefusedError(
                ("TypeError", f"object of type '{kind}' has no len()" if of_python else
                 "len() of unsized object" if node in self.values.boxed else
                 "len() of a 0-d tensor"),
                "type", "a single value has no length", hint="x.numel() counts the elements",
            )  # fmt: skip
        return self._number(node.shape[0])

    # --- printing and checking ---

    def mark(self) -> tuple[int, int, bool]:
        """How much is printed, for `forget`."""
        return len(self.printed), len(self.printed[-1]) if self.printed else 0, self._goes_on

    def forget(self, mark: tuple[int, int, bool]) -> None:
        """Forget what was printed since then."""
        lines, pieces_of_last, self._goes_on = mark
        del self.printed[lines:]
        if lines:
            del self.printed[-1][pieces_of_last:]
        while self.moments and self.moments[-1][1:] > (lines, pieces_of_last):
            self.moments.pop()

    def all_printed(self, others: Sequence[Value]) -> Printed:
        """What was printed, and other values as they would be."""
        ledger = self.graph.ledger
        lines = [pieces([value], self.numbers, ledger) for value in others]
        return Printed(
            self.printed,
            lines,
            self.moments,
            self.values.evaluator.rounded,
            self.values.evaluator.remarks,
        )

    def _print(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        names = ("sep", "end", "flush", "file")
        given = bind_names("print", names, (), keywords, names)
        separator, end = (
            " " if given.get("sep") is None else given["sep"],
            LINE if given.get("end") is None else given["end"],
        )
        if not isinstance(separator, str) or not isinstance(end, str):
            raise GradcliError("type", "print: sep and end are strings", hint="sep=', '")
        for each in arguments:
            self.values.check_look(each, "print")
        if self.values.is_again:
            return None
        line = pieces(arguments, self.numbers, self.graph.ledger, separator)
        file = given.get("file")
        if file == "sys.stderr":  # which is not among what a program prints
            return None
        into = getattr(file, "write", self.values.printed_into)
        if into is not None:
            nodes = Printed([line], [], []).nodes
            shown = {node: self.values.evaluator.value(node) for node in nodes}
            into(written_text(line, shown) + end)
            return None
        if self._goes_on:
            self.printed[-1] += line
        else:
            self.printed.append(line)
        self._goes_on = not end.endswith(LINE)
        rest = end.removesuffix(LINE)
        if rest:
            self.printed[-1] += pieces([rest], self.numbers, self.graph.ledger)
        self.moments.append((self.graph.count, len(self.printed), len(self.printed[-1])))
        return None

    def _of_tensors(
        self,
        name: str,
        compare: Special,
        before: int,
        arguments: list[Value],
        keywords: dict[str, Value],
    ) -> Value:
        """What a function says of two tensors, of which some stand before the name."""
        if self.values.is_pytorch:
            from gradcli.trace.given_tensors import check_tensors

            check_tensors(self.numbers, name, arguments, keywords, before)
        return compare(arguments, keywords)

    def _allclose(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        """Whether |a - b| <= atol + rtol·|b| for each element."""
        if arguments and isinstance(arguments[0], Object):  # as a complex tensor
            found_there: Value = arguments[0].method("allclose")(arguments[1:], keywords)
            return found_there
        from gradcli.trace.closeness import worst

        names = ("input", "other", "rtol", "atol", "equal_nan")
        given = bind_names("allclose", names, arguments, keywords, names[2:])
        if self.values.is_pytorch:
            from gradcli.trace.refusals import MATCHED, check_demands

            check_demands(self.values, "allclose", MATCHED, given)
        a, b = (self.values.tensor(given[name], f"allclose: {name}") for name in names[:2])
        rtol, atol = (
            self.values.number(given[name], name) if name in given else default
            for name, default in zip(names[2:4], (1e-5, 1e-8), strict=True)
        )
        arrays = [self.values.evaluator.value(each) for each in (a, b)]
        equal_nan = "equal_nan" in given and self.values.truth(given["equal_nan"])
        shape = broadcast("allclose", [each.shape for each in arrays])
        found, wanted = (np.broadcast_to(each, shape) for each in arrays)
        mismatch = worst(found, wanted, rtol, atol, equal_nan=equal_nan)
        return self.graph.constant(mismatch is None)

    def _equal(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        """Whether shapes and elements are the same: a number, as in PyTorch, not a tensor."""
        given = bind_names("equal", ("input", "other"), arguments, keywords)
        a, b = (self.values.tensor(given[name], f"equal: {name}") for name in given)
        same = a.shape == b.shape and np.array_equal(
            self.values.evaluator.value(a), self.values.evaluator.value(b)
        )
        return self.graph.constant(same)

    def _nonzero(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        """The indices of elements that are not 0, looked at now: a row for each."""
        given = bind_names("nonzero", ("self", "as_tuple"), arguments, keywords, ("as_tuple",))
        array = self.values.evaluator.value(self.values.tensor(given["self"]))
        places = [each.astype(np.int64) for each in np.nonzero(np.atleast_1d(array))]
        if "as_tuple" in given and self.values.truth(given["as_tuple"]):
            return tuple(map(self.graph.constant, places))
        return self.graph.constant(np.stack(places, 1))

    def _assert_close(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        """As in PyTorch, with its tolerances: |a - b| <= atol + rtol·|b| for each element, also of
        tensors in lists and dictionaries.
        """
        names = ("actual", "expected", "rtol", "atol", "equal_nan", "check_dtype", *_OF_MEMORY,
                 "msg")  # fmt: skip
        given = bind_names("assert_close", names, arguments, keywords, names[2:])
        said = given.pop("msg", None)
        try:
            for actual, expected, place in self._pairs(given["actual"], given["expected"]):
                self._check_close(given | {"actual": actual, "expected": expected}, place)
        except GradcliError as error:
            if not isinstance(said, str) or error.diagnostic.code != "assertion":
                raise
            raise RefusedError(("AssertionError", said), "assertion", said) from None
        return None

    def _pairs(self, actual: Value, expected: Value) -> list[tuple[Value, Value, str]]:
        """What is compared: two tensors, or the elements of two rows or dictionaries, and where
        they are, such as `[0]`. Raises `assertion` where one has others than the other.
        """
        from gradcli.trace.dictionaries import Dictionary  # few programs compare these

        found: list[tuple[Value, Value, str]] = []
        waiting = [(actual, expected, "")]
        while waiting:
            one, other, place = waiting.pop()
            if isinstance(one, Dictionary) and isinstance(other, Dictionary):
                rows = [dict(each.pairs()) for each in (one, other)]
                if rows[0].keys() != rows[1].keys():
                    raise GradcliError("assertion", "The keys of the mappings do not match")
                waiting += [
                    (rows[0][key], rows[1][key], f"{place}[{_key(key)}]")
                    for key in reversed(rows[0])
                ]
            elif isinstance(one, Items | tuple) and isinstance(other, Items | tuple):
                elements = [self.values.elements(each) for each in (one, other)]
                if len(elements[0]) != len(elements[1]):
                    raise GradcliError("assertion", "The length of the sequences mismatch: "
                                       f"{len(elements[0])} != {len(elements[1])}")  # fmt: skip
                pairs = enumerate(zip(*elements, strict=True))
                waiting += [(*each, f"{place}[{i}]") for i, each in pairs][::-1]
            else:
                found.append((one, other, place))
        return found

    def _bound(self, value: Value, name: str) -> float:
        """A tolerance, which is told of as it was written: 0 or 0.0."""
        number = self.values.number(value, name)
        return int(number) if self.values.plain_kind(value) == "int" else number

    def _check_close(self, given: dict[str, Value], place: str) -> None:
        """Raise `assertion` where two tensors, which have a place in others, are not close."""
        of_complex = self.values.of_complex
        if of_complex is not None and of_complex("complex.close", [], given) is not None:
            return
        from gradcli.trace.closeness import TOLERANCE, told, tolerance, worst

        a, b = (self.values.tensor(given[each], f"assert_close: {each}") for each in _COMPARED)
        usual = TOLERANCE[self.graph.precision]
        if self.values.is_pytorch and all(map(self.values.is_tensor, (a, b))):
            usual = tolerance(map(self.values.array_dtype, (a, b)))
        rtol, atol = (
            self._bound(given[name], name) if name in given else default
            for name, default in zip(("rtol", "atol"), usual, strict=True)
        )
        where = f"\n\nThe failure occurred for item {place}" if place else ""
        is_one = not self.values.is_pytorch and a.size == b.size == 1
        if a.shape != b.shape and not is_one:
            shapes = " != ".join(f"torch.Size({[*each.shape]})" for each in (a, b))
            said = f"The values for attribute 'shape' do not match: {shapes}.{where}"
            differ = f"the shapes differ: {show(a.shape)} and {show(b.shape)}"
            raise RefusedError(("AssertionError", said), "assertion", differ)
        if self.values.is_pytorch and ("check_dtype" not in given or (
            self.values.truth(given["check_dtype"])
        )):  # fmt: skip
            dtypes = tuple(map(self.values.array_dtype, (a, b)))
            if dtypes[0] != dtypes[1]:
                raise GradcliError("assertion", "The values for attribute 'dtype' do not match: "
                                   f"torch.{dtypes[0]} != torch.{dtypes[1]}.{where}",
                                   hint="check_dtype=False lets them differ")  # fmt: skip
        found, wanted = (self.values.evaluator.value(each) for each in (a, b))
        equal_nan = "equal_nan" in given and self.values.truth(given["equal_nan"])
        mismatch = worst(found, wanted.reshape(found.shape), rtol, atol, equal_nan=equal_nan)
        if mismatch is not None:
            one, other = (self._in_its_dtype(each) for each in (a, b))
            said = told(one, other, rtol, atol, equal_nan=equal_nan) + where
            raise RefusedError(
                ("AssertionError", said),
                "assertion",
                f"the values are not close: {mismatch}",
                hint="equal_nan=True lets them agree" if mismatch.both_nan else None,
            )

    def _in_its_dtype(self, node: Node) -> Array:
        """The elements as PyTorch has them, those of 16 bits in single precision."""
        array = np.asarray(self.values.evaluator.value(node))
        if array.dtype == bool:
            return array.astype(np.int64)
        if not self.values.is_pytorch or not self.values.is_tensor(node):
            return array
        dtype = self.values.array_dtype(node)
        return array.astype({"bfloat16": "float32", "float16": "float32"}.get(dtype, dtype))


def _key(key: Value) -> str:
    """A key as Python shows it, where it is a text or a number."""
    if isinstance(key, Node) and key.known is not None:
        return f"{key.known.item():g}"
    return repr(key)


def no_names(name: str, keywords: dict[str, Value]) -> None:
    """Raise `type` where a function that takes none is given arguments by name."""
    if keywords:
        raise GradcliError(
            "type",
            f"{name} takes arguments without names",
            hint=f"leave out {next(iter(keywords))}=",
        )
