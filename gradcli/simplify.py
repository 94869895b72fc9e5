"""Simpler graphs of the same value: each rewrite differs at most in rounding.

Products and sums are collected, and ops that only repeat or rearrange elements are removed. A
rewrite that could turn a nan or an infinity into a number (`x * 0`, `x / x`) is made only with
`assume_finite`. Constants are moved within a product, so a result within a few powers of two of
overflow or underflow may overflow or underflow differently.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TypeAlias

from gradcli.graph import OPERATORS, Node, Op
from gradcli.ops.arithmetic import add, div, mul, neg, scale, sub
from gradcli.ops.axes import PERMUTE
from gradcli.ops.elementwise import Elementwise
from gradcli.ops.powers import pow_, square
from gradcli.ops.reductions import SUM
from gradcli.ops.shaping import EXPAND, RESHAPE, SUM_TO
from gradcli.walks import ancestors

Replacements: TypeAlias = Mapping[Node, Node]


def rebuilt(outputs: Sequence[Node], replacements: Replacements) -> list[Node]:
    """The outputs with some nodes replaced, and all nodes that depend on these built again."""
    done: dict[Node, Node] = {}
    for node in ancestors(outputs):
        done[node] = replacements.get(node) or _on(node, [done[each] for each in node.inputs])
    return [done[node] for node in outputs]


def simplify(outputs: Sequence[Node], *, assume_finite: bool = False) -> dict[Node, Node]:
    """By node that the outputs are computed from: the node that replaces it."""
    return _Simplifier(outputs, assume_finite).done


def _on(node: Node, inputs: Sequence[Node]) -> Node:
    """The node's op on other operands; a node of a unique op is kept if its operands are."""
    operands = tuple(inputs)
    if operands == node.inputs:
        return node
    return node.graph.apply(node.op, operands, node.attributes)


# --- products ------------------------------------------------------------------------------


MOST_FACTORS = 64
"""Longer products are made of several: to merge n factors one by one takes n² / 2 steps."""


@dataclass(frozen=True, slots=True)
class Product:
    """above / below · Π base**exponent, with divisors last."""

    above: float = 1.0
    below: float = 1.0
    factors: dict[Node, float] = field(default_factory=dict)
    """Exponents are whole numbers above 0."""
    divisors: dict[Node, float] = field(default_factory=dict)

    def times(self, other: Product) -> Product | None:
        """The product of two; None where their constants have no exact product, or there are too
        many factors.
        """
        above, below = _exact(self.above, other.above), _exact(self.below, other.below)
        if above is None or below is None or self.count + other.count > MOST_FACTORS:
            return None
        return Product(
            *_in_lowest_terms(above, below),
            _merged(self.factors, other.factors),
            _merged(self.divisors, other.divisors),
        )

    @property
    def count(self) -> int:
        """How many different factors and divisors there are."""
        return len(self.factors) + len(self.divisors)

    def inverse(self) -> Product:
        sign = math.copysign(1.0, self.above)
        return Product(sign * self.below, abs(self.above), self.divisors, self.factors)

    def like(self, other: Product) -> bool:
        """Whether the two differ only in the constant `above`."""
        same = (self.below, self.factors, self.divisors) == (
            other.below, other.factors, other.divisors
        )  # fmt: skip
        return same and bool(self.factors or self.divisors)

    def cancelled(self) -> Product:
        """The product without its constants `above` and `below`."""
        both = self.factors.keys() & self.divisors.keys()
        common = {node: min(self.factors[node], self.divisors[node]) for node in both}
        return Product(
            self.above,
            self.below,
            _less(self.factors, common),
            _less(self.divisors, common),
        )


def _exact(a: float, b: float) -> float | None:
    """a · b if that is exact; very large and very small results are not multiplied."""
    product = a * b
    if product and not 1e-100 < abs(product) < 1e100:
        return None
    return product if Fraction(a) * Fraction(b) == Fraction(product) else None


def _in_lowest_terms(above: float, below: float) -> tuple[float, float]:
    """The fraction of two constants, the second above 0, with no common divisor: 24 / 4 is 6."""
    if abs(above) == below:
        return math.copysign(1.0, above), 1.0
    if not (above.is_integer() and below.is_integer()):
        return above, below
    divisor = math.gcd(int(above), int(below))
    return above / divisor, below / divisor


def _merged(a: Mapping[Node, float], b: Mapping[Node, float]) -> dict[Node, float]:
    merged = dict(a)
    for node, exponent in b.items():
        merged[node] = merged.get(node, 0.0) + exponent
    return merged


