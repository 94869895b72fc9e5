"""Formulas that differ from another one in one place, as by one slip of the pen.

A mutant is what the formula should have been if the slip that it undoes was made in it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, islice
from typing import NamedTuple

from gradcli.analysis.diagnosis.calls import renamed
from gradcli.analysis.diagnosis.parentheses import regrouped
from gradcli.analysis.diagnosis.pieces import Change, Material, Piece
from gradcli.analysis.diagnosis.products import (
    divides_seldom,
    first_factor,
    share_factor,
    terms_of,
    texts_of_factors,
)  # fmt: skip
from gradcli.analysis.diagnosis.rules import (
    EVERYWHERE,
    RULES,
    column,
    is_divisor,
    is_inverted,
    is_number,
    is_outermost,
)  # fmt: skip
from gradcli.diagnostics import Span
from gradcli.language.construct import (
    NOWHERE,
    attribute,
    binary,
    call,
    name,
    number,
    unary,
)  # fmt: skip
from gradcli.language.printer import print_expression
from gradcli.language.rewrite import Place, called, places, replaced
from gradcli.language.syntax import (
    Attribute,
    Binary,
    Call,
    Compare,
    Expression,
    Index,
    Keyword,
    Name,
    Number,
    Syntax,
    Unary,
)  # fmt: skip
from gradcli.ops import FUNCTIONS

WIDEST = 60
SHORT = 12
"""A term of no more characters is short."""
SAID = {
    "sign": "the sign is wrong",
    "operation": "the operation is wrong",
    "order": "the operands are the wrong way round",
    "grouping": "the parentheses are in the wrong place",
    "nesting": "the functions are the wrong way round",
    "inverted-whole": "the inverse of the whole stands for that of each part",
    "identity": "the identity matrix is missing",
    "exponent": "the exponent is wrong",
    "differentiated": "the derivative of a power stands where the power belongs",
    "derivative": "a derivative stands where what it is taken of belongs",
    "reversed": "it runs from the wrong end",
    "constant": "the number is wrong",
    "index": "the index is wrong",
    "argument": "an argument is wrong",
    "axis": "the axis is wrong",
    "keepdim": "whether the axis is kept is wrong",
    "broadcast": "it is broadcast along the wrong axis",
    "function": "the function is wrong",
    "function-missing": "a function is missing",
    "undifferentiated": "a function stands where its derivative belongs",
    "function-extra": "a function is too much",
    "reduction-missing": "a sum or mean is missing",
    "reduction-extra": "a sum or mean is too much",
    "operand-transposed": "{old} is not transposed",
    "unturned": "{old} stands without its transpose",
    "symmetric": "{old} is right for a symmetric matrix alone",
    "transposed-extra": "a transposition is too much",
    "other-value": "another variable belongs here",
    "other-sum": "another sum belongs here",
    "number": "a number belongs here",
    "exchanged": "two variables are exchanged for each other",
    "condition": "the condition is wrong",
    "inverted": "it is upside down",
    "complement": "it is not taken from 1",
    "complement-extra": "it is taken from 1",
    "unsolved": "a linear system is not solved",
    "solved": "a linear system is solved",
    "operand-missing": "an operand is missing",
    "operand-extra": "an operand is too much",
    "factor-extra": "a factor is too much",
    "factor-missing": "the factor {piece} is missing",
    "divisor-missing": "the division by {piece} is missing",
    "term-extra": "a term is too much",
    "term-missing": "the term {piece} is missing",
}
"""What is wrong where a mutant is right."""
MISSING = {
    "factor-missing": "factor-extra",
    "divisor-missing": "factor-extra",
    "term-missing": "term-extra",
    "function-missing": "function-extra",
    "reduction-missing": "reduction-extra",
    "operand-transposed": "transposed-extra",
    "complement": "complement-extra",
    "unsolved": "solved",
    "operand-missing": "operand-extra",
}
CONVERSE = MISSING | {extra: missing for missing, extra in reversed(MISSING.items())}
"""What a mistake is called in the other direction."""
OFTEN = 20
"""A name that stands in more places is not exchanged in all of them."""
KINDS = {
    "divisor-missing": "factor-missing",
    "unsolved": "factor-missing",
    "operand-transposed": "transposed-extra",
    "number": "factor-extra",
}
"""Mistakes that are one, however the factor is written, or the transposition."""
ALL = ", in every place"
SEVERAL = 5
"""A name or function that stands in more places is not changed in all of them;"""
AGAIN = 0.25
"""what a change costs more in all of them, and"""
DEAREST = 1.7
"""what it costs at most in one."""
REPEATED = (Name, Number, Call, Compare, Index, Binary, Unary, Attribute)
"""What may be wrong in every place where it stands."""
ALIKE = frozenset(
    {"sign", "order", "exponent", "factor-extra", "term-extra", "term-missing", "transposed-extra"}
)
"""What is wrong wherever the same sum or product stands."""
AVERAGING = frozenset({"sum", "mean"})
CANCELLED = 0.4
"""What a change costs more by which a product is divided by one of its factors."""
LIKELY = 1.3
"""The cost up to which a change is tried together with another one."""


class Mutant(NamedTuple):
    cost: float
    """The less, the more likely is the slip."""
    code: str
    place: Place
    """Where the formula is changed,"""
    instead: Expression
    """and what stands there then."""
    piece: Piece | None = None
    """What was added."""
    there: Mapping[int, Expression] | None = None
    """What stands in several places of the formula, by their order, if it is changed in all;"""
    where: str = ""
    """which these are."""

    @property
    def kind(self) -> str:
        """Its code, or that of what is one mistake with it, however it is written."""
        return KINDS.get(self.code, self.code)

    @property
    def put(self) -> str:
        """What was added, which is the same mistake elsewhere; empty for what replaces a part."""
        if self.code == "unsolved":
            return self.code
        return print_expression(self.piece.expression).removesuffix(".T") if self.piece else ""

    @property
    def cuts_off(self) -> bool:
        """Whether what is positive stands where a number stood, which is 1 for all that is."""
        return isinstance(self.instead, Compare) and not isinstance(self.place.part, Compare)

    @property
    def averages(self) -> bool:
        """Whether it divides by a number of elements, or no longer does."""
        part, instead = self.place.part, self.instead
        if not (isinstance(part, Call) and isinstance(instead, Call)):
            return False
        return {called(part)[0], called(instead)[0]} == AVERAGING

    @property
    def is_number(self) -> bool:
        """Whether only a number that stands in the text is wrong, or its sign, or too much."""
        own = self.code == "sign" and isinstance(self.place.part, Number)
        return own or self.code == "constant" or isinstance(self.gone, Number)

    @property
    def is_digit(self) -> bool:
        """Whether a number that stands in the text is another one."""
        return isinstance(self.place.part, Number) and isinstance(self.instead, Number)

    @property
    def multiplies(self) -> bool:
        """Whether it multiplies or divides by what was forgotten."""
        raised = self.code == "exponent" and not isinstance(self.place.part, Number)
        return self.kind == "factor-missing" or raised

    @property
    def tree(self) -> Expression:
        if self.there is None:
            return replaced(self.place, self.instead)
        return with_each(self.place.whole, self.there)

    @property
    def gone(self) -> Expression | None:
        """What is too much: one of two operands."""
        part = self.place.part
        if not isinstance(part, Binary):
            return None
        others = {id(part.left): part.right, id(part.right): part.left}
        return others.get(id(self.instead))

    @property
    def span(self) -> Span:
        """The part of the text that is wrong: the operator, the name, or what is too much."""
        part, instead = self.place.part, self.instead
        wrong: Syntax | None = self.gone
        if isinstance(part, Binary) and isinstance(instead, Binary):
            if instead.left is part.left and instead.right is part.right:
                return part.operator_span
        elif isinstance(part, Call) and isinstance(instead, Call):
            if print_expression(part.callee) != print_expression(instead.callee):
                wrong = part.callee
            gone = [each for each in part.keywords if each not in instead.keywords]
            wrong = gone[0] if gone else wrong
        return wrong.span if wrong is not None and wrong.span != NOWHERE else self.place.span

    @property
    def message(self) -> str:
        """A sentence that says what is wrong."""
        place = self.place
        new = print_expression(self.instead)
        if isinstance(place.part, Number) and place.above and isinstance(place.above.part, Unary):
            place, new = place.above, f"-{new}".removeprefix("--") if new != "0" else new
        assert isinstance(place.part, Expression)
        old = print_expression(place.part)
        piece = ""
        if self.piece is not None:
            piece = print_expression(self.piece.expression)
            piece += f", {self.piece.words}," if self.piece.words else ""
        if len(old) > WIDEST or len(new) > WIDEST:
            piece = self._with_sign(piece)
        said = SAID[self.code].format(piece=piece, old=old)
        named = isinstance(self.instead, Name) and not isinstance(place.part, Binary)
        if self.code == "other-value" and not named:
            said = "something else belongs here"
        said += self.where
        if len(old) > WIDEST or len(new) > WIDEST:
            return said
        return f"{said}: {old} instead of {new}"

    def _with_sign(self, piece: str) -> str:
        """A term, with a minus if it is subtracted, where no formula shows this."""
        minus = isinstance(self.instead, Binary) and self.instead.operator == "-"
        if self.code != "term-missing" or not minus or self.piece is None:
            return piece
        return print_expression(unary("-", self.piece.expression))

    @property
    def undone(self) -> tuple[str, str]:
        """Code and sentence where the formula is right, and its mutant is the user's."""
        code = CONVERSE.get(self.code, self.code)
        assert isinstance(self.place.part, Expression)
        right, wrong = print_expression(self.place.part), print_expression(self.instead)
        part, gone = self.place.part, ""
        if self.gone is not None:
            gone = print_expression(self.gone)
        elif code == "factor-missing" and isinstance(part, Binary) and part.operator == "/":
            gone = print_expression(part.left)  # 1/b for a/b
        said = SAID[code].format(piece=gone, old=wrong).replace("  ", " ")
        if len(right) > WIDEST or len(wrong) > WIDEST:
            return code, said
        return code, f"{said}: {wrong} instead of {right}"


