"""Tensors that change in place: what they have become, and in whose memory their views lie."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Callable, Container, Sequence

from gradcli.engine.evaluator import Evaluator
from gradcli.graph import INPUT, Array, Graph, Node
from gradcli.ops.control import BIND, DETACH, LEAF, bind
from gradcli.ops.shaping import RESHAPE
from gradcli.trace.items import Items

IN_ORDER = (RESHAPE, BIND, DETACH)
"""Views that leave elements where they are."""


class Changes:
    """Knows of each tensor what it is now; `Values` adds conversions."""

    __slots__ = (
        "_reshaped", "arrays", "boxed", "changes", "copies", "data", "evaluator", "first",
        "former", "graph", "kept_order", "latest", "listed", "overwritten", "parted", "rounded",
        "together", "turned", "unnoticed",
    )  # fmt: skip
    """Beyond 30 attributes Python reads those of an object, and calls its methods, more slowly."""

    def __init__(self, graph: Graph, evaluator: Evaluator) -> None:
        self.graph = graph
        self.evaluator = evaluator
        self.latest: dict[Node, Node] = {}
        """What tensors that were changed in place have become."""
        self.first: dict[Node, Node] = {}
        """What these were when they were made."""
        self.parted: dict[Node, list[Node]] = {}
        """The memory that tensors had before they were given another one, by what they were first:
        older views of them lie in it."""
        self.together: dict[Node, list[Node]] = {}
        """The tensors that have the same memory by `x.data = y`, by each of them."""
        self.rounded: dict[Node, Node] = {}
        """What tensors of few digits were before they were rounded."""
        self.former: set[Node] = set()
        """Copies of tensors as they were before a change in place, which backward may need."""
        self.copies: set[Node] = set()
        """Nodes that look like views of their operands, and are tensors of their own in PyTorch."""
        self.kept_order: set[Node] = set()
        """Copies whose elements lie in the order of what they are copies of: `x.clone()`."""
        self.turned: dict[Node, tuple[Node, list[Node]]] = {}
        """Tensors whose axes were changed in place: in whose memory their elements lie as before,
        and the views that lead to it."""
        self._reshaped: dict[Node, bool] = {}
        """Which reshapes of views are copies, as far as that was looked at."""
        self.data: set[Node] = set()
        """What `x.data` has given: tensors whose changes do not count."""
        self.changes: dict[Node, int] = {}
        """How often tensors were changed in place to become these: PyTorch's `_version`."""
        self.overwritten: set[Node] = set()
        """Tensors that were changed in place in a way that backward must not meet."""
        self.unnoticed: set[Node] = set()
        """Those among them that were changed through `x.data`: PyTorch goes on with what they have
        become."""
        self.arrays: set[Node] = set()
        """What print shows as NumPy's arrays."""
        self.boxed: set[Node] = set()
        """Those without axes that are arrays all the same, and not NumPy's numbers."""
        self.listed: dict[Node, Items] = {}
        """The elements of tensors that stand for lists."""

    def stay_array(self, node: Node, other: Node) -> None:
        """A node is an array of NumPy's, or an array without axes, if another one is."""
        for alike in (self.arrays, self.boxed):
            if other in alike:
                alike.add(node)

    def current(self, node: Node) -> Node:
        """The tensor as it is now, if it was changed in place."""
        latest = self.latest
        if node in latest:
            found = latest[node]
            while found in latest:
                found = latest[found]
            found = latest[node] = self._seen_again(found) if found.op.view else found
            self.stay_array(found, node)
            return found
        if node.op.view:
            return self._seen_again(node)
        items = self.listed.get(node)
        if items is not None:
            now = [self.current(each) if isinstance(each, Node) else each for each in items]
            if any(new is not old for new, old in zip(now, items, strict=True)):
                return self.as_list(Items(now))
        return node

    def as_list(self, items: Items) -> Node:
        """A list as a tensor; its elements are still those of the list."""
        raise NotImplementedError

    def storage(self, node: Node) -> tuple[Node, list[Node]]:
        """The tensor in whose memory another one lies, and the views that lead from it to that."""
        return self._own(*self._path(node, self.latest))

    def _path(self, node: Node, ends: Container[Node]) -> tuple[Node, list[Node]]:
        """The views that lead to a tensor, from one of `ends` or what is no view."""
        views: list[Node] = []
        while node.op.view and node not in self.copies and node.op not in (LEAF, INPUT):
            if node in ends:
                break
            views.append(node)
            node = node.inputs[0]
        return node, views[::-1]

    def lie(self, node: Node) -> tuple[Node, list[Node]]:
        """The same of how the elements lie: other axes in place leave them where they were."""
        base, views = self.storage(node)
        before, turned = self.turned.get(base, (base, []))
        return before, [*turned, *views]

    def rounded_of(self, node: Node, rounded: Node) -> Node:
        """The second, which is the first with fewer digits: to PyTorch they are one."""
        self.rounded[rounded] = node
        self.stay_array(rounded, node)
        return rounded

    def _own(self, base: Node, views: list[Node]) -> tuple[Node, list[Node]]:
        """The same behind the last of the views that is a copy, if one is."""
        start = 0
        for place, view in enumerate(views):
            if view.op is RESHAPE and self._is_copied(base, views[start:place], view):
                base, start = view, place + 1
        return base, views[start:]

    def _is_copied(self, base: Node, views: Sequence[Node], reshaped: Node) -> bool:
        """Whether a reshape of the last of these views has memory of its own: PyTorch copies what
        no strides can show in the other shape.
        """
        if reshaped not in self._reshaped:
            if base in self.latest and base.op.view:  # a view, too, of what was changed since
                base, before = self._own(*self._path(base, ()))
                views = [*before, *views]
            if all(view.op in IN_ORDER for view in views):
                return False
            from gradcli.trace.strides import can_view, has_other_axes, layout

            shape, wanted = views[-1].shape, reshaped.shape
            self._reshaped[reshaped] = has_other_axes(shape, wanted) and not can_view(
                shape, layout(self.places(base, views))[1], wanted
            )
        return self._reshaped[reshaped]

    def places(self, base: Node, views: Sequence[Node]) -> Array:
        """Where in the memory of a tensor the elements of its view lie."""
        from gradcli.ops.writing import numbered  # most programs start faster without

        self.graph.ledger.require(
            8 * (base.size + 3 * views[-1].size), "where a view lies in memory"
        )
        return self.evaluator.value(self.through(views, numbered(base)))

    def through(self, views: Sequence[Node], node: Node) -> Node:
        """What views of one tensor are of another one."""
        for view in views:
            if view.op in (BIND, DETACH) and node.kind != view.kind:
                continue
            node = self.graph.apply(view.op, (node, *view.inputs[1:]), view.attributes)
        return node

    def _seen_again(self, view: Node) -> Node:
        """A view of a tensor that was changed in place."""
        base, views = self.storage(view)
        if base not in self.latest:
            return view
        now = self.through(views, self.current(self._memory(base, view)))
        self.latest[view] = now
        self.first[now] = self.first.get(view, view)
        self.stay_array(now, view)
        return now

    def _memory(self, base: Node, view: Node) -> Node:
        """What a view of a tensor lies in: what that was given later is not the view's."""
        own = self.parted.get(self.first.get(base, base)) if self.parted else None
        place = bisect(own, view.index, key=lambda each: each.index) if own else 0
        return own[place] if own and place < len(own) else base

    def as_it_was(self, node: Node) -> Node:
        """A copy of a tensor that changes in place, for what is computed of it: PyTorch keeps one,
        too, where backward needs it.
        """
        copied = bind(node)
        self.copies.add(copied)
        self.former.add(copied)
        return copied


class Grads(dict[Node, Node]):
    """The `.grad` of each tensor that has one; what was changed in place is what it has become."""

    def __init__(self, current: Callable[[Node], Node]) -> None:
        super().__init__()
        self._current = current
        self.replace: Callable[[Node, Node], None] | None = None
        """Puts a tensor in the place of an old one, for all who hold that; None where the program
        holds no grads."""

    def __getitem__(self, node: Node) -> Node:
        return self._current(super().__getitem__(node))

    def get(self, node: Node, default: Node | None = None) -> Node | None:  # type: ignore[override]
        return self._current(super().__getitem__(node)) if node in self else default

    def change(self, node: Node, grad: Node, *, apart: bool = False) -> None:
        """Have another grad in the memory of the one before, if there is one; `apart` from it where
        PyTorch adds with a graph, and the old one keeps its own.
        """
        old = None if apart else self.get(node)
        if old is not None and self.replace is not None and old is not grad:
            self.replace(old, grad)
            grad = self._current(old)
        self[node] = grad

    def is_as_written(self, node: Node) -> bool:
        """Whether a grad was not changed in place since it was written."""
        written = super().get(node)
        return written is None or self._current(written) is written
