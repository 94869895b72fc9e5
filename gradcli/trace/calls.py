"""Calls: the function that is called, and its arguments."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import GeneratorType
from typing import Any, TypeGuard

from gradcli.diagnostics import GradcliError
from gradcli.graph import Graph, Node
from gradcli.language import syntax
from gradcli.ops import FUNCTIONS
from gradcli.ops.elementwise import Elementwise
from gradcli.ops.table import TABLE, Function
from gradcli.trace.applications import OF_ONE
from gradcli.trace.arguments import call_of_nodes, parameters_of
from gradcli.trace.autograd import Autograd
from gradcli.trace.callee import (
    MODULES,
    path_of,
)
from gradcli.trace.dictionaries import Dictionary
from gradcli.trace.growth import watch
from gradcli.trace.items import Items
from gradcli.trace.iterators import all_read
from gradcli.trace.method_calls import MethodCalls
from gradcli.trace.numerals import Numerals
from gradcli.trace.numpy_calls import NUMBER_MAKERS
from gradcli.trace.objects import Object
from gradcli.trace.python_calls import LIKE_PYTHONS
from gradcli.trace.special import OF_LISTS, ON_NUMBERS, Special
from gradcli.trace.values import Value, Values
from gradcli.trace.visits import Visit

_ROOTS = ("torch", "F", "np")
"""Modules that people write before functions, also where they have imported none."""
_NOT_OF_TABLE = frozenset(("dtype", "generator"))
"""Arguments that may ask for more than what the op table builds."""
_SEEN = frozenset(("array", "Variable", *LIKE_PYTHONS, *OF_LISTS, *OF_ONE))
"""Functions of the op table whose arguments are looked at before a call of them builds nodes."""
_SHOWS = ("print", "str", "repr")
"""Functions that ask objects for their text."""


_SEEING_LISTS = ("sum", "int", "float", "round")
"""Functions of Python's that tell lists of numbers from tensors."""
_IN_PLACE = ("zero", "fill", "normal", "uniform", "copy", "resize", "detach")
"""What changes tensors in place besides functions of the op table."""
_DATA = "torch.utils.data."
"""Where classes draw later from the generator that they are given."""
_CLASSES = ("torch.Tensor", "datetime.datetime", "datetime.date")
"""Classes whose methods may be called with what they are of as the first argument."""