class Grower:
    """Makes the mutants of one formula after another, of the same material."""

    def __init__(self, material: Material) -> None:
        self.material = material
        self._computed: list[tuple[Piece, set[str]]] = []
        for piece in material.computed:
            named = [each for each in places(piece.expression) if each.is_value]
            parts = {each.part for each in named if isinstance(each.part, Name | Call)}
            if any(isinstance(each, Name) for each in parts):
                self._computed.append((piece, {*map(print_expression, parts)}))

    def mutants(self, formula: Expression) -> Iterator[Mutant]:
        """All of one formula, in the order of its text."""
        whole = Place(formula, None, "", None)
        for other in regrouped(print_expression(formula)):
            yield Mutant(1.6, "grouping", whole, other)
        yield from self._exchanged(formula, whole)
        yield from self._throughout(formula)
        for place in _values(formula):
            yield from self._at(place)

    def slight(self, formula: Expression) -> Iterator[Mutant]:
        """Those that put nothing of the program's there, in the order of its text."""
        return (each for place in _values(formula) for each in self._by_rule(place))

    def _at(self, place: Place) -> Iterator[Mutant]:
        """Those at one place."""
        assert isinstance(place.part, Expression)
        yield from self._by_rule(place)
        if not self._decides(place.part, place):  # nothing is added to a condition
            yield from self._with_pieces(place.part, place)

    def _decides(self, part: Expression, place: Place) -> bool:
        """Whether a part is the condition by which something is chosen."""
        value, above = self.material.values.get(part), place.above and place.above.part
        chooses = isinstance(above, Call) and called(above)[0] == "where"
        first = (place.field, place.position) == ("arguments", 0)
        return chooses and first and value is not None and value.kind == "bool"

    def _by_rule(self, place: Place) -> Iterator[Mutant]:
        for rule in (*RULES.get(type(place.part), ()), *EVERYWHERE):
            for cost, code, instead in rule(place.part, place, self.material):
                if not (_is_with_itself(instead, place) or _is_by_one(code, instead)):
                    odd = CANCELLED if _cancels(instead, place) else 0.0
                    yield Mutant(cost + odd, code, place, instead)

    def _throughout(self, formula: Expression) -> Iterator[Mutant]:
        """With the same change wherever a name or a number stands, or a function is called."""
        alike: dict[tuple[type[Syntax], str], list[int]] = {}
        known = list(places(formula))
        for position, place in enumerate(known):
            part = place.part
            if not place.is_value or _is_setting(place):
                continue
            if isinstance(part, REPEATED):
                text = called(part)[0] if isinstance(part, Call) else print_expression(part)
                alike.setdefault((type(part), text), []).append(position)
        for (_, text), positions in alike.items():
            if 1 < len(positions) <= OFTEN:
                place = known[positions[0]]
                for cost, code, new in self._anew(place.part, text):
                    there = dict.fromkeys(positions, new)
                    yield Mutant(cost, code, place, new, None, there, ALL)
            if 1 < len(positions) <= SEVERAL:
                yield from self._in_all(known, positions)

    def _anew(self, part: Syntax, text: str) -> Iterator[Change]:
        """Another name or number in every place of one."""
        if isinstance(part, Number):
            others = (each for each in self.material.numbers if each != part.value)
            yield from ((1.45, "constant", number(each)) for each in others)
        elif isinstance(part, Name) and text in self.material.names:
            titles = (each for each in self.material.names if each != text)
            yield from ((1.4, "other-value", name(each)) for each in titles)

    def _in_all(self, known: Sequence[Place], positions: Sequence[int]) -> Iterator[Mutant]:
        """Another function in all of these places, or what is done at a name in one."""
        place = known[positions[0]]
        part = place.part
        if isinstance(part, Call):
            function = FUNCTIONS.get(called(part)[0])
            for twin in function.confused if function else ():
                there = {each: _renamed_at(known[each], twin) for each in positions}
                yield Mutant(1.3, "function", place, there[positions[0]], None, there, ALL)
        elif isinstance(part, Compare | Index):
            for each in self._by_rule(place):
                if each.code in ("condition", "index"):
                    there = dict.fromkeys(positions, each.instead)
                    yield each._replace(cost=each.cost + AGAIN, there=there, where=ALL)
        elif isinstance(part, Binary | Unary | Attribute):
            mutants = self._at(place) if isinstance(part, Unary) else self._by_rule(place)
            for each in () if isinstance(part, Binary) and part.operator == "@" else mutants:
                likely = each.cost <= (DEAREST if each.code == "term-missing" else LIKELY)
                if each.code in ALIKE and likely:
                    there = dict.fromkeys(positions, each.instead)
                    yield each._replace(cost=each.cost + AGAIN, there=there, where=ALL)
        elif isinstance(part, Name) and part.id in self.material.names:
            for each in self._everywhere(place):
                if each.code != "other-value" and each.cost <= DEAREST:
                    there = dict.fromkeys(positions, each.instead)
                    cost = each.cost + AGAIN * (3 if each.code == "sign" else 1)
                    yield each._replace(cost=cost, there=there, where=ALL)

    def _everywhere(self, place: Place) -> Iterator[Mutant]:
        """Those at the first of several places, as if it stood alone in its product."""
        yield from self._at(place)
        if isinstance(place.part, Name) and not is_outermost(place, "*/"):
            yield from self._with_factors(place.part, place)

    def _exchanged(self, formula: Expression, whole: Place) -> Iterator[Mutant]:
        """With two names exchanged for each other, each in one place, or two elements."""
        shape = self.material.shape
        for kind in (Name, Index):
            found = [
                (position, each.part, print_expression(each.part))
                for position, each in enumerate(places(formula))
                if each.is_value and isinstance(each.part, kind) and shape(each.part) is not None
            ]
            for one, other in combinations(found, 2) if len(found) <= OFTEN else ():
                if one[2] != other[2] and shape(one[1]) == shape(other[1]):
                    both = with_each(formula, {one[0]: other[1], other[0]: one[1]})
                    yield Mutant(1.4, "exchanged", whole, both)

    def _with_pieces(self, part: Expression, place: Place) -> Iterator[Mutant]:
        """With a factor or a term more."""
        if isinstance(part, Number) and place.above is not None:
            names = self.material.names if isinstance(place.above.part, Binary) else ()
            pieces = [Piece(name(each)) for each in names]
            yield from self._with_terms(pieces, part, place)
            for piece in pieces if part.value == 1 else ():
                if print_expression(piece.expression) not in _factors_around(place):
                    quotient = binary("/", part, piece.expression)
                    yield Mutant(1.6, "divisor-missing", place, quotient, piece)
            return
        if is_outermost(place, "*/"):
            yield from self._with_factors(part, place)
        yield from self._with_matrices(part, place)
        yield from self._as_pieces(part, place)
        yield from self._with_columns(part, place)
        if len(self.material.shape(part) or ()) == 2:
            for title, shape in self.material.names.items():
                if len(shape) == 2:
                    ones = Piece(call("ones_like", name(title)))
                    product = binary("@", part, ones.expression)
                    yield Mutant(1.7, "factor-missing", place, product, ones)
        if is_outermost(place, "+-"):
            yield from self._as_sum(part, place)

    def _as_sum(self, part: Expression, place: Place) -> Iterator[Mutant]:
        """With a term more."""
        first = first_factor(part)
        for title in self.material.names if isinstance(first, Number) else ():
            piece = Piece(binary("*", first, name(title)))  # 4*W@W.T@W for that less 4*W
            yield from self._with_terms([piece], part, place)
        factors = texts_of_factors(part)
        numbered = any(isinstance(each, Number) for each in terms_of(part))
        for piece in self.material.terms:
            if is_number(part) and is_number(piece.expression):
                continue  # then it is another number
            if isinstance(part, Name) and isinstance(piece.expression, Name):  # x for d - x
                whole = binary("-", piece.expression, part)
                yield Mutant(1.8, "term-missing", place, whole, piece)
            more = 0.0 if place.above is None else _length(piece)
            more = min(more, _lengthy(piece)) if piece.is_added else more
            if print_expression(piece.expression) in factors:
                more += 0.2  # a/q - a is a product that lacks a factor
            if numbered and isinstance(piece.expression, Number):
                more += 0.4  # then that number is wrong
            for symbol in "+-":
                whole = binary(symbol, part, piece.expression)
                yield Mutant(1.7 + more, "term-missing", place, whole, piece)

    def _with_factors(self, part: Expression, place: Place) -> Iterator[Mutant]:
        compared, below = _is_compared(place), is_divisor(place)
        odd = is_inverted(place) or compared
        text = print_expression(part) if isinstance(part, Name) else ""
        for piece in self.material.factors:
            if compared and _compares(piece.expression):
                continue
            if text and print_expression(piece.expression) == text:
                continue  # x**2 is told of the exponent
            more = _length(piece) + (0.2 if odd else 0.0)
            product = binary("*", piece.expression, part)
            told = _without_step(piece) if below else piece
            yield Mutant(1.5 + more, "factor-missing", place, product, told)
            if not (divides_seldom(piece.expression) or share_factor(piece.expression, part)):
                quotient = binary("/", part, piece.expression)
                told = piece if below else _without_step(piece)
                yield Mutant(1.6 + more, "divisor-missing", place, quotient, told)

    def _with_terms(
        self, pieces: Sequence[Piece], part: Expression, place: Place
    ) -> Iterator[Mutant]:
        for piece in pieces:
            for symbol in "+-":
                whole = binary(symbol, part, piece.expression)
                yield Mutant(1.75, "term-missing", place, whole, piece)

    def _with_columns(self, part: Expression, place: Place) -> Iterator[Mutant]:
        """With a vector of numbers for the rows more, or instead: `E - o[:, None]`."""
        shape = self.material.shape(part) or ()
        titles = (each for each, own in self.material.names.items() if own == shape[:1])
        for title in titles if len(shape) == 2 else ():
            piece = Piece(column(name(title)))
            if isinstance(part, Call) and shape[1] == 1:
                yield Mutant(1.6, "other-value", place, piece.expression)
            if is_outermost(place, "+-"):
                yield from self._with_terms([piece], part, place)

    def _as_pieces(self, part: Expression, place: Place) -> Iterator[Mutant]:
        """With what the program or its gradient computes instead of a name or a call."""
        used = print_expression(part) if isinstance(part, Name | Call) else ""
        compared = _is_compared(place)
        for piece, parts in self._computed if used else ():
            if compared and _compares(piece.expression):
                continue
            if place.above is None and piece.words:
                continue  # the derivative of all: the right formula is no diagnosis
            if used not in parts:  # else a factor or a term is missing
                yield Mutant(1.6 + _length(piece), "other-value", place, piece.expression)
        if isinstance(part, Binary) and part.operator == "@":  # x@w for what is computed from it
            shape = self.material.shape(part)
            titles = (each for each, own in self.material.names.items() if shape == own)
            yield from (Mutant(1.75, "other-value", place, name(each)) for each in titles)
        if _is_sum(part) and place.above is not None:
            names = _names_in(part)
            for piece, _ in self._computed:
                if _is_sum(piece.expression) and _names_in(piece.expression) == names:
                    yield Mutant(1.7 + _length(piece), "other-sum", place, piece.expression)

    def _with_matrices(self, part: Expression, place: Place) -> Iterator[Mutant]:
        """With a square matrix more in a product of matrices, or as that of a linear system."""
        shape = self.material.shape(part)
        inside = not is_outermost(place, "*/")
        inverted = 0.4 if is_inverted(place) else 0.0
        is_identity = isinstance(part, Call) and called(part)[0] == "eye"
        grouped = isinstance(part, Name) or (isinstance(part, Binary) and place.field == "right")
        if not shape or is_identity or (inside and not grouped):
            return
        for piece in self.material.matrices.get(shape[-2:][0], ()):
            cost = 1.55 + _length(piece) / 2 + (0.1 if inside else 0.0) + inverted
            product = binary("@", piece.expression, part)
            yield Mutant(cost, "factor-missing", place, product, piece)
            for other in _turned(piece):
                product = binary("@", other.expression, part)
                yield Mutant(cost + 0.05, "factor-missing", place, product, other)
            turned = attribute(piece.expression, "T")
            systems = () if piece.is_square else (piece.expression, turned)
            for more, system in enumerate(systems):
                yield Mutant(cost + more / 20, "unsolved", place, call("solve", system, part))
        for piece in self.material.matrices.get(shape[-1], ()):
            for more, other in enumerate((piece, *_turned(piece))):
                product = binary("@", part, other.expression)
                cost = 1.55 + _length(piece) / 2 + 0.15 * more
                yield Mutant(cost, "factor-missing", place, product, other)
        likely = 1.95 if len(shape) == 1 else 1.55
        for title, length in self.material.names.items():
            if length == shape[-1:]:
                product = binary("@", part, name(title))
                yield Mutant(likely, "factor-missing", place, product, Piece(name(title)))


