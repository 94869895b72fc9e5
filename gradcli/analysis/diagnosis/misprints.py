"""Mistakes of writing: the gradient's formula with one operation left out or wrong."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from operator import add, matmul, mul, neg, sub, truediv
from typing import TypeAlias

from gradcli.analysis.diagnosis.claim import Claim
from gradcli.analysis.diagnosis.slips import VISITS, Consequence
from gradcli.analysis.diagnosis.typed import MISFITS
from gradcli.analysis.diagnosis.wording import Wording
from gradcli.graph import Node, Op, Shape, ancestors
from gradcli.ops import FUNCTIONS, arithmetic
from gradcli.ops.axes import PERMUTE, matrix_transpose
from gradcli.ops.contractions import MATMUL
from gradcli.ops.elementwise import Elementwise
from gradcli.ops.indexing import getitem
from gradcli.ops.powers import pow_
from gradcli.ops.reductions import MEAN, SUM
from gradcli.ops.reductions import sum_ as total
from gradcli.ops.selection import where
from gradcli.ops.shapes import show
from gradcli.ops.shaping import SUM_TO, reshape
from gradcli.simplify import number_of, rebuilt
from gradcli.spelling.spell import function_of

PAIRS = 100
"""The most values that are exchanged for each other."""

Misprint: TypeAlias = tuple[str, str, Callable[[], Node]]
"""Code, sentence, and a function that builds the replacement of the node; it may fail."""
Misreading: TypeAlias = Callable[[Node, Wording], Iterator[Misprint]]


def misprints(claim: Claim, words: Wording) -> Iterator[Consequence]:
    """The gradient with one operation of its formula wrong, operations near its end first.

    The simplified formula comes first: it is the one that people write.
    """
    for grad in dict.fromkeys((words.plain(claim.grad), claim.grad)):
        nodes = ancestors([grad])
        places = [node for node in reversed(nodes) if node.inputs]
        for node in places[: VISITS // (4 * len(nodes))]:
            readings = [MISREADINGS[node.op]] if node.op in MISREADINGS else []
            if isinstance(node.op, Elementwise) and len(node.inputs) == 1:
                readings.append(_other_function)
            for misread in readings:
                for code, message, instead in misread(node, words):
                    try:
                        (wrong,) = rebuilt([grad], {node: instead()})
                    except MISFITS:
                        continue
                    yield Consequence(code, message, wrong)
        yield from _other_values(grad, claim, words)


def _other_values(grad: Node, claim: Claim, words: Wording) -> Iterator[Consequence]:
    """One named value in place of another of its shape, such as a layer's input for its output."""
    known = [node for node in ancestors(claim.walk.outputs) if words.is_named(node)]
    needed = set(ancestors([grad]))
    pairs = [(a, b) for a in known for b in known if a is not b and a.shape == b.shape]
    for right, wrong in pairs[:PAIRS]:
        if right in needed:
            (outcome,) = rebuilt([grad], dict(zip(known, known, strict=True)) | {right: wrong})
            message = f"{words.of(wrong)} stands in the place of {words.of(right)}"
            yield Consequence("other-value", message, outcome)


def _product(node: Node, words: Wording) -> Iterator[Misprint]:
    whole = words.formula(node)
    for factor, other in (node.inputs, node.inputs[::-1]):
        value = number_of(factor)
        if value in (1, -1):
            continue
        text = words.of(factor)
        yield "factor-missing", f"the factor {text} of {whole} is missing", partial(_same, other)
        yield (
            "factor-doubled",
            f"the factor {text} of {whole} stands twice",
            partial(mul, node, factor),
        )
        inverted = f"{text} divides where {whole} multiplies by it"
        yield "factor-inverted", inverted, partial(truediv, other, factor)
        for wrong in () if value is None or value % 1 else (value + 1, value - 1):
            message = f"{wrong:g} instead of {value:g} in {whole}"
            yield "constant", message, partial(mul, other, wrong)
        for part in factor.inputs if factor.op.infix == "*" else ():
            message = f"{words.of(part)} instead of {text} in {whole}"
            yield "factor-missing", message, partial(mul, other, part)
    yield "operation", f"+ instead of * in {whole}", partial(add, *node.inputs)


def _quotient(node: Node, words: Wording) -> Iterator[Misprint]:
    above, below = node.inputs
    whole, text = words.formula(node), words.of(below)
    yield "factor-missing", f"the division by {text} in {whole} is missing", partial(_same, above)
    inverted = f"{whole} divides by {text}, yours multiplies by it"
    yield "factor-inverted", inverted, partial(mul, above, below)
    twice = f"the division by {text} in {whole} stands twice"
    yield "factor-doubled", twice, partial(truediv, node, below)
    if number_of(above) not in (1, -1):
        missing = f"the factor {words.of(above)} of {whole} is missing"
        yield "factor-missing", missing, partial(truediv, 1.0, below)
    yield "factor-inverted", f"{whole} is upside down", partial(truediv, below, above)


def _sum(node: Node, words: Wording) -> Iterator[Misprint]:
    a, b = node.inputs
    whole = words.formula(node)
    minus = node.op.infix == "-"
    yield "term-missing", f"the term {words.of(b)} of {whole} is missing", partial(_same, a)
    message = f"the term {words.of(a)} of {whole} is missing"
    yield "term-missing", message, partial(neg if minus else _same, b)
    message = f"the sign before {words.of(b)} is wrong: it is {'-' if minus else '+'} in {whole}"
    yield "term-sign", message, partial(add if minus else sub, a, b)
    message = f"the sign of {words.of(a)} in {whole} is wrong"
    yield "term-sign", message, partial(sub, -a if minus else b, b if minus else a)


