"""Sums of products of matrices, what they share taken out: `A @ x + A.T @ x` is `(A + A.T) @ x`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import takewhile

from gradcli.algebra.chains import PRODUCT, Chain, Link, Ratio, joined, multiplied, quotient, weight
from gradcli.language.construct import binary, number, unary
from gradcli.language.printer import print_expression
from gradcli.language.syntax import Binary, Expression


@dataclass(frozen=True, slots=True)
class Summand:
    """A coefficient, single numbers, and a chain of matrices or what else has axes."""

    coefficient: Fraction
    above: list[Expression]
    below: list[Expression]
    chain: Chain = field(default_factory=list)
    """Empty where all is a single number, or `ratio` has the axes."""
    ratio: Ratio = field(default_factory=Ratio)

    def with_chain(self, chain: Chain) -> Summand:
        return replace(self, chain=chain)

    def with_ratio(self, ratio: Ratio) -> Summand:
        if len(ratio.above) == 1 and not ratio.below:
            return replace(self, chain=ratio.above[0])
        return replace(self, ratio=ratio)

    @property
    def joins(self) -> bool:
        """Whether it can stand in a sum of chains that is multiplied: a chain, or the same number
        everywhere."""
        return bool(self.chain) or not (self.ratio.above or self.ratio.below)

    @property
    def numbers(self) -> tuple[list[str], list[str]]:
        """What tells its single numbers from others'."""
        above, below = (sorted(map(print_expression, each)) for each in (self.above, self.below))
        return above, below

    def text(self) -> Expression:
        """The expression, with the absolute value of the coefficient: single numbers first."""
        size = abs(self.coefficient)
        top, bottom = self.ratio.factors
        numbers = sorted(self.above, key=weight)
        behind = [each for each in numbers if weight(each) == PRODUCT]
        above = [*(each for each in numbers if each not in behind), *top]
        if len(self.chain) == 1:
            above.append(self.chain[0].plain)
        below = [*sorted(self.below, key=weight), *bottom]
        if size.numerator != 1:
            above.insert(0, number(float(size.numerator)))
        if size.denominator != 1:
            below.insert(0, number(float(size.denominator)))
        if len(self.chain) < 2:
            return quotient([*above, *behind], below)
        first, *rest = self.chain
        start = multiplied([*above, first.plain])
        whole = multiplied([joined([Link(start, start), *rest]), *behind])
        return binary("/", whole, multiplied(below)) if below else whole


def factored(products: Sequence[Summand], ndim: int) -> Expression:
    """The sum of products, as short as what they share allows."""
    return added(merged(products, ndim))


def merged(products: Sequence[Summand], ndim: int) -> list[Summand]:
    """Fewer products of the same sum, in the order of the first of each."""
    groups: list[list[Summand]] = []
    for each in products:
        for group in groups:
            if each.joins == group[0].joins and each.numbers == group[0].numbers:
                group.append(each)
                break
        else:
            groups.append([each])
    places = {id(each): place for place, each in enumerate(products)}
    found = [
        (places.get(id(product), places[id(group[0])]), product)
        for group in groups
        for product in _merged(group, ndim)
    ]
    return [product for _, product in sorted(found, key=lambda each: each[0])]


def _merged(group: Sequence[Summand], ndim: int) -> list[Summand]:
    """Products of chains with the same first or last matrices as one."""
    if len(group) < 2:
        return list(group)
    if not group[0].joins:
        return _apart_from_numbers(group, ndim)
    if not any(each.chain for each in group):
        return list(group)
    by_ends = [_by_end(group, end) for end in (-1, 0)]
    for by_end in [] if _crossed(*by_ends) else by_ends:
        found: list[Summand] = []
        for several in by_end:
            found += [_common(several, ndim)] if len(several) > 1 else several
        if len(found) < len(group):
            return _merged(found, ndim)
    return _apart_from_numbers(group, ndim)


def _apart_from_numbers(group: Sequence[Summand], ndim: int) -> list[Summand]:
    """The single numbers by which all are multiplied or divided, times a sum in brackets."""
    sizes = {abs(each.coefficient) for each in group}
    (above, below), size = group[0].numbers, next(iter(sizes))
    shared = above or below or size.denominator != 1 or (size != 1 and _are_plain(group))
    if len(sizes) == 1 and shared:
        inner = [
            replace(each, coefficient=each.coefficient / size, above=[], below=[]) for each in group
        ]
        bracket = [_linked(inner, ndim)]
        return [replace(group[0], coefficient=size, chain=bracket, ratio=Ratio())]
    return list(group)


