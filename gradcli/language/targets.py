"""What may stand on the left of `=`: names, attributes, elements, and the head of a function."""

from __future__ import annotations

from collections.abc import Sequence

from gradcli.diagnostics import GradcliError, Source
from gradcli.language.syntax import (
    Attribute,
    Binary,
    ByteString,
    Call,
    Compare,
    Constant,
    DictLiteral,
    Expression,
    FormalParameter,
    Index,
    List,
    Name,
    Number,
    Starred,
    String,
    Target,
    Tuple,
    Unary,
)

_PLAIN = (Name, Number, String, ByteString, Constant, Attribute)
"""Patterns without parts."""


def assignable(target: Expression, source: Source) -> Target:
    """The target of `=`: a name, an attribute, an element, or a tuple of these."""
    if type(target) is Name:  # nearly all are
        return target
    if isinstance(target, List):  # [a, b] = …
        target = _row(target)
    if not isinstance(target, Tuple):
        return changeable(target, source)
    waiting: list[Expression] = [target]
    while waiting:
        part = waiting.pop()
        if isinstance(part, List):  # i, [a, b] = …
            return assignable(_row(target), source)
        if not isinstance(part, Tuple):
            changeable(part.value if isinstance(part, Starred) else part, source)
        elif not part.items:
            raise _refused(part, source, "an empty tuple")
        elif len(stars := [each for each in part.items if isinstance(each, Starred)]) > 1:
            raise _error(stars[1], source, "only one name of a row can take what is left")
        else:
            waiting += reversed(part.items)
    return target


def _row(target: Tuple | List) -> Tuple:
    """A tuple of the same targets, with tuples in place of the lists in it, too."""
    rows = [target]
    for row in rows:  # grows
        rows += [part for part in row.items if isinstance(part, Tuple | List)]
    made: dict[int, Tuple] = {}
    for row in reversed(rows):
        items = tuple(made.get(id(part), part) for part in row.items)
        made[id(row)] = Tuple(items, row.span)
    return made[id(target)]


def changeable(target: Expression, source: Source) -> Name | Attribute | Index:
    """The target of `+=`: a name, an attribute or an element."""
    if isinstance(target, Attribute | Index):
        return target
    return name_only(target, source)


def deletable(target: Expression, source: Source) -> Name | Attribute | Index:
    """What `del` takes: a name, an attribute or an element."""
    if isinstance(target, Name | Attribute | Index):
        return target
    raise _error(
        target, source, f"del takes names, attributes and elements, not {_described(target)}"
    )


def check_pattern(pattern: Expression, source: Source) -> None:
    """Check that a pattern of `case` is made of what patterns are made of."""
    waiting: list[Expression] = [pattern]
    while waiting:
        part = waiting.pop()
        if isinstance(part, Tuple | List):
            waiting += part.items
        elif isinstance(part, Starred):
            name_only(part.value, source)
        elif isinstance(part, Binary) and part.operator == "|":
            waiting += (part.left, part.right)
        elif isinstance(part, Call) and isinstance(part.callee, Name | Attribute):
            waiting += [*part.arguments, *(each.value for each in part.keywords)]
        elif isinstance(part, DictLiteral):
            waiting += [each.value for each in part.pairs]
        elif not isinstance(
            part, Name | Number | String | ByteString | Constant | Attribute
        ) and not (
            isinstance(part, Unary) and part.operator == "-" and isinstance(part.operand, Number)
        ):
            raise _error(
                part,
                source,
                f"{_described(part)} is no pattern",
                "a pattern is a value, a name, a tuple or list of these, or several with |; "
                "a condition stands behind it: case x if x > 0: …",
            )


def names_only(target: Expression, source: Source) -> Name | Tuple:
    """A name, or a tuple of names and of tuples of names."""
    if type(target) is Name:
        return target
    found = assignable(target, source)
    waiting: list[Expression] = [found]
    while waiting:
        part = waiting.pop()
        if isinstance(part, Tuple):
            waiting += reversed(part.items)
        else:
            name_only(part.value if isinstance(part, Starred) else part, source)
    assert isinstance(found, Name | Tuple)
    return found


def name_only(target: Expression, source: Source) -> Name:
    """A name."""
    if isinstance(target, Name):
        return target
    raise _refused(target, source, _described(target))


def function_head(call: Call, source: Source) -> tuple[str, tuple[FormalParameter, ...]]:
    """Name and parameters of `f(x, y=1) = …`."""
    if not isinstance(call.callee, Name):
        raise _refused(call, source, _described(call))
    parameters = []
    for argument in call.arguments:
        if not isinstance(argument, Name):
            raise _error(
                argument,
                source,
                f"a parameter of `{call.callee.id}` must be a name",
                f"this defines a function: {call.callee.id}(x) = …; a comparison is written ==",
            )
        parameters.append(FormalParameter(argument.id, None, argument.span))
    parameters += [FormalParameter(word.name, word.value, word.span) for word in call.keywords]
    check_parameters(parameters, source)
    return call.callee.id, tuple(parameters)


def check_parameters(parameters: Sequence[FormalParameter], source: Source) -> None:
    """Check that names are different, and those with defaults last; behind a star, all are given by
    name.
    """
    names: set[str] = set()
    has_default = has_star = False
    for parameter in parameters:
        if parameter.name in names:
            raise _error(parameter, source, f"the parameter `{parameter.name}` is given twice")
        has_star |= parameter.name.startswith("*")
        if has_default and not has_star and parameter.default is None:
            raise _error(
                parameter,
                source,
                f"the parameter `{parameter.name}` without a default follows one with a default",
                "put the parameters with defaults last",
            )
        names.add(parameter.name)
        has_default |= parameter.default is not None


def _refused(target: Expression, source: Source, what: str) -> GradcliError:
    hint = "on the left stands a name (z = …), names (a, b = …), x[0] or f(x)"
    if isinstance(target, Compare | Number):
        hint = "a comparison is written =="
    return _error(target, source, f"{what} cannot be assigned to", hint)


def _described(target: Expression) -> str:
    if isinstance(target, Index):
        return "an element"
    if isinstance(target, Constant):
        return f"the constant {target.value}"
    if isinstance(target, Number | String):
        return f"a {type(target).__name__.lower()}"
    if isinstance(target, List | Tuple):
        return "a list" if isinstance(target, List) else "a tuple"
    if isinstance(target, Call):
        return "the result of a call"
    return "an attribute" if isinstance(target, Attribute) else "an expression"


def _error(
    node: Expression | FormalParameter, source: Source, message: str, hint: str | None = None
) -> GradcliError:
    return GradcliError("syntax", message, hint=hint, source=source, span=node.span)
