"""`torch.utils.data`: orders of rows, and data sets of data sets, which few programs use."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from gradcli.diagnostics import GradcliError
from gradcli.trace.arguments import bind_names
from gradcli.trace.autograd import Autograd
from gradcli.trace.data_loaders import collated, count_of
from gradcli.trace.dictionaries import Dictionary
from gradcli.trace.generator import drawn_from
from gradcli.trace.items import Items
from gradcli.trace.objects import Given, Object
from gradcli.trace.special import Special
from gradcli.trace.values import Value, Values


class Sampler(Object):
    """The places of rows in an order, which may be another each time."""

    what = "a sampler"

    def __init__(self, values: Values, count: int, order: Callable[[], list[int]]) -> None:
        self.values = values
        self._count = count
        self._order = order

    def elements(self) -> Items:
        return Items([self.values.graph.constant(float(each)) for each in self._order()])

    def length(self) -> int:
        return self._count


class BatchSampler(Object):
    """Lists of places from another sampler."""

    what = "a sampler"

    def __init__(self, values: Values, sampler: Value, size: int, drops_last: bool) -> None:
        self.values = values
        self.sampler, self.size, self._drops_last = sampler, size, drops_last

    def elements(self) -> Items:
        places = self.values.elements(self.sampler)
        batches = [places[i : i + self.size] for i in range(0, len(places), self.size)]
        return Items([Items(each) for each in batches[: self.length()]])

    def length(self) -> int:
        whole, rest = divmod(count_of(self.values, self.sampler), self.size)
        return whole + (rest > 0 and not self._drops_last)


class Concatenation(Object):
    """`ConcatDataset`: the rows of several data sets one after another."""

    what = "a data set"
    title = "ConcatDataset"
    family = "Dataset"

    def __init__(self, values: Values, datasets: list[Value]) -> None:
        self.values = values
        self.datasets = datasets

    def attribute(self, name: str) -> Value:
        if name == "datasets":
            return Items(self.datasets)
        if name == "cumulative_sizes":
            ends = [sum(map(self._count, self.datasets[: i + 1]))
                    for i in range(len(self.datasets))]  # fmt: skip
            return Items([self.values.graph.constant(float(each)) for each in ends])
        raise self.has_no("attribute", name)

    def _count(self, dataset: Value) -> int:
        return count_of(self.values, dataset)

    def elements(self) -> Items:
        return Items([row for each in self.datasets for row in self.values.elements(each)])

    def length(self) -> int:
        return sum(map(self._count, self.datasets))


class Stacking(Object):
    """`StackDataset`: the rows of several data sets side by side."""

    what = "a data set"
    title = "StackDataset"
    family = "Dataset"

    def __init__(self, values: Values, datasets: dict[str, Value], *, named: bool) -> None:
        self.values = values
        self._datasets = datasets
        self._named = named

    def elements(self) -> Items:
        rows = zip(*map(self.values.elements, self._datasets.values()), strict=True)
        if not self._named:
            return Items(list(rows))
        names = list(self._datasets)
        return Items([Dictionary(self.values, list(zip(names, row, strict=True))) for row in rows])

    def length(self) -> int:
        return count_of(self.values, next(iter(self._datasets.values())))


class Samplers:
    """The functions by name."""

    def __init__(self, autograd: Autograd, call: Callable[[str, list[Value], Given], Any]) -> None:
        self.autograd = autograd
        self.values = autograd.values
        self._call = call
        self.methods: dict[str, Special] = {}
        self.functions: dict[str, Special] = {
            f"torch.utils.data.{name}": make
            for name, make in {
                "SequentialSampler": self._sequential,
                "RandomSampler": self._random,
                "SubsetRandomSampler": self._of_subset,
                "WeightedRandomSampler": self._weighted,
                "BatchSampler": self._batches,
                "ConcatDataset": self._concatenation,
                "ChainDataset": self._concatenation,
                "StackDataset": self._stacking,
                "default_collate": self._collate,
                "get_worker_info": lambda *_: None,
            }.items()
        }

    def _sequential(self, arguments: list[Value], keywords: Given) -> Value:
        (dataset,) = bind_names("SequentialSampler", ("data_source",), arguments,
                                keywords).values()  # fmt: skip
        count = count_of(self.values, dataset)
        return Sampler(self.values, count, lambda: list(range(count)))

    def _random(self, arguments: list[Value], keywords: Given) -> Value:
        names = ("data_source", "replacement", "num_samples", "generator")
        given = bind_names("RandomSampler", names, arguments, keywords, names[1:])
        count = count_of(self.values, given["data_source"])
        wanted = self._number(given, "num_samples", count)
        source = given.get("generator")
        if "replacement" in given and self.values.truth(given["replacement"]):
            again = partial(self._drawn, source, [1.0] * count, wanted, again=True)
            return Sampler(self.values, wanted, again)
        rounds = -(-wanted // count) if count else 0

        def order() -> list[int]:
            drawn = (self._shuffled(source, count) for _ in range(rounds))
            return [each for row in drawn for each in row][:wanted]

        return Sampler(self.values, wanted, order)

    def _of_subset(self, arguments: list[Value], keywords: Given) -> Value:
        names = ("indices", "generator")
        given = bind_names("SubsetRandomSampler", names, arguments, keywords, names[1:])
        places = [self.values.integer(each, "an index")
                  for each in self.values.elements(given["indices"])]  # fmt: skip
        count, source = len(places), given.get("generator")

        def order() -> list[int]:
            return [places[each] for each in self._shuffled(source, count)]

        return Sampler(self.values, count, order)

    def _weighted(self, arguments: list[Value], keywords: Given) -> Value:
        names = ("weights", "num_samples", "replacement", "generator")
        given = bind_names("WeightedRandomSampler", names, arguments, keywords, names[2:])
        weights = list(self.values.numbers(given["weights"], "weights"))
        count = self._number(given, "num_samples", 0)
        again = "replacement" not in given or self.values.truth(given["replacement"])
        drawn = partial(self._drawn, given.get("generator"), weights, count, again=again)
        return Sampler(self.values, count, drawn)

    def _batches(self, arguments: list[Value], keywords: Given) -> Value:
        names = ("sampler", "batch_size", "drop_last")
        given = bind_names("BatchSampler", names, arguments, keywords)
        size = self._number(given, "batch_size", 1)
        return BatchSampler(
            self.values, given["sampler"], size, self.values.truth(given["drop_last"])
        )

    def _number(self, given: Given, name: str, default: int) -> int:
        if given.get(name) is None:
            return default
        number = self.values.integer(given[name], name)
        if number < 1:
            raise GradcliError("value", f"{name} is 1 or more")
        self.values.graph.check_room(number)
        return number

    def _shuffled(self, source: Value, count: int) -> list[int]:
        return self._places("torch.randperm", source, [self.values.graph.constant(float(count))])

    def _drawn(self, source: Value, weights: list[float], count: int, *, again: bool) -> list[int]:
        constant = self.values.graph.constant
        return self._places(
            "torch.multinomial", source,
            [constant(np.array(weights)), constant(float(count)), constant(again)],
        )  # fmt: skip

    def _places(self, name: str, source: Value, arguments: list[Value]) -> list[int]:
        with drawn_from(source):
            drawn = self._call(name, arguments, {})
        return [int(each) for each in self.values.evaluator.value(drawn).tolist()]

    def _concatenation(self, arguments: list[Value], keywords: Given) -> Value:
        (datasets,) = bind_names("ConcatDataset", ("datasets",), arguments, keywords).values()
        found = self.values.elements(datasets)
        if not found:
            raise GradcliError("value", "there is no data set in the list")
        return Concatenation(self.values, found)

    def _stacking(self, arguments: list[Value], keywords: Given) -> Value:
        named = not arguments
        found = keywords if named else {str(i): each for i, each in enumerate(arguments)}
        if len({count_of(self.values, each) for each in found.values()}) != 1:
            raise GradcliError("shape", "StackDataset takes data sets of as many rows")
        return Stacking(self.values, found, named=named)

    def _collate(self, arguments: list[Value], keywords: Given) -> Value:
        (rows,) = bind_names("default_collate", ("batch",), arguments, keywords).values()
        return collated(self.autograd, self.values.elements(rows))