class Calls(MethodCalls):
    """Evaluates calls; `Tracer` runs the user's functions."""

    def __init__(
        self,
        graph: Graph,
        values: Values,
        autograd: Autograd,
        numerals: Numerals,
        table: Mapping[str, Function],
    ) -> None:
        super().__init__(graph, values, autograd, numerals, table)
        self._builders: dict[str, Function | None] = {}
        """Functions of the op table by name, if a call of them does nothing but build a node."""
        self._by_syntax: dict[str, Callable[[syntax.Call], Visit]] = {}
        """Functions whose arguments are read as they are written, by name."""

    def bind(self, name: str, value: Value) -> None:
        """Give a name a value, in the body that is run."""
        raise NotImplementedError

    def call(self, expression: syntax.Call) -> Visit | Value:
        """The value of a call of an elementwise function if its operands are found at once, or the
        visitor that finds it.
        """
        function = self._straight(expression)
        if function is None:
            return self._call(expression)
        if not _takes_operands_alone(function, expression):
            return self._call_of_table(function, expression)
        operands: list[Node] = []
        for argument in expression.arguments:
            found = self.at_once(argument)
            if not isinstance(found, Node):
                return self._call_of_table(function, expression, operands, found)
            operands.append(found)
        self.graph.span = expression.span
        result: Value = call_of_nodes(self.values, function, operands)
        if len(operands) > 1:
            watch(self.autograd, result, operands)
        if self.values.arrays:
            self.values.stay_arrays(result, operands)
        return result

    def _call_of_table(
        self,
        function: Function,
        expression: syntax.Call,
        given: Sequence[Value] = (),
        begun: Visit | Value = None,
    ) -> Visit:
        """The value of a call that only builds nodes; some of its arguments may be given, the next
        `begun`.
        """
        arguments = yield self._operands(expression.arguments, given, begun)
        keywords = (yield self._keywords(expression)) if expression.keywords else {}
        self.graph.span = expression.span
        return self.applied(function, arguments, keywords)

    def _straight(self, expression: syntax.Call) -> Function | None:
        """The function, if one of the op table is called, which does nothing but build nodes; None
        in programs of Python, where more is to be said of the result.
        """
        callee = expression.callee
        if self.values.is_python or self.values.of_complex is not None:
            return None
        if expression.keywords and any(each.name in _NOT_OF_TABLE for each in expression.keywords):
            return None
        if type(callee) is syntax.Name:
            written = name = callee.id
        elif type(callee) is syntax.Attribute and type(callee.value) is syntax.Name:
            if callee.value.id not in _ROOTS or callee.value.id in self.frame:
                return None
            written, name = f"{callee.value.id}.{callee.name}", callee.name
        else:
            return None
        if written not in self._builders:
            if name not in TABLE:
                return None  # its module is imported when the call is looked at closer
            self._builders[written] = self._builder(written, callee)
        function = self._builders[written]
        if function is None or self._held(callee) is not None:
            return None
        return None if syntax.Comprehension in map(type, expression.arguments) else function

    def _builder(self, written: str, callee: syntax.Expression) -> Function | None:
        """A function of the op table, if its name alone says what a call of it builds."""
        try:
            name = written if "." not in written else self._function_name(callee)
        except GradcliError:
            return None
        if name not in TABLE or name in _SEEN or written in self._by_syntax:
            return None
        return self.table.get(name)

    def _call(self, expression: syntax.Call) -> Visit:
        """The value of a call of any kind."""
        callee = expression.callee
        own = self._own_name(callee)
        try:
            name, held, special = self._named(callee, own)
        except GradcliError:
            return (yield self._seldom_called(expression))
        if name is None:
            return (yield self._method(expression))
        if held is None and name in self._by_syntax and isinstance(callee, syntax.Name):
            return (yield self._by_syntax[name](expression))
        self._note_copied(expression, name if held is None else "")
        arguments = yield self._several(expression.arguments)
        keywords = (yield self._by_name(name, expression)) if expression.keywords else {}
        if not own:
            self._check_given(name, expression, arguments, keywords)
            self.take_dtype(name, callee, arguments, keywords)
        self.graph.span = expression.span
        if self.values.is_python:
            if name in NUMBER_MAKERS and held is None:
                self.keep_whole(name, expression, arguments, keywords)
            arguments = self.as_rows(name, expression, arguments)
            if held is not None or self._sees_lists(name, special, own):
                arguments = self.all_as_written(expression, arguments)
                keywords = self.named_as_written(expression, keywords)
        if held is not None:
            return (yield held.call(arguments, keywords))
        if name in _SHOWS:
            arguments = yield self._as_shown(name, arguments)
            self.graph.span = expression.span
        return self._call_of_library(name, callee, arguments, keywords)

    def _call_of_library(
        self,
        name: str,
        callee: syntax.Expression,
        arguments: list[Value],
        keywords: dict[str, Value],
    ) -> Visit:
        """The value of a call of a function that is not the program's own."""
        own = self._own_name(callee)
        if not own:
            name = self.place_numpys(name, callee, arguments, keywords)
            arguments, keywords = all_read(name, arguments, keywords)
        out = self._written_to(name, arguments, keywords)
        call = self.named_call if own else self.function_call
        draws = isinstance(keywords.get("generator"), Object) and not name.startswith(_DATA)
        found: Any = (self._from_generator if draws else call)(name, arguments, keywords)
        if found.__class__ is GeneratorType:
            found = yield found
        if isinstance(out, Node):
            return self.put_into(out, self.values.tensor(found, name))
        return found if own else self.as_array(callee, found, keywords.get("dtype"), arguments)

    def _from_generator(
        self, name: str, arguments: list[Value], keywords: dict[str, Value]
    ) -> Visit:
        """The value of a call that draws from a generator of the program's."""
        from gradcli.trace.generator import drawn_from  # few programs have one

        with drawn_from(keywords.pop("generator")):
            return (yield self.function_call(name, arguments, keywords))

    def _check_given(
        self, name: str, expression: syntax.Call, given: list[Value], keywords: dict[str, Value]
    ) -> None:
        """Raise `type` where PyTorch's function of tensors is given a number, list or array for
        one, or too little; numbers for Python's functions of these are taken from tensors.
        """
        callee = expression.callee
        root = self.root(callee) if self.values.is_python else ""
        if root.partition(".")[0] == "math":
            from gradcli.trace.members import check_math

            given[:] = check_math(self.values, name, given)
        self.check_numpys(callee, given, keywords)
        if self.values.is_pytorch and root.startswith("torch"):
            self.graph.span = callee.span
            self._check_tensors(name, given, keywords)
            if "dtype" in keywords:
                from gradcli.trace.given_dtypes import check_dtypes

                check_dtypes(self.special.numbers, name, expression, given, keywords)

    def _name_in_place(self, name: str, arguments: list[Value], keywords: dict[str, Value]) -> None:
        """`F.relu(x, True)`: by its place, PyTorch's `inplace` is behind all other arguments."""
        last = arguments[-1]
        if not isinstance(last, Node) or last.kind != "bool" or last.shape:
            return
        function = self.table.get(name) if name in TABLE else None
        if function is None or function.group != "activation":
            return
        if len(arguments) == len(parameters_of(function)) + 1:
            keywords["inplace"] = arguments.pop()

    def _written_to(self, name: str, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        """The tensor that the result is written to, by `out=y` or `inplace=True`, or None."""
        if len(arguments) > 1 and self.values.is_pytorch:
            self._name_in_place(name, arguments, keywords)
        if not keywords or not self.values.is_python:
            return None
        first = arguments[0] if arguments else None
        is_tensor = isinstance(first, Node) and first not in self.special.numbers
        if not is_tensor or "inplace" not in keywords:  # nn.Dropout(0.3, inplace=True)
            return keywords.pop("out", None)
        assert isinstance(first, Node)
        if not self.values.truth(keywords.pop("inplace")):
            return None
        arguments[0] = self.autograd.kept(first, arguments[1:])
        is_unnamed = first.known is not None or self.graph.shares  # nothing else holds it
        return None if is_unnamed else first

    def _by_name(self, name: str, expression: syntax.Call) -> Visit:
        """The arguments that are given by name; to NumPy a list of integers is one of these."""
        keywords = yield self._keywords(expression)
        is_numpys = name.startswith("np.") and name not in FUNCTIONS
        return self.named_as_written(expression, keywords) if is_numpys else keywords

    def _operands(
        self,
        arguments: Sequence[syntax.Expression],
        found: Sequence[Value],
        begun: Visit | Value,
    ) -> Visit | list[Value]:
        """The values of arguments, of which some are found; the next one may have begun."""
        if not found and begun is None:
            return self._several(arguments)
        return self._going_on([*found], arguments[len(found) :], begun)

    def _own_name(self, callee: syntax.Expression) -> str | None:
        """The name of what is called, if it is a name of the language's or of the program's own."""
        if isinstance(callee, syntax.Name) and callee.id not in self.frame.imports:
            return callee.id
        return None

    def _sees_lists(self, name: str, special: Special | None, own: str | None) -> bool:
        """Whether a function takes lists of numbers as lists, not as tensors."""
        if name in ON_NUMBERS or own in _SEEING_LISTS:
            return True
        return special is not None and name in self.library.of_lists

    def _seldom_called(self, expression: syntax.Call) -> Visit:
        """The value of a call of a function that is not known yet."""
        found = self._as_method(expression)
        if found is not None:
            self.have_all()
            return (yield self._method(found[1]))
        if self._is_of_constant(expression.callee):
            return (yield self._method(expression))
        if self._is_error(expression.callee):
            return self._error(expression.callee, (yield self.arguments(expression)))
        if self.library.is_whole or not self.have_all():
            callee = expression.callee
            self._named(callee, self._own_name(callee))  # raises what it has raised before
        return (yield self.call(expression))

    def _is_error(self, callee: syntax.Expression) -> TypeGuard[syntax.Name]:
        """Whether it is a class of Python's errors."""
        from gradcli.trace.own_errors import is_error

        return self.values.is_python and isinstance(callee, syntax.Name) and is_error(callee.id)

    def _error(self, callee: syntax.Name, arguments: list[Value]) -> Value:
        """An error that is made and not raised yet, or never."""
        from gradcli.trace.caught import made_of

        return made_of(callee.id, arguments, self.python.written)

    def _is_of_constant(self, callee: syntax.Expression) -> bool:
        """Whether it is a method of a module's constant: `torch.__version__.split`."""
        from gradcli.trace.imports import constant_of, imported

        path = path_of(callee)
        written = imported(path[:-1], self.frame.imports) if path and len(path) > 2 else None
        return written is not None and (
            constant_of(written) is not None or written in self.library.constants
        )

    def _named(
        self, callee: syntax.Expression, own: str | None
    ) -> tuple[str | None, Object | None, Special | None]:
        """The name of the function that is called, None for a method; and what it is, unless it is
        in the op table: the program's own, or of the library. Raises `name`.
        """
        name = own or self._function_name(callee)
        if name is None:
            return None, None, None
        held = self._held(callee)
        if held is not None:
            return name, held, None
        special = self.special_of(name)  # before the op table, which it would take long to import
        if special is None and not (name in self._by_syntax and isinstance(callee, syntax.Name)):
            self.built_in(name, False, callee)  # raises
        return name, held, special

    def _as_method(self, expression: syntax.Call) -> tuple[syntax.Attribute, syntax.Call] | None:
        """`torch.sin_(x)` as the method that it is: `x.sin_()`; and `torch.Tensor.stride(x)`."""
        callee = expression.callee
        if not isinstance(callee, syntax.Attribute):
            return None
        if not expression.arguments or isinstance(expression.arguments[0], syntax.Starred):
            return None
        from gradcli.trace.imports import imported

        name = callee.name.removesuffix("_")
        home = imported(path_of(callee.value) or [""], self.frame.imports)
        if name == callee.name and home not in _CLASSES:
            return None
        is_known = name in FUNCTIONS or name in _IN_PLACE
        if home not in _CLASSES and (not is_known or self.root(callee) == "numpy"):
            return None
        first, *rest = expression.arguments
        method = syntax.Attribute(first, callee.name, callee.span, callee.name_span)
        return method, syntax.Call(method, tuple(rest), expression.keywords, expression.span)

    def module_of(self, expression: syntax.Expression) -> str | None:
        """The module that a name or a path stands for; None where it is none."""
        path = path_of(expression)
        if path is None or path[0] not in self.frame.imports:
            return None
        return MODULES.get(".".join([self.frame.imports[path[0]], *path[1:]]))

    def _as_shown(self, name: str, arguments: list[Value]) -> Visit:
        """Objects that say how they are shown, as the text that they give."""
        shown: list[Value] = []
        for value in arguments:
            shown += [value if name == "repr" else (yield self.text_of(value))]
            yield self.note_texts(value)
        return shown

    def note_texts(self, value: Value) -> Visit:
        """Ask the objects in a list, tuple or dictionary for their `__repr__`."""
        holds = isinstance(value, Items | tuple | Dictionary)
        waiting: list[Any] = [value] if holds else []
        while waiting:
            part = waiting.pop()
            if isinstance(part, Items | tuple):
                waiting += part
            elif isinstance(part, Dictionary):
                waiting += [each for pair in part.pairs() for each in pair]
            elif isinstance(part, Object) and part.shows:
                method = part.special("__repr__")
                if method is not None:
                    self.values.texts[part] = str((yield method.call([], {})))

    def text_of(self, value: Value) -> Any:
        """What an object's `__str__` or `__repr__` gives, or the value itself."""
        if isinstance(value, Object) and value.shows:
            method = value.special("__str__") or value.special("__repr__")
            return value if method is None else method.call([], {})
        return value

    def _held(self, callee: syntax.Expression) -> Object | None:
        """The function, layer … that a name or an imported name is bound to in the program."""
        if not isinstance(callee, syntax.Name):
            return None
        holder = self.frame.holder(callee.id)
        if holder is not None and isinstance(value := holder.values[callee.id], Object):
            return value
        return self.frame.function(callee.id)

    def _note_copied(self, expression: syntax.Call, name: str) -> None:
        """Remember which items are copied at once, where a function's argument is a list of them
        that is made there.
        """
        if syntax.Comprehension in map(type, expression.arguments):
            from gradcli.trace.windows import window_in  # few programs come here

            self.window = window_in(expression.arguments[0]) if name == "stack" else None


def _takes_operands_alone(function: Function, expression: syntax.Call) -> bool:
    """Whether a call gives an elementwise function its operands, and nothing else."""
    if expression.keywords or function.own_memory or not isinstance(function.op, Elementwise):
        return False
    arguments = expression.arguments
    return len(arguments) == len(function.operands) and syntax.Starred not in map(type, arguments)
