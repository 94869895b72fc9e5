"""`copy.deepcopy`: values, and what they hold, as new ones."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from typing import Any

from gradcli.graph import Node
from gradcli.ops.control import bind, detach, leaf
from gradcli.trace.classes import Instance
from gradcli.trace.composite import Composite
from gradcli.trace.containers import ModuleList
from gradcli.trace.dictionaries import Dictionary
from gradcli.trace.items import Items
from gradcli.trace.layer import Layer
from gradcli.trace.values import Value, Values


class Copies:
    """New values for old ones; what is held twice is copied once."""

    def __init__(
        self, values: Values, special: Callable[[Node], Node | None] = lambda node: None
    ) -> None:
        """`special` gives the copies of tensors that are not copied as others are."""
        self.values = values
        self._special = special
        self._new: dict[int, Any] = {}
        self._tensors: dict[Node, Node] = {}

    def deep(self, value: Value) -> Value:
        """The value with all that it holds copied; of tuples in tuples the outer one alone."""
        waiting, found = [value], []
        while waiting:
            part = waiting.pop()
            if id(part) in self._new:
                continue
            if getattr(part, "is_unique", False):
                continue
            if isinstance(part, Items | Dictionary | Instance | Composite | Layer | ModuleList):
                self.values.graph.ledger.take(256, "a copy")
                self._new[id(part)] = copy(part)
                found.append(part)
            waiting += held(part)
        for part in found:
            self._fill(self._new[id(part)], part)
        return self._of(value)

    def _of(self, value: Value) -> Value:
        if isinstance(value, Node):
            return self._tensor(self.values.current(value))
        if isinstance(value, tuple):
            return tuple(each if isinstance(each, tuple) else self._of(each) for each in value)
        if self.values.of_complex is not None and id(value) not in self._new:
            from gradcli.trace.complex_tensors import ComplexTensor

            if isinstance(value, ComplexTensor):
                real, imaginary = map(self._tensor, value.pair)
                self._new[id(value)] = value.of_parts((real, imaginary))
        return self._new.get(id(value), value)

    def _tensor(self, node: Node) -> Node:
        if node.known is not None:
            return node
        if node not in self._tensors:
            parameters = self.values.parameters
            if (special := self._special(node)) is not None:
                made = special
            elif node.kind == "float" and not node.op.unique:
                made = bind(node)
                self.values.copies.add(made)
            else:
                marked = bool(node.attributes and node.attributes[0] is True)
                made = leaf(detach(node) if node.kind == "float" else node, marked=marked)
            if node in parameters:
                parameters.add(made)
            self._tensors[node] = made
        return self._tensors[node]

    def _fill(self, new: Any, old: Any) -> None:
        if isinstance(old, Items):
            new.become(list(map(self._of, old)))
        elif isinstance(old, Dictionary):
            new.become([(key, self._of(value)) for key, value in old.pairs()])
        elif isinstance(old, Layer):
            new.hold_copies(lambda node: self._tensor(self.values.current(node)))
        elif isinstance(old, ModuleList):
            new.items = self._new[id(old.items)]
        else:
            new.fields = {name: self._of(value) for name, value in old.fields.items()}


def shallow(value: Value) -> Value:
    """A list, dictionary or object as a new one that holds the same."""
    made: Any = value
    if isinstance(value, Items):
        made = Items(list(value))
    elif isinstance(value, Dictionary):
        made = copy(value)
        made.become(value.pairs())
    elif isinstance(value, Instance) and not value.is_unique:
        made = copy(value)
        made.fields = dict(value.fields)
    return made  # type: ignore[no-any-return]


def held(value: Value) -> list[Value]:
    """What a value holds, one level deep."""
    if isinstance(value, Items | tuple):
        return list(value)
    if isinstance(value, Dictionary):
        return value.held()
    if isinstance(value, ModuleList):
        return [value.items]
    return list(value.fields.values()) if isinstance(value, Instance | Composite) else []
