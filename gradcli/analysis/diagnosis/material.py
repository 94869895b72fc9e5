"""What the gradient of a program may be made of: its names, numbers, sizes, local derivatives."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice

from gradcli.algebra.rules import derivatives
from gradcli.analysis.diagnosis.calls import SHIFTED, required, takes_one
from gradcli.analysis.diagnosis.claim import Claim
from gradcli.analysis.diagnosis.constants import sizes
from gradcli.analysis.diagnosis.derivatives import known_value
from gradcli.analysis.diagnosis.misremembered import textbook
from gradcli.analysis.diagnosis.pieces import Change, Material, Piece
from gradcli.analysis.diagnosis.steps import ReverseStep
from gradcli.analysis.diagnosis.typed import Tolerant
from gradcli.analysis.diagnosis.wording import Wording
from gradcli.diagnostics import Source
from gradcli.differentiate import vjp
from gradcli.graph import CONSTANT, Node, Shape
from gradcli.language.construct import attribute, binary, call, name, number
from gradcli.language.parser import parse_expression
from gradcli.language.printer import print_expression
from gradcli.language.rewrite import places, replaced
from gradcli.language.syntax import Binary, Expression, Name, Number, Syntax, Unary
from gradcli.ops import FUNCTIONS
from gradcli.ops.elementwise import Elementwise
from gradcli.ops.exponential import exp
from gradcli.ops.powers import sqrt
from gradcli.ops.selection import abs_
from gradcli.simplify import number_of
from gradcli.spelling.spell import function_of
from gradcli.walks import ancestors, dependents

MOST = 40
"""The most pieces of one kind."""
LIMITS = 6
"""The most limits that values may be cut off at."""
SQUARE = 8
"""The most square matrices of one size."""
WELL_KNOWN = ("pi", "pi/180", "180/pi", "log(2)", "log(10)", "2*pi", "sqrt(2*pi)", "sqrt(2)")
"""Factors that are often forgotten."""


USUAL = ("exp", "log", "sqrt", "inv")
"""Functions that are often forgotten."""


def material(claim: Claim, words: Wording, values: Mapping[Expression, Node]) -> Material:
    """That of a claim's program, for a formula whose parts have these values."""
    problem = claim.walk.problem
    known = problem.program.names
    named = {title: node for title, node in problem.names.items() if title in known}
    named |= problem.leaves | claim.walk.vectors
    names = {title: node.shape for title, node in named.items() if node.kind == "float"}
    order = ancestors([*claim.walk.outputs, claim.grad])
    numbers = [abs(each) for each in map(number_of, order) if each is not None]
    numbers = list(
        dict.fromkeys(
            each
            for each in (2.0, 3.0, 4.0, *numbers)
            if each not in (0, 1) and len(f"{each:.12g}") < 8
        )
    )
    written = {title for title in problem.program.names if title in FUNCTIONS}
    written |= {function.name for function in (function_of(n.op) for n in order) if function}
    titles = [*sorted(written), *(each for t in sorted(written) for each in FUNCTIONS[t].confused)]
    functions = [title for title in dict.fromkeys(titles) if takes_one(title)]
    functions += [title for title in USUAL if title not in functions]
    running = [title for title in sorted(written) if required(title) == ["Node", "int"]]
    own = [Piece(name(title)) for title in names]
    plain = [Piece(number(each)) for each in numbers[:MOST]]
    whole = [Piece(number(each)) for each in dict.fromkeys(map(_whole, numbers[:MOST]))]
    terms, parts = _parts(claim, words)
    chains = list(_chains(claim, words))
    factors = [
        *_constants(),
        *_sizes(claim, numbers),
        *whole,
        *own,
        *_locals(claim, words),
        *_of_functions(claim, words),
        *chains,
        *_powers(claim, words),
        *_by_hand(claim, words),
        *parts,
    ]
    totals = [call("sum", name(title)) for title, shape in names.items() if shape]
    return Material(
        names,
        numbers[:MOST],
        functions,
        running,
        _mistaken(claim, words),
        frozenset({*written, "sum", "mean"}),
        _distinct([*factors, *(Piece(total) for total in totals)]),
        _distinct([Piece(number(1.0)), *own, *plain, *terms]),
        _distinct([*terms[:MOST], *parts[:MOST], *chains]),
        totals,
        _matrices(names, order, words),
        _exponents(order, words),
        _limits(names, order, claim.leaf),
        values,
    )


