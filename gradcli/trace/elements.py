"""Elements that change: `x[i] = v`, `x[mask] += v`, `x.T[0].zero_()`, of tensors, lists, objects.

A tensor whose elements change is a new node. It takes the place of the old one for all who hold
that, and views of it are seen again through the new one, so that names agree as in PyTorch.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gradcli.diagnostics import GradcliError, RefusedError
from gradcli.graph import CONSTANT, INPUT, LITERAL, Node
from gradcli.language import syntax
from gradcli.ops import FUNCTIONS
from gradcli.ops.control import BIND, DETACH, LEAF, bind, detach, leaf
from gradcli.ops.kinds import cast
from gradcli.ops.shapes import show
from gradcli.ops.shaping import EXPAND, expand, reshape
from gradcli.trace.calls import Calls
from gradcli.trace.items import Items
from gradcli.trace.objects import Object, is_row
from gradcli.trace.subscripts import of_first_pass, subscript
from gradcli.trace.values import Value, describe
from gradcli.trace.visits import Visit


class ElementUpdates(Calls):
    """Puts values into tensors and lists; `Updates` adds what changes tensors as a whole."""

    leaves: dict[Node, str]

    # --- x[i] = v ---

    def set_element(self, target: syntax.Index, value: Value) -> Visit:
        """Give the elements that an index chooses a value."""
        owner = yield self.visit(target.value)
        items = yield self.subscripts(target, owner)
        if self.values.is_pytorch and isinstance(owner, Node) and isinstance(value, Node):
            self.graph.span = target.span
            self._check_placed(self.values.current(owner), items, value)
        yield self._put(target, owner, items, value)

    def change_element(
        self, target: syntax.Index, statement: syntax.AugmentedAssign, value: Value
    ) -> Visit:
        """`x[i] += value`: the owner and the index are found once."""
        owner = yield self.visit(target.value)
        items = yield self.subscripts(target, owner)
        self.graph.span = target.span
        before = yield self.element(owner, items)
        if isinstance(owner, Node):
            value = self._row_beside(self.as_written(statement.value, value), owner)
            self._check_sides(f"{statement.operator}=", before, value)
            kept = self.autograd.kept(before, [value]) if isinstance(before, Node) else before
            after = yield self.operated(statement.operator, kept, value)
        else:
            after = yield self.changed(statement, before, value)
            if after is before:
                return  # a tensor has changed in place
        yield self._put(target, owner, items, after)
        if (
            isinstance(owner, Node)
            and self.values.is_pytorch
            and not any(map(_names_places, items))
        ):
            base = self.values.current(self.values.storage(self.values.current(owner))[0])
            if base in self.values.changes:  # not a grad, which is set as a whole
                self.values.changes[base] += 1  # the view has changed before it was put back

    def delete_element(self, target: syntax.Index) -> Visit:
        """`del d[k]`, `del xs[i]`, `del xs[a:b]`."""
        owner = yield self.visit(target.value)
        items = yield self.subscripts(target, owner)
        self.graph.span = target.span
        yield self.delete_by_name(owner, items)

    def delete_by_name(self, owner: Value, items: list[Any]) -> Visit:
        """`owner.__delitem__(items)`."""
        if isinstance(owner, Object):
            yield owner.delete_item(items)
        elif isinstance(owner, Items):
            self.library.sequences.delete_element(owner, items)
        else:
            raise GradcliError(
                "type",
                f"the elements of {describe(owner)} cannot be deleted",
                hint="list(x) is a list, which can change",
            )

    def set_by_name(self, owner: Value, items: list[Any], value: Value) -> Visit:
        """`owner.__setitem__(items, value)`."""
        span = self.graph.span or (0, 0)
        yield self._put(syntax.Index(syntax.Name("", span), (), span), owner, items, value)

    def changed(self, by: syntax.AugmentedAssign, before: Value, value: Value) -> Visit:
        """What `before += value` binds; what changes in place stays itself."""
        raise NotImplementedError

    def _put(self, target: syntax.Index, owner: Value, items: Sequence[Any], value: Value) -> Visit:
        from gradcli.ops.writing import numbered, overwritten  # most programs start faster without

        self.graph.span = target.span
        self.values.check_set(owner)
        if isinstance(owner, Object):
            return (yield owner.set_item(items, value))
        if isinstance(owner, Items):
            return self.library.sequences.set_element(owner, items, value)
        if not isinstance(owner, Node):
            raise GradcliError(
                "type",
                f"the elements of {describe(owner)} cannot be set",
                hint="a list can change: list(t)",
            )
        node = self.values.current(owner)
        if self.values.is_pytorch and node not in self.values.arrays:
            self._check_element(node, value)
        elif is_row(value):  # NumPy takes any sequence
            value = Items(self.values.elements(value))
        new = self.values.tensor(value, "an element")
        if isinstance(target.value, syntax.Attribute) and target.value.name == "grad":
            holder = yield self.visit(target.value.value)
            places = self.values.tensor(subscript(self.values, numbered(node), items))
            written = overwritten(node, places, _fitted(new, places, node))
            self.autograd.set_grad(holder, written, in_place=True)
            return None
        self.write(target, node, items, new)
        return None

    def _check_element(self, node: Node, value: Value) -> None:
        """Raise `type` for what PyTorch puts into no tensor: lists, texts, None."""
        if isinstance(value, Node) and value not in self.values.number_lists:
            return
        from gradcli.trace.dtype_names import TYPES  # it is a mistake
        from gradcli.trace.wrong_arguments import class_of

        kind = class_of(self.values, value)
        if kind in ("list", "tuple", "str", "NoneType"):
            said = f"can't assign a {kind} to a torch.{TYPES[self.values.array_dtype(node)]}Tensor"
            raise RefusedError(("TypeError", said), "type", f"an element is no {kind}",
                               hint="x[0] = torch.tensor(row)")  # fmt: skip

    def _check_placed(self, node: Node, items: Sequence[Any], new: Node) -> None:
        """Raise `type` where PyTorch does not convert what is put at places that a tensor or a list
        names.
        """
        named = [each for each in items if _names_places(each)]
        is_mask = all(isinstance(each, Node) and each.kind == "bool" for each in named)
        if named and (new.size != 1 or not is_mask):
            from gradcli.trace.refusals import check_demands  # few programs name places

            demands = FUNCTIONS["index_put"].demands
            check_demands(self.values, "index_put", demands, {"x": node, "values": new})

    def write(
        self, target: syntax.Syntax, node: Node, items: Sequence[Any] | None, value: Node
    ) -> None:
        """Put values into a tensor, where `items` say or everywhere; views of it, and what it is a
        view of, change too. Raises `value` for leaves and expanded tensors, `shape`.
        """
        from gradcli.ops.writing import numbered, overwritten, replaced  # most start faster without

        self.graph.span = target.span
        base, views = self.values.storage(node)
        if self._is_recorded_apart(views, value):
            from gradcli.trace.given_memory import part_detached  # few programs do so

            self.write(target, node, items, detach(value))  # what it was detached from, first
            base, views = self.values.storage(self.values.current(node))
            part_detached(self.autograd, base, views, self._put_in_place)
            base, views = self.values.storage(node)
        if self.autograd.inferred is not None:
            self.autograd.inferred.check_changed(node)
        base = self.values.current(base)
        if views and self.values.is_pytorch and self.records:
            self._check_single(base, views, items)
            if not self.autograd.unrecorded_views.isdisjoint(views):
                from gradcli.trace.refusals import view_unrecorded  # a mistake

                raise view_unrecorded()
        first = self.graph.count
        if items is None and not views:
            whole = value
        else:
            places = self.values.through(views, numbered(base))
            if items is not None:
                places = self.values.tensor(subscript(self.values, places, items))
                items = of_first_pass(items)
            self._check_apart(views, places, value)
            is_spread = _written(views, items) == "overwritten_by_places"
            put = replaced if _are_apart(views, items) else overwritten
            try:
                fitted = _fitted(value, places, base, is_spread)
            except GradcliError as error:
                from gradcli.trace.numpy_wordings import in_numpys_words  # few programs fail

                raise in_numpys_words(error, (node, base), self.values.arrays) from None
            whole = put(base, places, fitted)
            if self.values.is_pytorch:
                self.values.made_by[whole] = _written(views, items), (), {}
            if self.values.passages is not None:
                known = () if views or items is None else tuple(items)
                given = {"x": base, "values": value, "items": known, "places": places}
                made = range(first, self.graph.count)
                self.values.passages.add("write", "write", target.span, made, given, whole)
        whole = cast(whole, base.kind)
        if self.autograd.dtypes is not None:
            whole = self.autograd.dtypes.held(whole, base)
        by_places = _written(views, items) == "overwritten_by_places"
        self._become(base, views, whole, not views and (items is None or by_places))

    def _is_recorded_apart(self, views: Sequence[Node], value: Node) -> bool:
        """Whether a tensor that was detached gets a graph by what is written into it."""
        cuts = [view for view in views if view.op is DETACH]
        return (
            bool(cuts)
            and self.values.is_pytorch
            and self.records
            and self.values.data.isdisjoint(cuts)
            and self.autograd.requires_grad(value)
        )

    def _check_single(self, base: Node, views: Sequence[Node], items: Sequence[Any] | None) -> None:
        """Raise `value` where a view is one of several that `unbind` or `split` has made."""
        made_by = self.values.made_by
        is_one = any(each in made_by and made_by[each][0] in _SEVERAL for each in views)
        if is_one and self.autograd.requires_grad(base) and DETACH not in [v.op for v in views]:
            from gradcli.trace.refusals import one_of_several  # a rare error
            from gradcli.trace.suffixes import node_name

            if items is None:
                raise one_of_several(node_name(self.values, views[-1]).partition("Backward")[0])
            is_slice = any(isinstance(each, slice) for each in items)
            raise one_of_several("Slice" if is_slice else "Select")

    def _check_apart(self, views: Sequence[Node], places: Node, value: Node) -> None:
        """Raise `value` where elements that are one would become several."""
        if value.op is BIND:
            value = value.inputs[0]
        is_one = value.size == 1 or (value.op is EXPAND and value.inputs[0].size == 1)
        if is_one or not any(view.size > view.inputs[0].size for view in views):
            return
        found = self.values.evaluator.value(places).ravel().tolist()
        if len(set(found)) < len(found):
            raise GradcliError(
                "value",
                "this tensor is expanded: some of its elements are one, and cannot change apart",
                hint="x.clone() is a tensor of its own",
            )

    def _become(self, base: Node, views: Sequence[Node], whole: Node, is_whole: bool) -> None:
        """Replace a tensor, if that is allowed."""
        cuts = [view for view in views if view.op is DETACH]
        through_data = bool(cuts)
        counts = self.values.data.isdisjoint(cuts)
        silent = through_data or not self.records
        if base.op is INPUT or (base.op is LEAF and base.attributes[0]):
            if not silent:
                raise GradcliError("value", LEAF_IN_PLACE if is_whole else VIEW_IN_PLACE,
                                   hint=_HINT)  # fmt: skip
            new = leaf(detach(whole), marked=True)
        elif base.op is LEAF and self.autograd.is_leaf(base) and not self._depends(whole, base):
            new = leaf(detach(whole), marked=False)
        else:
            new = self._silently(base, whole) if silent else whole
        if base.op in (CONSTANT, LITERAL):
            raise GradcliError(
                "value",
                "which tensors would change here is not known: others may have the same value",
                hint="bind a name to the tensor first: x = zeros(3)",
            )
        self.values.overwritten.add(base)
        self.replace(base, new)
        if not counts:
            self.values.unnoticed.add(base)
            self.values.changes[new] -= 1

    def _silently(self, base: Node, whole: Node) -> Node:
        """A tensor with other values, and the graph of what it was."""
        if not self.autograd.requires_grad(base):
            return detach(whole)
        from gradcli.ops.torch_nodes import as_called  # few programs change one so

        finite = FUNCTIONS["nan_to_num"](base)
        new = detach(whole) + (finite - detach(finite))
        self.values.made_by[new] = self.values.made_by.get(base) or as_called(base)
        return new

    def _depends(self, whole: Node, base: Node) -> bool:
        """Whether a gradient would flow to another leaf than the one that changes."""
        from gradcli.walks import upstream

        return any(self.autograd.is_leaf(each) for each in upstream([whole]) if each is not base)

    def replace(self, old: Node, new: Node) -> None:
        """Put a node in the place of an old one, for all who hold that, and change the tensors that
        have the same memory.
        """
        if new is old:
            return
        self._put_in_place(old, new)
        if self.values.together:
            from gradcli.trace.given_memory import partners  # few programs set x.data

            for other in partners(self.values, new):
                marked = self.autograd.is_leaf(other)
                is_inner = self.autograd.requires_grad(other) and not marked
                same = leaf(detach(new), marked=marked)
                self._put_in_place(other, self._silently(other, new) if is_inner else same)

    def _put_in_place(self, old: Node, new: Node) -> None:
        if self.autograd.dtypes is not None and self.autograd.dtypes.has_halves:
            new = self.autograd.dtypes.put_in_half(new, old)
        if new in self.values.latest:  # equal to what it was before, which is one node with it
            new = bind(new)
        self.values.latest[old] = new
        self.values.first[new] = self.values.first.get(old, old)
        self.values.changes[new] = self.values.changes.get(old, 0) + 1
        self.values.copies.add(new)
        if old in self.values.turned and new.shape == old.shape:
            self.values.turned[new] = self.values.turned[old]
        self.values.stay_array(new, old)
        if old in self.values.parameters:
            self.values.parameters.add(new)
        self.autograd.follow(old, new)
        name = self.leaves.pop(old, None)
        if name is not None and new.op is LEAF:
            self.leaves[new] = name
            if self.values.passages is not None:
                self.values.passages.names.append((name, new))

    def changed_whole(self, operator: str, before: Node, value: Value) -> Node:
        """What `x += value` makes of a tensor."""
        if before.kind != "float" and isinstance(value, Node) and operator != "/":
            value = self.whole_beside(before, value)
        result = self.combined(operator, self.autograd.kept(before, [value]), value)
        is_told = self.values.is_pytorch or before in self.values.arrays
        if is_told and result.kind != before.kind:
            from gradcli.trace.refusals import check_kept  # kinds seldom differ

            check_kept(self.values, before, result, operator)
        if result.shape != before.shape:
            raise GradcliError(
                "shape",
                f"{operator}= would change the shape {show(before.shape)} to {show(result.shape)}",
                hint=f"bind a name to the result: x = x {operator} …",
            )
        return result


def _names_places(item: object) -> bool:
    """Whether an index is a mask, or a list or tensor of places: what is there is copied."""
    return isinstance(item, Items) or (
        isinstance(item, Node) and (bool(item.shape) or item.kind == "bool")
    )


def _are_apart(views: Sequence[Node], items: Sequence[Any] | None) -> bool:
    """Whether no element is named twice: by slices of views that show each of theirs once."""
    return not any(view.size > view.inputs[0].size for view in views) and not any(
        map(_names_places, items or ())
    )


_SEVERAL = ("unbind", "split", "split_with_sizes", "chunk")
"""What makes several views at once, none of which PyTorch lets change in place."""
LEAF_IN_PLACE = "a leaf that requires grad cannot change in place while its use is recorded"
VIEW_IN_PLACE = (
    "a part of a leaf that requires grad cannot change in place while its use is recorded"
)
_HINT = "put the line into a block, with torch.no_grad():, or change a copy: y = x.clone()"


def _fitted(value: Node, places: Node, base: Node, by_places: bool = False) -> Node:
    """A value in the shape of the places that it goes to."""
    given = value
    while value.ndim > places.ndim and value.shape[0] == 1:
        value = reshape(value, value.shape[1:])
    try:
        fitted = value if value.shape == places.shape else expand(value, places.shape)
    except GradcliError:
        from gradcli.trace.refusals import not_fitting  # a mistake

        raise not_fitting(value if by_places else given, places, by_places) from None
    return cast(fitted, base.kind)


def _written(views: Sequence[Node], items: Sequence[Any] | None) -> str:
    """What PyTorch's node is called by: where places are rows of numbers or truth values, and the
    tensor is no view, elements are put one by one.
    """
    if views or items is None:
        return "overwritten"
    whole = slice(None)
    others = [each for each in items if each is not ... and not isinstance(each, slice)]
    if any(isinstance(each, slice) and each != whole for each in items):
        return "overwritten"
    if not others:
        return "overwritten_as_a_whole"
    are_rows = all(isinstance(each, Items) or getattr(each, "shape", ()) for each in others)
    return "overwritten_by_places" if are_rows else "overwritten"
