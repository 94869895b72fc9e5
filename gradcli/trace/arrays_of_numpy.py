"""NumPy's functions and methods of arrays that few programs use.

They look at values now, and no gradient flows back from what they find.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
from functools import partial
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np

from gradcli.diagnostics import GradcliError, Note
from gradcli.graph import Array, Node
from gradcli.ops.control import bind, leaf
from gradcli.ops.kinds import cast
from gradcli.ops.shapes import show
from gradcli.trace.arguments import bind_names
from gradcli.trace.autograd import Autograd
from gradcli.trace.closeness import worst
from gradcli.trace.constructors import as_dtype
from gradcli.trace.dtypes import INTEGERS
from gradcli.trace.items import Items
from gradcli.trace.printing import PrintedNumbers
from gradcli.trace.special import Special
from gradcli.trace.text_arrays import joined
from gradcli.trace.values import Value
from gradcli.trace.whole_numbers import are_integers

MOST = 2**24
"""The most elements that a function makes of numbers."""


WIDEST = 1000
"""The most places and columns that the text of an array has."""


class Looked(NamedTuple):
    """A function of NumPy's: its parameters, how many of them are arrays and must be given."""

    parameters: tuple[str, ...]
    arrays: int = 1
    takes_more: bool = False
    """Whether it takes as many more arguments without names as there are."""


