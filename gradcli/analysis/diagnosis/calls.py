"""The slips that people make in calls of functions: another function, another axis, an argument."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import combinations, permutations

from gradcli.analysis.diagnosis.pieces import Change, Material
from gradcli.language.construct import NOWHERE, binary, call, name, number, numbers
from gradcli.language.rewrite import Place, called, changed, keyword
from gradcli.language.syntax import (
    Attribute,
    Binary,
    Call,
    Constant,
    Expression,
    Keyword,
    Number,
    String,
)  # fmt: skip
from gradcli.ops import FUNCTIONS

SCORED = frozenset({"softmax", "log_softmax", "logsumexp", "cross_entropy"})
"""Functions of scores, the derivatives of which are made of a softmax."""
LABELS = 3
"""The most axes of an operand that an einsum may lack."""
SHIFTED = frozenset({"log1p", "expm1"})
"""Functions that differ from another one by a 1, which is missing or too much then."""
STRANGE = 1.25
"""What it costs that a function belongs here which neither program nor gradient has."""


def twins(part: Call, _place: Place, material: Material) -> Iterator[Change]:
    """Functions that it is taken for."""
    title, _ = called(part)
    function = FUNCTIONS.get(title)
    for twin in function.confused if function else ():
        if twin in material.own or twin not in SHIFTED:
            yield 1.0 if twin in material.own else STRANGE, "function", renamed(part, twin)
    if title == "exp" and not material.own.isdisjoint(SCORED):
        yield 1.0, "function", renamed(part, "softmax")  # it is not normalised
    if title == "abs" and len(part.arguments) == 1:
        yield STRANGE, "function", binary("**", part.arguments[0], number(2.0))
    if title == "sum" and _is_square(part, material):
        whole = changed(part, arguments=part.arguments[:1], keywords=())
        for twin in ("trace", "diag"):
            yield 1.15, "function", renamed(whole, twin)
    for twin in material.running if title == "sum" else ():
        running = renamed(part, twin)
        along = running if keyword(part, "dim") else with_keyword(running, "dim", number(0.0))
        yield STRANGE, "function", along
    if title in material.running:
        yield STRANGE, "function", renamed(part, "sum")


def _is_square(part: Call, material: Material) -> bool:
    """Whether a function is taken of a square matrix."""
    _, operands = called(part)
    shape = material.shape(operands[0]) if operands else None
    return shape is not None and len(shape) == 2 and shape[0] == shape[1]


def distributed(part: Call, _place: Place, _material: Material) -> Iterator[Change]:
    """sum(a*b) for a*sum(b)."""
    inner, *more = part.arguments or (None,)
    if not (isinstance(inner, Binary) and inner.operator in "*/") or is_elementwise(part):
        return
    one, other = inner.left, inner.right
    last = other if inner.operator == "*" else binary("/", number(1.0), other)
    both = [changed(part, arguments=(each, *more)) for each in (last, one)]
    yield 1.3, "grouping", binary("*", one, both[0])
    yield 1.3, "grouping", binary(inner.operator, both[1], other)


def functions(part: Call, _place: Place, material: Material) -> Iterator[Change]:
    title, operands = called(part)
    function = FUNCTIONS.get(title)
    if operands:
        extra = "reduction-extra" if function and reduces(title) else "function-extra"
        yield 1.2, extra, operands[0]
    if len(part.arguments) > 1:
        first, second, *more = part.arguments
        yield 1.1, "order", changed(part, arguments=(second, first, *more))
    inner, *more = part.arguments or (None,)
    if isinstance(inner, Call) and inner.arguments:
        swapped = changed(part, arguments=(inner.arguments[0], *more))
        outside = changed(inner, arguments=(swapped, *inner.arguments[1:]))
        yield 1.2, "nesting", outside
    for size in _sizes(material) if title == "sign" else ():  # sqrt(x**2 + eps) for abs(x)
        yield 1.75, "function", binary("/", operands[0], size)
    if title == "outer" and len(operands) == 2:
        yield 1.2, "operation", binary("*", *operands)
    if title == "solve" and len(operands) == 2:
        yield 1.2, "solved", binary("@", *operands)
        yield 1.3, "solved", operands[1]
    for each in part.keywords:
        kept = tuple(other for other in part.keywords if other is not each)
        code = "axis" if each.name in ("dim", "axis") else "argument"
        yield 1.1, code, changed(part, keywords=kept)
    for parameter in function.parameters if function else ():
        given = keyword(part, parameter.name)
        value = given.value if given else None
        default = value.value if isinstance(value, Number | Constant) else parameter.default
        if isinstance(default, bool) or default in (0, 1):
            is_truth = isinstance(default, bool)
            other = truth(not default) if is_truth else number(1.0 - default)
            code = "keepdim" if parameter.name == "keepdim" else "argument"
            if parameter.name not in ("dim", "axis"):
                yield 1.0, code, with_keyword(part, parameter.name, other)


def _sizes(material: Material) -> Iterator[Expression]:
    """What a number may be divided by to be its sign, nearly."""
    yield from (name(title) for title in material.names)
    yield from (piece.expression for piece in material.computed)


def contracted(part: Call, _place: Place, material: Material) -> Iterator[Change]:
    """An einsum with one operand more or less."""
    title, operands = called(part)
    equation, *given = operands or (None,)
    if title != "einsum" or not (isinstance(equation, String) and "->" in equation.value):
        return
    labels, _, result = equation.value.replace(" ", "").partition("->")
    terms = labels.split(",")
    lengths: dict[str, int] = {}
    for term, operand in zip(terms, given, strict=False):
        lengths |= zip(term, material.shape(operand) or (), strict=False)

    def einsum(*pairs: tuple[str, Expression]) -> Expression:
        whole = String(f"{','.join(term for term, _ in pairs)}->{result}", NOWHERE)
        return call("einsum", whole, *(operand for _, operand in pairs))

    pairs = list(zip(terms, given, strict=False))
    for other, shape in material.names.items():
        for chosen in permutations(lengths, len(shape)) if 0 < len(shape) <= LABELS else ():
            if tuple(lengths[label] for label in chosen) == shape:
                yield 1.4, "operand-missing", einsum(*pairs, ("".join(chosen), name(other)))
    for pair in pairs if len(pairs) > 1 else ():
        rest = [each for each in pairs if each is not pair]
        if {*result} <= {*"".join(term for term, _ in rest)}:
            yield 1.2, "operand-extra", einsum(*rest)


def unbiased(part: Call, _place: Place, material: Material) -> Iterator[Change]:
    """A mean that is to be divided by one less, as `var` and `std` are, or by a sum of weights."""
    title, operands = called(part)
    shape = material.shape(operands[0]) if title == "mean" and operands else None
    if shape is not None and math.prod(shape) > 2 and not part.keywords:
        counts = (number(math.prod(shape) - 1.0), *material.totals)
        yield from ((1.3, "function", binary("/", renamed(part, "sum"), n)) for n in counts)


def axes(part: Call, _place: Place, material: Material) -> Iterator[Change]:
    """Other axes of a reduction and the like."""
    title, operands = called(part)
    if title not in FUNCTIONS or not operands:
        return
    names = {each.name for each in FUNCTIONS[title].parameters}
    shape = material.shape(operands[0])
    if "dim" not in names:
        return
    spelled = "axis" if keyword(part, "axis") else "dim"
    for axis, length in enumerate((2, 2) if shape is None else shape):
        if length == 1:
            continue  # along that nothing changes
        turned = with_keyword(part, spelled, number(axis))
        yield 1.0, "axis", turned
        if "keepdim" in names and not keyword(part, "keepdim", "keepdims"):
            yield 1.2, "axis", with_keyword(turned, "keepdim", truth(True))
    long = [axis for axis, length in enumerate(shape or ()) if length > 1]
    for pair in combinations(long, 2) if len(long) > 2 else ():
        yield 1.0, "axis", with_keyword(part, spelled, numbers(pair))


def required(title: str) -> list[str]:
    """The kinds of what a function is always called with."""
    return [each.kind for each in FUNCTIONS[title].parameters if each.required]


def takes_one(title: str) -> bool:
    """Whether a function is called with one operand alone, not with sizes as `sum_to` is."""
    known = title in FUNCTIONS and required(title) == ["Node"]
    return known and not any(each.variadic for each in FUNCTIONS[title].parameters)


def is_elementwise(part: Call) -> bool:
    title, _ = called(part)
    return title in FUNCTIONS and not any(
        each.name in ("dim", "keepdim") for each in FUNCTIONS[title].parameters
    )


def reduces(title: str) -> bool:
    return title in FUNCTIONS and any(
        each.name == "keepdim" for each in FUNCTIONS[title].parameters
    )


def renamed(part: Call, title: str) -> Expression:
    if isinstance(part.callee, Attribute):
        return changed(part, callee=changed(part.callee, name=title))
    return changed(part, callee=name(title))


def truth(value: bool) -> Constant:
    return Constant(value, NOWHERE)


def with_keyword(part: Expression, title: str, value: Expression) -> Expression:
    """A call with this value for a parameter, where that stands by position, too."""
    assert isinstance(part, Call)
    aliases = {"dim": ("dim", "axis"), "axis": ("dim", "axis"), "keepdim": ("keepdim", "keepdims")}
    called_, operands = called(part)
    names = [each.name for each in FUNCTIONS[called_].parameters] if called_ in FUNCTIONS else []
    known = [names.index(each) for each in aliases.get(title, (title,)) if each in names]
    skipped = len(operands) - len(part.arguments)
    place = known[0] - skipped if known else len(part.arguments)
    if 0 <= place < len(part.arguments):
        before, after = part.arguments[:place], part.arguments[place + 1 :]
        return changed(part, arguments=(*before, value, *after))
    kept = [each for each in part.keywords if each.name not in aliases.get(title, (title,))]
    return changed(part, keywords=(*kept, Keyword(title, value, NOWHERE)))
