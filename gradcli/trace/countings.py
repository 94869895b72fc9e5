"""PyTorch's functions that count and search: they look at values now, and no gradient flows back
from what they find.
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import numpy as np

from gradcli.diagnostics import GradcliError
from gradcli.graph import Array, Node
from gradcli.ops.table import kernel, whole
from gradcli.trace.arguments import bind_names
from gradcli.trace.autograd import Autograd
from gradcli.trace.refusals import check_demands
from gradcli.trace.special import Special
from gradcli.trace.text_arrays import joined
from gradcli.trace.values import Value

_COUNTED = whole(
    "\"bincount_cpu\" not implemented for '{Type}'",
    "int64", "int32", "uint8", "int8", "int16",
    kind="NotImplementedError",
)  # fmt: skip
MOST = 2**24
"""The most bins that a count may have."""


class Histogram(NamedTuple):
    hist: Node
    bin_edges: Node


class Countings:
    """The functions and methods by name."""

    def __init__(self, autograd: Autograd) -> None:
        self._autograd = autograd
        self.values = autograd.values
        self.methods: dict[str, Special] = {
            "bincount": self._bincount,
            "unique": self._unique,
            "unique_consecutive": self._unique_consecutive,
            "histc": self._histc,
            "histogram": self._histogram,
        }
        self.functions: dict[str, Special] = {
            **{f"torch.{name}": method for name, method in self.methods.items()},
            "torch.bucketize": self._bucketize,
            "torch.searchsorted": self._searchsorted,
            "torch.isin": self._isin,
            "numpy.bincount": self._bincount,
            "np.bincount": self._bincount,
            "np.unique": self._unique_of_numpy,
            "torch.nn.utils.rnn.pad_sequence": self._pad_sequence,
        }

    def _array(self, value: Value, what: str) -> Array:
        return self.values.evaluator.value(self.values.tensor(value, what))

    def _is_given(self, given: dict[str, Value], name: str) -> bool:
        return name in given and self.values.truth(given[name])

    def _constant(self, array: Any) -> Node:
        return self.values.graph.constant(np.asarray(array))

    def _like(self, array: Any, operand: Value) -> Node:
        """The same in the dtype of an operand."""
        node = self._constant(array)
        dtypes = self._autograd.dtypes
        if dtypes is None or not isinstance(operand, Node) or operand.kind != node.kind:
            return node
        return dtypes.like(node, operand)

    # --- counts ---

    def _bincount(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        """How often each number from 0 to the largest occurs, or the sums of their weights."""
        names = ("input", "weights", "minlength")
        given = bind_names("bincount", names, arguments, keywords, names[1:])
        if self.values.is_pytorch:
            check_demands(self.values, "bincount", {"input": _COUNTED}, given)
        numbers = self.values.evaluator.value(self.values.index(given["input"], "bincount: input"))
        least = self.values.integer(given["minlength"], "minlength") if "minlength" in given else 0
        if numbers.ndim != 1 or (numbers.size and numbers.min() < 0) or least < 0:
            raise GradcliError(
                "value", "bincount takes one row of integers that are 0 or more",
                hint="x.flatten() makes one row",
            )  # fmt: skip
        if max(least, int(numbers.max(initial=0))) > MOST:
            raise GradcliError("limit-memory", f"bincount of numbers above {MOST:,}")
        if given.get("weights") is None:
            return self._constant(np.bincount(numbers, minlength=least).astype(np.int64))
        weights = self._array(given["weights"], "bincount: weights")
        if weights.shape != numbers.shape:
            raise GradcliError("shape", "bincount takes a weight for each number")
        return self._constant(np.bincount(numbers, weights, minlength=least))

    def _unique_of_numpy(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        """The same as NumPy has it: it may also tell where each is first."""
        names = ("ar", "return_index", "return_inverse", "return_counts", "axis")
        given = bind_names("unique", names, arguments, keywords, names[1:])
        of, texts = given["ar"], joined(self.values, [given["ar"]])
        array = self._array(of, "unique: ar") if texts is None else texts.held
        axis = None if given.get("axis") is None else self.values.integer(given["axis"], "axis")
        if axis is not None and not -array.ndim <= axis < array.ndim:
            raise GradcliError("axis", f"unique: axis {axis} of {array.ndim}")
        found, *more = np.unique(array, True, True, True, axis)
        first = self._like(found, of) if texts is None else texts.again(found)
        told = [self._constant(each.astype(np.int64)) for name, each in
                zip(names[1:4], more, strict=True) if self._is_given(given, name)]  # fmt: skip
        return (first, *told) if told else first

    def _unique(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        """The different elements, or rows along `dim`, in order."""
        names = ("input", "sorted", "return_inverse", "return_counts", "dim")
        given = bind_names("unique", names, arguments, keywords, names[1:])
        array = self._array(given["input"], "unique: input")
        axis = None if given.get("dim") is None else self.values.integer(given["dim"], "dim")
        if axis is not None and not -array.ndim <= axis < array.ndim:
            raise GradcliError("axis", f"unique: dim {axis} of {array.ndim}")
        found, inverse, number = np.unique(
            array, return_inverse=True, return_counts=True, axis=axis
        )
        results: list[Value] = [self._like(found, given["input"])]
        if self._is_given(given, "return_inverse"):
            inverse = inverse.reshape(array.shape if axis is None else -1)
            results.append(self._constant(inverse.astype(np.int64)))
        if self._is_given(given, "return_counts"):
            results.append(self._constant(number.astype(np.int64)))
        return results[0] if len(results) == 1 else tuple(results)

    def _unique_consecutive(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        """The elements without those that are equal to the one before."""
        names = ("input", "return_inverse", "return_counts")
        given = bind_names("unique_consecutive", names, arguments, keywords, names[1:])
        array = self._array(given["input"], "unique_consecutive: input")
        row = array.ravel()
        is_new = np.ones(row.size, bool)
        is_new[1:] = row[1:] != row[:-1]
        places = np.flatnonzero(is_new)
        results: list[Value] = [self._like(row[places], given["input"])]
        if self._is_given(given, "return_inverse"):
            inverse = np.cumsum(is_new) - 1
            results.append(self._constant(inverse.reshape(array.shape).astype(np.int64)))
        if self._is_given(given, "return_counts"):
            results.append(self._constant(np.diff([*places, row.size]).astype(np.int64)))
        return results[0] if len(results) == 1 else tuple(results)

    def _histc(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        """How many elements lie in each of `bins` equal sections from `min` to `max`, which belong
        to them both; without these, from the least to the largest element.
        """
        names = ("input", "bins", "min", "max")
        given = bind_names("histc", names, arguments, keywords, names[1:])
        if self.values.is_pytorch:
            check_demands(self.values, "histc", {"input": kernel("histogram_cpu")}, given)
        array = self._array(given["input"], "histc: input").ravel()
        bins = self.values.integer(given["bins"], "bins") if "bins" in given else 100
        low, high = (
            self.values.number(given[name], name) if name in given else 0.0 for name in names[2:]
        )
        if not 0 < bins <= MOST or low > high or not np.isfinite(array).all():
            raise GradcliError("value", "histc takes finite numbers, min <= max and bins of 1 up")
        if low == high and array.size:
            low, high = float(array.min()), float(array.max())
        if low == high:
            low, high = low - 1.0, high + 1.0
        counts = np.histogram(array, bins, (low, high))[0]
        return self._like(counts.astype(float), given["input"])

    def _histogram(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        """How many elements lie between edges, or the sums of their weights; and the edges. With
        `density` the area below them is 1.
        """
        names = ("input", "bins", "range", "weight", "density")
        given = bind_names("histogram", names, arguments, keywords, names[2:])
        array = self._array(given["input"], "histogram: input").ravel()
        bins: Any = self._array(given["bins"], "bins")
        if not bins.shape:
            bins = self.values.integer(given["bins"], "bins")
            ends = self._ends(given, array, bins)
            bins = np.linspace(*ends, bins + 1)
        if (np.diff(bins) < 0).any() or len(bins) < 2:
            raise GradcliError("value", "histogram: the edges of bins grow")
        weights = None
        if given.get("weight") is not None:
            weights = self._array(given["weight"], "weight").ravel()
            if weights.shape != array.shape:
                raise GradcliError("shape", "histogram: there is a weight for each element")
        counts, edges = np.histogram(array, bins, weights=weights)
        if self._is_given(given, "density"):
            counts = counts / counts.sum() / np.diff(edges)
        own = self.values.own
        both = (self._like(each, given["input"]) for each in (counts.astype(float), edges))
        found = Histogram(*map(own, both))
        self.values.titles[id(found)] = "histogram", found
        return found

    def _ends(self, given: dict[str, Value], array: Array, bins: int) -> tuple[float, float]:
        """The edges around all bins: those of `range`, or the least and the largest element."""
        if not 0 < bins <= MOST or not np.isfinite(array).all():
            raise GradcliError("value", "histogram takes finite numbers, and 1 bin or more")
        if given.get("range") is not None:
            low, high = self.values.numbers(given["range"], "range")
        else:
            low, high = (float(array.min()), float(array.max())) if array.size else (0.0, 0.0)
        return (low, high) if low < high else (low - 0.5, high + 0.5)

    # --- searches ---

    def _bucketize(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        """For each element, how many boundaries lie below it; with `right`, or are equal to it."""
        names = ("input", "boundaries", "out_int32", "right")
        given = bind_names("bucketize", names, arguments, keywords, names[2:])
        boundaries = self._array(given["boundaries"], "bucketize: boundaries")
        return self._found(boundaries, given, "right")

    def _searchsorted(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        """Where elements would have to be put into a sorted row."""
        names = ("sorted_sequence", "input", "out_int32", "right", "side")
        given = bind_names("searchsorted", names, arguments, keywords, names[2:])
        row = self._array(given["sorted_sequence"], "searchsorted: sorted_sequence")
        if given.get("side") == "right":
            given["right"] = self.values.graph.constant(True)
        if row.ndim == 1:
            return self._found(row, given, "right")
        inputs = self._array(given["input"], "searchsorted: input")
        if inputs.shape[:-1] != row.shape[:-1]:
            raise GradcliError("shape", "searchsorted: the rows of both must be as many")
        side: Literal["left", "right"] = "right" if self._is_given(given, "right") else "left"
        rows = zip(row.reshape(-1, row.shape[-1]), inputs.reshape(-1, inputs.shape[-1]),
                   strict=True)  # fmt: skip
        found = [np.searchsorted(each, of, side) for each, of in rows]
        return self._constant(np.reshape(found, inputs.shape).astype(np.int64))

    def _found(self, row: Array, given: dict[str, Value], right: str) -> Value:
        if row.ndim != 1:
            raise GradcliError("shape", "boundaries are one row")
        inputs = self._array(given["input"], "input")
        places = np.searchsorted(row, inputs, "right" if self._is_given(given, right) else "left")
        return self.values.own(self._constant(np.asarray(places).astype(np.int64)))

    def _isin(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        names = ("elements", "test_elements", "assume_unique", "invert")
        given = bind_names("isin", names, arguments, keywords, names[2:])
        elements, tests = (self._array(given[name], f"isin: {name}") for name in names[:2])
        found = np.isin(elements, tests)
        return self._constant(~found if self._is_given(given, "invert") else found)

    # --- sequences ---

    def _pad_sequence(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        """Sequences (length, *) as one tensor (longest, count, *), the shorter ones filled up;
        (count, longest, *) with `batch_first`. Gradients flow back.
        """
        from gradcli.ops import FUNCTIONS

        names = ("sequences", "batch_first", "padding_value", "padding_side")
        given = bind_names("pad_sequence", names, arguments, keywords, names[1:])
        from gradcli.trace.given_tensors import check_row

        check_row(self.values, given["sequences"])
        rows = self.values.tensors(given["sequences"], "pad_sequence: sequences")
        if not rows or any(row.shape[1:] != rows[0].shape[1:] or not row.shape for row in rows):
            raise GradcliError("shape", "pad_sequence takes tensors that differ in length alone")
        fill = self.values.number(given["padding_value"], "padding_value") \
            if "padding_value" in given else 0.0  # fmt: skip
        longest = max(row.shape[0] for row in rows)
        is_left = given.get("padding_side") == "left"
        filled = []
        for row in rows:
            more = longest - row.shape[0]
            widths = [0, 0] * (row.ndim - 1) + ([more, 0] if is_left else [0, more])
            filled.append(FUNCTIONS["pad"].build(row, widths, "constant", fill) if more else row)
        batch = self._is_given(given, "batch_first")
        stacked: Value = FUNCTIONS["stack"].build(filled, 0 if batch else 1)
        return stacked