def _minus(node: Node, words: Wording) -> Iterator[Misprint]:
    message = f"the minus of {words.formula(node)} is missing"
    yield "sign-part", message, partial(_same, node.inputs[0])


def _power(node: Node, words: Wording) -> Iterator[Misprint]:
    base, exponent = node.inputs
    whole, n = words.formula(node), number_of(exponent)
    yield "exponent", f"the exponent of {whole} is missing", partial(_same, base)
    for wrong in () if n is None else (n + 1, n - 1, n + 2):
        message = f"the exponent is {wrong:g} instead of {n:g} in {whole}"
        yield "exponent", message, partial(pow_.build, base, wrong)
    if n is not None:
        message = f"{n:g} times instead of to the power of {n:g} in {whole}"
        yield "operation", message, partial(mul, base, n)
    yield "exponent", f"the exponent of {whole} has the wrong sign", partial(truediv, 1.0, node)
    for one, other in (base.inputs, base.inputs[::-1]) if base.op.infix == "*" else ():
        message = f"the exponent of {whole} is for all of {words.of(base)}"
        yield "operation", message, partial(mul, one, other**exponent)


def _transposed(node: Node, words: Wording) -> Iterator[Misprint]:
    (x,) = node.inputs
    message = f"{words.of(x)} is not transposed: it takes {words.formula(node)}"
    yield "operand-transposed", message, partial(_same, x)


def _contraction(node: Node, words: Wording) -> Iterator[Misprint]:
    a, b = node.inputs
    whole = words.formula(node)
    message = f"the factors of {whole} are the wrong way round"
    yield "order", message, partial(matmul, b, a)
    for one, turn in ((a, _left_turned), (b, _right_turned)):
        if one.op is PERMUTE:
            continue  # then it is not transposed in yours
        message = f"{words.of(one)} in {whole} is transposed in yours"
        yield "operand-transposed", message, partial(turn, a, b)
    yield "factor-missing", f"the factor {words.of(a)} of {whole} is missing", partial(_same, b)
    yield "factor-missing", f"the factor {words.of(b)} of {whole} is missing", partial(_same, a)
    yield "operation", f"* instead of @ in {whole}", partial(mul, a, b)


def _choice(node: Node, words: Wording) -> Iterator[Misprint]:
    condition, a, b = node.inputs
    text = words.of(condition)
    swapped = f"the two cases of the condition {text} are swapped"
    yield "condition", swapped, partial(where.build, condition, b, a)
    for one in (a, b):
        missing = f"the condition {text} is missing: one case stands for both"
        yield "condition", missing, partial(_same, one)


def _total(node: Node, words: Wording) -> Iterator[Misprint]:
    """Mistakes in the sum over what was broadcast."""
    (x,) = node.inputs
    if node.op is SUM or node.origin is None:
        yield "sum-missing", f"the sum in {words.formula(node)} is missing", partial(_same, x)
        return
    shapes = f"{words.of(x)} of shape {show(x.shape)} is to be summed to {show(node.shape)}"
    yield "unsummed", f"the sum over what was broadcast is missing: {shapes}", partial(_same, x)
    averaged = f"averaged over what was broadcast: {shapes}"
    yield "averaged", averaged, partial(truediv, node, x.size / max(1, node.size))
    if x.ndim > node.ndim:
        first = f"only the first part of what was broadcast: {shapes}"
        yield "unsummed", first, partial(getitem, x, [0])
    for axis in range(x.ndim):
        wrong = f"summed over axis {axis}, the wrong one: {shapes}"
        yield "summed", wrong, partial(_summed, x, axis, node.shape)


def _mean(node: Node, words: Wording) -> Iterator[Misprint]:
    (x,) = node.inputs
    n = float(x.size // max(1, node.size))
    whole = words.formula(node)
    yield "mean", f"the 1/n of {whole}, with n = {n:g}, is missing", partial(mul, node, n)
    yield "term-missing", f"{words.of(x)} instead of {whole}", partial(_same, x)


def _other_function(node: Node, words: Wording) -> Iterator[Misprint]:
    (x,) = node.inputs
    whole, called = words.formula(node), node.op.name
    yield "function", f"{words.of(x)} instead of {whole}: {called} is missing", partial(_same, x)
    function = function_of(node.op)
    for title in function.confused if function else ():
        other = FUNCTIONS[title]
        yield "function", f"{other.name} instead of {called} in {whole}", partial(other.build, x)
    yield "factor-doubled", f"{whole} is squared", partial(mul, node, node)


def _same(node: Node) -> Node:
    """The node without one operation."""
    return node


def _summed(x: Node, axis: int, shape: Shape) -> Node:
    return reshape(total(x, dim=(axis - x.ndim,)), *shape)


def _left_turned(a: Node, b: Node) -> Node:
    return matmul(matrix_transpose(a), b)  # type: ignore[no-any-return]


def _right_turned(a: Node, b: Node) -> Node:
    return matmul(a, matrix_transpose(b))  # type: ignore[no-any-return]


MISREADINGS: Mapping[Op | None, Misreading] = {
    arithmetic.mul.op: _product,
    arithmetic.scale.op: _product,
    arithmetic.div.op: _quotient,
    arithmetic.add.op: _sum,
    arithmetic.sub.op: _sum,
    arithmetic.neg.op: _minus,
    pow_.op: _power,
    PERMUTE: _transposed,
    MATMUL: _contraction,
    where.op: _choice,
    SUM_TO: _total,
    SUM: _total,
    MEAN: _mean,
}
"""The mistakes that people make with an op in a formula."""