def _are_plain(group: Sequence[Summand]) -> bool:
    """Whether each is a number times what has a name: then `2 * x - 2 * y` is `2 * (x - y)`."""
    return all(len(each.chain) == 1 and each.chain[0].is_plain for each in group)


def _by_end(group: Sequence[Summand], end: int) -> list[list[Summand]]:
    """Products with the same first or last matrix together."""
    found: dict[str, list[Summand]] = {}
    for each in group:
        key = each.chain[end].text if len(each.chain) > 1 else f"{id(each)}"
        found.setdefault(key, []).append(each)
    return list(found.values())


def _crossed(last: list[list[Summand]], first: list[list[Summand]]) -> bool:
    """Whether a product shares its last matrix with one and its first with another, as in
    `B @ A @ A + A @ B @ A + A @ A @ B`: then all stay as they are.
    """
    ends = ({id(each) for each in several} for several in last)
    starts = [{id(each) for each in several} for several in first]
    return any(a & b and a - b and b - a for a in ends for b in starts)


def _common(products: Sequence[Summand], ndim: int) -> Summand:
    """Products that share their first or last matrices as one product of a sum."""
    chains = [each.chain for each in products]
    least = min(map(len, chains)) - 1
    behind = _shared([[link.text for link in reversed(each)] for each in chains], least)
    before = _shared([[link.text for link in each] for each in chains], least - behind)
    whole = chains[0]
    rests = [each[before : len(each) - behind] for each in chains]
    sizes = {abs(each.coefficient) for each in products}
    size = next(iter(sizes)) if len(sizes) == 1 else Fraction(1)
    if all(each.coefficient < 0 for each in products):
        size = -size
    inner = [
        Summand(each.coefficient / size, [], [], rest)
        for each, rest in zip(products, rests, strict=True)
    ]
    axes = ndim if not (before or behind) else 2
    if ndim == 1 and not behind:
        axes = 1
    middle = _linked(inner, axes)
    chain = [*whole[:before], middle, *whole[len(whole) - behind :]]
    return replace(products[0], coefficient=size, chain=chain)


def _shared(rows: Sequence[Sequence[str]], most: int) -> int:
    """With how many equal items all begin."""
    together = takewhile(lambda items: len(set(items)) == 1, zip(*rows, strict=False))
    return min(most, len(list(together)))


def _linked(products: Sequence[Summand], ndim: int) -> Link:
    """A sum in brackets as part of a chain."""
    text = factored(products, ndim)
    if ndim == 1:
        return Link(text, text)
    flipped = [
        replace(
            each,
            chain=[link.turned() for link in reversed(each.chain)],
            ratio=each.ratio.turned(),
        )
        for each in products
    ]
    return Link(text, factored(flipped, ndim))


def added(products: Sequence[Summand]) -> Expression:
    """The sum, beginning with what is not negative."""
    if len(products) == 2 and all(each.coefficient > 0 for each in products):
        products = _plain_first(*products)
    first = next((each for each in products if each.coefficient > 0), products[0])
    text = _signed(first)
    for each in products:
        if each is not first:
            text = binary("-" if each.coefficient < 0 else "+", text, each.text())
    return text


def _plain_first(first: Summand, second: Summand) -> list[Summand]:
    """`A + A.T` rather than `A.T + A`."""
    texts = [print_expression(each.text()) for each in (first, second)]
    turned = (f"{texts[1]}.T", f"({texts[1]}).T")
    return [second, first] if texts[0] in turned else [first, second]


def _signed(product: Summand) -> Expression:
    """The product with its sign, which stands in front of its first factor."""
    text = product.text()
    return _negative(text) if product.coefficient < 0 else text


def _negative(text: Expression) -> Expression:
    """`-a * b` for `a * b`."""
    if isinstance(text, Binary) and text.operator in ("*", "/", "@"):
        return binary(text.operator, _negative(text.left), text.right)
    return unary("-", text)
