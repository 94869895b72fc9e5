"""Names and nodes of a program, found by reading it: nothing is run, and nothing recurses."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Sequence
from functools import cache, lru_cache
from typing import Any, get_args

from gradcli.diagnostics import Span
from gradcli.language import syntax
from gradcli.trace.callee import ROOTS
from gradcli.tuples import NamedTuple

SHORT = 500
"""A program of fewer statements has none that are written many times."""
LAYOUTS = ("layout", "memory_format")
"""Keywords whose values are constants of PyTorch, which have no effect here."""
EXTRA = ("requires_grad", "dtype", "device", "pin_memory", "copy", *LAYOUTS)
"""Keywords of all functions that make tensors."""

COMPLEX = {
    "complex64": "float32", "cfloat": "float32", "complex128": "float64", "cdouble": "float64",
    "complex": "float64",
}  # fmt: skip
"""PyTorch's complex dtypes, and the dtype of the parts of each."""


def is_complex_dtype(value: object) -> bool:
    """Whether it is the name of such a dtype, or Python's class."""
    return complex_name(value) in COMPLEX


def complex_name(value: object) -> str:
    """What a dtype is called, without its module; empty for what is none."""
    name = getattr(value, "name", value)
    return name.rpartition(".")[2] if isinstance(name, str) else ""


def runs_backward(program: syntax.Program) -> bool:
    """Whether the program may differentiate by itself, and so free graphs."""
    text = program.source.text
    if "backward" not in text and "grad" not in text:  # reading every part takes longer
        return False
    return any(
        (isinstance(part, syntax.Attribute) and part.name in ("backward", "grad"))
        or (isinstance(part, syntax.Name) and part.id in ("backward", "grad"))
        for part in all_parts(program.statements)
    )


_MODULES = re.compile(r"(?<![\w.])(?:torch|np|nn|F|optim|math)\.[A-Za-z]")


def may_be_fragment(text: str) -> bool:
    """Whether a text may be the middle of a notebook: it prints, or has a class, and names modules
    as people do.
    """
    return ("print" in text or "class" in text) and _MODULES.search(text) is not None


def may_loop(program: syntax.Program) -> bool:
    """Whether there may be loops in a program, or what is one written out."""
    text = program.source.text
    return "for" in text or "while" in text or repeats(program)


def repeats(program: syntax.Program) -> bool:
    """Whether a program has statements that are written many times one after another."""
    if len(program.statements) < SHORT:
        return False
    from gradcli.trace.repetitions import blocks  # most programs start faster without

    return bool(blocks(program))


_SETS_ELEMENT = r"\][ \t]*(?:[-+*/%@&|]|\*\*|//)?=(?!=)"
"""Where an element may be set; what it finds may still be an argument's default."""


def changes_in_place(program: syntax.Program) -> bool:
    """Whether a tensor may change for all names that hold it."""
    text = program.source.text
    sets_element = "]" in text and re.search(_SETS_ELEMENT, text)
    is_pytorch = "torch" in text or "numpy" in text
    if not is_pytorch and "_(" not in text and not sets_element:
        return False  # reading every part takes longer
    return any(
        (
            isinstance(part, syntax.AugmentedAssign)
            and (is_pytorch or not isinstance(part.target, syntax.Name))
        )
        or (isinstance(part, syntax.Call) and _changes_an_operand(part))
        or (isinstance(part, syntax.Keyword) and part.name in ("out", "inplace"))
        or (isinstance(part, syntax.Assign | syntax.ChainedAssign) and _sets_part(part))
        for part in all_parts(program.statements)
    )


_OF_ARRAYS = (
    "sort", "fill", "fill_diagonal", "shuffle", "put", "putmask", "place", "copyto",
    "put_along_axis", "resize", "at",
)  # fmt: skip
"""Methods and functions that change arrays of NumPy's in place."""


