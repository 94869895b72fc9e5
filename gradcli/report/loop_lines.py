"""Loops and lists of derived programs as lines of Python; for JAX a loop is a `scan`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from gradcli.language.construct import NOWHERE, name
from gradcli.language.printer import print_expression
from gradcli.language.syntax import Assign, Call, Expression, For, List, Name, Statement

STACKED = {"numpy": "np", "torch": "torch", "jax": "jnp"}
"""Where the function of a library is that stacks the items of a list."""


class Words(Protocol):
    """What writes all else."""

    library: str

    def title(self, text: str) -> str: ...
    def expression(self, node: Expression) -> Expression: ...
    def statements(self, statements: Sequence[Statement]) -> list[str]: ...


class LoopLines:
    """Writes loops, and lists that grow in them."""

    def __init__(self, words: Words) -> None:
        self._words = words
        self.counters: set[str] = set()
        """The numbers of passes: Python's integers."""
        self._lists: dict[str, list[str]] = {}
        """Lists, and what they hold before they grow."""
        self._assigned: list[str] = []
        """All other names, in order."""

    def of_list(self, statement: Assign) -> list[str]:
        """An assignment to a list: a new one, one more item, or all of it as one tensor."""
        words, title = self._words, _title(statement)
        match statement.value:
            case List(items=items) if all(isinstance(each, Name) for each in items):
                texts = [print_expression(words.expression(each)) for each in items]
                self._lists[title] = texts
                return [f"{words.title(title)} = [{', '.join(texts)}]"]
            case Call(callee=Name(id="append"), arguments=(_, item)):
                return [f"{words.title(title)}.append({print_expression(words.expression(item))})"]
        if title not in self._lists:
            self._assigned.append(title)
        return []

    def stacked(self, call: Call) -> Expression | None:
        """What stands for `stack(items)`: a scan has stacked them."""
        match call:
            case Call(callee=Name(id="stack"), arguments=(Name(id=items),)):
                if items in self._lists:
                    listed = name(self._words.title(items))
                    stack = name(f"{STACKED[self._words.library]}.stack")
                    is_scan = self._words.library == "jax"
                    return listed if is_scan else Call(stack, (listed,), (), NOWHERE)
        return None

    def loop(self, loop: For) -> list[str]:
        """The lines of a loop."""
        words = self._words
        assert isinstance(loop.target, Name)
        counter = loop.target.id
        self.counters.add(counter)
        before = [*self._assigned]
        numbers = print_expression(loop.iterable).removeprefix("range")
        if words.library != "jax":
            body = [f"    {line}" for line in words.statements(loop.body)]
            return [f"for {words.title(counter)} in range{numbers}:", *body]
        inside = [each for each in loop.body if isinstance(each, Assign)]
        grown = [each for each in inside if _is_append(each)]
        changed = {_title(each) for each in inside}
        carried = [words.title(each) for each in dict.fromkeys(before) if each in changed]
        items = [words.title(_title(each)) for each in grown]
        lines = [f"    {_tuple(carried)} = carried"]
        for each in inside:
            if each in grown:
                assert isinstance(each.value, Call)
                item = print_expression(words.expression(each.value.arguments[1]))
                lines.append(f"    {words.title(_title(each))} = {item}")
            else:
                lines += [f"    {line}" for line in words.statements([each])]
        left = f"{_tuple(carried)}, {_tuple(items)}"
        starts = {each: self._lists[_title(made)] for each, made in zip(items, grown, strict=True)}
        return [
            f"def body(carried, {words.title(counter)}):",
            *lines,
            f"    return {left}",
            "",
            *(f"{each}_ = {_tuple(start)}" for each, start in starts.items() if start),
            f"{left} = jax.lax.scan(body, {_tuple(carried)}, jnp.arange{numbers})",
            *(
                f"{each} = jnp.concatenate([jnp.stack({each}_), {each}])"
                for each, start in starts.items()
                if start
            ),
        ]


def _is_append(statement: Assign) -> bool:
    match statement.value:
        case Call(callee=Name(id="append")):
            return True
    return False


def _title(statement: Assign) -> str:
    assert isinstance(statement.target, Name)
    return statement.target.id


def _tuple(titles: Sequence[str]) -> str:
    return f"({', '.join(titles)}{',' if len(titles) == 1 else ''})"