def _whole(value: float) -> float:
    """A number, or what is divided by instead: a factor 0.5 is a division by 2."""
    inverse = 1 / value
    return round(inverse) if value < 1 and abs(inverse - round(inverse)) < 1e-12 else value


def _exponents(order: Sequence[Node], words: Wording) -> list[Expression]:
    """The exponents that a program and its gradient have, other than small numbers."""
    powers = [each.inputs[1] for each in order if each.op.infix == "**"]
    known = {each: number_of(words.plain(each)) for each in powers}
    texts = dict.fromkeys(words.of(each) for each, value in known.items() if value is None)
    read = map(_read, texts)
    values = dict.fromkeys(each - 1 for each in known.values() if each is not None)
    numbers = (number(each) for each in values if each not in (-1, 0, 1, 2, 3))
    return [*(each for each in read if each is not None), *numbers][:LIMITS]


def _limits(names: Mapping[str, Shape], order: Sequence[Node], leaf: Node) -> list[Expression]:
    """What a size is compared with: a loss may go on as a straight line from there."""
    moving = dependents(order, [leaf])
    sizes = [node for node in order if node.op is abs_.op and node in moving]
    if not sizes:
        return []
    known = map(number_of, order)
    numbers = dict.fromkeys(each for each in (1.0, *known) if each is not None and each > 0)
    plain = [number(each) for each in numbers]
    return [*(name(title) for title, shape in names.items() if not shape), *plain][:LIMITS]


def _distinct(pieces: list[Piece]) -> list[Piece]:
    """Each text once."""
    return list({print_expression(each.expression): each for each in reversed(pieces)}.values())[
        ::-1
    ]


def _matrices(
    names: Mapping[str, Shape], order: Iterable[Node], words: Wording
) -> dict[int, list[Piece]]:
    """Square matrices by their size: those with names, some that the program computes, and products
    of one with its transpose.
    """
    found: dict[int, list[Piece]] = {}
    for title, shape in names.items():
        if len(shape) == 2 and shape[0] == shape[1]:
            found.setdefault(shape[0], []).append(Piece(name(title)))
    square = (n for n in order if n.ndim == 2 and n.shape[0] == n.shape[1] and n.kind == "float")
    for node in islice(square, MOST):
        text = words.spelled(node)
        expression = _read(text) if text else None
        if expression is not None and len(found.setdefault(node.shape[0], [])) < SQUARE:
            found[node.shape[0]].append(Piece(expression))
    for title, shape in names.items():
        if len(shape) == 2:
            own, turned = name(title), attribute(name(title), "T")
            found.setdefault(shape[1], []).append(Piece(binary("@", turned, own), is_square=True))
            found.setdefault(shape[0], []).append(Piece(binary("@", own, turned), is_square=True))
    return {length: _distinct(pieces) for length, pieces in found.items()}


def _sizes(claim: Claim, numbers: Collection[float]) -> Iterator[Piece]:
    """Numbers of elements; what they count is said where nothing else has that number."""
    found: dict[int, set[str]] = {}
    for step in claim.between:
        if step.op.averages:
            n = step.inputs[0].size // max(1, step.size)
            found.setdefault(n, set()).add("the number of elements that are averaged")
    for each in sizes(claim):
        found.setdefault(int(each.value), set()).add(each.words)
    for count, told in found.items():
        if count > 1:
            known = len(told) > 1 or count in numbers
            yield Piece(number(float(count)), "" if known else next(iter(told)))
            yield Piece(number(float(count - 1)))


def _locals(claim: Claim, words: Wording) -> Iterator[Piece]:
    """The factors of the chain rule."""
    for node in claim.between[:MOST]:
        for position, operand in enumerate(node.inputs):
            step = ReverseStep(node, position)
            local = step.local() if node.op.differentiable(node, position) else None
            plain = None if local is None else words.plain(local)
            if local is None or plain is None or number_of(plain) is not None:
                continue  # numbers are among the pieces already
            told = f"the derivative of {words.of(node)} by {words.of(operand)}"
            for text in (textbook(local, node, position, words), words.spelled(plain)):
                expression = text and _read(text)
                if expression and not isinstance(expression, Number):
                    yield Piece(expression, told)
                if isinstance(expression, Unary):
                    yield Piece(expression.operand, f"{told} without its sign")


