"""The slips that people make in formulas, as changes that undo them.

A change has a cost: the less, the more likely is the slip. Of two that give the same, the cheaper
names the mistake.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, TypeGuard

from gradcli.analysis.diagnosis.calls import (
    SCORED,
    axes,
    contracted,
    distributed,
    functions,
    is_elementwise,
    reduces,
    truth,
    twins,
    unbiased,
    with_keyword,
)
from gradcli.analysis.diagnosis.derivatives import (
    differentiated,
    from_the_other_end,
    of_base,
    of_quotient,
    undifferentiated,
)  # fmt: skip
from gradcli.analysis.diagnosis.pieces import Change, Material, Rule
from gradcli.analysis.diagnosis.products import factors_in, multiplied
from gradcli.graph import Shape
from gradcli.language.construct import (
    NOWHERE,
    WHOLE,
    attribute,
    binary,
    call,
    compare,
    name,
    number,
    subscript,
    unary,
)  # fmt: skip
from gradcli.language.printer import print_expression
from gradcli.language.rewrite import Place, called, changed
from gradcli.language.syntax import (
    Attribute,
    Binary,
    Call,
    Compare,
    Constant,
    Expression,
    Index,
    List,
    Name,
    Number,
    Slice,
    Syntax,
    Unary,
)  # fmt: skip

MOST = 10
"""The most elements of a list that are exchanged for each other."""
ELEMENTS = 6
"""An index that is missing may be that of one of so many."""
ROWS = 3
"""A vector may be one of so many rows of a matrix."""
SHORTER, SLIGHT = (1, 2, 3), 0.02
"""A number may be one of so few digits and a slight mistake."""
FLIPPED = {"<": ">", ">": "<", "<=": ">=", ">=": "<=", "==": "!=", "!=": "=="}
TWINS = {"+": "-", "-": "+", "*": "/@+-", "/": "*", "@": "*+", "**": "*"}
"""Operators that are taken for each other."""


def is_outermost(place: Place, symbols: str) -> bool:
    """Whether the part is not an operand of what binds as a product (or a sum) does."""
    above = place.above.part if place.above is not None else None
    if isinstance(above, Unary):
        return False
    return not (
        isinstance(above, Binary)
        and above.operator in symbols
        and not (above.operator == "/" and place.field == "right")
    )


def is_divisor(place: Place) -> bool:
    """Whether something is divided by the part."""
    above = place.above.part if place.above is not None else None
    return isinstance(above, Binary) and above.operator == "/" and place.field == "right"


def is_inverted(place: Place) -> bool:
    """Whether a factor of the part divides: it is a matrix that is inverted."""
    if place.above is not None and isinstance(place.above.part, Attribute):  # its transpose
        place = place.above
    above = place.above.part if place.above is not None else None
    inverts = isinstance(above, Call) and called(above)[0] in ("inv", "solve")
    return inverts and (place.field, place.position) == ("arguments", 0)


# --- operators -----------------------------------------------------------------------------


def _sum(part: Binary, _place: Place, material: Material) -> Iterator[Change]:
    if part.operator not in "+-":
        return
    left, right, minus = part.left, part.right, part.operator == "-"
    yield 1.0, "sign", binary(TWINS[part.operator], left, right)
    if minus:
        yield 1.15, "order", binary("-", right, left)
    else:
        yield 1.2, "sign", binary("-", right, left)
        yield 1.25, "operation", binary("*", left, right)
    yield 1.3, "term-extra", left
    yield 1.3, "term-extra", unary("-", right) if minus else right
    for one, other in ((left, right), (right, left)):
        length = _square(one, material)
        if length and (isinstance(other, Number | Name) or material.shape(other) == ()):
            eye = call("eye", number(float(length)))
            own = eye if isinstance(other, Number) and other.value == 1 else binary("*", other, eye)
            pair = (left, own) if one is left else (own, right)
            yield 1.2, "identity", binary(part.operator, *pair)
    if minus and isinstance(left, Number | Call):
        yield 1.2, "complement-extra", right


def _moved_term(part: Binary, _place: Place, _material: Material) -> Iterator[Change]:
    """a*b - c for (a - c)*b or a*(b - c), and (a - c)*b for a*b - c."""
    symbol, left, right = part.operator, part.left, part.right
    if symbol in "+-":
        first, factors = factors_in(left)
        if factors and not is_number(first):
            yield 1.6, "grouping", multiplied(binary(symbol, first, right), factors)
        for place, (each, factor) in enumerate(factors if len(factors) <= MOST else ()):
            whole = [*factors[:place], (each, binary(symbol, factor, right)), *factors[place + 1 :]]
            yield 1.6, "grouping", multiplied(first, whole)
    elif symbol in "*/@" and isinstance(left, Binary) and left.operator in "+-":
        first = binary(symbol, left.left, right)
        yield 1.6, "grouping", binary(left.operator, first, left.right)


def is_number(part: Expression) -> bool:
    """Whether it is one, with or without a sign."""
    return isinstance(part.operand if isinstance(part, Unary) else part, Number)


def _is_two(part: Expression) -> bool:
    return isinstance(part, Number) and part.value == 2


def _is_fraction(part: Expression) -> bool:
    """Whether it is a number that nobody divides by, with or without a sign."""
    size = part.operand if isinstance(part, Unary) else part
    return isinstance(size, Number) and size.value < 1


def _square(part: Expression, material: Material) -> int:
    """The size of a square matrix; 0 of what is none."""
    shape = material.shape(part) or ()
    return shape[0] if len(shape) == 2 and shape[0] == shape[1] else 0


def _product(part: Binary, place: Place, material: Material) -> Iterator[Change]:
    symbol, left, right = part.operator, part.left, part.right
    if symbol not in ("*", "/", "@", "**"):
        return
    matrix = len(material.shape(left) or ()) > 1
    for twin in TWINS[symbol]:
        cost = 1.15 if twin == "@" and matrix else 1.25 if twin in "@+-" else 1.2
        below = twin == "/" and is_divisor(place)  # a/(b/c) is written by nobody
        yield cost + (0.4 if below else 0.0), "operation", binary(twin, left, right)
    if symbol == "*" and not _is_fraction(left):
        known = isinstance(right, Name) and right.id not in material.names  # it is pi, or e
        yield 1.6 if known else 1.25, "inverted", binary("/", right, left)
    elif symbol != "*":
        yield 1.1, "order", binary(symbol, right, left)
    yield (1.05, "exponent", left) if symbol == "**" else (1.2, "factor-extra", left)
    if symbol == "/":
        yield 1.2, "factor-extra", binary("/", number(1.0), right)
        if isinstance(left, Binary) and left.operator == "*":  # a*b/c for a*c/b
            yield 1.15, "order", binary("/", binary("*", left.left, right), left.right)
    elif symbol != "**":
        yield 1.2, "factor-extra", right
    if symbol in "*/":
        yield from _shortened(part)
    if symbol == "/" and isinstance(right, Call) and right.arguments:  # 1/sum(x) for sum(1/x)
        inside, *more = right.arguments
        each = call("inv", inside) if _square(inside, material) else binary("/", left, inside)
        yield 1.25, "inverted-whole", changed(right, arguments=(each, *more))
    yield from _of_calls(part)
    if symbol == "@":
        yield 1.4, "factor-extra", binary("@", left, call("ones_like", right))
        if not (isinstance(left, Call) and called(left)[0] == "inv"):
            yield 1.2, "unsolved", call("solve", left, right)
            yield 1.3, "unsolved", call("solve", attribute(left, "T"), right)


def _power(part: Binary, _place: Place, material: Material) -> Iterator[Change]:
    """x**(n - 1) for x**n, x*(1 - x) or abs(x) for x**2, 1 - x**2 for (1 - x)**2."""
    if part.operator == "**" and not is_number(part.right):
        for symbol in "-+":
            exponent = binary(symbol, part.right, number(1.0))
            yield 1.15, "exponent", binary("**", part.left, exponent)
        if isinstance(part.right, Binary) and is_number(part.right.right):  # k for k - 1
            yield 1.1, "exponent", binary("**", part.left, part.right.left)
    elif part.operator == "**" and _is_two(part.right):
        rest = binary("-", number(1.0), part.left)
        yield 1.25, "complement", binary("*", part.left, rest)
        if isinstance(part.left, Name):  # w**2 for u*w
            shape = material.shape(part.left)
            for title, other in material.names.items():
                if other == shape and title != part.left.id:
                    yield 1.35, "other-value", binary("*", name(title), part.left)
        if "abs" in material.own:
            yield 1.2, "function", call("abs", part.left)
    base = part.left
    if part.operator == "**" and isinstance(base, Binary) and base.operator in "+-":
        inside = binary("**", base.right, part.right)
        yield 1.3, "grouping", binary(base.operator, base.left, inside)  # 1 - y**2 for (1 - y)**2


def _of_calls(part: Binary) -> Iterator[Change]:
    """c*sum(a)*sum(b) for c*sum(a*b), and 1/det(A) or A/det(A) for the inverse."""
    symbol, left, right = part.operator, part.left, part.right
    if not (isinstance(right, Call) and right.arguments):
        return
    if symbol == "/" and called(right)[0] == "det":
        first, more = factors_in(left)
        kept: list[tuple[Any, Expression]] = [("*", first), *more]
        above = ("1", _untransposed(right.arguments[0]))
        if kept[-1][0] == "*" and _untransposed(kept[-1][1]) in above:
            kept.pop()
        inverse = call("inv", right.arguments[0])
        for each in (inverse, attribute(inverse, "T")):
            (_, start), *rest = [*kept, ("*", each)]
            yield 1.3, "function", multiplied(start, rest)
    before, last = None, left
    if isinstance(left, Binary) and left.operator == "*":
        before, last = left.left, left.right
    if isinstance(last, Call) and last.arguments:
        arguments = (binary(symbol, last.arguments[0], right.arguments[0]), *last.arguments[1:])
        both = changed(last, arguments=arguments)
        yield 1.2, "grouping", binary("*", before, both) if before else both


def _untransposed(part: Expression) -> str:
    return print_expression(part).removesuffix(".T")


def _spread_product(part: Binary, _place: Place, material: Material) -> Iterator[Change]:
    """Products of vectors that are meant to be all with all, or summed."""
    if part.operator not in "*@":
        return
    left, right = part.left, part.right
    if part.operator == "*":
        for one, other in ((left, right), (right, left)):
            yield 1.4, "broadcast", call("outer", one, other)
            if len(material.shape(one) or ()) == 1:
                yield 1.2, "broadcast", binary("*", column(one), other)
    elif all(len(material.shape(each) or ()) == 1 for each in (left, right)):
        yield 1.4, "broadcast", call("outer", left, right)
    yield 1.4, "operation", call("sum", binary("*", left, right))
    yield 1.4, "operation", call("dot", left, right)


def _shortened(part: Binary) -> Iterator[Change]:
    """A product without two of its factors, as the derivative of a sigmoid is too much."""
    first, factors = factors_in(part)
    base, symbol = _sized(first)
    if len(factors) > 1 and factors[0][0] == "*" and _is_rest(base, factors[0][1]):
        (_, start), *more = factors[1:]
        yield 1.15, "factor-extra", multiplied(unary("-", start) if symbol else start, more)
    for one, _ in enumerate(factors[:MOST]):
        for other in range(one):
            rest = [each for place, each in enumerate(factors) if place not in (one, other)]
            yield 1.4, "factor-extra", multiplied(first, rest)


def _sized(part: Expression) -> tuple[Expression, bool]:
    """A part without its minus, and whether it has one."""
    if isinstance(part, Unary) and part.operator == "-":
        return part.operand, True
    return part, False


def _is_rest(part: Expression, other: Expression) -> bool:
    """Whether one is 1 less the other."""
    taken = isinstance(other, Binary) and other.operator == "-" and isinstance(other.left, Number)
    return taken and print_expression(other) == f"1 - {print_expression(part)}"


NONE = Constant(None, NOWHERE)


def column(part: Expression) -> Expression:
    """A vector as a matrix of one column."""
    return subscript(part, [WHOLE, NONE])


def _unary(part: Unary, place: Place, _material: Material) -> Iterator[Change]:
    inner = part.operand
    if part.operator == "+":
        yield 1.0, "sign", unary("-", inner)
        return
    indexes = place.above is not None and isinstance(place.above.part, Index | Slice)
    yield 1.3 if indexes else 1.0, "sign" if part.operator == "-" else "condition", inner


def _compare(part: Compare, _place: Place, _material: Material) -> Iterator[Change]:
    for position, symbol in enumerate(part.operators):
        before, after = part.operators[:position], part.operators[position + 1 :]
        for other in dict.fromkeys((FLIPPED[symbol], *FLIPPED)):
            if other != symbol:
                operators: Any = (*before, other, *after)
                cost = 1.65 if other in ("==", "!=") else 1.0  # that is asked of whole numbers
                yield cost, "condition", Compare(operators, part.operands, NOWHERE)


# --- numbers, names, indices ---------------------------------------------------------------


def _number(part: Number, place: Place, material: Material) -> Iterator[Change]:
    value = part.value
    if place.above is not None and isinstance(place.above.part, Unary):
        place = place.above
    above = place.above.part if place.above is not None else None
    power = isinstance(above, Binary) and above.operator == "**" and place.field == "right"
    code = "exponent" if power else "index" if isinstance(above, Index) else "constant"
    if isinstance(above, Compare) and value:
        yield 1.0, code, number(0.0)
    near = [value + 1, value - 1]
    near += [value + 2, value - 2, value + 3, value - 3] if power else []
    added = isinstance(above, Binary) and above.operator in "+-"
    near = [each for each in near if each or not (power or added)]  # then a part is too much
    near += [value + 0.5, value - 0.5] if power else []
    for other in dict.fromkeys(near):
        likely = power or (other >= 0 if code == "index" else 1 not in (value, other))
        yield 1.1 if likely else 1.4, code, number(other)
    for digits in SHORTER:
        plain = float(f"{value:.{digits}g}")
        if 0 < abs(plain - value) < SLIGHT * abs(value):
            yield 0.95, code, number(plain)
    others = [2 * value, value / 2, value**2]
    others += [] if power else [10 * value, value / 10, 100 * value, value / 100]
    others += [2.0, 10.0, *([1 / value] if value else [])]  # those of logarithms
    sums = [value + sign * each for each in material.numbers for sign in (1, -1)]
    others += [each for each in sums if each > 0]
    for other in dict.fromkeys((*material.numbers, *others)):
        if other != value:
            new = other not in material.numbers
            odd = new and other % 1 != 0 and value % 1 == 0  # nobody writes 3 for 1.5
            plain = other in (2 * value, 1 / (value or 1.0)) and not power
            yield 1.7 if odd else 1.28 if plain else 1.4, code, number(other)
    yield (1.5, "index", number(-value)) if code == "index" else (1.3, "sign", number(-value))
    for title in material.names if code == "constant" else ():
        yield 1.6, "other-value", name(title)
        if value == 1:
            yield 1.7, "other-value", binary("**", name(title), number(2.0))
    if code == "constant" and value > 1:
        base = isinstance(above, Call) and called(above)[0] == "log"  # it is that of a logarithm
        yield 1.7 if base else 1.4, "function-missing", call("sqrt", part)
    for total in material.totals if code == "constant" else ():
        yield 1.6, "constant", total


def _name(part: Name, place: Place, material: Material) -> Iterator[Change]:
    shape, beside = material.shape(part), _beside(place)
    above = place.above.part if place.above is not None else None
    added_up = isinstance(above, Call) and reduces(called(above)[0]) and shape != ()
    for title, other in material.names.items():
        if added_up and other == ():
            continue  # no one adds up a single number
        if title not in (part.id, beside):
            yield (1.2 if other == shape else 1.6), "other-value", name(title)
        if shape and other[1:] == shape and title != part.id:
            for row in range(min(other[0], ROWS)):
                yield 1.4, "other-value", subscript(name(title), [number(float(row))])
    yield 1.45, "number", number(1.0)
    indexed = place.above is not None and isinstance(place.above.part, Index)
    for each in range(min(shape[0], ELEMENTS)) if shape and not indexed else ():
        yield 1.35, "index", subscript(part, [number(float(each))])


def _beside(place: Place) -> str:
    """The name from which the part is taken, or by which it is divided, or the other way round."""
    above = place.above.part if place.above is not None else None
    if not (isinstance(above, Binary) and above.operator in "-/"):
        return ""
    other = above.left if place.field == "right" else above.right
    return other.id if isinstance(other, Name) else ""


def _index(part: Index, _place: Place, material: Material) -> Iterator[Change]:
    yield 1.2, "index", part.value
    for title, shape in material.names.items():
        if shape == material.shape(part):
            yield 1.4, "other-value", name(title)
    for position, item in enumerate(part.items):
        if isinstance(item, Number | Constant):
            others = [each for each in part.items if each is not item]
            for place in range(len(part.items)):
                if place != position:
                    items = [*others[:place], item, *others[place:]]
                    yield 1.1, "index", subscript(part.value, items)
        if isinstance(item, Slice):
            for step in (1.0, -1.0, 2.0, -2.0):
                bounds = (
                    _moved(item.lower, step, opens=step > 0),
                    _moved(item.upper, step, opens=step < 0),
                )
                moves = [bounds]
                if abs(step) == 1:
                    moves += [(bounds[0], item.upper), (item.lower, bounds[1])]
                for lower, upper in moves:
                    shifted = Slice(lower, upper, item.step, NOWHERE)
                    items = [*part.items[:position], shifted, *part.items[position + 1 :]]
                    yield 1.0 + abs(step) / 10, "index", subscript(part.value, items)


def _moved(bound: Expression | None, step: float, *, opens: bool) -> Expression | None:
    """A bound one further; `opens` says whether one that is not written is at the step itself."""
    if isinstance(bound, Number):
        return number(bound.value + step)
    if isinstance(bound, Unary) and isinstance(bound.operand, Number):
        return number(step - bound.operand.value) if bound.operand.value != step else None
    return number(step) if bound is None and opens else bound


def _list(part: List, _place: Place, _material: Material) -> Iterator[Change]:
    """Two elements of a list exchanged, or one repeated."""
    for first, one in enumerate(part.items[:MOST]):
        for second, other in enumerate(part.items[:MOST]):
            items = list(part.items)
            if first < second:
                items[first], items[second] = other, one
                yield 1.1, "order", List(tuple(items), NOWHERE)


# --- anything ------------------------------------------------------------------------------


def _is_turned(part: Syntax) -> TypeGuard[Attribute]:
    return isinstance(part, Attribute) and part.name in ("T", "mT", "t")


def _turned(part: Expression, place: Place, material: Material) -> Iterator[Change]:
    if _is_turned(part):
        yield 1.0, "transposed-extra", part.value
        return
    if place.above is not None and _is_turned(place.above.part):
        return  # that says the same
    shape = material.shape(part)
    if shape is not None and len(shape) >= 2:
        turned = attribute(part, "T" if len(shape) == 2 else "mT")
        of_product = isinstance(part, Binary) and part.operator == "@"
        cost = 1.15 if of_product else 1.0 if isinstance(part, Name) else 1.05
        yield cost, "operand-transposed", turned
        if not is_inverted(place):
            yield 1.5, "unturned", binary("+", part, turned)
        if isinstance(part, Binary) and part.operator == "*" and _is_two(part.left):
            whole = attribute(part.right, turned.name)  # 2*A for A + A.T
            yield 1.2, "symmetric", binary("+", part.right, whole)


def _negated(part: Expression, place: Place, _material: Material) -> Iterator[Change]:
    if is_divisor(place) and isinstance(part, Name):
        return  # a/-b is -a/b
    if is_outermost(place, "*/") and not isinstance(part, Number | Unary):
        first, _ = factors_in(part)
        whole = place.above is None and not isinstance(first, Unary)
        yield 0.95 if whole else 1.1, "sign", unary("-", part)


def _complement(part: Expression, place: Place, material: Material) -> Iterator[Change]:
    """1 minus a probability, or the identity minus a matrix."""
    above = place.above.part if place.above is not None else None
    from_number = (each for each in (part, above) if isinstance(each, Binary))
    if isinstance(part, Number | Unary) or any(
        each.operator in "+-" and is_number(each.left) for each in from_number
    ):
        return  # 2 - p may be 1 - p
    if isinstance(part, List) and all(map(is_number, part.items)):
        return  # then a number is wrong
    whole: Expression = number(1.0)
    length = _square(part, material) if _is_of_matrices(part, above) else 0
    if length and not isinstance(part, Name):
        yield 1.35, "complement", binary("-", call("eye", number(float(length))), part)
    even = isinstance(above, Binary) and above.operator == "**" and _is_two(above.right)  # or x - 1
    product = isinstance(part, Binary) and part.operator == "*"  # which is seldom a probability
    yield (1.75 if even or product else 1.35), "complement", binary("-", whole, part)


def _is_of_matrices(part: Expression, above: Syntax | None) -> bool:
    """Whether a part is a product of matrices, or taken as a matrix."""
    products = [each for each in (part, above) if isinstance(each, Binary)]
    return not isinstance(above, Binary) or any(each.operator == "@" for each in products)


def _raised(part: Expression, place: Place, material: Material) -> Iterator[Change]:
    if isinstance(part, Number) or (isinstance(part, Binary) and part.operator == "**"):
        return
    above = place.above.part if place.above is not None else None
    easy = isinstance(part, Name | Call) or (isinstance(part, Binary) and part.operator in "+-")
    chosen = isinstance(part, Call) and called(part)[0] == "where"  # 0.1 may be 0.01
    compared = isinstance(above, Compare)  # r**2 < 1 may be abs(r) < 1
    power = isinstance(above, Binary) and above.operator == "**" and place.field == "left"
    easy = easy and not (chosen or compared or power or _is_operand(place))  # or 2*log(x)
    for exponent in material.exponents if easy else ():
        yield 1.35, "exponent", binary("**", part, exponent)
    yield (1.2 if easy else 1.6), "exponent", binary("**", part, number(2.0))
    added = isinstance(part, Binary) and part.operator in "+-" and easy
    yield (1.55 if added else 1.7), "exponent", binary("**", part, number(3.0))
    yield 1.7, "function-missing", call("sqrt", part)
    if not compared:
        yield 1.5, "condition", compare(">", part, number(0.0))
    yield 1.6, "inverted", binary("/", number(1.0), part)


def _reduced(part: Expression, place: Place, material: Material) -> Iterator[Change]:
    shape = material.shape(part)
    if isinstance(part, Number) or not shape:
        return
    more = 0.0 if is_outermost(place, "*/") else 0.2
    above = place.above.part if place.above is not None else None
    reduced = isinstance(above, Call) and called(above)[0] in ("sum", "mean")
    for title in ("sum",) if reduced else ("sum", "mean"):  # a mean there is only a factor
        for cost, along in _reductions(title, part, shape):
            yield cost + more, "reduction-missing", along
    for title in material.running:
        for axis in range(len(shape)):
            yield 1.4 + more, "function-missing", call(title, part, dim=number(axis))


def _reductions(title: str, part: Expression, shape: Shape) -> Iterator[tuple[float, Expression]]:
    """Along all axes and along each."""
    yield 1.2, call(title, part)
    for axis in range(len(shape)) if len(shape) > 1 else ():
        along = call(title, part, dim=number(axis))
        yield 1.2, along
        yield 1.3, with_keyword(along, "keepdim", truth(True))


def _inner(part: Binary, _place: Place, material: Material) -> Iterator[Change]:
    """a*b*c for a*sum(b*c), and a/b for a*sum(1/b)."""
    left, right = part.left, part.right
    before, inside = left, binary("/", number(1.0), right)
    if part.operator == "*" and isinstance(left, Binary) and left.operator == "*":
        before, inside = left.left, binary("*", left.right, right)
    elif part.operator != "/":
        return
    shape = material.shape(right)
    for cost, along in _reductions("sum", inside, shape) if shape else ():
        yield cost + 0.15, "reduction-missing", binary("*", before, along)
    for title in material.running if shape else ():
        along = call(title, inside, dim=number(0.0))
        yield 1.5, "function-missing", binary("*", before, along)


def _mistaken(part: Name | Call, _place: Place, material: Material) -> Iterator[Change]:
    yield from material.mistaken.get(print_expression(part), ())


def _spread(part: Expression, _place: Place, material: Material) -> Iterator[Change]:
    shape = material.shape(part)
    if shape is not None and len(shape) == 1:
        yield 1.4, "broadcast", column(part)
        yield 1.4, "broadcast", subscript(part, [NONE, WHOLE])


def _wrapped(part: Expression, _place: Place, material: Material) -> Iterator[Change]:
    if not isinstance(part, Number):
        twice = isinstance(part, Call) and is_elementwise(part)  # sqrt(exp(x)) may be exp(x/2)
        cost = 1.65 if twice else 1.5
        alone = material.shape(part) == ()  # the norm of a number is its size only
        for title in material.functions:
            if alone and reduces(title):
                continue
            if title == "neg":
                yield cost, "sign", unary("-", part)
            else:
                yield cost, "function-missing", call(title, part)
        shape = () if material.own.isdisjoint(SCORED) else material.shape(part) or ()
        for axis in range(len(shape)):
            yield 1.4, "function-missing", call("softmax", part, dim=number(axis))


def _limited(part: Expression, _place: Place, material: Material) -> Iterator[Change]:
    for limit in () if isinstance(part, Number | Unary) else material.limits:
        yield 1.6, "function-missing", call("clamp", part, unary("-", limit), limit)


RULES: dict[type[Syntax], Sequence[Rule]] = {
    Binary: (
        _sum,
        _moved_term,
        _product,
        _power,
        _spread_product,
        _inner,
        differentiated,
        undifferentiated,
        of_quotient,
    ),
    Unary: (_unary,),
    Compare: (_compare,),
    Number: (_number, of_base),
    Name: (_name, _mistaken),
    Index: (_index,),
    List: (_list,),
    Call: (
        twins,
        functions,
        distributed,
        contracted,
        unbiased,
        axes,
        _mistaken,
        from_the_other_end,
    ),
}
EVERYWHERE: Sequence[Rule] = (
    _turned,
    _negated,
    _complement,
    _raised,
    _reduced,
    _spread,
    _wrapped,
    _limited,
)


def _is_operand(place: Place) -> bool:
    """Whether the part is what a function on single elements is taken of."""
    above = place.above.part if place.above is not None else None
    return isinstance(above, Call) and place.field != "callee" and is_elementwise(above)
