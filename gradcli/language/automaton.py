"""A small LALR automaton that runs on the compiled grammar, and builds a tree of tokens."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from itertools import chain, islice
from typing import Any, TypeAlias

from gradcli.diagnostics import GradcliError, Span
from gradcli.language.builder import Builder, Parts
from gradcli.language.syntax import SAME, SPLICE, Statement
from gradcli.language.tokens import NUMBER_OF, TABLES, Tokens

_Build: TypeAlias = Callable[[Builder, Parts, Span], Any]
_Step: TypeAlias = tuple[_Build, tuple[int, ...], int, int]
"""What is built, the places of its parts, and the first and the last token of its text. Parts are
among the tokens of the statement and what was built before, one behind the other.
"""
Recipe: TypeAlias = tuple[_Step, ...]
_Value: TypeAlias = tuple[tuple[int, ...], int]
"""The places of parts, and the first token of their text."""
_Pair: TypeAlias = tuple[_Build, bool]
"""What builds the second token, and whether the first is a part of the row too."""

_NAME = NUMBER_OF["NAME"]
_SEPARATOR = NUMBER_OF["_SEPARATOR"]
BETWEEN = 4
"""The states of the automaton between the statements of a program, behind the second one."""
LONG = 5000
"""In a text of more tokens, statements that are alike are built in the same way."""
SHORT = 64
"""The most tokens of such a statement."""
_NOT = NUMBER_OF["NOT"]
_SURE = frozenset(
    (Builder.assign, Builder.attribute, Builder.call, Builder.name, Builder.number,
     Builder.operation)
)  # fmt: skip
"""What can be no error where nothing else is in a statement, a target and numbers aside."""


def _splice(_builder: Builder, parts: Parts, _span: Span) -> Parts:
    return parts


def _build_of(label: str) -> _Build | None:
    if label == SAME:
        return None
    if label == SPLICE:
        return _splice
    build: _Build = getattr(Builder, label)
    return build


_REDUCTIONS = [
    (
        _build_of(rule.label),
        rule.head,
        rule.length,
        rule.parts if len(rule.parts) < rule.length else None,
        rule.spliced,
    )
    for rule in TABLES.rules
]


@cache
def _settled(below: int, state: int, kind: int) -> int:
    """The state after the reductions of one node, which is not changed, that come next: a number
    passes all levels of precedence.
    """
    while (action := TABLES.actions[state][kind]) < 0:
        build, head, length, *_ = _REDUCTIONS[-action]
        if build is not None and (build is not Builder.operation or length > 1):
            break
        state = TABLES.gotos[below][head]
    return state


def run(tokens: Tokens, start: str) -> tuple[Any, frozenset[str]]:
    """The tree that the builder makes of the whole text, and the names in the text."""
    # Rows that are made already are taken from lists: a call for each would take longest of all.
    actions, gotos, reductions = TABLES.actions.made, TABLES.gotos.made, _REDUCTIONS
    token_starts, token_ends = tokens.starts, tokens.ends
    builder = Builder(tokens)
    state = TABLES.starts[start]
    states = [state]
    values: list[Any] = []
    starts: list[int] = []  # the place in the text where each value begins
    recipes = _Recipes(tokens, builder) if len(tokens.kinds) > LONG else None
    found = iter(enumerate(tokens.kinds))
    for place, kind in found:
        while (action := (actions[state] or TABLES.actions[state])[kind]) < 0:
            build, head, length, positions, spliced = reductions[-action]
            if build is None:
                state = states[-1] = _settled(states[-2], state, kind)
                continue
            end = token_ends[place - 1]
            if length == 1 and positions is None:
                part = values[-1]
                parts = part if spliced and type(part) is list else [part]
                values[-1] = build(builder, parts, (starts[-1], end))
                below = states[-2]
                state = (gotos[below] or TABLES.gotos[below])[head]
                state = states[-1] = _settled(below, state, kind)
                continue
            first = len(values) - length
            parts = values[first:]
            if positions is not None:
                parts = [parts[i] for i in positions]
            if spliced and list in map(type, parts):
                parts = _flat(parts)
            begin = starts[first] if length else 0
            values[first:] = (build(builder, parts, (begin, end)),)
            starts[first:] = (begin,)
            del states[first + 1 :]
            below = states[-1]
            state = (gotos[below] or TABLES.gotos[below])[head]
            states.append(state)
            if build is _splice and recipes is not None:
                count = recipes.pairs(place, below, state, values[-1])
                if count:
                    place, kind = next(islice(found, count - 1, count))  # noqa: PLW2901
        if not action:
            from gradcli.language.mistakes import explain

            expected = {kind for kind in range(len(TABLES.terminals)) if _accepts(states, kind)}
            raise explain(tokens, place, expected)
        state = action
        states.append(state)
        values.append(place)
        starts.append(token_starts[place])
        if kind == _SEPARATOR and recipes is not None and _is_between(states, values):
            statements, count = recipes.statements(place + 1, states)
            if count:
                values[1] += statements
                values[2] = place + count
                starts[2] = token_starts[place + count]
                next(islice(found, count - 1, count))
    return values[-2], frozenset(builder.names)


def _is_between(states: list[int], values: Parts) -> bool:
    """Whether the automaton is between two statements of a program, behind the second one: it has
    the first one, a row of others, and a separator.
    """
    return len(states) == BETWEEN and type(values[1]) is list


class _Recipes(dict[bytes, "Recipe | None"]):
    """How statements are built of their tokens, by the kinds of these: what the automaton does
    depends on nothing else. A statement whose kinds were met before is built without it.
    """

    def __init__(self, tokens: Tokens, builder: Builder) -> None:
        super().__init__()
        self._tokens, self._builder = tokens, builder
        self._kinds = bytes(tokens.kinds)
        self._states: list[int] = []
        self._pairs: dict[tuple[int, int, bytes], _Pair | None] = {}

    def statements(self, place: int, states: list[int]) -> tuple[list[Statement], int]:
        """The statements from a token on, as many as there are recipes for, and the count of their
        tokens with the separators behind them; the automaton is between statements.
        """
        self._states = states
        kinds, begin = self._kinds, place
        places: dict[bytes, list[int]] = {}
        while (end := kinds.find(_SEPARATOR, place, place + SHORT)) >= 0:
            written = kinds[place : end + 1]
            if self[written] is None:
                break
            row = places.setdefault(written, [])
            while kinds[place : place + len(written)] == written:
                row.append(place)
                place += len(written)
        try:
            built = self._built(places)
        except GradcliError:  # there may be another one before it in the text
            kinds_at = {first: written for written, row in places.items() for first in row}
            for first in sorted(kinds_at):
                self._built({kinds_at[first]: [first]})
            raise
        return [built[each] for each in sorted(built)], place - begin

    def _built(self, places: Mapping[bytes, Sequence[int]]) -> dict[int, Statement]:
        """Statements by their first token, of which the places are given by kinds: those of the
        same kinds are built together, step by step, as that takes less long.
        """
        built = dict[int, Statement]()
        for kinds, begins in places.items():
            built.update(zip(begins, self._now(kinds, begins), strict=True))
        return built

    def _now(self, kinds: bytes, begins: Sequence[int]) -> Sequence[Statement]:
        """Statements of the same kinds that begin at some tokens."""
        columns: list[Sequence[Any]] = [[]] * len(kinds)
        for build, picked, first, last in self[kinds] or ():
            for token in picked:
                columns[token] = columns[token] or [begin + token for begin in begins]
            parts = [columns[each] for each in picked]
            columns.append(self._column(build, parts, self._spans(begins, first, last)))
        return columns[-1]

    def _spans(self, begins: Sequence[int], first: int, last: int) -> list[Span]:
        """Where a part of statements stands in the text, by its first and its last token."""
        starts, ends = self._tokens.starts, self._tokens.ends
        return [(starts[begin + first], ends[begin + last]) for begin in begins]

    def _column(
        self, build: _Build, parts: Sequence[Sequence[Any]], spans: Sequence[Span]
    ) -> list[Any]:
        """What is built of the same parts of several texts."""
        builder = self._builder
        if build is Builder.name and builder.is_ascii:
            return builder.names_at(spans)
        rows = zip(*parts, spans, strict=True)
        return [build(builder, each, span) for *each, span in rows]

    def pairs(self, place: int, below: int, state: int, row: list[Any]) -> int:
        """Add to a row what stands from a token on, as long as it is pairs such as `+ x` that leave
        the automaton in the same two states; the count of their tokens.
        """
        kinds, starts, ends = self._kinds, self._tokens.starts, self._tokens.ends
        known, begin = self._pairs, place
        while True:
            key = below, state, kinds[place : place + 3]
            if key not in known:
                known[key] = _pair(*key)
            pair = known[key]
            if pair is None:
                return place - begin
            end = place + 2
            while kinds[end : end + 3] == key[2]:
                end += 2
            build, is_first_part = pair
            behind = slice(place + 1, end, 2)
            spans = [*zip(starts[behind], ends[behind], strict=True)]
            seconds = self._column(build, [range(end)[behind]], spans)
            firsts = range(place, end, 2)
            pairs = chain.from_iterable(zip(firsts, seconds, strict=True))
            row += pairs if is_first_part else seconds
            place = end

    def __missing__(self, kinds: bytes) -> Recipe | None:
        recipe = self[kinds] = _recipe(kinds, [*self._states], [])
        return recipe


def is_sure(kinds: bytes) -> bool:
    """Whether a statement of ASCII, given by the kinds of its tokens and a separator, gives a name
    a value, and nothing in it can be an error but a number.
    """
    recipe = _recipe(kinds, [*_between()], []) or ()
    builds = [build for build, *_ in recipe]
    if not recipe or not _SURE.issuperset(builds) or _NOT in kinds:
        return False
    target = recipe[-1][1][0] - len(kinds)
    return builds[-1] is Builder.assign and target >= 0 and builds[target] is Builder.name


@cache
def _between() -> list[int]:
    """The states of the automaton between two statements of a program."""
    states = [TABLES.starts["program"]]
    _recipe(bytes([_NAME, _SEPARATOR] * 2), states, [])
    return states


def _pair(below: int, state: int, kinds: bytes) -> _Pair | None:
    """How the first two of three tokens are added to a row that the automaton has just reduced, if
    it comes back to the same state before the third.
    """
    states, values = [below, state], list[_Value]()
    recipe = _recipe(kinds, states, values)
    if recipe is None or len(recipe) != 1 or len(values) != 2:
        return None
    build, _, *tokens = recipe[0]
    joins, head, length, positions, _ = _REDUCTIONS[-TABLES.actions[states[-1]][kinds[2]]]
    if tokens != [1, 1] or joins is not _splice or length != 3:
        return None
    if TABLES.gotos[below][head] != state:
        return None
    return build, positions is None or 1 in positions


def _recipe(kinds: bytes, states: list[int], values: list[_Value]) -> Recipe | None:
    """The recipe of a statement and the separator behind it, by a run of the automaton from a state
    between statements; None where they are no whole statement. What the automaton has when the
    statement joins those before it is left in `states` and `values`.
    """
    recipe = list[_Step]()
    for place, kind in enumerate(kinds):
        while (action := TABLES.actions[states[-1]][kind]) < 0:
            build, head, length, positions, _ = _REDUCTIONS[-action]
            if length > len(values):  # the statement joins those before it
                return tuple(recipe)
            kept = len(values) - length
            taken = values[kept:] if positions is None else [values[kept + i] for i in positions]
            parts = tuple([part for row, _ in taken for part in row])
            begin = values[kept][1] if length else place
            if not (build in (None, _splice) or (build is Builder.operation and len(parts) == 1)):
                recipe.append((build, parts, begin, place - 1))
                parts = (len(kinds) + len(recipe) - 1,)
            del states[-length or len(states) :], values[kept:]
            values.append((parts, begin))
            states.append(TABLES.gotos[states[-1]][head])
        if not action:
            return None
        states.append(action)
        values.append(((place,), place))
    return None


def _flat(parts: Parts) -> list[Any]:
    """The parts, with lists among them replaced by their items; a list that comes first is extended
    in place.
    """
    row: list[Any] = parts[0] if type(parts[0]) is list else [parts[0]]
    for part in parts[1:]:
        if type(part) is list:
            row += part
        else:
            row.append(part)
    return row


def _accepts(states: list[int], kind: int) -> bool:
    """Whether a token of this kind can come next."""
    kept, new = len(states), [states[-1]]
    kept -= 1
    while (action := TABLES.actions[new[-1]][kind]) < 0:
        rule = TABLES.rules[-action]
        popped = min(rule.length, len(new))
        del new[len(new) - popped :]
        kept -= rule.length - popped
        new.append(TABLES.gotos[new[-1] if new else states[kept - 1]][rule.head])
    return action > 0
