"""`torch.utils._pytree`: functions of the tensors in dictionaries, lists and tuples."""

from __future__ import annotations

from typing import Any

from gradcli.diagnostics import GradcliError
from gradcli.trace.arguments import bind_names
from gradcli.trace.items import Items
from gradcli.trace.kinds_of_values import is_of_kinds
from gradcli.trace.objects import Given, Object
from gradcli.trace.printing import PrintedNumbers
from gradcli.trace.special import Special
from gradcli.trace.trees import filled, tensors
from gradcli.trace.values import Value, Values

_MODULE = "torch.utils._pytree"


class TreeForm(Object):
    """What a tree is apart from its leaves."""

    what = "the form of a tree"
    title = "TreeSpec"

    def __init__(self, like: Value, leaves: int) -> None:
        self.like = like
        self.leaves = leaves

    def attribute(self, name: str) -> Any:
        return self.leaves if name == "num_leaves" else super().attribute(name)


class PyTrees:
    """The functions by name. A leaf is whatever is no dictionary, list or tuple; None is one."""

    def __init__(self, values: Values) -> None:
        self.values = values
        self._numbers = PrintedNumbers(values)
        self.methods: dict[str, Special] = {}
        self.functions: dict[str, Special] = {
            f"{_MODULE}.tree_map": self._map,
            f"{_MODULE}.tree_map_only": self._map_only,
            f"{_MODULE}.tree_flatten": self._flatten,
            f"{_MODULE}.tree_unflatten": self._unflatten,
            f"{_MODULE}.tree_leaves": self._leaves,
            f"{_MODULE}.tree_structure": self._structure,
        }

    def _map(self, arguments: list[Value], keywords: Given) -> Any:
        """`tree_map(f, tree, *others)`, whose trees have one form."""
        given: list[Value] = [*arguments, *keywords.values()]
        function, trees = given[0] if given else None, given[1:]
        if not isinstance(function, Object) or not trees:
            raise GradcliError("type", "tree_map takes a function and a tree",
                               hint="tree_map(lambda p: 2 * p, params)")  # fmt: skip
        columns = [tensors(self.values, each) for each in trees]
        if any(len(each) != len(columns[0]) for each in columns):
            raise GradcliError("value", "tree_map: the trees are not of one form")
        found: list[Value] = []
        for row in zip(*columns, strict=True):
            found += [(yield function.call(list(row), {}))]
        return filled(self.values, trees[0], found)

    def _map_only(self, arguments: list[Value], keywords: Given) -> Any:
        names = ("type_or_types_or_pred", "func", "tree")
        given = bind_names("tree_map_only", names, arguments, keywords)
        kinds, function, tree = (given[name] for name in names)
        if not isinstance(function, Object):
            raise GradcliError("type", "tree_map_only takes a class, a function and a tree")
        found: list[Value] = []
        for each in tensors(self.values, tree):
            is_meant = is_of_kinds(each, kinds, self._numbers)
            found += [(yield function.call([each], {})) if is_meant else each]
        return filled(self.values, tree, found)

    def _flatten(self, arguments: list[Value], keywords: Given) -> Value:
        return self._leaves(arguments, keywords), self._structure(arguments, keywords)

    def _leaves(self, arguments: list[Value], keywords: Given) -> Value:
        (tree,) = bind_names("tree_leaves", ("tree",), arguments, keywords).values()
        return Items(tensors(self.values, tree))

    def _structure(self, arguments: list[Value], keywords: Given) -> TreeForm:
        (tree,) = bind_names("tree_structure", ("tree",), arguments, keywords).values()
        return TreeForm(tree, len(tensors(self.values, tree)))

    def _unflatten(self, arguments: list[Value], keywords: Given) -> Value:
        names = ("leaves", "treespec")
        given = bind_names("tree_unflatten", names, arguments, keywords)
        leaves, form = self.values.elements(given["leaves"]), given["treespec"]
        if not isinstance(form, TreeForm):
            raise GradcliError("type", "tree_unflatten takes leaves, and what tree_flatten gave")
        if len(leaves) != form.leaves:
            raise GradcliError("value", f"the tree has {form.leaves} leaves, not {len(leaves)}")
        return filled(self.values, form.like, leaves)
