"""Calls: the function that is called, and its arguments."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from types import GeneratorType
from typing import TYPE_CHECKING, Any, TypeGuard

from gradcli.diagnostics import GradcliError, RefusedError
from gradcli.graph import Graph, Node
from gradcli.language import syntax
from gradcli.ops import FUNCTIONS
from gradcli.ops.elementwise import Elementwise
from gradcli.ops.table import TABLE, Function
from gradcli.trace.applications import Applications
from gradcli.trace.arguments import call_of_nodes, parameters_of
from gradcli.trace.autograd import Autograd
from gradcli.trace.callee import (
    MODULES,
    STRANGERS,
    function_name,
    method_name,
    path_of,
    place_receiver,
)
from gradcli.trace.dictionaries import Dictionary
from gradcli.trace.growth import watch
from gradcli.trace.items import Items
from gradcli.trace.names import LAYOUTS
from gradcli.trace.numerals import Numerals
from gradcli.trace.numpy_calls import NUMBER_MAKERS
from gradcli.trace.objects import BuiltIn, Object, is_row
from gradcli.trace.python_calls import LIKE_PYTHONS
from gradcli.trace.special import ON_NUMBERS, Special
from gradcli.trace.values import Value, Values, describe
from gradcli.trace.visits import Visit

if TYPE_CHECKING:
    pass


_ROOTS = ("torch", "F", "np")
"""Modules that people write before functions, also where they have imported none."""
_SHOWS = ("print", "str", "repr")
"""Functions that ask objects for their text."""


_AS_VALUES = frozenset(
    (
        "list",
        "tuple",
        "dict",
        "set",
        "str",
        "len",
        "abs",
        "int",
        "float",
        "min",
        "max",
        "sum",
        "print",
        "range",
        "zip",
        "enumerate",
        "sorted",
        "reversed",
        "any",
        "all",
        "round",
        "pow",
        "map",
        "filter",
        "ord",
        "chr",
        "divmod",
        "bool",
        "repr",
        "type",
        "isinstance",
        "iter",
        "next",
        "getattr",
        "issubclass",
        "id",
        "oct",
        "slice",
        "format",
        "callable",
        "hash",
        "bin",
        "hex",
        "frozenset",
        "object",
        "bytes",
    )
)
"""Functions of Python that are values: `defaultdict(list)`, `sorted(xs, key=len)`."""


_SEEING_LISTS = ("sum", "int", "float", "round")
"""Functions of Python's that tell lists of numbers from tensors."""
_AS_METHODS = {"__repr__": "repr", "__str__": "str", "__len__": "len"}
"""Methods that stand for functions."""
_IN_PLACE = ("zero", "fill", "normal", "uniform", "copy", "resize", "detach")
"""What changes tensors in place besides functions of the op table."""
_CLASSES = ("torch.Tensor", "datetime.datetime", "datetime.date")
"""Classes whose methods may be called with what they are of as the first argument."""
_TAKE_DTYPES = ("to", "type", "astype")
"""Methods whose arguments may be names of dtypes: `x.to(torch.float64)`."""
_NUMPYS_OWN = frozenset((
    "std", "var", "max", "min", "dot", "repeat", "cumsum", "cumprod", "transpose", "sort", "round",
    "argsort", "nonzero", "fill", "searchsorted",
))  # fmt: skip
"""Methods of arrays that are not what those of tensors are."""


