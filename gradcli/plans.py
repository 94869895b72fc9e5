"""Plans of programs that run many times: parsed once, then traced and planned once for similar
inputs.

Programs that differ only in their numbers share a plan, which gets the numbers as inputs. A plan is
used again while everything that decided how it was built is the same: the numbers that were looked
at, which constants are equal, and the values of nodes that were looked at and depend on an input
(its guards).
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache, partial
from operator import neg
from typing import Any, Generic, TypeAlias, TypeVar

import numpy as np

from gradcli.diagnostics import GradcliError, Note, Source
from gradcli.engine.device import traced
from gradcli.engine.plan import nbytes
from gradcli.graph import CONSTANT, EMPTY, INPUT, NODE_BYTES, Array, Graph, Index, Node, Precision
from gradcli.language.parser import parse_program
from gradcli.language.skeleton import dissect, starts
from gradcli.language.syntax import Program
from gradcli.session import Gradient, Options, Prepared, prepare
from gradcli.trace.names import may_be_fragment
from gradcli.walks import ancestors

T = TypeVar("T")
Feeds: TypeAlias = Mapping[Node, Array]
Made: TypeAlias = Callable[[Feeds], T]

PROGRAMS = 1024
"""The most programs whose plans are kept; the least recently used are removed first."""
TEXT = 2**15
"""The longest program that is kept, in characters."""
TEXTS = 32
"""The most programs whose numbers are kept."""
VARIANTS = 8
"""The most plans that are kept for one program: it may branch on its inputs and its numbers."""
NODES = 2**15
"""The most nodes of all plans together. A plan of more than a quarter of them is not kept."""
CHARACTERS = 8
"""Characters of a program that count as one node."""
GUARD_BYTES = 2**14
"""The most values that the guards of one plan may keep."""
LARGEST = 1e38
"""A number beyond this may be infinite in the dtype of the run."""


@dataclass(slots=True)
class Request:
    """A program, and the values that it is run for."""

    program: str
    inputs: dict[str, Array] = field(default_factory=dict)
    """In the dtypes of the run."""
    gradients: list[Gradient] = field(default_factory=list)
    outputs: tuple[str, ...] = ()
    wrt: tuple[str, ...] = ()
    seed: int | None = None


class Plans(Generic[T]):
    """A bounded cache of prepared programs. What is kept for each is the result of `make`: a
    function of the values of inputs, gradients and numbers.

    `options` are for all programs, where a request does not say otherwise.
    """

    def __init__(self, options: Options, make: Callable[[Prepared], Made[T]]) -> None:
        self._options = options
        self._make = make
        self._numbers_of = partial(Numbers, options.precision)
        self._numbers_kept = lru_cache(TEXTS)(self._numbers_of)
        self._kept: OrderedDict[Any, list[_Variant[T]]] = OrderedDict()
        self._nodes = 0

    def run(self, request: Request, seed: Callable[[], int]) -> T:
        """The result of the program's function for this request.

        `seed` is called only where it may matter.

        Raises GradcliError with the place in the text.
        """
        numbers = self._numbers(request.program)
        key = _key(request, numbers)
        found = self._find(key, request, numbers, seed)
        if found is not None:
            variant, feeds = found
            try:
                return variant.made(feeds)
            except GradcliError:
                if not variant.shares:
                    raise
        program = parse_program(Source("program", request.program), self._options.limits.parse)
        # An error may be at another place in this text, and what depends on constants alone fails
        # before the rest: so after one, the program is traced for its own numbers.
        if found is None and numbers.texts and program.source.text == request.program:
            with suppress(GradcliError):
                return self._run_anew(key, program, request, numbers, numbers.places(), seed)
        return self._run_anew(key, program, request, numbers, EMPTY, seed)

    def unconditional(self, request: Request) -> tuple[Made[T], Feeds] | None:
        """The function that is kept for this request, if it is valid for all values of the inputs,
        and the values to call it with.
        """
        numbers = self._numbers(request.program)
        found = self._find(_key(request, numbers), request, numbers, int)
        if found is None or not found[0].is_unconditional:
            return None
        return found[0].made, found[1]

    def _find(
        self, key: Any, request: Request, numbers: Numbers, seed: Callable[[], int]
    ) -> tuple[_Variant[T], Feeds] | None:
        """The function that is kept for this request, and the values to call it with."""
        variants = self._kept.get(key, [])
        for place, variant in enumerate(variants):
            feeds = variant.feeds(request, numbers, seed)
            if feeds is not None:
                self._kept.move_to_end(key)
                if place:
                    variants.insert(0, variants.pop(place))
                return variant, feeds
        return None

    def _numbers(self, text: str) -> Numbers:
        return (self._numbers_kept if len(text) <= TEXT else self._numbers_of)(text)

    def _run_anew(
        self,
        key: Any,
        program: Program,
        request: Request,
        numbers: Numbers,
        places: Mapping[int, int],
        seed: Callable[[], int],
    ) -> T:
        """Trace the program, and keep the function that is made of it."""
        options = self._options._replace(outputs=request.outputs, wrt=request.wrt, seed=seed())
        prepared = prepare(program, request.inputs, request.gradients, options, numbers=places)
        made = self._make(prepared)
        variant = _Variant(made, prepared, request, numbers, seed())
        if len(request.program) <= TEXT and variant.is_small():
            self._keep(key, variant)
        return made(_feeds(prepared, request, numbers))

    def _keep(self, key: Any, variant: _Variant[T]) -> None:
        variants = self._kept.setdefault(key, [])
        self._kept.move_to_end(key)
        variants.insert(0, variant)
        self._nodes += variant.nodes
        self._nodes -= sum(each.nodes for each in variants[VARIANTS:])
        del variants[VARIANTS:]
        while self._nodes > NODES or len(self._kept) > PROGRAMS:
            _, forgotten = self._kept.popitem(last=False)
            self._nodes -= sum(each.nodes for each in forgotten)


def _key(request: Request, numbers: Numbers) -> Any:
    """The key of a request: it is the same in all requests that may share a plan."""
    return (
        numbers.key,
        tuple([(name, a.shape, a.dtype.char, type(a)) for name, a in request.inputs.items()]),
        tuple([(each.output, each.value.shape) for each in request.gradients]),
        request.outputs,
        request.wrt,
    )


_OF_PYTHON = re.compile(r"\b(?:import|class) +\w")

_DIGIT = re.compile(r"\d")


class Numbers:
    """The numbers of a program's text, and what programs that share a plan have in common: the text
    between the numbers, which of them are equal, and which are 0 or 1.
    """

    __slots__ = ("_parts", "_pool", "key", "texts", "values")

    def __init__(self, precision: Precision, text: str) -> None:
        shared = len(text) <= TEXT and not _is_python(text)
        self._parts, self.texts = dissect(text) if shared else ((text,), ())
        values = [*map(float, self.texts)]
        if values and max(values) > LARGEST:
            self._parts, self.texts, values = (text,), (), []
        self._pool = np.array([*values, *map(neg, values)])
        self.values = values
        if precision != "float64":
            self._pool = self._pool.astype(precision)
            self.values = self._pool.tolist()[: len(values)]
        equal: tuple[int, ...] = ()
        if len({0.0, 1.0, *self.values}) < 2 + len(values):
            first = {0.0: -1, 1.0: -2}
            equal = tuple([first.setdefault(each, i) for i, each in enumerate(self.values)])
        self.key = self._parts, equal

    def places(self) -> dict[int, int]:
        """For each place in the text where a number begins, the number's index."""
        return starts(self._parts, self.texts)

    def feeds(self, literals: Mapping[Node, Index]) -> dict[Node, Array]:
        """The values of literals."""
        return {node: self._pool[index] for node, index in literals.items()}