_IN_PLACE = frozenset((
    "relu", "relu6", "elu", "selu", "celu", "leakyrelu", "rrelu", "silu", "mish", "hardswish",
    "hardsigmoid", "hardtanh", "threshold", "dropout", "dropout1d", "dropout2d", "dropout3d",
    "alphadropout",
))  # fmt: skip
"""Functions and layers, in small letters without `_`, which a last `True` has change a tensor."""


def _changes_an_operand(call: syntax.Call) -> bool:
    callee = call.callee
    if isinstance(callee, syntax.Name):
        name = callee.id
        ends = name in _OF_ARRAYS[2:]
    elif isinstance(callee, syntax.Attribute):
        name = callee.name
        ends = name.endswith("_") or name in _OF_ARRAYS
    else:
        return False
    last = call.arguments[-1] if call.arguments else None
    is_asked = isinstance(last, syntax.Constant) and last.value is True
    return ends or (is_asked and name.lower().replace("_", "") in _IN_PLACE)


def _sets_part(statement: syntax.Assign | syntax.ChainedAssign) -> bool:
    """Whether an element or an attribute is among the targets."""
    targets: list[Any] = [getattr(statement, "target", None), *getattr(statement, "targets", ())]
    while targets:
        target = targets.pop()
        if isinstance(target, syntax.Index | syntax.Attribute):
            return True
        targets += getattr(target, "items", ())
    return False


def all_parts(nodes: Sequence[Any]) -> list[Any]:
    """The syntax nodes, and all nodes inside them."""
    found = [*nodes]
    for part in found:  # which grows by what is inside
        for field in _fields_of_parts(part.__class__):
            value = getattr(part, field)
            if isinstance(value, syntax.Syntax):
                found.append(value)
            elif value.__class__ is tuple:
                found += [each for each in _flattened(value) if isinstance(each, syntax.Syntax)]
    return found


def parts_of(node: Any) -> list[syntax.Syntax]:
    """The syntax nodes directly inside a syntax node."""
    found: list[syntax.Syntax] = []
    for field in _fields_of_parts(node.__class__):
        value = getattr(node, field)
        if isinstance(value, syntax.Syntax):
            found.append(value)
        elif type(value) is tuple:
            found += [each for each in _flattened(value) if isinstance(each, syntax.Syntax)]
    return found


@cache
def _fields_of_parts(kind: type[syntax.Syntax]) -> tuple[str, ...]:
    """The fields of a kind of syntax node that may hold others."""
    plain = ("Span", "str", "float", "bool", "Literal")
    written = kind.__annotations__
    return tuple(each for each in kind.__slots__ if written[each].partition("[")[0] not in plain)


def _flattened(items: tuple[Any, ...]) -> list[Any]:
    """The items of a tuple, and of the tuples in it, as a branch of `if` holds its body."""
    flat: list[Any] = []
    for item in items:
        if item.__class__ is tuple:
            flat += _flattened(item)
        else:
            flat.append(item)
    return flat


def binds_unread(program: syntax.Program, name: str) -> bool:
    """Whether an assignment of the program binds a name before anything reads it: then an input of
    that name is never used.
    """
    for statement in program.statements:
        reads: syntax.Syntax = statement
        binds: syntax.Syntax | None = None
        if isinstance(statement, syntax.Assign) and not isinstance(
            statement.target, syntax.Attribute | syntax.Index
        ):
            reads, binds = statement.value, statement.target
        if _stands_in(reads, name):
            return False
        if binds and _stands_in(binds, name):
            return True
    return False


def _stands_in(node: syntax.Syntax, name: str) -> bool:
    """Whether a value of that name stands anywhere in a syntax node, not counting a parameter."""
    stack: list[Any] = [node]
    while stack:
        part = stack.pop()
        if isinstance(part, syntax.Name) and part.id == name:
            return True
        if isinstance(part, syntax.Call) and isinstance(part.callee, syntax.Name):
            stack += [*part.arguments, *part.keywords]  # the name of a function is not a value
        elif not (
            isinstance(part, syntax.FunctionDefinition)
            and any(parameter.name == name for parameter in part.parameters)
        ):
            stack += parts_of(part)
    return False


