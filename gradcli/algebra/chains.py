"""A product of indexed factors as a product of matrices and vectors.

The factors are a network: matrices are lines between labels, vectors stand at labels. Bound labels
are removed one by one: two matrices that meet at one become `A @ B`, a matrix and a vector `A @ x`,
two vectors `x @ y`, a closed line a trace.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from gradcli.algebra.terms import BOUND
from gradcli.language.construct import NOWHERE, WHOLE, attribute, binary, call, number
from gradcli.language.printer import print_expression
from gradcli.language.syntax import (
    Attribute,
    Binary,
    Call,
    Constant,
    Expression,
    Index,
    Name,
    Number,
    Unary,
)
from gradcli.ops import FUNCTIONS
from gradcli.ops.elementwise import Elementwise


@dataclass(frozen=True, slots=True)
class Link:
    """A matrix in a chain, or the vector at its end."""

    plain: Expression
    flipped: Expression
    """Its transpose; a vector's is the vector."""

    @property
    def text(self) -> str:
        return print_expression(self.plain)

    @property
    def is_plain(self) -> bool:
        """Whether it is a matrix with a name, or its transpose, or the identity."""
        text = self.plain
        while isinstance(text, Attribute):
            text = text.value
        return isinstance(text, Name) or self.text.startswith("eye(")

    def turned(self) -> Link:
        return Link(self.flipped, self.plain)


Chain = list[Link]
POINTWISE = ("float", "softmax")
"""Functions that count as such of single elements."""


def transposed(text: Expression) -> Expression:
    """`A.T`, or `A` of that."""
    if isinstance(text, Attribute) and text.name == "T":
        return text.value
    return attribute(text, "T")


def link(text: Expression) -> Link:
    """A matrix that an expression gives."""
    return Link(text, transposed(text))


def vector(text: Expression) -> Link:
    return Link(text, text)


def turned(chain: Chain) -> Chain:
    return [each.turned() for each in reversed(chain)]


def joined(chain: Sequence[Link]) -> Expression:
    """The product of a chain."""
    found = chain[0].plain
    for each in chain[1:]:
        found = binary("@", found, each.plain)
    return found


def multiplied(factors: Sequence[Expression]) -> Expression:
    """The product, element by element."""
    found = factors[0]
    for each in factors[1:]:
        found = binary("*", found, each)
    return found


def quotient(above: Sequence[Expression], below: Sequence[Expression]) -> Expression:
    """`a * b / (c * d)`."""
    top = multiplied(above) if above else Number(1.0, NOWHERE)
    return binary("/", top, multiplied(below)) if below else top


PRODUCT = 5
"""The weight of a product of matrices."""


def weight(factor: Expression) -> int:
    """The order of factors: numbers, names, transposes, powers, functions, products of matrices."""
    match factor:
        case Number():
            return 0
        case Name():
            return 1
        case Attribute():
            return 2
        case Binary(operator="**", left=left):
            return max(3, weight(left))
        case Binary(operator="@"):
            return PRODUCT
    return 4


def collected(factors: Sequence[Expression]) -> list[Expression]:
    """Equal factors as powers."""
    counts: dict[str, tuple[Expression, int]] = {}
    for each in factors:
        text = print_expression(each)
        counts[text] = each, counts.get(text, (each, 0))[1] + 1
    return [
        each if count == 1 else binary("**", each, number(float(count)))
        for each, count in counts.values()
    ]


@dataclass(slots=True)
class Ratio:
    """Chains that are multiplied element by element, and by which others are divided."""

    above: list[Chain] = field(default_factory=list)
    below: list[Chain] = field(default_factory=list)

    @property
    def chain(self) -> Chain:
        """The whole as one chain."""
        if len(self.above) == 1 and not self.below:
            return self.above[0]
        text, flipped = self.text, self.turned().text
        longer = transposed(text)
        shorter = len(print_expression(flipped)) <= len(print_expression(longer))
        return [Link(text, flipped if shorter else longer)]

    @property
    def column(self) -> Chain:
        """The same for vectors."""
        if len(self.above) == 1 and not self.below:
            return self.above[0]
        return [vector(self.text)]

    @property
    def factors(self) -> tuple[list[Expression], list[Expression]]:
        """What is multiplied, products of matrices last, and what it is divided by."""
        return tuple(  # type: ignore[return-value]
            collected(sorted(map(joined, chains), key=weight))
            for chains in (self.above, self.below)
        )

    @property
    def text(self) -> Expression:
        return quotient(*self.factors)

    def turned(self) -> Ratio:
        """The transpose, of matrices."""
        return Ratio([*map(turned, self.above)], [*map(turned, self.below)])