def _is_python(text: str) -> bool:
    """Whether a program has an import or a class, or may be read as if it had: then 1 and 1. are
    numbers of two kinds, and it shares no plan.
    """
    if may_be_fragment(text):
        return True
    if "import" not in text and "class" not in text:  # it takes no time
        return False
    return _OF_PYTHON.search(text) is not None


class _Variant(Generic[T]):
    """A function made of one trace of a program, and the numbers and values for which it is
    valid.
    """

    def __init__(
        self, made: Made[T], prepared: Prepared, request: Request, numbers: Numbers, seed: int
    ) -> None:
        graph = prepared.graph
        self.made = made
        constants = sum(nbytes(node) for node in graph.held if node.op is CONSTANT)
        self.nodes = graph.count + len(request.program) // CHARACTERS + constants // NODE_BYTES
        self._prepared = prepared
        self._seed = seed if graph.draws else None
        guards = _guards(prepared)
        self._engine = traced(guards, prepared.options.threads) if guards else None
        self._guarded = self._values_of_guards(_feeds(prepared, request, numbers))
        free = {} if _quotes(prepared.notes) else _free(graph, len(numbers.texts))
        self.shares = bool(free)
        self._pinned = [each for each in enumerate(numbers.texts) if each[0] not in free]
        self._scalars = [place for place, node in free.items() if not node.shape]
        self._others = {float(each) for each in graph.constants() if not each.ndim}

    @property
    def is_unconditional(self) -> bool:
        """Whether neither inputs nor random numbers decide which way the program takes."""
        return self._engine is None and self._seed is None

    def is_small(self) -> bool:
        """Whether it is small enough to be kept."""
        guards = sum(map(nbytes, self._engine.plan.outputs)) if self._engine else 0
        return self.nodes <= NODES // 4 and guards <= GUARD_BYTES

    def feeds(
        self, request: Request, numbers: Numbers, seed: Callable[[], int]
    ) -> dict[Node, Array] | None:
        """The values to call it with; None where a trace with them would take another way."""
        for place, text in self._pinned:
            if numbers.texts[place] != text:
                return None
        if not self._others.isdisjoint([numbers.values[place] for place in self._scalars]):
            return None
        if self._seed is not None and self._seed != seed():
            return None
        feeds = _feeds(self._prepared, request, numbers)
        return feeds if self._values_of_guards(feeds) == self._guarded else None

    def _values_of_guards(self, feeds: Feeds) -> list[bytes]:
        if self._engine is None:
            return []
        return [array.tobytes() for array in self._engine.run(feeds)]


