"""`torch.vmap`: functions of rows, called for each row of their arguments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradcli.diagnostics import GradcliError
from gradcli.graph import Node
from gradcli.ops import FUNCTIONS
from gradcli.ops.joining import stack
from gradcli.trace import transform_errors as errors
from gradcli.trace.arguments import bind_names
from gradcli.trace.items import Items
from gradcli.trace.objects import Given, Object
from gradcli.trace.printing import PrintedNumbers
from gradcli.trace.suffixes import node_name
from gradcli.trace.trees import filled, is_tree, tensors
from gradcli.trace.values import Value, Values

Visitor = Any
"""A generator that yields calls, and is sent their values."""

_OF_ROWS = {
    "SumBackward0": "SumBackward1", "MeanBackward0": "MeanBackward1",
    "ProdBackward0": "ProdBackward1", "MaxBackward1": "MaxBackward0",
    "MinBackward1": "MinBackward0", "TraceBackward0": "SumBackward1",
    "DotBackward0": "SqueezeBackward1", "MvBackward0": "SqueezeBackward1",
    "MmBackward0": "UnsafeViewBackward0", "BmmBackward0": "UnsafeViewBackward0",
    "AddmmBackward0": "AddBackward0", "AddmvBackward0": "AddBackward0",
    "SqueezeBackward0": "ViewBackward0", "SqueezeBackward1": "SqueezeBackward2",
    "SqueezeBackward4": "SqueezeBackward5", "TBackward0": "TransposeBackward0",
    "MseLossBackward0": "MeanBackward1", "BinaryCrossEntropyBackward0": "MeanBackward1",
    "NllLossBackward0": "DivBackward0", "EmbeddingBackward0": "PermuteBackward0",
    "ConvolutionBackward0": "ViewBackward0", "AvgPool2DBackward0": "ViewBackward0",
    "RollBackward0": "ViewBackward0",
}  # fmt: skip
"""Nodes that have another name where they are of many rows."""


class Transform(Object):
    """`grad(f)`: a function that is called as f is."""

    what = "a function"

    def __init__(self, run: Callable[[list[Value], Given], Visitor]) -> None:
        self._run = run

    def call(self, arguments: list[Value], keywords: Given) -> Any:
        return self._run(arguments, keywords)


class Mapping:
    """Makes such functions."""

    def __init__(self, values: Values) -> None:
        self.values = values

    def vmap(self, arguments: list[Value], keywords: Given) -> Value:
        """`vmap(f, in_dims, out_dims)`."""
        names = ("func", "in_dims", "out_dims", "randomness", "chunk_size")
        given = bind_names("vmap", names, arguments, keywords, names[1:])
        function = given["func"]
        if not isinstance(function, Object):
            raise GradcliError("type", "vmap takes a function", hint="vmap(f)(x), f without ( )")
        zero = self.values.graph.constant(0.0)
        dims, out = given.get("in_dims", zero), given.get("out_dims", zero)
        randomness = given.get("randomness", "error")
        if randomness not in ("error", "different", "same"):
            raise GradcliError("value", "randomness is 'error', 'different' or 'same'")

        def visit(inputs: list[Value], named: Given) -> Visitor:
            several = isinstance(dims, tuple | Items)
            wanted = self.values.elements(dims) if several else [dims] * len(inputs)
            title = errors.vmap_title(self.values, function, dims)
            if dims is None:
                raise errors.no_axes_given(title)
            if len(wanted) != len(inputs):
                raise errors.other_structure(title, wanted, inputs)
            pairs = [*zip(inputs, wanted, strict=True), *((each, zero) for each in named.values())]
            columns = [self._columns(title, each, dim) for each, dim in pairs]
            counts = [len(each) for column in columns for each in column if each is not None]
            if len({*counts}) != 1:
                raise errors.of_other_lengths(counts)
            results = []
            graph = self.values.graph
            drawn = graph.draws
            before, was_again = self.values.mapped, self.values.is_again
            rows = {each for column in columns for part in column if part for each in part}
            for number in range(counts[0]):
                self.values.mapped = before | rows if self.values.is_pytorch else before
                row = [
                    self._row(whole, column, number)
                    for (whole, _), column in zip(pairs, columns, strict=True)
                ]
                by_name = dict(zip(named, row[len(inputs) :], strict=True))
                if randomness == "same":
                    graph.draws = drawn
                self.values.is_again = was_again or (self.values.is_pytorch and number > 0)
                try:
                    results.append((yield function.call(row[: len(inputs)], by_name)))
                finally:
                    self.values.mapped, self.values.is_again = before, was_again
                if randomness == "error" and graph.draws != drawn:
                    raise GradcliError(
                        "value",
                        "vmap: called random operation while in randomness error mode. Please "
                        "either use the 'same' or 'different' randomness flags on vmap or perform "
                        "the randomness operation out of vmap",
                        hint="vmap(f, randomness='different')",
                    )
            return self._stacked(function, results, out)

        return Transform(visit)

    def _columns(self, title: str, value: Value, dim: Value) -> list[list[Node] | None]:
        """The rows of each tensor in an argument; None for one that is taken as it is."""
        whole = tensors(self.values, value)
        dims = tensors(self.values, dim) if is_tree(self.values, dim) else [dim] * len(whole)
        if len(dims) != len(whole):
            raise GradcliError("value", f"in_dims has {len(dims)} numbers for {len(whole)} tensors")
        return [
            None
            if along is None
            else self._rows(title, each, self.values.integer(along, "in_dims"))
            for each, along in zip(whole, dims, strict=True)
        ]

    def _rows(self, title: str, value: Value, dim: int) -> list[Node]:
        kind = PrintedNumbers(self.values).class_of(value)
        if kind:
            raise errors.no_tensor_mapped(title, dim, kind)
        node = self.values.tensor(value, "an argument of vmap")
        if not -node.ndim <= dim < node.ndim:
            raise errors.no_axis(title, dim, node)
        moved = FUNCTIONS["movedim"].build(node, (dim,), (0,)) if dim else node
        return [*self.values.rows(moved)]

    def _row(self, whole: Value, columns: list[list[Node] | None], number: int) -> Value:
        parts = tensors(self.values, whole)
        found = [part if column is None else column[number]
                 for part, column in zip(parts, columns, strict=True)]  # fmt: skip
        return filled(self.values, whole, found)

    def _stacked(self, function: Object, results: list[Value], dim: Value) -> Value:
        """The results as one, with an axis for the rows."""
        if not results:
            raise GradcliError("shape", "vmap needs arguments with rows: these have none")
        for each in tensors(self.values, results[0]):
            if errors.is_no_tensor(self.values, each):
                name = errors.name_of(function)
                raise errors.no_tensor(
                    self.values,
                    each,
                    f"vmap({name}, ...): `{name}` must only return Tensors, got type ",
                    ". Did you mean to set out_dims= to None for output?",
                )
        columns = zip(*(tensors(self.values, each) for each in results), strict=True)
        whole = [[self.values.tensor(each, "a value") for each in column] for column in columns]
        dims = tensors(self.values, dim) if is_tree(self.values, dim) else [dim] * len(whole)
        places = [self.values.integer(each, "out_dims") for each in dims]
        found = [*map(self._whole, whole, places)]
        return filled(self.values, results[0], found)

    def _whole(self, rows: list[Node], dim: int) -> Node:
        """The rows as one tensor, which PyTorch makes at once: its node is called as theirs are."""
        whole = stack(rows, dim)
        first = rows[0]
        name = node_name(self.values, first)
        name = _OF_ROWS.get(name, name)
        if first.ndim == 1 and name == "ViewBackward0" and self._is_linear(first):
            name = "AddBackward0"
        self.values.made_by[whole] = name, first.inputs, {}
        return whole

    def _is_linear(self, node: Node) -> bool:
        made = self.values.made_by.get(node)
        return made is not None and made[0].rpartition(".")[2] == "linear"
