"""Expressions: the value of each kind of syntax node."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from types import GeneratorType
from typing import Any

from gradcli.diagnostics import Advice, GradcliError, Span, input_of, nearest
from gradcli.graph import EMPTY, Node
from gradcli.language import syntax
from gradcli.ops import FUNCTIONS
from gradcli.ops.control import BIND, detach
from gradcli.trace.callee import ROOTS, is_module, path_of
from gradcli.trace.dictionaries import Dictionary, pairs_of
from gradcli.trace.frames import Frame, UserFunction
from gradcli.trace.items import Device, Generated, Items, NumpyDtype, Unquoted
from gradcli.trace.iterators import Walked, taken
from gradcli.trace.objects import DOTS, BuiltIn, Object, attribute_or_method
from gradcli.trace.operations import Operations
from gradcli.trace.special import Size
from gradcli.trace.subscripts import MovingSlice, moving_slice, of_first_pass, subscript
from gradcli.trace.values import NO_GRAD_YET, Give, Value, Values, describe
from gradcli.trace.visits import ATOMS, Visit, Visitor

CONSTANTS = {"pi": math.pi, "e": math.e, "inf": math.inf, "nan": math.nan}


class Expressions(Operations):
    """Evaluates expressions; `Calls` adds calls, and `Tracer` statements."""

    window: syntax.Index | None = None
    """The items of a list that is copied at once, if these may be slices at computed places."""

    docstring: str | None = None
    """The string that the program begins with."""

    def visitors(self) -> dict[type[Any], Visitor]:
        return {
            syntax.Number: self.numerals.number,
            syntax.Constant: self._constant,
            syntax.String: self._string,
            syntax.ByteString: self._bytes,
            syntax.Name: self._name,
            syntax.List: self._list,
            syntax.Tuple: self._tuple,
            syntax.Unary: self.unary,
            syntax.Binary: self.binary,
            syntax.Compare: self.compare,
            syntax.Call: self.call,
            syntax.Attribute: self._attribute,
            syntax.Index: self._index,
            syntax.Conditional: self._conditional,
            syntax.Lambda: self._lambda,
            syntax.Comprehension: self._comprehension,
            syntax.Template: self._template,
            syntax.Walrus: self._naming,
            syntax.DictLiteral: self._dictionary,
            syntax.Ellipsis: lambda _: DOTS,
            syntax.Imaginary: self._imaginary,
        }

    def call(self, expression: syntax.Call) -> Visit | Value:
        """The value of a call of any kind, or the visitor that finds it."""
        raise NotImplementedError

    # --- atoms ---

    def _constant(self, expression: syntax.Constant) -> Node | None:
        return None if expression.value is None else self.graph.constant(expression.value)

    def _imaginary(self, expression: syntax.Imaginary) -> Value:
        """`2j`. Raises `type` where numbers are no numbers of Python's."""
        self.graph.span = expression.span
        if not self.values.is_python:
            number = expression.text[:-1]
            raise GradcliError(
                "type", f"`{expression.text}` is a complex number: all are real here",
                hint=f"{number}*j is a product; cells that import torch have complex numbers",
            )  # fmt: skip
        return self.complex_number(complex(expression.text))

    def _string(self, expression: syntax.String) -> Value:
        return expression.value

    def _bytes(self, expression: syntax.ByteString) -> Value:
        from gradcli.trace.byte_strings import RowOfBytes  # few programs have them

        self.values.is_python = True
        self.graph.span = expression.span
        return RowOfBytes(self.values, expression.value)

    def _name(self, expression: syntax.Name) -> Value:
        name, inner = expression.id, self.frame
        frame = inner if name in inner.values else inner.holder(name)
        if frame is not None:
            value = frame.values[name]
            if self.values.latest and isinstance(value, Node):
                return self.values.current(value)
            return value
        self.graph.span = expression.span
        owner = inner.owner(name)
        if owner is not None:
            from gradcli.trace.refusals import before_its_value  # a mistake

            raise before_its_value(name, owner is inner.of_body)
        if name in CONSTANTS and self._is_bare_constant(name):
            return self.graph.constant(CONSTANTS[name])
        if expression.id == "__name__":
            return "__main__"
        if expression.id == "__file__" and self.autograd.source.name != "program":
            return self.autograd.source.name
        if name == "__doc__" and self.values.is_python:
            return self.docstring
        if name == "Ellipsis":
            return DOTS
        found = self.function_value(expression)
        if found is None:
            from gradcli.trace.own_errors import class_of_errors, is_error  # few come here

            if is_error(expression.id):
                found = class_of_errors(expression.id, self.python.written)
        if found is None:
            raise self._unknown_name(expression.id)
        return found

    def _is_bare_constant(self, name: str) -> bool:
        """Whether `pi` or `e` is a number: with PyTorch, only those of modules are."""
        return self.frame.function(name) is None and not self.values.is_pytorch

    def function_value(self, callee: syntax.Name | syntax.Attribute) -> Value:
        """A function, constant or dtype that a name or a module's member stands for, else None."""
        raise NotImplementedError

    def _unknown_name(self, name: str) -> GradcliError:
        guess = nearest(name, self.frame.names() | CONSTANTS.keys())
        hint: str
        if name in FUNCTIONS or self.frame.function(name):
            hint = f"{name} is a function: call it as {name}(…)"
        elif name in ROOTS:
            hint = "there are no modules: gradcli ops lists all functions"
        elif guess:
            hint = f"did you mean {guess!r}?"
        else:
            hint = Advice("give it a value: ", input_of(name))
        return GradcliError("name", f"the name {name!r} has no value", hint=hint)

    # --- lists ---

    def _list(self, expression: syntax.List) -> Visit | Value:
        array = self.numerals.array(expression)
        return self._items(expression) if array is None else array

    def _items(self, expression: syntax.List) -> Visit:
        return Items((yield self._several(expression.items)))

    def _tuple(self, expression: syntax.Tuple) -> Visit:
        return tuple((yield self._several(expression.items)))

    def _several(self, items: Sequence[syntax.Expression]) -> Visit | list[Value]:
        """The values of items, of which `*values` is several; or the visitor that finds them."""
        found: list[Any] = []
        for place, item in enumerate(items):
            if type(item) is syntax.Starred:
                return self._going_on(found, items[place:])
            value: Any = self.at_once(item)
            if value.__class__ is GeneratorType:
                return self._going_on(found, items[place:], value)
            found.append(self.as_written(item, value))
        return found

    def _going_on(
        self,
        found: list[Value],
        items: Sequence[syntax.Expression],
        begun: Visit | Value = None,
    ) -> Visit:
        """The values of further items, behind those that were found; the first may be `begun`."""
        for item in items:
            if type(item) is syntax.Starred:
                value = self.as_written(item.value, (yield self.visit(item.value)))
                found += self.values.elements(value)
            else:
                value = yield (self.visit(item) if begun is None else begun)
                found.append(self.as_written(item, value))
                begun = None
        return found

    def _dictionary(self, expression: syntax.DictLiteral) -> Visit:
        found = Dictionary(self.values)
        for pair in expression.pairs:
            if isinstance(pair, syntax.Keyword):
                others = yield self.visit(pair.value)
                self.graph.span = pair.span
                if not isinstance(others, Object) or "items" not in others.methods():
                    raise GradcliError("type", f"** takes a dictionary, not {describe(others)}")
                found.become([*found.pairs(), *pairs_of(self.values, [others], {})])
                continue
            key, value = yield self._pair(pair)
            self.graph.span = pair.span
            found.put(key, value)
        return found

    def _pair(self, pair: syntax.Pair) -> Visit:
        key = yield self.visit(pair.key)
        return key, self.as_written(pair.value, (yield self.visit(pair.value)))

    def _template(self, expression: syntax.Template) -> Visit:
        """An f-string: its values are looked at now."""
        parts: list[str] = []
        for piece in expression.pieces:
            parts.append(piece if isinstance(piece, str) else (yield self._field(piece)))
        self.graph.span = expression.span
        return self.python.joined(parts)

    def _field(self, field: syntax.Field) -> Visit:
        value = self.as_written(field.value, (yield self.visit(field.value)))
        parts = []
        for piece in field.format:
            parts.append(piece if isinstance(piece, str) else (yield self._field(piece)))
        self.graph.span = field.span
        if isinstance(value, Items | tuple | Dictionary):
            yield self.note_texts(value)
        own = isinstance(value, Object) and not field.conversion and value.special("__format__")
        if own:
            return self.python.joined([(yield own.call(["".join(parts)], {}))])
        if isinstance(value, Object) and field.conversion != "r":
            value = yield self.text_of(value)
            self.graph.span = field.span
        elif field.conversion or isinstance(value, NumpyDtype):
            value = self.python.written(value, quoted=field.conversion != "s")
        return self.python.formatted(value, "".join(parts))

    # --- functions and choices ---

    def _conditional(self, expression: syntax.Conditional) -> Visit:
        test = yield self.visit(expression.test)
        self.graph.span = expression.test.span
        chosen = expression.value if self.values.truth(test) else expression.otherwise
        return self.as_written(chosen, (yield self.visit(chosen)))

    def _naming(self, expression: syntax.Walrus) -> Visit:
        """`name := value`."""
        value = self.as_written(expression.value, (yield self.visit(expression.value)))
        frame = self.frame.of_body
        self.hold(frame.binder(expression.name), expression.name, value)
        return value

    def _lambda(self, expression: syntax.Lambda) -> Visit | Value:
        body = (syntax.Return(expression.value, expression.value.span),)
        definition = syntax.FunctionDefinition(
            "lambda", expression.parameters, body, (), expression.span
        )
        function = UserFunction(definition, self.frame, self.user_call)
        return self.with_defaults(function) if expression.parameters else function

    def with_defaults(self, function: UserFunction) -> Visit:
        """A function with the defaults of its parameters as they are where it is defined. What
        cannot be computed there is an error where a call needs it.
        """
        for parameter in function.definition.parameters:
            if parameter.default is not None:
                try:
                    value = yield self.visit(parameter.default)
                except GradcliError:
                    continue
                value = self.as_written(parameter.default, value)
                function.defaults[parameter.name] = value
        return function

    def user_call(
        self, function: UserFunction, arguments: list[Value], keywords: dict[str, Value]
    ) -> Visit:
        """The value of a call of the user's function."""
        raise NotImplementedError

    def hold(self, frame: Frame, name: str, value: Value) -> None:
        """Give a name of a frame a value; functions have a namespace of their own."""
        if isinstance(value, UserFunction):
            frame.functions[name] = value
        else:
            frame.values[name] = value

    def text_of(self, value: Value) -> Any:
        """What an object's `__str__` or `__repr__` gives, or the value itself."""
        raise NotImplementedError

    def note_texts(self, value: Value) -> Visit:
        """Ask the objects in a list, tuple or dictionary for their `__repr__`."""
        raise NotImplementedError

    def step(self, span: Span) -> None:
        """Count a step of a loop."""
        raise NotImplementedError

    def unpack(self, target: syntax.Target, value: Value) -> Visit:
        """Give the names of a tuple the parts of a value."""
        raise NotImplementedError

    def lazily(self, run: Callable[[Give], Visit], frame: Frame) -> Visit:
        """The items that a visitor gives, which goes on as they are asked for."""
        raise NotImplementedError

    def _comprehension(self, expression: syntax.Comprehension) -> Visit:
        """A list; its names are seen inside only."""
        outer = self.frame
        opening = self.autograd.source.text[expression.span[0]]
        is_later = self.values.is_python and opening not in "[{"
        clause = expression.clauses[0]
        first = self._turns(clause, (yield self.visit(clause.iterable))) if is_later else None
        self.frame = frame = Frame(outer)
        frame.of_comprehension = True
        items: list[Any] = []
        try:
            if first is not None:
                found = yield self.lazily(partial(self._each, expression, [first]), frame)
                return Walked(self.values, "<genexpr>", found)
            first = self._turns(clause, (yield self.visit(clause.iterable)))
            yield self._each(expression, [first], items.append)
        finally:
            self.frame = outer
        if isinstance(expression.item, syntax.Pair):
            return Dictionary(self.values, items)
        return Items(items) if opening in "[{" else Generated("<genexpr>", items)

    def _turns(self, clause: syntax.Clause, iterable: Value) -> Iterator[Value]:
        """What a loop of a comprehension runs over, one by one."""
        iterable = self.as_written(clause.iterable, iterable)
        self.graph.span = clause.iterable.span
        return taken(self.values, iterable)

    def _each(
        self, expression: syntax.Comprehension, loops: list[Iterator[Value]], give: Give
    ) -> Visit:
        """Run the loops, of which the first is there, and give each item."""
        clauses, item = expression.clauses, expression.item
        while loops:
            if not (yield self._next(clauses[len(loops) - 1], loops[-1])):
                loops.pop()
            elif len(loops) < len(clauses):
                clause = clauses[len(loops)]
                loops.append(self._turns(clause, (yield self.visit(clause.iterable))))
            elif isinstance(item, syntax.Pair):
                yield give((yield self._pair(item)))
            else:
                yield give((yield self.visit(item)))

    def _next(self, clause: syntax.Clause, turns: Iterator[Value]) -> Visit:
        """Bind the names of a loop to its next values that pass its tests."""
        for value in turns:
            self.step(clause.span)
            if isinstance(clause.target, syntax.Name):
                self.hold(self.frame, clause.target.id, value)
            else:
                yield self.unpack(clause.target, value)
            for test in clause.tests:
                found = yield self.visit(test)
                self.graph.span = test.span
                if not self.values.truth(found):
                    break
            else:
                return True
        return False

    # --- indexing and attributes ---

    def _index(self, expression: syntax.Index) -> Visit | Value:
        """Found at once where the tensor and each index are; or its visitor."""
        owner: Any = self.at_once(expression.value)
        if owner.__class__ is not Node or type(expression.value) is syntax.List:
            return self._index_later(expression, owner)
        items: list[Any] = []
        for item in expression.items:
            index: Any = None if type(item) not in ATOMS else self.visit(item)  # type: ignore[arg-type]
            if index.__class__ is not Node:
                return self._index_later(expression, owner)
            items.append(index)
        self.graph.span = expression.span
        element: Value = self.element(owner, items)
        return element

    def _index_later(self, expression: syntax.Index, owner: Visit | Value) -> Visit:
        value = yield owner
        if type(expression.value) is syntax.List:
            value = self.as_written(expression.value, value)
        items = yield self.subscripts(expression, value)
        self.graph.span = expression.span
        return (yield self.element(value, items))

    def element(self, owner: Value, items: list[Any]) -> Any:
        """`owner[items]`, or the visitor that finds it."""
        if isinstance(owner, Object):
            found = owner.item(items)
            if found is not None or owner.holds_none:
                return self.as_it_was(found) if isinstance(owner, Dictionary) else found
            owner = owner.elements()
        found = subscript(self.values, owner, items)
        if isinstance(owner, Node) and isinstance(found, Node) and self.values.is_pytorch:
            found = self._taken(owner, of_first_pass(items), found)
        if type(owner) is Size and type(found) is tuple:
            found = Size(found)
        if self.values.arrays:
            self.values.stay_arrays(found, (owner,))
            if isinstance(found, Node) and not found.shape and found in self.values.arrays:
                if any(each is Ellipsis for each in items):
                    self.values.boxed.add(found)  # an array without axes, and a view
                else:
                    self.values.copies.add(found)  # a number of NumPy's is no view
        return self.as_it_was(found) if isinstance(owner, Items | tuple) else found

    def _taken(self, owner: Node, items: list[Any], found: Node) -> Node:
        """A part of a tensor, with what PyTorch says has made it."""
        is_slice = len(items) == 1 and isinstance(items[0], slice)
        made_by = "slice" if is_slice else "alias", (owner,), EMPTY
        if found is owner:
            return self.autograd.another(owner, *made_by)
        if self.values.made_by.get(found, made_by)[0] == "unbind":  # as of a loop before
            self.values.made_by[found] = "select", (owner,), EMPTY
        if found.op is BIND and found.inputs == (owner,):
            self.values.made_by[found] = made_by
        elif len(items) > 1 and any(each is None or type(each) is slice for each in items):
            from gradcli.trace.slices import last_step  # few programs have such parts

            if (step := last_step(owner, items)) is not None:
                self.values.made_by[found] = step, (owner,), EMPTY
        return found

    def subscripts(self, expression: syntax.Index, owner: Value) -> Visit:
        """What stands in brackets behind a value: values, slices and `...`; a tuple is several."""
        items: list[Any] = []
        for item in expression.items:
            if isinstance(item, syntax.Slice):
                bounds = []
                for bound in (item.lower, item.upper, item.step):
                    bounds.append(None if bound is None else (yield self.visit(bound)))
                self.graph.span = item.span
                items.append(self._slice(bounds, owner, is_copied=expression is self.window))
            else:
                found = yield self.visit(item)
                if isinstance(item, syntax.List) and _has_lists(item):
                    found = self.as_written(item, found)
                is_key = isinstance(owner, Object) and owner.takes_keys
                several = found if isinstance(found, tuple) and not is_key else (found,)
                items += [getattr(each, "bounds", each) for each in several]  # slice(0, 3), dots
        return items

    def _slice(
        self, bounds: list[Value], owner: Value, *, is_copied: bool
    ) -> slice | MovingSlice | Node:
        """A slice, or the places in it, if what it takes of the owner is copied at once."""
        if is_copied:
            from gradcli.trace.windows import places_between  # few programs have them

            places = places_between(self.values, owner, bounds)
            if places is not None:
                return places
        if self.values.any_pass is not None and isinstance(owner, Node):
            moving = moving_slice(self.values, bounds)
            if moving is not None:
                return moving
        if isinstance(owner, Object) and owner.takes_bounds:
            return slice(*bounds)
        place = self.values.place
        return slice(*[None if each is None else place(each, "a slice's bound") for each in bounds])

    def _attribute(self, expression: syntax.Attribute) -> Visit:
        owner, name = expression.value, expression.name
        is_usual = not self.values.members_given
        if name in CONSTANTS and is_usual and is_module(owner, self.frame):
            return self.graph.constant(CONSTANTS[name])
        path = path_of(expression)
        if path is not None and path[0] not in self.frame:
            self.graph.span = expression.span
            found = self.function_value(expression)
            from gradcli.trace.imports import is_none

            if found is not None or is_none(path, self.frame.imports):
                return found
        value = yield self.visit(owner)
        self.graph.span = expression.span
        return (yield from self.attribute_at(value, expression))

    def attribute_at(self, value: Value, expression: syntax.Attribute) -> Visit:
        """The attribute of a value that stands before its name."""
        attribute: Any = self.attribute_of(value, expression)
        return (yield attribute) if type(attribute) is GeneratorType else attribute

    def dtype_of(self, node: Node) -> str:
        """The name of a tensor's dtype, or of an array's."""
        name = self.autograd.dtype_of(node)
        return Unquoted(name if node in self.values.arrays else f"torch.{name}")

    def bound_method(self, owner: Value, name: str) -> BuiltIn | None:
        """A method as a value: `f = x.sum`; None where there is none of that name."""
        raise NotImplementedError

    def unbound_method(self, name: str) -> BuiltIn | None:
        """A method of tensors as a value: `torch.Tensor.sum`; None where there is none."""
        raise NotImplementedError

    def attribute_of(self, value: Value, expression: syntax.Attribute) -> Value:
        if isinstance(value, NumpyDtype) and expression.name == "__name__":
            return value.removeprefix("torch.")
        kind = self.special.numbers.class_of(value)
        own = self._of_python(kind, value, expression) if kind else None
        return self._attribute_of(value, expression) if own is None else own

    def _of_python(self, kind: str, value: Value, expression: syntax.Attribute) -> Value:
        """An attribute of a number of Python's; None where it is another's. Raises `name`, also for
        lists.
        """
        from gradcli.trace.members import attribute_of_number, check_member

        self.graph.span = expression.name_span
        if isinstance(value, Node) and not value.shape:
            return attribute_of_number(self.values, value, kind, expression.name)
        check_member(kind, expression.name)
        return None

    def _of_class(self, value: Object, name: str) -> BuiltIn | None:
        """A method of `torch.Tensor`, where the value is that."""
        is_class = value.__class__ is BuiltIn and value.shown() == "<class 'torch.Tensor'>"
        return self.unbound_method(name) if is_class else None

    def _attribute_of(self, value: Value, expression: syntax.Attribute) -> Value:
        name = expression.name
        if isinstance(value, Node):
            if name in _TURNS:
                oldest = self.graph.count
                turned: Node = self.values.new(FUNCTIONS[_TURNS[name]](value), oldest)
                self.values.stay_arrays(turned, (value,))
                self.values.made_by[turned] = name, (value,), {}
                return turned
            if name in _PROPERTIES:
                return _PROPERTIES[name](self, value)
        if isinstance(value, Object):
            self.graph.span = expression.name_span
            method = self._of_class(value, name)
            found: Value = attribute_or_method(value, name) if method is None else method
            return self.as_it_was(found) if value.stores(name) else found
        if isinstance(value, Items) and name in ATTRIBUTES:
            return self.attribute_of(self.values.tensor(value), expression)
        fields: tuple[str, ...] = getattr(value, "_fields", ())
        if fields and name == "_fields":
            return fields
        if name in fields:
            place: Value = tuple(value)[fields.index(name)]  # type: ignore[arg-type]
            return place
        if self.values.is_python and not fields:
            from gradcli.trace import tensor_attributes

            more = tensor_attributes.found(self.autograd, value, name)
            if more is not tensor_attributes.NOTHING:
                return more  # type: ignore[no-any-return]
        bound = self.bound_method(value, name)
        if bound is not None:
            return bound
        raise self.has_no_attribute(value, expression)

    def has_no_attribute(self, value: Value, expression: syntax.Attribute) -> GradcliError:
        """The error for an attribute that there is not."""
        name = expression.name
        known = getattr(value, "_fields", ()) or ATTRIBUTES
        guess = nearest(name, known)
        if value is None:
            hint = NO_GRAD_YET
        elif name in FUNCTIONS:
            hint = f"{name} is a method: call it as .{name}(…)"
        else:
            hint = f"did you mean .{guess}?" if guess else f"there are .{', .'.join(known)}"
        self.graph.span = expression.name_span
        error = GradcliError("name", f"{describe(value)} has no attribute {name!r}", hint=hint)
        from gradcli.trace.numpy_wordings import in_numpys_words  # few programs fail

        return in_numpys_words(error, (value,), self.values.arrays)