_AXIS = ("a", "axis")
_TWO = ("ar1", "ar2")
_FUNCTIONS = {
    "argwhere": Looked(("a",)), "flatnonzero": Looked(("a",)), "nonzero": Looked(("a",)),
    "average": Looked(("a", "axis", "weights")), "ptp": Looked(_AXIS),
    "percentile": Looked(("a", "q", "axis"), 2), "cbrt": Looked(("x",)),
    "nanmax": Looked(_AXIS), "nanmin": Looked(_AXIS), "nanstd": Looked(_AXIS),
    "nanvar": Looked(_AXIS),
    "digitize": Looked(("x", "bins", "right"), 2), "interp": Looked(("x", "xp", "fp"), 3),
    "searchsorted": Looked(("a", "v", "side"), 2), "convolve": Looked(("a", "v", "mode"), 2),
    "correlate": Looked(("a", "v", "mode"), 2),
    "isclose": Looked(("a", "b", "rtol", "atol", "equal_nan"), 2),
    "isin": Looked(("element", "test_elements"), 2), "polyfit": Looked(("x", "y", "deg"), 3),
    "polyval": Looked(("p", "x"), 2),
    "histogram": Looked(("a", "bins", "range", "density", "weights")),
    "histogram_bin_edges": Looked(("a", "bins", "range", "weights")),
    "union1d": Looked(_TWO, 2), "intersect1d": Looked(_TWO, 2), "setdiff1d": Looked(_TWO, 2),
    "append": Looked(("arr", "values", "axis"), 2), "delete": Looked(("arr", "obj", "axis"), 2),
    "insert": Looked(("arr", "obj", "values", "axis"), 3), "ediff1d": Looked(("ary",)),
    "isneginf": Looked(("x",)), "isposinf": Looked(("x",)), "signbit": Looked(("x",)),
    "trim_zeros": Looked(("filt",)), "roots": Looked(("p",)), "tri": Looked(("N", "M", "k"), 1),
    "geomspace": Looked(("start", "stop", "num"), 2), "indices": Looked(("dimensions",)),
    "unravel_index": Looked(("indices", "shape"), 2), "fmod": Looked(("x1", "x2"), 2),
    "gcd": Looked(("x1", "x2"), 2), "lcm": Looked(("x1", "x2"), 2),
    "bitwise_and": Looked(("x1", "x2"), 2), "bitwise_or": Looked(("x1", "x2"), 2),
    "bitwise_xor": Looked(("x1", "x2"), 2), "fabs": Looked(("x",)),
    "argpartition": Looked(("a", "kth", "axis"), 2), "partition": Looked(("a", "kth", "axis"), 2),
    "lexsort": Looked(("keys", "axis")), "isreal": Looked(("x",)),
    "pad": Looked(("array", "pad_width", "mode", "constant_values"), 2),
    "gradient": Looked(("f", "axis", "edge_order"), takes_more=True),
    "cov": Looked(("m", "y", "rowvar", "bias", "ddof")),
    "ravel_multi_index": Looked(("multi_index", "dims"), 2), "diag_indices": Looked(("n", "ndim")),
    "linalg.matrix_rank": Looked(("A", "tol")), "linalg.cond": Looked(("x", "p")),
    "linalg.eig": Looked(("a",)), "linalg.eigvals": Looked(("a",)),
    "unwrap": Looked(("p", "discont", "axis")), "divmod": Looked(("x1", "x2"), 2),
    "modf": Looked(("x",)), "spacing": Looked(("x",)), "float_power": Looked(("x1", "x2"), 2),
    "nancumsum": Looked(_AXIS), "nancumprod": Looked(_AXIS), "nanmedian": Looked(_AXIS),
    "nanargmax": Looked(_AXIS), "nanargmin": Looked(_AXIS), "array_equiv": Looked(("a1", "a2"), 2),
    "nanpercentile": Looked(("a", "q", "axis"), 2),
    "compress": Looked(("condition", "a", "axis"), 2),
    "extract": Looked(("condition", "arr"), 2), "setxor1d": Looked(_TWO, 2),
    "polyder": Looked(("p", "m")), "polyint": Looked(("p", "m", "k")),
    "polyadd": Looked(("a1", "a2"), 2), "polysub": Looked(("a1", "a2"), 2),
    "polymul": Looked(("a1", "a2"), 2), "polydiv": Looked(("u", "v"), 2),
    "resize": Looked(("a", "new_shape"), 2), "hamming": Looked(("M",)), "hanning": Looked(("M",)),
    "blackman": Looked(("M",)), "bartlett": Looked(("M",)), "kaiser": Looked(("M", "beta"), 2),
    "take": Looked(("a", "indices", "axis"), 2), "left_shift": Looked(("x1", "x2"), 2),
    "right_shift": Looked(("x1", "x2"), 2),
    "nanprod": Looked(_AXIS), "cumulative_sum": Looked(("x", "axis")),
    "cumulative_prod": Looked(("x", "axis")), "matvec": Looked(("x1", "x2"), 2),
    "vecmat": Looked(("x1", "x2"), 2), "unique_values": Looked(("x",)),
    "bitwise_count": Looked(("x",)), "asarray_chkfinite": Looked(("a",)),
    "poly": Looked(("seq_of_zeros",)),
    "histogram2d": Looked(("x", "y", "bins", "range", "density", "weights"), 2),
}  # fmt: skip
_REDUCED = ("a", "axis", "keepdims", "initial", "where")
_RARE: dict[str, Looked] = {
    **dict.fromkeys(("sum", "prod", "max", "min", "amax", "amin"), Looked(_REDUCED)),
    **dict.fromkeys(("mean", "std", "var", "any", "all"), Looked(_REDUCED)),
    "trace": Looked(("a", "offset", "axis1", "axis2")),
    "linalg.svd": Looked(("a", "full_matrices", "compute_uv", "hermitian")),
    **{
        name: Looked((*("x1", "x2")[2 - each.nin :], "dtype", "where", "out"), each.nin)
        for name, each in vars(np).items()
        if isinstance(each, np.ufunc) and each.nin <= 2 and each.nout == 1
    },
}
"""Functions of the op table with parameters that this has not: what is given for these is looked
at.
"""
_USUAL = frozenset(("a", "x", "x1", "x2", "axis", "keepdims", "out"))
"""Parameters that the op table's functions have under other names."""
RARE = "rare."
"""What stands before their names."""
KEPT = "kept"
"""The argument with the array that `out=` names: where `where=` is false, its elements stay."""
_OF_FLOATS = ("float32", "float64")
_SIZED = frozenset((
    "tri", "geomspace", "indices", "histogram", "histogram_bin_edges", "histogram2d", "resize",
    "hamming", "hanning", "blackman", "bartlett", "kaiser",
))  # fmt: skip
"""Functions whose numbers say how large the result is."""
_SCALARS = {
    **{name: name for name in (*INTEGERS, "float16", "float32", "float64")},
    "int_": "int64", "intp": "int64", "float_": "float64", "double": "float64",
    "single": "float32", "bool_": "bool", "bool": "bool",
}  # fmt: skip
"""NumPy's numbers, and the dtype of each."""