def _of_functions(claim: Claim, words: Wording) -> Iterator[Piece]:
    """The factors of functions that are written out: log(1 + exp(x)) gives 1/(1 + exp(-x))."""
    for node, inside, derivative in _through(claim, words):
        yield Piece(derivative, f"the derivative of {words.of(node)} by {words.of(inside)}")


def _chains(claim: Claim, words: Wording) -> Iterator[Piece]:
    """The factors of several steps in a row: of log(a + b) by what one of both is made of."""
    below = {node: _elementwise(node, claim) for node in claim.between[:MOST]}
    inner = {operand for operands in below.values() for operand in operands}
    for node in (each for each in below if each not in inner):
        run = [node]
        for each in run:
            run += [operand for operand in below.get(each, ()) if operand not in run]
        slopes = vjp([node], [node.graph.constant(1.0)], run[1:]) if len(run) > 2 else ()
        for inside, slope in zip(run[1:], slopes, strict=bool(slopes)):
            text = None if slope is None else words.spelled(words.plain(slope))
            derivative = _read(text) if text else None
            if derivative is not None and not isinstance(derivative, Number | Name | Unary):
                told = f"the derivative of {words.of(node)} by {words.of(inside)}"
                yield Piece(derivative, told)


def _elementwise(node: Node, claim: Claim) -> list[Node]:
    """The operands of an elementwise function that are of its shape and lead to the leaf."""
    if not isinstance(node.op, Elementwise):
        return []
    return [each for each in node.inputs if each in claim.moving and each.shape == node.shape]


def _through(claim: Claim, words: Wording) -> Iterator[tuple[Node, Node, Expression]]:
    """Functions of one value that take several steps, not only arithmetic, this value, and the
    derivative by it.
    """
    below = {node: _only(node, claim) for node in claim.between[:MOST]}
    inner = {each for each in below.values() if each is not None and not words.is_named(each)}
    for node in (each for each in below if each not in inner):
        steps, inside = [node], below[node]
        while inside is not None and inside in inner and below.get(inside) is not None:
            steps.append(inside)
            inside = below[inside]
        if inside is None or len(steps) == 1 or all(each.op.infix for each in steps):
            continue
        (slope,) = vjp([node], [node.graph.constant(1.0)], [inside])
        text = None if slope is None else words.spelled(words.plain(slope))
        derivative = _read(text) if text else None
        if derivative is not None and not isinstance(derivative, Number | Name):
            yield node, inside, derivative


def _only(node: Node, claim: Claim) -> Node | None:
    """The operand of an elementwise function of one value, of its shape."""
    moving = [each for each in node.inputs if each in claim.moving]
    alone = isinstance(node.op, Elementwise) and len(moving) == 1
    return moving[0] if alone and moving[0].shape == node.shape else None


def _powers(claim: Claim, words: Wording) -> Iterator[Piece]:
    """Those of what has a name and is raised to a power, and the next ones; the square of what
    divides.
    """
    for node in claim.between[:MOST]:
        if node.op.infix == "/" and node.inputs[1] in claim.moving:
            below = words.of(node.inputs[1])
            if below.isidentifier():
                powers = (2.0, 3.0) if node.inputs[1].op is sqrt.op else (2.0,)
                yield from (Piece(binary("**", name(below), number(each))) for each in powers)
        exponent = number_of(node.inputs[1]) if node.op.infix == "**" else None
        if exponent is not None and words.is_named(node.inputs[0]):
            base = name(words.of(node.inputs[0]))
            for each in (exponent, exponent + 1, exponent - 1):
                if each > 1:
                    yield Piece(binary("**", base, number(each)))


