"""`class F(torch.autograd.Function)`: functions whose backward the program states."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from gradcli.diagnostics import GradcliError, RefusedError
from gradcli.graph import Node
from gradcli.ops.control import detach
from gradcli.ops.custom import Custom
from gradcli.ops.joining import cat
from gradcli.ops.kinds import cast, zeros_like
from gradcli.ops.shaping import flatten, reshape, take_slices
from gradcli.trace.arguments import bind_names
from gradcli.trace.autograd import Autograd
from gradcli.trace.classes import Class
from gradcli.trace.items import Items
from gradcli.trace.kinds_of_values import kind_of
from gradcli.trace.modules import Method
from gradcli.trace.objects import Given, Object
from gradcli.trace.printing import PrintedNumbers
from gradcli.trace.values import Value, Values, describe

_NOT_STATED = {
    "forward": "You must implement the forward function for custom autograd.Function.",
    "backward": "You must implement either the backward or vjp method for your custom "
    "autograd.Function to use it with backward mode AD.",
}
"""PyTorch's words for what a class does not have."""


class FunctionContext(Object):
    """`ctx`: what forward leaves for backward."""

    what = "ctx"

    def __init__(self, values: Values, needs: Sequence[Value]) -> None:
        self.values = values
        self.fields: dict[str, Value] = {"needs_input_grad": tuple(needs)}
        self.saved: tuple[Value, ...] = ()
        self.saved_for_forward: tuple[Value, ...] = ()
        """What is kept for `jvp`."""
        self.materializes = True
        """Whether results without a gradient get one of zeros in backward."""
        self.constants: tuple[Value, ...] = ()
        """Results of forward that have no derivative."""
        self.changed: list[Node] = []
        """Arguments that forward has changed in place."""

    def attribute(self, name: str) -> Value:
        if name in ("saved_tensors", "saved_variables"):
            return self.saved
        if name not in self.fields:
            raise self.has_no("attribute", name)
        return self.fields[name]

    def stores(self, name: str) -> bool:
        return True

    def set(self, name: str, value: Value) -> None:
        self.fields[name] = value

    def delete(self, name: str) -> None:
        if name not in self.fields:
            raise self.has_no("attribute", name)
        del self.fields[name]

    def methods(self) -> dict[str, Method]:
        return {
            "save_for_backward": self._save,
            "save_for_forward": self._save_for_forward,
            "mark_non_differentiable": self._mark,
            "set_materialize_grads": self._set_materializes,
            "mark_dirty": self._mark_changed,
        }

    def _save_for_forward(self, arguments: list[Value], keywords: Given) -> Value:
        self.saved_for_forward = tuple(arguments)
        return None

    def _set_materializes(self, arguments: list[Value], keywords: Given) -> Value:
        given = bind_names("set_materialize_grads", ("value",), arguments, keywords)
        self.materializes = self.values.truth(given["value"])
        return None

    def _mark(self, arguments: list[Value], keywords: Given) -> Value:
        self.constants = tuple(arguments)
        return None

    def _mark_changed(self, arguments: list[Value], keywords: Given) -> Value:
        self.changed = [each for each in arguments if isinstance(each, Node)]
        return None

    def _save(self, arguments: list[Value], keywords: Given) -> Value:
        self.saved = tuple(arguments)
        return None

    def give(self, made: dict[Node, Node]) -> None:
        """Let what forward has made stand for the results as others see them."""

        def seen(value: Value) -> Value:
            return made.get(value, value) if isinstance(value, Node) else value

        self.saved = tuple(map(seen, self.saved))
        self.fields = {name: seen(value) for name, value in self.fields.items()}


