"""Programs that run again and again: parsed once, traced and planned once for inputs of a kind.

A plan is used again while everything that tracing looked at has the same values (its guards).
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

from gradcli.diagnostics import Source
from gradcli.engine.cpu import Engine
from gradcli.engine.plan import Plan, nbytes
from gradcli.graph import INPUT, Array, Node, ancestors
from gradcli.language.parser import parse_program
from gradcli.language.syntax import Program
from gradcli.session import Gradient, Options, Prepared, prepare

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


class Plans:
    """A bounded cache of prepared programs; `options` hold for all but what a request says."""

    def __init__(self, options: Options) -> None:
        self._options = options
        self._parse = lru_cache(PROGRAMS)(self._parse_anew)
        self._kept: OrderedDict[Any, list[_Variant]] = OrderedDict()
        self._nodes = 0

    def prepared(
        self,
        text: str,
        inputs: Mapping[str, Array],
        gradients: Sequence[Gradient],
        outputs: tuple[str, ...],
        wrt: tuple[str, ...],
        seed: int,
    ) -> Prepared:
        """The program ready to run for these inputs and gradients.

        Raises GradcliError with the place in the text.
        """
        key = (
            text,
            tuple([(name, array.shape, array.dtype.char) for name, array in inputs.items()]),
            tuple([(each.output, each.value.shape) for each in gradients]),
            outputs,
            wrt,
        )
        variants = self._kept.get(key, [])
        for variant in variants:
            if variant.fits(inputs, seed):
                self._kept.move_to_end(key)
                return variant.prepared
        short = len(text) <= TEXT
        program = self._parse(text) if short else self._parse_anew(text)
        options = replace(self._options, outputs=outputs, wrt=wrt, seed=seed)
        prepared = prepare(program, inputs, gradients, options)
        if short and prepared.graph.count <= NODES // 4:
            guards = _guards(prepared)
            if sum(map(nbytes, guards)) <= GUARD_BYTES and len(variants) < VARIANTS:
                self._keep(key, _Variant(prepared, guards, inputs, seed))
        return prepared

    def _parse_anew(self, text: str) -> Program:
        return parse_program(Source("program", text), self._options.limits.parse)

    def _keep(self, key: Any, variant: _Variant) -> None:
        self._kept.setdefault(key, []).append(variant)
        self._kept.move_to_end(key)
        self._nodes += variant.prepared.graph.count
        while self._nodes > NODES or len(self._kept) > PROGRAMS:
            _, forgotten = self._kept.popitem(last=False)
            self._nodes -= sum(each.prepared.graph.count for each in forgotten)


class _Variant:
    """One way through a program, and the values for which it holds."""

    def __init__(
        self, prepared: Prepared, guards: list[Node], inputs: Mapping[str, Array], seed: int
    ) -> None:
        self.prepared = prepared
        self._engine = Engine(Plan(guards)) if guards else None
        self._values = self._guarded(inputs)
        self._seed = seed if prepared.graph.draws else None

    def fits(self, inputs: Mapping[str, Array], seed: int) -> bool:
        """Whether tracing the program for these inputs and this seed would go the same way."""
        if self._seed is not None and self._seed != seed:
            return False
        return self._engine is None or self._guarded(inputs) == self._values

    def _guarded(self, inputs: Mapping[str, Array]) -> list[bytes]:
        if self._engine is None:
            return []
        feeds = {node: inputs[name] for name, node in self.prepared.inputs.items()}
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
