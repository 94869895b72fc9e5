"""What functions of the op table and of the library make of values, however they are called."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from gradcli.diagnostics import GradcliError, Note, RefusedError, nearest
from gradcli.graph import Graph, Node
from gradcli.language import syntax
from gradcli.ops import FUNCTIONS
from gradcli.ops.elementwise import Elementwise
from gradcli.ops.table import TABLE, Function
from gradcli.trace.arguments import by_dtype, call
from gradcli.trace.autograd import Autograd
from gradcli.trace.callee import method_name, path_of
from gradcli.trace.growth import watch
from gradcli.trace.items import Items
from gradcli.trace.names import is_complex_dtype
from gradcli.trace.numerals import Numerals
from gradcli.trace.numpy_calls import NumpyCalls
from gradcli.trace.objects import RECORDINGS, Object, TypeHint, plain_value
from gradcli.trace.special import OF_LISTS, Special
from gradcli.trace.values import Value, Values
from gradcli.trace.visits import Visit

if TYPE_CHECKING:
    from gradcli.trace.autograd_calls import AutogradCalls
    from gradcli.trace.library import Library
    from gradcli.trace.python_functions import PythonFunctions


_NOT_PYTORCHS = Note(
    "random",
    "random numbers are gradcli's own: the same seed gives others in PyTorch",
)
_OF_LINALG = frozenset(("eigh", "qr", "lu", "lu_factor", "inv_ex", "cholesky_ex", "lstsq", "eig"))
"""Functions of `torch.linalg` alone that give named tuples."""
_OF_ONE_SIZE = frozenset(("mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss"))
"""Losses that PyTorch warns of where they broadcast."""
_NORMS = ("batch_norm", "layer_norm", "group_norm", "instance_norm", "rms_norm")
"""What takes parameters of 32 bits with inputs of 16."""
_OF_FACTORS = frozenset(("matmul", "mm", "bmm", "mv", "dot", "linear"))
"""Functions that multiply factors of one dtype."""
_NEW_VIEWS = {
    "view": "view", "view_as": "view", "reshape": "view", "reshape_as": "view",
    "expand": "expand", "expand_as": "expand",
    **{name: name for name in (
        "squeeze", "permute", "transpose", "swapaxes", "swapdims", "movedim", "moveaxis", "narrow",
        "flip", "split", "chunk", "tensor_split")},
}  # fmt: skip
"""What gives another tensor in any case, a view, and the function that PyTorch says made it."""

OF_ONE = ("where", "repeat_interleave")
"""Functions that do something else where they are given one argument."""
_CHECKED = ("pow", "pad")
"""Functions that PyTorch does not have of all operands that there are here."""


class Applications(NumpyCalls):
    """Applies functions to values; `Calls` finds both."""

    def __init__(
        self,
        graph: Graph,
        values: Values,
        autograd: Autograd,
        numerals: Numerals,
        table: Mapping[str, Function],
    ) -> None:
        super().__init__(graph, values, autograd, numerals)
        self.table = table
        values.in_complex = self._in_complex

    # --- what there is ---

    def replace(self, old: Node, new: Node) -> None:
        """Put a node in the place of an old one, for all who hold that."""
        raise NotImplementedError

    def put_into(self, out: Node, result: Node, items: Sequence[Any] | None = None) -> Node:
        """Write what a function gives into the tensor `out=…`, or into elements of it."""
        raise NotImplementedError

    @cached_property
    def library(self) -> Library:
        """What can be called besides the op table."""
        from gradcli.trace.library import Library

        return Library(self)

    @cached_property
    def python(self) -> PythonFunctions:
        """Functions of Python's, as `sum` of numbers, which need no library around them."""
        from gradcli.trace.python_functions import PythonFunctions

        return PythonFunctions(self.values, self.special.numbers)

    @cached_property
    def autograd_calls(self) -> AutogradCalls:
        """`grad` and `backward`, which need no library around them either."""
        from gradcli.trace.autograd_calls import AutogradCalls

        return AutogradCalls(self.autograd)

    def function_names(self) -> set[str]:
        """What a program can call, without a module before the name."""
        return {name for name in (*self.table, *self.library.functions) if "." not in name}

    def method_names(self) -> set[str]:
        """What a program can call behind a point."""
        return {name for name in (*self.table, *self.library.methods) if "." not in name}

    def method_of(self, value: Value, name: str) -> Special | None:
        return self.library.sequences.method(value, name)

    def special_of(self, name: str) -> Special | None:
        """The function of that name, unless the op table's is meant, which takes tensors alone."""
        if name in TABLE and name not in OF_LISTS:
            return None
        return self.autograd_calls.functions.get(name) or self.library.functions.get(name)

    def have_all(self) -> bool:
        """Have what few programs use, too; whether that may help where a name is not known."""
        return self.values.is_python and self.library.have_all()

    def _of_module(self, constant: float | str | tuple[int, ...]) -> Value:
        """A constant of a module as a value."""
        if isinstance(constant, tuple):
            return tuple(self.values.plain(each) for each in constant)
        if isinstance(constant, float | bool):
            return self.graph.constant(constant)
        return constant

    def complex_number(self, number: complex) -> Value:
        self.have_all()
        parts: list[Value] = [self.values.plain(each) for each in (number.real, number.imag)]
        return self.library.functions["complex"](parts, {})

    def _in_complex(self, node: Value, dtype: Value) -> Value:
        self.have_all()
        functions = self.library.functions
        if node in self.values.arrays:
            return functions["complex.array"](["astype", node, dtype], {})
        found: Value = functions["complex.cast"]([node, dtype], {})
        return found

    def member(self, path: str) -> Value:
        """What a module has of that path that is no function; None where it has nothing."""
        from gradcli.trace.imports import HINTS, constant_of

        if self.library.given and path in self.library.given:
            return self.values.now(self.library.given[path])
        constant = constant_of(path)
        if constant is not None:
            return self._of_module(constant)
        module, _, name = path.rpartition(".")
        if module in HINTS:
            return TypeHint((name,))
        return self.library.constants.get(path)

    # --- what is applied ---

    def function_call(
        self, name: str, arguments: list[Value], keywords: dict[str, Value]
    ) -> Visit | Value:
        """The value of a call of a function that is not the program's own."""
        if name in ("array", "where"):
            texts = self._texts(name, arguments)
            if texts is not None:
                return texts
        if name == "Variable":
            self._check_volatile(arguments, keywords)
        if name in OF_ONE and (len(arguments) + len(keywords) == 1 or "output_size" in keywords):
            name, arguments, keywords = self._of_one(name, arguments, keywords)
        if self.values.of_complex is not None or is_complex_dtype(keywords.get("dtype")):
            self.have_all()
            applied = self.library.functions.get("complex.applied")
            of_complex = applied([name, *arguments], keywords) if applied else None
            if of_complex is not None:
                return of_complex
        special = self.special_of(name)
        if special is None and name not in self.table and self.have_all():
            special = self.special_of(name)
        if special is not None:
            if self.autograd.dtypes is not None and self.autograd.dtypes.autocast:
                from gradcli.trace.mixed_precision import casting

                arguments, keywords = casting(self.autograd, name, arguments, keywords)
            found: Value = self.in_half(special(arguments, keywords))
            return found
        if arguments and isinstance(arguments[0], Object):
            own = arguments[0].special(f"__{name}__")  # as of `abs(v)`
            if own is not None:
                return own.call(arguments[1:], keywords)  # type: ignore[no-any-return]
        return self.applied(self.table[name], list(map(plain_value, arguments)), keywords)

    def _of_one(
        self, name: str, arguments: list[Value], keywords: dict[str, Value]
    ) -> tuple[str, list[Value], dict[str, Value]]:
        """A call with one argument, where that means what several are needed for otherwise:
        `where(mask)` are places, and `repeat_interleave(counts)` repeats 0, 1, …
        """
        if name == "where" and arguments:
            return "torch.nonzero", arguments, {"as_tuple": self.graph.constant(True)}
        if name == "repeat_interleave" and self.values.is_pytorch and len(arguments) < 2:
            counts = arguments[0] if arguments else keywords.get("repeats")
            if isinstance(counts, Node) and counts.ndim == 1 and "dim" not in keywords:
                return name, [self.graph.constant(np.arange(counts.size)), counts], {}
        return name, arguments, keywords

    def _texts(self, name: str, arguments: list[Value]) -> Value:
        """An array of texts that NumPy makes; None where there are none in it."""
        if name == "array" and arguments and isinstance(arguments[0], Items | tuple):
            from gradcli.trace.text_arrays import TextArray, holds_texts  # few programs have them

            return TextArray.of(self.values, arguments[0]) if holds_texts(arguments[0]) else None
        if name == "where" and not all(isinstance(each, Node) for each in arguments):
            from gradcli.trace.text_arrays import chosen

            return chosen(self.values, arguments[:1], arguments[1:])
        return None

    def _check_volatile(self, arguments: list[Value], keywords: dict[str, Value]) -> None:
        """Leave out what `Variable(x, volatile=True)` once meant."""
        if "volatile" not in keywords:
            return
        if self.values.truth(keywords.pop("volatile")):
            marks = arguments[1] if len(arguments) > 1 else keywords.get("requires_grad")
            if marks is not None and self.values.truth(marks):
                said = "Variable can't be volatile and require_grad at the same time!"
                raise RefusedError(("ValueError", said), "value", said)
            if self.autograd.warn is not None:
                self.autograd.warn("UserWarning", "volatile was removed and now has no effect. "
                                   "Use `with torch.no_grad():` instead.")  # fmt: skip

    def applied(
        self, built_in: Function, arguments: list[Value], keywords: dict[str, Value]
    ) -> Value:
        """The value of a call of a function of the op table."""
        dtypes = self.autograd.dtypes
        if dtypes is not None and dtypes.has_halves and built_in.name in _NORMS:
            dtype = dtypes.of_mixed([*arguments, *keywords.values()])
            if dtype:
                whole = [dtypes.as_dtype(arguments[0], "float32"), *arguments[1:]]  # type: ignore[arg-type]
                found: Value = self.applied(built_in, [*whole], keywords)
                return dtypes.as_dtype(found, dtype)  # type: ignore[arg-type]
        if dtypes is not None and dtypes.autocast:
            from gradcli.trace.mixed_precision import casting

            arguments, keywords = casting(self.autograd, built_in.name, arguments, keywords)
        draws = self.graph.draws
        if self.autograd.warn is not None and built_in.group == "loss":
            self._warn_of_sizes(built_in, arguments, keywords)
        result = self._result(built_in, arguments, keywords)
        if self.graph.draws > draws:
            self.note_random()
        if not self.values.is_pytorch or not arguments or built_in.name not in _NEW_VIEWS:
            return result
        given, function = arguments[0], _NEW_VIEWS[built_in.name]
        if isinstance(given, Node) and result is given:
            return self.autograd.another(given, function, arguments, keywords)
        if isinstance(given, Node) and result == (given,):  # `split`, into one part
            return (self.autograd.another(given, function, arguments, keywords),)
        return result

    def _warn_of_sizes(
        self, built_in: Function, arguments: Sequence[Value], keywords: dict[str, Value]
    ) -> None:
        """Tell what PyTorch warns of where a loss has a target of another size."""
        input, target = [*arguments, *keywords.values(), None, None][:2]
        assert self.autograd.warn is not None
        if not isinstance(input, Node) or not isinstance(target, Node):
            return
        if built_in.name in _OF_ONE_SIZE and input.shape != target.shape:
            sizes = [f"torch.Size({[*each.shape]})" for each in (target, input)]
            self.autograd.warn(
                "UserWarning",
                f"Using a target size ({sizes[0]}) that is different to the input size "
                f"({sizes[1]}). This will likely lead to incorrect results due to broadcasting. "
                "Please ensure they have the same size.",
            )

    def _result(
        self, built_in: Function, arguments: list[Value], keywords: dict[str, Value]
    ) -> Value:
        if built_in.group == "creation":
            return self._constructed(built_in, arguments, keywords)
        if "dtype" in keywords and built_in.takes_dtype:
            from gradcli.trace.constructors import compute_in

            computed: Value = compute_in(self.autograd, built_in, arguments, keywords)
            self.special.numbers.stay_arrays(computed, arguments)
            return computed
        if self.values.is_python and built_in.takes_numbers and len(arguments) == 2:
            a, b = arguments
            if isinstance(a, Node) and isinstance(b, Node) and a.kind != b.kind:
                arguments = [self.whole_beside(b, a), self.whole_beside(a, b)]
        if built_in.by_dtype is not None:
            changed = by_dtype(self.values, built_in, arguments, keywords)
            arguments, keywords = [*changed[0]], {**changed[1]}
        first = self.graph.count
        result = self._built(built_in, arguments, keywords)
        if len(arguments) > 1 or keywords:
            watch(self.autograd, result, (*arguments, *keywords.values()))
        if self.autograd.dtypes is not None:
            result = self.autograd.dtypes.of_call(built_in.name, result, first)
        if self.values.is_python and _keeps_integers(built_in):
            result = self.whole(result, (*arguments, *keywords.values()))
        result = self.made(result, first)
        if self.values.is_pytorch:
            self._remember(built_in, result, first, arguments, keywords)
        self.special.numbers.stay_arrays(result, arguments)
        if built_in.own_memory and isinstance(result, Node) and result not in self.values.arrays:
            self.values.copies.add(result)
        return result

    def _built(
        self, built_in: Function, arguments: list[Value], keywords: dict[str, Value]
    ) -> Value:
        """What a function of the op table builds, whose errors are told as they are elsewhere."""
        try:
            if self.autograd.dtypes is not None and built_in.name in _OF_FACTORS:
                self.autograd.dtypes.check_factors(built_in.name, *arguments[:2])
            if built_in.name in _CHECKED and self.values.is_pytorch:
                self._check_operands_of(built_in, arguments, keywords)
            built: Value = call(self.values, built_in, arguments, keywords)
        except GradcliError as error:
            given = (*arguments, *keywords.values())
            raise self._as_said(built_in, error, given) from None
        return built

    def _constructed(
        self, built_in: Function, arguments: list[Value], keywords: dict[str, Value]
    ) -> Value:
        from gradcli.trace.constructors import construct

        made = construct(self.autograd, built_in, arguments, keywords)
        if built_in.name.endswith("_like") and isinstance(made, Node):
            self.values.made_by[made] = built_in.name, arguments, {}
        return made

    def _check_operands_of(
        self, built_in: Function, arguments: Sequence[Value], named: Mapping[str, Value]
    ) -> None:
        """Raise `type` for a power of integers that is none of them, and `shape` for what PyTorch
        does not pad.
        """
        from gradcli.trace.refusals import check_operands, check_pad  # few programs call these

        if built_in.name == "pad":
            check_pad(self.values, arguments, named)
            return
        nodes = [each for each in (*arguments, *named.values()) if isinstance(each, Node)]
        if len(nodes) == 2:
            check_operands(self.values, "pow", *nodes)

    def _as_said(
        self, built_in: Function, error: GradcliError, given: Sequence[Value]
    ) -> GradcliError:
        """An error of a function with the words that PyTorch or NumPy has for it there, if they
        differ.
        """
        told = error.diagnostic
        if self.values.arrays:
            from gradcli.trace.numpy_wordings import in_numpys_words  # few programs fail

            rows = [part for each in given if isinstance(each, Items | tuple) for part in each]
            error = in_numpys_words(error, (*given, *rows), self.values.arrays)
        if told.code != "index" or not self.values.is_pytorch:
            return error
        from gradcli.trace.wordings import of_function  # few programs fail

        words = of_function(built_in, told.message)
        if words is None:
            return error
        said = RefusedError(words, told.code, told.message, told.hint)
        said.diagnostic = told
        return said

    def _remember(
        self,
        built_in: Function,
        result: Value,
        first: int,
        arguments: list[Value],
        keywords: dict[str, Value],
    ) -> None:
        """Remember which call made tensors: nodes from index `first` on."""
        if isinstance(result, tuple) and hasattr(result, "_fields"):
            name = self._type_of_result(built_in.name)
            if name is not None:
                self.values.titles[id(result)] = name, result
        for each in result if isinstance(result, tuple) else (result,):
            if each.__class__ is Node and each.index >= first:
                made = self.values.rounded.get(each, each)
                self.values.made_by[made] = built_in.name, arguments, keywords

    def _type_of_result(self, name: str) -> str | None:
        """What PyTorch calls the named tuple that a function gives; None where it is a plain
        one.
        """
        if "max_pool" in name:
            return None
        span = self.graph.span
        called = self.autograd.source.text[slice(*span)].partition("(")[0] if span else ""
        name = name.rpartition(".")[2]
        return f"linalg_{name}" if name in _OF_LINALG or "linalg" in called else name

    def note_random(self) -> None:
        """Note once that random numbers are not PyTorch's."""
        if "torch" in self.frame.imports.values() and _NOT_PYTORCHS not in self.autograd.notes:
            self.autograd.notes.append(_NOT_PYTORCHS)

    # --- what there is not ---

    def has_method(self, name: str) -> bool:
        """Whether a tensor has a method of that name, in a program that imports PyTorch: the op
        table does not tell methods from functions.
        """
        if not self.values.is_pytorch:
            return True
        from gradcli.trace.libraries import has

        if name.startswith("__"):
            from gradcli.trace.tensor_methods import is_operator  # few programs call them

            return is_operator(name)
        return name in has("torch.Tensor")

    def unknown_method(self, callee: syntax.Attribute) -> GradcliError:
        """The error for a method that there is not."""
        self.graph.span = callee.name_span
        name = callee.name
        return GradcliError(
            "name", f"there is no method {name!r}", hint=self._hint_for_method(name)
        )

    def built_in(self, name: str, method: bool, callee: syntax.Expression) -> Function:
        function = self.table.get(method_name(name) if method else name)
        if function is not None:
            return function
        self.graph.span = callee.name_span if isinstance(callee, syntax.Attribute) else callee.span
        kind = "method" if method else "function"
        hint = (self._hint_for_method if method else self._hint_for_function)(name)
        from gradcli.trace.imports import imported

        written = imported(path_of(callee) or [name], self.frame.imports)
        said = name if method or not self.root(callee) else written
        raise GradcliError("name", f"there is no {kind} {said!r}", hint=hint)

    def _hint_for_method(self, name: str) -> str:
        if name in ("append", "extend"):
            return "a list has a name that it is appended to: hs.append(h), or hs = append(hs, h)"
        if name in self.library.functions or self.frame.function(name):
            return f"{name} is a function: write {name}(x, …)"
        return _guess(name, [*FUNCTIONS, *self.library.methods])

    def _hint_for_function(self, name: str) -> str:
        if name in self.frame:
            return f"{name} is a value: multiplication is written with *"
        if name in self.library.methods:
            return f"{name} is a method: write x.{name}(…)"
        if f"torch.{name}" in RECORDINGS:
            return f"write torch.{name}(), as in with torch.{name}():"
        return _guess(name, [*FUNCTIONS, *self.library.functions, *self.frame.function_names()])


def _guess(name: str, known: Sequence[str]) -> str:
    from gradcli.trace.outside import advice

    own = advice(name)
    if own is not None:
        return own
    guess = nearest(name, known)
    return f"did you mean {guess!r}?" if guess else "gradcli ops lists all functions"


def _keeps_integers(function: Function) -> bool:
    """Whether a function gives integers of integers."""
    if not isinstance(function.op, Elementwise):
        return function.keeps_integers
    is_same = "int" in function.op.takes and function.op.result_kind is None
    return is_same or function.keeps_integers
