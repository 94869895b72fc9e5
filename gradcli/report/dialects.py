"""How other libraries write expressions: the names of functions, arrays, and what they lack.

A function that a library has under the same arguments gets its name there; for the others a script
carries a definition, from the files in definitions/, which are read as text and never imported.
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

from gradcli.analysis.spelling import NOWHERE, literal, name
from gradcli.diagnostics import GradcliError
from gradcli.graph import Array
from gradcli.language.printer import print_expression
from gradcli.language.syntax import (
    Assign,
    Attribute,
    Binary,
    Call,
    Compare,
    Constant,
    Expression,
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
from gradcli.ops.elementwise import Elementwise
from gradcli.ops.table import Parameter

Definitions: TypeAlias = dict[str, str]
"""By name: the source of a function or class."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a library is written."""

    prefix: str
    array: str
    truth: str
    """The dtype of truth values."""
    names: dict[str, str]
    """By function: its whole name there."""
    renamed: dict[str, str]
    """By keyword: what it is called there."""
    definitions: Callable[[], Definitions]
    imports: dict[str, str]
    """By word: the line that brings it to a script; those with their own prefix always come."""
    tensors_only: bool = False
    """Functions of tensors take no plain numbers, and reductions no `keepdim` without an axis."""


def _listed(prefix: str, functions: str) -> dict[str, str]:
    """`a b=c`: a is prefix + a, and b is prefix + c."""
    pairs = (each.partition("=") for each in functions.split())
    return {function: prefix + (there or function) for function, _, there in pairs}


def _like_numpy(prefix: str) -> dict[str, str]:
    """What NumPy has; JAX has it too."""
    elementwise = {
        function.name: prefix + function.op.ufunc
        for function in FUNCTIONS.values()
        if isinstance(function.op, Elementwise) and function.op.ufunc
    }
    return (
        elementwise
        | _listed(
            prefix,
            "amax=max amin=min arange argmax argmin cat=concatenate cumprod cumsum diagonal einsum "
            "expand=broadcast_to eye float=float64 full_like linspace long=int64 mean ones "
            "ones_like permute=transpose prod reshape sinc sum var where zeros zeros_like",
        )
        | _listed(
            prefix + "linalg.",
            "cholesky det eigh eigvalsh inv qr slogdet solve svd svdvals",
        )
        | _listed(
            "special.",
            "digamma entr erf erfc erfinv i0 i1 lgamma=gammaln log_ndtr ndtr polygamma xlog1py "
            "xlogy",
        )
    )


def _torch_names() -> dict[str, str]:
    elementwise = {
        function.name: "torch." + function.name
        for function in FUNCTIONS.values()
        if isinstance(function.op, Elementwise) and function.op.ufunc
    }
    return (
        elementwise
        | _listed(
            "torch.",
            "amax amin arange argmax argmin argsort cat cummax cummin cumprod cumsum detach "
            "diag_embed diagonal digamma einsum erf erfc erfinv expand=broadcast_to eye flatten "
            "full_like gather i0 lerp lgamma linspace log_odds=logit logcumsumexp logsumexp mean "
            "median ones ones_like permute polygamma prod relu reshape roll rsqrt sigmoid "
            "rint=round sinc softmax sum tril triu var where xlogy zeros zeros_like",
        )
        | _listed(
            "torch.linalg.",
            "cholesky det eigh eigvalsh inv matrix_exp norm=vector_norm pinv qr slogdet solve svd "
            "svdvals",
        )
        | _listed("torch.special.", "entr erfcx i1 log_ndtr ndtr xlog1py")
        | _listed("torch.nn.functional.", "softsign tanhshrink")
        | {
            "float": "as_float",
            "long": "as_long",
            "floor_divide": "floor_divide",
            "heaviside": "heaviside",
        }
    )


@cache
def _definitions(file: str) -> Definitions:
    """Those of a file in definitions/."""
    found: Definitions = {}
    text = (Path(__file__).parent / "definitions" / file).read_text(encoding="utf-8")
    for node in ast.parse(text).body:
        source = ast.get_source_segment(text, node) or ""
        if isinstance(node, ast.FunctionDef):
            found[node.name] = source
        elif isinstance(node, ast.Assign):
            found[ast.unparse(node.targets[0])] = source
    return found


def _jax_definitions() -> Definitions:
    ours = _definitions("jax.py")
    others = _definitions("numpy.py").items()
    return {key: re.sub(r"\bnp\.", "jnp.", text) for key, text in others} | ours


