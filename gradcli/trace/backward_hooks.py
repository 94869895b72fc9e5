"""Functions of the program that are called while backward walks: of the gradients of tensors, of
nodes of the graph, and of leaves when their grads are there.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from gradcli.diagnostics import GradcliError, RefusedError
from gradcli.differentiate.reverse import contributions
from gradcli.graph import Node
from gradcli.ops.control import detach
from gradcli.ops.kinds import zeros_like
from gradcli.trace.items import Items
from gradcli.trace.objects import Object
from gradcli.trace.values import Value, Values
from gradcli.tuples import NamedTuple

if TYPE_CHECKING:
    from gradcli.trace.dtypes import Dtypes

DEEPEST = 20
"""How many functions of the program's may run inside each other's backward."""
OF_TWO = ("AddBackward0", "SubBackward0", "MulBackward0", "DivBackward0")
"""Nodes that have an edge for each operand, also where that is a number."""


class NodeHooks(NamedTuple):
    """The functions of one node of the graph: `y.grad_fn.register_hook(f)`."""

    before: list[Object]
    """Of the gradients of the node's results."""
    after: list[Object]
    """Of the gradients of its operands, and of its results."""
    beyond: Callable[[Node], tuple[Value, ...]] | None
    """Finds those of its operands where it is PyTorch's one node for several of the graph."""