@dataclass(slots=True)
class Edge:
    """Matrices between two labels."""

    start: int
    end: int
    ratio: Ratio

    def turned(self) -> Edge:
        return Edge(self.end, self.start, self.ratio.turned())

    @property
    def is_pointwise(self) -> bool:
        """Whether it is a function of single elements, or a product of such matrices."""
        above, below = self.ratio.above, self.ratio.below
        alone = len(above) == 1 and not below
        return len(above[0]) == 1 and is_pointwise(above[0][0].plain) if alone else True

    @property
    def turns(self) -> int:
        """How often it is written as a transpose."""
        return print_expression(self.ratio.text).count(".T")


class Tangled(Exception):  # noqa: N818 — no error: another way is taken
    """No product of matrices says it."""


class Network:
    """Factors, and how they are joined."""

    def __init__(self) -> None:
        self.vectors: dict[int, Ratio] = {}
        self.lines: list[Edge] = []
        self.numbers = Ratio()

    def add(self, labels: Sequence[int], chain: Chain, below: bool) -> None:
        """A factor with no label, one or two. Raises `Tangled` for more."""
        if len(labels) > 2:
            raise Tangled
        if len(labels) == 2 and labels[0] != labels[1]:
            ratio = Ratio()
            self.lines.append(Edge(labels[0], labels[1], ratio))
        elif labels:
            if len(labels) == 2:
                chain = [vector(call("diagonal", joined(chain)))]
            ratio = self.at(labels[0])
        else:
            ratio = self.numbers
        (ratio.below if below else ratio.above).append(chain)

    def at(self, label: int) -> Ratio:
        """The vectors at a label."""
        return self.vectors.setdefault(label, Ratio())

    def reduce(self) -> None:
        """Remove all bound labels. Raises `Tangled`."""
        self._weigh()
        while bound := self._bound():
            steps = (self._close, self._merge, self._absorb, self._join)
            if not any(step(label) for step in steps for label in sorted(bound, key=self._order)):
                raise Tangled
        for label in sorted({line.start for line in self.lines}):
            while self._merge(label):
                pass

    def _weigh(self) -> None:
        """Vectors at both ends of a matrix that is a formula: `outer(a, b) * (1 - tanh(X)**2)`."""
        for line in self.lines:
            ends = (line.start, line.end)
            if len(line.ratio.above) != 1 or line.ratio.below or max(ends) < BOUND:
                continue
            (chain,) = line.ratio.above
            if len(chain) == 1 and not chain[0].is_plain and all(x in self.vectors for x in ends):
                rows, columns = (self.vectors.pop(label).text for label in ends)
                weights = Link(call("outer", rows, columns), call("outer", columns, rows))
                line.ratio.above.insert(0, [weights])

    def _order(self, label: int) -> int:
        """Functions of single elements are joined last, as they may be summed along an axis."""
        return sum(line.is_pointwise for line in self._meeting(label))

    def _bound(self) -> list[int]:
        ends = [label for line in self.lines for label in (line.start, line.end)]
        return [label for label in dict.fromkeys([*self.vectors, *ends]) if label >= BOUND]

    def _meeting(self, label: int) -> list[Edge]:
        return [line for line in self.lines if label in (line.start, line.end)]

    def _close(self, label: int) -> bool:
        """A label without lines: its vectors are summed."""
        if self._meeting(label) or label not in self.vectors:
            return False
        self.numbers.above.append([vector(_dot(self.vectors.pop(label)))])
        return True

    def _merge(self, label: int) -> bool:
        """Two lines between the same labels: a product element by element, or a trace."""
        for first, twin in _pairs(self._meeting(label)):
            if {first.start, first.end} != {twin.start, twin.end}:
                continue
            self.lines.remove(twin)
            second = twin.turned() if _is_longer(first, twin) else twin
            if first.start != second.start and self._is_cycle(first):
                self.lines.remove(first)
                cycle = first.ratio.chain + second.ratio.chain
                self.numbers.above.append([vector(trace(_either_way(cycle)))])
                return True
            if self._is_diagonal(label, first, second):
                self.lines.append(second)
                continue
            other = second if first.start == second.start else second.turned()
            first.ratio.above += other.ratio.above
            first.ratio.below += other.ratio.below
            return True
        return False

    def _is_cycle(self, line: Edge) -> bool:
        """Whether nothing else stands at the ends of a line, both of which are bound."""
        ends = (line.start, line.end)
        return all(
            label >= BOUND and label not in self.vectors and self._meeting(label) == [line]
            for label in ends
        )

    def _is_diagonal(self, label: int, first: Edge, second: Edge) -> bool:
        """Whether three matrices or more go round from an axis of the result to itself."""
        chains = [*first.ratio.above, *second.ratio.above]
        plain = not first.ratio.below and not second.ratio.below and len(chains) == 2
        ends = first.start != first.end and label >= BOUND and min(first.start, first.end) < BOUND
        if not (plain and ends and self._meeting(label) == [first]):
            return False
        other = second if first.start == second.start else second.turned()
        turns = {_is_turned(edge.ratio.chain) for edge in (first, other)}
        return sum(map(len, chains)) > 2 or len(turns) == 2

    def _absorb(self, label: int) -> bool:
        """A label where one line ends: its vectors are multiplied by the matrix."""
        meeting = self._meeting(label)
        if len(meeting) != 1:
            return False
        line = meeting[0] if meeting[0].end == label else meeting[0].turned()
        self.lines.remove(meeting[0])
        ratio = self.vectors.pop(label, None)
        if ratio is None:
            total = call("sum", joined(line.ratio.chain), dim=number(1.0))
            if len(line.ratio.chain) == 1:
                text, flipped = line.ratio.chain[0].plain, line.ratio.chain[0].flipped
                if _length(flipped) < _length(text):
                    total = call("sum", flipped, dim=number(0.0))
            self.at(line.start).above.append([vector(total)])
        elif ratio.above or len(line.ratio.above) == 1:
            self.at(line.start).above.append([*line.ratio.chain, *ratio.column])
        else:
            self.at(line.start).above.append([vector(_divided(line, ratio))])
        return True

    def _join(self, label: int) -> bool:
        """A label where two lines meet: a product of matrices, with a diagonal one between."""
        meeting = self._meeting(label)
        if len(meeting) != 2:
            return False
        first, second = meeting
        self.lines.remove(first)
        self.lines.remove(second)
        first = first if first.end == label else first.turned()
        second = second if second.start == label else second.turned()
        between = [diagonal(self.vectors.pop(label))] if label in self.vectors else []
        chain = [*first.ratio.chain, *between, *second.ratio.chain]
        if first.start == second.end and not between and _pointwise_of(first, second):
            self.at(first.start).above.append([vector(_row_sums(first, second))])
        elif first.start == second.end:
            self.at(first.start).above.append([vector(call("diagonal", _either_way(chain)))])
        else:
            self.lines.append(Edge(first.start, second.end, Ratio([chain])))
        return True