def _less(a: Mapping[Node, float], b: Mapping[Node, float]) -> dict[Node, float]:
    return {node: n - b.get(node, 0) for node, n in a.items() if n > b.get(node, 0)}


def number_of(node: Node) -> float | None:
    """The value of a constant that is a single finite number."""
    known = None if node.shape or node.kind != "float" else node.graph.look(node)
    value = math.inf if known is None else float(known)
    return value if math.isfinite(value) else None


# --- the walk ------------------------------------------------------------------------------

LARGEST_POWER = 8
LARGEST_BASE = 64.0
"""(c·x)**n becomes c**n · x**n for n up to the first and 1 <= |c| up to the second."""


class _Simplifier:
    def __init__(self, outputs: Sequence[Node], assume_finite: bool) -> None:
        self.assume_finite = assume_finite
        self.done: dict[Node, Node] = {}
        self._products: dict[Node, Product] = {}
        nodes = ancestors(outputs)
        self._uses = Counter(operand for node in nodes for operand in node.inputs)
        self._shared: set[Node] = set()
        for node in nodes:
            plain = self._rewritten(_on(node, [self.done[each] for each in node.inputs]))
            self.done[node] = OPERATORS["expand"](plain, node.shape)
            if self._uses[node] > 1:
                self._shared.add(self.done[node])

    def _rewritten(self, node: Node) -> Node:
        node = _without_copies(node)
        rule = RULES.get(node.op)
        if rule is None or (node.kind != "float" and rule not in ARRANGEMENTS):
            return node
        return rule(self, node) or node

    # --- products ---

    def product(self, node: Node) -> Product:
        """The node as a product; a node that is also used elsewhere is one factor."""
        node = repeated(node)
        found = self._products.get(node)
        if found is not None and (node not in self._shared or _is_term(found)):
            return found
        number = number_of(node)
        if number is not None:
            return Product(number)
        exponent = _whole_exponent(node)
        if exponent is not None and node not in self._shared:
            return Product(factors={node.inputs[0]: exponent})
        return Product(factors={node: 1.0})

    def build(self, product: Product, like: Node) -> Node:
        """The node of a product."""
        if self.assume_finite:
            product = product.cancelled()
            if product.above == 0:
                return like.graph.constant(0.0)
        node = _built(product, like)
        self._products[node] = product
        return node

    def mul(self, node: Node) -> Node | None:
        product = self.product(node.inputs[0]).times(self.product(node.inputs[1]))
        return None if product is None else self.build(product, node)

    def div(self, node: Node) -> Node | None:
        a, b = map(self.product, node.inputs)
        if b.above == 0:
            return None
        product = a.times(b.inverse())
        return None if product is None else self.build(product, node)

    def neg(self, node: Node) -> Node | None:
        product = Product(-1.0).times(self.product(node.inputs[0]))
        return None if product is None else self.build(product, node)

    def square(self, node: Node) -> Node | None:
        return self._rewritten(node.inputs[0] ** 2)

    def scale(self, node: Node) -> Node | None:
        """An ordinary product where the first factor is never 0, or the second is finite."""
        a, b = node.inputs
        plain = self.assume_finite or number_of(a) or number_of(repeated(b)) is not None
        return self.mul(node) if plain else None

    def pow(self, node: Node) -> Node | None:
        """(c·x)**n as c**n · x**n: without new overflow, as |c| is at least 1."""
        base, exponent = node.inputs
        n = number_of(exponent)
        if n == 1:
            return base
        inner = self.product(base)
        large = 1 <= abs(inner.above) <= LARGEST_BASE and 1 <= inner.below <= LARGEST_BASE
        plain = n in range(2, LARGEST_POWER + 1) and large and inner.factors and not inner.divisors
        if n is None or not plain or (inner.above, inner.below) == (1, 1):
            return None
        rest = _built(Product(factors=inner.factors), node)
        whole = _whole_exponent(rest)
        factors = {rest.inputs[0]: whole * n} if whole else {rest: n}
        return self.build(Product(inner.above**n, inner.below**n, factors), node)

    # --- sums ---

    def add(self, node: Node) -> Node | None:
        """a + -b as a - b; 2·x + 3·x as 5·x. Terms that cancel may be infinite."""
        a, b = map(self.product, node.inputs)
        if a.like(b) and (self.assume_finite or (a.above > 0) == (b.above > 0)):
            return self.build(Product(a.above + b.above, a.below, a.factors, a.divisors), node)
        left, right = node.inputs
        if self.assume_finite and 0 in map(number_of, map(repeated, node.inputs)):
            return right if number_of(repeated(left)) == 0 else left
        if b.above < 0 and not _is_number(b):
            return left - self._negative(b, node)
        if a.above < 0 and not _is_number(a):
            return right - self._negative(a, node)
        return None

    def sub(self, node: Node) -> Node | None:
        b = self.product(node.inputs[1])
        if b.above < 0 and not _is_number(b):
            return node.inputs[0] + self._negative(b, node)
        return None

    def _negative(self, product: Product, like: Node) -> Node:
        factors, divisors = product.factors, product.divisors
        return self.build(Product(-product.above, product.below, factors, divisors), like)

    # --- arrangement ---

    def reshape(self, node: Node) -> Node | None:
        """One reshape for two; none where nothing changes."""
        below = node.inputs[0]
        if below.op is RESHAPE:
            return OPERATORS["reshape"](below.inputs[0], node.shape)
        if repeated(below).shape == ():
            return OPERATORS["expand"](repeated(below), node.shape)
        return None

    def expand(self, node: Node) -> Node | None:
        below = repeated(node.inputs[0])
        return None if below is node.inputs[0] else OPERATORS["expand"](below, node.shape)

    def permute(self, node: Node) -> Node | None:
        """No permutation of axes for two that undo each other, or of a repeated number."""
        below = node.inputs[0]
        if below.op is PERMUTE:
            (outer,), (inner,) = node.attributes, below.attributes
            if all(inner[axis] == i - len(inner) for i, axis in enumerate(outer)):
                return below.inputs[0]
        if repeated(below).shape == ():
            return OPERATORS["expand"](repeated(below), node.shape)
        return None

    def sum(self, node: Node) -> Node | None:
        """n copies of a number add up to n times the number."""
        (below,) = node.inputs
        single = repeated(below)
        if single is below or single.shape or not node.size:
            return None
        count = self.product(single).times(Product(float(below.size // node.size)))
        return None if count is None else self.build(count, node)


Rule: TypeAlias = Callable[[_Simplifier, Node], Node | None]
RULES: dict[Op | None, Rule] = {
    mul.op: _Simplifier.mul,
    div.op: _Simplifier.div,
    neg.op: _Simplifier.neg,
    square.op: _Simplifier.square,
    scale.op: _Simplifier.scale,
    pow_.op: _Simplifier.pow,
    add.op: _Simplifier.add,
    sub.op: _Simplifier.sub,
    RESHAPE: _Simplifier.reshape,
    EXPAND: _Simplifier.expand,
    PERMUTE: _Simplifier.permute,
    SUM: _Simplifier.sum,
    SUM_TO: _Simplifier.sum,
}
"""By op: the rule that returns a node to use in its place, or None."""
ARRANGEMENTS = (_Simplifier.reshape, _Simplifier.expand, _Simplifier.permute)
"""Rules for elements of any kind; the others are for floats."""


def _without_copies(node: Node) -> Node:
    """An elementwise op on the sources of its repeated operands, as it broadcasts by itself."""
    if not isinstance(node.op, Elementwise) or len(node.inputs) == 1:
        return node
    operands = [repeated(each) for each in node.inputs]
    shape, _ = node.op.infer(tuple(operands), node.attributes)
    return _on(node, operands) if shape == node.shape else node


def repeated(node: Node) -> Node:
    """What a node only repeats along axes."""
    while node.op is EXPAND:
        node = node.inputs[0]
    return node


def _is_number(product: Product) -> bool:
    return not product.factors and not product.divisors


def _is_term(product: Product) -> bool:
    """Whether a product is so short that computing it twice costs little."""
    return len(product.factors) <= 1 and not product.divisors


def _whole_exponent(node: Node) -> float | None:
    """The n of x**n, if it is a whole number above 1."""
    if node.op is not pow_.op:
        return None
    n = number_of(node.inputs[1])
    return n if n is not None and n >= 2 and n == int(n) else None


def _built(product: Product, like: Node) -> Node:
    """above · factors / below / divisors; a minus goes to the first factor."""
    graph = like.graph
    powers = [base if n == 1 else base**n for base, n in product.factors.items()]
    if not powers or abs(product.above) != 1:
        powers.insert(0, graph.constant(product.above))
    elif product.above == -1:
        powers[0] = -powers[0]
    node = powers[0]
    for power in powers[1:]:
        node = node * power
    if product.below != 1:
        node = node / graph.constant(product.below)
    for base, n in product.divisors.items():
        node = node / (base if n == 1 else base**n)
    return node
