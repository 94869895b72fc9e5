"""How other libraries write expressions: the names of functions, arrays, and what they lack.

A function that a library has with the same arguments gets its name there; for the others a script
contains a definition, from the files in definitions/, which are read as text and never imported.
"""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import repeat
from keyword import kwlist, softkwlist
from math import isfinite
from pathlib import Path
from typing import Any, TypeAlias

from gradcli.diagnostics import GradcliError, Source
from gradcli.graph import Array
from gradcli.language.construct import NOWHERE, call, literal, name
from gradcli.language.parser import ParseLimits, parse_program
from gradcli.language.printer import print_expression
from gradcli.language.syntax import (
    Assign,
    Attribute,
    Binary,
    Call,
    Compare,
    Constant,
    Evaluate,
    Expression,
    For,
    Index,
    Keyword,
    List,
    Name,
    Number,
    Slice,
    Statement,
    Tuple,
    Unary,
)
from gradcli.ops import FUNCTIONS
from gradcli.ops.table import Function, Parameter
from gradcli.report.loop_lines import LoopLines
from gradcli.trace.expressions import CONSTANTS

Definitions: TypeAlias = dict[str, str]
"""By name: the source of a function or class."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a library is written."""

    prefix: str
    array: str
    truth: str
    """The dtype of truth values."""
    name: Callable[[Function], str | None]
    """The function's full name there, or "" for a definition; None where there can be neither."""
    renamed: dict[str, str]
    """Keywords that have another name there."""
    definitions: Callable[[], Definitions]
    imports: dict[str, str]
    """The import line that a module needs for each of these names."""
    always: frozenset[str]
    """Those that every module imports."""
    tensors_only: bool = False
    """Functions of tensors take no plain numbers, and reductions no `keepdim` without an axis."""


@cache
def _definitions(file: str) -> Definitions:
    """Those of a file in definitions/."""
    found: Definitions = {}
    text = (Path(__file__).parent / "definitions" / file).read_text(encoding="utf-8")
    for node in ast.parse(text).body:
        source = ast.get_source_segment(text, node) or ""
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found[node.name] = source
        elif isinstance(node, ast.Assign):
            found[ast.unparse(node.targets[0])] = source
    return found


def _jax_definitions() -> Definitions:
    ours = _definitions("jax.py")
    others = _definitions("numpy.py").items()
    return {key: re.sub(r"\bnp\.", "jnp.", text) for key, text in others} | ours


def _jax_name(function: Function) -> str | None:
    """JAX has what NumPy has under the same names; a definition goes first."""
    if function.name in _definitions("jax.py"):
        return ""
    if function.jax is None or function.jax:
        return function.jax
    return re.sub(r"^np\.", "jnp.", function.numpy)


def _torch_name(function: Function) -> str:
    """PyTorch's, unless there is a definition: it has functions without a derivative."""
    return "" if function.name in _definitions("torch.py") else function.torch


_AXES = {"dim": "axis", "keepdim": "keepdims"}
DIALECTS = {
    "numpy": Dialect(
        "np.",
        "np.array",
        "bool_",
        lambda function: function.numpy,
        _AXES,
        lambda: _definitions("numpy.py"),
        {
            "namedtuple": "from collections import namedtuple",
            "np": "import numpy as np",
            "special": "from scipy import special",
            "linalg": "from scipy import linalg",
        },
        frozenset({"np"}),
    ),
    "jax": Dialect(
        "jnp.",
        "jnp.array",
        "bool_",
        _jax_name,
        _AXES,
        _jax_definitions,
        {
            "namedtuple": "from collections import namedtuple",
            "jax": "import jax",
            "jnp": "import jax.numpy as jnp",
            "np": "import numpy as np",
            "scipy": "import scipy.special",
            "special": "from jax.scipy import special",
            "linalg": "from jax.scipy import linalg",
        },
        frozenset({"jax", "jnp", "np"}),
    ),
    "torch": Dialect(
        "torch.",
        "torch.tensor",
        "bool",
        _torch_name,
        {"p": "ord"},
        lambda: _definitions("torch.py"),
        {
            "np": "import numpy as np",
            "special": "from scipy import special",
            "torch": "import torch",
        },
        frozenset({"torch"}),
        tensors_only=True,
    ),
}
"""By the name of the library."""
OWN = frozenset(
    {"Extreme", "Fraction", "WithSlope", "_", "body", "carried", "differences", "f", "found"}
    | {"pull", "value_and_grad", "values", *dir(builtins)}
)
"""Names that a module may not give to a variable: it uses them itself, or Python does."""