def _feeds(prepared: Prepared, request: Request, numbers: Numbers) -> dict[Node, Array]:
    feeds = prepared.feeds(request.inputs, request.gradients)
    feeds.update(numbers.feeds(prepared.graph.literals))
    return feeds


def _guards(prepared: Prepared) -> list[Node]:
    """The nodes that the trace looked at and that depend on an input; other numbers are pinned."""
    looked = prepared.looked
    dependent: set[Node] = set()
    for node in ancestors(looked):
        if node.op is INPUT or not dependent.isdisjoint(node.inputs):
            dependent.add(node)
    prepared.graph.looked.update(ancestors(node for node in looked if node not in dependent))
    return [node for node in looked if node in dependent]


def _quotes(notes: Iterable[Note]) -> bool:
    """Whether a note may tell a number of the text, or a place in it that other numbers move."""
    return any(_DIGIT.search(note.message) for note in notes)


def _free(graph: Graph, count: int) -> dict[int, Node]:
    """The free literals, to which no constant is equal, by their places.

    Arrays count as equal to all others of their shape.
    """
    shapes = {each.shape for each in graph.constants() if each.ndim}
    return {
        place % count: node
        for place, node in graph.places.items()
        if node in graph.literals and node not in graph.looked and node.shape not in shapes
    }
