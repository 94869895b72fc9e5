"""The op table: every function of the language, its names, and what builds its nodes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeAlias

from gradcli.graph import EMPTY, Node, Op, Shape
from gradcli.tuples import NamedTuple

if TYPE_CHECKING:  # each field of a class of this kind takes time at every start
    from typing import TypedDict

    class Told(TypedDict, total=False):
        """What an entry may state about its function: fields of `Function`, explained there."""

        aliases: tuple[str, ...]
        latex: str
        formula: str
        kink: str
        elsewhere: Mapping[str, str]
        numpy: str
        torch: str
        jax: str | None
        receiver: int
        variant: Callable[..., Any] | None
        takes_dtype: bool
        unlike: Mapping[str, str]
        passes_on: bool
        own_memory: bool
        demands: Mapping[str, Demand | Alike | Ranked]
        by_dtype: ByDtype | None
        gradients: Mapping[str, str | Sequence[str]]
        confused: tuple[str, ...]
        needs: tuple[str, ...]
        takes_numbers: tuple[str, ...]
        overloaded: bool
        autocast: str
        order: str
        keeps_integers: bool
        beyond: str
        by_book: Callable[..., Any] | None


Index: TypeAlias = Node
"""As an annotation: an operand whose values are integers."""
Known: TypeAlias = Node
"""As an annotation: an operand that is looked at while tracing, so that it comes as a constant."""
KnownIndex: TypeAlias = Node
"""As an annotation: the same, looked at while tracing, so that `data` holds the values."""


FRAMEWORKS = {
    "torch": "PyTorch 2.13",
    "jax": "JAX 0.10",
    "numpy": "NumPy with autograd 1.9",
    "tensorflow": "TensorFlow 2.20 (not tested here)",
}
"""Frameworks whose derivatives at kinks entries tell, and their versions. TensorFlow's are read
from the gradients that it registers, tensorflow/python/ops/math_grad.py, nn_grad.py, clip_ops.py:
no test runs them.
"""


def everywhere(derivative: str, **others: str) -> Mapping[str, str]:
    """The derivative at a kink that all frameworks have, and what it is in others."""
    return MappingProxyType(dict.fromkeys(FRAMEWORKS, derivative) | others)


class Demand(NamedTuple):
    """The dtypes that PyTorch takes for an operand, and what it says of others."""

    words: str
    """Its message, with `{Type}` or `{type}` for what it calls the dtype, and `{sizes}`."""
    dtypes: tuple[str, ...] = ("float16", "bfloat16", "float32", "float64")
    kind: str = "RuntimeError"
    """The class of its exception."""
    unless_like: str = ""
    """In the shape of this operand, the operand means something that is of floats."""
    alike: str = ""
    """What it says of other dtypes then; they are taken where it says nothing."""
    only_with: str = ""
    """It is made only where this argument is given, or, of `reduction=mean`, is that one."""
    halves: str = ""
    """What it says of floats of 16 bits where it does not take them: its message, or the name of
    its kernel."""


class Alike(NamedTuple):
    """That PyTorch takes operands of one dtype only, and what it says of others."""

    words: str
    """Its message, with `{Type}`, `{type}` or `{dtype}` for what it calls the dtype of the first of
    them, and `{Other}`, `{other}` or `{other_dtype}` for that of the first that differs."""
    kind: str = "RuntimeError"
    with_axes: bool = False
    """Only where all of them have axes: a single value multiplies."""


class Ranked(NamedTuple):
    """That PyTorch takes operands of as many axes only, and what it says of others."""

    words: str
    """Its message, with `{sizes}` for their names and sizes."""


SCALAR = Alike("expected scalar type {Type} but found {Other}")
"""As many kernels of PyTorch say it."""
MAPPED = Alike("mat1 and mat2 must have the same dtype, but got {Type} and {Other}")
"""As linear maps say it of what they map, and of their weights."""


def kernel(name: str) -> Demand:
    """The demand for floats of a function that PyTorch computes by its kernel `name`."""
    return Demand(f"\"{name}\" not implemented for '{{Type}}'", kind="NotImplementedError")


def floats(name: str, halves: str = "") -> Demand:
    """The demand for floats in the words of PyTorch's linear algebra."""
    said = f"{name}: Expected a floating point or complex tensor as input. Got {{Type}}"
    return Demand(said, halves=halves)


