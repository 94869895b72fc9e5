"""A program as a function of one number: its value and its derivative over a range.

Points are equally spaced, and more of them lie where the curve does something in between.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import NamedTuple

import numpy as np

from gradcli.analysis.breaks import Singularity, find_breaks
from gradcli.analysis.progress import Progress, share, silent, told
from gradcli.analysis.samples import FINER, Function, Sample, denser, kept, refined
from gradcli.diagnostics import GradcliError, Note
from gradcli.graph import INPUT, Array
from gradcli.language.syntax import Program
from gradcli.session import Gradient, Options, Prepared, prepare
from gradcli.walks import ancestors

WORK = "points"
"""What a curve takes time for."""


class Moving(NamedTuple):
    """The number that moves: an input, or one of its elements."""

    name: str
    element: tuple[int, ...] | None = None

    def __str__(self) -> str:
        inside = "" if self.element is None else f"[{', '.join(map(str, self.element))}]"
        return self.name + inside


@dataclass(frozen=True, slots=True)
class Curve:
    """`values` and `slopes` at `points`, which rise or fall; all of one length."""

    variable: str
    output: str
    points: Array
    values: Array
    slopes: Array
    notes: Sequence[Note]
    breaks: Sequence[Singularity] = field(default=())
    text: str = ""
    """The text of its program, where several are drawn."""


def curve(
    program: Program,
    inputs: Mapping[str, Array],
    moving: Moving,
    points: Array,
    gradients: Sequence[Gradient],
    options: Options,
    done: Progress = silent,
    *,
    more: bool,
) -> Curve:
    """Run the program at every point; it is traced once unless it looks at the values of inputs.
    Where `more` points are wanted, some are added between the given ones.

    An output of several elements needs a gradient: then the curve is the sum of the elements with
    these weights. Raises what `session.evaluate` raises, and `usage` for several outputs or passes.
    """
    along = Movable(program, inputs, [moving], gradients, options)
    is_bounded = bool(np.isfinite(points[-1] - points[0]))
    looks = more and is_bounded
    given, between = (1 / (1 + FINER), FINER / (1 + FINER)) if looks else (1, 1)
    samples = [along.at(each) for each in told(points.tolist(), WORK, share(done, 0, given))]
    breaks: list[Singularity] = []
    if is_bounded:
        second = share(done, given, between)
        dense = list(denser(along.at, samples, WORK, second)) if more else samples
        at = _telling(along.at, len(points), share(done, between, 1))
        breaks = list(find_breaks(at, dense))
        if more:
            fine = refined(at, dense, [each.place for each in breaks])
            samples = kept(samples, fine)
    places, values, slopes = (np.array(column) for column in zip(*samples, strict=True))
    return Curve(str(moving), along.output, places, values, slopes, along.notes, breaks)


def _telling(at: Function, expected: int, done: Progress) -> Function:
    """A function of which nobody knows how often it will be called: about so many times."""
    calls = count(1)

    def called(place: float) -> Sample:
        done(WORK, 1 - expected / (expected + next(calls)))
        return at(place)

    return called


class Movable:
    """A program as a function of a few numbers: its value, and its derivatives."""

    def __init__(
        self,
        program: Program,
        inputs: Mapping[str, Array],
        moving: Sequence[Moving],
        gradients: Sequence[Gradient],
        options: Options,
    ) -> None:
        if len(gradients) > 1 or len(options.outputs) > 1:
            raise GradcliError("usage", "one curve is drawn at a time", hint="choose one output")
        self._program, self._inputs, self._moving = program, inputs, moving
        self._gradients = gradients
        names = tuple(dict.fromkeys(each.name for each in moving))
        self._options = options._replace(wrt=names, values="outputs")
        self._prepared: Prepared | None = None
        self.output = ""
        self.notes: Sequence[Note] = ()

    def run(self, *places: float) -> tuple[float, list[float]]:
        """The value there, and the derivative by each number."""
        bound = self._bound(places)
        if self._prepared is None or _depends_on_inputs(self._prepared):
            self._prepared = prepare(self._program, bound, self._gradients, self._options)
            if len(self._prepared.backwards) != 1:
                raise GradcliError(
                    "usage",
                    "the program has several outputs, or calls backward itself",
                    hint="choose one output with --output",
                )
        result = self._prepared.run(bound, self._gradients)
        ((self.output, value),) = result.values.items()
        self.notes = result.notes
        with np.errstate(all="ignore"):
            found = float(np.sum(value * result.passes[0].gradient[self.output]))
        return found, [float(result.grads[each.name][each.element or ()]) for each in self._moving]

    def at(self, place: float) -> Sample:
        """The value and the slope of a function of one number."""
        value, (slope,) = self.run(place)
        return Sample(place, value, slope)

    def _bound(self, places: Sequence[float]) -> dict[str, Array]:
        bound = dict(self._inputs)
        for moving, place in zip(self._moving, places, strict=True):
            if moving.element is None:
                bound[moving.name] = np.asarray(place)
            else:
                bound[moving.name] = np.array(bound[moving.name], float)
                bound[moving.name][moving.element] = place
        return bound


def _depends_on_inputs(prepared: Prepared) -> bool:
    """Whether the graph may be another for other inputs: tracing looked at their values."""
    return any(node.op is INPUT for node in ancestors(prepared.looked))
