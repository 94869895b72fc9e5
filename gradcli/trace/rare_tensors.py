"""Factors of low rank, histograms of several axes, and others that few cells ask PyTorch for."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from gradcli.diagnostics import GradcliError
from gradcli.graph import Array, Node
from gradcli.ops import FUNCTIONS, f
from gradcli.ops.control import detach
from gradcli.trace.arguments import bind_names
from gradcli.trace.autograd import Autograd
from gradcli.trace.objects import Given
from gradcli.trace.special import Special
from gradcli.trace.values import Value

_MOST = 2**24
"""The most cells of a histogram."""


class Reflections(NamedTuple):
    """The result of `geqrf`."""

    a: Node
    tau: Node


class CountedCells(NamedTuple):
    """The result of `histogramdd`."""

    hist: Node
    bin_edges: Value


class RareTensors:
    """The functions by name."""

    def __init__(
        self,
        autograd: Autograd,
        call: Callable[[str, list[Any], dict[str, Any]], Any],
        note_random: Callable[[], None],
    ) -> None:
        """`call` calls a function by its name; `note_random` is called where one would draw."""
        self._autograd = autograd
        self._values = autograd.values
        self._call = call
        self._note_random = note_random
        self.methods: dict[str, Special] = {"geqrf": self._geqrf}
        self.functions: dict[str, Special] = {
            "torch.svd_lowrank": self._svd_lowrank,
            "torch.pca_lowrank": self._pca_lowrank,
            "torch.geqrf": self._geqrf,
            "torch.histogramdd": self._histogramdd,
            "torch.from_dlpack": self._shared,
            "torch.to_dlpack": self._shared,
            "torch.utils.dlpack.from_dlpack": self._shared,
            "torch.utils.dlpack.to_dlpack": self._shared,
            "F.fractional_max_pool2d": self._fractional_max_pool2d,
        }

    def _array(self, value: Value, what: str) -> Array:
        return self._values.evaluator.value(self._values.tensor(value, what))

    def _like(self, array: Any, operand: Value) -> Node:
        """A constant in the dtype of an operand."""
        node = self._values.own(self._values.graph.constant(np.asarray(array, float)))
        dtypes = self._autograd.dtypes
        if dtypes is None or not isinstance(operand, Node) or operand.kind != "float":
            return node
        return dtypes.like(node, operand)

    # --- factors ---

    def _svd_lowrank(self, arguments: list[Value], keywords: Given) -> Value:
        """The first q parts of the decomposition itself, which PyTorch's finds by random vectors:
        the same where the rank is at most q.
        """
        names = ("A", "q", "niter", "M")
        given = bind_names("svd_lowrank", names, arguments, keywords, names[1:])
        matrix = self._values.tensor(given["A"], "svd_lowrank: A")
        count = 6 if given.get("q") is None else self._values.integer(given["q"], "q")
        mean = given.get("M")
        return self._parts(matrix if mean is None else matrix - self._values.tensor(mean), count)

    def _pca_lowrank(self, arguments: list[Value], keywords: Given) -> Value:
        names = ("A", "q", "center", "niter")
        given = bind_names("pca_lowrank", names, arguments, keywords, names[1:])
        matrix = self._values.tensor(given["A"], "pca_lowrank: A")
        if matrix.ndim < 2:
            raise GradcliError("shape", "pca_lowrank is of matrices")
        least = min(matrix.shape[-2:])
        count = min(6, least) if given.get("q") is None else self._values.integer(given["q"], "q")
        if not 0 <= count <= least:
            raise GradcliError(
                "value", f"q(={count}) must be non-negative integer and not greater than "
                f"min(m, n)={least}",
            )  # fmt: skip
        if "center" not in given or self._values.truth(given["center"]):
            matrix = matrix - FUNCTIONS["mean"].build(matrix, -2, True)
        return self._parts(matrix, count)

    def _parts(self, matrix: Node, count: int) -> Value:
        if matrix.ndim < 2:
            raise GradcliError("shape", "a matrix is decomposed")
        if count < min(matrix.shape[-2:]):
            self._note_random()
        u, s, vh = self._call(
            "svd", [matrix], {"full_matrices": self._values.graph.constant(False)}
        )
        count = min(count, s.shape[-1])
        parts = (u, s, f("matrix_transpose", vh))
        return tuple(FUNCTIONS["narrow"].build(each, -1, 0, count) for each in parts)

    def _geqrf(self, arguments: list[Value], keywords: Given) -> Value:
        """R on and above the diagonal, and below it the vectors of the reflections."""
        (value,) = bind_names("geqrf", ("input",), arguments, keywords).values()
        array = self._array(value, "geqrf: input")
        if array.ndim != 2:
            raise GradcliError("shape", "geqrf is of one matrix here")
        turned, tau = np.linalg.qr(array, mode="raw")
        found = Reflections(self._like(turned.T, value), self._like(tau, value))
        self._values.titles[id(found)] = "geqrf", found
        return found

    # --- histograms ---

    def _histogramdd(self, arguments: list[Value], keywords: Given) -> Value:
        names = ("input", "bins", "range", "weight", "density")
        given = bind_names("histogramdd", names, arguments, keywords, names[2:])
        points = self._array(given["input"], "histogramdd: input")
        points = points.reshape(-1, points.shape[-1])
        bins = self._bins(given["bins"], points.shape[-1])
        cells = math.prod(each if isinstance(each, int) else len(each) for each in bins)
        if cells > _MOST:
            raise GradcliError("limit-memory", f"a histogram of more than {_MOST:,} cells")
        ends = given.get("range")
        both = [] if ends is None else self._values.numbers(ends, "range")
        sides: Any = np.reshape(both, (-1, 2)) if both else None
        weights = given.get("weight")
        try:
            counts, edges = np.histogramdd(
                points, bins, sides,
                density="density" in given and self._values.truth(given["density"]),
                weights=None if weights is None else self._array(weights, "weight").ravel(),
            )  # fmt: skip
        except ValueError as error:
            raise GradcliError("value", f"histogramdd: {error}") from None
        of = given["input"]
        found = CountedCells(self._like(counts, of), tuple(self._like(each, of) for each in edges))
        self._values.titles[id(found)] = "histogramdd", found
        return found

    def _bins(self, value: Value, axes: int) -> list[Any]:
        """How many bins each axis has, or their edges."""
        if isinstance(value, Node) and not value.shape:
            return [self._values.integer(value, "bins")] * axes
        rows = self._values.elements(value)
        if any(isinstance(each, Node) and each.shape for each in rows):
            return [self._array(each, "bins") for each in rows]
        return [self._values.integer(each, "bins") for each in rows]

    # --- memory ---

    def _shared(self, arguments: list[Value], keywords: Given) -> Value:
        """The same memory as another tensor."""
        (value,) = bind_names("from_dlpack", ("x",), arguments[:1], keywords).values()
        node = self._values.tensor(value, "from_dlpack")
        if node in self._values.arrays:
            shared: Value = self._call("torch.from_numpy", [node], {})
            return shared
        return detach(node)

    # --- pooling ---

    def _fractional_max_pool2d(self, arguments: list[Value], keywords: Given) -> Value:
        """The largest element of windows whose distances are random, or follow from the numbers
        that are given. Formula: PyTorch's `generate_intervals`.
        """
        names = ("input", "kernel_size", "output_size", "output_ratio", "return_indices",
                 "_random_samples")  # fmt: skip
        given = bind_names("fractional_max_pool2d", names, arguments, keywords, names[2:])
        x = self._values.tensor(given["input"], "input")
        if x.ndim not in (3, 4):
            raise GradcliError("shape", "fractional_max_pool2d is of 3 or 4 axes")
        kernel = self._pair(given["kernel_size"], "kernel_size")
        if given.get("output_size") is not None:
            size = self._pair(given["output_size"], "output_size")
        else:
            ratios = self._values.numbers(given.get("output_ratio"), "output_ratio")
            both = ratios if len(ratios) == 2 else [*ratios, *ratios]
            size = tuple(int(n * r) for n, r in zip(x.shape[-2:], both, strict=True))
        planes = x.shape[:-2] if x.ndim == 4 else (1, *x.shape[:-2])
        places = self._windows(x, kernel, size, self._samples(given, planes))
        flat = FUNCTIONS["reshape"].build(x, *x.shape[:-2], -1)
        rows = FUNCTIONS["reshape"].build(self._values.graph.constant(places), *x.shape[:-2], -1)
        shape = (*x.shape[:-2], *size, kernel[0] * kernel[1])
        windows = FUNCTIONS["reshape"].build(f("gather", flat, -1, rows), *shape)
        largest, chosen = FUNCTIONS["max"].build(windows, -1)
        self._values.made_by[largest] = "FractionalMaxPool2DBackward0", (x,), {}
        if "return_indices" not in given or not self._values.truth(given["return_indices"]):
            return largest  # type: ignore[no-any-return]
        where = np.take_along_axis(
            places.reshape(shape), self._values.evaluator.value(chosen)[..., None], -1
        )
        return largest, self._values.graph.constant(where[..., 0])

    def _pair(self, value: Value, what: str) -> tuple[int, ...]:
        numbers = tuple(self._values.integers(value, what))
        return numbers if len(numbers) == 2 else numbers * 2

    def _samples(self, given: Given, planes: tuple[int, ...]) -> Array:
        """Two numbers for each plane: of its columns, and of its rows."""
        samples = given.get("_random_samples")
        if samples is None:
            self._note_random()
            samples = self._call("rand", [self._values.plain(n) for n in (*planes, 2)], {})
        found = self._array(samples, "_random_samples")
        if found.shape != (*planes, 2):
            raise GradcliError("shape", f"_random_samples has the shape {(*planes, 2)}")
        return found

    def _windows(
        self, x: Node, kernel: tuple[int, ...], size: tuple[int, ...], samples: Array
    ) -> Array:
        """The places of the elements of each window, in each plane."""
        for length, pool, count in zip(x.shape[-2:], kernel, size, strict=True):
            if not 0 < pool <= length or not 0 < count <= length - pool + 1:
                raise GradcliError("value", "fractional_max_pool2d: the windows do not fit")
        columns = _starts(samples[..., 0], x.shape[-1], size[1], kernel[1])
        rows = _starts(samples[..., 1], x.shape[-2], size[0], kernel[0])
        self._values.graph.check_room(rows.size * size[1] * kernel[0] * kernel[1])
        r = rows[..., :, None, None, None] + np.arange(kernel[0])[:, None]
        c = columns[..., None, :, None, None] + np.arange(kernel[1])
        found: Array = (r * x.shape[-1] + c).astype(np.int64)
        return found


def _starts(samples: Array, length: int, count: int, pool: int) -> Array:
    """Where windows begin along an axis."""
    alpha = (length - pool) / (count - 1) if count > 1 else 0.0
    samples = samples[..., None]
    steps = np.arange(count - 1)
    found = np.floor((steps + samples) * alpha) - np.floor(samples * alpha)
    last = np.full((*samples.shape[:-1], 1), length - pool)
    return np.concatenate([found, last], -1).astype(np.int64)
