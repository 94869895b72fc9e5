"""Assignments: the values that a program binds its names to, and those that it ends on."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from gradcli.diagnostics import GradcliError, Note, RefusedError, Source, Span
from gradcli.graph import CONSTANT, INPUT, Graph, Node
from gradcli.language import syntax
from gradcli.ops.control import DETACH, LEAF, bind, leaf
from gradcli.ops.table import Function
from gradcli.trace.autograd import Autograd
from gradcli.trace.callee import MODULES, path_of
from gradcli.trace.frames import UserFunction
from gradcli.trace.items import Items
from gradcli.trace.names import parts_of
from gradcli.trace.numerals import Numerals
from gradcli.trace.objects import Object
from gradcli.trace.operators import binary
from gradcli.trace.updates import Updates
from gradcli.trace.values import Value, Values, describe
from gradcli.trace.visits import Visit
from gradcli.tuples import NamedTuple


class Binding(NamedTuple):
    """A value that the program ends on, and its name if it has one."""

    name: str | None
    value: Value
    span: Span | None = None


class Bindings(Updates):
    """Runs assignments; `Tracer` adds the other statements."""

    def __init__(
        self,
        graph: Graph,
        values: Values,
        autograd: Autograd,
        numerals: Numerals,
        source: Source,
        inputs: Mapping[str, Node],
        retains: Callable[[str], bool],
        table: Mapping[str, Function],
    ) -> None:
        super().__init__(graph, values, autograd, numerals, table)
        self.source = source
        self.notes = autograd.notes
        self.inputs = dict(inputs)
        self.globals = self.frame
        self.globals.values.update(inputs)
        self._ends: list[Binding] | tuple[syntax.Name, Value] | None = None
        """What `last` is, or a name that was given a value last of all, and the value."""
        self._retains = retains
        self._rebound: set[str] = set()

    @property
    def last(self) -> list[Binding] | None:
        """The values of the last top-level expression or assignment: several for a tuple, and no
        value for an expression that is None. None where there was no such statement.
        """
        if isinstance(self._ends, tuple):
            self._ends = as_outputs(*self._ends)
        return self._ends

    @last.setter
    def last(self, bindings: list[Binding] | None) -> None:
        self._ends = bindings

    def assign(self, statement: syntax.Assign) -> Visit | None:
        """Done at once where the value is a tensor that is found at once; or its visitor."""
        if type(statement.value) is syntax.Attribute and self._names_module(statement):
            return None
        value = self.visit(statement.value)
        if value.__class__ is Node:
            return self._assign(statement, statement.target, value)
        return self._assign_later(statement, value)

    def _names_module(self, statement: syntax.Assign) -> bool:
        """Let a name stand for a module from now on: `F = torch.nn.functional`."""
        path, target = path_of(statement.value), statement.target
        if not path or path[0] not in self.frame.imports or not isinstance(target, syntax.Name):
            return False
        if self.frame.of_class:  # which has it as an attribute
            return False
        module = ".".join([self.frame.imports[path[0]], *path[1:]])
        if module not in MODULES:
            return False
        self.frame.imports[target.id] = module
        return True

    def _assign_later(self, statement: syntax.Assign, value: Visit | Value) -> Visit:
        rest = self._assign(statement, statement.target, (yield value))
        if rest is not None:
            yield rest

    def chained_assign(self, statement: syntax.ChainedAssign) -> Visit:
        value = yield self.visit(statement.value)
        for target in statement.targets:
            yield self._assign(statement, target, value)

    def _assign(
        self,
        statement: syntax.Assign | syntax.ChainedAssign,
        target: syntax.Target,
        value: Value,
    ) -> Visit | None:
        """Give a target a value; the visitor that does it, unless the target is a name."""
        self.graph.span = statement.span
        value = self.as_written(statement.value, value)
        if isinstance(target, syntax.Name):
            self.bind(target.id, self._settled(statement.value, value, target.id))
            self._ends_on_name(target)
            return None
        if isinstance(target, syntax.Tuple):
            return self._assign_parts(statement.value, target, value)
        if isinstance(target, syntax.Index):
            return self.set_element(target, value)
        return self.set_attribute(target, value)

    def _assign_parts(
        self, expression: syntax.Expression, target: syntax.Tuple, value: Value
    ) -> Visit:
        if isinstance(expression, syntax.Tuple) and isinstance(value, tuple):
            pairs = zip(expression.items, value, strict=False)
            if len(value) == len(expression.items):
                value = tuple(
                    self._settled(part, self.as_written(part, each), "") for part, each in pairs
                )
        yield from self.unpack(target, value)
        self._ends_on(target.items)

    def _settled(self, expression: syntax.Expression, value: Value, name: str) -> Value:
        """The value as it is bound: list literals as tensors, top-level literals as leaves."""
        if self.values.is_pytorch:
            return value
        if isinstance(expression, syntax.List):
            if self.values.is_python:
                return self.as_written(expression, value)
            value = self._listed(value, keeps=not self._retains(name))
        if (
            self.frame is self.globals
            and isinstance(value, Node)
            and value.kind == "float"
            and value.op not in (DETACH, LEAF)
            and self._reads_no_name(expression)
        ):
            made = leaf(value, marked=False)
            self.values.stay_array(made, value)
            return made
        return value

    def _listed(self, value: Value, *, keeps: bool) -> Value:
        """What is written as a list: one of equal shapes as a tensor, which `keeps` its elements; a
        ragged one stays a list.
        """
        if isinstance(value, Items) and value:
            try:
                value = self.values.as_list(value) if keeps else self.values.tensor(value)
            except GradcliError:
                return value
        if isinstance(value, Node) and value.ndim == 1 and value.known is not None:
            self.values.number_lists.add(value)
        return value

    def _reads_no_name(self, expression: syntax.Expression) -> bool:
        """Whether the value comes from literals, constants and constructors alone."""
        if isinstance(expression, syntax.Number):
            return True
        if isinstance(expression, syntax.List) and self.numerals.is_array(expression):
            return True
        values = self.globals.values
        stack: list[Any] = [expression]
        while stack:
            part = stack.pop()
            kind = type(part)
            if kind is syntax.Name and part.id in values:
                return False
            if kind is syntax.Call and type(part.callee) is syntax.Name:
                called = part.callee.id
                if called in values or self.globals.function(called):
                    return False  # its body may read names, an object may hold leaves
                stack += part.keywords
                stack += part.arguments
            elif kind is syntax.Binary:
                stack += (part.left, part.right)
            else:
                stack += parts_of(part)
        return True

    def bind(self, name: str, value: Value) -> None:
        frame = self.frame.binder(name) if self.frame.elsewhere else self.frame
        if isinstance(value, UserFunction):
            frame.values.pop(name, None)
            frame.functions[name] = value
            return
        if frame is self.frame and isinstance(value, Node):
            value = self._named_node(name, value)
        elif frame is self.globals and self.frame is frame and isinstance(value, Object):
            for node, path in value.tensors():
                self.leaves.setdefault(node, f"{name}.{path}")
                self.autograd.names.setdefault(node, f"{name}.{path}")
                if self.values.passages is not None:
                    self.values.passages.names.append((f"{name}.{path}", node))
        frame.values[name] = value

    def _named_node(self, name: str, value: Node) -> Node:
        """A node that the body names, of which a name of the whole program is remembered."""
        if self.frame is self.globals:
            if value.kind == "float" and value.op not in (LEAF, INPUT) and self._retains(name):
                value = bind(value) if value.op is CONSTANT else value
                self.autograd.retained.add(value)
            if value.op is LEAF and self.autograd.is_leaf(value):
                self.leaves.setdefault(value, name)
            self.autograd.names.setdefault(value, name)
            before = self.frame.values.get(name)
            if before.__class__ is Node and (before.op is INPUT or before in self.leaves):
                self._note_rebinding(name, before, value)
        if self.values.passages is not None:
            self.values.passages.names.append((name, value))
        return value

    def _note_rebinding(self, name: str, before: Node, value: Node) -> None:
        """Note that a name that stood for an input or a leaf stands for something else."""
        if before is value or name in self._rebound:
            return
        if value.op is LEAF and value.inputs[0] is before:
            return  # x.requires_grad = True
        if (before.op is INPUT and before.attributes[0] == name) or self.leaves.get(before) == name:
            self._rebound.add(name)
            self.notes.append(
                Note(
                    "rebound",
                    f"{name} is bound again: its value is the last binding's, and a grad belongs "
                    "to the leaf, not to the name",
                )
            )

    def unpack(self, target: syntax.Target, value: Value) -> Visit:
        waiting: list[tuple[Any, Value]] = [(target, value)]
        while waiting:
            part, value = waiting.pop()
            if isinstance(part, syntax.Name):
                self.bind(part.id, value)
            elif isinstance(part, syntax.Starred):
                waiting.append((part.value, value))
            elif isinstance(part, syntax.Index):
                yield self.set_element(part, self.values.now(value))  # a view may have changed
            elif isinstance(part, syntax.Attribute):
                yield self.set_attribute(part, value)
            else:
                waiting += reversed(list(zip(part.items, self._parts(part, value), strict=True)))

    def _parts(self, target: syntax.Tuple, value: Value) -> list[Value]:
        """As many values as the target has names."""
        if not isinstance(value, str | list | tuple | Items | range | Object) and not (
            isinstance(value, Node) and value.shape
        ):
            from gradcli.trace.kinds_of_values import kind_of  # a mistake

            kind = kind_of(value, self.special.numbers)
            said = f"cannot unpack non-iterable {kind} object"
            raise RefusedError(
                ("TypeError", "iteration over a 0-d tensor" if kind == "Tensor" else said),
                "type",
                f"{describe(value)} cannot be taken apart",
                hint="a, b = … takes a tuple, a list, or the rows of a tensor",
            )
        parts = self.values.elements(value)
        stars = [i for i, each in enumerate(target.items) if isinstance(each, syntax.Starred)]
        if stars and len(parts) >= len(target.items) - 1:
            first, behind = stars[0], len(target.items) - 1 - stars[0]
            last = len(parts) - behind
            return [*parts[:first], Items(parts[first:last]), *parts[last:]]
        if len(parts) != len(target.items):
            few = f"not enough values to unpack (expected {len(target.items)}, got {len(parts)})"
            if stars:
                least = len(target.items) - 1
                few = f"not enough values to unpack (expected at least {least}, got {len(parts)})"
            many = f"too many values to unpack (expected {len(target.items)})"
            raise RefusedError(
                ("ValueError", few if len(parts) < len(target.items) else many),
                "value",
                f"{len(target.items)} names for {len(parts)} values",
                hint=f"write {', '.join(f'v{i}' for i in range(1, len(parts) + 1))} = …"
                if 1 < len(parts) < 10
                else "bind the tuple to one name, and index it: t[0]",
            )
        return parts

    def _ends_on(self, names: Sequence[syntax.Expression]) -> None:
        """Remember a top-level assignment, as the program may end on it."""
        if self.frame is not self.globals:
            return
        self.last = []
        for name in names:
            if isinstance(name, syntax.Name) and self._is_output(name.id):
                self.last += as_outputs(name, self.frame.values[name.id])

    def _ends_on_name(self, name: syntax.Name) -> None:
        """The same of one name; nothing is made of it, as another may follow."""
        if self.frame is self.globals:
            value = self.frame.values.get(name.id)
            is_output = value.__class__ is Node or self._is_output(name.id)
            self._ends = (name, value) if is_output else []

    def _is_output(self, name: str) -> bool:
        return name in self.frame.values and not isinstance(self.frame.values[name], Object)

    def augmented_assign(self, statement: syntax.AugmentedAssign) -> Visit:
        name = statement.target
        if not isinstance(name, syntax.Name):
            value = yield self.visit(statement.value)
            self.graph.span = statement.span
            is_element = isinstance(name, syntax.Index)
            change = self.change_element if is_element else self.change_by
            yield change(name, statement, value)  # type: ignore[arg-type]
            return
        before = yield self.visit(name)
        value = yield self.visit(statement.value)
        self.graph.span = statement.span
        is_leaf = isinstance(before, Node) and before.op is LEAF and before.attributes[0]
        if is_leaf and not self.records:
            changed = binary(self.values, statement.operator, before, value)
            yield self.store(name, before, changed)
            return
        result = yield self.changed(statement, before, value)
        if result is not before:
            self.bind(name.id, result)
        self._ends_on_name(name)


def as_outputs(expression: syntax.Expression, value: Value) -> list[Binding]:
    """A value as an output, under its name if it has one; a tuple is several."""
    name = expression.id if isinstance(expression, syntax.Name) else None
    if not isinstance(value, tuple):
        return [Binding(name, value, expression.span)]
    fields = getattr(value, "_fields", range(1, len(value) + 1))
    return [
        Binding(name and f"{name}_{field}", each, expression.span)
        for field, each in zip(fields, value, strict=True)
    ]
