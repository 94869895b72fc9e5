"""`x.data = y`: a tensor is given the memory of another one, and from then on both have it."""

from __future__ import annotations

from collections.abc import Callable

from gradcli.graph import Node
from gradcli.ops.control import DETACH, detach, leaf
from gradcli.trace.autograd import Autograd
from gradcli.trace.values import Values


def has_own(autograd: Autograd, node: Node) -> bool:
    """Whether a tensor has memory that is its own, which no graph needs."""
    if node.known is not None or node.graph.shares or autograd.values.storage(node)[1]:
        return False
    return autograd.is_leaf(node) or not autograd.requires_grad(node)


def part(values: Values, node: Node) -> None:
    """Leave the views of a tensor with the memory that it has now."""
    first = values.first.get(node, node)
    values.parted.setdefault(first, []).append(leaf(detach(node), marked=False))
    together = values.together.pop(first, None)
    if together is not None:
        together.remove(first)


def share(autograd: Autograd, node: Node, given: Node) -> None:
    """Remember that a tensor has the memory of another one, or of that whose view this is."""
    values = autograd.values
    base, views = values.storage(given)
    is_intermediate = autograd.requires_grad(base) and not autograd.is_leaf(base)
    if base.known is not None or is_intermediate or any(view.op is not DETACH for view in views):
        return
    first, other = (values.first.get(each, each) for each in (node, base))
    together = values.together.setdefault(other, [other])
    together.append(first)
    values.together[first] = together


def part_detached(
    autograd: Autograd, base: Node, views: list[Node], put_in_place: Callable[[Node, Node], None]
) -> None:
    """Make the last of the views that is detached a tensor of its own, in the same memory: what is
    written into it gives it a graph, which what it was detached from does not get.
    """
    values = autograd.values
    end = max(place for place, view in enumerate(views) if view.op is DETACH) + 1
    held = views[end - 1]
    put_in_place(held, leaf(values.through(views[:end], values.current(base)), marked=False))
    if held.shape == base.shape:
        first, own = (values.first.get(each, each) for each in (base, held))
        together = values.together.setdefault(first, [first])
        together.append(own)
        values.together[own] = together


def partners(values: Values, node: Node) -> list[Node]:
    """The tensors, as they are now, that have the memory of one that has just changed."""
    first = values.first[node]
    others = [values.current(each) for each in values.together.get(first, ()) if each is not first]
    return [each for each in others if each.shape == node.shape]
