"""Mistakes of derivation: what the gradient would be with one step of the chain rule wrong.

The result of a slip is a node, as the gradient is, so that it can be computed at any point.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from gradcli.analysis.diagnosis.claim import Claim
from gradcli.analysis.diagnosis.constants import KnownNumber, program_numbers
from gradcli.analysis.diagnosis.misremembered import misremembered, textbook
from gradcli.analysis.diagnosis.steps import ReverseStep
from gradcli.analysis.diagnosis.typed import Tolerant
from gradcli.analysis.diagnosis.wording import Wording
from gradcli.differentiate import Rules, contributions, vjp
from gradcli.differentiate.product import multiply
from gradcli.graph import EMPTY, Node
from gradcli.ops.contractions import MATMUL
from gradcli.ops.elementwise import Elementwise
from gradcli.ops.kinds import Linear
from gradcli.ops.shaping import RESHAPE, expand
from gradcli.ops.softmax import SOFTMAX
from gradcli.simplify import number_of

VISITS = 60_000
"""About how many nodes are built to try all mistakes of one kind."""
OTHERS = 2
"""The most things that are said to have the same number."""
RULE = {"*": "product rule: ", "@": "product rule: ", "/": "quotient rule: "}
"""By operator."""


class Consequence(NamedTuple):
    """A mistake, and its result."""

    code: str
    message: str
    node: Node
    details: Mapping[str, Any] = EMPTY


Wrong: TypeAlias = Callable[[ReverseStep, Node, Node], Node | None]
"""From a step, the cotangent `change` of its node and the right contribution `part` to the
operand's: the wrong contribution, or None where nothing is contributed.
"""


def _dropped(*_: object) -> None:
    return None


def _negated(_step: ReverseStep, _change: Node, part: Node) -> Node:
    return -part


def _skipped(step: ReverseStep, change: Node, _part: Node) -> Node | None:
    if step.local() is not None:
        return step.summed(step.spread(change))
    return change if step.node.shape == step.operand.shape else None


def _multiplied(by: Callable[[ReverseStep, Node], Node]) -> Wrong:
    """By something else, from the step and its local derivative, than this derivative."""

    def wrong(step: ReverseStep, change: Node, _part: Node) -> Node | None:
        local = step.local()
        return None if local is None else step.summed(step.spread(change) * by(step, local))

    return wrong


def _given(derivative: Node) -> Wrong:
    return _multiplied(lambda _step, _local: derivative)


_doubled = _multiplied(lambda _step, local: local * local)
_inverted = _multiplied(lambda _step, local: 1.0 / local)
_undifferentiated = _multiplied(lambda step, _local: step.node)


def _averaged(step: ReverseStep, _change: Node, part: Node) -> Node:
    return part / (step.node.size / max(1, step.operand.size))


def _untransposed(step: ReverseStep, change: Node, _part: Node) -> Node | None:
    whole = expand(change, *step.node.shape)
    if whole.shape != step.operand.shape:
        return None
    tangents: list[Node | None] = [None] * len(step.node.inputs)
    tangents[step.position] = whole
    return step.node.op.jvp(step.node, tangents, multiply)


def _diagonal(step: ReverseStep, change: Node, _part: Node) -> Node:
    return change * (step.node * (1.0 - step.node))


def _untargeted(step: ReverseStep, change: Node, part: Node) -> Node:
    """Of softmax(x) - t, the gradient of the logarithm at t, without t."""
    return part - change * step.node


# --- what they are called ------------------------------------------------------------------


def _slips(
    step: ReverseStep, words: Wording, numbers: Sequence[KnownNumber], *, several: bool
) -> Iterator[tuple[str, str, Wrong]]:
    """Code, sentence and slip for each that makes sense at a step, the plain ones first.

    `numbers` are those of the program; `several` says that other steps from the same node lead to
    the leaf, too.
    """
    node, op = step.node, step.node.op
    here, below = words.defined(node), words.of(step.operand)
    rule = RULE.get(op.infix, "") if several else ""
    local = step.local()
    if step.averages:
        n = node.inputs[0].size // max(1, node.size)
        text = f"{n} = the number of elements that {here} averages: its 1/n"
        yield "mean", f"{text} is missing", _skipped
        yield "mean", f"{text} stands twice", _doubled
    elif step.divides_by_count:
        text = f"{words.of(node)} averages over its elements: its 1/n is missing"
        yield "mean", text, _skipped
    elif local is not None and number_of(words.plain(local)) not in (1, -1):
        yield from _of_factor(step, local, words, numbers, several=several)
    if local is not None and (isinstance(op, Elementwise) or step.operand.shape == node.shape):
        for wrong, derivative in misremembered(node, step.position, words):
            right = textbook(local, node, step.position, words)
            text = f"the derivative of {words.of(node)} by {below} is {right}, not {wrong}"
            yield "local-derivative", text, _given(derivative)
    path = _path(step, words, several=several)
    yield "path-missing", f"{rule}{path} is missing", _dropped
    text = f"{rule}the sign of the derivative of {here} by {below} is wrong"
    yield "sign-part", text, _negated
    if isinstance(op, Elementwise) and step.operand.shape != node.shape:
        yield "averaged", _of_parts(step, words, numbers), _averaged
    if isinstance(op, Elementwise) and len(node.inputs) == 1 and not op.selects:
        text = f"{here} stands where its derivative by {below} belongs"
        yield "undifferentiated", text, _undifferentiated
    if isinstance(op, Linear) and op is not MATMUL and not op.averages:
        text = f"{here} is taken of the gradient as it is, not by its transpose"
        yield "operand-transposed", text, _untransposed
    targets = f"the term of the targets is missing in the derivative of {words.place(node)}: "
    targets += "subtract them, one-hot for labels"
    if op is SOFTMAX:
        text = f"only the diagonal of the Jacobian of {here}, y*(1 - y): every output of a softmax"
        yield "diagonal", f"{text} depends on every input", _diagonal
        yield "one-hot", targets, _untargeted
    if step.normalises:
        yield "one-hot", targets, _dropped
        text = f"the sign of the targets is wrong in the derivative of {words.place(node)}"
        yield "one-hot", text, _negated


def _of_parts(step: ReverseStep, words: Wording, numbers: Sequence[KnownNumber]) -> str:
    """What is wrong with the parts of what is broadcast, or with a number of the program that is
    that of the parts.
    """
    here, below = words.defined(step.node), words.of(step.operand)
    n = step.node.size // max(1, step.operand.size)
    text = f"{below} was broadcast to {n} times its size in {here}: the parts must be summed"
    alike = [each.words for each in numbers if each.value == n and not each.is_value][:OTHERS]
    either = f"the factor {n}, {' or '.join(alike)}, is missing, or " if alike else ""
    return f"{either}{text}, not averaged"


def _path(step: ReverseStep, words: Wording, *, several: bool) -> str:
    """What is missing where a step is left out."""
    node, operand = step.node, step.operand
    here = words.defined(node)
    inner = operand.span == node.span and not words.is_named(operand)
    if inner and words.is_named(node) and not several:
        return f"the term for the path through {words.of(node)}"
    if inner and operand.op is RESHAPE:  # as stack does with its operands
        operand = operand.inputs[0]
        inner = operand.span == node.span and not words.is_named(operand)
    if inner:
        return f"a part of the derivative of {here}"
    return f"the term for the path through {words.of(operand)} in {here}"


def _of_factor(
    step: ReverseStep,
    local: Node,
    words: Wording,
    numbers: Sequence[KnownNumber],
    *,
    several: bool,
) -> Iterator[tuple[str, str, Wrong]]:
    """The slips at a factor of the chain rule."""
    node, value = step.node, number_of(words.plain(local))
    told = [f"the derivative of {words.defined(node)} by {words.of(step.operand)}"]
    if value is not None:  # 2 may be an exponent, and 1/2 a divisor
        alike = (each for each in numbers if each.value == abs(value) or each.divides == abs(value))
        own = f"a constant in {words.formula(node)}"
        told += [text for text in dict.fromkeys(each.words for each in alike) if text != own]
    text = "the factor" if several else "the chain rule's factor"
    text += f" {textbook(local, node, step.position, words)}"
    text += f", {', or '.join(told)}," if len(told) <= 1 + OTHERS else ""
    yield "mask" if node.op.selects else "chain-factor", f"{text} is missing", _skipped
    if value is None:  # twice 1/2 may be that the 2 of a square is missing
        yield "chain-doubled", f"{text} is multiplied in twice", _doubled
    yield "chain-inverted", f"{text} divides where it should multiply", _inverted


# --- what they lead to ---------------------------------------------------------------------


def walk_slips(claim: Claim, words: Wording) -> Iterator[Consequence]:
    """The gradient with one step of the chain rule wrong, with two, or with all of one kind."""
    steps = [
        ReverseStep(node, position)
        for node in reversed(claim.between)
        for position, operand in enumerate(node.inputs)
        if operand in claim.moving and node.op.differentiable(node, position)
    ]
    ways = Counter(step.node for step in steps)
    numbers = list(program_numbers(claim, words))
    for step in steps[: VISITS // (10 * len(claim.moving))]:
        for code, message, wrong in _slips(step, words, numbers, several=ways[step.node] > 1):
            yield from _outcome(claim, wrong, {step}, code, message)
        for after in steps:
            if after.node is step.operand:
                yield from _outcome(claim, _skipped, {step, after}, *_both(step, after, words))
    yield from _alike(claim, steps, words)


def _alike(claim: Claim, steps: Sequence[ReverseStep], words: Wording) -> Iterator[Consequence]:
    """The same slip wherever an operator has the same other operands, as in recursions, and at
    every op of one kind.
    """
    groups: dict[object, list[ReverseStep]] = {}
    for step in (each for each in steps if each.node.op.infix):
        beside = tuple(each for each in step.node.inputs if each is not step.operand)
        groups.setdefault((step.node.op, step.position, *beside), []).append(step)
    for step in steps:
        groups.setdefault(step.node.op, []).append(step)
    for kind, (first, *more) in groups.items():
        if not more:
            continue
        op, same = first.node.op, {first, *more}
        alike = f"every {op.infix or op.name}"
        every = operand = f"{alike}, of which there are {len(same)},"
        if kind is not op:
            alike = every = f"{words.formula(first.node)}, and {len(more)} more like it,"
            operand = f"{words.of(first.operand)} in {every}"
        told = [
            ("chain-factors", f"the derivative of {every} is missing", _skipped),
            ("sign-part", f"the sign of the derivative of {every} is wrong", _negated),
            ("path-missing", f"{operand} was taken as a constant", _dropped),
        ]
        if isinstance(op, Linear) and op is not MATMUL and not op.averages:
            text = f"{alike} is taken of the gradient as it is, not by its transpose"
            told.append(("operand-transposed", text, _untransposed))
        for code, text, wrong in told:
            yield from _outcome(claim, wrong, same, code, text)


def _both(step: ReverseStep, after: ReverseStep, words: Wording) -> tuple[str, str]:
    """Code and sentence for two factors in a row that are missing."""
    first, second = (each.local() for each in (step, after))
    for one, other in ((first, after), (second, step)):
        if one is not None and number_of(one) == 1 and other.local() is None:
            told = f"the derivative of {words.defined(other.node)} by {words.of(other.operand)}"
            return "chain-factor", f"a factor of the chain rule is missing: {told}"
    factors = "two of the chain rule's factors"
    if first is not None and second is not None:
        a = textbook(first, step.node, step.position, words)
        b = textbook(second, after.node, after.position, words)
        factors += f", {a} and {b},"
    from_, to = words.of(step.node), words.of(after.operand)
    return "chain-factors", f"{factors} are missing on the way from {from_} to {to}"


def _outcome(
    claim: Claim, wrong: Wrong, steps: Container[ReverseStep], code: str, message: str
) -> Iterator[Consequence]:
    """The result of a slip at some steps: there the rules of reverse mode are replaced."""

    def rules(
        node: Node, change: Node, linked: Container[Node], selected: set[Node]
    ) -> Iterator[tuple[int, Node]]:
        for position, part in contributions(node, change, linked, selected):
            step = ReverseStep(node, position)
            given = wrong(step, change, part) if step in steps else part
            if given is not None:
                yield position, given

    return walked(claim, claim.walk.outputs, claim.walk.cotangents, code, message, rules)


def walked(
    claim: Claim,
    outputs: Sequence[Node],
    cotangents: Sequence[Node],
    code: str,
    message: str,
    rules: Rules = contributions,
) -> Iterator[Consequence]:
    """What reverse mode finds with other rules or for other outputs, where that is possible."""
    with Tolerant():
        (grad,) = vjp(outputs, cotangents, [claim.leaf], rules=rules)
        if grad is not None and grad is not claim.grad:
            yield Consequence(code, message, grad)
