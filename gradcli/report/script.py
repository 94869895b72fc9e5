"""A gradient as a script for NumPy, PyTorch or JAX, with the inputs, and assertions at the end.

For PyTorch and JAX the script is the program itself, which they differentiate; for NumPy it is the
derived program.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from gradcli.analysis.reproduce import Reproduction
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
    Expression,
    Index,
    Keyword,
    List,
    Name,
    Number,
    Statement,
    Tuple,
    Unary,
)
from gradcli.ops import FUNCTIONS
from gradcli.ops.elementwise import Elementwise


@dataclass(frozen=True, slots=True)
class Dialect:
    """How another library is written."""

    prefix: str
    array: str
    names: dict[str, str] = field(default_factory=dict)
    """Functions that are called otherwise there; an empty name is one that it lacks."""
    keywords: dict[str, str] = field(default_factory=dict)
    shapes: frozenset[str] = frozenset()
    """Functions that want lengths or axes as one tuple."""
    known: frozenset[str] = frozenset()
    """What else it has, under the same name."""


_SHARED = frozenset(
    {"sum", "mean", "prod", "reshape", "where", "zeros", "ones", "eye", "arange", "linspace",
     "cumsum", "cumprod", "tril", "triu", "einsum", "ones_like", "zeros_like", "full_like", "flip",
     "var", "argmax", "argmin"}
)  # fmt: skip
_NUMPY = Dialect(
    "np.",
    "np.array",
    {"cat": "concatenate", "expand": "broadcast_to", "permute": "transpose", "amax": "max",
     "amin": "min", "float": "float64"},
    {"dim": "axis", "keepdim": "keepdims"},
    frozenset({"reshape", "expand", "permute", "zeros", "ones"}),
    _SHARED,
)  # fmt: skip
DIALECTS = {
    "numpy": _NUMPY,
    "jax": replace(
        _NUMPY,
        prefix="jnp.",
        array="jnp.array",
        names=_NUMPY.names
        | {"detach": "jax.lax.stop_gradient", "sigmoid": "jax.nn.sigmoid",
           "softmax": "jax.nn.softmax", "logsumexp": "jax.nn.logsumexp", "relu": "jax.nn.relu",
           "softplus": "jax.nn.softplus", "log_softmax": "jax.nn.log_softmax"},
    ),
    "torch": Dialect(
        "torch.",
        "torch.tensor",
        {"expand": "broadcast_to", "float": "asarray", "softplus": "nn.functional.softplus",
         "logsigmoid": "nn.functional.logsigmoid", "silu": "nn.functional.silu",
         "gelu": "nn.functional.gelu", "elu": "nn.functional.elu", "norm": "linalg.vector_norm"},
        {"p": "ord"},
        frozenset({"reshape", "expand", "permute"}),
        _SHARED | {"cat", "permute", "amax", "amin", "logsumexp", "softmax", "gather", "diagonal",
                   "roll", "relu", "sigmoid", "detach", "logcumsumexp", "log_softmax"},
    ),
}  # fmt: skip
"""By the name of the library."""


DEFINITIONS = {
    "scale": """def scale(a, b):
    return np.where(a == 0, 0.0, a * np.where(a == 0, 1.0, b))""",
    "sum_to": """def sum_to(x, *shape):
    shape = () if shape == ((),) else shape
    lead = x.ndim - len(shape)
    kept = [i + lead for i, n in enumerate(shape) if n == 1]
    return np.sum(x, axis=(*range(lead), *kept)).reshape(shape)""",
    "embed": """def embed(x, shape, start, step=None):
    y = np.zeros(shape)
    steps = step or (1,) * x.ndim
    y[np.ix_(*(a + s * np.arange(n) for a, n, s in zip(start, x.shape, steps)))] = x
    return y""",
    "sigmoid": """def sigmoid(x):
    return np.exp(-np.logaddexp(0.0, -x))""",
    "logsumexp": """def logsumexp(x, axis=None, keepdims=False):
    top = np.max(x, axis=axis, keepdims=True)
    total = np.sum(np.exp(x - top), axis=axis, keepdims=keepdims)
    return np.log(total) + top.reshape(total.shape)""",
    "softmax": """def softmax(x, axis=-1):
    return np.exp(x - np.logaddexp.reduce(x, axis=axis, keepdims=True))""",
    "relu": """def relu(x):
    return np.maximum(x, 0.0)""",
}
"""What NumPy lacks and derived programs often need."""


def render(reproduction: Reproduction, library: str) -> str:
    """The script. Raises `usage` where the library has no function for a step."""
    body = {"numpy": _numpy, "torch": _torch, "jax": _jax}[library]
    return "\n".join(body(reproduction, _Writer(library, reproduction.dtype))) + "\n"


def _numpy(told: Reproduction, write: _Writer) -> list[str]:
    arrays = told.arrays | told.given
    lines = [f"{title} = {write.array(array)}" for title, array in arrays.items()]
    lines += write.statements(told.derivative)
    defined = [f"\n\n{DEFINITIONS[each]}" for each in sorted(write.needed)]
    lines[:0] = ["import numpy as np", *defined, *["\n"] * bool(defined)]
    for leaf, grad in told.grads.items():
        expected = write.array(grad)
        lines.append(f"np.testing.assert_allclose({leaf}_grad, {expected}, rtol=1e-9, atol=1e-12)")
    return lines


def _torch(told: Reproduction, write: _Writer) -> list[str]:
    lines = ["import torch", "", f"torch.set_default_dtype(torch.{told.dtype})"]
    for title, array in told.arrays.items():
        marked = ", requires_grad=True" if title in told.leaves else ""
        lines.append(f"{title} = {write.array(array, marked)}")
    lines += write.statements(told.forward)
    outputs = ", ".join(told.gradients)
    given = ", ".join(write.array(v) for v in told.gradients.values())
    lines.append(f"torch.autograd.backward([{outputs}], [{given}])")
    for leaf, grad in told.grads.items():
        expected = write.array(grad)
        lines.append(
            f"torch.testing.assert_close({leaf}.grad, {expected}, rtol=1e-9, atol=1e-12, "
            "equal_nan=True)"
        )
    return lines


def _jax(told: Reproduction, write: _Writer) -> list[str]:
    lines = ["import jax", "import jax.numpy as jnp", "import numpy as np", ""]
    lines += ['jax.config.update("jax_enable_x64", True)']
    lines += [f"{title} = {write.array(array)}" for title, array in told.arrays.items()]
    lines += ["", "", f"def f({', '.join(told.leaves)}):"]
    lines += [f"    {line}" for line in write.statements(told.forward)]
    given = ", ".join(write.array(v) for v in told.gradients.values())
    lines += [f"    return [{', '.join(told.gradients)}]", "", ""]
    lines += [f"_, pull = jax.vjp(f, {', '.join(told.leaves)})", f"grads = pull([{given}])"]
    for place, grad in enumerate(told.grads.values()):
        expected = write.array(grad)
        lines.append(
            f"np.testing.assert_allclose(grads[{place}], {expected}, rtol=1e-9, atol=1e-12)"
        )
    return lines


class _Writer:
    """Statements in the words of a library."""

    def __init__(self, library: str, dtype: str) -> None:
        self.library = library
        self.dtype = dtype
        self.dialect = DIALECTS[library]
        self.needed: set[str] = set()
        """Functions that the script has to define."""

    def array(self, array: Array, more: str = "") -> str:
        """An array literal with its dtype."""
        prefix = self.dialect.prefix
        kinds = {"f": self.dtype, "b": "bool" if prefix == "torch." else "bool_", "i": "int64"}
        numbers = print_expression(self.expression(literal(array), bare=True))
        return f"{self.dialect.array}({numbers}, dtype={prefix}{kinds[array.dtype.kind]}{more})"

    def statements(self, statements: Sequence[Statement]) -> list[str]:
        """Lines of Python."""
        return [
            f"{print_expression(each.target)} = {print_expression(self.expression(each.value))}"
            for each in statements
            if isinstance(each, Assign)
        ]

    def expression(self, node: Expression, *, bare: bool = False) -> Expression:
        """The same expression in the library's words; lists become arrays unless `bare`."""
        if isinstance(node, Name) and node.id in ("nan", "inf"):
            return name(f'float("{node.id}")')
        if isinstance(node, List):
            items = tuple(self.expression(item, bare=bare) for item in node.items)
            rewritten = List(items, NOWHERE)
            if bare:
                return rewritten
            dtype = Keyword("dtype", name(self.dialect.prefix + self.dtype), NOWHERE)
            return Call(name(self.dialect.array), (rewritten,), (dtype,), NOWHERE)
        if isinstance(node, Call):
            return self._call(node)

        def again(each: Expression) -> Expression:
            return self.expression(each, bare=bare)

        if isinstance(node, Unary):
            return Unary(node.operator, again(node.operand), NOWHERE)
        if isinstance(node, Binary):
            left, right = again(node.left), again(node.right)
            return Binary(node.operator, left, right, NOWHERE, NOWHERE)
        if isinstance(node, Compare):
            return Compare(node.operators, tuple(map(again, node.operands)), NOWHERE)
        if isinstance(node, Attribute):
            return Attribute(again(node.value), node.name, NOWHERE, NOWHERE)
        if isinstance(node, Index):
            return Index(again(node.value), node.items, NOWHERE)
        return node

    def _call(self, node: Call) -> Expression:
        assert isinstance(node.callee, Name)
        function = node.callee.id
        if function == "detach" and self.library == "numpy":
            return self.expression(node.arguments[0])
        elementwise = isinstance(FUNCTIONS[function].op, Elementwise)
        arguments = [
            self.expression(each, bare=isinstance(each, List) and function == "cat")
            for each in node.arguments
        ]
        if function == "cat":
            assert isinstance(node.arguments[0], List)
            arguments = [List(tuple(map(self.expression, node.arguments[0].items)), NOWHERE)]
        if function == "logsumexp" and self.library == "torch" and not node.keywords:
            flat = Call(name("torch.flatten"), tuple(arguments), (), NOWHERE)
            return Call(name("torch.logsumexp"), (flat, Number(0.0, NOWHERE)), (), NOWHERE)
        if function in self.dialect.shapes and len(arguments) > 1:
            single = isinstance(arguments[1], Tuple)
            shape = arguments[1] if single else Tuple(tuple(arguments[1:]), NOWHERE)
            arguments = [arguments[0], shape]
        if function in ("zeros", "ones"):
            arguments = [Tuple(tuple(node.arguments), NOWHERE)]
        if elementwise and self.library == "torch" and function != "where":
            arguments = [self._tensor(each) for each in arguments]
        keywords = tuple(
            Keyword(self.dialect.keywords.get(each.name, each.name), each.value, NOWHERE)
            for each in node.keywords
        )
        return Call(name(self._name(function)), tuple(arguments), keywords, NOWHERE)

    def _tensor(self, node: Expression) -> Expression:
        """PyTorch's functions of two tensors take no plain numbers."""
        if isinstance(node, Number):
            return Call(name("torch.tensor"), (node,), (), NOWHERE)
        return node

    def _name(self, function: str) -> str:
        entry = FUNCTIONS[function]
        known = self.dialect.names.get(function)
        if known is not None:
            return known if known.startswith("jax.") else self.dialect.prefix + known
        if function in self.dialect.known:
            return self.dialect.prefix + function
        if isinstance(entry.op, Elementwise):
            if self.library == "torch":
                return self.dialect.prefix + (entry.torch or function)
            if entry.op.ufunc is not None:
                return self.dialect.prefix + entry.op.ufunc
        if self.library == "numpy" and function in DEFINITIONS:
            self.needed.add(function)
            return function
        raise GradcliError(
            "usage",
            f"--to {self.library}: there is no one function for {function} there",
            hint="--to torch knows the most functions; without --to it is a gradcli program",
        )
