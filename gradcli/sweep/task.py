"""What a client and its workers agree on: a program, and of what shapes its inputs are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np

from gradcli.data.parts import Far, Target
from gradcli.diagnostics import Diagnostic, GradcliError, Source
from gradcli.engine.blocks import Place
from gradcli.engine.cluster.machines import Facts
from gradcli.engine.cpu import NumpyEngine
from gradcli.engine.region import Parts
from gradcli.graph import Array, Node
from gradcli.language.parser import parse_program
from gradcli.options import Options
from gradcli.passes import Gradient
from gradcli.planned import Planned
from gradcli.session import Prepared, prepare
from gradcli.sweep.question import Given, Gradients, SweepQuestion


class Task(NamedTuple):
    """A program and its inputs: all that a machine needs to make the same plan."""

    key: str
    """Of this run: a plan is kept for it."""
    source: Source
    inputs: Mapping[str, Given]
    gradients: tuple[tuple[Given, str | None], ...]
    options: Options
    question: SweepQuestion = Gradients()

    def posed(self) -> Posed:
        """The program, traced and planned for the shapes."""
        program = parse_program(self.source, self.options.limits.parse)
        inputs = {name: _near(value) for name, value in self.inputs.items()}
        gradients = [Gradient(_near(value), name) for value, name in self.gradients]
        prepared = prepare(program, inputs, gradients, self.options)
        asked = self.question.ask(prepared)
        given = {prepared.inputs[name]: value for name, value in self.inputs.items()}
        given |= asked.more
        for backward in prepared.backwards:
            given |= {node: self.gradients[number][0] for node, number in backward.given.items()}
        feeds = prepared.feeds(inputs, gradients)
        feeds |= {node: np.asarray(_near(value)) for node, value in asked.more.items()}
        far = {node: value for node, value in given.items() if isinstance(value, Far)}
        return Posed(prepared, asked.planned, asked.wanted, feeds, far)


class Posed(NamedTuple):
    """A task as one machine has planned it."""

    prepared: Prepared
    planned: Planned
    wanted: Sequence[Node]
    feeds: dict[Node, Array]
    """What inputs are given, with stand-ins for what lies in stores."""
    far: dict[Node, Far]
    """What lies in stores."""

    @property
    def engine(self) -> NumpyEngine:
        """Raises `usage` where it is none of processors."""
        engine = self.planned.engine
        if not isinstance(engine, NumpyEngine):
            raise GradcliError("usage", "--cluster is for processors, not for GPUs")
        return engine

    def computed(self, node: Node) -> Node:
        """The node of the plan for another one."""
        return self.planned.computed([node])[0]

    def read(self) -> dict[Node, Far]:
        """What lies in stores, by node of the plan."""
        return {self.computed(node): value for node, value in self.far.items()}


class PlacedPart(NamedTuple):
    """A part of a value that a client holds."""

    place: Place | None
    """None: it is all of it."""
    values: Array
    """In a shape that is broadcast to that of the part."""


class PartOrder(NamedTuple):
    """Some rows of one unit of the plan, for a worker."""

    task: Task
    unit: int
    """Its number in the plan."""
    rows: range
    """The numbers of the region's rows, or of the strips' shares."""
    given: Mapping[int, PlacedPart]
    """Operands that the client holds, by their number among the unit's operands."""
    targets: Mapping[int, tuple[Target, ...]]
    """Where results are written, by their number; others are returned."""


Sums: TypeAlias = "list[list[Parts]] | list[list[Array]]"
"""What the rows of a region, or the shares of strips, leave."""


class PartDone(NamedTuple):
    """What a worker returns."""

    facts: Facts
    sums: Sums
    results: Mapping[int, list[PlacedPart]]
    """Those that have no target, by their number."""


class PartFailed(NamedTuple):
    """What it returns where the program is wrong for these numbers."""

    diagnostic: Diagnostic


def least(array: Array) -> Array:
    """The array without what broadcasting repeats."""
    return array[tuple(slice(0, 1) if step == 0 else slice(None) for step in array.strides)]


def _near(value: Given) -> Array:
    return value.stand_in() if isinstance(value, Far) else value
