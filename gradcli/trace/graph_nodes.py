"""What `x.grad_fn` gives: nodes of the graph that PyTorch would have recorded."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from functools import partial
from typing import Any

from gradcli.diagnostics import GradcliError
from gradcli.differentiate import vjp
from gradcli.differentiate.reverse import contributions
from gradcli.graph import Node
from gradcli.ops import FUNCTIONS
from gradcli.ops.control import bind
from gradcli.ops.custom import Custom
from gradcli.ops.elementwise import Elementwise
from gradcli.ops.kinds import cast
from gradcli.ops.shaping import SLICE, reshape
from gradcli.trace.arguments import bind_names
from gradcli.trace.autograd import Autograd
from gradcli.trace.backward_hooks import OF_TWO, NodeHooks
from gradcli.trace.dictionaries import Dictionary
from gradcli.trace.items import Items
from gradcli.trace.objects import BuiltIn, ClassName, Given, HookHandle, Object
from gradcli.trace.printing import PrintedNumbers
from gradcli.trace.suffixes import node_name

_DIV = FUNCTIONS["div"].op
_OF_AUTOGRAD = ("AccumulateGrad", "CopySlices", "NotImplemented", "CopyBackwards")
"""Nodes that say where they are from."""
_SUMMED = ("Addmm", "Convolution", "Native")
"""Beginnings of the names of nodes that have the gradient of a bias in its own shape."""
_OF_BATCHES = ("input", "running_mean", "running_var", "weight", "bias")
"""What a normalisation over batches is given."""
_METADATA = "grad_fn.metadata"
"""Where what a program keeps with a node is, among what it keeps with tensors."""
_SAVED = "_saved_"
_SAVED_OPERANDS = ("self", "other", "mat2")
"""What PyTorch calls the operands that a node keeps: the first, and the second."""


class GraphNode(Object):
    """A node of the graph: its name, and the nodes that gradients flow on to."""

    what = "a node of the graph"
    family = "Node"

    def __init__(
        self,
        name: str,
        operands: Callable[[], Sequence[Any]],
        made: Node | None = None,
        is_freed: Callable[[], bool] = lambda: False,
        autograd: Autograd | None = None,
    ) -> None:
        """`operands` finds tensors, nodes, and None for what needs no gradient; `made` is the
        tensor that the node has made, or the leaf of an `AccumulateGrad`.
        """
        self.name = self.title = name
        self._operands = operands
        self._made = made
        self._is_freed = is_freed
        self._autograd = autograd
        """Where its functions are kept, where it may have some."""

    def is_same(self, other: Any) -> bool:
        return (
            isinstance(other, GraphNode) and self.name == other.name and self._made is other._made
        )

    def key(self) -> Any:
        return self if self._made is None else ("node", self.name, self._made)

    def call(self, arguments: list[Any], keywords: Given) -> Any:
        """The gradients of what its edges lead to, of the gradient of what it has made."""
        (given,) = bind_names(self.name, ("grad",), arguments, keywords).values()
        made, autograd = self._made, self._autograd
        if made is None or autograd is None:
            raise self._not_called()
        change = autograd.values.tensor(given, "a gradient")
        change = self._spread(change, made.shape)
        if self.name == "AccumulateGrad":
            return autograd.add_by_hand(made, change)
        if self._is_freed():
            raise GradcliError("graph-freed", "what this node has saved was freed by backward",
                               hint="backward(retain_graph=True) keeps it")  # fmt: skip
        operands = self._operands()
        ends = [None if each is None else each.made for each in operands]
        wanted = [each for each in ends if each is not None]
        grads = iter(self._local(made, change, wanted))
        found = [None if end is None else next(grads) for end in ends]
        whole = tuple(
            None
            if end is None or grad is None
            else each.told(grad if grad.size > end.size else autograd.whole(end, grad))
            for each, end, grad in zip(operands, ends, found, strict=True)
        )
        return whole[0] if len(whole) == 1 else whole

    def _spread(self, change: Node, shape: tuple[int, ...]) -> Node:
        """A gradient as one of what the node has made. Raises `gradient-shape`."""
        if change.kind != "float":
            change = cast(change, "float")
        if change.shape != shape and (change.size > 1 or shape != (1,) * len(shape)):
            raise GradcliError("gradient-shape", f"{self.name} is given a gradient in the shape of "
                               "its tensor")  # fmt: skip
        return change if change.shape == shape else reshape(change, shape)

    def _local(self, made: Node, change: Node, wanted: Sequence[Node]) -> Sequence[Node | None]:
        """The gradients of these operands, where none flows on through them."""
        places = [i for i, each in enumerate(made.inputs) if each in wanted]
        is_elementwise = isinstance(made.op, Elementwise) and not self.name.startswith(_SUMMED)
        is_spread = is_elementwise and any(each.shape != made.shape for each in wanted)
        if is_spread:  # PyTorch's node gives it in the whole shape, and its engine sums it later
            return self._spread_out(made, change, wanted)
        if [made.inputs[place] for place in places] == [*wanted]:
            parts = dict(contributions(made, change, set(wanted), set()))
            return [parts.get(place) for place in places]
        if made in wanted or len({*wanted}) < len(wanted):
            raise self._not_called()
        return vjp([made], [change], wanted, rules=partial(_until, {*wanted}))

    def _spread_out(
        self, made: Node, change: Node, wanted: Sequence[Node]
    ) -> Sequence[Node | None]:
        """The same of operands that are spread over the whole shape."""
        if not {*wanted} <= {*made.inputs}:
            raise self._not_called()
        whole = {each: FUNCTIONS["expand"].build(each, made.shape) for each in made.inputs}
        again = made.graph.apply(
            made.op, tuple(whole[each] for each in made.inputs), made.attributes
        )
        return self._local(again, change, [whole[each] for each in wanted])

    def told(self, grad: Node) -> Node:
        """The gradient of what it has made, as an edge to it has it."""
        return grad

    def _beyond(self, autograd: Autograd, made: Node) -> Callable[[Node], tuple[Any, ...]] | None:
        """What finds the gradients of its operands, where these are not the operands of `made`."""
        is_several = self.name == "MulBackward0" and made.op is _DIV  # of the reciprocal
        ends = [each for each in self._operands() if each is not None]
        if is_several or any(each.made is made or each.made is None for each in ends):
            raise GradcliError("value", f"{self.name} takes no hook here",
                               hint="x.register_hook(f) tells the gradient of x")  # fmt: skip
        floats = [each for each in made.inputs if autograd.requires_grad(each)]
        if floats == [each.made for each in ends]:
            return None
        return partial(self._told, made)

    def _told(self, made: Node, change: Node) -> tuple[Any, ...]:
        found = self.call([self._spread(change, made.shape)], {})
        return found if isinstance(found, tuple) else (found,)

    @property
    def made(self) -> Node | None:
        """What it has made."""
        return self._made

    def _not_called(self) -> GradcliError:
        return GradcliError("value", f"{self.name} is not called by itself here",
                            hint="torch.autograd.grad(y, x, v) gives the gradient")  # fmt: skip

    def _register(self, is_after: bool, arguments: list[Any], keywords: Given) -> HookHandle:
        """A function that is called before the gradient goes through the node, or after."""
        (hook,) = bind_names("register_hook", ("fn",), arguments, keywords).values()
        made, autograd = self._made, self._autograd
        if not isinstance(hook, Object) or made is None or autograd is None:
            raise GradcliError("type", "a hook is a function", hint="lambda grads_in, grads_out: …")
        if self.name == "AccumulateGrad":
            hooks = (autograd.after if is_after else autograd.hooks).setdefault(made, [])
            hook = BuiltIn("hook", partial(self._of_leaf, is_after, hook))
        else:
            known = self._known_hooks(autograd, made)
            hooks = known.after if is_after else known.before
        hooks.append(hook)
        return HookHandle(lambda: hooks.remove(hook) if hook in hooks else None)

    def _known_hooks(self, autograd: Autograd, made: Node) -> NodeHooks:
        known = autograd.node_hooks.get(made)
        if known is None:
            known = autograd.node_hooks[made] = NodeHooks([], [], self._beyond(autograd, made))
        return known

    def told_after(self, hook: Object) -> None:
        """Call a function of the gradients that have gone through the node."""
        if self._made is not None and self._autograd is not None:
            self._known_hooks(self._autograd, self._made).after.append(hook)

    def _of_leaf(
        self, is_after: bool, hook: Object, _: str, given: list[Any], keywords: Given
    ) -> Any:
        if not is_after:
            found = yield hook.call([(given[0],)], {})
            return found[0] if isinstance(found, tuple) else found
        assert self._autograd is not None
        yield hook.call([(), (self._autograd.grad_of(given[0]),)], {})

    def methods(self) -> dict[str, Callable[[list[Any], Given], Any]]:
        whole = f"torch::autograd::{self.name}" if self.name in _OF_AUTOGRAD else self.name
        return {
            "name": lambda *_: whole,
            "register_hook": partial(self._register, True),
            "register_prehook": partial(self._register, False),
        }

    def attribute(self, name: str) -> Any:
        if name == "next_functions":
            return tuple((each, self._first()) for each in self._operands())
        if name == "metadata" and self._made is not None and self._autograd is not None:
            values = self._autograd.values
            kept = values.attributes.setdefault(self._made, {})
            return kept.setdefault(_METADATA, Dictionary(values))
        if name == "__class__":
            return ClassName(self.name)
        if name == "variable" and self.name == "AccumulateGrad":
            return self._made
        if name.startswith(_SAVED) and self._is_freed():
            raise GradcliError(
                "graph-freed", "what this node has saved was freed by backward",
                hint="backward(retain_graph=True) keeps it",
            )  # fmt: skip
        if name == "_saved_result" and self._made is not None and self._autograd is not None:
            return self._autograd.values.rounded_of(self._made, bind(self._made))  # another one
        if name.startswith(_SAVED) and self._made is not None:
            return self._saved(name.removeprefix(_SAVED))
        return super().attribute(name)

    def _first(self) -> Node:
        """The number of the output that an edge leads to."""
        assert self._made is not None
        return self._made.graph.constant(0.0)

    def _saved(self, name: str) -> Any:
        assert self._made is not None
        operands = self._made.inputs
        if name in _SAVED_OPERANDS and len(operands) > (name != "self"):
            return operands[name != "self"]
        if name == "exponent" and len(operands) > 1:
            return operands[1]
        raise self.has_no("attribute", f"{_SAVED}{name}")

    def shown(self) -> str:
        is_own = self.name.endswith("Backward")  # PyTorch's own have a number behind it
        module = "torch.autograd.function." if is_own else ""
        return f"<{module}{self.name} object at 0x7f0000000000>"


class Transposed(GraphNode):
    """That of a linear layer's weight, which is transposed there."""

    def told(self, grad: Node) -> Node:
        turned: Node = FUNCTIONS["t"].build(grad)
        return turned


