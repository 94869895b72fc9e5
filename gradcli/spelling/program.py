"""A graph as a program of the language, one statement for each value that has a name."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass

from gradcli.diagnostics import GradcliError
from gradcli.graph import CONSTANT, INPUT, Array, Node
from gradcli.language.construct import NOWHERE, call, constant, name, number
from gradcli.language.syntax import Assign, Expression, Name, Statement
from gradcli.ops.kinds import CAST, Linear
from gradcli.ops.loops import Loop
from gradcli.simplify import number_of, repeated
from gradcli.spelling.formula import fresh_names
from gradcli.spelling.loops import LoopWriter, Unwritten
from gradcli.spelling.spell import spell
from gradcli.walks import ancestors

LONGEST = 24
"""An expression of more numbers and names than these is given a name."""
DEEPEST = 8
"""So is one that is nested deeper than this."""
SMALL = 8
"""Constants of up to this many elements are written wherever they are used."""


@dataclass(frozen=True, slots=True)
class _Written:
    """An expression, how many numbers and names it holds, and how deep it is nested."""

    text: Expression
    length: int = 1
    depth: int = 0
    reads: bool = True
    """Whether it reads a name. A name for one that does not would be a leaf."""


def unparse(
    bound: Mapping[Node, str],
    results: Mapping[str, Node],
    names: Mapping[Node, str],
    taken: Collection[str],
    value: Callable[[Node], Array],
) -> list[Statement]:
    """Assignments to the names of `results`, over the names of `bound` nodes.

    Further values get their name in `names`, or one that is not `taken`, where they are used more
    than once or would make a line too long. `value` gives the value of a node that has no
    derivative.
    """
    numbered, used = fresh_names(taken), set(taken)

    def fresh(like: str) -> str:
        """A new name: this one, if it is free."""
        title = like if like and like not in used else next(numbered)
        used.add(title)
        return title

    return _unparse(bound, results, names, fresh, value)


def _unparse(
    bound: Mapping[Node, str],
    results: Mapping[str, Node],
    names: Mapping[Node, str],
    fresh: Callable[[str], str],
    value: Callable[[Node], Array],
) -> list[Statement]:
    nodes = _needed(results, bound)
    free = [node for node in nodes if node not in bound]
    written: dict[Node, _Written] = {node: _Written(name(text)) for node, text in bound.items()}
    statements: list[Statement] = []
    loops = LoopWriter(free, results.values(), fresh)
    uses = loops.uses
    used: set[str] = set()

    def inside(given: Mapping[Node, str], made: Mapping[str, Node]) -> list[Statement]:
        """The body of a loop."""
        return _unparse({**bound, **given}, made, {}, fresh, _changing)

    owned = {node: title for title, node in results.items() if title not in bound.values()}
    for node in nodes:
        if node in bound:
            continue
        if isinstance(node.op, Loop):
            if loops.is_needed(node):
                texts = {each: made.text for each, made in written.items()}
                added, titles = loops.write(node, texts, inside)
                statements += added
                written |= {each: _Written(name(title)) for each, title in titles.items()}
            continue
        if node.op is CONSTANT and not uses[node] and node not in owned:
            continue  # numbers that a loop counts
        made = _write(node, written, value)
        shared = uses[node] + (node in owned) > 1 and not _is_plain(node, made)
        if shared or made.length > LONGEST or made.depth > DEEPEST:
            title = owned.get(node) or names.get(node)
            if title is None or title in used or (title in results and node not in owned):
                title = fresh("")
            used.add(title)
            statements.append(_assign(title, node, made, bound))
            made = _Written(name(title))
        written[node] = made
    statements += [
        _assign(title, node, written[node], bound)
        for title, node in results.items()
        if title not in used
    ]
    return statements


def _changing(node: Node) -> Array:
    """The value of a node of a loop's body: there is not one for all passes."""
    raise Unwritten(f"the {node.op.name} has other numbers in each pass")


def _needed(results: Mapping[str, Node], bound: Mapping[Node, str]) -> list[Node]:
    """The results and the nodes that they are computed from, down to `bound` nodes."""
    found = set(results.values())
    stack = list(found)
    while stack:
        node = stack.pop()
        for operand in () if node in bound else node.inputs:
            if operand not in found:
                found.add(operand)
                stack.append(operand)
    return [node for node in ancestors(found) if node in found]


def _write(
    node: Node, written: Mapping[Node, _Written], value: Callable[[Node], Array]
) -> _Written:
    if node.op is CONSTANT:
        assert node.known is not None
        return _Written(constant(node.known), max(1, node.size), reads=False)
    if node.op is INPUT:
        raise AssertionError(f"the input {node.attributes[0]} is bound")
    operands = [written[each] for each in node.inputs]
    drawn = node.op.unique and not node.inputs
    text = None if drawn else spell(node, [each.text for each in operands])
    if text is None:
        if node.kind == "float" and not drawn:
            raise GradcliError(
                "not-differentiable", f"the language has no words for the step {node.op.name}"
            )
        array = value(node)  # indices, or random numbers: their values in this run
        return _Written(constant(array), max(1, array.size), reads=False)
    return _Written(
        text,
        sum(each.length for each in operands) or 1,
        1 + max((each.depth for each in operands), default=0),
        any(each.reads for each in operands),
    )


def _is_plain(node: Node, made: _Written) -> bool:
    """Whether writing a value again is as clear as naming it: its op keeps the elements."""
    op = node.op
    plain = op in (CONSTANT, CAST) or (isinstance(op, Linear) and op.view and not op.unique)
    return isinstance(made.text, Name) or (plain and made.length <= SMALL)


def _assign(title: str, node: Node, made: _Written, bound: Mapping[Node, str]) -> Assign:
    """An expression that reads no name would be a leaf, and needs a gradient unless it is a
    number.
    """
    text = made.text
    if not made.reads and node.size > 1:
        text = _filled_like(node, bound) or call("detach", text)
    return Assign(name(title), text, NOWHERE)


def _filled_like(node: Node, bound: Mapping[Node, str]) -> Expression | None:
    """One number in the shape of something bound: `ones_like(x)`."""
    alike = (
        text for each, text in bound.items() if (each.shape, each.kind) == (node.shape, "float")
    )
    like = next(alike, None)
    value = number_of(repeated(node))
    if like is None or value is None:
        return None
    if value in (0, 1):
        return call("ones_like" if value else "zeros_like", name(like))
    return call("full_like", name(like), number(value))
