"""Programs that run again and again: parsed once, traced and planned once for inputs of a kind.

A plan is used again while everything that tracing looked at has the same values (its guards).
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any, Generic, TypeVar

from gradcli.diagnostics import Source
from gradcli.engine.cpu import Engine
from gradcli.engine.plan import Plan, nbytes
from gradcli.graph import INPUT, Array, Node, ancestors
from gradcli.language.parser import parse_program
from gradcli.language.syntax import Program
from gradcli.session import Gradient, Options, Prepared, prepare

T = TypeVar("T")

PROGRAMS = 256
"""Programs, and plans of them, that are kept; those that were not asked for longest go first."""
TEXT = 2**15
"""The longest program that is kept, in characters."""
VARIANTS = 4
"""Ways through one program that are kept: it may branch on its inputs."""
NODES = 2**15
"""Nodes that all plans together may keep. A plan of more than a quarter of them is not kept."""
GUARD_BYTES = 2**14
"""Values that one plan's guards may keep."""


class Plans(Generic[T]):
    """A bounded cache of prepared programs, or rather of what `make` makes of each.

    `options` hold for all but what a request says.
    """

    def __init__(self, options: Options, make: Callable[[Prepared], T]) -> None:
        self._options = options
        self._make = make
        self._parse = lru_cache(PROGRAMS)(self._parse_anew)
        self._kept: OrderedDict[Any, list[_Variant[T]]] = OrderedDict()
        self._nodes = 0

    def get(
        self,
        text: str,
        inputs: Mapping[str, Array],
        gradients: Sequence[Gradient],
        outputs: tuple[str, ...],
        wrt: tuple[str, ...],
        seed: Callable[[], int],
    ) -> T:
        """The program made ready to run for these inputs and gradients.

        `seed` is asked for only where it may matter.

        Raises GradcliError with the place in the text.
        """
        key = (
            text,
            tuple(
                [(name, each.shape, each.dtype.char, type(each)) for name, each in inputs.items()]
            ),
            tuple([(each.output, each.value.shape) for each in gradients]),
            outputs,
            wrt,
        )
        variants = self._kept.get(key, [])
        for variant in variants:
            if variant.fits(inputs, seed):
                self._kept.move_to_end(key)
                return variant.made
        short = len(text) <= TEXT
        program = self._parse(text) if short else self._parse_anew(text)
        options = replace(self._options, outputs=outputs, wrt=wrt, seed=seed())
        prepared = prepare(program, inputs, gradients, options)
        made = self._make(prepared)
        if short and prepared.graph.count <= NODES // 4 and len(variants) < VARIANTS:
            guards = _guards(prepared)
            if sum(map(nbytes, guards)) <= GUARD_BYTES:
                self._keep(key, _Variant(made, prepared, guards, inputs, seed()))
        return made

    def _parse_anew(self, text: str) -> Program:
        return parse_program(Source("program", text), self._options.limits.parse)

    def _keep(self, key: Any, variant: _Variant[T]) -> None:
        self._kept.setdefault(key, []).append(variant)
        self._kept.move_to_end(key)
        self._nodes += variant.nodes
        while self._nodes > NODES or len(self._kept) > PROGRAMS:
            _, forgotten = self._kept.popitem(last=False)
            self._nodes -= sum(each.nodes for each in forgotten)


class _Variant(Generic[T]):
    """One way through a program, and the values for which it holds."""

    def __init__(
        self,
        made: T,
        prepared: Prepared,
        guards: list[Node],
        inputs: Mapping[str, Array],
        seed: int,
    ) -> None:
        self.made = made
        self.nodes = prepared.graph.count
        self._inputs = list(prepared.inputs.items())
        self._engine = Engine(Plan(guards)) if guards else None
        self._values = self._guarded(inputs)
        self._seed = seed if prepared.graph.draws else None

    def fits(self, inputs: Mapping[str, Array], seed: Callable[[], int]) -> bool:
        """Whether tracing the program for these inputs and this seed would go the same way."""
        if self._seed is not None and self._seed != seed():
            return False
        return self._engine is None or self._guarded(inputs) == self._values

    def _guarded(self, inputs: Mapping[str, Array]) -> list[bytes]:
        if self._engine is None:
            return []
        feeds = {node: inputs[name] for name, node in self._inputs}
        return [array.tobytes() for array in self._engine.run(feeds)]


def _guards(prepared: Prepared) -> list[Node]:
    """What the trace looked at and an input decides."""
    looked = list(dict.fromkeys(prepared.looked))
    if not looked:
        return []
    dependent: set[Node] = set()
    for node in ancestors(looked):
        if node.op is INPUT or not dependent.isdisjoint(node.inputs):
            dependent.add(node)
    return [node for node in looked if node in dependent]