class Writer:
    """Statements in the words of a library."""

    def __init__(self, library: str, dtype: str) -> None:
        self.library = library
        self.dtype = dtype
        self.dialect = DIALECTS[library]
        self.definitions = dict(self.dialect.definitions())
        self.used: set[str] = set()
        """The first parts of the names of all functions that were called."""
        self.loops = LoopLines(self)

    def array(self, array: Array, text: str = "") -> str:
        """An array with its dtype, from the expression `text` or else as a literal."""
        prefix = self.dialect.prefix
        kinds = {"f": self.dtype, "b": self.dialect.truth, "i": "int64"}
        dtype = f"dtype={prefix}{kinds[array.dtype.kind]}"
        if not array.size:
            return f"{prefix}zeros({array.shape}, {dtype})"
        text = text or print_expression(self._numbers(literal(array)))
        return f"{self.dialect.array}({text}, {dtype})"

    def statements(self, statements: Sequence[Statement]) -> list[str]:
        """Lines of Python."""
        lines: list[str] = []
        for each in statements:
            if isinstance(each, For):
                lines += self.loops.loop(each)
            elif isinstance(each, Assign):
                lines += self.loops.of_list(each) or [self.assignment(each)]
        return lines

    def assignment(self, statement: Assign) -> str:
        """A line of Python."""
        target = print_expression(self.expression(statement.target))
        return f"{target} = {print_expression(self._argument(statement.value, 'Node', True))}"

    def title(self, text: str) -> str:
        """A name that Python allows and the script does not use for something else.

        No two names get one title: `float` becomes `float_`, and `float_` becomes `float__`.
        """
        own = {*self.definitions, *self.dialect.imports, *OWN, *kwlist, *softkwlist}
        stems = {word.rstrip("_") for word in own}
        return text + "_" if text.rstrip("_") in stems else text

    def heading(self) -> list[str]:
        """Imports and definitions, which are known once everything else is written."""
        needed: set[str] = set()
        words = self.used
        while not words <= needed:
            needed |= words
            texts = [self.definitions[each] for each in words & self.definitions.keys()]
            words = set(re.findall(r"\w+", "\n".join(texts)))
        imports = self.dialect.imports.items()
        lines = [line for word, line in imports if word in self.dialect.always | needed]
        for title, text in self.definitions.items():
            if title in needed:
                lines += ["", "", text]
        return [*lines, "", *[""] * bool(needed & self.definitions.keys())]

    def expression(self, node: Expression) -> Expression:
        """The same expression in the library's words."""
        match node:
            case Number() if not isfinite(node.value):
                return name(f'float("{node.value}")')
            case Name(id=text) if text in self.loops.counters:
                return self._array(node)
            case Name():
                return name(self.title(node.id))
            case List():
                return self._array(node)
            case Call():
                return self._call(node)
            case Unary(operator="not") | Binary(operator="and" | "or"):  # Python's take no arrays
                return self._call(_logical(node))
            case Unary():
                return Unary(node.operator, self.expression(node.operand), NOWHERE)
            case Binary():
                return self._binary(node)
            case Compare():
                return Compare(node.operators, tuple(map(self.expression, node.operands)), NOWHERE)
            case Attribute():
                return Attribute(self.expression(node.value), node.name, NOWHERE, NOWHERE)
            case Index():
                items = tuple(map(self._place, node.items))
                return Index(self.expression(node.value), items, NOWHERE)
        return node

    def _numbers(self, node: Expression) -> Expression:
        """Nested lists as they are; their items in the library's words."""
        if isinstance(node, Name) and node.id in self.loops.counters:
            return name(self.title(node.id))
        if isinstance(node, List):
            return List(tuple(map(self._numbers, node.items)), NOWHERE)
        return self.expression(node)

    def _array(self, node: Expression, dtype: str | None = None) -> Expression:
        """A list or a number as an array: of truth values, or of floats unless the dtype is given.

        Python's own numbers would not do: division by 0 is an error, and integers are not floats.
        """
        first = node
        while isinstance(first, List):
            first = first.items[0]
        if isinstance(first, Constant | Compare):
            dtype = self.dialect.truth
        kind = Keyword("dtype", name(self.dialect.prefix + (dtype or self.dtype)), NOWHERE)
        return Call(name(self.dialect.array), (self._numbers(node),), (kind,), NOWHERE)

    def _place(self, item: Any) -> Any:
        """What stands between brackets; an index may be a float in the language, not in Python."""
        match item:
            case Slice() | Number() | Unary() | Constant(value=None):
                return item
            case Name(id=text) if text in self.loops.counters:
                return name(self.title(text))
            case List():
                return self._array(item, "int64")
            case Compare():
                return self.expression(item)
        self.used.add("places")
        return Call(name("places"), (self.expression(item),), (), NOWHERE)

    def _binary(self, node: Binary) -> Expression:
        """An operator; PyTorch's `//` has no gradient."""
        if node.operator == "//" and self.dialect.tensors_only:
            return self._call(call("floor_divide", node.left, node.right))
        both = _is_plain(node.left) and _is_plain(node.right)
        left = self._array(node.left) if both else self.expression(node.left)
        return Binary(node.operator, left, self.expression(node.right), NOWHERE, NOWHERE)

    def _call(self, node: Call) -> Expression:
        assert isinstance(node.callee, Name)
        stacked = self.loops.stacked(node)
        if stacked is not None:
            return stacked
        function = FUNCTIONS[node.callee.id]
        callee, defined = self._callee(function)
        given = list(zip(node.arguments, _parameters(function), strict=False))
        tensors = [each for each, parameter in given if parameter.kind == "Node"]
        strict = self.dialect.tensors_only or defined or all(map(_is_plain, tensors))
        arguments = [self._argument(each, parameter.kind, strict) for each, parameter in given]
        lengths = [parameter.variadic and parameter.kind == "int" for _, parameter in given]
        if any(lengths) and not defined:
            kept = lengths.index(True)
            arguments[kept:] = [_one_tuple(arguments[kept:])]
        keywords = {each.name: each.value for each in node.keywords}
        named = {*keywords, *(parameter.name for _, parameter in given)}
        if self.dialect.tensors_only and "keepdim" in named and "dim" not in named and not defined:
            keywords = {"dim": Constant(None, NOWHERE)} | keywords
        renamed = {} if defined else self.dialect.renamed
        given_by_name = (
            Keyword(renamed.get(key, key), self.expression(value), NOWHERE)
            for key, value in keywords.items()
        )
        return Call(name(callee), tuple(arguments), tuple(given_by_name), NOWHERE)

    def _argument(self, node: Expression, kind: str, strict: bool) -> Expression:
        """An argument for a parameter of that kind; `strict` writes tensors as arrays."""
        if kind == "Index":
            place: Expression = self._place(node)
            return place
        if kind.startswith("Sequence[Node") and isinstance(node, List):
            return List(tuple(self._argument(each, "Node", True) for each in node.items), NOWHERE)
        if kind == "Node" and strict and _is_plain(node):
            return self._array(node)
        if kind.startswith("float") and isinstance(node, Number) and isfinite(node.value):
            return name(repr(node.value))  # 3.0: an integer would give an array of integers
        return self.expression(node)

    def _callee(self, function: Function) -> tuple[str, bool]:
        """The function to call, and whether it is one of the definitions."""
        there = self.dialect.name(function)
        title = f"as_{function.name}" if function.name in OWN else function.name
        callee = title if there == "" else (there or "").removeprefix("scipy.")
        first = callee.partition(".")[0]
        if first and first == callee and callee not in self.definitions and _is_plainer(function):
            self.definitions[callee] = self._by_formula(function)
        if not first or (first == callee and callee not in self.definitions):
            raise GradcliError(
                "usage",
                f"--to {self.library}: there is no one function for {function.name} there",
                hint="--to torch knows the most functions; without --to it is a gradcli program",
            )
        self.used.add(first)
        return callee, first == callee

    def _by_formula(self, function: Function) -> str:
        """The definition of an elementwise function that has none."""
        program = parse_program(Source("formula", function.formula), ParseLimits())
        (statement,) = program.statements
        assert isinstance(statement, Evaluate)
        value = print_expression(self.expression(statement.value))
        operands = ", ".join(map(self.title, function.operands))
        constants = sorted(program.names & CONSTANTS.keys() - {*function.operands})
        lines = [f"    {each} = {self.dialect.prefix}{each}\n" for each in constants]
        return f"def {function.name}({operands}):\n{''.join(lines)}    return {value}"


def _is_plainer(function: Function) -> bool:
    """Whether the formula of an elementwise function says it in others."""
    return bool(function.operands) and f"{function.name}(" not in function.formula


def _logical(node: Unary | Binary) -> Call:
    operands = (node.operand,) if isinstance(node, Unary) else (node.left, node.right)
    return call(f"logical_{node.operator}", *operands)


def _parameters(function: Function) -> Iterator[Parameter]:
    """As many as a call may have arguments."""
    for parameter in function.parameters:
        if parameter.kind == "Graph":
            continue  # which the language does not mention
        yield from repeat(parameter) if parameter.variadic else (parameter,)


def _is_plain(node: Expression) -> bool:
    """Whether Python would compute it with its own numbers and truth values only."""
    match node:
        case Compare():
            return all(map(_is_plain, node.operands))
        case Unary():
            return node.operator != "not" and _is_plain(node.operand)
        case Binary():
            return False  # an array as soon as it is written: see `_binary`
    return isinstance(node, Number | Constant)


def _one_tuple(lengths: Sequence[Expression]) -> Expression:
    if len(lengths) == 1 and isinstance(lengths[0], Tuple):
        return lengths[0]
    return Tuple(tuple(lengths), NOWHERE)