def _is_longer(first: Edge, second: Edge) -> bool:
    """Whether two lines that begin at one label are more than two matrices: `trace(A @ B @ C)`."""
    chains = [*first.ratio.above, *second.ratio.above]
    plain = not first.ratio.below and not second.ratio.below and len(chains) == 2
    longer = plain and sum(map(len, chains)) > 2
    return first.start == second.start and longer and not _pointwise_of(first, second)


def _is_turned(chain: Chain) -> bool:
    """Whether a chain is one matrix, transposed."""
    return len(chain) == 1 and isinstance(chain[0].plain, Attribute)


def is_pointwise(text: Expression) -> bool:
    """Whether a matrix is a function of single elements, rather than one of linear algebra."""
    match text:
        case Attribute(value=value, name="T"):
            return is_pointwise(value)
        case Unary(operand=operand):
            return is_pointwise(operand)
        case Binary(operator="**"):
            return True
        case Binary(operator="@"):
            return False
        case Binary(left=left, right=right):
            return is_pointwise(left) or is_pointwise(right)
        case Call(callee=Name(id=title)) if title in FUNCTIONS:
            return title in POINTWISE or isinstance(FUNCTIONS[title].op, Elementwise)
    return False


def _pointwise_of(first: Edge, second: Edge) -> bool:
    return first.is_pointwise or second.is_pointwise


