"""Backward inside a program: `backward`, `.grad` and `grad(…)`, what they free and accumulate.

All of these extend the graph: a `.grad` is a node like any other, and its value is computed when
the program is run.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from gradcli.diagnostics import Advice, GradcliError, Note, RefusedError, Source, input_of
from gradcli.differentiate import (
    Between,
    fitted_shape,
    gradient_required,
    ones_text,
    unfit,
    vjp,
)
from gradcli.graph import INPUT, OPERATORS, Node
from gradcli.ops.control import LEAF, bind, detach, leaf
from gradcli.ops.kinds import cast, needs_values, zeros_like
from gradcli.ops.loops import CARRIED, Unlike, behind
from gradcli.ops.shapes import show
from gradcli.ops.shaping import SLICE
from gradcli.trace.backward_hooks import BackwardHooks
from gradcli.trace.changes import Grads
from gradcli.trace.names import Mentions
from gradcli.trace.objects import Object
from gradcli.trace.values import Value, Values, describe
from gradcli.tuples import NamedTuple
from gradcli.walks import dependents, receivers, sources, upstream

if TYPE_CHECKING:
    from gradcli.trace.inference import InferredTensors

OVERWRITTEN = (
    "one of the variables needed for gradient computation has been modified by an inplace operation"
)

NOT_RETAINED = "retain_grad is for what requires grad"


class BackwardCall(NamedTuple):
    """A backward pass that the program has made."""

    line: int
    outputs: list[Node]
    cotangents: list[Node]
    given: list[bool]
    """For each output, whether the program gives its gradient."""
    grads: dict[Node, Node]
    """What it left in the `.grad` of each leaf and retained intermediate, sums included."""
    held: dict[Node, Node]
    """What these held before it, where it added to that."""


class GradCall(NamedTuple):
    """A call of `grad`."""

    outputs: list[Node]
    cotangents: list[Node]
    inputs: list[Node]


TOLD = 3
"""So many calls of `grad` are remembered, of which a note may tell: a loop's say nothing new."""

NOT_A_LEAF = (
    "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. Its .grad "
    "attribute won't be populated during autograd.backward(). If you indeed want the .grad field "
    "to be populated for a non-leaf Tensor, use .retain_grad() on the non-leaf Tensor. If you "
    "access the non-leaf Tensor by mistake, make sure you access the leaf Tensor instead. See "
    "github.com/pytorch/pytorch/pull/30531 for more informations."
)
"""What PyTorch warns of where such a grad is read."""


