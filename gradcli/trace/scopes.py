"""Statements around others, and about names: `with`, `try`, `import`, `del`, `assert`."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING, Any

from gradcli.diagnostics import GradcliError, Note, RefusedError, Span
from gradcli.graph import Array, Node
from gradcli.language import syntax
from gradcli.ops.loops import NotRolled, Unlike
from gradcli.trace.bindings import Bindings
from gradcli.trace.callee import MODULES, path_of
from gradcli.trace.items import Device
from gradcli.trace.names import may_be_fragment
from gradcli.trace.objects import BuiltIn, ClassName, Object, Recording
from gradcli.trace.values import describe
from gradcli.trace.visits import Visit

if TYPE_CHECKING:
    from gradcli.trace.single_precision import SinglePrecision

_RAISED = "the program raises this error itself"
_OF_JAX = Note(
    "imports",
    "of JAX the functions of arrays are known: its arrays print as tensors here, and jax.grad is "
    "torch.func.grad",
)
_ALL_IN_FLOAT32 = (
    "numbers of Python and NumPy are float32 here as tensors are, by --dtype float32: they have "
    "7 digits, and 16 without it"
)


class Scopes(Bindings):
    """Runs these statements; `Tracer` adds loops, branches and functions."""

    _handled: GradcliError | None = None
    """The error whose `except` is being run."""

    _tries = 0
    """How many `try` blocks are being run, one inside the other."""

    _singles: SinglePrecision | None = None
    """What computes values once more in float32."""

    def body(self, statements: Sequence[syntax.Statement]) -> Visit:
        """Run statements one after another; the result says how the body was left early."""
        raise NotImplementedError

    # --- with ---

    def with_(self, statement: syntax.With) -> Visit:
        records, frame = self.records, self.frame
        begun: list[Object] = []
        try:
            for context in statement.contexts:
                value = yield self.visit(context.value)
                self.graph.span = context.span
                if isinstance(value, Device):  # a run has one
                    value = Recording(None)
                if enter := value.special("__enter__") if isinstance(value, Object) else None:
                    value, manager = (yield enter.call([], {})), value
                else:
                    self.records, manager = self.recording(value, records), value
                    if isinstance(value, Recording):
                        value.begin()
                begun.append(manager)
                if context.name is not None:
                    self.bind(context.name, value)
            is_tried = any(not isinstance(each, Recording) for each in begun)
            with self._trying() if is_tried else nullcontext():
                leave = yield self.body(statement.body)
        except Unlike:
            self.records = records
            for manager in reversed(begun):
                if not isinstance(manager, Recording):
                    raise NotRolled("a block of a pass ends early") from None
                manager.end()
            raise
        except GradcliError as error:
            self.frame = frame
            if (yield self._ended(begun, records, error)):
                return None
            raise
        yield self._ended(begun, records, None)
        return leave

    def _ended(self, begun: Sequence[Object], records: bool, error: GradcliError | None) -> Visit:
        """Leave blocks, the innermost first; the result is whether one is content with an error."""
        self.records = records
        is_handled = False
        for manager in reversed(begun):
            if isinstance(manager, Recording):
                manager.end()
            elif (leave := manager.special("__exit__")) is not None:
                from gradcli.trace.exceptions import catches, caught  # few programs need them

                said = None if error is None or is_handled else caught(error)
                kind = None if said is None else ClassName(getattr(said, "kind", "Exception"), said)
                found = yield leave.call([kind, said, None], {})
                may_end = error is not None and said is not None and catches(None, error)
                is_handled |= may_end and self.values.truth(found)
        return is_handled

    def recording(self, value: Any, before: bool) -> bool:
        """Whether a block or function is recorded, by what stands behind `with` or `@`."""
        if isinstance(value, BuiltIn):  # `@torch.no_grad` without parentheses
            value = value.call([], {})
        if not isinstance(value, Recording):
            raise GradcliError(
                "type",
                f"{describe(value)} is no setting of a block or a function",
                hint="there are torch.no_grad(), torch.enable_grad() and torch.inference_mode()",
            )
        return before if value.enabled is None else value.enabled

    # --- try ---

    def try_(self, statement: syntax.Try) -> Visit:
        frame, records = self.frame, self.records
        try:
            leave = yield self._tried(statement)
        except GradcliError:
            self.frame, self.records = frame, records
            leave = yield self.body(statement.last)
            if leave is None:
                raise
            return leave
        last = yield self.body(statement.last)
        return leave if last is None else last

    def _tried(self, statement: syntax.Try) -> Visit:
        """The same without what is done last in any case."""
        from gradcli.trace.exceptions import caught  # most programs start faster without

        frame, records, span = self.frame, self.records, self.graph.span
        try:
            with self._trying():
                leave = yield self.body(statement.body)
        except GradcliError as error:
            self.frame, self.records = frame, records
            handler = yield self._handler(statement.handlers, error)
            if handler is None:
                raise
            before, self._handled = self._handled, error
            self.graph.span = span
            if handler.name is not None:
                self.frame.values[handler.name] = caught(error)
            try:
                return (yield self.body(handler.body))
            finally:
                self._handled = before
                frame.values.pop(handler.name or "", None)
        return (yield self.body(statement.otherwise)) if leave is None else leave

    @contextmanager
    def _trying(self) -> Iterator[None]:
        """Whatever may refuse its operands is computed at once: nothing that stands behind it is
        done if it does.
        """
        self._tries += 1
        self.graph.tried = self.values.evaluator.value
        try:
            yield
        finally:
            self._tries -= 1
            if not self._tries:
                self.graph.tried = None

    def _handler(self, handlers: Sequence[syntax.Handler], error: GradcliError) -> Visit:
        """The first handler for an error, if there is one."""
        from gradcli.trace.exceptions import catches

        for each in handlers:
            names = None if each.error is None else (yield self._names_of_errors(each.error))
            if catches(names, error):
                return each
        return None

    def _names_of_errors(self, handled: syntax.Expression) -> Visit:
        """The names of the classes of errors that `except` is for."""
        from gradcli.trace.exceptions import classes_in

        names, waiting = set[str](), [handled]
        while waiting:
            each = waiting.pop()
            path = path_of(each)
            if isinstance(each, syntax.Tuple):
                waiting += each.items
            elif path is not None and not self._is_of_program(each):
                names.add(path[-1])
            else:
                value = yield self.visit(each.value if isinstance(each, syntax.Starred) else each)
                names |= classes_in(value) or {*(path or ())[-1:]}
        return names

    def raise_(self, statement: syntax.Raise) -> Visit:
        """An error of the program's own, which `except` of that class catches."""
        from gradcli.trace.caught import RaisedError, made_of, nothing_to_raise

        name, given = "", list[Any]()
        error = statement.error
        if error is None:
            raise self._handled or nothing_to_raise()
        own = yield self._own_error(error)
        if own is not None and own.value is not None and statement.cause is not None:
            own.value.cause = yield self.visit(statement.cause)
        if own is not None:
            raise own.hinted(_RAISED)
        if isinstance(error, syntax.Call):
            for argument in error.arguments:
                given.append((yield self.visit(argument)))
            error = error.callee
        if isinstance(error, syntax.Name | syntax.Attribute):
            name = error.id if isinstance(error, syntax.Name) else error.name
        made = made_of(name, given, self.python.written)
        raised = RaisedError(name, str(made))
        raised.made = made
        if statement.cause is not None:
            raised.cause = yield self.visit(statement.cause)
        self.graph.span = statement.span
        raise raised.hinted(_RAISED)

    def _own_error(self, error: syntax.Expression | None) -> Visit:
        """The error of a class of the program, or one that was caught before; None for others."""
        from gradcli.trace.caught import Caught, RaisedError
        from gradcli.trace.classes import Class
        from gradcli.trace.own_errors import OwnError, is_error

        if error is None or not self._is_of_program(error):
            return None
        value = yield self.visit(error)
        self.graph.span = error.span
        if isinstance(value, ClassName) and is_error(value.name):
            value = value.call([], {})
        if isinstance(value, Caught):
            again = RaisedError(value.kind, str(value))
            again.made, again.cause = value, getattr(value, "cause", None)
            return again
        if isinstance(value, Class):
            value = yield value.call([], {})
        if not isinstance(value, OwnError):
            raise GradcliError("type", "exceptions must derive from BaseException",
                               hint="class Own(Exception): pass")  # fmt: skip
        said = self.python.written((yield self.text_of(value)))
        self.graph.span = error.span
        return RaisedError(value.made_by.name, said, value)

    def _is_of_program(self, error: syntax.Expression) -> bool:
        """Whether what is raised is a value of the program, and no class of Python's by name."""
        path = path_of(error.callee if isinstance(error, syntax.Call) else error)
        if path is None:
            return True
        return self.frame.holder(path[0]) is not None or self.frame.function(path[0]) is not None

    # --- names ---

    def note_imports(self, statements: Sequence[syntax.Statement]) -> None:
        """Whatever a cell imports, also further down, its first lines are Python too; so is one
        that handles errors.
        """
        text = self.source.text
        handles = "except" in text and re.search(r"^[ \t]*except\b", text, re.MULTILINE)
        self.values.is_python |= bool(handles)
        self._mean_by(
            [
                item.path
                for statement in statements
                if isinstance(statement, syntax.Import)
                for item in statement.items
            ]
        )

    def take_as_imported(self, program: syntax.Program) -> None:
        """Import what the middle of a notebook has imported further up."""
        if not may_be_fragment(program.source.text):
            return
        from gradcli.trace.fragments import usual_imports  # few programs come here

        given = usual_imports(program)
        self._mean_by([*given.values()])
        self.autograd.mentions.follow(" ".join((program.source.text, *given.values())))
        for name, path in given.items():
            self._import(name, path)
        if given:
            names = f"{', '.join(given)} {'is' if len(given) == 1 else 'are'}"
            message = f"the program is read as Python in which {names} imported as usual"
            self.notes.append(Note("imports", message))

    def _mean_by(self, paths: Sequence[str]) -> None:
        """Take numbers and tensors as they are meant where these modules are imported."""
        if not paths:
            return
        if not self.values.is_python:
            self.values.is_python = True
            if self.graph.precision == "float32":
                self.notes.append(Note("dtype", _ALL_IN_FLOAT32))
        if any(_is_of(path, "jax") for path in paths) and _OF_JAX not in self.notes:
            self.notes.append(_OF_JAX)
        if not self.values.is_pytorch and any(_is_of(path, "torch") for path in paths):
            self.values.is_pytorch = self.values.explicit = True
            self._begin_pytorch()
        elif any(_is_of(path, "numpy") for path in paths):
            self._know_dtypes()

    def import_(self, statement: syntax.Import) -> None:
        self.note_imports([statement])
        for item in statement.items:
            self.graph.span = item.span
            if item.name == "*":
                self._import_all(item.path.removesuffix(".*"))
            elif not self._is_unused(item.name, statement.span):
                self._import(item.name, item.path)

    def _import(self, name: str, given: str) -> None:
        """Let a name stand for a module, or a member of one."""
        from gradcli.trace.imports import check

        stands_for, _, whole = given.partition(":")
        path = whole or stands_for
        if path.startswith(("torch.", "numpy.")) and not self.library.knows(path):
            self.library.have_all()
        try:
            known = check(path, self.library.functions, self.library.constants)
        except GradcliError as refused:
            if not self.library.is_whole and self.have_all():
                self._import(name, given)
                return
            if self._tries:
                raise
            if whole and stands_for in MODULES:  # `import torch.fx` binds torch
                self.frame.imports[name] = stands_for
            else:
                self._bind_absent(name, refused)
            return
        if known is not None:
            self.frame.imports[name] = stands_for
            self.frame.values.pop(name, None)

    def _bind_absent(self, name: str, refused: GradcliError) -> None:
        """Let a name stand for what is not there: a function that is never called may use it."""
        from gradcli.trace.absent import Absent

        self.frame.values[name] = Absent(refused)

    def _import_all(self, module: str) -> None:
        """`from module import *`: all names of its functions, but those that have a value."""
        from gradcli.trace.imports import check, members

        self.library.have_all()
        check(module, self.library.functions, self.library.constants)
        for name in members(module, self.library.functions):
            self.frame.imports[name] = f"{module}.{name}"

    def _begin_pytorch(self) -> None:
        """Print tensors with what PyTorch prints behind them."""
        self.values.suffixes = self._suffixes
        self.autograd.node_name = self._node_name
        self._know_dtypes()
        if self.graph.precision == "float64":
            self.values.evaluator.rounded = self._in_single_precision

    def _in_single_precision(self, node: Node, value: Array) -> Array:
        """A value as PyTorch has it, whose floats have 32 bits mostly."""
        if node.kind == "int":
            return value
        if self._singles is None:
            from gradcli.trace.single_precision import SinglePrecision

            assert self.autograd.dtypes is not None
            self._singles = SinglePrecision(self.values, self.autograd.dtypes)
        return self._singles.seen(node, value)

    def _know_dtypes(self) -> None:
        """Have tensors and arrays of the dtypes of PyTorch and NumPy."""
        from gradcli.trace.dtypes import Dtypes  # most programs start faster without

        if self.autograd.dtypes is None:
            self.autograd.dtypes = Dtypes(self.values)
        self.values.array_dtype = self.autograd.dtypes.of

    def _suffixes(self, node: Node) -> tuple[str, ...]:
        """What PyTorch prints behind the elements of a tensor."""
        from gradcli.trace.suffixes import suffixes

        return suffixes(self.autograd, node)

    def _node_name(self, node: Node) -> str:
        from gradcli.trace.suffixes import node_name

        return node_name(self.values, node)

    def _check_versions(
        self, grads: Iterable[Node | None], first: int, inside: Collection[Node]
    ) -> None:
        from gradcli.trace.versions import check_versions  # few programs change what is needed

        check_versions(self.autograd, grads, first, inside)

    def _is_unused(self, name: str, span: Span) -> bool:
        """Whether an imported name stands nowhere else in the program, which may lack it then. Of
        PyTorch an import alone says how numbers are meant.
        """
        if name == "torch" or not name.isidentifier():
            return False
        return not self.autograd.mentions.elsewhere(name, span)

    def delete(self, statement: syntax.Delete) -> Visit:
        for target in statement.targets:
            if isinstance(target, syntax.Index):
                yield self.delete_element(target)
            elif isinstance(target, syntax.Attribute):
                yield self.delete_attribute(target)
            elif target.id in self.frame.functions:
                del self.frame.functions[target.id]
            elif target.id in self.frame.values:
                del self.frame.values[target.id]
            else:
                self.graph.span = target.span
                raise GradcliError(
                    "name", f"the name {target.id!r} is not bound here", hint="delete this line"
                )

    def assert_(self, statement: syntax.Assert) -> Visit:
        value = yield self.visit(statement.test)
        self.graph.span = statement.test.span
        if self.values.truth(value):
            return
        said = ""
        if statement.message is not None:
            said = self.python.written((yield self.visit(statement.message)))
        self.graph.span = statement.span
        text = self.source.text[slice(*statement.test.span)]
        told = said or f"this does not hold: {text}"
        raise RefusedError(("AssertionError", said), "assertion", told)


def _is_of(path: str, library: str) -> bool:
    """Whether an import, whose whole path may stand behind a colon, is of that library."""
    return path.partition(":")[0].partition(".")[0] == library