_AXES = {"dim": "axis", "keepdim": "keepdims"}
DIALECTS = {
    "numpy": Dialect(
        "np.",
        "np.array",
        "bool_",
        _like_numpy("np.") | _listed("special.", "erfcx spherical_jn") | {"detach": "np.asarray"},
        _AXES,
        lambda: _definitions("numpy.py"),
        {
            "namedtuple": "from collections import namedtuple",
            "np": "import numpy as np",
            "special": "from scipy import special",
            "linalg": "from scipy import linalg",
        },
    ),
    "jax": Dialect(
        "jnp.",
        "jnp.array",
        "bool_",
        _like_numpy("jnp.")
        | _listed("jax.nn.", "relu sigmoid softmax")
        | {"detach": "jax.lax.stop_gradient"},
        _AXES,
        _jax_definitions,
        {
            "namedtuple": "from collections import namedtuple",
            "jax": "import jax",
            "jnp": "import jax.numpy as jnp",
            "np": "import numpy as np",
            "special": "from jax.scipy import special",
            "linalg": "from jax.scipy import linalg",
        },
    ),
    "torch": Dialect(
        "torch.",
        "torch.tensor",
        "bool",
        _torch_names(),
        {"p": "ord"},
        lambda: _definitions("torch.py"),
        {"torch": "import torch"},
        tensors_only=True,
    ),
}
"""By the name of the library."""
SHAPED = frozenset({"expand", "ones", "permute", "reshape", "zeros"})
"""Functions whose lengths or axes the libraries want as one tuple."""
OF_ONE_AXIS = frozenset({"logsumexp", "prod"})
"""Reductions that PyTorch does along an axis only."""
ALWAYS = frozenset({"jax", "jnp", "np", "torch"})
"""Imports that every script makes which has them."""
OWN = frozenset({"Extreme", "_", "f", "grads", "pull", *dir(builtins)})
"""Names that scripts give, or use as Python does."""


