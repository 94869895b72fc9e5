"""What a program has printed before an error."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from gradcli.diagnostics import GradcliError
from gradcli.engine.evaluator import Evaluator
from gradcli.graph import Node
from gradcli.trace.printing import Piece, Printed, text


def printed_before_error(
    printed: Printed, refusing: Iterable[Node], evaluator: Evaluator
) -> list[str]:
    """The lines up to what fails first, within the limits of the run.

    What may refuse its operands is computed where it stands, whether or not a line needs it.
    """
    waiting = sorted(refusing, key=lambda node: node.index, reverse=True)
    told: list[str] = []
    begun = 0
    try:
        for count, lines, end in printed.moments:
            while waiting and waiting[-1].index < count:
                evaluator.computed(waiting.pop())
            goes_on = lines == len(told)
            part = _text(printed.lines[lines - 1][begun if goes_on else 0 : end], evaluator)
            told[lines - 1 :] = [told[-1] + part if goes_on else part]
            begun = end
    except GradcliError:
        pass
    return told


def _text(line: Sequence[Piece], evaluator: Evaluator) -> str:
    nodes = Printed([[*line]], [], []).nodes
    return text(line, {node: evaluator.computed(node) for node in nodes})
