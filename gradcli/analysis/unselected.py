"""Where a branch that was not selected would have made a gradient nan in PyTorch."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence

import numpy as np

from gradcli.analysis.edges import SMALL
from gradcli.diagnostics import GradcliError, Note
from gradcli.differentiate import vjp
from gradcli.differentiate.reverse import contributions
from gradcli.engine.evaluator import Evaluator
from gradcli.graph import Array, Node
from gradcli.ops.loops import Loop
from gradcli.session import Prepared
from gradcli.walks import ancestors

STEPS = 300
"""Unasked, only passes of so few nodes are looked at: they are differentiated again."""
PASSES = 3
"""So many backward passes are looked at; another one of a loop says nothing new."""


def unselected_notes(prepared: Prepared, feeds: Mapping[Node, Array]) -> list[Note]:
    """A note on the first grad that is a number here, and nan where a gradient of 0 goes on into
    the branch of `where` that was not selected, and meets an infinite derivative there.
    """
    value = Evaluator(feeds, prepared.graph.ledger).computed
    try:
        for outputs, cotangents, leaves in _passes(prepared):
            if not _is_searched(ancestors(outputs)):
                continue
            ours = vjp(outputs, cotangents, leaves)
            theirs = vjp(outputs, cotangents, leaves, rules=_into_all_branches)
            for leaf, one, other in zip(leaves, ours, theirs, strict=True):
                if one is not None and other is not None:
                    places = np.argwhere(np.isnan(value(other)) & np.isfinite(value(one)))
                    if len(places):
                        return [_note(prepared, leaf, places[0])]
    except GradcliError as error:  # a limit: of memory it says nothing here, of time it ends all
        if error.diagnostic.code == "limit-time":
            raise
    return []


def _is_searched(order: Sequence[Node]) -> bool:
    """Whether a pass has branches, is small, has no loops, and no op whose derivative PyTorch finds
    otherwise.
    """
    ops = {node.op for node in order}
    if not any(op.branches for op in ops):
        return False
    is_other = any(op.beyond_domain or isinstance(op, Loop) for op in ops)
    is_small = len(order) <= STEPS and sum(node.size for node in order) <= SMALL
    return is_small and not is_other


def _passes(prepared: Prepared) -> Iterator[tuple[list[Node], list[Node], list[Node]]]:
    """The outputs of backward passes, their gradients, and what they are differentiated by."""
    for call in prepared.calls[:PASSES]:
        yield [*call.outputs], [*call.cotangents], [*call.grads]
    for each in prepared.backwards[:PASSES]:
        leaves = [*prepared.leaves.values()]
        yield [*each.outputs.values()], [*each.cotangents.values()], leaves
    yield from prepared.grad_calls


def _into_all_branches(
    node: Node, change: Node, linked: Container[Node], selected: set[Node]
) -> list[tuple[int, Node]]:
    """PyTorch's rules: a branch of `where` that was not selected gets a gradient of 0."""
    return contributions(node, change, linked, set() if node.op.branches else selected)


def _note(prepared: Prepared, leaf: Node, place: Sequence[int]) -> Note:
    """`the grad of x at [0]: …`."""
    names = {node: name for name, node in (prepared.names | prepared.leaves).items()}
    of = f" of {names[leaf]}" if leaf in names else ""
    at = f" at [{', '.join(map(str, place))}]" if len(place) else ""
    return Note(
        "unselected",
        f"the grad{of}{at} is nan in PyTorch, where 0 goes on into the branch of where that was "
        "not selected, and 0 * inf is nan; here that branch gets no gradient",
    )