def _has_lists(written: syntax.List) -> bool:
    return bool(written.items) and isinstance(written.items[0], syntax.List)


def _grad_fn(expressions: Expressions, node: Node) -> Value:
    """Which node of PyTorch's graph made it, if any."""
    if expressions.autograd.is_leaf(node):
        return None
    from gradcli.trace.graph_nodes import graph_node

    return graph_node(expressions.autograd, node)


def data_of(values: Values, node: Node) -> Node:
    """The tensor's elements, which may change without backward's knowing."""
    found = detach(node)
    values.data.add(found)
    return found


_TURNS = {"T": "t", "H": "t", "mT": "matrix_transpose", "mH": "matrix_transpose"}
"""Attributes that are a tensor transposed, and the functions that do it: all numbers are real."""
_PROPERTIES: dict[str, Callable[[Expressions, Node], Value]] = {
    "shape": lambda tracer, node: tracer.special.shape(node),
    "ndim": lambda tracer, node: tracer.graph.constant(float(node.ndim)),
    "data": lambda tracer, node: data_of(tracer.values, node),
    "grad": lambda tracer, node: tracer.autograd.grad_of(node),
    "requires_grad": lambda tracer, node: tracer.graph.constant(
        tracer.autograd.requires_grad(node) or node in tracer.autograd.unrecorded_views
    ),
    "is_leaf": lambda tracer, node: tracer.graph.constant(
        tracer.autograd.is_leaf(node) or not tracer.autograd.requires_grad(node)
    ),
    "grad_fn": _grad_fn,
    "dtype": lambda tracer, node: tracer.dtype_of(node),
    "device": lambda tracer, node: Device("cpu"),
}
"""What is known of a tensor, by attribute."""
ATTRIBUTES = ("T", "mT", *_PROPERTIES)
"""Attributes of lists that stand for tensors."""