def free_names(program: syntax.Program) -> list[str]:
    """The names that a program reads before it gives them a value, in the order of the text."""
    found: dict[str, None] = {}
    _free(program.statements, set(), found)
    return list(found)


def _free(statements: Sequence[Any], bound: set[str], found: dict[str, None]) -> None:
    """Add the names that statements read; `bound` gets those that they bind."""
    waiting: list[Any] = list(reversed(statements))
    while waiting:
        part = waiting.pop()
        if isinstance(part, _Binds):
            bound |= part.names
            continue
        if isinstance(part, _Unbinds):
            bound -= part.names
            continue
        owner = part.value if isinstance(part, syntax.Attribute) else part
        if isinstance(owner, syntax.Name):
            if owner.id not in bound and not (part is not owner and owner.id in ROOTS):
                found[owner.id] = None
            continue
        waiting += reversed(_read(part, bound))


def alternatives(wanted: syntax.Expression) -> list[syntax.Expression]:
    """The classes that are asked for in `isinstance(x, (int, float))` or `int | float`."""
    found: list[syntax.Expression] = []
    waiting: list[Any] = [wanted]
    while waiting:
        each = waiting.pop()
        if isinstance(each, syntax.Tuple):
            waiting += reversed(each.items)
        elif isinstance(each, syntax.Binary) and each.operator == "|":
            waiting += (each.right, each.left)
        else:
            found.append(each)
    return found


def locals_of(definition: syntax.FunctionDefinition, text: str) -> frozenset[str]:
    """The names that a function's body binds, and no outer one: they have no value before. `text`
    is what the definition is written as.
    """
    binds_nothing = _EXPRESSIONS if ":=" not in text else ()
    found: set[str] = set()
    outer: set[str] = set()
    waiting: list[Any] = [*definition.body]
    while waiting:
        part = waiting.pop()
        if isinstance(part, binds_nothing):
            continue
        found |= bound_by(part)
        if isinstance(part, syntax.Outer):
            outer.update(part.names)
        if not isinstance(part, _INSIDE_ITSELF):
            waiting += parts_of(part)
    return frozenset(found - outer - {each.name.lstrip("*") for each in definition.parameters})


_EXPRESSIONS = (*get_args(syntax.Expression), syntax.Return, syntax.Evaluate)
"""What binds no names where no `:=` stands in it."""

_INSIDE_ITSELF = (
    syntax.FunctionDefinition, syntax.ClassDefinition, syntax.Lambda, syntax.Comprehension,
    syntax.Import,
)  # fmt: skip
"""What binds names, if any in its parts, for itself alone."""


def bound_by(part: Any) -> set[str]:
    """The names that a part of a body binds by itself, not by what stands in it."""
    match part:
        case syntax.FunctionDefinition(name=name) | syntax.ClassDefinition(name=name):
            return {name}
        case syntax.Assign(target=target) | syntax.AugmentedAssign(target=target):
            return _bound_in(target)
        case syntax.ChainedAssign(targets=targets):
            return set[str]().union(*map(_bound_in, targets))
        case syntax.For(target=target) | syntax.Yield(target=syntax.Syntax() as target):
            return _bound_in(target)
        case syntax.Context(name=str(name)) | syntax.Handler(name=str(name)):
            return {name}
        case syntax.Walrus(name=name):
            return {name}
    return set()


def _bound_in(target: syntax.Syntax) -> set[str]:
    """The names that an assignment binds: not those of what it changes a part of."""
    return {each.id for each in targets_in(target) if isinstance(each, syntax.Name)}


def targets_in(target: syntax.Syntax) -> list[syntax.Syntax]:
    """The targets of which one is made: `a` and `b.c` of `a, *b.c`."""
    found: list[syntax.Syntax] = []
    waiting: list[Any] = [target]
    while waiting:
        part = waiting.pop()
        if isinstance(part, syntax.Tuple | syntax.List):
            waiting += part.items
        elif isinstance(part, syntax.Starred):
            waiting.append(part.value)
        else:
            found.append(part)
    return found