class Writer:
    """Statements in the words of a library."""

    def __init__(self, library: str, dtype: str) -> None:
        self.library = library
        self.dtype = dtype
        self.dialect = DIALECTS[library]
        self.definitions = self.dialect.definitions()
        self.used: set[str] = set()
        """The first parts of the names of all functions that were called."""

    def array(self, array: Array, more: str = "") -> str:
        """An array literal with its dtype."""
        prefix = self.dialect.prefix
        kinds = {"f": self.dtype, "b": self.dialect.truth, "i": "int64"}
        numbers = print_expression(self._numbers(literal(array)))
        return f"{self.dialect.array}({numbers}, dtype={prefix}{kinds[array.dtype.kind]}{more})"

    def statements(self, statements: Sequence[Statement]) -> list[str]:
        """Lines of Python."""
        return [
            f"{print_expression(self.expression(each.target))} = "
            f"{print_expression(self._argument(each.value, 'Node'))}"
            for each in statements
            if isinstance(each, Assign)
        ]

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
        lines = [line for word, line in imports if word in ALWAYS | needed]
        for title, text in self.definitions.items():
            if title in needed:
                lines += ["", "", text]
        return [*lines, "", *[""] * bool(needed & self.definitions.keys())]

    def expression(self, node: Expression) -> Expression:
        """The same expression in the library's words."""
        match node:
            case Number() if not isfinite(node.value):
                return name(f'float("{node.value}")')
            case Name():
                return name(self.title(node.id))
            case List():
                return self._array(node)
            case Call():
                return self._call(node)
            case Unary():
                return Unary(node.operator, self.expression(node.operand), NOWHERE)
            case Binary(operator="//") if self.dialect.tensors_only:  # PyTorch's has no gradient
                both = (node.left, node.right)
                return self._call(Call(name("floor_divide"), both, (), NOWHERE))
            case Binary() if _is_plain(node.left) and _is_plain(node.right):
                # An array: Python's own numbers raise where these give infinity.
                dtype = Keyword("dtype", name(self.dialect.prefix + self.dtype), NOWHERE)
                numbers = (self.expression(node.left),)
                first = Call(name(self.dialect.array), numbers, (dtype,), NOWHERE)
                return Binary(node.operator, first, self.expression(node.right), NOWHERE, NOWHERE)
            case Binary():
                left, right = self.expression(node.left), self.expression(node.right)
                return Binary(node.operator, left, right, NOWHERE, NOWHERE)
            case Compare():
                return Compare(node.operators, tuple(map(self.expression, node.operands)), NOWHERE)
            case Attribute():
                return Attribute(self.expression(node.value), node.name, NOWHERE, NOWHERE)
            case Index():
                items = tuple(map(self._place, node.items))
                return Index(self.expression(node.value), items, NOWHERE)
        return node

    def _numbers(self, node: Expression) -> Expression:
        """Nested lists as they are; what stands in them in the library's words."""
        if isinstance(node, List):
            return List(tuple(map(self._numbers, node.items)), NOWHERE)
        return self.expression(node)

    def _array(self, node: List, dtype: str | None = None) -> Expression:
        """A list as an array: of truth values, or of floats unless the dtype is given."""
        first: Expression = node
        while isinstance(first, List):
            first = first.items[0]
        if isinstance(first, Constant):
            dtype = self.dialect.truth
        kind = Keyword("dtype", name(self.dialect.prefix + (dtype or self.dtype)), NOWHERE)
        return Call(name(self.dialect.array), (self._numbers(node),), (kind,), NOWHERE)

    def _place(self, item: Any) -> Any:
        """What stands between brackets; the language's places may be floats, Python's may not."""
        match item:
            case Slice() | Number() | Unary():
                return item
            case List():
                return self._array(item, "int64")
            case Compare():
                return self.expression(item)
        self.used.add("places")
        return Call(name("places"), (self.expression(item),), (), NOWHERE)

    def _call(self, node: Call) -> Expression:
        assert isinstance(node.callee, Name)
        function = node.callee.id
        keywords = {each.name: each.value for each in node.keywords}
        callee, defined = self._callee(function, keywords)
        arguments = [
            self._argument(each, parameter.kind)
            for each, parameter in zip(node.arguments, _parameters(function), strict=False)
        ]
        if function in SHAPED:
            kept = 0 if function in ("ones", "zeros") else 1
            arguments[kept:] = [_one_tuple(arguments[kept:])]
        if self.dialect.tensors_only and "keepdim" in keywords and not defined:
            keywords = {"dim": Constant(None, NOWHERE)} | keywords
        renamed = {} if defined else self.dialect.renamed
        named = (
            Keyword(renamed.get(key, key), self.expression(value), NOWHERE)
            for key, value in keywords.items()
        )
        return Call(name(callee), tuple(arguments), tuple(named), NOWHERE)

    def _argument(self, node: Expression, kind: str) -> Expression:
        """An argument for a parameter of that kind."""
        if kind == "Index":
            place: Expression = self._place(node)
            return place
        if kind == "Sequence[Node]" and isinstance(node, List):
            return List(tuple(self._argument(each, "Node") for each in node.items), NOWHERE)
        if kind == "Node" and self.dialect.tensors_only and _is_plain(node):
            return Call(name(self.dialect.array), (self.expression(node),), (), NOWHERE)
        return self.expression(node)

    def _callee(self, function: str, keywords: dict[str, Expression]) -> tuple[str, bool]:
        """What to call, and whether it is one of the definitions."""
        there = self.dialect.names.get(function)
        whole = self.dialect.tensors_only and function in OF_ONE_AXIS and "dim" not in keywords
        callee = function if there is None or whole else there
        first = callee.partition(".")[0]
        if first == callee and callee not in self.definitions:
            raise GradcliError(
                "usage",
                f"--to {self.library}: there is no one function for {function} there",
                hint="--to torch knows the most functions; without --to it is a gradcli program",
            )
        self.used.add(first)
        return callee, first == callee


def _parameters(function: str) -> Iterator[Parameter]:
    """As many as a call may have arguments."""
    for parameter in FUNCTIONS[function].parameters:
        yield from repeat(parameter) if parameter.variadic else (parameter,)


def _is_plain(node: Expression) -> bool:
    """A number or a truth value, which PyTorch's functions of tensors do not take."""
    if isinstance(node, Compare):
        return all(map(_is_plain, node.operands))
    inner = node.operand if isinstance(node, Unary) else node
    return isinstance(inner, Number | Constant)


def _one_tuple(lengths: Sequence[Expression]) -> Expression:
    if len(lengths) == 1 and isinstance(lengths[0], Tuple):
        return lengths[0]
    return Tuple(tuple(lengths), NOWHERE)