def full_floats(name: str) -> Demand:
    """The same for floats of 32 bits or more."""
    return floats(name, f"{name}: Low precision dtypes not supported. Got {{Type}}")


def full(name: str) -> Demand:
    """The demand for these of a function that PyTorch computes by its kernel `name`."""
    return kernel(name)._replace(dtypes=FULL)


FULL = ("float32", "float64")


def whole(words: str, *dtypes: str, kind: str = "RuntimeError", unless_like: str = "") -> Demand:
    """The demand for integers."""
    return Demand(words, dtypes or ("int32", "int64"), kind, unless_like)


def mask(words: str) -> Demand:
    """The demand for truth values."""
    return Demand(words, ("bool",))


ByDtype: TypeAlias = Callable[[Sequence[str], Mapping[str, Any]], Mapping[str, float]]
"""Of the dtypes of the tensors that are given, and the numbers that are: those to compute with."""


class Case(NamedTuple):
    """An example call over inputs of given shapes: tests and documentation are made from it."""

    program: str
    shapes: Mapping[str, Shape] = MappingProxyType({"x": (2, 3)})
    domain: tuple[float, float] = (-2.0, 2.0)
    """Inputs are drawn from this open interval, away from kinks."""
    smooth: bool = True
    """False where the derivative does not exist or is zero by nature (counts, comparisons)."""


class Parameter(NamedTuple):
    name: str
    kind: str
    """The annotation of the building function: `Node`, `int`, `Axes`, … (see `gradcli.trace`)."""
    required: bool
    default: Any = None
    variadic: bool = False
    keyword_only: bool = False


