"""`torch.utils.data`: data sets of tensors, and the batches that they are cut into."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from gradcli.diagnostics import GradcliError
from gradcli.graph import Node
from gradcli.ops.joining import stack
from gradcli.trace.arguments import bind_names
from gradcli.trace.items import Items
from gradcli.trace.objects import Given, Object
from gradcli.trace.values import Value, Values, describe


class TensorDataset(Object):
    """Rows of several tensors side by side."""

    what = "a data set"

    def __init__(self, values: Values, tensors: Sequence[Node]) -> None:
        self.values = values
        self.tensors_of = tuple(tensors)

    def attribute(self, name: str) -> Value:
        if name != "tensors":
            raise self.has_no("attribute", name)
        return self.tensors_of

    def item(self, items: Sequence[Any]) -> Value:
        return tuple(self.values.subscript(each, items) for each in self.tensors_of)

    def elements(self) -> Items:
        rows = [self.values.rows(each) for each in self.tensors_of]
        return Items(list(zip(*rows, strict=True)))

    def length(self) -> int:
        return self.tensors_of[0].shape[0]


class DataLoader(Object):
    """A data set in batches: drawn in another order each time where it shuffles."""

    what = "a data loader"

    def __init__(
        self,
        values: Values,
        dataset: Value,
        size: int,
        drops_last: bool,
        order: Callable[[int], list[int]] | None,
    ) -> None:
        self.values = values
        self.dataset = dataset
        self._size = size
        self._drops_last = drops_last
        self._order = order

    def attribute(self, name: str) -> Value:
        if name == "dataset":
            return self.dataset
        if name == "batch_size":
            return self.values.graph.constant(float(self._size))
        raise self.has_no("attribute", name)

    def _count(self) -> int:
        if isinstance(self.dataset, Object):
            return self.dataset.length()
        return len(self.values.elements(self.dataset))

    def length(self) -> int:
        whole, rest = divmod(self._count(), self._size)
        return whole + (rest > 0 and not self._drops_last)

    def elements(self) -> Items:
        count = self._count()
        order = list(range(count)) if self._order is None else self._order(count)
        batches = [order[i : i + self._size] for i in range(0, count, self._size)]
        return Items([self._batch(each) for each in batches[: self.length()]])

    def _batch(self, places: list[int]) -> Value:
        """The rows at some places: tensors where the data set has tensors, else stacks of them."""
        if isinstance(self.dataset, TensorDataset):
            chosen = self.values.graph.constant(_integers(places))
            return Items([self.values.subscript(each, [chosen])
                          for each in self.dataset.tensors_of])  # fmt: skip
        if isinstance(self.dataset, Node):
            return self.values.subscript(
                self.dataset, [self.values.graph.constant(_integers(places))]
            )
        rows_of = self.values.elements(self.dataset)
        found = [rows_of[place] for place in places]
        if all(isinstance(each, Node) for each in found):
            rows: Node = stack([self.values.tensor(each) for each in found])
            return rows
        parts = [self.values.elements(each) for each in found]
        columns = zip(*parts, strict=True)
        return Items([stack([self.values.tensor(each) for each in column]) for column in columns])


def _integers(places: list[int]) -> Any:
    import numpy as np

    return np.array(places, np.int64)


class DataLoaders:
    """The functions by name."""

    def __init__(self, values: Values, call: Callable[[str, list[Value], Given], Any]) -> None:
        self.values = values
        self._call = call
        self.functions: dict[str, Callable[[list[Value], Given], Value]] = {
            "torch.utils.data.TensorDataset": self._dataset,
            "torch.utils.data.DataLoader": self._loader,
        }

    def _dataset(self, arguments: list[Value], keywords: Given) -> Value:
        bind_names("TensorDataset", (), (), keywords)
        tensors = [self.values.tensor(each, "the data") for each in arguments]
        if not tensors or len({each.shape[:1] for each in tensors}) > 1 or not tensors[0].shape:
            raise GradcliError("shape", "TensorDataset takes tensors of as many rows")
        return TensorDataset(self.values, tensors)

    def _loader(self, arguments: list[Value], keywords: Given) -> Value:
        names = ("dataset", "batch_size", "shuffle", "drop_last", "num_workers", "pin_memory",
                 "generator")  # fmt: skip
        given = bind_names("DataLoader", names, arguments, keywords, names[1:])
        dataset = given["dataset"]
        if dataset is None or isinstance(dataset, str):
            raise GradcliError("type", f"DataLoader takes a data set, not {describe(dataset)}")
        one = self.values.graph.constant(1.0)
        size = self.values.integer(given.get("batch_size", one), "batch_size")
        if size < 1:
            raise GradcliError("value", "batch_size is 1 or more")
        flags = [
            name in given and self.values.truth(given[name]) for name in ("shuffle", "drop_last")
        ]
        return DataLoader(
            self.values, dataset, size, flags[1], self._shuffled if flags[0] else None
        )

    def _shuffled(self, count: int) -> list[int]:
        drawn = self._call("randperm", [self.values.graph.constant(float(count))], {})
        return [int(each) for each in self.values.evaluator.value(drawn).tolist()]