def _values(formula: Expression) -> Iterator[Place]:
    """The places of a formula where something is computed."""
    return (each for each in places(formula) if each.is_value and not _is_setting(each))


def _factors_around(place: Place) -> set[str]:
    """Those of the products that a part is in: x*(1 - x) is no x*(1/x - x)."""
    found, above = set[str](), place.above
    while above is not None:
        if isinstance(above.part, Binary):
            found |= texts_of_factors(above.part)
        above = above.above
    return found


def _is_compared(place: Place) -> bool:
    """Whether a part is what is compared, or in there."""
    above = place.above
    while above is not None and not isinstance(above.part, Compare):
        above = above.above
    return above is not None


def _compares(part: Expression) -> bool:
    """Whether a part is, or is made of, what is true or not: nobody compares that."""
    return any(isinstance(each.part, Compare) for each in places(part))


def _turned(piece: Piece) -> Sequence[Piece]:
    """A matrix with a name, transposed."""
    named = isinstance(piece.expression, Name)
    return [Piece(attribute(piece.expression, "T"))] if named else []


def _is_sum(part: Expression) -> bool:
    return isinstance(part, Binary) and part.operator in "+-"


def _names_in(part: Expression) -> set[str]:
    return {each.part.id for each in places(part) if isinstance(each.part, Name)}