def _until(
    stops: Container[Node], node: Node, change: Node, linked: Container[Node], selected: set[Node]
) -> Iterable[tuple[int, Node]]:
    """The contributions of a node, unless the walk ends there."""
    return () if node in stops else contributions(node, change, linked, selected)


def graph_node(autograd: Autograd, node: Node) -> GraphNode | None:
    """The node that made a tensor; None where no gradient flows back from it."""
    if not autograd.requires_grad(node):
        return None
    node = autograd.values.rounded.get(node, node)
    if node in autograd.values.former:
        (node,) = node.inputs
    if autograd.is_leaf(node):
        return GraphNode("AccumulateGrad", lambda: (), node, autograd=autograd)
    name = node_name(autograd.values, node)
    edges = partial(_edges, autograd, name, node)
    return GraphNode(name, lambda: list(edges()), node, lambda: autograd.is_freed(node), autograd)


def _edges(autograd: Autograd, name: str, node: Node) -> Iterator[GraphNode | None]:
    """What the node's edges lead to, in PyTorch's order."""
    made = autograd.values.made_by.get(node)
    function = made[0].rpartition(".")[2] if made else ""
    own = node.inputs[1:] if isinstance(node.op, Custom) else node.inputs
    if not made and name == "SelectBackward0" and own[0].op is SLICE:
        own = own[0].inputs  # the part and its shape are one node
    operands = tensors_among([*made[1], *made[2].values()]) if made else [*own]
    if function == "linear" and name.startswith(("Addmm", "Mm")):
        yield from _linear(autograd, operands)
    elif function == "cross_entropy":
        inner = operands[0]
        yield GraphNode("LogSoftmaxBackward0", lambda: [graph_node(autograd, inner)], node)
    else:
        if made and name.startswith("NativeBatchNorm"):
            given = dict(zip(_OF_BATCHES, made[1], strict=False)) | dict(made[2])
            operands = tensors_among([given.get(each) for each in ("input", "weight", "bias")])
        numbers = PrintedNumbers(autograd.values)
        found = [
            graph_node(autograd, each)
            for each in operands
            if each.kind == "float" and (each.shape or each not in numbers)
        ]
        missing = 2 - len(found) if name in OF_TWO else 0
        if name.startswith(("Convolution", "NativeBatchNorm")):
            missing = 3 - len(found)
        yield from [*found, *[None] * missing]


def _linear(autograd: Autograd, operands: Sequence[Node]) -> Iterator[GraphNode | None]:
    """x @ w.T + b is one node: of b, x, and w, which another one transposes."""
    x, weight, *bias = operands
    for each in (*bias, x):
        yield graph_node(autograd, each)
    below = graph_node(autograd, weight)
    yield below and Transposed("TBackward0", lambda: [below], weight)


def tensors_among(values: Sequence[Any]) -> list[Node]:
    """The tensors among values, and in lists of them."""
    found: list[Node] = []
    for value in values:
        if isinstance(value, Node):
            found.append(value)
        elif isinstance(value, Items | tuple):
            found += [each for each in value if isinstance(each, Node)]
    return found
