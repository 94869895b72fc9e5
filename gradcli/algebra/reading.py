"""From index notation to an expression of the language, as a textbook writes it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from string import ascii_lowercase
from typing import Any

from gradcli.algebra.chains import (
    Chain,
    Link,
    Network,
    Ratio,
    Tangled,
    diagonal,
    link,
    quotient,
    standing,
    transposed,
    turned,
    vector,
)
from gradcli.algebra.sums import Summand, added, merged
from gradcli.algebra.terms import (
    SINGLE,
    Applied,
    Atom,
    Bracket,
    Called,
    Delta,
    Element,
    Factor,
    Place,
    Symbol,
    Tensor,
    Term,
    UnitVector,
)
from gradcli.graph import Shape
from gradcli.language.construct import NOWHERE, WHOLE, argument, binary, call, number, subscript
from gradcli.language.printer import print_expression
from gradcli.language.syntax import (
    Constant,
    Expression,
    Index,
    Name,
    Number,
    Slice,
    String,
    Syntax,
)
from gradcli.ops.elementwise import Elementwise
from gradcli.ops.shaping import SLICE
from gradcli.spelling.spell import spell

NEAR = 2
"""How far a number may be from a length to be said by it, as `n - 1`."""


class Writing:
    """Expressions for tensors."""

    def __init__(self, lengths: Mapping[int, str], like: Mapping[Shape, str]) -> None:
        """`lengths` have a name; `like` names a tensor of a shape, for `ones_like`."""
        self._lengths = lengths
        self._like = like
        self._read: dict[tuple[str, bool], Expression] = {}

    def read(self, tensor: Tensor, *, full: bool = True) -> Expression:
        """The expression of a tensor; where not `full`, it may have to be broadcast."""
        key = tensor.key, full
        if key not in self._read:
            self._read[key] = self._sum(tensor, full)
        return self._read[key]

    def matrix(self, tensor: Tensor) -> Expression:
        """The expression of a matrix of derivatives: `eye(n) - ones(n, n) / n`, each term with all
        of its axes.
        """
        if tensor.ndim != 2 or 1 in tensor.shape or len(tensor.terms) < 2:
            return self.read(tensor)
        terms = [self._product(each, tensor.shape, True) for each in tensor.terms]
        return added(merged(terms, tensor.ndim))

    # --- sums ---

    def _sum(self, tensor: Tensor, full: bool) -> Expression:
        """The sum of the terms, what they share taken out."""
        if not tensor.terms:
            return self._filled(0.0, tensor.shape) if full else number(0.0)
        if full and 1 in tensor.shape:
            return self._with_single_axes(tensor)
        return added(self._products(tensor, full))

    def _with_single_axes(self, tensor: Tensor) -> Expression:
        """A tensor with axes of length 1."""
        if len(tensor.terms) == 1 and len(tensor.terms[0].factors) == 1:
            (term,), ((factor,),) = tensor.terms, [each.factors for each in tensor.terms]
            own = tuple(
                axis if length != 1 else SINGLE for axis, length in enumerate(factor.atom.shape)
            )
            if factor.labels == own and factor.atom.shape == tensor.shape:
                text = _power(self.atom(factor.atom), abs(factor.power))
                below = [text] if factor.power < 0 else []
                above = [] if factor.power < 0 else [text]
                return added([Summand(term.coefficient, above, below)])
        long = [axis for axis, length in enumerate(tensor.shape) if length != 1]
        labels = {axis: place for place, axis in enumerate(long)}
        shape = tuple(tensor.shape[axis] for axis in long)
        inner = self.read(Tensor(shape, tuple(each.relabelled(labels) for each in tensor.terms)))
        if not long:
            if isinstance(inner, Number) and inner.value == 1:
                return call("ones", *map(self.length, tensor.shape))
            return call("reshape", inner, *map(self.length, tensor.shape))
        items = [WHOLE if axis in long else Constant(None, NOWHERE) for axis in range(tensor.ndim)]
        while items and items[-1] is WHOLE:
            items.pop()
        return Index(inner, tuple(items), NOWHERE)

    def _products(self, tensor: Tensor, full: bool) -> list[Summand]:
        alone = full and set(tensor.used) != {
            axis for axis, length in enumerate(tensor.shape) if length != 1
        }
        products = []
        for place, term in enumerate(tensor.terms):
            products.append(self._product(term, tensor.shape, full and alone and place == 0))
        return merged(products, tensor.ndim)

    def _filled(self, value: float, shape: Shape) -> Expression:
        """One number everywhere."""
        if not shape:
            return number(value)
        if shape in self._like and value in (0, 1):
            return call("ones_like" if value else "zeros_like", Name(self._like[shape], NOWHERE))
        return call("ones" if value else "zeros", *map(self.length, shape))

    def _ones(self, shape: Shape) -> Expression:
        return call("ones", *map(self.length, shape))

    def length(self, value: int) -> Expression:
        return self._number(float(value))

    # --- products ---

    def _product(self, term: Term, shape: Shape, full: bool) -> Summand:
        """A term; `full` if it has to have the shape without being broadcast."""
        try:
            network = Network()
            for factor in term.factors:
                chain = self._chain(factor)
                network.add(
                    [each for each in factor.labels if each != SINGLE], chain, factor.power < 0
                )
            network.reduce()
            if len(shape) > 2:
                raise Tangled
            return self._assembled(term.coefficient, network, shape, full)
        except Tangled:
            return self._tangled(term, shape, full)

    def _assembled(
        self, coefficient: Fraction, network: Network, shape: Shape, full: bool
    ) -> Summand:
        """What is left on the axes of the result."""
        above, below = network.numbers.factors
        found = Summand(coefficient, above, below)
        rows, columns = (network.vectors.get(axis) for axis in (0, 1))
        long = [axis for axis, length in enumerate(shape) if length != 1]
        if network.lines:
            (line,) = network.lines
            line = line if line.start == 0 else line.turned()
            return _scaled(found, line.ratio, rows, columns)
        if len(shape) == 2 and len(long) == 2:
            if full:
                if not rows and not columns:
                    return found.with_chain([vector(self._ones(shape))])
                rows = rows or Ratio([[vector(self._ones(shape[:1]))]])
                columns = columns or Ratio([[vector(self._ones(shape[1:]))]])
            if rows and columns:
                return found.with_chain(_outer(rows.column, columns.column))
            if rows:
                return found.with_ratio(_standing(rows))
            return found.with_ratio(columns) if columns else found
        one = rows or columns
        if len(shape) == 2 and one and long == [0]:
            return found.with_ratio(_standing(one))
        if one is None:
            if full and shape:
                return found.with_chain([vector(self._filled(1.0, shape))])
            return found
        if full and len(shape) == 2:
            text = call("reshape", one.text, *map(self.length, shape))
            return found.with_chain([vector(text)])
        return found.with_ratio(one)

    def _tangled(self, term: Term, shape: Shape, full: bool) -> Summand:
        """A product that is not one of matrices: broadcast, or an Einstein sum."""
        found = Summand(term.coefficient, [], [])
        numbers = [each for each in term.factors if not set(each.labels) - {SINGLE}]
        factors = [each for each in term.factors if each not in numbers]
        for each in numbers:
            (found.below if each.power < 0 else found.above).append(self._powered(each))
        covering = any(term.labels <= set(each.labels) for each in factors)
        apart = len(factors) > 1 and not covering
        if term.bound or apart or (full and len(term.labels) < len(shape)):
            factors.sort(key=lambda each: min(each.labels))
            return self._einstein(found, factors, shape, full)
        ratio = Ratio()
        for each in factors:
            text = self._spread(each, len(shape))
            (ratio.below if each.power < 0 else ratio.above).append([vector(text)])
        return found.with_ratio(ratio)

    def _einstein(
        self, found: Summand, factors: Sequence[Factor], shape: Shape, full: bool
    ) -> Summand:
        labels = list(dict.fromkeys(label for f in factors for label in f.labels if label >= 0))
        used = [axis for axis in range(len(shape)) if axis in labels]
        letters = dict(
            zip([*used, *(x for x in labels if x not in used)], ascii_lowercase, strict=False)
        )
        inputs = ",".join("".join(letters[x] for x in f.labels if x >= 0) for f in factors)
        operands = []
        for each in factors:
            text = self._powered(each)
            operands.append(quotient([], [text]) if each.power < 0 else text)
        output = "".join(letters[axis] for axis in used)
        kept = "".join(letter for letter in inputs if letter in output)
        if len(operands) == 1 and kept == output != inputs:
            gone = tuple(place for place, letter in enumerate(inputs) if letter not in output)
            text = call("sum", *operands, dim=argument(gone[0] if len(gone) == 1 else gone))
        elif [*operands[1:], output] == [inputs]:
            (text,) = operands
        else:
            text = call("einsum", String(f"{inputs}->{output}", NOWHERE), *operands)
        if len(used) < len(shape):
            items = [
                WHOLE if axis in used else Constant(None, NOWHERE) for axis in range(len(shape))
            ]
            text = Index(text, tuple(items), NOWHERE)
            if full:
                text = call("expand", text, *map(self.length, shape))
        return found.with_chain([vector(text)])

    def _spread(self, factor: Factor, ndim: int) -> Expression:
        """A factor with its axes in the order of the result, and one of length 1 for others."""
        text = self._powered(factor)
        labels = [each for each in factor.labels if each != SINGLE]
        order = sorted(range(len(labels)), key=lambda place: labels[place])
        if order != sorted(order):
            text = call("permute", text, *map(number, order))
        ordered = sorted(labels)
        if ordered == list(range(ndim - len(ordered), ndim)):
            return text
        items = [WHOLE if axis in labels else Constant(None, NOWHERE) for axis in range(ndim)]
        while items and items[0] is not WHOLE:
            items.pop(0)
        return Index(text, tuple(items), NOWHERE)

    # --- factors ---

    def _chain(self, factor: Factor) -> Chain:
        """A factor without the sign of its power; a sum may have become one product."""
        atom = factor.atom
        if isinstance(atom, Bracket) and factor.power == 1 and SINGLE not in factor.labels:
            products = self._products(atom.tensor, full=True)
            first, *others = products
            scaled = first.above or first.below or first.coefficient != 1
            if not others and not scaled and len(first.chain) > 1:
                return first.chain
        return [self._link(factor)]

    def _link(self, factor: Factor) -> Link:
        text = self._powered(factor)
        if sum(label != SINGLE for label in factor.labels) != 2 or factor.atom.symmetric:
            return vector(text)
        if isinstance(factor.atom, Bracket) and len(factor.labels) == 2:
            inside = self.read(factor.atom.tensor.permuted((1, 0)))
            words, turned_words = print_expression(text), print_expression(inside)
            if factor.power == 1 and ".T" in words and ".T" not in turned_words:
                return Link(transposed(inside), inside)
            if len(turned_words) <= len(words):
                return Link(text, _power(inside, abs(factor.power)))
        return link(text)

    def _powered(self, factor: Factor) -> Expression:
        text = self.atom(factor.atom)
        if SINGLE in factor.labels:
            items = [number(0.0) if each == SINGLE else WHOLE for each in factor.labels]
            text = subscript(text, items)
        return _power(text, abs(factor.power))

    def atom(self, atom: Atom) -> Expression:
        """The expression of an atom, of its shape."""
        match atom:
            case Symbol():
                return atom.text
            case Bracket():
                return self.read(atom.tensor)
            case Delta():
                return call("eye", self.length(atom.shape[0]))
            case UnitVector():
                return call("one_hot", self._place(atom.place), self.length(atom.shape[0]))
            case Element():
                items = [WHOLE if place is None else self._place(place) for place in atom.places]
                return subscript(self.atom(atom.of), items)
            case Called():
                operands = [self.read(each) for each in atom.operands]
                keywords = {key: argument(value) for key, value in atom.keywords if value != -1}
                more = [self.numbered(argument(each)) for each in atom.more]
                return call(atom.name, *operands, *more, **keywords)
            case Applied():
                return self._applied(atom)
        raise AssertionError(atom)

    def _place(self, place: Place) -> Expression:
        return self.length(place) if isinstance(place, int) else place.text

    def _applied(self, atom: Applied) -> Expression:
        elementwise = isinstance(atom.node.op, Elementwise)
        operands = [self.read(each, full=not elementwise) for each in atom.operands]
        if elementwise and len(operands) == 1:
            operands = [self.read(atom.operands[0])]
        text = spell(atom.node, operands)
        if text is None:
            raise Unsaid(repr(atom.node.op))
        if atom.node.op is SLICE:
            text = self._from_the_end(text, atom.node.inputs[0].shape)
        return self.numbered(text)  # type: ignore[no-any-return]

    def _from_the_end(self, text: Expression, shape: Shape) -> Expression:
        """A slice of axes whose lengths have names: where it stops shortly before an end, as -1."""
        if not isinstance(text, Index):
            return text
        items = map(self._stopped, text.items, shape)
        return Index(text.value, tuple(items), text.span)

    def _stopped(self, item: Any, length: int) -> Any:
        match item:
            case Slice(upper=Number(value=stop)) if length in self._lengths:
                if 1 <= length - stop <= NEAR:
                    return Slice(item.lower, number(stop - length), item.step, item.span)
        return item

    def numbered(self, part: Any) -> Any:
        """A part of a tree with names in the place of lengths that have one."""
        match part:
            case Number(value=value):
                return self._number(value)
            case tuple():
                return tuple(map(self.numbered, part))
            case Syntax():
                return type(part)(*(self.numbered(getattr(part, x)) for x in part.__slots__))
        return part

    def _number(self, value: float) -> Expression:
        for length, title in self._lengths.items():
            if value == length:
                return Name(title, NOWHERE)
            if abs(value - length) <= NEAR:
                sign = "+" if value > length else "-"
                return binary(sign, Name(title, NOWHERE), number(abs(value - length)))
        for (length, title), (other, second) in combinations(self._lengths.items(), 2):
            if value == length + other:
                return binary("+", Name(title, NOWHERE), Name(second, NOWHERE))
        for length, title in self._lengths.items():
            if value and value % length == 0 and value > length:
                rest = self._number(value / length)
                return binary("*", rest, Name(title, NOWHERE))
        return number(value)


class Unsaid(Exception):  # noqa: N818 — it becomes an error where the program is known
    """The language has no words for a step."""


def _power(text: Expression, power: Fraction) -> Expression:
    if power == 1:
        return text
    if power == Fraction(1, 2):
        return call("sqrt", text)
    return binary("**", text, number(float(power)))


def _standing(rows: Ratio) -> Ratio:
    """Vectors as columns: `v[:, None]`."""
    return Ratio([*map(standing, rows.above)], [*map(standing, rows.below)])


def _outer(rows: Chain, columns: Chain) -> Chain:
    """The outer product of two chains that end in vectors: `A @ outer(a, b) @ B.T`."""
    a, b = rows[-1], columns[-1]
    square = a.text == b.text
    inner = Link(
        call("outer", a.plain, b.plain),
        call("outer", a.plain, b.plain) if square else call("outer", b.plain, a.plain),
    )
    return [*rows[:-1], inner, *turned(columns[:-1])]


def _scaled(found: Summand, ratio: Ratio, rows: Ratio | None, columns: Ratio | None) -> Summand:
    """A matrix with rows and columns scaled."""
    plain = len(ratio.above) == 1 and not ratio.below
    chain = ratio.chain
    if plain and _is_identity(chain) and (rows or columns):
        sides = [each for each in (rows, columns) if each]
        both = Ratio(
            [x for each in sides for x in each.above], [x for each in sides for x in each.below]
        )
        return found.with_chain([diagonal(both)])
    only = all(each is None or not each.below for each in (rows, columns))
    if plain and only and (len(chain) > 1 or chain[0].is_plain):
        left = [diagonal(rows)] if rows else []
        right = [diagonal(columns)] if columns else []
        return found.with_chain([*left, *chain, *right])
    scaled = Ratio(list(ratio.above), list(ratio.below))
    for each in (_standing(rows) if rows else None, columns):
        if each:
            scaled.above += each.above
            scaled.below += each.below
    return found.with_ratio(scaled)


def _is_identity(chain: Chain) -> bool:
    return len(chain) == 1 and chain[0].text.startswith("eye(")


__all__ = ["Tensor", "Unsaid", "Writing"]
