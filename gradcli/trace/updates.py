"""Tensors that change in place: leaves under `torch.no_grad()`, `.data`, `.grad`.

A tensor that changes is a new node, which takes the place of the old one wherever that is read: it
keeps its grad and its name.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, TypeGuard

from gradcli.diagnostics import GradcliError, RefusedError
from gradcli.graph import Graph, Node
from gradcli.language import syntax
from gradcli.ops import FUNCTIONS, f
from gradcli.ops.control import LEAF, bind, detach, leaf
from gradcli.ops.elementwise import Elementwise
from gradcli.ops.kinds import cast, zeros_like
from gradcli.ops.loops import Unlike
from gradcli.ops.shapes import show
from gradcli.ops.table import Function
from gradcli.trace.arguments import bind_names, by_dtype, call
from gradcli.trace.autograd import Autograd
from gradcli.trace.callee import path_of
from gradcli.trace.elements import LEAF_IN_PLACE, ElementUpdates
from gradcli.trace.expressions import data_of
from gradcli.trace.items import Items
from gradcli.trace.numerals import Numerals
from gradcli.trace.objects import Object
from gradcli.trace.operators import METHODS
from gradcli.trace.values import Value, Values, describe
from gradcli.trace.visits import Visit

_DRAWN = frozenset(("bernoulli",))
_SHAPES = frozenset((
    "unsqueeze", "squeeze", "t", "transpose", "swapaxes", "swapdims",
))  # fmt: skip
"""Methods that give a tensor another shape in place."""
_PLACES = (syntax.Name, syntax.Attribute, syntax.Index)
"""What stands for the same tensor when it is looked at again; others make one."""


class Updates(ElementUpdates):
    """Changes tensors in place; `Bindings` adds names."""

    def __init__(
        self,
        graph: Graph,
        values: Values,
        autograd: Autograd,
        numerals: Numerals,
        table: Mapping[str, Function],
    ) -> None:
        super().__init__(graph, values, autograd, numerals, table)
        self.leaves: dict[Node, str] = {}
        """Leaves that the program made at top level, and the names they were first bound to."""

    # --- methods that end with _ ---

    def change(self, callee: syntax.Attribute, expression: syntax.Call) -> Visit:
        name = callee.name.removesuffix("_")
        if callee.name == "zero_" and isinstance(callee.value, syntax.Attribute):
            owner = yield from self._owner_of_grad(callee.value)
            if owner is not None and not self._hangs(owner):
                self.graph.span = callee.span
                self.autograd.zero(owner)
                return self.autograd.grads.get(owner)
        before = yield self.visit(callee.value)
        if isinstance(before, Object):
            self.graph.span = callee.name_span
            method = before.method(callee.name)
        arguments = yield self.arguments(expression)
        keywords = yield self._keywords(expression)
        self.graph.span = expression.span
        if isinstance(before, Object):  # as a scaler's `unscale_`
            return (yield method(arguments, keywords))
        node = self.values.tensor(before, f"what {callee.name} changes")
        self._check_given_tensors(callee.name, expression, [node, *arguments], keywords)
        if name == "resize_as":
            given = bind_names("resize_as_", ("other", "memory_format"), arguments, keywords,
                               ("memory_format",))  # fmt: skip
            lengths = self.values.tensor(given["other"], "other").shape
            name, arguments, keywords = "resize", list(map(self.values.plain, lengths)), {}
        if name == "resize":
            return self._resized(node, arguments, keywords)
        if name in _SHAPES:
            return self._reshaped(callee, name, node, arguments, keywords)
        if name == "detach":  # even of a leaf that requires grad: its elements stay
            bind_names("detach_", (), arguments, keywords)
            return self._detached_in_place(callee, node)
        value = self._changed(callee, name, node, arguments, keywords)
        if not isinstance(callee.value, _PLACES):
            if node.known is not None or self.graph.shares:  # nothing else holds what it makes
                self.values.copies.add(value)
                return value
            self.write(callee, node, None, value)
            return self.values.current(node)
        yield self.store(callee.value, node, value)
        if not _has_name(callee.value) and not _ends(callee.value, "grad"):
            return self.values.current(node)  # nothing else is done again: a call may do more
        return (yield self.visit(callee.value))

    def changed_by(
        self, name: str, node: Node, arguments: Sequence[Value], keywords: dict[str, Value]
    ) -> Value:
        """What a tensor is after a method that changes it, of which the name is a value."""
        here = self._here()
        callee = syntax.Attribute(syntax.Name("x", here.span), name, here.span, here.span)
        node = self.values.current(node)
        value = self._changed(callee, name.removesuffix("_"), node, arguments, keywords)
        self.write(here, node, None, value)
        return self.values.current(node)

    def _check_given_tensors(
        self,
        name: str,
        written: syntax.Call,
        given: list[Value],
        keywords: Mapping[str, Value],
    ) -> None:
        """Raise `type` where a method of a tensor of PyTorch's is given a list or an array."""
        if syntax.List in map(type, written.arguments) and len(given) == len(written.arguments) + 1:
            given = [given[0], *self.all_as_written(written, given[1:])]
        class_of = self.special.numbers.class_of
        kinds = [class_of(each) for each in (*given, *keywords.values())]
        if ("list" not in kinds and "numpy.ndarray" not in kinds) or kinds[0]:
            return
        from gradcli.trace import given_tensors  # a mistake

        function = self.table.get(name.removesuffix("_"))
        if function is not None:
            numbers = self.special.numbers
            given_tensors.check_function(numbers, function, name, given, keywords, is_method=True)
        elif name == "copy_":
            raise given_tensors.no_tensor(name, "other", 1, kinds[1])

    def _detached_in_place(self, callee: syntax.Attribute, node: Node) -> Node:
        """`x.detach_()`."""
        if self.values.is_pytorch and self.values.storage(node)[1]:
            from gradcli.trace.refusals import view_detached  # a mistake

            raise view_detached()
        cut = detach(node)
        self.mark_in_place(callee.value, node, cut)
        return cut

    def _reshaped(
        self,
        callee: syntax.Attribute,
        name: str,
        node: Node,
        arguments: Sequence[Value],
        keywords: dict[str, Value],
    ) -> Node:
        """`x.unsqueeze_(0)` and its like: another shape for all who hold the tensor."""
        if node.known is not None or self.graph.shares:
            self.graph.span = callee.span
            raise GradcliError(
                "value", f"{callee.name} changes a tensor that has no name of its own",
                hint=f"bind a name to the result: x = x.{name}(…)",
            )  # fmt: skip
        if node.op is LEAF and node.attributes[0] and self.records and self.values.is_pytorch:
            raise GradcliError("value", LEAF_IN_PLACE, hint=f"bind a name to x.{name}(…)")
        result: Node = call(self.values, FUNCTIONS[name], [node, *arguments], keywords)
        before, views = self.values.lie(node)
        self.replace(node, result)
        self.values.turned[self.values.current(node)] = before, [*views, result]
        return result

    def _resized(self, node: Node, arguments: Sequence[Value], keywords: dict[str, Value]) -> Node:
        """`x.resize_(2, 3)`: its elements in another shape; further ones are 0 here."""
        lengths = list(arguments) if len(arguments) < 2 else [tuple(arguments)]
        names = ("size", "memory_format")
        given = bind_names("resize_", names, lengths, keywords, names[1:])
        shape = self.values.integers(given["size"], "a shape")
        if self.autograd.requires_grad(node):
            raise GradcliError("value", "cannot resize variables that require grad",
                               hint="x.detach() has no grad")  # fmt: skip
        if any(length < 0 for length in shape):
            raise GradcliError("value", "resize_: lengths are 0 or more")
        count = math.prod(shape)
        if not self._has_first(node, count):
            raise GradcliError(
                "value",
                "resize_: this is a view, in the memory of another tensor",
                hint="x.clone() has memory of its own",
            )
        if count != node.size and self._has_views(node):
            raise GradcliError("value", "resize_: other names stand for views of this tensor",
                               hint="bind a name to the result: x = x.flatten()[:n]")  # fmt: skip
        self.graph.ledger.require(8 * count, "a tensor", self.graph.span)
        row = FUNCTIONS["reshape"].build(node, -1)
        if count <= node.size:
            row = FUNCTIONS["narrow"].build(row, 0, 0, count)
        else:
            row = FUNCTIONS["pad"].build(row, (0, count - node.size), "constant", 0.0)
        result = f("reshape", row, *shape)
        resized = leaf(detach(cast(result, node.kind)), marked=False)
        self.replace(node, resized)
        return resized

    def _has_first(self, node: Node, count: int) -> bool:
        """Whether the first `count` elements in its memory are its own, in its order."""
        from gradcli.trace.strides import layout, usual  # few programs ask

        base, views = self.values.storage(node)
        if not views:
            return True
        _, steps = layout(self.values.places(base, views))
        pairs = zip(node.shape, steps, usual(node.shape), strict=True)
        return count <= node.size and all(n < 2 or found == wanted for n, found, wanted in pairs)

    def _has_views(self, node: Node) -> bool:
        """Whether a name stands for a view of a tensor."""
        current = self.values.current
        base = current(self.values.storage(node)[0])
        held = (each for frame in self.frame for each in frame.values.values())
        others = (each for each in held if isinstance(each, Node) and current(each) is not node)
        found = map(self.values.storage, others)
        return any(views and current(of) is base for of, views in found)

    def _owner_of_grad(self, grad: syntax.Expression) -> Visit:
        """The x of `x.grad` and `x.grad.data`; None for others, and where it is an object."""
        if _ends(grad, "data"):
            grad = grad.value
        if not _ends(grad, "grad"):
            return None
        owner = yield self.visit(grad.value)
        return None if isinstance(owner, Object) else owner

    def _hangs(self, owner: Value) -> bool:
        """Whether the grad of a tensor has a graph, and the program may hold it: it changes as
        other tensors do.
        """
        grads = self.autograd.grads
        grad = grads.get(owner) if isinstance(owner, Node) else None
        return grads.replace is not None and grad is not None and self.autograd.requires_grad(grad)

    def _changed(
        self,
        callee: syntax.Attribute,
        name: str,
        node: Node,
        arguments: Sequence[Value],
        keywords: dict[str, Value],
    ) -> Node:
        """What a tensor becomes."""
        if isinstance(keywords.get("generator"), Object):
            from gradcli.trace.generator import drawn_from  # few programs have one

            with drawn_from(keywords.pop("generator")):
                return self._changed(callee, name, node, arguments, keywords)
        if name == "zero":
            return self._hanging(callee, node, zeros_like(node))
        if name in ("fill", "copy"):
            given = bind_names(callee.name, ("value", "non_blocking"), arguments, keywords,
                               ("non_blocking",))  # fmt: skip
            value = self.values.tensor(given["value"], callee.name)
            if self.values.is_pytorch:
                from gradcli.trace.refusals import check_filling

                check_filling(name, node, value)
            return self._hanging(callee, node, self._filled(node, value))
        if name in ("normal", "uniform"):
            return self._hanging(callee, node, self._drawn(name, node, arguments, keywords))
        function = FUNCTIONS.get(name)
        node = self.autograd.kept(node, [*arguments, *keywords.values()])
        if function is None or name in _DRAWN:
            if self.have_all() and name in self.library.in_place:
                made: Node = self.library.in_place[name](node, [*arguments], keywords)
                return made
            raise self.unknown_method(callee)
        if function.takes_numbers and node.kind != "float" and self.values.is_python:
            arguments = [
                self.whole_beside(node, each) if isinstance(each, Node) else each
                for each in arguments
            ]
        whole, named = by_dtype(self.values, function, [node, *arguments], keywords)
        result = call(self.values, function, whole, named)
        if not isinstance(result, Node) or result.shape != node.shape:
            raise GradcliError(
                "shape",
                f"{callee.name} would change the shape {show(node.shape)}"
                + (f" to {show(result.shape)}" if isinstance(result, Node) else ""),
                hint=f"bind a name to the result: x = x.{name}(…)",
            )
        if result.kind != node.kind and isinstance(function.op, Elementwise) and name != "where":
            from gradcli.trace.refusals import check_kept  # kinds seldom differ

            check_kept(self.values, node, result)
        self.values.made_by.setdefault(result, (name, (node, *arguments), {}))
        return cast(result, node.kind)

    def _hanging(self, callee: syntax.Attribute, node: Node, value: Node) -> Node:
        """A value that is put into a tensor which requires grad: that still does, and a gradient
        of 0 flows on to what it was. What is written into elements hangs on the others.
        """
        flows = self.records and self.autograd.requires_grad(node)
        is_part = isinstance(callee.value, syntax.Index)
        if not flows or is_part or self.autograd.requires_grad(value):
            return value
        hanging: Node = FUNCTIONS["where"](self.graph.constant(False), node, value)
        self.values.made_by[hanging] = callee.name.removesuffix("_"), (node,), {}
        return hanging

    def _filled(self, node: Node, value: Node) -> Node:
        if len(value.shape) > node.ndim:
            raise GradcliError(
                "shape", f"{show(value.shape)} cannot be put into {show(node.shape)}"
            )
        if value.shape != node.shape:
            value = FUNCTIONS["expand"].build(value, *node.shape)
        return bind(cast(value, node.kind))  # no longer the tensor that the values are from

    def _drawn(
        self, name: str, node: Node, arguments: Sequence[Value], keywords: dict[str, Value]
    ) -> Node:
        """`normal_(mean, std)` and `uniform_(low, high)`."""
        names = ("mean", "std") if name == "normal" else ("from", "to")
        given = bind_names(f"{name}_", names, arguments, keywords, names)
        a, b = (
            self.values.number(given[each], each) if each in given else default
            for each, default in zip(names, (0.0, 1.0), strict=True)
        )
        said = ""
        if name == "normal" and b < 0:
            said = f"normal expects std >= 0.0, but found std {b:g}"
        elif name == "uniform" and a > b:
            said = "uniform_ expects to return a [from, to) range, but found "
            said += f"from={a:g} > to={b:g}"
        if said:
            raise RefusedError(("RuntimeError", said), "value", said)
        self.note_random()
        if self.values.is_pytorch:
            from gradcli.trace.refusals import check_drawn  # few programs come here

            check_drawn(name, self.values.array_dtype(node))
        if name == "normal":
            return f("randn_like", node) * b + a
        return f("rand_like", node) * (b - a) + a

    # --- new values for what an expression names ---

    def store(self, target: syntax.Expression, node: Node, value: Node) -> Visit:
        """Give the tensor that an expression stands for a new value."""
        while _ends(target, "data"):
            target = target.value
        if _ends(target, "grad"):
            owner = yield self.visit(target.value)
            if self._hangs(owner):
                if self.values.any_pass is not None:
                    raise Unlike("it changes a grad that has a graph")
                self.write(target, node, None, value)
            else:
                self.autograd.set_grad(owner, value, in_place=True)
            return
        if node.known is None and not self.graph.shares:
            self.write(target, node, None, value)
        else:
            self._rebind(target, node, value)

    def _rebind(self, target: syntax.Expression, node: Node, value: Node) -> None:
        """Bind the name of a constant to its new value; equal constants are one node."""
        holders = [
            (frame, name)
            for frame in self.frame
            for name, held in frame.values.items()
            if held is node
        ]
        if not isinstance(target, syntax.Name) or len(holders) > 1:
            self.graph.span = target.span
            raise GradcliError(
                "value",
                "which tensors would change here is not known: others hold the same value",
                hint="bind a name to the result instead: x = x + 1",
            )
        for frame, name in holders:
            frame.values[name] = value

    def mark_in_place(self, owner: syntax.Expression, old: Value, new: Node) -> None:
        if isinstance(old, Node) and old.known is None and old is not new:
            self.replace(old, new)
            self.values.changes[new] -= 1  # its elements are what they were
        if isinstance(owner, syntax.Name):
            self.bind(owner.id, new)

    def changed(self, by: syntax.AugmentedAssign, before: Value, value: Value) -> Visit:
        """What `before += value` binds; what changes in place stays itself."""
        operator = by.operator
        if isinstance(before, Items) and operator == "+":
            self.values.check_change(before)
            for each in self.values.elements(self.as_written(by.value, value)):
                before.append(each)
            return before
        own = isinstance(before, Object) and before.special(f"__i{METHODS[operator]}__")
        if own:
            return (yield own.call([value], {}))
        if not isinstance(before, Node) or not self._is_tensor(before):
            result = yield self.operated(operator, before, value)
            self.special.numbers.stay_arrays(result, (before, value))
            return result
        before = self.values.current(before)
        value = self._row_beside(self.as_written(by.value, value), before)
        self._check_sides(f"{operator}=", before, value)
        self.write(self._here(), before, None, self.changed_whole(operator, before, value))
        return before

    def put_into(self, out: Node, result: Node, items: Sequence[Any] | None = None) -> Node:
        if (out.known is not None and out.op is not LEAF) or self.graph.shares:
            raise GradcliError("value", "this out= has no memory of its own",
                               hint="bind the result to the name: y = f(x)")  # fmt: skip
        self.write(self._here(), out, items, result)
        return self.values.current(out)

    def _here(self) -> syntax.Syntax:
        """What stands where the program is now, for errors."""
        return syntax.PassStatement(self.graph.span or (0, 0))

    def _is_tensor(self, node: Node) -> bool:
        """Whether `+=` changes it in place, as it does a tensor of PyTorch's and no number."""
        return (
            (self.values.is_pytorch or node in self.values.arrays)
            and node.known is None
            and not self.graph.shares
            and node not in self.special.numbers
            and not self.values.is_number_of_numpy(node)
        )

    # --- attributes ---

    def set_attribute(self, target: syntax.Attribute, value: Value) -> Visit:
        """`x.grad = None`, `x.data = v`, `x.requires_grad = True`, `layer.weight = w`."""
        from gradcli.trace.imports import has_no_meaning

        path = path_of(target)
        if path is not None and has_no_meaning(path, self.frame.imports):
            return
        module = self.module_of(target.value)
        if module is not None:
            self.graph.span = target.span
            self.library.add(module, target.name, value)
            return
        owner = yield self.visit(target.value)
        self.graph.span = target.span
        if isinstance(owner, Object):
            yield owner.set(target.name, value)
            return
        node = self.values.tensor(owner, f"what has .{target.name}")
        if target.name == "grad":
            if value is not None and self.values.is_pytorch:
                from gradcli.trace.refusals import check_grad

                check_grad(self.values, node, value)
            grad = None if value is None else self.values.tensor(value, "a grad")
            self.autograd.set_grad(node, grad)
        elif target.name == "data":
            yield self._set_data(target, node, self.values.tensor(value, "the data"))
        elif target.name == "requires_grad":
            wanted = self.values.truth(value)
            self.mark_in_place(target.value, node, self.autograd.set_requires_grad(node, wanted))
        elif not self.values.is_pytorch:
            raise GradcliError("name", f"{describe(owner)}: its {target.name!r} cannot be set")
        else:
            self.values.store(node, target.name, value)

    def _set_data(self, target: syntax.Attribute, node: Node, fresh: Node) -> Visit:
        """`x.data = y`: x has the memory of y from then on, where anything else holds that."""
        from gradcli.trace.given_memory import has_own, part, share  # few programs set x.data

        names = (value for frame in self.frame for value in frame.values.values())
        is_held = fresh.op is LEAF or fresh.op.view or any(each is fresh for each in names)
        if not has_own(self.autograd, node):
            is_held = False
        elif self.values.any_pass is None:
            part(self.values, node)
        elif is_held:
            raise Unlike("it gives a tensor the memory of another one")
        if not is_held and fresh.shape == node.shape:
            yield self.store(target, data_of(self.values, node), cast(fresh, node.kind))
            self._keep_dtype(node, fresh)
            return
        new = leaf(detach(cast(fresh, node.kind)), marked=self.autograd.is_leaf(node))
        self.replace(node, new)
        self._keep_dtype(node, fresh)
        self.values.changes[new] -= 1  # PyTorch does not count it
        if is_held:
            share(self.autograd, new, fresh)

    def _keep_dtype(self, node: Node, fresh: Node) -> None:
        """Have a tensor that was given other data the dtype of these."""
        dtypes = self.autograd.dtypes
        if dtypes is not None and dtypes.of(fresh) != dtypes.of(node):
            dtypes.rename(node, dtypes.of(fresh))

    def delete_attribute(self, target: syntax.Attribute) -> Visit:
        """`del layer.weight`; `del x.grad` is `x.grad = None`."""
        owner = yield self.visit(target.value)
        self.graph.span = target.span
        if isinstance(owner, Object):
            yield owner.delete(target.name)
            return
        node = self.values.tensor(owner, f"what has .{target.name}")
        stored = self.values.attributes.get(self.values.first.get(node, node), {})
        if target.name == "grad":
            self.autograd.set_grad(node, None)
        elif stored.pop(target.name, None) is None:
            raise GradcliError("name", f"{describe(owner)}: its {target.name!r} cannot be deleted")

    def change_by(
        self, target: syntax.Attribute, statement: syntax.AugmentedAssign, value: Value
    ) -> Visit:
        """`x.data -= v`, `self.count += 1`."""
        owner = yield self.visit(target.value)
        if isinstance(owner, Object):
            before = yield owner.attribute(target.name)
            self.graph.span = target.span
            after = yield self.changed(statement, before, value)
            if after is not before:
                yield owner.set(target.name, after)
            return
        before = yield from self.attribute_at(owner, target)
        self.graph.span = target.span
        operator = statement.operator
        node = self.values.tensor(before, f"what {operator}= changes")
        yield self.store(target, node, self.combined(operator, node, value))


def _ends(place: syntax.Expression, name: str) -> TypeGuard[syntax.Attribute]:
    return isinstance(place, syntax.Attribute) and place.name == name


def _has_name(place: syntax.Expression) -> bool:
    """Whether an attribute, or an element, is that of a name."""
    while isinstance(place, syntax.Attribute | syntax.Index):
        place = place.value
    return isinstance(place, syntax.Name)