_SHAPES = ("unravel_index", "ravel_multi_index", "indices", "resize")
"""Functions that take shapes."""


_ASSERTIONS: dict[str, dict[str, float]] = {
    "assert_allclose": {"rtol": 1e-7, "atol": 0.0},
    "assert_almost_equal": {"decimal": 7},
    "assert_array_almost_equal": {"decimal": 6},
    "assert_array_equal": {},
    "assert_equal": {},
}
"""By the name in `np.testing`: what sets how close two arrays must be."""


def rarely(
    written: str, known: Set[str], arguments: Sequence[Value], keywords: dict[str, Value]
) -> str | None:
    """The function that takes what NumPy's of that name is given, where the op table's, with the
    parameters that are `known`, does not.
    """
    rare = _RARE.get(written)
    if rare is None:
        return None
    asked = keywords.keys() & {*rare.parameters} - known - _USUAL
    first = arguments[0] if arguments else None
    is_wide = written == "trace" and (
        len(arguments) > 1 or (isinstance(first, Node) and first.ndim > 2)
    )
    if not asked and not is_wide:
        return None
    if "out" in keywords:
        keywords[KEPT] = keywords["out"]
    return f"{RARE}{written}"


class ArrayCalls:
    """The functions and methods by name."""

    def __init__(
        self,
        autograd: Autograd,
        call: Callable[[str, list[Any], dict[str, Any]], Any],
        put: Callable[[Node, Node], Any],
    ) -> None:
        """`call` calls a function by its name, `put` writes into a tensor."""
        self.autograd = autograd
        self.values = autograd.values
        self.numbers = PrintedNumbers(self.values)
        self.call = call
        self._put = put
        self.functions: dict[str, Special] = {
            **{f"np.{name}": partial(self._known, name) for name in _FUNCTIONS if name != "take"},
            **{f"{RARE}{name}": partial(self._rare, name) for name in _RARE},
            **{f"np.{name}": partial(self._number, dtype) for name, dtype in _SCALARS.items()},
            **{f"np.{name}": partial(self._asked, name) for name in ("shape", "size", "ndim")},
            "np.isscalar": self._is_scalar,
            **{f"np.{name}": partial(self._empty, name) for name in ("empty", "empty_like")},
            "np.ndarray": partial(self._empty, "empty"),
            **{f"np.{name}": partial(self._text, name) for name in ("array_str", "array2string")},
            "np.copy": self._copy,
            "np.ascontiguousarray": self._copy,
            "np.asanyarray": lambda arguments, keywords: call("asarray", arguments, keywords),
            "np.seterr": lambda *_: None,
            **{f"np.testing.{name}": partial(self._assert, name) for name in _ASSERTIONS},
            "np.fill_diagonal": self._fill_diagonal,
        }
        self.methods: dict[str, Special] = {
            **{
                f"array.{name}": partial(self._of_array, whole)
                for name, whole in {
                    "std": "np.std",
                    "var": "np.var",
                    "max": "np.max",
                    "min": "np.min",
                    "repeat": "np.repeat",
                    "round": "around",
                }.items()
            },
            **{
                f"array.{name}": partial(self._along, name)
                for name in ("cumsum", "cumprod", "argsort")
            },
            "array.transpose": self._transpose,
            "array.searchsorted": partial(self._known, "searchsorted"),
            "array.sort": self._sort,
            "array.nonzero": partial(self._known, "nonzero"),
            "array.fill": self._fill,
            "copy": self._copy,
            "ptp": partial(self._known, "ptp"),
            "array.take": partial(self._known, "take"),
            "array.item": self._item,
        }

    def _known(self, name: str, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        """What NumPy's function gives of values as they are now."""
        return self._of_values(name, _FUNCTIONS[name], arguments, keywords)

    def _of_values(
        self, name: str, known: Looked, arguments: list[Value], keywords: dict[str, Value]
    ) -> Value:
        if name == "append" and not keywords and (texts := joined(self.values, arguments)):
            return texts
        more: list[Any] = []
        if known.takes_more:
            more = [self.plain(name, each) for each in arguments[known.arrays :]]
            arguments = arguments[: known.arrays]
        given = bind_names(
            name, known.parameters, arguments, keywords, known.parameters[known.arrays :]
        )
        found = {key: self.plain(name, value) for key, value in given.items()}
        if name in _SIZED:
            numbers = [each for value in found.values() for each in np.ravel(value)
                       if isinstance(value, int | list | tuple)]  # fmt: skip
            if any(abs(each) > MOST for each in numbers):
                raise GradcliError("limit-memory", f"np.{name} of numbers above {MOST:,}")
        if "out" in found:
            found["out"] = np.array(found["out"])
        positional = [found.pop(each) for each in known.parameters[: known.arrays]]
        return self.computed(name, attrgetter(name)(np), [*positional, *more], found)

    def _rare(self, name: str, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        """A function of the op table with a parameter that this has not."""
        keywords = dict(keywords)
        if "where" in keywords and "out" in _RARE[name].parameters:
            if KEPT not in keywords:
                raise GradcliError("value", f"np.{name}: where= leaves elements out",
                                   hint="out=np.zeros_like(x) says what they are")  # fmt: skip
            keywords["out"] = self._own(self.values.tensor(keywords[KEPT], "out"))
        keywords.pop(KEPT, None)
        return self._of_values(name, _RARE[name], arguments, keywords)

    def computed(
        self, name: str, function: Callable[..., Any], given: Sequence[Any], options: dict[str, Any]
    ) -> Value:
        """What a function of NumPy's makes of arrays and numbers, or several of them."""
        try:
            result = function(*given, **options)
        except (ValueError, TypeError, IndexError, np.exceptions.AxisError) as error:
            raise GradcliError("value", f"np.{name}: {error}") from None
        if isinstance(result, tuple):
            return tuple(map(self.array, result))
        return self.array(result)

    def write(self, node: Node, array: Array) -> None:
        """Give an array other elements, which keep its dtype."""
        kind = self.values.evaluator.value(node).dtype
        made = self.values.graph.constant(array.astype(kind))
        self._put(node, leaf(made, marked=False))  # which may change again

    def _text(self, name: str, arguments: list[Value], keywords: dict[str, Value]) -> str:
        """An array as text."""
        names = ("a", "max_line_width", "precision", "suppress_small", "separator")
        given = bind_names(name, names, arguments, keywords, names[1:])
        node = self.values.tensor(given.pop("a"), name)
        array = self.values.evaluator.value(node).astype(self.values.array_dtype(node))
        options = {key: self.plain(name, value) for key, value in given.items()}
        for key, each in options.items():
            if (len(each) if isinstance(each, str) else int(each)) > WIDEST:
                raise GradcliError("value", f"np.{name}: {key} is at most {WIDEST} here")
        with np.printoptions(**self.values.array_options):
            found: str = getattr(np, name)(array, **options)
        return found

    def _assert(self, name: str, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        """`np.testing.assert_allclose(a, b)` and its like. Raises `assertion`."""
        settings = _ASSERTIONS[name]
        optional = (*settings, "equal_nan", "err_msg", "verbose")
        names = ("actual", "desired", *optional)
        given = bind_names(name, names, arguments, keywords, optional)
        a, b = (
            self.values.evaluator.value(self.values.tensor(given[each], f"{name}: {each}"))
            for each in names[:2]
        )
        numbers = {
            each: self.values.number(given[each], each) if each in given else default
            for each, default in settings.items()
        }
        atol = numbers.get("atol", 0.0)
        if "decimal" in numbers:
            atol = 1.5 * 10.0 ** -numbers["decimal"]
        if a.shape != b.shape and a.shape and b.shape:
            raise GradcliError("assertion", f"the shapes differ: {show(a.shape)}, {show(b.shape)}")
        found, wanted = np.broadcast_arrays(a, b)
        equal_nan = "equal_nan" not in given or self.values.truth(given["equal_nan"])
        mismatch = worst(found, wanted, numbers.get("rtol", 0.0), atol, equal_nan=equal_nan)
        if mismatch is not None:
            raise GradcliError("assertion", f"the values are not close: {mismatch}")
        return None

    def plain(self, name: str, value: Value) -> Any:
        """An argument as NumPy takes it."""
        if isinstance(value, str) and value.startswith("torch."):  # a dtype
            return value.removeprefix("torch.")
        if isinstance(value, Items | tuple) and name in _SHAPES:
            return self.values.integers(value, name)
        if isinstance(value, Items | tuple):
            is_whole = are_integers(value, self.numbers)
            value = self.values.tensor(Items(list(value)), name) if value else Items([])
            value = cast(value, "int") if is_whole and isinstance(value, Node) else value
        if not isinstance(value, Node):
            return [] if isinstance(value, Items) else value
        if self.autograd.requires_grad(value):
            if self.values.explicit:
                raise GradcliError(
                    "no-grad",
                    f"np.{name} looks at values: no gradient flows back from what it gives",
                    hint="x.detach() says so",
                )
            note = Note("cut", f"np.{name} looks at values: no gradient flows back from it")
            if note not in self.autograd.notes:
                self.autograd.notes.append(note)
        array = self.values.evaluator.value(value)
        if array.shape:
            is_typed = value in self.values.arrays or self.values.is_tensor(value)
            dtype = self.values.array_dtype(value) if is_typed and value.kind == "float" else ""
            return array.astype(dtype, copy=False) if dtype in _OF_FLOATS else array
        number = array.item()
        is_whole = isinstance(number, float) and number.is_integer()
        return int(number) if is_whole else number

    def array(self, found: Any) -> Value:
        """A result as an array, or as a number."""
        array = np.asarray(found)
        if array.dtype.kind == "O":
            raise GradcliError("value", "the result is no array of numbers")
        if array.dtype.kind == "c":
            raise GradcliError("value", "the result is complex: numbers are real here")
        if array.dtype.kind in "iu":
            array = array.astype(np.int64)
        if not array.shape and not isinstance(found, np.generic):
            return self.values.plain(array.item())
        node = leaf(self.values.graph.constant(array), marked=False)
        self.values.arrays.add(node)
        if self.autograd.dtypes is not None and array.dtype.name in _OF_FLOATS:
            self.autograd.dtypes.name(node, array.dtype.name)
            self.autograd.dtypes.of_numpy.add(node)
        return node

    # --- numbers and sizes ---

    def _number(self, dtype: str, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        """`np.float32(0.5)`; of an array it makes one of that dtype."""
        (value,) = bind_names("a number", ("x",), arguments, keywords).values()
        if isinstance(value, str):
            value = self.values.plain(float(self.call("float", [value], {}).known))
        node = as_dtype(self.autograd, self.values.tensor(value, "a number"), dtype)
        made = leaf(node.graph.constant(self.values.evaluator.value(node)), marked=False)
        self.values.arrays.add(made)
        if self.autograd.dtypes is not None:
            self.autograd.dtypes.name(made, dtype)
            self.autograd.dtypes.of_numpy.add(made)
        return made

    def _asked(self, name: str, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        (value,) = bind_names(name, ("a",), arguments, keywords).values()
        node = self.values.tensor(value, name)
        if name == "shape":
            return tuple(self.values.graph.constant(float(each)) for each in node.shape)
        return self.values.graph.constant(float(node.size if name == "size" else node.ndim))

    def _is_scalar(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        (value,) = bind_names("isscalar", ("element",), arguments, keywords).values()
        is_number = isinstance(value, Node) and (
            value in self.numbers or self.values.is_number_of_numpy(value)
        )
        return self.values.graph.constant(is_number or isinstance(value, str))

    # --- arrays ---

    def _own(self, node: Node) -> Node:
        flows = node.kind == "float" and self.autograd.requires_grad(node)
        copied = bind(node) if flows else leaf(node, marked=False)
        self.values.copies.add(copied)
        self.values.arrays.add(copied)
        return copied

    def _copy(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        given = bind_names("copy", ("a", "order"), arguments, keywords, ("order",))
        if isinstance(given["a"], Items):
            made: Value = self.call("array", [given["a"]], {})
            return made
        return self._own(self.values.tensor(given["a"], "copy"))

    def _of_array(self, whole: str, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        """NumPy's function, where PyTorch's method of that name means something else."""
        found: Value = self.call(whole, arguments, keywords)
        self.values.stay_arrays(found, arguments)
        of, dtypes = arguments[0], self.autograd.dtypes
        if dtypes is None or not isinstance(found, Node) or not isinstance(of, Node):
            return found
        if found.kind == of.kind == "float":
            dtypes.name(found, dtypes.of(of))
        return found

    def _item(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        """`a.item(3)`, `a.item(1, 2)`: an element as a number of Python's."""
        node, *places = arguments
        array = self.values.evaluator.value(self.values.tensor(node))
        given = places[0] if len(places) == 1 else tuple(places)
        try:
            return self.values.plain(array.item(*self.values.integers(given, "item")))
        except (ValueError, IndexError) as error:
            raise GradcliError("index", f"item: {error}") from None

    def _along(self, name: str, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        """`a.cumsum()` runs over all elements, `a.argsort()` over the last axis."""
        if name.startswith("cum") and len(arguments) == 1 and not keywords:
            flat = self.call("flatten", arguments, {})
            arguments = [flat, self.values.graph.constant(0.0)]
        found: Value = self.call(name, arguments, keywords)
        self.values.stay_arrays(found, arguments[:1])
        if isinstance(found, Node):
            self.values.arrays.add(found)
        return found

    def _transpose(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        node, *axes = arguments
        if not axes:
            ndim = self.values.tensor(node).ndim
            axes = [self.values.graph.constant(float(each)) for each in reversed(range(ndim))]
        found: Value = self.call("permute", [node, *axes], {}) if axes else node
        self.values.stay_arrays(found, [node])
        return found

    def _sort(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        given = bind_names("sort", ("self", "axis"), arguments, keywords, ("axis",))
        node = self.values.tensor(given["self"])
        axis = self.values.integer(given["axis"], "axis") if "axis" in given else -1
        ordered = np.sort(self.values.evaluator.value(node), axis)
        self.write(node, ordered)
        return None

    def _empty(self, name: str, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        """Arrays whose elements have no values until they are set: zeros here."""
        found: Value = self.call(name.replace("empty", "zeros"), arguments, keywords)
        return found

    def _fill(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        given = bind_names("fill", ("self", "value"), arguments, keywords)
        node = self.values.tensor(given["self"])
        value = self.values.number(given["value"], "what an array is filled with")
        self.write(node, np.full(node.shape, value))
        return None

    def _fill_diagonal(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        names = ("a", "val", "wrap")
        given = bind_names("fill_diagonal", names, arguments, keywords, names[2:])
        node = self.values.tensor(given["a"])
        array: Array = np.array(self.values.evaluator.value(node))
        if array.ndim < 2:
            raise GradcliError("shape", "fill_diagonal is for matrices")
        if array.ndim > 2 and len(set(array.shape)) > 1:
            raise GradcliError("shape", "fill_diagonal: all axes have one length beyond matrices")
        wrap = "wrap" in given and self.values.truth(given["wrap"])
        value = self.values.evaluator.value(self.values.tensor(given["val"]))
        np.fill_diagonal(array, value, wrap)
        self.write(node, array)
        return None
