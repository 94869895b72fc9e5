"""`class …`: what it is made from, its body, and what its objects are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

from gradcli.diagnostics import GradcliError
from gradcli.graph import Graph, Node
from gradcli.language import syntax
from gradcli.trace.autograd import Autograd
from gradcli.trace.callee import path_of
from gradcli.trace.classes import (
    LAYERS,
    MODULE,
    OPTIMISERS,
    OPTIMIZER,
    ROOTS,
    SCHEDULERS,
    Class,
    Instance,
    descriptor,
)
from gradcli.trace.dictionaries import Dictionary
from gradcli.trace.frames import Frame, UserFunction, docstring
from gradcli.trace.objects import BuiltIn, Given
from gradcli.trace.own_errors import OwnError, is_error
from gradcli.trace.own_modules import Model
from gradcli.trace.own_values import Language, OwnValue
from gradcli.trace.python_classes import BUILT_IN, FIXED
from gradcli.trace.values import Value, Values, describe
from gradcli.trace.visits import Visit

if TYPE_CHECKING:
    from gradcli.trace.collections_calls import RecordClass

_RECORD = "NamedTuple"
_ENUMERATIONS = ("Enum", "IntEnum", "StrEnum")
_WITHOUT_MEANING = ("object", "ABC", "Protocol", "Generic", _RECORD)
"""Classes that say something to readers alone."""


class Definer(Language, Protocol):
    """The tracer, as definitions know it."""

    values: Values
    autograd: Autograd
    frame: Frame
    graph: Graph

    def replace(self, old: Node, new: Node) -> None:
        """Put a node in the place of an old one, for all who hold that."""

    def visit(self, expression: syntax.Expression) -> Any:
        """The visitor of an expression, or its value."""

    def body(self, statements: Sequence[syntax.Statement]) -> Visit:
        """Run statements one after another."""

    def bind(self, name: str, value: Value) -> None:
        """Give a name a value."""

    def decorated(self, decorator: Value, made: Value) -> Any:
        """What a decorator makes of a function or a class."""

    def function_call(self, name: str, arguments: list[Value], keywords: Given) -> Any:
        """The value of a call of a function that is not the program's own."""

    def apply_function(self, made: Any, arguments: list[Value], keywords: Given) -> Any:
        """`F.apply(…)` of a class made from `torch.autograd.Function`."""


