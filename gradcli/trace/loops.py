"""Loops: passes that are traced one by one, and those that become one node."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from gradcli.diagnostics import GradcliError, Note, Span
from gradcli.engine.telling import made
from gradcli.graph import EMPTY, Node
from gradcli.language import syntax
from gradcli.ops.loops import Loop, NotRolled, Unlike
from gradcli.trace.items import Items
from gradcli.trace.iterators import Remaining
from gradcli.trace.rolling import CHANGES_MORE, USES_MORE, Changed, GradOf, Place, Rolling
from gradcli.trace.scopes import Scopes
from gradcli.trace.tensor_state import Remembered, TensorState
from gradcli.trace.values import Value
from gradcli.trace.visits import Visit
from gradcli.tuples import NamedTuple

if TYPE_CHECKING:
    from gradcli.trace.frames import Frame
    from gradcli.trace.held_lists import HeldLists
    from gradcli.trace.passages import PassageKind
    from gradcli.trace.reach import LoopReach
    from gradcli.trace.series import Series
    from gradcli.trace.takings import Taking
    from gradcli.trace.template import AnyPass, Rolled

PIECE = 8
"""Where passes differ at times, as those that print, so many between them are one node."""
MANY, SHORT = 2_000, 16
"""In a program of more steps than that, loops of so few passes are worth a node, too."""
MANY_NODES = 10_000
"""Loops are, too, whose passes would make more nodes than that."""
MOST_RATES = 1 << 12
"""Steps of an optimiser in passes that are not counted are made together up to so many."""
TOLD = 256
"""Each so many steps it is told how many there are."""
REPEATED = "repeated"
"""What a loop is called that is written out, as others are called `for` and `while`."""
WORTH_A_NOTE = 1000
"""A note says why, where more passes than these are traced one by one."""


class TraceLimits(NamedTuple):
    """How many steps of loops and calls of functions a program may make."""

    steps: int = 1_000_000


class Leave(Enum):
    """How a body was left before its end."""

    BREAK = "break"
    CONTINUE = "continue"


class Returned(NamedTuple):
    """A body was left with a value."""

    value: Value


class Turns(Protocol):
    """How the passes of a loop begin."""

    length: int | None
    """How many passes there are, if that is known."""
    may_roll: bool
    """Whether a pass can stand for others."""
    is_written: bool
    """Whether the program writes a loop: its passes count as steps, and a note says why they are
    not one node.
    """

    def begin(self, done: int) -> Visit | bool:
        """Begin the pass after so many; whether there is one."""

    def stand_in(self, template: AnyPass, done: int, count: int) -> Visit | bool:
        """Begin a pass that stands for so many after those that are done."""


class Tested:
    """The passes of a `while`."""

    length: int | None = None
    may_roll = True
    is_written = True

    def __init__(self, holds: Callable[[], Visit]) -> None:
        self._holds = holds

    def begin(self, _: int) -> Visit:
        """Test the condition."""
        return self._holds()

    def stand_in(self, *_: object) -> Visit:
        """Test the condition."""
        return self._holds()


class Listed:
    """The passes of a `for` over given values."""

    may_roll = False
    is_written = True

    def __init__(self, items: Sequence[Value], bind: Callable[[Value], None]) -> None:
        self.length: int | None = len(items)
        self._rest = iter(items)
        self._bind = bind

    def begin(self, done: int) -> bool:
        """Bind the next value."""
        if done == self.length:
            return False
        self._bind(next(self._rest))
        return True

    def stand_in(self, *_: object) -> bool:
        """No value stands for the others."""
        return False


class Taken:
    """The passes of a `for` over what is found as it is asked for."""

    may_roll = False
    is_written = True
    length: int | None = None

    def __init__(self, remaining: Remaining, bind: Callable[[Value], None]) -> None:
        self._remaining = remaining
        self._bind = bind

    def begin(self, _: int) -> bool:
        """Bind the next value."""
        if self._remaining.is_empty():
            return False
        self._bind(self._remaining.next())
        return True

    def stand_in(self, *_: object) -> bool:
        """No value stands for the others."""
        return False


class Counted:
    """The passes of a `for` over what their number gives."""

    may_roll = True
    is_written = True

    def __init__(self, items: Series, bind: Callable[[Value], None]) -> None:
        self.length: int | None = len(items)
        self._items = items
        self._bind = bind

    def begin(self, done: int) -> bool:
        """Bind the next item."""
        if done == self.length:
            return False
        self._bind(self._items[done])
        return True

    def stand_in(self, template: AnyPass, done: int, count: int) -> bool:
        """Bind what stands for the next items."""
        self._bind(self._items.of_any(template, range(done, done + count)))
        return True


class Repeated:
    """A block as a loop runs it: the statements, and how passes begin (`loops.Turns`)."""

    may_roll = True
    is_written = False

    def __init__(self, statements: Sequence[syntax.Statement], passes: int) -> None:
        """`statements` are those of all passes."""
        self._statements = statements
        self._each = len(statements) // passes
        self._done = 0
        self.length: int | None = passes
        self.span: Span = statements[0].span[0], statements[self._each - 1].span[1]
        """That of the first pass."""

    @property
    def body(self) -> Sequence[syntax.Statement]:
        """The statements of the pass that has begun."""
        return self._statements[self._done * self._each : (self._done + 1) * self._each]

    def begin(self, done: int) -> bool:
        """Begin the pass after so many; whether there is one."""
        self._done = done
        return done != self.length

    def stand_in(self, _template: object, done: int, _count: int) -> bool:
        """Begin a pass that stands for others."""
        return self.begin(done)


def held_lists(values: Mapping[str, Value]) -> HeldLists:
    """The lists that dictionaries and objects hold."""
    from gradcli.trace.held_lists import HeldLists  # most programs start faster without

    return HeldLists(values)


Runnable: TypeAlias = syntax.Statement | Repeated
"""What a body is made of."""
Looping: TypeAlias = syntax.While | syntax.For | Repeated
TITLES: dict[type[Any], str] = {syntax.While: "while", syntax.For: "for"}


class Loops(Scopes):
    """Runs loops; `Tracer` adds branches and functions."""

    def limit(self, limits: TraceLimits, reach: LoopReach | None) -> None:
        """Set how many steps may be made, and which passes may become one node."""
        self.values.rolls = reach is not None
        self._reach = reach
        self._limits = limits
        self._steps = 0
        self._loops: list[Loop] = []
        self._takings: dict[Node, Taking] = {}
        self.callers: list[Frame] = []
        """The frames of the functions that wait for the calls that they made."""
        self._made_in: dict[Loop, range] = {}
        """The indices of the nodes that all passes of a loop have made."""

    @property
    def made_many_passes(self) -> bool:
        """Whether the program has made so many steps that it matters how loops are run."""
        return self._steps > WORTH_A_NOTE

    def check_rolled(self) -> None:
        """Raise `NotRolled` where loops that are one node may give other bits."""
        if self._loops and self.graph.shares:
            from gradcli.trace.sharing import check_sharing

            check_sharing(self._loops, self._made_in, self._takings)

    def step(self, span: Span) -> None:
        self._steps += 1
        if self._steps % TOLD == 0:
            made(self._steps)
        if self._steps > self._limits.steps:
            raise self._too_many_steps(span)

    def _too_many_steps(self, span: Span) -> GradcliError:
        self.graph.span = span
        return GradcliError(
            "limit-steps",
            f"more than {self._limits.steps:,} steps of loops and calls",
            hint="check that the loop ends; --max-steps sets the limit",
        )

    def passes(self, statement: Looping, turns: Turns) -> Visit:
        is_plain = self._reach is not None and self._reach.changes_tensors_alone(statement)
        reason = "it is not over a range" if is_plain else f"it {CHANGES_MORE}"
        rolling = Rolling(turns.length, self.values.alone, reason)
        may_roll = is_plain and turns.may_roll
        done, begun, loops = 0, self.graph.count, len(self._loops)
        leave: Any = None
        while True:
            if may_roll and rolling.watches(done):
                state, values = self._tensor_state(), self.frame.values
                named = {**values, **held_lists(values).lists}
                rolling.watch(named, self.graph, self._effects(), state)
            first = self.graph.count
            if not (yield turns.begin(done)):
                break
            if turns.is_written:
                self.step(statement.span)
            leave = yield self.body(statement.body)
            self.ended("pass", str(done + 1), statement.span, first)
            done += 1
            if leave is Leave.BREAK or isinstance(leave, Returned):
                break
            if may_roll and rolling.is_due(done) and self._is_steady(statement, rolling, done):
                done += yield self._roll(statement, turns, rolling, done)
        self.ended(
            "loop", TITLES.get(type(statement), REPEATED), statement.span, begun, result=done
        )
        for loop in self._loops[loops:]:
            self._made_in.setdefault(loop, range(begun, self.graph.count))
        if self.values.rolls and turns.is_written and done > WORTH_A_NOTE and not rolling.rolled:
            self._note_unrolled(statement, done, rolling.reason)
        return leave

    def _is_steady(self, loop: Looping, rolling: Rolling, done: int) -> bool:
        """Whether what a loop may use does in each pass what it does in the others; in most
        programs there is nothing else.
        """
        if self._reach is None or not self._reach.is_doubtful:
            return True
        from gradcli.trace.steady import are_steady  # most programs do without

        names = self._reach.names_in(loop)
        if not self._tries and are_steady(self.frame, names, self.autograd):
            return True
        rolling.later(done, f"it {USES_MORE}")
        return False

    def check_called(self, function: syntax.FunctionDefinition) -> None:
        """Raise `Unlike` where a pass that stands for others calls what may change more than
        tensors and names.
        """
        if self.values.any_pass is None or self._reach is None or self._reach.is_plain(function):
            return
        raise Unlike(f"it {CHANGES_MORE}")

    def ended(
        self,
        kind: PassageKind,
        title: str,
        span: Span,
        first: int,
        arguments: Mapping[str, Value] = EMPTY,
        result: Value | int = None,
    ) -> None:
        """Remember which nodes a part of the program has made, if that is wanted."""
        if self.values.passages is not None:
            nodes = range(first, self.graph.count)
            self.values.passages.add(kind, title, span, nodes, arguments, result)

    def _least(self, nodes: int) -> int:
        """The fewest passes that become one node, of a loop that makes so many nodes."""
        shortest = self.values.shortest_loop
        is_long = self._steps > MANY or nodes > MANY_NODES
        return min(shortest, SHORT) if is_long else shortest

    def _roll(
        self,
        statement: Looping,
        turns: Turns,
        rolling: Rolling,
        done: int,
    ) -> Visit:
        """Make the next passes one node; the result is how many these are."""
        room = self._limits.steps - self._steps
        most = rolling.left(done, room)
        least = self._least(most * (self.graph.count - rolling.start))
        if most < least:
            rolling.wait(done)
            return 0
        frame, kept, steps = self.frame, dict(self.frame.values), self._steps
        records, held = self.records, held_lists(kept)
        named = {**kept, **held.lists}
        effects, loops, outer = self._effects(), len(self._loops), self.values.any_pass
        state, passages = self._tensor_state(), self.values.passages
        told = passages.mark() if passages is not None else (0, 0)
        printed, notes, drawn = self.special.mark(), len(self.notes), self.graph.draws
        overwritten = {*self.values.overwritten}
        from gradcli.trace.template import AnyPass  # most programs start faster without

        template: AnyPass | None = None
        rolled: Rolled | None = None
        refused, in_place = "", set[str]()
        try:
            changed = rolling.changed(named, effects, state, self.values.current)
            if changed.counts and turns.length is None:
                most = min(most, MOST_RATES)
            least = min(least, PIECE)
            template = AnyPass(self.values, self.special.numbers, changed, done, least)
            self.values.any_pass, in_place = template, changed.in_place
            self._stand_in(template, changed, held, most)
            goes_on = yield turns.stand_in(template, done, most)
            begun, stood = dict(frame.values), self._tensor_state()
            leave = (yield self.body(statement.body)) if goes_on else Leave.BREAK
            self._check_effects(effects, drawn + changed.draws)
            if leave is not None:
                raise Unlike("it ends after a few passes")
            template.is_opaque |= len(self.autograd.freed) > state.freed
            self._check_changes(template, changed, begun, stood)
            self._check_lists(template)
            named_now = {**frame.values, **held.now()}
            template.close(self._stand(template), named_now, changed.made)
            versions = self._versions_in_a_pass(template)
            ends = turns.length is not None or template.ends
            rolled = template.rolled(most, named) if ends else None
        except Unlike as unlike:
            refused = str(unlike)
        except GradcliError:  # what is an error without a template, too, is told there
            refused = "a pass that stands for others is an error"
        finally:
            self.values.any_pass = outer
            state.restore()
            held.restore()
            self.graph.draws = drawn
            self.special.forget(printed)
            del self.notes[notes:]
            if passages is not None:
                passages.forget(told)
        each = turns.is_written + self._steps - steps
        self.frame, self._steps, frame.values, self.records = frame, steps, kept, records
        if refused:
            self.values.overwritten &= overwritten
            if template is not None:
                template.drop()
                del self._loops[loops:]
            rolling.later(done, refused)
            return 0
        if template is None or rolled is None or rolled.loop.count * each > room:
            raise self._too_many_steps(statement.span)
        self._steps += rolled.loop.count * each
        self.graph.draws += rolled.loop.count * changed.draws
        self._go_on_after(rolled, changed, versions)
        for name, value in rolled.lists.items():
            before = named[name]
            if isinstance(before, Items) and name in in_place:
                before.become(value)
            else:
                self.bind(name, value)
        self._loops.append(rolled.loop)
        self._takings |= {each.node: each for each in template.takings}
        rolling.again(done + rolled.loop.count)
        return rolled.loop.count

    # --- what holds tensors from pass to pass ---

    def _tensor_state(self) -> TensorState:
        return TensorState(self.autograd, self.leaves)

    def _stand_in(self, template: AnyPass, changed: Changed, held: HeldLists, most: int) -> None:
        """Put what stands for tensors and lists, in `most` passes, into their places."""
        for name, items in template.lists.items():
            if name in held.lists:
                held.put(name, items)
            else:
                self.frame.values[name] = items
        for name in changed.rebound:
            if name in held.lists:
                raise Unlike(f"{name} is another list in each pass")
            self._unbind(name)
        for (optimiser, key), (now, more) in changed.counts.items():
            optimiser.steps_of_passes[key] = range(now, now + most * more, more)
        for scheduler, each in changed.schedules.items():
            scheduler.stand_for(most, each)
        for place, node in template.tensors.items():
            self._make_alike(node, changed.tensors[place])
            if isinstance(place, str):
                self.frame.values[place] = node
            else:
                self._hold(place, node)

    def _unbind(self, name: str) -> None:
        """Take the value of a name away, so that it is an error to read it."""
        del self.frame.values[name]
        elsewhere = self.frame.holder(name)
        if elsewhere is not None or self.function_value(syntax.Name(name, (0, 0))) is not None:
            raise Unlike(f"{name} is not a tensor")

    def _hold(self, place: Node | GradOf | Remembered, node: Node) -> None:
        """Put a tensor where another one was."""
        if isinstance(place, Node):
            self.replace(place, node)
        elif isinstance(place, GradOf):
            self.autograd.grads[self.values.current(place.tensor)] = node
        else:
            optimiser, key = place.parameter
            optimiser.states[key][place.name] = node

    def _check_changes(
        self, template: AnyPass, changed: Changed, begun: Mapping[str, Value], stood: TensorState
    ) -> None:
        """Raise `Unlike` where the pass has changed what the pass before has left as it was: it has
        no stand-in.
        """
        for scheduler in changed.schedules:
            scheduler.check_passes()
        carried, state = {*template.tensors.values()}, self._tensor_state()
        current: Callable[[Any], Node] = self.values.current
        places = changed.tensors.keys()
        ends = {*map(current, carried)}
        for name, value in self.frame.values.items():
            before = begun.get(name)
            if (value is before and name in begun) or name in {*template.lists, *changed.rebound}:
                continue
            if before.__class__ is value.__class__ is Node and (
                before in carried or {current(before), current(value)} <= ends
            ):
                continue  # it has a stand-in, or is another name of what has one
            raise Unlike(f"{name} changes, which it did not in the pass before")
        grads = {current(each.tensor) for each in places if isinstance(each, GradOf)}
        if (
            state.changed_since(stood, template.first, current)
            or not state.grads_since(stood, template.first, (), current).keys() <= grads
            or not state.remembered_since(stood).keys() <= places
            or not state.counts_since(stood).keys() <= changed.counts.keys()
        ):
            raise Unlike("tensors change that did not in the pass before")

    def _check_lists(self, template: AnyPass) -> None:
        """Raise `Unlike` where a list gets what changes in place: its items are one tensor."""
        changing = {
            self.values.current(node)
            for place, node in template.tensors.items()
            if isinstance(place, Node)
        }
        for items in template.lists.values():
            tensors = [each for each in items.added if each not in self.values.taken_numbers]
            nodes = [self.values.current(each) for each in tensors if isinstance(each, Node)]
            if any(self.values.storage(each)[0] in changing for each in nodes):
                raise Unlike("it appends a tensor that changes in place")

    def _versions_in_a_pass(self, template: AnyPass) -> dict[Node, tuple[int, int]]:
        """How often tensors had changed in place before, and do in each pass."""
        changes, stand_ins = self.values.changes, template.tensors
        places = [place for place in stand_ins if isinstance(place, Node)]
        begun = {place: changes.get(stand_ins[place], 0) for place in places}
        return {
            place: (begun[place] - 1, changes.get(self.values.current(place), 0) - begun[place])
            for place in places
        }

    def _stand(self, template: AnyPass) -> dict[Place, Value]:
        """What is now where the template has put its stand-ins."""
        found: dict[Place, Value] = {}
        for place, node in template.tensors.items():
            if isinstance(place, Node):
                found[place] = self.values.current(node)
            elif isinstance(place, GradOf):
                found[place] = self.autograd.grads.get(self.values.current(place.tensor))
            elif isinstance(place, Remembered):
                optimiser, key = place.parameter
                found[place] = optimiser.states[key].get(place.name)
            else:
                found[place] = self.values.now(self.frame.values[place])
        return found

    def _go_on_after(
        self, rolled: Rolled, changed: Changed, versions: dict[Node, tuple[int, int]]
    ) -> None:
        """Put what the passes have left into its places."""
        for (optimiser, key), (now, more) in changed.counts.items():
            optimiser.steps[key] = now + rolled.loop.count * more
        for scheduler, each in changed.schedules.items():
            scheduler.advance(rolled.loop.count * each)
        for place, left in rolled.tensors.items():
            before, node = changed.tensors[place], left
            if rolled.took_numbers and left.known is None and before in self.special.numbers:
                number = self.values.evaluator.value(left).item()
                node = self.special.numbers.made_like(number, before)
            if node.known is None:
                self._make_alike(node, before)
            if isinstance(place, str):
                self.bind(place, node)
            else:
                self._hold(place, node)
        for tensor, (before_all, more) in versions.items():
            self.values.changes[self.values.current(tensor)] = before_all + rolled.loop.count * more

    def _make_alike(self, node: Node, other: Node) -> None:
        """A tensor is named and printed as another one: as a number, an array, with its dtype."""
        self.special.numbers.add_like(node, other)
        self.values.stay_array(node, other)
        if self.autograd.dtypes is not None:
            self.autograd.dtypes.add_like(node, other)
        if other in self.autograd.names:
            self.autograd.names.setdefault(node, self.autograd.names[other])

    def _check_effects(self, before: tuple[Any, ...], draws: int) -> None:
        """Raise `Unlike` where a pass prints or notes something, or has not made so many `draws` as
        the one before, `NotRolled` where it has done more that cannot be undone.
        """
        told, modes, *others = self._effects()
        if others != [*before[2:]]:
            raise NotRolled("a pass of a loop does more than the one before")
        if self.graph.draws != draws:
            raise Unlike("it draws other numbers than the pass before")
        if told != before[0]:
            raise Unlike("a pass prints, which others do not")
        if modes != before[1]:
            raise Unlike("a pass trains or evaluates what others do not")

    def _effects(self) -> tuple[Any, ...]:
        """What a pass may change besides the values of names, and tensors that a loop carries."""
        shared = self.graph.shares
        return (
            (self.special.mark(), len(self.notes), len(self.autograd.notes)),
            [*self.values.modes.items()],
            *(self.autograd.state() if shared else self.autograd.lasting_state()),
            self.graph.seed,
            self.records,
            len(self.leaves) if shared else 0,
            len(self.values.latest) if shared else 0,
            *self.frame.functions.values(),
            *(len(each) for frame in (self.frame.outer or ()) for each in frame.lists()),
        )

    def _note_unrolled(self, statement: Looping, done: int, reason: str) -> None:
        line, _ = self.source.locate(statement.span[0])
        message = f"line {line}: the {done:,} passes of the loop were unrolled: {reason}"
        self.notes.append(Note("unrolled", message))