class Calls(Applications):
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
        function = self._elementwise(expression)
        if function is None:
            return self._call(expression)
        operands: list[Node] = []
        for argument in expression.arguments:
            found = self.at_once(argument)
            if not isinstance(found, Node):
                return self._call(expression, operands, found)
            operands.append(found)
        self.graph.span = expression.span
        result: Value = call_of_nodes(self.values, function, operands)
        if len(operands) > 1:
            watch(self.autograd, result, operands)
        if self.values.arrays:
            self.values.stay_arrays(result, operands)
        return result

    def _elementwise(self, expression: syntax.Call) -> Function | None:
        """The function, if one is called that does nothing but build a node, on all its operands;
        None in programs of Python, where more is to be said of the result.
        """
        callee = expression.callee
        if expression.keywords or self.values.is_python:
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
        if function is None or len(expression.arguments) != len(function.operands):
            return None
        if syntax.Starred in map(type, expression.arguments) or self._held(callee) is not None:
            return None
        return function

    def _builder(self, written: str, callee: syntax.Expression) -> Function | None:
        """A function of the op table, if its name alone says what a call of it builds."""
        try:
            name = written if "." not in written else self._function_name(callee)
        except GradcliError:
            return None
        function = self.table.get(name) if name in TABLE else None
        if function is None or not isinstance(function.op, Elementwise) or function.own_memory:
            return None
        return None if written in LIKE_PYTHONS or written in self._by_syntax else function

    def _call(
        self,
        expression: syntax.Call,
        given: Sequence[Value] = (),
        begun: Visit | Value = None,
    ) -> Visit:
        """The value of a call of any kind; some of its arguments may be given, the next `begun`."""
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
        arguments = yield self._operands(expression.arguments, given, begun)
        keywords = (yield self._keywords(expression)) if expression.keywords else {}
        self._check_given(name, expression, arguments, keywords)
        self.graph.span = expression.span
        self.take_dtype(name, callee, arguments, keywords)
        if self.values.is_python and name in NUMBER_MAKERS and held is None:
            self.keep_whole(name, expression, arguments, keywords)
        if self.values.is_python:
            arguments = self.as_rows(name, expression, arguments)
        if held is not None or self._sees_lists(name, special) or own in _SEEING_LISTS:
            arguments = self.all_as_written(expression, arguments)
            keywords = self.named_as_written(expression, keywords)
        if held is not None:
            return (yield held.call(arguments, keywords))
        if name in _SHOWS:
            arguments = yield self._as_shown(name, arguments)
            self.graph.span = expression.span
        call = self.named_call if own else self.function_call
        out = self._written_to(name, arguments, keywords)
        if isinstance(keywords.get("generator"), Object):
            del keywords["generator"]  # a run has one source of random numbers
        found: Any = call(name, arguments, keywords)
        if type(found) is GeneratorType:
            found = yield found
        if isinstance(out, Node):
            return self.put_into(out, self.values.tensor(found, name))
        return found if own else self.as_array(callee, found, keywords.get("dtype"), arguments)

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

    def _check_tensors(
        self,
        name: str,
        given: Sequence[Value],
        keywords: Mapping[str, Value],
        *,
        is_method: bool = False,
    ) -> None:
        function = self.table.get(name)
        if function is None:
            return
        class_of = self.special.numbers.class_of
        if function.needs or any(map(class_of, given)) or any(map(class_of, keywords.values())):
            from gradcli.trace.given_tensors import check_function

            called = name.rpartition(".")[2]
            numbers = self.special.numbers
            check_function(numbers, function, called, given, keywords, is_method=is_method)

    def _check_method(
        self,
        name: str,
        written: syntax.Call,
        given: list[Value],
        keywords: dict[str, Value],
    ) -> None:
        """The same for a method of a tensor."""
        if "dtype" in keywords:
            from gradcli.trace.given_dtypes import check_dtypes

            check_dtypes(self.special.numbers, name, written, given[1:], keywords)
        if name in self.library.methods:
            return
        if syntax.List in map(type, written.arguments) and len(given) == len(written.arguments) + 1:
            owner, *rest = given
            given = [owner, *self.all_as_written(written, rest)]
        self._check_tensors(name, given, keywords, is_method=True)

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
        arguments[0] = self.kept(first, arguments[1:])
        is_unnamed = first.known is not None or self.graph.shares  # nothing else holds it
        return None if is_unnamed else first

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

    def _function_name(self, callee: syntax.Expression) -> str | None:
        """The name of the function that is called; None for a method of a value."""
        return function_name(callee, self.frame, self.frame.imports, self.library.functions)

    def _sees_lists(self, name: str, special: Special | None) -> bool:
        """Whether a function takes lists of numbers as lists, not as tensors."""
        return name in ON_NUMBERS or (special is not None and name in self.library.of_lists)

    def _seldom_called(self, expression: syntax.Call) -> Visit:
        """The value of a call of a function that is not known yet."""
        found = self._as_method(expression)
        if found is not None and found[0].name.endswith("_"):
            return (yield self.change(*found))
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
        name = callee.name.removesuffix("_")
        if name == callee.name:
            from gradcli.trace.imports import imported

            home = imported(path_of(callee.value) or [""], self.frame.imports)
            if home not in _CLASSES:
                return None
        elif (name not in FUNCTIONS and name not in _IN_PLACE) or self.root(callee) == "numpy":
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

    def function_value(self, callee: syntax.Name | syntax.Attribute) -> Value:
        function = self.frame.function(callee.id) if isinstance(callee, syntax.Name) else None
        if function is not None:
            return function
        if isinstance(callee, syntax.Name) and callee.id in _AS_VALUES:
            return BuiltIn(callee.id, self.named_call)
        from gradcli.trace.imports import imported

        path = path_of(callee)
        written = imported(path, self.frame.imports) if path else None
        is_known = path is not None and (path[0] in self.frame.imports or path[0] not in STRANGERS)
        if written is not None and is_known:
            member = self.member(written)
            if member is not None:
                return member
        if isinstance(callee, syntax.Attribute) and (written is None or "." not in written):
            return None
        if written is None:
            return None
        try:
            name = self._function_name(callee)
        except GradcliError:
            if not self.library.is_whole and self.have_all():
                return self.function_value(callee)
            if isinstance(callee, syntax.Name):
                raise
            return None
        if name is None or (name not in FUNCTIONS and name not in self.library.functions):
            if not self.library.is_whole and self.have_all():
                return self.function_value(callee)
            return None
        return self._as_value(name, callee)

    def _as_value(self, name: str, callee: syntax.Name | syntax.Attribute) -> BuiltIn:
        """A function as a value, which is called with values."""
        is_maker = name in NUMBER_MAKERS and self.values.is_pytorch
        if is_maker and self.root(callee).startswith("torch"):
            return BuiltIn(name, self._made_whole)
        if self.values.is_pytorch and self.root(callee).startswith("torch"):
            return BuiltIn(name, self._call_of_pytorchs)
        if self.values.is_python and self.root(callee).partition(".")[0] in ("math", "numpy"):
            return BuiltIn(name, partial(self._call_of_others, callee))
        call = self.named_call if isinstance(callee, syntax.Name) else self.function_call
        return BuiltIn(name, call)

    def _call_of_others(
        self,
        callee: syntax.Name | syntax.Attribute,
        name: str,
        arguments: list[Value],
        keywords: dict[str, Value],
    ) -> Visit:
        """What a function of `math` or NumPy gives that was a value: `f = math.floor`."""
        if self.root(callee).startswith("math"):
            from gradcli.trace.members import check_math

            arguments = [*check_math(self.values, name, arguments)]
        elif name not in NUMBER_MAKERS:
            self.check_numpys(callee, arguments, keywords)
            arguments = [self.row_of(e) if is_row(e) or type(e) is Items else e for e in arguments]
        call = self._made_whole if name in NUMBER_MAKERS else self.function_call
        found: Any = call(name, arguments, keywords)
        if type(found) is GeneratorType:
            found = yield found
        return self.as_array(callee, found, keywords.get("dtype"), arguments)

    def _call_of_pytorchs(
        self, name: str, arguments: list[Value], keywords: dict[str, Value]
    ) -> Visit | Value:
        """What a function of PyTorch's gives that was a value: `f = torch.sin`."""
        self._check_tensors(name, arguments, keywords)
        return self.function_call(name, arguments, keywords)

    def _made_whole(
        self, name: str, arguments: list[Value], keywords: dict[str, Value]
    ) -> Visit | Value:
        """A tensor that a function makes which has another name here: `t = torch.tensor`."""
        from gradcli.trace.whole_numbers import takes_integers

        numbers = self.special.numbers
        if "dtype" not in keywords and takes_integers(name, arguments, keywords, numbers):
            keywords = keywords | {"dtype": "torch.int64"}
        return self.function_call(name, arguments, keywords)

    def bound_method(self, owner: Value, name: str) -> BuiltIn | None:
        """A method as a value: `f = x.sum`; None where there is none of that name."""
        if not isinstance(owner, Node):
            method = self.method_of(owner, name)
            return method and BuiltIn(name, lambda _, given, keywords: method(given, keywords))
        function, special = self.table.get(method_name(name)), self._special_method(name)
        is_none = special is None and (function is None or name.endswith("_"))
        if is_none or (self.values.is_tensor(owner) and not self.has_method(name)):
            return None

        def call(_: str, arguments: list[Value], keywords: dict[str, Value]) -> Value:
            given = [self.values.current(owner), *arguments]
            if special is not None:
                return special(given, keywords)
            assert function is not None
            place_receiver(function, given, keywords)
            return self.applied(function, given, keywords)

        found = BuiltIn(name, call)
        found.title = "builtin_function_or_method"
        return found

    def _special_method(self, name: str) -> Special | None:
        """The method of that name that is not of the op table."""
        special = self.library.methods.get(name)
        if special is None and self.table.get(method_name(name)) is None and self.have_all():
            special = self.library.methods.get(name)
        return special

    def _method(self, expression: syntax.Call) -> Visit:
        """The value of a call of a method, or of what an expression gives."""
        callee = expression.callee
        if not isinstance(callee, syntax.Attribute):
            return (yield self._call_of_value(expression))
        name = callee.name
        if name.endswith("_") and name not in self.library.methods and not name.startswith("_"):
            return (yield self.change(callee, expression))
        owner = self.as_written(callee.value, (yield self.visit(callee.value)))
        own = self._own_method(owner, callee)
        if own is not None:
            arguments, keywords = yield self._all_as_written(expression)
            return (yield own(arguments, keywords))
        is_pytorchs = self.values.is_pytorch and self.values.is_tensor(owner)
        if is_pytorchs and not self.has_method(name):
            raise self.unknown_method(callee)
        if owner in self.values.arrays and name in _NUMPYS_OWN:
            self.have_all()
            name = f"array.{name}"
        special = self._special_method(name)
        built_in = None if special else self.built_in(name, True, callee)
        arguments = [owner, *(yield self._of_method(name, expression))]
        keywords = (yield self._keywords(expression)) if expression.keywords else {}
        if name == "array.dot" and len(arguments) > 1:
            arguments[1:] = map(self.whole_row, expression.arguments, arguments[1:])
        self.graph.span = expression.span
        if built_in is not None:
            place_receiver(built_in, arguments, keywords)
        if is_pytorchs:
            self._check_method(name, expression, arguments, keywords)
        if special is not None:
            result = self.in_half(special(arguments, keywords))
            if name == "requires_grad_" and isinstance(result, Node):
                self.mark_in_place(callee.value, owner, result)
            return result
        assert built_in is not None
        try:
            return self.applied(built_in, arguments, keywords)
        except RefusedError as error:
            raise error.of_method() from None

    def _own_method(
        self, owner: Value, callee: syntax.Attribute
    ) -> Callable[[list[Value], dict[str, Value]], Any] | None:
        """The method of an object, or of a number, list or string of Python's; None where it is
        another's. Raises `name`.
        """
        name = callee.name
        if isinstance(owner, Object):
            self.graph.span = callee.name_span
            return owner.method(name)
        kind = self.special.numbers.class_of(owner)
        own = self._method_of_python(kind, owner, callee) if kind else None
        if own is None and name in _AS_METHODS:
            return lambda *_: self.function_call(_AS_METHODS[name], [owner], {})
        if own is None and (not isinstance(owner, Node) or owner in self.values.listed):
            return self._of_sequence(name, owner, callee)
        return own

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

    def _call_of_value(self, expression: syntax.Call) -> Visit:
        """`grad(f)(x)`."""
        callee = expression.callee
        value = None
        if not isinstance(callee, syntax.Attribute | syntax.Name):
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

    def _note_copied(self, expression: syntax.Call, name: str) -> None:
        """Remember which items are copied at once, where a function's argument is a list of them
        that is made there.
        """
        if syntax.Comprehension in map(type, expression.arguments):
            from gradcli.trace.windows import window_in  # few programs come here

            self.window = window_in(expression.arguments[0]) if name == "stack" else None

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

    def _of_sequence(
        self, name: str, owner: Value, callee: syntax.Attribute
    ) -> Callable[[list[Value], dict[str, Value]], Any] | None:
        """The method of a string, tuple or list; None where it is another's."""
        if owner is None:
            raise self.has_no_attribute(owner, callee)
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

    # --- what changes in place ---

    def change(self, callee: syntax.Attribute, expression: syntax.Call) -> Visit:
        """A method that changes a tensor in place: `w.sub_(…)`."""
        raise NotImplementedError

    def kept(self, node: Node, others: Iterable[Value]) -> Node:
        """A tensor that changes in place, as what is computed of it and `others` needs it."""
        raise NotImplementedError

    def mark_in_place(self, owner: syntax.Expression, old: Value, new: Node) -> None:
        """`x.requires_grad_()` has made a leaf of a tensor."""
        raise NotImplementedError

    def _named_dtype(self, value: syntax.Expression) -> str | None:
        """The dtype that `dtype=…` names, unless the name is bound to one."""
        from gradcli.trace.given_dtypes import by_name

        return by_name(value, self.frame)

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
