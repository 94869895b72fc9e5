"""`torch.utils.data`: data sets of tensors, and the batches that they are cut into."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from gradcli.diagnostics import GradcliError
from gradcli.graph import Node
from gradcli.ops.joining import stack
from gradcli.ops.kinds import cast
from gradcli.trace.arguments import bind_names
from gradcli.trace.autograd import Autograd
from gradcli.trace.dictionaries import Dictionary
from gradcli.trace.items import Items
from gradcli.trace.objects import Given, Object
from gradcli.trace.printing import PrintedNumbers
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
        collate: Callable[[list[Value]], Value] | None,
    ) -> None:
        self.values = values
        self.dataset = dataset
        self._size = size
        self._drops_last = drops_last
        self._order = order
        self._collate = collate

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
        rows = None if self._is_whole() else self.values.elements(self.dataset)
        return Items([self._batch(each, rows) for each in batches[: self.length()]])

    def _is_whole(self) -> bool:
        """Whether batches are cut from tensors, and not put together from rows."""
        return self._collate is None and isinstance(self.dataset, TensorDataset | Node)

    def _batch(self, places: list[int], rows: list[Value] | None) -> Value:
        """The rows at some places: tensors where the data set has tensors, else stacks of them."""
        if rows is not None:
            found = [rows[place] for place in places]
            return self._collated(found) if self._collate is None else self._collate(found)
        chosen = self.values.graph.constant(_integers(places))
        if isinstance(self.dataset, TensorDataset):
            return Items(
                [self.values.subscript(each, [chosen]) for each in self.dataset.tensors_of]
            )
        return self.values.subscript(self.dataset, [chosen])

    def _collated(self, found: list[Value]) -> Value:
        """Rows as PyTorch puts them together: stacks of tensors and numbers, lists of strings."""
        first = found[0]
        if isinstance(first, Node | Items) and all(isinstance(each, Node) for each in found):
            nodes = [self.values.tensor(each) for each in found]
            numbers = PrintedNumbers(self.values)
            whole = all(each in numbers and numbers.is_integer(each) for each in nodes)
            return cast(stack(nodes), "int") if whole else stack(nodes)
        if isinstance(first, str):
            return Items(found)
        if isinstance(first, Dictionary):
            keys = [key for key, _ in first.pairs()]
            pairs = [(key, self._collated([_entry(each, key) for each in found])) for key in keys]
            return Dictionary(self.values, pairs)
        columns = zip(*map(self.values.elements, found), strict=True)
        return Items([self._collated(list(column)) for column in columns])


class Subset(Object):
    """Some rows of a data set."""

    what = "a data set"

    def __init__(self, values: Values, dataset: Value, places: list[int]) -> None:
        self.values = values
        self.dataset = dataset
        self._places = places

    def attribute(self, name: str) -> Value:
        if name == "dataset":
            return self.dataset
        raise self.has_no("attribute", name)

    def elements(self) -> Items:
        rows = self.values.elements(self.dataset)
        return Items([rows[place] for place in self._places])

    def length(self) -> int:
        return len(self._places)


def _entry(value: Value, key: Value) -> Value:
    if not isinstance(value, Dictionary):
        raise GradcliError("type", "all rows of a batch are dictionaries, or none")
    return value.item([key])


def _integers(places: list[int]) -> Any:
    import numpy as np

    return np.array(places, np.int64)


class DataLoaders:
    """The functions by name."""

    def __init__(self, autograd: Autograd, call: Callable[[str, list[Value], Given], Any]) -> None:
        self.autograd = autograd
        self.values = autograd.values
        self._call = call
        self.functions: dict[str, Callable[[list[Value], Given], Value]] = {
            "torch.utils.data.TensorDataset": self._dataset,
            "torch.utils.data.DataLoader": self._loader,
            "torch.utils.data.Subset": self._subset,
            "torch.utils.data.random_split": self._split,
        }

    def _dataset(self, arguments: list[Value], keywords: Given) -> Value:
        bind_names("TensorDataset", (), (), keywords)
        tensors = [self.values.tensor(each, "the data") for each in arguments]
        if not tensors or len({each.shape[:1] for each in tensors}) > 1 or not tensors[0].shape:
            raise GradcliError("shape", "TensorDataset takes tensors of as many rows")
        return TensorDataset(self.values, tensors)

    def _loader(self, arguments: list[Value], keywords: Given) -> Value:
        names = ("dataset", "batch_size", "shuffle", "drop_last", "num_workers", "pin_memory",
                 "generator", "collate_fn", "persistent_workers")  # fmt: skip
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
        collate = given.get("collate_fn")
        return DataLoader(
            self.values,
            dataset,
            size,
            flags[1],
            self._shuffled if flags[0] else None,
            self._by(collate) if isinstance(collate, Object) else None,
        )

    def _by(self, function: Object) -> Callable[[list[Value]], Value]:
        return lambda rows: self.autograd.run_inside(function.call([Items(rows)], {}))

    def _count(self, dataset: Value) -> int:
        if isinstance(dataset, Object):
            return dataset.length()
        return len(self.values.elements(dataset))

    def _subset(self, arguments: list[Value], keywords: Given) -> Value:
        given = bind_names("Subset", ("dataset", "indices"), arguments, keywords)
        count = self._count(given["dataset"])
        places = [self.values.integer(each, "an index")
                  for each in self.values.elements(given["indices"])]  # fmt: skip
        if not all(-count <= place < count for place in places):
            raise GradcliError("index", f"Subset: the data set has {count} rows")
        return Subset(self.values, given["dataset"], places)

    def _split(self, arguments: list[Value], keywords: Given) -> Value:
        names = ("dataset", "lengths", "generator")
        given = bind_names("random_split", names, arguments, keywords, names[2:])
        count = self._count(given["dataset"])
        lengths = list(self.values.numbers(given["lengths"], "lengths"))
        if lengths and sum(lengths) <= 1 < count:  # parts of the whole
            lengths = [float(int(each * count)) for each in lengths]
            for place in range(count - int(sum(lengths))):
                lengths[place % len(lengths)] += 1
        if sum(lengths) != count:
            raise GradcliError(
                "value", f"random_split: the lengths add up to {sum(lengths):g} of {count} rows"
            )
        order, parts, start = self._shuffled(count), [], 0
        for length in map(int, lengths):
            part = Subset(self.values, given["dataset"], order[start : start + length])
            parts.append(part)
            start += length
        return Items(parts)

    def _shuffled(self, count: int) -> list[int]:
        drawn = self._call("torch.randperm", [self.values.graph.constant(float(count))], {})
        return [int(each) for each in self.values.evaluator.value(drawn).tolist()]
