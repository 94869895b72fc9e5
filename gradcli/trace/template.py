"""Bodies of loops that are one node, and whether they give the bits of their passes written out."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np

from gradcli.engine.bodies import Body, is_alike, is_wide
from gradcli.engine.cpu import HOST
from gradcli.graph import Array, Node
from gradcli.ops.control import LEAF, bind, detach, leaf
from gradcli.ops.creation import draw_of, redrawn
from gradcli.ops.indexing import Item
from gradcli.ops.joining import stack
from gradcli.ops.kinds import CAST, cast
from gradcli.ops.loops import (
    CARRIED,
    ROW,
    Carried,
    Loop,
    Rows,
    Unlike,
    made_since,
    moving,
)
from gradcli.ops.shaping import reshape
from gradcli.trace.items import Growing, Items
from gradcli.trace.pass_numbers import PassNumbers, computed, of_loop
from gradcli.trace.printing import PrintedNumbers
from gradcli.trace.rolling import LAST, Changed, Place
from gradcli.trace.takings import Takings
from gradcli.trace.values import Value, Values
from gradcli.tuples import NamedTuple

DRAWN = 1 << 22
"""So many random numbers are drawn for passes of a loop at once, at most."""
LARGEST_SINGLE = 3.4e38
"""Larger numbers may be infinite in float32."""


class Rolled(NamedTuple):
    """Passes that have become one node."""

    loop: Loop
    tensors: dict[Place, Node]
    """What they have left where a tensor is another one after each pass."""
    lists: dict[str, Items]
    """The lists that they have made longer."""
    took_numbers: bool
    """Whether they have taken numbers out of tensors."""


def _stand_in(node: Node) -> Node:
    """What stands for a tensor in any pass: a leaf for a leaf."""
    return _like(node, node.graph.apply(CARRIED, (node,)))


def _like(node: Node, value: Node) -> Node:
    """The value as a leaf of its own if the node is one."""
    return leaf(detach(value), bool(node.attributes[0])) if node.op is LEAF else value


class AnyPass:
    """A pass that is traced over what stands for values of any pass."""

    def __init__(
        self, values: Values, printed: PrintedNumbers, changed: Changed, before: int, least: int
    ) -> None:
        """`before` is how many passes there were before, `least` how many it has to stand for;
        `printed` tells numbers from tensors. It may be made in a pass of a loop around its own.
        """
        outer = values.any_pass
        assert outer is None or isinstance(outer, AnyPass)
        self._outer = outer
        self._depth: int = 0 if outer is None else outer._depth + 1
        graph, evaluator = values.graph, values.evaluator
        self._values, self._graph, self._evaluator, self._before = values, graph, evaluator, before
        self._least = least
        self._mark = graph.mark()
        self._looked = len(evaluator.looked)
        self.first = graph.count
        self._first_list = Items([]).number
        given = dict.fromkeys((*changed.tensors.values(), *chain(*changed.lists.values())))
        self._carried = {node: _stand_in(node) for node in given}
        self.tensors = {held: self._carried[node] for held, node in changed.tensors.items()}
        """What stands for tensors, by place."""
        self._lasts = {
            name: tuple([self._carried[node] for node in added])
            for name, added in changed.lists.items()
        }
        self.lists = {
            name: Growing(nodes, changed.lengths[name]) for name, nodes in self._lasts.items()
        }
        """What stands for lists, by name."""
        self._printed = printed
        self._numbers_before = [
            {place: node for place, node in enumerate(added) if node in printed}
            for added in changed.lists.values()
        ]
        """The numbers among what the pass before has appended, by list."""
        self._drawn: dict[Node, int] = {}
        """The numbers of the draws of the pass."""
        self._draws = changed.draws
        self.is_opaque = any(node.op is LEAF for node in self.tensors.values())
        """Whether no gradient can be taken through the passes."""
        around = None if outer is None else outer.takings
        self.takings: Takings = Takings(graph, self.first, values.taken_apart, self._depth, around)
        self._counts: list[tuple[Node, Array]] = []
        self._numbers_in: dict[Node, Node] = {}
        """What stands for numbers that the pass takes out of tensors."""
        self._number_of: dict[Node, Node] = {}
        """The same by tensor: a number that is taken twice is one."""
        self._nexts: dict[Place, Node] = {}
        self._items: dict[str, tuple[Node, ...]] = {}
        """What the pass appends to lists."""
        self._guards: list[Node] = []

    # --- what differs from pass to pass by its number ---

    def counter(self, items: range) -> Node:
        """What stands for an integer that each pass has of its own."""
        numbers = np.arange(len(items), dtype=float) * items.step + items.start
        return self._number_of_each(numbers, is_integer=True)

    def numbered(self, numbers: Array) -> Node:
        """The same for numbers that are given."""
        return self._number_of_each(numbers, is_integer=False)

    def _number_of_each(self, numbers: Array, *, is_integer: bool) -> Node:
        node = self._graph.apply(ROW, (self._graph.constant(numbers),))
        self._counts.append((node, numbers))
        self._printed.add(node, is_integer=is_integer)
        return node

    def _numbers_of_passes(self) -> dict[Node, PassNumbers]:
        """What each pass has of its own by its number, also of the loops around."""
        around = {} if self._outer is None else self._outer._numbers_of_passes()
        return around | {node: of_loop(self._depth, numbers) for node, numbers in self._counts}

    def _oldest(self) -> int:
        """The first index of what the outermost pass makes."""
        return self.first if self._outer is None else self._outer._oldest()

    def numbers(self, node: Node) -> PassNumbers | None:
        """The values of a node in all passes, if they are integers and follow from the numbers of
        the passes alone, of this loop and of those around it.
        """
        found = self._numbers_of_passes()
        if node.known is not None or node.shape or node.kind != "float":
            return None
        for each in made_since([node], set(found).__contains__, self._oldest()):
            operands = [found.get(operand) or _known(operand) for operand in each.inputs]
            given = [operand for operand in operands if operand is not None]
            if each.kind != "float" or each.shape or len(given) < len(operands):
                return None
            numbers = computed(each.op, given, each.attributes)
            if numbers is None:
                return None
            found[each] = numbers
        numbers = found.get(node)
        moves = numbers is not None and numbers.along and numbers.are_integers()
        return numbers if moves else None

    def item(self, values: Sequence[Any], numbers: PassNumbers) -> Node:
        """What stands for the items of a list at places that each pass has of its own."""
        if self._outer is not None and self._depth not in numbers.along:
            return self._outer.item(values, numbers)
        places = numbers.alone(self._depth)
        if places is None:
            raise Unlike("it takes items of a list by the numbers of two loops")
        if isinstance(values, Growing):
            last: Node = values[values.from_the_end(places)]
            return last
        if not ((-len(values) <= places) & (places < len(values))).all():
            raise Unlike("it takes items that there are not")
        found = [values[int(each)] for each in places]
        if not all(isinstance(each, Node) and self._is_number_of_all(each) for each in found):
            raise Unlike("it takes items of a list by its number that are not numbers")
        are_integers = {*map(self._printed.is_integer, found)}
        if len(are_integers) > 1:
            raise Unlike("it takes integers and other numbers from one list")
        taken = [float(self._evaluator.computed(each)) for each in found]
        return self._number_of_each(np.array(taken), is_integer=are_integers.pop())

    def _is_number_of_all(self, node: Node) -> bool:
        """Whether it is a number that is the same in all passes."""
        return node in self._printed and (node.known is not None or node.index < self.first)

    def row(self, node: Node, numbers: range) -> Node:
        """What stands for the rows of a tensor, one for each pass."""
        places = of_loop(self._depth, np.asarray(numbers, float))
        return self.element(node, [numbers.start], {0: places})

    def element(
        self, node: Node, places: Sequence[Item], moving: Mapping[int, PassNumbers]
    ) -> Node:
        """What stands for `node[places]`, where some places are other ones in each pass."""
        return self.takings.element(node, places, moving)

    def number_in(self, node: Node) -> Node | None:
        """What stands for the number that is taken out of a tensor, if the pass has computed it."""
        if node.index < self.first or node.known is not None or node.kind == "bool":
            return None
        number = self._number_of.get(node)
        if number is None:
            number = self._number_of[node] = bind(detach(cast(reshape(node, ()), "float")))
            self._numbers_in[number] = node
        return number

    def has_made(self, items: Items) -> bool:
        """Whether a list is one that the pass has made itself."""
        return items.number > self._first_list

    # --- the end of the pass ---

    def drop(self) -> None:
        """Undo what the pass has left in the graph."""
        self._graph.forget(self._mark)
        del self._evaluator.looked[self._looked :]

    def close(
        self, tensors: Mapping[Place, Value], values: Mapping[str, Value], made: Sequence[Node]
    ) -> None:
        """The pass has ended with these tensors where it had stand-ins, and with these values of
        names. Raises `Unlike` if it is not one of many.

        `made` are the nodes that the pass before has made.
        """
        for held, node in self.tensors.items():
            value = tensors[held]
            if not isinstance(value, Node) or (value.shape, value.kind) != (node.shape, node.kind):
                name = held if isinstance(held, str) else "what changes in place"
                raise Unlike(f"{name} is not a tensor of one shape")
            if (value.op is LEAF) != (node.op is LEAF):
                raise Unlike("its passes do not build the same graph")
            self._nexts[held] = value
        for name, nodes in self._lasts.items():
            items = values[name]
            if not isinstance(items, Growing) or len(items.added) != len(nodes):
                raise Unlike(f"{name} does not get as many items in each pass")
            for item, node in zip(items.added, nodes, strict=True):
                if not isinstance(item, Node) or (item.shape, item.kind) != (node.shape, node.kind):
                    raise Unlike(f"the items of {name} are not tensors of one shape")
            self._items[name] = items.added
        if not self._nexts and not self._items:
            raise Unlike("its passes change nothing")
        looked = self._evaluator.looked[self._looked :]
        self._guards = list(dict.fromkeys(node for node in looked if node.index >= self.first))
        inside = {*self._inside(), *self._numbers_in}  # the pass before has known its numbers
        steps = self.takings.built(self._results_but_guards(), inside)
        if [*map(_likeness, steps)] != [*map(_likeness, made)]:
            raise Unlike("its passes do not build the same graph")
        self._find_draws()
        self._check_names()
        steps = self._steps(self._results())
        self._check_steps(steps)
        if not self._graph.shares:
            self.takings.check_ways({each for node in steps for each in node.inputs})

    def _find_draws(self) -> None:
        """Find what is drawn, if each pass has draws of its own."""
        if self._draws == 0:
            return
        for node in self._steps(self._results()):
            number = draw_of(node)
            if isinstance(number, range) or self._draws < 0:
                raise Unlike("it begins to draw again, or a loop in it draws")
            if number is not None:
                self._drawn[node] = number

    def _results(self) -> list[Node]:
        return [*self._results_but_guards(), *self._guards]

    def _results_but_guards(self) -> list[Node]:
        return [*self._nexts.values(), *self._appended(), *self._refusing()]

    def _appended(self) -> Iterable[Node]:
        """What the pass appends to lists."""
        return chain(*self._items.values())

    def _numbers_made(self) -> dict[Node, Node]:
        """The numbers that the pass appends to lists and has computed of others, or of how many
        passes there were, with what the pass before has appended there.
        """
        pairs = zip(self._items.values(), self._numbers_before, strict=True)
        found = {added[place]: node for added, nodes in pairs for place, node in nodes.items()}
        counts = dict(self._counts)
        return {
            node: before
            for node, before in found.items()
            if node in counts
            or (self._numbers_in and node not in self._numbers_in and node.kind == "float")
        }

    def _check_names(self) -> None:
        """Names of one value must be so in all passes: then their cotangents are one sum."""
        pairs = [(self.tensors[held], node) for held, node in self._nexts.items()]
        pairs += zip(chain(*self._lasts.values()), self._appended(), strict=True)
        nexts: dict[Node, Node] = {}
        if any(nexts.setdefault(node, after) is not after for node, after in pairs):
            raise Unlike("its passes do not build the same graph")

    def _check_steps(self, steps: Sequence[Node]) -> None:
        counts = [node for node, _ in self._counts]
        inside = self._inside()
        if not set(counts).isdisjoint(self._guards):
            raise Unlike("it looks at the number of the pass")
        if self._graph.shares and len(moving(steps, inside.__contains__)) < len(steps):
            raise Unlike("its passes do not build the same graph")
        if not {*steps, *inside}.issuperset(self._nexts.values()):
            raise Unlike("its passes do not build the same graph")
        if not {*steps, *self._numbers_made()}.issuperset(self._appended()):
            raise Unlike("it appends what it has not computed")
        if not set(steps).issuperset(self._refusing()):
            raise Unlike("a function in it may refuse its operands, and nothing needs its value")
        if not all(_is_free_of(node, counts) for node in steps):
            raise Unlike("it does more than arithmetic with the number of the pass")

    def _refusing(self) -> list[Node]:
        """The nodes of the pass that may refuse their operands."""
        _, refusing = self._mark
        taken = {each.node.inputs[0] for each in self.takings}
        return [node for node in self._graph.refusing[refusing:] if node not in taken]

    @property
    def ends(self) -> bool:
        """Whether the loop may end: its passes are counted, or look at something."""
        return bool(self._guards or self._counts or self.takings.nodes)

    def _inside(self) -> list[Node]:
        counts = [node for node, _ in self._counts]
        return [*self._carried.values(), *counts, *self.takings.nodes, *self._drawn]

    def _steps(self, results: Iterable[Node]) -> list[Node]:
        return made_since(results, set(self._ends()).__contains__, self.first)

    def _ends(self) -> list[Node]:
        """What stands for something in the pass, or in the passes around it."""
        return [*self._inside(), *(() if self._outer is None else self._outer._ends())]

    # --- the loop ---

    def _loop(self, count: int) -> Loop:
        """The loop with so many passes."""
        steps = self._steps(self._results())
        nexts = {self.tensors[held]: node for held, node in self._nexts.items()}
        nexts |= zip(chain(*self._lasts.values()), self._appended(), strict=True)
        used = {operand for node in steps for operand in node.inputs}
        used.update(self._nexts.values(), self._guards, self._appended())
        carried = [
            Carried(node, start, nexts[node])
            for start, node in self._carried.items()
            if node in used
        ]
        rows = [
            Rows(node, self._graph.constant(numbers[:count]))
            for node, numbers in self._counts
            if node in used
        ]
        rows += self.takings.rows(used, count)
        more = self._draws
        rows += [
            Rows(node, redrawn(node, range(first, first + count * more, more)))
            for node, first in self._drawn.items()
        ]
        return Loop(
            carried, rows, steps, count, self.first, before=self._before, is_opaque=self.is_opaque
        )

    def rolled(self, most: int, values: Mapping[str, Value]) -> Rolled:
        """The loop, of `most` passes at most, and what is where there were stand-ins after it;
        `values` is what names were before.

        Raises `Unlike` where these are too few.
        """
        most = min(most, DRAWN // max(1, sum(each.size for each in self._drawn)))
        if most < self._least:
            raise Unlike("it draws many numbers")
        loop, count = self._loop(most), most
        if not is_alike(loop) or (self._values.on_card and is_wide(loop)):
            raise Unlike("its arrays are large")
        operands: list[Array] = []
        if self._guards:
            expected = [self._evaluator.computed(node) for node in self._guards]
            operands = [self._evaluator.computed(node) for node in loop.operands]
            guards = [(node, True) for node in self._guards]
            held = Body(loop, guards, HOST).holds(operands, expected)
            count = held if held == most else held - LAST
        if count < self._least:
            raise Unlike("what it looks at changes after a few passes")
        if count != most:
            loop = self._loop(count)
        lasts = {held: loop.last(node) for held, node in self._nexts.items()}
        taken = [node for node in self._numbers_in if loop.has(node)]
        numbers = {node: loop.every(node) for node in (*taken, *self._numbers_made())}
        if self._guards or numbers:
            nodes = [each for each in (*lasts.values(), *numbers.values()) if each.op is loop]
            nodes = list(dict.fromkeys(nodes))
            operands = [self._evaluator.computed(node) for node in loop.operands]
            found = Body(loop, [node.attributes for node in nodes], HOST).run(operands)
            self._evaluator.give(dict(zip(nodes, found, strict=True)))
        looked = self._evaluator.looked
        looked[self._looked :] = [
            *(node for node in looked[self._looked :] if node.index < self.first),
            *(loop.every(node) for node in self._guards),
            *numbers.values(),
        ]
        _, refusing = self._mark
        self._graph.refusing[refusing:] = [loop.last(node) for node in self._refusing()]
        made = {
            node: self._made_again(node, self._evaluator.computed(every))
            for node, every in numbers.items()
        }
        lists: dict[str, Items] = {}
        for name, added in self._items.items():
            before = values[name]
            assert isinstance(before, Items)
            if made.keys().isdisjoint(added):
                lists[name] = self._longer(before, loop, self._lasts[name], added)
            elif made.keys() >= {*added}:
                passes = zip(*(made[node] for node in added), strict=True)
                lists[name] = before.longer([*chain(*passes)])
            else:
                raise Unlike("it appends numbers and tensors to one list")
        tensors = {held: _like(self._nexts[held], node) for held, node in lasts.items()}
        tensors.update(
            (held, made[node][-1]) for held, node in self._nexts.items() if node in numbers
        )
        return Rolled(loop, tensors, lists, bool(numbers))

    def _made_again(self, node: Node, values: Array) -> list[Node]:
        """Numbers that all passes have taken out of a tensor, or computed of these."""
        if not (np.abs(values) <= LARGEST_SINGLE).all():
            raise Unlike("it takes numbers out of tensors that may be infinite")
        tensor = self._numbers_in.get(node)
        if tensor is None:
            before = self._numbers_made()[node]
            return [self._printed.made_like(number, before) for number in values.tolist()]
        if tensor.kind == "int":
            return [self._graph.constant(number) for number in values.tolist()]
        single = self._values.is_single(tensor)
        return [self._values.plain(number, single=single) for number in values.tolist()]

    def _longer(
        self, items: Items, loop: Loop, lasts: Sequence[Node], added: Sequence[Node]
    ) -> Items:
        """A list with what each pass has appended. What is also carried on is collected where a
        pass gets it, as its cotangent is one sum with what that pass adds.
        """
        if len(added) == 1:
            (last,), (item,) = lasts, added
            if last in [each.node for each in loop.carried]:
                return items.rolled(loop.every(last), loop.last(item))
            if item in [each.next for each in loop.carried]:
                raise Unlike("what it appends is carried on in another way")
            return items.rolled(loop.every(item), None)
        if not loop.is_opaque:  # else no gradient comes back to them
            raise Unlike("it appends several tensors to one list")
        if len({node.shape for node in added}) > 1:
            raise Unlike("it appends tensors of several shapes to one list")
        rows = stack([loop.every(node) for node in added], 1)
        return items.rolled(reshape(rows, -1, *added[0].shape), None)


def _likeness(node: Node) -> tuple[Any, ...]:
    """What nodes of two passes have in common."""
    op: Any = ("loop", node.op.count) if isinstance(node.op, Loop) else node.op
    return op, node.shape, node.kind


def _known(node: Node) -> PassNumbers | None:
    """A number that is the same in all passes."""
    known = node.known
    return None if known is None or known.ndim else PassNumbers(float(known))


def _is_free_of(node: Node, counts: Collection[Node]) -> bool:
    """Whether a step is the same whether or not the number of the pass is known to it."""
    if not any(each in counts for each in node.inputs):
        return True
    if isinstance(node.op, Loop):
        carried = [each.node for each in node.op.carried if each.start in counts]
        return all(_is_free_of(step, {*counts, *carried}) for step in node.op.steps)
    if node.op is CAST or any(each.kind != "float" for each in node.inputs):
        return False
    if node.op.by_number is None or node.op.exact is True:  # exact: the same in either way
        return True
    return node.inputs[1] not in counts