class ClassDefinitions:
    """Makes classes of their definitions."""

    def __init__(self, tracer: Definer) -> None:
        self._tracer = tracer
        self._values = tracer.values
        self._layers: dict[str, Class] = {}

    def define(self, statement: syntax.ClassDefinition) -> Visit:
        tracer = self._tracer
        self._values.is_python = True
        bases: list[Class] = []
        roots: list[str] = []
        holds: list[Any] = []
        bare = [each.value if isinstance(each, syntax.Index) else each for each in statement.bases]
        names = [(path_of(each) or [""])[-1] for each in bare]
        for base, name in zip(statement.bases, names, strict=True):
            if name in _WITHOUT_MEANING or name in _ENUMERATIONS:
                continue
            if name not in tracer.frame and is_error(name):
                roots.append(name)
                continue
            value = yield tracer.visit(base)
            tracer.graph.span = base.span
            parent = self._parent(value)
            if isinstance(parent, Class):
                bases.append(parent)
            elif parent is not None:
                roots.append(parent)
            else:
                holds.append(self._held_by(value))
        frame = Frame(tracer.frame, of_class=True)
        frame.path += f"{statement.name}."
        made = Class(
            statement.name, bases, roots, frame, self._instance, tracer.apply_function,
            tracer.autograd.run_inside,
        )  # fmt: skip
        outer, tracer.frame = tracer.frame, frame
        try:
            yield tracer.body(statement.body)
        finally:
            tracer.frame = outer
        for function in frame.functions.values():
            function.owner = made
        for name, value in [*frame.values.items()]:
            made.describes |= descriptor(value, "__get__") is not None
            told = descriptor(value, "__set_name__")
            if told is not None:
                yield told.call([made, name], {})
        made.doc = docstring(statement.body)
        made.is_protocol = "Protocol" in names
        made.takes_types |= "Generic" in names or made.is_protocol
        made.declared = tuple(_declared(statement.body, tracer.autograd.source.text))
        made.is_whole = "ABC" not in names and all(base.is_whole for base in bases)
        for each in holds:
            self._hold(made, each)
        yield self._tell_parent(made, statement.keywords)
        whole: Value = self._whole(made, names)
        for decorator in reversed(statement.decorators):
            value = yield tracer.visit(decorator)
            tracer.graph.span = decorator.span
            whole = yield tracer.decorated(value, whole)
        tracer.bind(statement.name, whole)

    def derived(self, name: Value, bases: Value, fields: Value) -> Class:
        """The class that `type` makes of a name, classes and what it has. Raises `type`."""
        tracer = self._tracer
        self._values.is_python = True
        if not isinstance(name, str) or not isinstance(bases, tuple):
            raise GradcliError("type", "type makes a class of a name, a tuple of classes and a "
                               "dictionary", hint="type('A', (B,), {'x': 1})")  # fmt: skip
        parents = [self._parent(each) for each in bases if _is_no_object(each)]
        if None in parents or not isinstance(fields, Dictionary):
            raise GradcliError("type", f"type cannot make {name} of these here",
                               hint=f"class {name}: …")  # fmt: skip
        frame = Frame(tracer.frame, of_class=True)
        frame.path += f"{name}."
        frame.values.update({str(key): value for key, value in fields.pairs()})
        return Class(
            name, [each for each in parents if isinstance(each, Class)],
            [each for each in parents if isinstance(each, str)], frame, self._instance,
            tracer.apply_function, tracer.autograd.run_inside,
        )  # fmt: skip

    def _tell_parent(self, made: Class, keywords: Sequence[syntax.Keyword]) -> Visit:
        """Call what a class is made from where that asks to be told of it."""
        heir = made.found("__init_subclass__", made)
        if isinstance(heir, UserFunction):
            given = {}
            for each in keywords:
                given[each.name] = yield self._tracer.visit(each.value)
            yield heir.call([made], given)

    def _parent(self, value: Value) -> Class | str | None:
        """A class of the program's, one that stands for a layer or an optimiser, or the name of
        another one of PyTorch's.
        """
        if isinstance(value, Class):
            return value
        name = value.name if isinstance(value, BuiltIn) else ""
        if name in ROOTS:
            return name
        is_optimiser = name.rpartition(".")[0] + "." == OPTIMISERS
        return self._layer(name) if name.startswith(LAYERS) or is_optimiser else None

    def _layer(self, name: str) -> Class:
        """What stands for a layer or optimiser of PyTorch in the order of parents."""
        if name not in self._layers:
            title = name.rpartition(".")[2]
            made = Class(title, [], [name], Frame(of_class=True), self._instance)
            made.layer = name
            self._layers[name] = made
        return self._layers[name]

    # --- what objects are, too ---

    def _held_by(self, value: Value) -> Any:
        """A class of Python's that one of the program's is made from. Raises `type`."""
        from gradcli.trace.collections_calls import RecordClass

        if isinstance(value, RecordClass) or (
            isinstance(value, BuiltIn) and value.name in BUILT_IN
        ):
            return value
        what = value.name if isinstance(value, BuiltIn) else describe(value)
        if what.endswith("Tensor"):
            raise GradcliError("type", "a class cannot be made from torch.Tensor here",
                               hint="an object that holds a tensor: self.data = x")  # fmt: skip
        if what == "type":
            raise GradcliError("type", "a class of classes is outside the language",
                               hint="a function of the class, as its decorator")  # fmt: skip
        raise GradcliError(
            "type",
            f"a class cannot be made from {what}",
            hint="there are nn.Module, torch.autograd.Function, list, dict, str, tuple, int, float "
            "and the program's classes",
        )

    def _hold(self, made: Class, kind: RecordClass | BuiltIn) -> None:
        """Let a class make objects that are a list, string … too."""
        if isinstance(kind, BuiltIn):
            made.holds = partial(self._tracer.named_call, kind.name)
            made.is_fixed = kind.name in FIXED
            made.roots.add(kind.name)
            return
        from gradcli.trace.collections_calls import RecordClass

        record = RecordClass(self._values, made.name, kind.fields, kind.defaults)
        for name in kind.fields:
            made.frame.values.pop(name, None)  # which is a default
        made.frame.values["_fields"] = kind.fields
        made.holds, made.is_fixed = record.call, True

    def _whole(self, made: Class, names: Sequence[str]) -> Value:
        """The class as it is bound, which may be made from one of Python's."""
        kind = next((name for name in names if name in _ENUMERATIONS), None)
        if kind is not None:
            from gradcli.trace.enumerations import Enumeration

            written = self._tracer.python.written
            return Enumeration(self._values, made, kind == "IntEnum", written)
        if _RECORD not in names:
            return made
        record = self._record(made)
        if not made.frame.functions:
            return record
        self._hold(made, record)
        return made

    def _record(self, made: Class) -> RecordClass:
        """What `class P(NamedTuple)` makes of its fields and their defaults."""
        from gradcli.trace.collections_calls import RecordClass

        values = made.frame.values
        defaults = {name: values[name] for name in made.declared if name in values}
        return RecordClass(self._values, made.name, tuple(made.declared), defaults)

    def _instance(self, made: Class) -> Instance:
        """An object of a class, without what its `__init__` does."""
        tracer, autograd = self._tracer, self._tracer.autograd
        layer = next((each for each in made.order if each.layer), None)
        if layer is not None:
            make = partial(tracer.function_call, layer.layer)
            if layer.layer.startswith(OPTIMISERS):
                from gradcli.trace.own_optimisers import DerivedOptimiser

                return DerivedOptimiser(autograd, made, make)
            from gradcli.trace.own_layers import OwnLayer

            return OwnLayer(autograd, made, tracer.replace, make)
        if MODULE in made.roots:
            return Model(autograd, made, tracer.replace)
        if any(map(is_error, made.roots)):
            return OwnError(self._values, made)
        if OPTIMIZER in made.roots:
            from gradcli.trace.own_optimisers import OwnOptimiser

            return OwnOptimiser(autograd, made)
        if not made.roots.isdisjoint(SCHEDULERS):
            from gradcli.trace.own_schedulers import OwnScheduler

            return OwnScheduler(self._values, made)
        if made.holds is not None:
            return OwnValue(self._values, made, tracer)
        return Instance(self._values, made)


def _declared(body: Sequence[syntax.Statement], text: str) -> Iterator[str]:
    """The names that the body of a class gives a type, which are those of a dataclass's fields."""
    for statement in body:
        if isinstance(statement, syntax.Declaration):
            yield statement.name
        elif isinstance(statement, syntax.Assign) and isinstance(statement.target, syntax.Name):
            between = text[statement.target.span[1] : statement.value.span[0]]
            if ":" in between and "ClassVar" not in between:  # the tree has no types
                yield statement.target.id


def _is_no_object(value: Value) -> bool:
    """Whether a class is another one than Python's `object`."""
    return not (isinstance(value, BuiltIn) and value.name == "object")
