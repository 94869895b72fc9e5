"""Statements that differ in their names alone, run as the passes of a loop."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from gradcli.language import syntax
from gradcli.ops.loops import NotRolled, Stretch
from gradcli.trace.frames import Frame
from gradcli.trace.items import Items, NamedRows
from gradcli.trace.loops import Repeated
from gradcli.trace.renamings import Renaming
from gradcli.trace.values import Value

_TRIED = 8
"""So many passes are traced one by one before it is clear that they do not become one node."""


class Renamed(Repeated):
    """A block with names as a loop runs it: the statements of the first pass again and again."""

    def __init__(self, program: syntax.Program, renaming: Renaming, frame: Frame) -> None:
        """`frame` is where the statements are run."""
        statements = renaming.block.of(program)
        super().__init__(statements, renaming.block.passes)
        self._frame, self._renaming = frame, renaming
        first = statements[: renaming.block.length]
        targets = {each: statement.target.id for each, statement in enumerate(first)}  # type: ignore[union-attr]
        self._lists = {f"values of {targets[number]}": targets[number] for number in renaming.names}
        """By a name that no program can write: the name whose values stand in a list of it."""
        self._body = (*first, Gathering(self))
        self._held: dict[str, Value] = {}

    @property
    def body(self) -> Sequence[syntax.Statement]:
        """The statements of the first pass, and what gathers their values."""
        return self._body  # type: ignore[return-value]

    @property
    def last(self) -> syntax.Name:
        """The name that the last statement binds."""
        return self._statements[-1].target  # type: ignore[union-attr,return-value]

    def begin(self, done: int) -> bool:
        """Begin the pass after so many; whether there is one. Raises `NotRolled` where the passes
        do not become one node.
        """
        values = self._frame.values
        if done == 0:
            self._prepare()
        elif done == self.length:
            return False
        else:
            if done == _TRIED and not all(values[each].is_rolled for each in self._lists):  # type: ignore[union-attr]
                raise NotRolled("what a program has written out is no loop")
            for name, source in self._renaming.carries:
                values[name] = values[source]
        return True

    def _prepare(self) -> None:
        values = self._frame.values
        own = (name for names in self._renaming.names.values() for name in names)
        known = {name for name, _ in self._renaming.carries}.difference(self._lists.values())
        if not values.keys().isdisjoint(own) or not known <= values.keys():
            raise NotRolled("a name of a loop that is written out has a value before")
        self._held = {name: values[name] for name in known}
        values.update((name, Items([])) for name in self._lists)

    def gather(self) -> None:
        """Remember the values that a pass has found."""
        values = self._frame.values
        for name, source in self._lists.items():
            values[name] = values[name].appended(values[source])  # type: ignore[union-attr]

    def end(self) -> list[NamedRows]:
        """Give all names their values; those that are no nodes are the result."""
        values, gathered = self._frame.values, list[NamedRows]()
        columns = [*self._renaming.names.values()]
        lists = [values.pop(name) for name in self._lists]
        values.update(self._held)
        values.update(dict.fromkeys(chain.from_iterable(zip(*columns, strict=True))))
        for names, items in zip(columns, lists, strict=True):
            assert isinstance(items, Items)
            place = 0
            for each in items.entries():
                if isinstance(each, Stretch):
                    gathered.append(NamedRows(names[place : place + each.rows.shape[0]], each.rows))
                    place += each.rows.shape[0]
                else:
                    values[names[place]] = each
                    place += 1
        return gathered


class Gathering:
    """What stands at the end of a pass of a block with names."""

    def __init__(self, block: Renamed) -> None:
        self.run = block.gather
