"""The tensors that a program may still use, where so much was computed that others are let go."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gradcli.graph import Node
from gradcli.trace.autograd import Autograd
from gradcli.trace.frames import Frame
from gradcli.trace.holding import all_in, held
from gradcli.trace.printing import Piece


def living(
    frames: Iterable[Frame], autograd: Autograd, printed: Iterable[Iterable[Piece]]
) -> Iterator[Node]:
    """What names in these frames, objects, grads and optimisers hold as it is now, and what the
    program has printed and looked at.
    """
    current = autograd.values.current
    for value in held(frames, all_in):
        if isinstance(value, Node):
            yield current(value)
    yield from autograd.grads.values()
    for optimiser in autograd.optimisers:
        for state in (*optimiser.states.values(), *optimiser.held.values()):
            yield from (each for each in state.values() if isinstance(each, Node))
    for line in printed:
        for piece in line:
            if not isinstance(piece, str):
                yield piece if isinstance(piece, Node) else piece.node
    yield from autograd.values.evaluator.looked
