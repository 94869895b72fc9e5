"""What functions of NumPy and `math` make of integers and tuples, and what is printed of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from gradcli.graph import Node
from gradcli.language import syntax
from gradcli.ops import FUNCTIONS
from gradcli.ops.control import LEAF, bind
from gradcli.ops.elementwise import Elementwise
from gradcli.ops.kinds import cast
from gradcli.ops.table import Function
from gradcli.trace.arguments import parameters_of
from gradcli.trace.callee import path_of
from gradcli.trace.items import Items
from gradcli.trace.names import is_complex_dtype
from gradcli.trace.objects import Object, is_row
from gradcli.trace.python_calls import PythonCalls
from gradcli.trace.values import Value

_WHOLE = frozenset(("floor", "ceil", "trunc"))
"""Functions of `math` that give integers."""
NUMBER_MAKERS = frozenset(("tensor", "as_tensor", "array", "asarray", "arange", "full"))
"""Functions that make tensors of integers of whole numbers in PyTorch."""
_TAKING_LISTS = NUMBER_MAKERS | {"numpy.random.shuffle"}
"""Functions to which lists stay lists."""
_LEFT_TO_PYTORCH = frozenset((
    "argmax", "argmin", "cumsum", "cumprod", "round", "around", "clip", "matmul", "argsort",
    "transpose", "reshape", "squeeze", "repeat", "nonzero", "ptp",
))  # fmt: skip
"""Functions besides elementwise ones that call a tensor's own method."""
_READERS = ("array", "asarray", "asanyarray")
"""Functions that make arrays of a tensor's numbers."""
_VIEWS = frozenset((
    "flip", "fliplr", "flipud", "rot90", "transpose", "swapaxes", "moveaxis", "squeeze",
    "expand_dims", "reshape", "ravel",
))  # fmt: skip
"""Functions whose arrays lie in the memory of their first argument."""
_MAKERS = frozenset((
    *_READERS, "zeros", "ones", "empty", "full", "copy", "zeros_like", "ones_like", "empty_like",
    "full_like", "squeeze", "reshape", "where",
))  # fmt: skip
"""Functions that make arrays of numbers, too: those without axes."""
_SHARING = ("asarray", "asanyarray")
"""Those of them that give the array itself, or one in the memory of a tensor."""
_DOUBLE = frozenset(("interp", "cov", "corrcoef", "polyfit", "bincount", "float64", "double"))
"""NumPy's functions that compute with floats of 64 bits, whatever they are given."""
_OF_FIRST = frozenset(("delete", "insert", "pad"))
"""Functions outside the op table whose results have the dtype of their first argument."""
_LISTING = frozenset(("split", "array_split", "hsplit", "vsplit", "dsplit"))
"""NumPy's functions that give lists, where PyTorch's give tuples."""
_RECORDS = {
    "eigh": "EighResult", "qr": "QRResult", "svd": "SVDResult", "slogdet": "SlogdetResult",
}  # fmt: skip
"""What NumPy calls the named tuples of `np.linalg`."""


_COMPOSED = frozenset(
    ("clip", "round", "around", "nan_to_num", "deg2rad", "rad2deg", "radians", "degrees")
)
"""Elementwise functions that are no op of their own."""
_RANGE = {"start": 0.0, "end": 0.0, "step": 1.0}
"""What bounds `arange`, and what it is where it is not given."""

_DTYPE_PLACES = {"array": 1, "asarray": 1, "zeros": 1, "ones": 1, "np.empty": 1, "full": 2,
                "zeros_like": 1, "ones_like": 1, "np.empty_like": 1, "full_like": 2}  # fmt: skip
"""Where functions of NumPy take a dtype without its name."""