def _without_step(piece: Piece) -> Piece:
    """What is no factor of the chain rule where it stands."""
    return piece if isinstance(piece.expression, Number) else Piece(piece.expression)


def _length(piece: Piece) -> float:
    """What a piece costs: much if it is more than a number or a name."""
    if isinstance(piece.expression, Number | Name):
        return 0.0
    return 0.3 + len(print_expression(piece.expression)) / 100


def _lengthy(piece: Piece) -> float:
    """What a term of the gradient costs, which is left out easily: little if it is short."""
    return max(0, len(print_expression(piece.expression)) - SHORT) / 100 - 0.05


def with_each(formula: Expression, there: Mapping[int, Expression]) -> Expression:
    """The formula with other expressions at some of its places, by their order."""
    for position in sorted(there, reverse=True):
        formula = replaced(next(islice(places(formula), position, None)), there[position])
    return formula


def _renamed_at(place: Place, title: str) -> Expression:
    """The call there, of another function."""
    assert isinstance(place.part, Call)
    return renamed(place.part, title)


def _is_by_one(code: str, instead: Expression) -> bool:
    """Whether an operation changes nothing: what x + 1 has too much is its term."""
    return (
        code == "operation"
        and isinstance(instead, Binary)
        and instead.operator in ("*", "/", "**")
        and isinstance(instead.right, Number)
        and instead.right.value == 1
    )


def _is_with_itself(instead: Expression, place: Place) -> bool:
    """Whether it would be compared with itself, which decides nothing."""
    above = place.above.part if place.above is not None else None
    others = above.operands if isinstance(above, Compare) else ()
    text = print_expression(instead) if others else ""
    return any(each is not place.part and print_expression(each) == text for each in others)


def _cancels(instead: Expression, place: Place) -> bool:
    """Whether a product would be divided by one of its factors, which nobody writes."""
    above = place.above.part if place.above is not None else None
    if not (isinstance(above, Binary) and above.operator == "/" and place.field == "right"):
        return False
    return print_expression(instead) in {
        print_expression(above.left),
        *texts_of_factors(above.left),
    }


def _is_setting(place: Place) -> bool:
    """Whether a part is an axis, a shape or the like, or inside of one."""
    while place.above is not None:
        if isinstance(place.part, Keyword) and place.part.name in ("dim", "axis", "keepdim"):
            return True
        place = place.above
    return False
