"""The tensors that a program may still use, where so much was computed that others are let go."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from gradcli.graph import Node
from gradcli.trace.holding import all_in, held

if TYPE_CHECKING:
    from gradcli.trace.tracer import Tracer


def living(tracer: Tracer) -> Iterator[Node]:
    """What the program's names, objects, grads and optimisers hold as it is now, what it has
    printed and looked at, and what may still be an error.
    """
    current = tracer.values.current
    for value in held([tracer.frame, tracer.globals, *tracer.callers], all_in):
        if isinstance(value, Node):
            yield current(value)
    autograd = tracer.autograd
    yield from autograd.grads.values()
    for optimiser in autograd.optimisers:
        for state in (*optimiser.states.values(), *optimiser.held.values()):
            yield from (each for each in state.values() if isinstance(each, Node))
    for line in tracer.special.printed:
        for piece in line:
            if not isinstance(piece, str):
                yield piece if isinstance(piece, Node) else piece.node
    yield from tracer.values.evaluator.looked
