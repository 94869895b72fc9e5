"""A run as cells: every node forward and backward, so that a spreadsheet can compute it again."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from gradcli.analysis.explain import Explanation, name_nodes
from gradcli.differentiate import vjp
from gradcli.graph import CONSTANT, INPUT, LITERAL, OPERATORS, Array, Node
from gradcli.ops.control import LEAF
from gradcli.ops.kinds import CAST
from gradcli.session import Prepared
from gradcli.walks import ancestors, dependents


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """The elements of one node."""

    node: Node
    title: str
    value: Array
    given: bool
    """They are numbers that a user may change, or that nothing here computes."""
    backward: bool


@dataclass(frozen=True, slots=True, eq=False)
class CheckedGrad:
    """A grad that differences check: of the sum of the outputs, weighted by their gradients."""

    leaf: Node
    grad: Node
    terms: list[tuple[Node, Node]]
    """Outputs, and the nodes of their gradients."""


@dataclass(frozen=True, slots=True, eq=False)
class Worksheet:
    """All cells of a run, operands first, and the grads to check."""

    cells: list[Cells]
    forward: list[Node]
    """What the outputs are computed from: what differences compute again."""
    checked: list[CheckedGrad]
    fixed: dict[Node, Array]
    """Numbers that are written where they are used."""


def worksheet(told: Explanation) -> Worksheet:
    """The cells of an explained run."""
    run = told.run
    prepared, feeds = run.prepared, run.feeds
    checked: list[CheckedGrad] = []
    titles: dict[Node, str] = {}
    started = [each for call in prepared.calls for each in call.outputs]
    forward = ancestors([*prepared.outputs.values(), *started])
    names = name_nodes([each for each in forward if each.op not in (CONSTANT, LITERAL)], prepared)
    held: dict[Node, CheckedGrad] = {}
    """By leaf: its grad after the passes so far, where they add up."""
    for number, backward in enumerate(prepared.backwards, 1):
        ending = f" ({number})" if len(prepared.backwards) > 1 else ""
        cotangents: list[Node] = []
        for name, array in backward.gradient(feeds).items():
            v = prepared.graph.input(f"{name}.grad", array.shape, "float")
            feeds[v], titles[v] = np.asarray(array), f"v of {name}{ending}"
            cotangents.append(v)
        outputs = [*backward.outputs.values()]
        leaves = [*prepared.leaves.values()]
        linked = dependents(forward, leaves)
        wanted = [node for node in forward if node in linked and node.kind == "float"]
        for node, grad in zip(wanted, vjp(outputs, cotangents, wanted), strict=True):
            if grad is None:
                continue
            title = f"{names[node]}.grad{ending}"
            if node not in leaves:
                titles.setdefault(grad, title)
                continue
            found = CheckedGrad(node, grad, [*zip(outputs, cotangents, strict=True)])
            if node in held:
                titles.setdefault(grad, f"{title}: new")
                total = OPERATORS["add"](held[node].grad, grad)
                found = CheckedGrad(node, total, [*held[node].terms, *found.terms])
            titles.setdefault(found.grad, title)
            checked.append(found)
            if prepared.options.accumulate:
                held[node] = found
    for name, grad in prepared.grads.items():
        titles[grad] = f"{name}.grad"
        leaf = prepared.leaves.get(name)
        if leaf is not None:
            checked.append(CheckedGrad(leaf, grad, list(_terms(prepared, leaf, grad))))
    vs = [v for each in checked for _, v in each.terms]
    order = ancestors([*forward, *(each.grad for each in checked), *vs])
    fresh = (f"g{number}" for number in itertools.count(1))
    known = set(forward)
    fixed = _fixed(order)
    shown = _needed(order, fixed)
    cells = [
        Cells(
            node,
            titles.get(node) or names.get(node) or next(fresh),
            np.asarray(told.value(node)),
            _is_given(node),
            node not in known,
        )
        for node in shown
    ]
    again = known.intersection(shown)
    return Worksheet(
        cells,
        [node for node in forward if node in again],
        checked,
        {node: np.asarray(told.value(node)) for node in fixed},
    )


def _fixed(order: list[Node]) -> set[Node]:
    """The nodes that are written as numbers where they are used: single constants, and whole
    numbers and truth values, such as indices, that no float decides unless it is one of these.
    """
    users: dict[Node, list[Node]] = {}
    for node in order:
        for each in node.inputs:
            users.setdefault(each, []).append(node)
    constant: set[Node] = set()
    fixed: set[Node] = set()
    for node in order:
        counts = all(each.op is CAST and each.kind == "int" for each in users.get(node, ()))
        typed = node.op in (INPUT, LEAF) and node.kind == "float" and not counts
        if not typed and all(each in constant for each in node.inputs):
            constant.add(node)
            if node.kind != "float" or (node.size == 1 and not node.inputs):
                fixed.add(node)
    return fixed


def _needed(order: list[Node], fixed: set[Node]) -> list[Node]:
    """The nodes that have cells: without those that only a number depends on."""
    used: set[Node] = set()
    for node in order:
        if node not in fixed and not _is_given(node):
            used.update(node.inputs)
    return [node for node in order if node not in fixed and (node in used or node.inputs)]


def _is_given(node: Node) -> bool:
    """Whether its numbers are typed in: inputs, constants, drawn numbers, and leaves of these."""
    return not node.inputs or (node.op is LEAF and not node.inputs[0].inputs)


def _terms(prepared: Prepared, leaf: Node, grad: Node) -> Iterator[tuple[Node, Node]]:
    """The outputs whose backward calls, by the program itself, have added to a grad."""
    found: Node | None = grad
    for call in reversed(prepared.calls):
        grads: Mapping[Node, Node] = call.grads
        if found is not None and grads.get(leaf) is found:
            yield from zip(call.outputs, call.cotangents, strict=True)
            found = call.held.get(leaf)