class Autograd(BackwardHooks):
    """The `.grad`s of a program, and the parts of its graph that are freed."""

    def __init__(self, values: Values, source: Source, strict: bool, has_inputs: bool) -> None:
        """Literals are leaves only without `has_inputs` and without marked leaves."""
        super().__init__(values)
        self.source = source
        self.mentions = Mentions(source.text)
        self.strict = strict
        self.notes: list[Note] = []
        self.names: dict[Node, str] = {}
        """The names of leaves and other top-level values."""
        self.grads = Grads(values.current)
        self.calls: list[BackwardCall] = []
        self.grad_calls: list[GradCall] = []
        """The first ones, not those of a pass that stands for others."""
        self.retained: set[Node] = set()
        self._frozen: set[Node] = set()
        """Leaves that are marked no more, though what was computed from them remembers them."""
        self.optimisers: list[Any] = []
        """Those that the program has made, which remember tensors: `Optimiser`."""
        self.unrecorded_views: set[Node] = set()
        """Views of what requires grad, made where nothing is recorded: they say so, too."""
        self.kept_graphs: set[Node] = set()
        """What functions have given that record inside of what does not."""
        self.tangents: dict[Node, Node] = {}
        """Of the tensors that are dual numbers."""
        self.inferred: InferredTensors | None = None
        """The tensors that were made in inference mode, in a program that has it."""
        self.values.explicit = has_inputs
        self.check_versions: Callable[[Iterable[Node | None], int, Collection[Node]], None]
        """Finds what was changed in place though backward needs it; the tracer sets it."""
        self.warn: Callable[[str, str], None] | None = None
        """Told the class and the message of what PyTorch warns of, where a program asks for it."""
        self.followed = 0
        """How many functions are being called whose derivatives are asked for, one in another."""
        self.written: dict[Node, int] = {}
        """Leaves whose grads are not zeroed, and the line that wrote these first."""
        self.freed: dict[Node, int] = {}
        """Intermediates that are freed, and the line of the backward that freed them."""
        self._cut: dict[Node, int] = {}
        """Grads made without `create_graph`, and their lines."""
        self._free: set[Node] = set()
        """Nodes that no leaf is behind, as far as that was asked."""
        self._free_if_explicit = False
        """Whether only marked leaves counted then."""
        self._flat: dict[Node, list[Node]] = {}
        """Derivatives that depend on nothing, and the leaves that they were derived from."""
        self._with_graph: set[Node] = set()
        """Derivatives that can be derived again."""

    def state(self) -> tuple[int, ...]:
        """What grows when a program differentiates or makes leaves."""
        kept = (self.roots, self.retained, self.freed, self._cut, self._flat, self.written)
        return (*self.lasting_state(), *map(len, kept), *map(id, self.grads.values()))

    def lasting_state(self) -> tuple[int, ...]:
        """The same without what only the tensors of a pass have."""
        return (self.values.explicit, len(self.retained), len(self.hooks), len(self._frozen))

    def dtype_of(self, node: Node) -> str:
        """What `x.dtype` prints; a note says where a run computes floats in another one."""
        precision = self.graph.precision
        if self.dtypes is None:
            return {"int": "int64", "bool": "bool"}.get(node.kind, precision)
        dtype = self.dtypes.of(node)
        if dtype == self.dtypes.default and node.kind == "float" and dtype != precision:
            note = Note(
                "dtype", f"x.dtype is PyTorch's default here; the run computes in {precision}"
            )
            if note not in self.notes:
                self.notes.append(note)
        return dtype

    # --- leaves ---

    def mark(self, value: Node) -> Node:
        """A leaf with this value, as `requires_grad=True` makes one."""
        if value.kind != "float":
            raise GradcliError(
                "no-grad",
                f"only floats can require grad; this holds {value.kind}",
                hint="float(x) makes floats of it",
            )
        self.values.explicit = True
        marked = leaf(value, marked=True)
        if value.op.view:  # whose elements stay where they lie
            self.values.turned[marked] = self.values.lie(value)
        return marked

    def is_leaf(self, node: Node) -> bool:
        """Whether backward stores a grad for this node."""
        if node.op is LEAF:
            return bool(node.attributes[0]) or not self.values.explicit
        return node.op is INPUT and node.kind == "float"

    def requires_grad(self, node: Node) -> bool:
        """Whether a gradient can flow from the node to a leaf.

        Nodes that were asked for and have none are remembered: loops ask for the same arrays again,
        each time computed from the last ones.
        """
        if node.kind != "float":
            return False
        if self._free_if_explicit is not self.values.explicit:
            self._free_if_explicit = self.values.explicit
            self._free.clear()
        waiting, seen = [node], {node}
        for each in waiting:  # which grows by their sources
            if self.is_leaf(each):
                return True
            for operand in sources(each):
                if operand not in seen and operand not in self._free:
                    seen.add(operand)
                    waiting.append(operand)
        self._free.add(node)
        return False

    def kept(self, node: Node, others: Iterable[Value]) -> Node:
        """A tensor that changes in place, as what is computed of it and `others` needs it."""
        given = [node, *(each for each in others if isinstance(each, Node))]
        flows = self.records() and any(map(self.requires_grad, given))
        return self.values.as_it_was(node) if flows else node

    def is_followed(self, node: Node) -> bool:
        """Whether it requires grad in PyTorch: derivatives of linear functions do, too."""
        return self.requires_grad(node) or (
            bool(self._flat) and not self._flat.keys().isdisjoint(upstream([node]))
        )

    def is_cut(self, nodes: Iterable[Node]) -> bool:
        """Whether the values come from `grad` without `create_graph`, so no gradient flows on."""
        found = list(nodes)
        return bool(self._cut_line(found)) and not any(map(self.requires_grad, found))

    def another(
        self, node: Node, function: str, arguments: Sequence[Value], keywords: Mapping[str, Value]
    ) -> Node:
        """A view of a tensor in the shape that it has, made by the call of a function: another
        tensor for backward.
        """
        if not self.requires_grad(node):
            return node
        view = bind(node)
        self.values.made_by[view] = function, arguments, keywords
        return view

    def set_requires_grad(self, node: Node, wanted: bool) -> Node:
        """What `x.requires_grad = …` binds to x."""
        if wanted and self.inferred is not None:
            self.inferred.check_marked(node)
        if wanted and node.kind != "float":
            raise GradcliError(
                "no-grad",
                f"requires_grad is for floats; this holds {node.kind}",
                hint="x.float() makes floats of it",
            )
        if wanted:
            self._frozen.difference_update(node.inputs)
            return node if self.requires_grad(node) and self.values.explicit else self.mark(node)
        if not self.is_leaf(node) and self.requires_grad(node):
            raise GradcliError(
                "no-grad",
                "requires_grad can be set to False for leaves only; this was computed from leaves",
                hint="detach() makes a constant of it",
            )
        self._frozen.add(node)
        return detach(node)

    def is_freed(self, node: Node) -> bool:
        """Whether a backward has freed what led to a node."""
        return node in self.freed

    def retain_grad(self, node: Node) -> None:
        """Make backward store a grad for an intermediate, too."""
        if not self.is_followed(node):
            error = self._no_leaf([node])
            raise GradcliError("no-grad", f"{NOT_RETAINED}: {error.diagnostic.message}",
                               hint=error.diagnostic.hint)  # fmt: skip
        if not self.is_leaf(node):
            self.retained.add(node)

    # --- grads ---

    def grad_of(self, node: Node) -> Node | None:
        """`x.grad` as it is now; a note says why there is none."""
        grad = self.grads.get(node)
        if grad is None and not self.is_leaf(node) and self.requires_grad(node):
            name = self.title_of(node)
            if self.warn is not None:
                self.warn("UserWarning", NOT_A_LEAF)
            self._note(
                "not-retained",
                f"{name}.grad is None: {name} is an intermediate, whose grad is not retained "
                f"unless {name}.retain_grad() is called before backward",
            )
        return grad

    def zero(self, node: Value) -> None:
        """`x.grad.zero_()`."""
        if not isinstance(node, Node) or node not in self.grads:
            name = self.title_of(node) if isinstance(node, Node) else describe(node)
            raise GradcliError(
                "no-grad",
                f"{name}.grad is None: there is nothing to set to zero yet",
                hint="the first backward starts from zero: delete this call",
            )
        self.written.pop(node, None)
        zeros = detach(zeros_like(node))
        if self.dtypes is not None:
            self.dtypes.add_like(zeros, node)
        self.grads.change(node, zeros)

    def set_grad(self, node: Value, grad: Node | None, *, in_place: bool = False) -> None:
        """`x.grad = …`, or `x.grad.mul_(…)`, which is in place."""
        if not isinstance(node, Node):
            raise GradcliError("type", f"{describe(node)} has no grad")
        if grad is not None and grad.shape != node.shape:
            raise GradcliError(
                "gradient-shape",
                f"a grad of {show(grad.shape)} does not fit a tensor of {show(node.shape)}",
                hint="a grad has the shape of its tensor",
            )
        self.written.pop(node, None)
        if grad is None or not in_place:
            self.grads.pop(node, None)
        if grad is not None:
            self.grads.change(node, grad)
            self.written[node] = self._line()

    def follow(self, old: Node, new: Node) -> None:
        """A tensor was changed in place: its grad and its name belong to the new node."""
        if old in self.grads:
            self.grads[new] = self.grads.pop(old)
        if old in self.written:
            self.written[new] = self.written.pop(old)
        if old in self.names:
            self.names[new] = self.names.pop(old)
        if old in self.retained:
            self.retained.add(new)
        for hooks in (self.hooks, self.after):
            if old in hooks:
                hooks[new] = hooks.pop(old)

    def backward(
        self,
        outputs: Sequence[Node],
        gradients: Sequence[Node | None],
        retain_graph: bool,
        create_graph: bool,
        inputs: Sequence[Node] | None,
    ) -> None:
        """Add vᵀ·J of the outputs to the grads of all leaves and retained intermediates.

        Where there are `inputs`, only they are leaves; intermediates among them are retained.
        Raises `not-differentiable`, `no-grad`, `gradient-required`, `gradient-shape`,
        `graph-freed`.
        """
        order = self._differentiable(outputs)
        found_leaves = [node for node in order if self.is_leaf(node)]
        flat = [node for node in order if node in self._flat]
        if not found_leaves and not flat:
            raise self._no_leaf(outputs)
        leaves = [node for node in found_leaves if node not in self._frozen]
        cotangents = self._cotangents(outputs, gradients)
        if inputs is not None:
            for node in inputs:
                self.retain_grad(node)
            leaves = list(inputs)
        linked = dependents(order, (*leaves, *flat))
        retained = (node for node in order if node in self.retained and node in linked)
        wanted = list(dict.fromkeys((*leaves, *retained)))
        inside = linked.difference(leaves, flat)
        passed = Between(order, dependents(order, wanted) if flat else linked)
        first = self.graph.count
        with self._walk(create_graph):
            grads = self._vjp(outputs, cotangents, wanted, inside, passed, retain_graph)
        reached = receivers(outputs, order)
        held = {node: self.grads[node] for node in self.written}
        for node, grad in zip(wanted, grads, strict=True):
            # All paths may lead through `floor` or a similar op: then the grad is 0, and not None.
            found = zeros_like(node) if grad is None and node in reached else grad
            if found is not None:
                if found.shape != node.shape:
                    found = OPERATORS["expand"](found, node.shape)
                found = self.as_derivative(found, first) if create_graph else self._constant(found)
                own = self._apart(found) if create_graph else found
                self._add(node, own, apart=create_graph)
        for node in {each for derivative in flat for each in self._flat[derivative]}:
            if node not in self.grads:
                self._add(node, zeros_like(node))
        if inputs is None and not self._with_graph.isdisjoint(order):
            stepped = self._stepped(self._with_graph.intersection(order)).difference(reached)
            for node in sorted(stepped, key=lambda each: each.index):
                if node not in self.grads:
                    self._add(node, detach(zeros_like(node)))
        added = {node: held[node] for node in wanted if node in held}
        given = [gradient is not None for gradient in gradients]
        after = {node: self.grads[node] for node in wanted if node in self.grads}
        self.calls.append(BackwardCall(self._line(), [*outputs], cotangents, given, after, added))
        with self._walk(create_graph):
            self._tell(wanted if self.after else ())

    @property
    def roots(self) -> list[Node]:
        """The outputs that `backward` was called on."""
        return [output for call in self.calls for output in call.outputs]

    def grad(
        self,
        outputs: Sequence[Node],
        inputs: Sequence[Node],
        gradients: Sequence[Node | None],
        retain_graph: bool,
        create_graph: bool,
    ) -> list[Node]:
        """vᵀ·J for each of the inputs, which may be intermediates; no `.grad` changes.

        Raises what `backward` does; an input that the outputs do not depend on has grad 0.
        """
        oldest = 0 if create_graph else min((node.index for node in inputs), default=0)
        order = self._differentiable(outputs, oldest)
        cotangents = self._cotangents(outputs, gradients)
        if len(self.grad_calls) < TOLD and self.values.any_pass is None:
            self.grad_calls.append(GradCall([*outputs], cotangents, [*inputs]))
        linked = dependents(order, inputs)
        inside = linked.difference(inputs)
        with self._walk(create_graph):
            between, first = Between(order, linked), self.graph.count
            found = self._vjp(outputs, cotangents, inputs, inside, between, retain_graph)
        results = []
        for node, grad in zip(inputs, found, strict=True):
            if grad is None:
                self._explain_zero(outputs, node)
            result = zeros_like(node) if grad is None else grad
            if result.shape != node.shape:
                result = OPERATORS["expand"](result, node.shape)
            if not create_graph:
                result = self._constant(result)
            elif self.requires_grad(result):
                result = self.as_derivative(result, first)
                if result.op is SLICE:  # of what was padded: PyTorch copies it
                    result = bind(result)
                    self.values.copies.add(result)
                self._with_graph.add(result)
            elif not self.requires_grad(result):
                result = bind(detach(result))  # a tensor, not a number
                if self.values.is_pytorch:
                    from gradcli.trace.lowest_powers import followed

                    passed = dependents(order, [node])
                    result = followed(self.values, self.node_name, result, passed)
                else:  # where it has nothing to be derived by
                    self._flat[result] = [each for each in order if self.is_leaf(each)]
            if self.dtypes is not None and not self.requires_grad(result):
                self.dtypes.add_like(result, node)
            results.append(result)
        return results

    def _stepped(self, derivatives: Iterable[Node]) -> set[Node]:
        """The leaves that derivatives depend on in steps only, as on a bias before a `relu`: these
        get grads of 0, as in PyTorch. What lies behind a leaf, such as the passes of a loop before
        it, is not walked through.
        """
        leaves = set(filter(self.is_leaf, behind(derivatives, self.is_leaf)))
        return leaves.difference(upstream(derivatives))

    def reached(self, outputs: Sequence[Node]) -> frozenset[Node] | None:
        """What gradients flow back to from the outputs; None where they are derivatives of a linear
        function, which depend on nothing. Raises `no-grad` where they come from no leaf.
        """
        order = upstream(outputs)
        found = frozenset(receivers(outputs, order))
        if not self._flat.keys().isdisjoint(found):
            return None
        if not any(map(self.is_leaf, order)):
            raise self._no_leaf(outputs)
        return found

    # --- the parts of a pass ---

    def _differentiable(self, outputs: Sequence[Node], oldest: int = 0) -> list[Node]:
        """The outputs, and the nodes that gradients flow back to from them, down to index
        `oldest`.
        """
        if not outputs:
            raise GradcliError(
                "type",
                "there is nothing to differentiate in an empty list",
                hint="backward([z, w]) names the outputs",
            )
        for output in outputs:
            if output.kind != "float":
                raise GradcliError(
                    "not-differentiable",
                    f"{self.title_of(output)} holds {output.kind} values: they have no derivative",
                )
        return upstream(outputs, oldest)

    def _cotangents(self, outputs: Sequence[Node], gradients: Sequence[Node | None]) -> list[Node]:
        """The gradient of each output; 1 for an output of one element that has none."""
        if len(gradients) != len(outputs):
            said = f"got {len(outputs)} tensors and {len(gradients)} gradients"
            raise RefusedError(
                ("RuntimeError", said),
                "gradient-shape",
                f"{len(gradients)} gradients for {len(outputs)} outputs",
                hint="give one for each, or None for an output of one element",
            )
        cotangents = []
        for output, gradient in zip(outputs, gradients, strict=True):
            if gradient is not None:
                if self.values.is_pytorch and gradient.shape != output.shape:
                    raise unfit(self.title_of(output), gradient.shape, output.shape)
                shape = fitted_shape(
                    self.title_of(output), gradient.shape, output.shape, self.strict, self.notes
                )
                given = cast(gradient, "float")
                fits = given.shape == shape
                cotangents.append(given if fits else OPERATORS["reshape"](given, shape))
            elif output.size == 1:
                cotangents.append(self.graph.constant(1.0))
            else:
                remedy = f"write backward({ones_text(output.shape)}) (v of ones)"
                name = self.title_of(output)
                raise gradient_required(name, name, output.shape, remedy)
        return cotangents

    def _vjp(
        self,
        outputs: Sequence[Node],
        cotangents: Sequence[Node],
        wanted: Sequence[Node],
        inside: set[Node],
        passed: Between,
        retain_graph: bool,
    ) -> list[Node | None]:
        """Walk back through nodes that no earlier backward has freed; then they are freed. PyTorch
        goes again through those that had saved nothing.
        """
        span = self.graph.span
        if self.values.any_pass is not None and any(node.op is CARRIED for node in inside):
            raise Unlike("its backward goes on into the pass before")
        # All rows of a vmap are one walk: what its first row frees was there for the others.
        for node in () if self.values.is_again else inside:
            if node in self.freed and (not self.values.is_pytorch or needs_values(node)):
                line = self.freed[node]
                raise GradcliError(
                    "graph-freed",
                    f"the graph behind {self.title_of(outputs[0])} was freed by the backward in "
                    f"line {line}",
                    hint=f"say retain_graph=True in line {line}, or compute the value again",
                )
        first = self.graph.count
        self._hook_results.clear()
        passes_hooks = self.hooks or self.together
        is_watched = passes_hooks or self.node_hooks or self.looks_for_nan or self._has_halves()
        rules = self._hooked if is_watched else None
        grads = vjp(outputs, cotangents, wanted, rules=rules, passed=passed)
        if passes_hooks:
            grads = [
                None if grad is None else self._through_hooks(node, grad)
                for node, grad in zip(wanted, grads, strict=True)
            ]
        for tensors, hook in self.together:
            self._tell_together(tensors, hook)
        self.graph.span = span
        if self.values.overwritten:
            self.check_versions(grads, first, inside)
        if not retain_graph:
            self.freed.update(dict.fromkeys(inside, self._line()))
        return grads

    def add_hook(self, node: Node, hook: Object) -> None:
        """`x.register_hook(f)`. Raises `no-grad` where no gradient comes to the tensor."""
        if not self.requires_grad(node):
            raise GradcliError(
                "no-grad",
                "cannot register a hook on a tensor that doesn't require gradient",
                hint="requires_grad=True makes a leaf of it",
            )
        self.hooks.setdefault(node, []).append(hook)

    def _constant(self, grad: Node) -> Node:
        cut = detach(grad)
        self.values.copies.add(cut)  # it has memory of its own
        self._cut[cut] = self._line()
        return cut

    def as_derivative(self, found: Node, first: int) -> Node:
        """A derivative as a tensor of its own, where it is one older than node `first`: that of x*y
        by x is y, and in PyTorch a product with 1.
        """
        if found.index >= first or not self.values.is_pytorch or not self.requires_grad(found):
            return found
        return found * 1.0

    def _apart(self, grad: Node) -> Node:
        """A grad with a graph, in memory of its own if the program may hold it: it may be what it
        was computed of.
        """
        if self.grads.replace is None:
            return grad
        own = self.values.rounded_of(grad, bind(grad))
        self.values.copies.add(own)
        return own

    def _add(self, node: Node, grad: Node, *, apart: bool = False) -> None:
        """Add to a `.grad`, as PyTorch does: in its memory, or `apart` from that with a graph."""
        node = self.values.current(node)
        if self.dtypes is not None:
            grad = self.dtypes.as_dtype(grad, self.dtypes.of(node))
        if node not in self.written and self.grads.is_as_written(node):
            self.grads.change(node, grad)
            self.written[node] = self._line()
            return
        if node in self.written:
            name = self.title_of(node)
            self._note(
                "accumulated",
                f"the backward in line {self._line()} adds to {name}.grad, which holds the grad of "
                f"line {self.written[node]}; {name}.grad.zero_() in between starts from zero",
            )
        total = self.grads[node] + grad
        total = total if self.dtypes is None else self.dtypes.in_half(total)
        self.grads.change(node, total, apart=apart)

    def add_by_hand(self, node: Node, grad: Node) -> None:
        """What the node of a leaf does that is called: it adds to the grad."""
        self._add(node, self._constant(grad))

    def whole(self, node: Node, grad: Node) -> Node:
        """A gradient in the shape of its tensor, as one that the program may hold."""
        found = OPERATORS["expand"](grad, node.shape) if grad.shape != node.shape else grad
        return found if self.records() and self.requires_grad(found) else self._constant(found)

    def _has_halves(self) -> bool:
        """Whether there are floats of 16 bits, to which gradients are rounded."""
        return self.dtypes is not None and self.dtypes.has_halves

    # --- what is said about it ---

    def _no_leaf(self, outputs: Sequence[Node]) -> GradcliError:
        name = self.title_of(outputs[0])
        line = self._cut_line(outputs)
        if line is not None:
            return GradcliError(
                "no-grad",
                f"{name} is a constant: it comes from the grad of line {line}",
                hint=f"say create_graph=True in line {line} to differentiate a grad",
            )
        return GradcliError(
            "no-grad",
            f"{name} does not depend on any leaf",
            hint=Advice(
                "tensor(…, requires_grad=True) makes a leaf, and so does ", input_of("NAME")
            ),
        )

    def _explain_zero(self, outputs: Sequence[Node], node: Node) -> None:
        """Note why a grad is 0, unless it is the derivative of a linear function."""
        is_cut = self._cut_line(outputs) is not None
        if is_cut and not (self.values.is_pytorch and any(map(self.requires_grad, outputs))):
            raise self._no_leaf(outputs)
        if not any(each in self._flat for each in upstream(outputs)):
            name, other = self.title_of(outputs[0]), self.title_of(node)
            self._note("unused", f"unused: {name} does not depend on {other}, so its grad is 0")

    def _cut_line(self, outputs: Sequence[Node]) -> int | None:
        if not self._cut:
            return None
        cut = [node for node in behind(outputs) if node in self._cut]
        return self._cut[min(cut, key=lambda node: node.index)] if cut else None

    def title_of(self, node: Node) -> str:
        """The name of a value, for messages."""
        if node.op is INPUT:
            return str(node.attributes[0])
        return self.names.get(node, "this value")

    def _line(self) -> int:
        return self.source.locate(self.graph.span[0])[0] if self.graph.span else 0

    def line(self) -> int:
        """The line that is run."""
        return self._line()

    def _note(self, code: str, message: str) -> None:
        """A note, which is made only once in a loop."""
        note = Note(code, message)
        if note not in self.notes:
            self.notes.append(note)
