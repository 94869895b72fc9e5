"""Calls of methods, and of what expressions give: the receiver, and the arguments of any call."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from gradcli.diagnostics import GradcliError, RefusedError
from gradcli.graph import Node
from gradcli.language import syntax
from gradcli.ops.control import bind
from gradcli.ops.table import Function
from gradcli.trace.callee import place_receiver
from gradcli.trace.dictionaries import Dictionary
from gradcli.trace.function_values import FunctionValues
from gradcli.trace.items import Items
from gradcli.trace.names import LAYOUTS
from gradcli.trace.objects import Object
from gradcli.trace.special import Special
from gradcli.trace.values import Value, describe
from gradcli.trace.visits import Visit

_TAKE_DTYPES = ("to", "type", "astype")
"""Methods whose arguments may be names of dtypes: `x.to(torch.float64)`."""
_NUMPYS_OWN = frozenset((
    "std", "var", "max", "min", "dot", "repeat", "cumsum", "cumprod", "transpose", "sort", "round",
    "argsort", "nonzero", "fill", "searchsorted",
))  # fmt: skip
"""Methods of arrays that are not what those of tensors are."""
_GIVING_ARRAYS = frozenset(("astype", "copy", "reshape", "squeeze", "view"))
"""Methods of arrays that give one, even of a single number."""
_CHANGED_OR_TAKEN = ("take", "put", "resize")
_ORDERED = ("flatten", "ravel", "reshape")
"""Those that may be told to go through columns first: `a.flatten(order='F')`."""
_OF_ROWS = ("array.dot", "array.take", "array.put")
"""Those to which a list of integers is an array of these."""


class MethodCalls(FunctionValues):
    """Evaluates arguments and calls methods; `Calls` calls functions."""

    def _method(self, expression: syntax.Call) -> Visit:
        """The value of a call of a method, or of what an expression gives."""
        callee = expression.callee
        if not isinstance(callee, syntax.Attribute):
            return (yield self._call_of_value(expression))
        name = callee.name
        if name.endswith("_") and self._changes(callee):
            return (yield self.change(callee, expression))
        owner = self.as_written(callee.value, (yield self.visit(callee.value)))
        if isinstance(owner, Object) and owner.module:
            return (yield self._call_of_held_module(owner.module, callee, expression))
        own = self._own_method(owner, callee)
        if own is not None:
            arguments, keywords = yield self._all_as_written(expression)
            return (yield own(arguments, keywords))
        is_pytorchs = self.values.is_pytorch and self.values.is_tensor(owner)
        if is_pytorchs and not self.has_method(name):
            raise self.unknown_method(callee)
        if owner in self.values.arrays and (
            name in _NUMPYS_OWN or self._is_numpys(name, expression)
        ):
            self.have_all()
            name = f"array.{name}"
        special = self._special_method(name)
        built_in = None if special else self.built_in(name, True, callee)
        arguments = [owner, *(yield self._of_method(name, expression))]
        keywords = (yield self._keywords(expression)) if expression.keywords else {}
        if name in _OF_ROWS and len(arguments) > 1:
            arguments[1:] = map(self.whole_row, expression.arguments, arguments[1:])
        self.graph.span = expression.span
        arguments += self._kept_shape(name, arguments)
        if built_in is not None:
            place_receiver(built_in, arguments, keywords)
        if is_pytorchs:
            self._check_method(name, expression, arguments, keywords)
        if special is not None:
            result = self.in_half(special(arguments, keywords))
            if name == "requires_grad_" and isinstance(result, Node):
                self.mark_in_place(callee.value, owner, result)
            return self._as_array_of(owner, name, result)
        assert built_in is not None
        result = self._applied_as_method(built_in, arguments, keywords)
        return self._as_array_of(owner, name, result)

    def _applied_as_method(
        self, function: Function, arguments: list[Value], keywords: dict[str, Value]
    ) -> Value:
        """What a function of the op table gives whose errors speak of a method."""
        try:
            return self.applied(function, arguments, keywords)
        except RefusedError as error:
            raise error.of_method() from None

    def _changes(self, callee: syntax.Attribute) -> bool:
        """Whether a method that ends in `_` changes its owner, which is no module as a value:
        `init.zeros_(w)` changes no `init`.
        """
        if callee.name in self.library.methods or callee.name.startswith("_"):
            return False
        owner = self._held(callee.value)
        return owner is None or not owner.module

    def _call_of_held_module(
        self, module: str, callee: syntax.Attribute, expression: syntax.Call
    ) -> Visit | Value:
        """The value of a call of a module's function that is written behind a value."""
        from gradcli.trace.held_modules import member_of

        function = member_of(module, self.frame.imports, callee.name, callee.span)
        given = expression.arguments, expression.keywords
        return self.call(syntax.Call(function, *given, expression.span))

    def _kept_shape(self, name: str, arguments: list[Value]) -> list[Value]:
        """The lengths for `a.view()` of an array, which gives one of the same shape."""
        owner, *given = arguments
        if (
            name != "view"
            or given
            or not isinstance(owner, Node)
            or owner not in self.values.arrays
        ):
            return []
        return [self.values.plain(each) for each in owner.shape]

    def _as_array_of(self, owner: Value, name: str, result: Value) -> Value:
        """What a method of an array gives: an array, even without axes, if it asks for none of the
        numbers.
        """
        values = self.values
        if name == "flatten" and owner in values.arrays and isinstance(result, Node):
            result = bind(result)  # NumPy always copies
            values.copies.add(result)
            values.stay_arrays(result, (owner,))
        if name in _GIVING_ARRAYS and isinstance(owner, Node) and isinstance(result, Node):
            is_array = owner in values.arrays and not values.is_number_of_numpy(owner)
            values.boxed.update([result] if is_array and not result.shape else ())
        return result

    def _is_numpys(self, name: str, expression: syntax.Call) -> bool:
        """Whether a method of an array is given what a tensor's does not take."""
        if name == "item":
            return bool(expression.arguments)
        if name in _CHANGED_OR_TAKEN:
            return True
        return name in _ORDERED and any(each.name == "order" for each in expression.keywords)

    def _own_method(
        self, owner: Value, callee: syntax.Attribute
    ) -> Callable[[list[Value], dict[str, Value]], Any] | None:
        """The method of an object, or of a number, list or string of Python's; None where it is
        another's. Raises `name`.
        """
        name = callee.name
        if isinstance(owner, Object):
            self.graph.span = callee.name_span
            try:
                return owner.method(name)
            except GradcliError:
                if (found := self._by_its_name(name, owner)) is not None:
                    return found
                raise
        if name == "grad_fn" and self.values.is_tensor(owner):
            made_by = self.attribute_of(owner, callee)
            return made_by.call if isinstance(made_by, Object) else None
        kind = self.special.numbers.class_of(owner)
        own = self._method_of_python(kind, owner, callee) if kind else None
        if own is None:
            own = self._by_its_name(name, owner)
        if own is None and (not isinstance(owner, Node) or owner in self.values.listed):
            return self._of_sequence(name, owner, callee)
        return own

    def _by_its_name(self, name: str, owner: Value) -> Special | None:
        """The method `x.__len__()`, which stands for `len(x)`; None for other names."""
        if not name.startswith("__"):
            return None
        from gradcli.trace.special_methods import by_name  # few programs write these

        return by_name(self, name, owner)

    def _of_sequence(
        self, name: str, owner: Value, callee: syntax.Attribute
    ) -> Callable[[list[Value], dict[str, Value]], Any] | None:
        """The method of a string, tuple or list; None where it is another's."""
        if owner is None:
            raise self.has_no_attribute(owner, callee)
        if name in getattr(owner, "_fields", ()):  # of a named tuple
            held = getattr(owner, name)
            return held.call if isinstance(held, Object) else None
        if name == "sort" and isinstance(owner, Items):
            return partial(self.sort_list, owner)
        if isinstance(owner, str) and name == "format":
            return partial(self.python.filled, owner)
        if isinstance(owner, Node):  # a list of tensors of one shape, which stands for a tensor
            listed = self.values.listed.get(owner)
            if name not in ("append", "extend") or not isinstance(callee.value, syntax.Name):
                return None
            holder = self.frame.holder(callee.value.id)
            assert holder is not None
            owner = holder.values[callee.value.id] = Items(list(listed or ()))
        return self.library.sequences.method(owner, name)

    def _method_of_python(
        self, kind: str, owner: Value, callee: syntax.Attribute
    ) -> Special | None:
        """The method of a number of Python's; None where it is another's. Raises `name`, also for
        lists.
        """
        from gradcli.trace.members import check_method, method_of_number

        self.graph.span = callee.name_span
        if not isinstance(owner, Node) or owner.shape:
            check_method(kind, callee.name)
            return None
        return method_of_number(self.values, owner, kind, callee.name)

    def _check_method(
        self,
        name: str,
        written: syntax.Call,
        given: list[Value],
        keywords: dict[str, Value],
    ) -> None:
        """Raise `type` where a method of a tensor is given what `_check_tensors` refuses."""
        if "dtype" in keywords:
            from gradcli.trace.given_dtypes import check_dtypes

            check_dtypes(self.special.numbers, name, written, given[1:], keywords)
        if name in self.library.methods:
            return
        if syntax.List in map(type, written.arguments) and len(given) == len(written.arguments) + 1:
            owner, *rest = given
            given = [owner, *self.all_as_written(written, rest)]
        self._check_tensors(name, given, keywords, is_method=True)

    def _call_of_value(self, expression: syntax.Call) -> Visit:
        """`grad(f)(x)`."""
        callee = expression.callee
        value = yield self.visit(callee)
        self.graph.span = callee.span
        if not isinstance(value, Object):
            from gradcli.trace.kinds_of_values import kind_of  # a mistake

            kind = kind_of(value, self.special.numbers)
            raise RefusedError(
                ("TypeError", f"'{kind}' object is not callable"),
                "type",
                "only a function can be called",
                hint="a product is written with *",
            )
        arguments, keywords = yield self._all_as_written(expression)
        return (yield value.call(arguments, keywords))

    def _all_as_written(self, expression: syntax.Call) -> Visit:
        """All arguments of what is called, lists of numbers as lists."""
        arguments = yield self.arguments(expression)
        keywords = yield self._keywords(expression)
        self.graph.span = expression.span
        return (
            self.all_as_written(expression, arguments),
            self.named_as_written(expression, keywords),
        )

    def arguments(self, expression: syntax.Call) -> Visit:
        """The arguments without names."""
        arguments: list[Value] = []
        for argument in expression.arguments:
            arguments += yield self.arguments_of(argument)
        return arguments

    def arguments_of(self, argument: syntax.Expression | syntax.Starred) -> Visit:
        """The values that an argument stands for: several for `*values`."""
        if isinstance(argument, syntax.Starred):
            value = self.as_written(argument.value, (yield self.visit(argument.value)))
            return self.values.elements(value)
        return [(yield self.visit(argument))]

    def _of_method(self, name: str, expression: syntax.Call) -> Visit:
        """The arguments of a method, which may name dtypes."""
        if name not in _TAKE_DTYPES:
            return (yield self.arguments(expression))
        from gradcli.trace.given_dtypes import by_place

        arguments: list[Value] = []
        for argument in expression.arguments:
            dtype = by_place(argument, self.frame)
            arguments += [dtype] if dtype else (yield self.arguments_of(argument))
        return arguments

    def _keywords(self, expression: syntax.Call) -> Visit:
        keywords: dict[str, Value] = {}
        for keyword in expression.keywords:
            if keyword.name == "**":
                keywords |= yield self._spread(keyword)
                continue
            if keyword.name in keywords:
                self.graph.span = keyword.span
                raise GradcliError(
                    "type", f"{keyword.name} is given twice", hint="leave one of them out"
                )
            named = keyword.name == "dtype" or keyword.name in LAYOUTS
            dtype = self._named_dtype(keyword.value) if named else None
            keywords[keyword.name] = dtype or (yield self.visit(keyword.value))
        return keywords

    def _named_dtype(self, value: syntax.Expression) -> str | None:
        """The dtype that `dtype=…` names, unless the name is bound to one."""
        from gradcli.trace.given_dtypes import by_name

        return by_name(value, self.frame)

    def _spread(self, keyword: syntax.Keyword) -> Visit:
        """The arguments that `**options` stands for."""
        value = yield self.visit(keyword.value)
        self.graph.span = keyword.span
        if not isinstance(value, Dictionary):
            raise GradcliError("type", f"** takes a dictionary, not {describe(value)}")
        pairs = dict(value.pairs())
        if not all(isinstance(key, str) for key in pairs):
            raise GradcliError("type", "the keys of arguments are strings", hint="{'lr': 0.1}")
        return pairs

    def _held(self, callee: syntax.Expression) -> Object | None:
        """The function, layer … that a name or an imported name is bound to in the program."""
        raise NotImplementedError

    # --- what changes in place ---

    def set_by_name(self, owner: Value, items: list[Any], value: Value) -> Visit:
        """`owner.__setitem__(items, value)`."""
        raise NotImplementedError

    def delete_by_name(self, owner: Value, items: list[Any]) -> Visit:
        """`owner.__delitem__(items)`."""
        raise NotImplementedError

    def change(self, callee: syntax.Attribute, expression: syntax.Call) -> Visit:
        """A method that changes a tensor in place: `w.sub_(…)`."""
        raise NotImplementedError

    def mark_in_place(self, owner: syntax.Expression, old: Value, new: Node) -> None:
        """`x.requires_grad_()` has made a leaf of a tensor."""
        raise NotImplementedError