class _Binds(NamedTuple):
    names: set[str]


class _Unbinds(NamedTuple):
    names: set[str]


def _read(part: Any, bound: Container[str]) -> list[Any]:
    """What is inside a syntax node, in the order in which it runs, and what it binds on the way."""
    match part:
        case syntax.Assign(target=syntax.Name() | syntax.Tuple() as target, value=value):
            return [value, _Binds(_names_in(target))]
        case syntax.Yield(value=value, target=target) if target is not None:
            return [*((value,) if value else ()), _Binds(_names_in(target))]
        case syntax.ChainedAssign(targets=targets, value=value):
            return [value, *(_Binds(_names_in(target)) for target in targets)]
        case syntax.Walrus(name=title, value=value):
            return [value, _Binds({title})]
        case syntax.MatchCase(pattern=pattern, name=title, guard=guard, body=body):
            named = _names_in(pattern) | ({title} if title else set())
            return [_Binds(named), *((guard,) if guard else ()), *body]
        case syntax.For(target=target, iterable=iterable, body=body):
            return [iterable, _Binds(_names_in(target)), *body]
        case syntax.ClassDefinition(name=title, bases=bases, body=body, decorators=decorators):
            return [_Binds({title}), *decorators, *bases, *part.keywords, *body]
        case syntax.FunctionDefinition(name=title, parameters=parameters, body=body):
            inner = {each.name for each in parameters if each.name not in bound}
            return [_Binds({title, *inner}), *body, _Unbinds(inner)]
        case syntax.Call(callee=syntax.Name()):
            return [*part.arguments, *part.keywords]
    return parts_of(part)


def _names_in(target: syntax.Syntax) -> set[str]:
    return {each.id for each in all_parts([target]) if isinstance(each, syntax.Name)}


def dtype_name(expression: syntax.Expression) -> str | None:
    """The dtype that `torch.float32`, `np.float32` or `float` names, as it is written."""
    if isinstance(expression, syntax.Attribute) and isinstance(expression.value, syntax.Name):
        return expression.name if expression.value.id in ("torch", "np", "numpy") else None
    if not isinstance(expression, syntax.Name):
        return None
    return _PYTHONS_DTYPES.get(expression.id, expression.id)


_PYTHONS_DTYPES = {"int": "int64", "float": "float64"}
"""What Python's own names mean as dtypes; `torch.int` and `torch.float` are narrower."""


class Mentions:
    """Answers questions about the whole text, and remembers the answers: a run that has come to
    some line may go on with another text behind it where these stay.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._answers: dict[tuple[Callable[..., bool], tuple[Any, ...]], bool] = {}

    def any_of(self, words: tuple[str, ...]) -> bool:
        """Whether one of these stands in the text."""
        return self._answer(_has_any, words)

    def elsewhere(self, name: str, span: Span) -> bool:
        """Whether a name stands in the text outside a place of it."""
        return self._answer(_stands_outside, name, span)

    def _answer(self, question: Callable[..., bool], *about: Any) -> bool:
        answer = self._answers[question, about] = question(self._text, *about)
        return answer

    def stay_in(self, text: str) -> bool:
        """Whether what was asked so far has the same answers for another text."""
        return all(
            question(text, *about) == answer for (question, about), answer in self._answers.items()
        )

    def follow(self, text: str) -> None:
        """Answer from another text from now on."""
        self._text = text


def _has_any(text: str, words: tuple[str, ...]) -> bool:
    if any(map(text.__contains__, words)):
        return True
    return " (" in text and any(map(_closed_up(text).__contains__, words))


@lru_cache(maxsize=1)  # many words are looked for in the same text
def _closed_up(text: str) -> str:
    return text.replace(" (", "(")


def _stands_outside(text: str, name: str, span: Span) -> bool:
    word = re.compile(rf"\b{name}\b")
    return bool(word.search(text, 0, span[0]) or word.search(text, span[1]))