class NumpyCalls(PythonCalls):
    """What comes before and behind calls of these functions."""

    def root(self, callee: syntax.Expression) -> str:
        """The module that a function is called behind; empty where there is none."""
        path = path_of(callee)
        return self.frame.imports.get(path[0], "") if path else ""

    def check_numpys(
        self, callee: syntax.Expression, arguments: list[Value], keywords: Mapping[str, Value]
    ) -> None:
        """Raise what PyTorch does where a function of NumPy's is given a tensor it cannot read. Of
        a list of tensors, what makes an array is given the stack.
        """
        if self.values.is_pytorch and self.root(callee).startswith("numpy"):
            from gradcli.trace.numpy_of_tensors import check_function, stacked

            name = (path_of(callee) or [""])[-1]
            with_axis = len(arguments) > 1 or "axis" in keywords
            given = (*arguments, *keywords.values())
            check_function(self.autograd, name, given, with_axis=with_axis)
            if name in _READERS and arguments:
                arguments[0] = stacked(self.values, arguments[0])

    def place_numpys(
        self,
        name: str,
        callee: syntax.Expression,
        arguments: list[Value],
        keywords: dict[str, Value],
    ) -> str:
        """Put what a call of NumPy's function gives by NumPy's names to its places; the name of the
        function that takes it.
        """
        is_numpys = self.root(callee).startswith("numpy")
        if is_numpys and self._is_complex(name, arguments, keywords):
            arguments.insert(0, name.removeprefix("np."))
            return "complex.array"
        function = FUNCTIONS.get(name) if is_numpys else None
        if function is None:
            return name
        if function.group == "linear algebra":
            self._take_lists(function, arguments)
        elif name == "where" and arguments:
            arguments[0] = self._condition(arguments[0])
        if keywords or name == "trace":
            from gradcli.trace.numpy_keywords import place  # few calls name arguments

            written = ".".join((path_of(callee) or [name])[1:])
            return place(function, written, arguments, keywords) or name
        return name

    def _is_complex(
        self, name: str, arguments: Sequence[Value], keywords: Mapping[str, Value]
    ) -> bool:
        """Whether an array of complex numbers is made: of such a dtype, or filled with one."""
        place = _DTYPE_PLACES.get(name, len(arguments))
        dtype = keywords.get("dtype", arguments[place] if place < len(arguments) else None)
        fill = keywords.get("fill_value", arguments[1] if len(arguments) > 1 else None)
        is_filled = name in ("full", "full_like") and isinstance(fill, Object)
        if is_complex_dtype(dtype) or is_filled:
            return True
        if self.values.of_complex is None or name not in _READERS or dtype is not None:
            return False
        from gradcli.trace.complex_calls import has_complex  # few programs have such numbers

        return bool(arguments) and has_complex(arguments[0])

    def _take_lists(self, function: Function, arguments: list[Value]) -> None:
        """Make arrays of the numbers and lists that NumPy, unlike PyTorch, takes for matrices."""
        for place, parameter in enumerate(parameters_of(function)[: len(arguments)]):
            given = arguments[place]
            is_plain = isinstance(given, Node) and self.values.plain_kind(given) == "float"
            if parameter.kind == "Node" and (is_plain or isinstance(given, Items | tuple)):
                array = bind(self.values.tensor(given, function.name))
                self.values.arrays.add(array)
                arguments[place] = array

    def _condition(self, given: Value) -> Value:
        """What `np.where` looks at: an array also where it is a list, or a truth value."""
        is_array = isinstance(given, Node) and given not in self.special.numbers
        if is_array or not isinstance(given, Node | Items | tuple):
            return given
        condition = bind(self.values.tensor(given, "where"))
        self.values.arrays.add(condition)
        return condition

    def all_as_written(self, expression: syntax.Call, arguments: list[Value]) -> list[Value]:
        """The arguments, lists of numbers as lists; `*values` are as they are."""
        if len(arguments) != len(expression.arguments):
            return arguments
        return list(map(self.as_written, expression.arguments, arguments))

    def named_as_written(
        self, expression: syntax.Call, keywords: dict[str, Value]
    ) -> dict[str, Value]:
        """The same of arguments that are given by name; those of `**options` are as they are."""
        return keywords | {
            each.name: self.as_written(each.value, keywords[each.name])
            for each in expression.keywords
            if each.name != "**"
        }

    def take_dtype(
        self, name: str, callee: syntax.Expression, arguments: list[Value],
        keywords: dict[str, Value],
    ) -> None:  # fmt: skip
        """Give a dtype its name where a function of NumPy takes it by its place."""
        place = _DTYPE_PLACES.get(name, len(arguments))
        if len(arguments) == place + 1 and self.root(callee) in ("np", "numpy"):
            keywords["dtype"] = arguments.pop()

    def keep_whole(
        self, name: str, call: syntax.Call, arguments: list[Value], keywords: dict[str, Value]
    ) -> None:
        """Have a tensor of whole numbers hold integers, as in PyTorch."""
        from gradcli.trace.whole_numbers import makes_integers

        if name == "arange" and self.root(call.callee).startswith("torch"):
            self._check_bounds(arguments, keywords)
        text = self.autograd.source.text
        if "dtype" not in keywords and makes_integers(
            name, text, call, arguments, keywords, self.special.numbers
        ):
            dtypes = self.autograd.dtypes
            given = (*arguments, *keywords.values())
            of_numpy = dtypes.of_numbers(given, "int") if dtypes is not None else ""
            keywords["dtype"] = f"torch.{of_numpy or 'int64'}"

    def _check_bounds(self, arguments: list[Value], keywords: dict[str, Value]) -> None:
        """Raise PyTorch's error where `arange` would count in the other direction."""
        names = ("start", "end", "step") if len(arguments) != 1 or "end" in keywords else ("end",)
        given = dict(zip(names, arguments, strict=False)) | keywords
        bounds = [given.get(name, default) for name, default in _RANGE.items()]
        numbers = [self.values.number(each, name) if isinstance(each, Node) else each
                   for name, each in zip(_RANGE, bounds, strict=True)]  # fmt: skip
        plain = [each for each in numbers if isinstance(each, float)]
        if len(plain) == len(numbers):
            from gradcli.trace.index_errors import check_bounds

            check_bounds(*plain)

    def as_array(
        self,
        callee: syntax.Expression,
        result: Value,
        dtype: Value,
        arguments: Sequence[Value] = (),
    ) -> Value:
        """What a function of NumPy's makes, in a cell that has imported it: an array."""
        root = self.root(callee)
        if root.startswith("math") and isinstance(result, Node) and result in self.special.numbers:
            return self._of_math((path_of(callee) or [""])[-1], result)
        if not root.startswith("numpy"):
            return result
        if isinstance(result, tuple | Items):  # np.meshgrid, np.split, np.linalg.svd
            return self._of_several(callee, result, dtype, arguments)
        if not isinstance(result, Node):
            return result
        if not result.shape and (path_of(callee) or [""])[-1] in _MAKERS:
            return self._without_axes(callee, result, dtype, arguments)
        if not result.shape and result in self.special.numbers:
            return self._number_of(callee, result)
        if self._has_dtype(result):
            return result
        if arguments:
            name = (path_of(callee) or [""])[-1]
            if self._gives_tensor(name, arguments):
                return result
            if name in _SHARING and not isinstance(dtype, str) and self._has_memory(arguments[0]):
                return self._shared(arguments[0])
        array = bind(result)
        self.values.arrays.add(array)
        is_view = bool(arguments) and (path_of(callee) or [""])[-1] in _VIEWS
        if not is_view or not self._has_memory(arguments[0]):
            self.values.copies.add(array)
        self._name_dtype(array, path_of(callee) or [""], dtype, arguments)
        return array

    def _without_axes(
        self, callee: syntax.Expression, result: Node, dtype: Value, arguments: Sequence[Value]
    ) -> Node:
        """An array of one number, which can change in place."""
        array = bind(result)
        self.values.arrays.add(array)
        self.values.boxed.add(array)
        self.values.copies.add(array)
        self._name_dtype(array, path_of(callee) or [""], dtype, arguments)
        return array

    def _has_dtype(self, result: Node) -> bool:
        """Whether it is an array already, in the dtype that NumPy gave it: `np.float32(0.5)`."""
        dtypes = self.autograd.dtypes
        if dtypes is not None and result in dtypes.of_numpy:
            self.values.copies.add(result)
            return True
        return not result.shape and result.op is LEAF and result in self.values.arrays

    def _number_of(self, callee: syntax.Expression, result: Node) -> Node:
        """What an elementwise function makes of Python's numbers: NumPy's own."""
        name = (path_of(callee) or [""])[-1]
        known = FUNCTIONS.get(name)
        if known is None or not (name in _COMPOSED or isinstance(known.op, Elementwise)):
            return result
        if result.kind == "bool":
            truth = bind(result)
            self.values.arrays.add(truth)
            return truth
        is_whole = self.special.numbers.is_integer(result)
        number = bind(cast(result, "int") if is_whole else result)
        self.values.arrays.add(number)
        if self.autograd.dtypes is not None and not is_whole:
            self.autograd.dtypes.name(number, "float64")
        return number

    def _name_dtype(
        self, array: Node, path: Sequence[str], dtype: Value, arguments: Sequence[Value]
    ) -> None:
        """Give an array that was made by the function at `path` its dtype."""
        if self.autograd.dtypes is None:
            return
        if isinstance(dtype, str):
            from gradcli.trace.array_dtypes import of_code

            found = of_code(dtype.removeprefix("torch."))
        elif path[-1] in _READERS and self._has_memory(arguments[0]):
            found = self.autograd.dtypes.of(arguments[0])  # type: ignore[arg-type]
        elif array.kind == "float":
            is_wide = path[-1] in _DOUBLE or "random" in path
            found = "float64" if is_wide else self._width(_data(path, arguments))
        else:
            return
        self.autograd.dtypes.name(array, found)

    def _has_memory(self, value: Value) -> bool:
        """Whether it is an array or a tensor, and no number or list."""
        if not isinstance(value, Node) or not value.shape:
            return False
        return value in self.values.arrays or value.known is None or value.op is LEAF

    def _shared(self, node: Any) -> Value:
        """The array itself, or one in the memory of a tensor."""
        if node in self.values.arrays:
            return node  # type: ignore[no-any-return]
        return self.library.methods["numpy"]([node], {})

    def _width(self, arguments: Sequence[Value]) -> str:
        """The dtype of floats that are computed of arguments: float64 unless all arrays among them
        hold floats of another one.
        """
        given = [each for each in _nodes_in(arguments) if each not in self.special.numbers]
        assert self.autograd.dtypes is not None
        found = {
            self.autograd.dtypes.of(each)
            for each in given
            if each.kind == "float" or (each.kind == "int" and each.shape)
        }
        is_one = len(found) == 1 and found <= {"float16", "float32"}
        return found.pop() if is_one else "float64"

    def _gives_tensor(self, name: str, arguments: Sequence[Value]) -> bool:
        """Whether a function of NumPy's gives a tensor of one, as it leaves the work to PyTorch."""
        if not self.values.is_pytorch:
            return False
        nodes = [each for each in arguments if isinstance(each, Node)]
        if not all(each not in self.values.arrays for each in nodes):
            return False
        if all(each in self.special.numbers for each in nodes):
            return False
        known = FUNCTIONS.get(name)
        if name == "where":  # which is no ufunc
            return False
        return name in _LEFT_TO_PYTORCH or (known is not None and isinstance(known.op, Elementwise))

    def _of_several(
        self,
        callee: syntax.Expression,
        result: tuple[Any, ...] | Items,
        dtype: Value,
        arguments: Sequence[Value],
    ) -> Value:
        """Several results as arrays."""
        path = path_of(callee) or [""]
        name = path[-1]
        if name == "lstsq" and isinstance(result, tuple):
            from gradcli.trace.numpy_keywords import least_squares  # few programs ask for it

            result = least_squares(self.values, arguments, result)
        parts = [self.as_array(callee, each, dtype) for each in result]
        for each in parts:
            if isinstance(each, Node) and each in self.values.arrays:
                self._name_dtype(each, path, dtype, arguments)
        if isinstance(result, Items) or name in _LISTING:
            return Items(parts)
        fields: tuple[str, ...] = getattr(result, "_fields", ())
        if fields and name in _RECORDS:
            from gradcli.trace.collections_calls import record  # few programs ask for these

            return record(_RECORDS[name], fields, parts)
        return tuple(parts)

    def as_rows(self, name: str, expression: syntax.Call, arguments: list[Value]) -> list[Value]:
        """The arguments of a function of NumPy's, to which a tuple, deque or range is a row,
        and a list of integers an array of these.
        """
        if not self.root(expression.callee).startswith("numpy") or name in _TAKING_LISTS:
            return arguments
        if name.endswith(".at"):  # np.add.at(a, (0, 1), 1): a tuple is one place
            return self.all_as_written(expression, arguments)
        return [
            self.row_of(each) if is_row(each) or type(each) in (Items, range) else each
            for each in self.all_as_written(expression, arguments)
        ]

    def whole_row(self, written: syntax.Expression, value: Node) -> Node:
        if type(written) is not syntax.List:
            return value
        row = self.row_of(self.as_written(written, value))
        return row if isinstance(row, Node) else value

    def row_of(self, value: Value) -> Value:
        from gradcli.trace.whole_numbers import are_integers

        items = Items(self.values.elements(value))
        if not len(items) and self.values.is_python:
            empty = self.values.own(self.values.graph.constant(np.zeros(0)))
            self.values.arrays.add(empty)
            return empty
        if not are_integers(items, self.special.numbers):
            return items
        if len({len(each) if isinstance(each, Items | tuple) else 0 for each in items}) > 1:
            return Items([self.row_of(each) for each in items])  # np.concatenate([[1], [2, 3]])
        row = bind(cast(self.values.tensor(Items(list(items))), "int"))
        self.values.arrays.add(row)
        return row

    def _of_math(self, name: str, result: Node) -> Node:
        """What a function of `math` gives: integers are from those that count or round."""
        if name in _WHOLE:
            return self.values.plain(int(self.values.number(result, name)))
        return result

    def whole(self, result: Value, operands: Sequence[Value]) -> Value:
        """A result as integers, where it is computed of integers alone."""
        if not isinstance(result, Node) or result.kind != "float":
            return result
        nodes = [each for each in operands if isinstance(each, Node)]
        numbers = self.special.numbers
        is_whole = all(
            each.kind != "float" or (each in numbers and numbers.is_integer(each))
            for each in _nodes_in(operands)
        )
        is_choice = len(nodes) == 3 and nodes[0].kind == "bool"  # where(x > 0, 1, 0)
        if not is_whole or not (
            is_choice or any(each.kind == "int" and each not in numbers for each in nodes)
        ):
            return result
        made = cast(result, "int")
        if self.autograd.dtypes is not None:
            self.autograd.dtypes.name_whole(made, operands)
        return made


def _data(path: Sequence[str], arguments: Sequence[Value]) -> Sequence[Value]:
    """The arguments that a function of NumPy's computes with: no shapes, axes and counts."""
    name = path[-1]
    known = FUNCTIONS.get(f"np.{name}") or FUNCTIONS.get(name)
    if known is None or not known.parameters:
        return arguments[:1] if name in _OF_FIRST else arguments
    last = len(known.parameters) - 1  # of which there may be several
    return [each for place, each in enumerate(arguments)
            if "Node" in known.parameters[min(place, last)].kind]  # fmt: skip


def _nodes_in(operands: Sequence[Value]) -> Iterator[Node]:
    """The tensors and numbers among operands, those in lists too."""
    waiting = list(operands)
    while waiting:
        part = waiting.pop()
        if isinstance(part, Node):
            yield part
        elif isinstance(part, Items | tuple):
            waiting += part