class BackwardHooks:
    """Calls hooks; `Autograd` walks."""

    __slots__ = (
        "_depth", "_hook_results", "after", "creates_graph", "dtypes", "graph", "hooks",
        "looks_for_nan", "node_hooks", "node_name", "of_modules", "records", "run",
        "set_records", "together", "values",
    )  # fmt: skip
    """Beyond 30 attributes Python reads those of an object, and calls its methods, more slowly."""

    def __init__(self, values: Values) -> None:
        self.values = values
        self.graph = values.graph
        self.dtypes: Dtypes | None = None
        """What PyTorch's dtypes of tensors are, in a program that has imported it."""
        self.run: Callable[[Any], Any]
        """Runs a visitor to its end; the tracer sets it."""
        self.records: Callable[[], bool]
        """Whether gradients flow through what is computed now; the tracer sets it."""
        self.set_records: Callable[[bool], object]
        """Says whether they do from now on; the tracer sets it."""
        self.node_name: Callable[[Node], str] = lambda node: node.op.name
        """What PyTorch calls the node that made a tensor; the tracer sets it."""
        self.hooks: dict[Node, list[Object]] = {}
        """Functions of the gradients of tensors: `x.register_hook(f)`."""
        self.node_hooks: dict[Node, NodeHooks] = {}
        """Functions of what comes to nodes of the graph and leaves them, by what these made."""
        self.after: dict[Node, list[Object]] = {}
        """Functions of leaves, called when backward has added to their grads."""
        self.of_modules: dict[str, list[Object]] = {}
        """Functions of all modules, by the list of a module's own that they come before."""
        self.together: list[tuple[Sequence[Node], Object]] = []
        """Tensors, and functions of the gradients of all of them in a pass."""
        self._depth = 0
        """How many runs of the program's own functions are inside each other in backward."""
        self.looks_for_nan = False
        """Whether backward stops where a gradient is NaN."""
        self.creates_graph = True
        """Whether gradients can be differentiated: not those of a backward without `create_graph`,
        while it walks."""
        self._hook_results: dict[Node, Node] = {}
        """What hooks have made of gradients in this pass."""

    @contextmanager
    def _walk(self, create_graph: bool) -> Iterator[None]:
        """While the graph is walked back."""
        before, self.creates_graph = self.creates_graph, create_graph
        try:
            yield
        finally:
            self.creates_graph = before

    def _hooked(
        self, node: Node, change: Node, linked: Container[Node], selected: set[Node]
    ) -> Iterable[tuple[int, Node]]:
        """Contributions of a node whose gradient may pass hooks first."""
        if self.dtypes is not None:
            change = self.dtypes.gradient(node, change)
        change = self._through_hooks(node, change)
        own = self.node_hooks.get(node)
        if own is not None:
            return self._told(own, node, change, linked, selected)
        found = contributions(node, change, linked, selected)
        return self._without_nan(node, found) if self.looks_for_nan else found

    def _told(
        self,
        hooks: NodeHooks,
        node: Node,
        change: Node,
        linked: Container[Node],
        selected: set[Node],
    ) -> Iterator[tuple[int, Node]]:
        """The contributions of a node whose functions are called before and after them."""
        for hook in hooks.before:
            found = self._run_hook(hook, (self._whole(node, change),))
            if found is not None:
                change = self.values.tensors(found, "what a hook returns")[0]
        parts = dict(contributions(node, change, linked, selected))
        places = self._edges(node)
        inputs: Value = tuple(
            self._whole(node.inputs[place], parts[place]) if place in parts else None
            for place in places
        )
        if hooks.after and hooks.beyond is not None:
            found = hooks.beyond(self._whole(node, change))
            known = tuple(None if each is None else detach(each) for each in found)
            inputs = found if self.creates_graph else known
        for hook in hooks.after:
            found = self._run_hook(hook, inputs, (self._whole(node, change),))
            if found is not None and hooks.beyond is not None:
                raise GradcliError("value", "a hook of this node changes nothing here",
                                   hint="x.register_hook(f) may change a gradient")  # fmt: skip
            inputs = inputs if found is None else found
        if hooks.beyond is not None:
            yield from parts.items()
            return
        changed = inputs if isinstance(inputs, tuple) else (inputs,)
        yield from (
            (place, self.values.tensor(each, "what a hook returns"))
            for place, each in zip(places, changed, strict=False)
            if each is not None
        )

    def _edges(self, node: Node) -> list[int]:
        """The places of the operands that PyTorch's node has edges to: few have one to a number,
        which is the last then.
        """
        from gradcli.trace.printing import PrintedNumbers  # few programs ask nodes

        numbers = PrintedNumbers(self.values)
        places = [i for i, operand in enumerate(node.inputs) if operand.kind == "float"]
        others = [place for place in places if node.inputs[place] in numbers]
        tensors = [place for place in places if place not in others]
        return [*tensors, *others] if self.node_name(node) in OF_TWO else tensors

    def _whole(self, node: Node, grad: Node) -> Node:
        """A gradient in the shape of its tensor, as a tensor and not a number."""
        whole = grad if grad.shape == node.shape else grad + zeros_like(node)
        whole = self.in_dtype_of(node, whole)
        return detach(whole) if whole.known is not None or not self.creates_graph else whole

    def in_dtype_of(self, node: Node, grad: Node) -> Node:
        """A gradient in the dtype of its tensor, also where it is made of numbers alone."""
        if self.dtypes is None or grad.kind != node.kind:
            return grad
        return self.dtypes.as_dtype(grad, self.dtypes.of(node))

    def _without_nan(
        self, node: Node, found: Iterable[tuple[int, Node]]
    ) -> Iterator[tuple[int, Node]]:
        """The contributions of a node. Raises `value` where one has become NaN."""
        for place, change in found:
            value = self.values.evaluator.value(change)
            if bool((value != value).any()):
                raise GradcliError(
                    "value",
                    f"Function '{self.node_name(node)}' returned nan values in its "
                    f"{place}th output.",
                    hint="this function has no finite derivative there",
                )
            yield place, change

    def _through_hooks(self, node: Node, grad: Node) -> Node:
        if node in self._hook_results:
            return self._hook_results[node]
        for hook in self.hooks.get(node, ()):
            whole = self._whole(node, grad)
            found = self._run_hook(hook, whole)
            changed = self.values.current(whole)  # `grad *= 2` in a hook that returns nothing
            if found is not None:
                grad = self.values.tensor(found, "what a hook returns")
                if grad.shape != node.shape and self.values.is_pytorch:
                    raise changes_size(hook)
            elif changed is not whole:
                grad = changed
        self._hook_results[node] = grad
        return grad

    def _tell(self, leaves: Iterable[Node]) -> None:
        """Call the functions that wait for the grads of these leaves."""
        for node in leaves:
            for hook in self.after.get(self.values.current(node), ()):
                self._run_hook(hook, self.values.current(node))

    def _tell_together(self, tensors: Sequence[Node], hook: Object) -> None:
        """Call a function of the gradients of tensors, if this pass has come to any of them."""
        found = [self._hook_results.get(self.values.current(each)) for each in tensors]
        if any(each is not None for each in found):
            pairs = zip(tensors, found, strict=True)
            whole = [None if grad is None else self._whole(node, grad) for node, grad in pairs]
            self._run_hook(hook, Items(whole))

    def _run_hook(self, hook: Object, *given: Value) -> Value:
        """What a hook gives, whose computations are recorded where those of the pass are."""
        records = self.records()
        self.set_records(self.creates_graph)
        try:
            return self.run_inside(hook.call([*given], {}))
        finally:
            self.set_records(records)

    def run_inside(self, visit: Any) -> Value:
        """Run a function of the program while the graph is walked back. Each takes room on Python's
        own stack, as they may walk the graph back themselves: more than a few are refused.
        """
        if self._depth >= DEEPEST:
            raise GradcliError(
                "limit-depth",
                f"more than {DEEPEST} functions of the program's run inside each other's backward",
            )
        span, origin = self.graph.span, self.graph.origin
        self._depth += 1
        try:
            found: Value = self.run(visit)
        finally:
            self._depth -= 1
            self.graph.span, self.graph.origin = span, origin
        return found


def changes_size(hook: Object) -> RefusedError:
    """The error for a hook whose gradient does not fit its tensor."""
    name = getattr(hook, "name", hook.title)
    said = f"hook '{name}' has changed the size of value"
    return RefusedError(("RuntimeError", said), "gradient-shape", said,
                        hint="a hook returns a gradient of the same shape, or None")  # fmt: skip