class FunctionCalls:
    """Calls of `F.apply`."""

    def __init__(
        self,
        autograd: Autograd,
        numbers: PrintedNumbers,
        recording: Callable[[bool], bool],
        replace: Callable[[Node, Node], None],
    ) -> None:
        """`recording` sets whether gradients are recorded, and says whether they were; `replace`
        puts a node in the place of another one.
        """
        self.autograd = autograd
        self.values = autograd.values
        self._numbers = numbers
        self._recording = recording
        self._replace = replace

    def apply(self, made: Class, arguments: list[Value], keywords: Given) -> Any:
        """The results of forward, through which gradients flow as backward says."""
        operands = [each for each in arguments if isinstance(each, Node) and each.kind == "float"]
        constant = self.values.graph.constant
        context = FunctionContext(
            self.values,
            [
                constant(isinstance(each, Node) and self.autograd.requires_grad(each))
                for each in arguments
            ],
        )
        before = self._recording(False)
        try:
            result = yield self._forward(made, context, arguments, keywords)
        finally:
            self._recording(before)
        several = isinstance(result, tuple | Items)
        if not several and not self._is_tensor(result):
            return result
        if before and any(map(self.autograd.requires_grad, operands)):
            self._check_saved(context.saved)
        parts = [self.values.tensor(each, "what forward returns") for each in
                 (result if several else (result,))]  # fmt: skip
        if not before:
            return result
        packed = parts[0] if len(parts) == 1 else cat([flatten(cast(p, "float")) for p in parts])
        places = [
            place for place, each in enumerate(arguments)
            if isinstance(each, Node) and each.kind == "float"
        ]  # fmt: skip

        def backward(cotangent: Node) -> list[Node | None]:
            grads = map(self.autograd.in_dtype_of, parts, self._parts(cotangent, parts))
            given = self._given(context, [*grads], parts)
            found = self._backward(made, context, given)
            return self._checked(made, found, arguments, places)

        def tangent(tangents: Sequence[Node | None]) -> Node | None:
            given: list[Value] = [None] * len(arguments)
            for place, each in zip(places, tangents, strict=True):
                given[place] = each
            return self._tangent(made, context, arguments, given)

        op = Custom(made.name, backward, tangent if made.found("jvp") else None)
        graph = self.values.graph
        node = graph.apply(op, (detach(packed), *operands))
        self.values.copies.add(node)
        results = [
            whole if whole.kind != "float" or whole in context.constants else part
            for whole, part in zip(parts, self._parts(node, parts), strict=True)
        ]
        self.values.copies.update(results)
        if len(results) > 1:
            for each in results:
                self.values.made_by[each] = f"{made.name}Backward", arguments, {}
        context.give(dict(zip(parts, results, strict=True)))
        for each in map(self.values.current, context.changed):
            if each in parts:  # it is what the call gives for all who hold it
                self._replace(each, results[parts.index(each)])
        return tuple(results) if several else results[0]

    def _forward(
        self, made: Class, context: FunctionContext, arguments: list[Value], keywords: Given
    ) -> Any:
        """What forward returns; where there is a `setup_context`, that gets `ctx` in its stead."""
        if made.found("setup_context") is None:
            return (yield self._method(made, "forward")([context, *arguments], keywords))
        result = yield self._method(made, "forward")(arguments, keywords)
        yield self._method(made, "setup_context")([context, tuple(arguments), result], {})
        return result

    def _parts(self, packed: Node, like: Sequence[Node]) -> list[Node]:
        """A row as the tensors that were put one behind the other."""
        if len(like) == 1:
            return [packed]
        found, begin = [], 0
        for each in like:
            row = take_slices(packed, ((begin, each.size, 1),))
            found.append(reshape(row, each.shape))
            begin += each.size
        return found

    def _given(
        self, context: FunctionContext, cotangents: list[Node], parts: Sequence[Node]
    ) -> list[Node | None]:
        """What backward is given: None for results that no gradient comes to, where it says so."""
        if context.materializes:
            return [*cotangents]
        return [
            each if part not in context.constants and self.values.evaluator.value(each).any()
            else None
            for each, part in zip(cotangents, parts, strict=True)
        ]  # fmt: skip

    def _tangent(
        self, made: Class, context: FunctionContext, arguments: list[Value], given: list[Value]
    ) -> Node:
        """What the program's own `jvp` gives for the tangents of the arguments of forward."""
        if context.materializes:
            given = [
                zeros_like(each) if tangent is None and isinstance(each, Node) else tangent
                for each, tangent in zip(arguments, given, strict=True)
            ]
        saved, context.saved = context.saved, context.saved_for_forward or context.saved
        fields = {**context.fields}  # `jvp` may delete what it has used, and be asked again
        try:
            found = self.autograd.run_inside(self._method(made, "jvp")([context, *given], {}))
        finally:
            context.saved, context.fields = saved, fields
        rows = [self.values.tensor(each, "what jvp returns") for each in
                (found if isinstance(found, tuple | Items) else (found,))]  # fmt: skip
        return rows[0] if len(rows) == 1 else cat([flatten(cast(row, "float")) for row in rows])

    def _is_tensor(self, value: Value) -> bool:
        return isinstance(value, Node) and not self.values.plain_kind(value)

    def _check_saved(self, saved: Sequence[Value]) -> None:
        """Raise `type` where PyTorch does: what is no tensor is kept as an attribute of ctx."""
        for place, each in enumerate(saved):
            if each is None or self._is_tensor(each):
                continue
            said = (
                f"save_for_backward can only save variables, but argument {place} is of type "
                f"{kind_of(each, self._numbers)}"
            )
            raise RefusedError(
                ("TypeError", said),
                "type", f"save_for_backward keeps tensors, not {describe(each)}",
                hint="ctx.factor = factor keeps anything",
            )  # fmt: skip

    def _method(self, made: Class, name: str) -> Method:
        if made.found(name) is None:
            raise RefusedError(
                ("NotImplementedError", _NOT_STATED.get(name, f"{made.name} has no {name}")),
                "type", f"{made.name} has no {name}",
                hint=f"@staticmethod def {name}(ctx, …): …",
            )  # fmt: skip
        return made.method(name)

    def _backward(
        self, made: Class, context: FunctionContext, cotangents: list[Node | None]
    ) -> Value:
        """What the program's backward returns; it may call others inside."""
        creates = self.autograd.creates_graph  # a number alone is given as a tensor, too
        cotangents = [
            each if each is None or (creates and self._is_tensor(each)) else detach(each)
            for each in cotangents
        ]
        before = self._recording(self.autograd.creates_graph)
        try:
            visit = self._method(made, "backward")([context, *cotangents], {})
            return self.autograd.run_inside(visit)
        finally:
            self._recording(before)

    def _checked(
        self, made: Class, found: Value, arguments: list[Value], places: Sequence[int]
    ) -> list[Node | None]:
        """The cotangents of the operands, of which there is one for each argument of forward."""
        grads = list(found) if isinstance(found, tuple | Items) else [found]
        while len(grads) > len(arguments) and grads[-1] is None:
            grads.pop()
        if len(grads) != len(arguments):
            said = (
                f"function {made.name}Backward returned an incorrect number of gradients "
                f"(expected {len(arguments)}, got {len(grads)})"
            )
            raise RefusedError(
                ("RuntimeError", said), "value", said,
                hint="backward returns one for each argument of forward, None where there is none",
            )  # fmt: skip
        checked: list[Node | None] = []
        for place in places:
            grad, operand = grads[place], arguments[place]
            assert isinstance(operand, Node)
            if grad is None:
                checked.append(None)
                continue
            if not isinstance(grad, Node) or self.values.plain_kind(grad):
                kind = kind_of(grad, self._numbers)
                raise RefusedError(
                    ("RuntimeError", f"expected Variable or None (got {kind})"),
                    "type", f"backward returns tensors, not {describe(grad)}",
                )  # fmt: skip
            if grad.shape != operand.shape:
                before = sum(isinstance(each, Node) for each in arguments[:place])
                grad = self._to_shape(made, grad, operand, before)
            checked.append(cast(grad, "float"))
        return checked

    def _to_shape(self, made: Class, grad: Node, operand: Node, index: int) -> Node:
        """A gradient that broadcasts from its operand, the tensor of that index among those that
        forward got, is summed, as PyTorch does.
        """
        from gradcli.graph import OPERATORS

        try:
            summed: Node = OPERATORS["sum_to"](grad, operand.shape)
        except GradcliError:
            said = (
                f"Function {made.name}Backward returned an invalid gradient at index {index} - got "
                f"{[*grad.shape]} but expected shape compatible with {[*operand.shape]}"
            )
            raise RefusedError(("RuntimeError", said), "gradient-shape", said) from None
        return summed