class Function(NamedTuple):
    """A function of the language: its names, parameters, doc, and what builds its nodes."""

    name: str
    build: Callable[..., Any]
    group: str
    doc: str
    aliases: tuple[str, ...] = ()
    op: Op | None = None
    """The op behind it; None for a derived function."""
    operands: tuple[str, ...] = ()
    """Names of the operands of an elementwise op, whose building function takes `*operands`."""
    cases: tuple[Case, ...] = ()
    latex: str = ""
    """How LaTeX writes a call by position, of the operands `{0}`, `{1}` … and no others."""
    formula: str = ""
    kink: str = ""
    """The value of the derivative where it does not exist, in words."""
    elsewhere: Mapping[str, str] = EMPTY
    """The same in other frameworks, by their keys in FRAMEWORKS: by each operand, a remark in
    parentheses."""
    numpy: str = ""
    torch: str = ""
    jax: str | None = ""
    """Its whole names in NumPy (or SciPy), PyTorch and JAX, where they take the same arguments.
    Without a name a script defines it; JAX without one has NumPy's, with None it lacks it."""
    receiver: int = 0
    """Which operand it is a method of: `x.polygamma(n)` is `polygamma(n, x)`."""
    variant: Callable[..., Any] | None = None
    """What builds a call of an elementwise op that has keywords: `add(a, b, alpha=2)`."""
    takes_dtype: bool = False
    """Whether a call may say by `dtype=` what the elements are converted to before it computes."""
    unlike: Mapping[str, str] = EMPTY
    """Functions of this name that mean something else and are not here: what to write for them.

    One that is here has an entry of its own in the same module, under its whole name: `np.std`.
    """
    passes_on: bool = False
    """Where it changes nothing its result is the operand itself, as in PyTorch. The result of
    every other function is a tensor of its own, whose gradient is not the operand's.
    """
    own_memory: bool = False
    """Whether its result has memory of its own in PyTorch even where it is a view here: `flip`."""
    demands: Mapping[str, Demand | Alike | Ranked] = EMPTY
    """By operand the dtypes that PyTorch takes: a program that imports it means what that says.
    A demand on several operands, "input, target", is met by one that meets it, or by all that are
    `Alike` or `Ranked` alike."""
    by_dtype: ByDtype | None = None
    """Parameters that are other numbers for tensors of some dtypes, in a program that imports
    PyTorch or NumPy: the largest number of float32, where a run computes in float64."""
    gradients: Mapping[str, str | Sequence[str]] = EMPTY
    """By parameter its gradient as textbooks write it: a text of the language over the parameters,
    the `result` and the `cotangent`, the gradient of a later loss by the result. Of several texts
    the first is meant that gives the gradient of the call: arguments choose between them.
    """
    confused: tuple[str, ...] = ()
    """The functions that it is taken for, the most likely first."""
    needs: tuple[str, ...] = ()
    """Parameters that have a default here and must be given in PyTorch."""
    takes_numbers: tuple[str, ...] = ()
    """Operands that may be numbers of Python's in PyTorch, too; of all others these are refused."""
    overloaded: bool = False
    """Whether PyTorch has several forms of it: of an argument of a wrong class it tells with all
    of these, as none of the arguments alone is wrong."""
    autocast: str = ""
    """What PyTorch's autocast has a processor compute it in: `lower`, the 16 bits that are asked
    for, or `float32`. Without it the operands are taken as they are."""
    order: str = ""
    """How the elements of its result lie in memory in PyTorch: `kept`, in the order of those of the
    operands, as the results of elementwise ops do whatever is stated; `first`, in that of the first
    operand; `channels`, with channels last where an operand has them so; else in their own."""
    keeps_integers: bool = False
    """Whether it gives integers of integers, though it may compute with floats here, in a program
    of Python: as elementwise ops do that take integers, whatever is stated."""
    beyond: str = ""
    """PyTorch's words for an `{index}` that is out of range, along an axis of a `{length}`, where
    these are its own."""
    by_book: Callable[..., Any] | None = None
    """What builds it as textbooks define it, of the parameters of `build`: that one may guard
    against overflow and infinities, and handle what is ignored or masked."""

    def __call__(self, *arguments: Any, **keywords: Any) -> Node:
        return self.build(*arguments, **keywords)  # type: ignore[no-any-return]

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """What a call may pass."""
        if self.operands and self.variant is None:
            return tuple(Parameter(name, "Node", required=True) for name in self.operands)
        return _parameters(self.variant or self.build)


def _parameters(build: Callable[..., Any]) -> tuple[Parameter, ...]:
    """The parameters of a building function (without `inspect`: it is slow)."""
    code = build.__code__
    annotations: dict[str, str] = build.__annotations__
    count, keyword_only = code.co_argcount, code.co_kwonlyargcount
    names = code.co_varnames
    defaults: tuple[Any, ...] = getattr(build, "__defaults__", None) or ()
    keyword_defaults: dict[str, Any] = getattr(build, "__kwdefaults__", None) or {}
    first_default = count - len(defaults)
    parameters = [
        Parameter(name, annotations[name], i < first_default, *defaults[i - first_default :][:1])
        if i >= first_default
        else Parameter(name, annotations[name], required=True)
        for i, name in enumerate(names[:count])
    ]
    if code.co_flags & 0x04:  # CO_VARARGS
        name = names[count + keyword_only]
        parameters.append(Parameter(name, annotations[name], required=False, variadic=True))
    parameters += [
        Parameter(
            name,
            annotations[name],
            required=name not in keyword_defaults,
            default=keyword_defaults.get(name),
            keyword_only=True,
        )
        for name in names[count : count + keyword_only]
    ]
    return tuple(parameters)


TABLE: dict[str, Function] = {}
"""Every name and alias that a program may call."""


def register(function: Function) -> Function:
    """Put a function into the table under its name and aliases."""
    for name in (function.name, *function.aliases):
        if name in TABLE:
            raise ValueError(f"two entries of the op table are called {name!r}")
        TABLE[name] = function
    return function