def _divided(line: Edge, by: Ratio) -> Expression:
    """A sum of products along an axis along which they are divided: `sum(a * b / c[:, None])`."""
    other = line.turned()
    if other.turns < line.turns:
        below = [standing(each) for each in by.below]
        found, dim = Ratio([*other.ratio.above], [*other.ratio.below, *below]), 0
    else:
        found, dim = Ratio([*line.ratio.above], [*line.ratio.below, *by.below]), 1
    return call("sum", found.text, dim=number(float(dim)))


def standing(chain: Chain) -> Chain:
    """A vector as a column: `v[:, None]`."""
    return [vector(Index(joined(chain), (WHOLE, Constant(None, NOWHERE)), NOWHERE))]


def _row_sums(first: Edge, second: Edge) -> Expression:
    """The diagonal of a product of which one is a function of elements: `sum(P * (A @ B), dim=1)`,
    each as it is written without a transpose.
    """
    rows = [first, second.turned()]
    columns = [first.turned(), second]
    chosen, dim = min(
        ((rows, 1), (columns, 0)),
        key=lambda each: sum(edge.turns for edge in each[0] if edge.is_pointwise),
    )
    chosen = sorted(chosen, key=lambda edge: not edge.is_pointwise)
    ratio = Ratio()
    for edge in chosen:
        ratio.above += edge.ratio.above
        ratio.below += edge.ratio.below
    return call("sum", ratio.text, dim=number(float(dim)))


def diagonal(ratio: Ratio) -> Link:
    """The diagonal matrix of vectors."""
    matrix = call("diag", ratio.text)
    return Link(matrix, matrix)


def trace(matrix: Expression) -> Expression:
    """The trace, which a matrix shares with its transpose."""
    plain = matrix.value if isinstance(matrix, Attribute) and matrix.name == "T" else matrix
    return call("trace", plain)


def _dot(ratio: Ratio) -> Expression:
    """The sum of a product of vectors: `x @ A @ y` of two of them."""
    chains = ratio.above
    if len(chains) == 1 and len(chains[0]) == 1 and not ratio.below:
        match chains[0][0].plain:
            case Binary(operator="**", left=Name() as x, right=Number(value=2.0)):
                chains = [[vector(x)], [vector(x)]]
            case Call(callee=Name(id="sum"), arguments=(matrix,), keywords=(_,)):
                return call("sum", matrix)  # over one axis, and now over the other
            case Call(callee=Name(id="diagonal"), arguments=(matrix,), keywords=()):
                return trace(matrix)
    if ratio.below or len(chains) != 2:
        return call("sum", ratio.text)
    first, second = sorted(chains, key=len)
    return _either_way([*turned(first), *second])


def _length(text: Expression) -> tuple[int, int]:
    """How long an expression is; without transposes it is shorter."""
    words = print_expression(text)
    return words.count(".T"), len(words)


def _either_way(chain: Chain) -> Expression:
    """The product of a chain, or its transpose, where that is shorter."""
    return min((joined(chain), joined(turned(chain))), key=lambda x: len(print_expression(x)))


def _pairs(lines: Sequence[Edge]) -> Iterator[tuple[Edge, Edge]]:
    for place, first in enumerate(lines):
        for second in lines[place + 1 :]:
            yield first, second