def _mistaken(claim: Claim, words: Wording) -> dict[str, list[Change]]:
    """What may belong where a function of one operand stands, or the name of what it gives: its
    derivative, or for a name a function that it is taken for.
    """
    found: dict[str, list[Change]] = {}
    for node, _, slope in _through(claim, words):
        if words.is_named(node):
            found.setdefault(words.of(node), []).append((1.45, "undifferentiated", slope))
    for node in claim.between[:MOST]:
        function = function_of(node.op)
        local = ReverseStep(node, 0).local() if len(node.inputs) == 1 else None
        if function is None or local is None:
            continue
        texts = (words.of(node), words.of(node.inputs[0]), textbook(local, node, 0, words))
        whole, inside, derivative = map(_read, texts)
        changes = found.setdefault(print_expression(whole), []) if whole else []
        turned = isinstance(derivative, Unary)  # then its sign is wrong
        if derivative is not None and not turned and not _has_factor(derivative, texts[0]):
            changes.append((1.45, "undifferentiated", derivative))
        if inside is not None and words.is_named(node):
            twins = [twin for twin in function.confused if twin not in SHIFTED]
            changes += [(1.3, "function", call(twin, inside)) for twin in twins]
    return found


def _has_factor(part: Expression, text: str) -> bool:
    """Whether it is a product with this, which lacks a factor then."""
    factors = (part.left, part.right) if isinstance(part, Binary) and part.operator == "*" else ()
    return any(print_expression(each) == text for each in factors)


def _by_hand(claim: Claim, words: Wording) -> Iterator[Piece]:
    """The derivatives of a sigmoid and of a tanh, by which a quotient of exponentials may go."""
    for node in claim.between[:MOST]:
        known = node.op.infix == "/" and words.is_named(node)
        if known and any(_is_exponential(each) for each in ancestors([node])):
            y = words.of(node)
            for text in (f"{y}*(1 - {y})", f"1 - {y}", f"1 - {y}**2"):
                expression = _read(text)
                if expression is not None:
                    yield Piece(expression)


def _is_exponential(node: Node) -> bool:
    return node.op is exp.op or (node.op.infix == "**" and number_of(node.inputs[0]) is not None)


def _constants() -> Iterator[Piece]:
    for text in WELL_KNOWN:
        expression = _read(text)
        assert expression is not None
        yield Piece(expression)


def _parts(claim: Claim, words: Wording) -> tuple[list[Piece], list[Piece]]:
    """The terms and factors of the gradient's own formula."""
    texts = [words.spelled(node) for node in [*claim.walk.outputs, *claim.between][:MOST]]
    read = [_read(text) for text in texts if text]
    values = [Piece(each) for each in read if each is not None and not isinstance(each, Name)]
    terms, factors = list(values), values
    for grad in dict.fromkeys((words.plain(claim.grad), claim.grad, claim.by_rules(derivatives))):
        for node in list(reversed(ancestors([grad])))[:MOST]:
            if node.op is CONSTANT or node.kind != "float":
                continue
            above = node.op.infix
            for operand in node.inputs if above in ("+", "-", "*", "/") else ():
                text = words.spelled(operand)
                expression = _read(text) if text else None
                if expression is not None and not isinstance(expression, Number | Unary):
                    added = above in ("+", "-")
                    (terms if added else factors).append(Piece(expression, is_added=added))
    return terms[: 2 * MOST], factors[: 2 * MOST]


def _read(text: str) -> Expression | None:
    from gradcli.options import DEFAULT

    with Tolerant():
        return _folded(parse_expression(Source("a formula", text), DEFAULT.limits.parse))
    return None


def _folded(part: Expression) -> Expression:
    """Without differences of numbers, as in x**(2 - 1), and without what is divided by itself."""
    for _ in range(MOST):
        known = ((place, _plainer(place.part)) for place in places(part))
        found = next(((place, plain) for place, plain in known if plain is not None), None)
        if found is None:
            break
        part = replaced(*found)
    return part


def _plainer(part: Syntax) -> Expression | None:
    """The number, or the power, that an operation gives; None where it is none."""
    if not isinstance(part, Binary):
        return None
    left, right = part.left, part.right
    one, other = known_value(left), known_value(right)
    if part.operator == "**" and other == 1:
        return left
    if part.operator == "/" and isinstance(left, Name) and isinstance(right, Name):
        return number(1.0) if left.id == right.id else None
    if part.operator in "+-" and one is not None and other is not None:
        return number(one + other if part.operator == "+" else one - other)
    return None
