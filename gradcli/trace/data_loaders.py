"""`torch.utils.data`: data sets of tensors, and the batches that they are cut into."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

from gradcli.diagnostics import GradcliError
from gradcli.graph import Node
from gradcli.ops.joining import stack
from gradcli.ops.kinds import cast
from gradcli.ops.shaping import part, reshape
from gradcli.trace.arguments import bind_names
from gradcli.trace.autograd import Autograd
from gradcli.trace.dictionaries import Dictionary
from gradcli.trace.generator import drawn_from
from gradcli.trace.items import Items
from gradcli.trace.objects import Given, Object
from gradcli.trace.printing import PrintedNumbers
from gradcli.trace.subscripts import subscript
from gradcli.trace.values import Value, Values, describe


class TensorDataset(Object):
    """Rows of several tensors side by side."""

    what = "a data set"
    title = "TensorDataset"
    family = "Dataset"
    python_class = "torch.utils.data.dataset.TensorDataset"

    def __init__(self, values: Values, tensors: Sequence[Node]) -> None:
        self.values = values
        self.tensors_of = tuple(tensors)

    def attribute(self, name: str) -> Value:
        if name != "tensors":
            raise self.has_no("attribute", name)
        return self.tensors_of

    def item(self, items: Sequence[Any]) -> Value:
        return tuple(subscript(self.values, each, items) for each in self.tensors_of)

    def elements(self) -> Items:
        rows = [self.values.rows(each) for each in self.tensors_of]
        return Items(list(zip(*rows, strict=True)))

    def length(self) -> int:
        return self.tensors_of[0].shape[0]


class DataLoader(Object):
    """A data set in batches: drawn in another order each time where it shuffles."""

    what = "a data loader"
    title = "DataLoader"
    python_class = "torch.utils.data.dataloader.DataLoader"

    def __init__(
        self,
        autograd: Autograd,
        dataset: Value,
        plan: Batching,
        row: Callable[[Value, int], Value] | None,
        collate: Callable[[list[Value]], Value] | None,
    ) -> None:
        """`row` finds a row where the data set has a method for that."""
        self.autograd = autograd
        self.values = autograd.values
        self.dataset = dataset
        self._plan = plan
        self._row = row
        self._collate = collate

    def attribute(self, name: str) -> Value:
        if name == "dataset":
            return self.dataset
        if name == "batch_size":
            return self.values.graph.constant(float(self._plan.size)) if self._plan.size else None
        if name in ("sampler", "batch_sampler") and getattr(self._plan, name) is not None:
            found: Value = getattr(self._plan, name)
            return found
        if name == "drop_last":
            return self.values.graph.constant(self._plan.drops_last)
        raise self.has_no("attribute", name)

    def length(self) -> int:
        """The number of batches; the rows of a data set without a length are counted."""
        plan = self._plan
        if plan.batch_sampler is not None:
            return count_of(self.values, plan.batch_sampler)
        chosen = self.dataset if plan.sampler is None else plan.sampler
        count = count_of(self.values, chosen)
        return _batch_count(plan, count)

    def elements(self) -> Items:
        if self._collate is None and isinstance(self.dataset, TensorDataset | Node):
            return Items([self._cut(each) for each in self._places()])
        rows: Callable[[int], Value]
        if self._row is not None:
            rows = partial(self._row, self.dataset)
            count = count_of(self.values, self.dataset)
        else:
            found = self.values.elements(self.dataset)
            rows, count = lambda place: found[place], len(found)
        batches = self._batches(count)
        if not self._plan.size and self._plan.batch_sampler is None:
            return Items([rows(place) for (place,) in batches])
        return Items([self._together([rows(place) for place in each]) for each in batches])

    def _batches(self, count: int) -> list[list[int]]:
        """The places of the rows of each batch."""
        plan = self._plan
        if plan.batch_sampler is not None:
            return [self._integers(each) for each in self.values.elements(plan.batch_sampler)]
        if plan.sampler is not None:
            order = self._integers(plan.sampler)
        elif plan.shuffled is not None:
            order = _looked_at(self.values, plan.shuffled(count))
        else:
            order = list(range(count))
        size = plan.size or 1
        batches = [order[i : i + size] for i in range(0, len(order), size)]
        return batches[: _batch_count(plan, len(order))]

    def _integers(self, value: Value) -> list[int]:
        return [self.values.integer(each, "an index") for each in self.values.elements(value)]

    def _together(self, rows: list[Value]) -> Value:
        return collated(self.autograd, rows) if self._collate is None else self._collate(rows)

    def _places(self) -> list[Node]:
        """The same as tensors: numbers where rows come one by one."""
        plan, count = self._plan, count_of(self.values, self.dataset)
        is_given = plan.sampler is not None or plan.batch_sampler is not None
        if plan.shuffled is None or is_given or not count:
            constant, batches = self.values.graph.constant, self._batches(count)
            if not plan.size and plan.batch_sampler is None:
                return [constant(float(place)) for (place,) in batches]
            return [constant(_integers(each)) for each in batches]
        size, order = plan.size or 1, plan.shuffled(count)
        starts = range(0, _batch_count(plan, count) * size, size)
        places = [part(order, 0, start, min(size, count - start)) for start in starts]
        return places if plan.size else [reshape(each) for each in places]

    def _cut(self, chosen: Node) -> Value:
        """The rows at some places, of tensors at once."""
        if isinstance(self.dataset, TensorDataset):
            return Items(
                [subscript(self.values, each, [chosen]) for each in self.dataset.tensors_of]
            )
        return subscript(self.values, self.dataset, [chosen])


class Batching(NamedTuple):
    """Which rows are in which batch."""

    size: int
    """0 where rows come one by one."""
    drops_last: bool
    shuffled: Callable[[int], Node] | None
    sampler: Value
    batch_sampler: Value


def _batch_count(plan: Batching, rows: int) -> int:
    whole, rest = divmod(rows, plan.size or 1)
    return whole + (rest > 0 and not plan.drops_last)


def count_of(values: Values, dataset: Value) -> int:
    """The number of rows of a data set, or of places that a sampler gives."""
    return dataset.length() if isinstance(dataset, Object) else len(values.elements(dataset))


def collated(autograd: Autograd, found: list[Value]) -> Value:
    """Rows as PyTorch puts them together: stacks of tensors and numbers, lists of strings."""
    values, first = autograd.values, found[0]
    if isinstance(first, Node | Items) and all(isinstance(each, Node) for each in found):
        nodes = [values.tensor(each) for each in found]
        numbers = PrintedNumbers(values)
        made = stack(nodes)
        if not all(each in numbers for each in nodes):
            if autograd.dtypes is not None and nodes[0] in values.arrays:
                autograd.dtypes.name(made, autograd.dtypes.of(nodes[0]))
            return made
        if made.kind != "bool" and all(map(numbers.is_integer, nodes)):
            return cast(made, "int")
        if autograd.dtypes is not None and made.kind == "float":
            autograd.dtypes.name(made, "float64")
        return made
    if isinstance(first, str):
        return Items(found)
    if isinstance(first, Dictionary):
        keys = [key for key, _ in first.pairs()]
        pairs = [(key, collated(autograd, [_entry(each, key) for each in found])) for key in keys]
        return Dictionary(values, pairs)
    columns = zip(*map(values.elements, found), strict=True)
    return Items([collated(autograd, list(column)) for column in columns])


class Subset(Object):
    """Some rows of a data set."""

    what = "a data set"
    title = "Subset"
    family = "Dataset"
    python_class = "torch.utils.data.dataset.Subset"

    def __init__(self, values: Values, dataset: Value, places: list[int]) -> None:
        self.values = values
        self.dataset = dataset
        self._places = places

    def attribute(self, name: str) -> Value:
        if name == "dataset":
            return self.dataset
        if name == "indices":
            return Items([self.values.plain(each) for each in self._places])
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


def _looked_at(values: Values, order: Node) -> list[int]:
    return [int(each) for each in values.evaluator.value(order).tolist()]


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
        names = ("dataset", "batch_size", "shuffle", "sampler", "batch_sampler", "num_workers",
                 "collate_fn", "pin_memory", "drop_last", "timeout", "worker_init_fn", "generator",
                 "prefetch_factor", "persistent_workers")  # fmt: skip
        given = bind_names("DataLoader", names, arguments, keywords, names[1:])
        dataset = given["dataset"]
        if dataset is None or isinstance(dataset, str):
            raise GradcliError("type", f"DataLoader takes a data set, not {describe(dataset)}")
        size = 1
        if "batch_size" in given:
            whole = given["batch_size"]
            size = 0 if whole is None else self.values.integer(whole, "batch_size")
            if whole is not None and size < 1:
                raise GradcliError("value", "batch_size is 1 or more")
        shuffles, drops_last = (
            name in given and self.values.truth(given[name]) for name in ("shuffle", "drop_last")
        )
        if shuffles and given.get("sampler") is not None:
            raise GradcliError(
                "value", "sampler option is mutually exclusive with shuffle", hint="leave one out"
            )
        collate = given.get("collate_fn")
        has_rows = isinstance(dataset, Object) and dataset.special("__getitem__") is not None
        return DataLoader(
            self.autograd,
            dataset,
            Batching(size, drops_last,
                     partial(self._shuffled, given.get("generator")) if shuffles else None,
                     given.get("sampler"), given.get("batch_sampler")),
            self._row if has_rows else None,
            self._by(collate) if isinstance(collate, Object) else None,
        )  # fmt: skip

    def _row(self, dataset: Value, place: int) -> Value:
        """A row by the method `__getitem__` of a data set."""
        method = dataset.special("__getitem__") if isinstance(dataset, Object) else None
        if method is None:
            raise GradcliError("type", "a data set has a method __getitem__(self, idx)")
        number = self.values.graph.constant(float(place))
        return self.autograd.run_inside(method.call([number], {}))

    def _by(self, function: Object) -> Callable[[list[Value]], Value]:
        return lambda rows: self.autograd.run_inside(function.call([Items(rows)], {}))

    def _subset(self, arguments: list[Value], keywords: Given) -> Value:
        given = bind_names("Subset", ("dataset", "indices"), arguments, keywords)
        count = count_of(self.values, given["dataset"])
        places = [self.values.integer(each, "an index")
                  for each in self.values.elements(given["indices"])]  # fmt: skip
        if not all(-count <= place < count for place in places):
            raise GradcliError("index", f"Subset: the data set has {count} rows")
        return Subset(self.values, given["dataset"], places)

    def _split(self, arguments: list[Value], keywords: Given) -> Value:
        names = ("dataset", "lengths", "generator")
        given = bind_names("random_split", names, arguments, keywords, names[2:])
        count = count_of(self.values, given["dataset"])
        lengths = list(self.values.numbers(given["lengths"], "lengths"))
        if lengths and sum(lengths) <= 1 < count:  # parts of the whole
            lengths = [float(int(each * count)) for each in lengths]
            for place in range(count - int(sum(lengths))):
                lengths[place % len(lengths)] += 1
        if sum(lengths) != count:
            raise GradcliError(
                "value", f"random_split: the lengths add up to {sum(lengths):g} of {count} rows"
            )
        drawn = self._shuffled(given.get("generator"), count)
        order, parts, start = _looked_at(self.values, drawn), [], 0
        for length in map(int, lengths):
            part = Subset(self.values, given["dataset"], order[start : start + length])
            parts.append(part)
            start += length
        return Items(parts)

    def _shuffled(self, source: Value, count: int) -> Node:
        with drawn_from(source):
            drawn: Node = self._call("torch.randperm", [self.values.plain(count)], {})
        return drawn
