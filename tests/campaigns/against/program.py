"""A random program as a tree that is written in two ways: gradcli's language, and PyTorch's."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, TypeVar

HERE, TORCH = 0, 1


class Form(NamedTuple):
    """The two spellings of a call or a statement; `{0}`, `{1}` … stand for its parts."""

    here: str
    torch: str


def same(text: str) -> Form:
    """A form that both write alike."""
    return Form(text, text)


@dataclass(frozen=True, slots=True, eq=False)
class Node:
    """An expression. `value` is what PyTorch gave when the program was made."""

    form: Form
    args: tuple[Node, ...] = ()
    value: Any = None

    def text(self, side: int) -> str:
        if not self.args:
            return self.form[side]
        return self.form[side].format(*(each.text(side) for each in self.args))


@dataclass(frozen=True, slots=True, eq=False)
class Line:
    """A statement of one line; `binds` are the names that it gives values to."""

    form: Form
    args: tuple[Node, ...] = ()
    binds: tuple[str, ...] = ()

    def text(self, side: int, indent: str = "") -> str:
        return indent + self.form[side].format(*(each.text(side) for each in self.args))


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """Lines under heads: a loop, branches, or a function."""

    parts: tuple[tuple[Line, tuple[Line, ...]], ...]
    binds: tuple[str, ...] = ()

    def text(self, side: int, indent: str = "") -> str:
        deeper = indent + "    "
        if side == TORCH:
            return "\n".join(
                line
                for head, body in self.parts
                for line in (
                    head.text(side, indent) + ":",
                    *(each.text(side, deeper) for each in body),
                )
            )
        return indent + " ".join(
            head.text(side) + " {\n" + "\n".join(each.text(side, deeper) for each in body) + "\n}"
            for head, body in self.parts
        )


Statement = Line | Block


@dataclass(frozen=True, slots=True, eq=False)
class Program:
    """What is run on both sides."""

    inputs: dict[str, Any] = field(default_factory=dict)
    """NumPy arrays by name. Those of floats are leaves."""
    statements: tuple[Statement, ...] = ()
    output: str | None = None
    """What is differentiated; None: the program calls `backward` itself."""
    wrt: tuple[str, ...] = ()
    retained: tuple[str, ...] = ()
    gradient: Any = None
    dtype: str = "float64"

    def text(self, side: int) -> str:
        return "\n".join(each.text(side) for each in self.statements)

    @property
    def size(self) -> int:
        return len(self.text(HERE)) + sum(int(array.size) for array in self.inputs.values())


def smaller(program: Program) -> Iterator[Program]:
    """Programs that are this one with something left out, the boldest cuts first."""
    statements = program.statements
    for place in reversed(range(len(statements))):
        yield replace(program, statements=(*statements[:place], *statements[place + 1 :]))
    for name in program.retained:
        yield replace(program, retained=tuple(each for each in program.retained if each != name))
    for name in program.wrt:
        if len(program.wrt) > 1:
            yield replace(program, wrt=tuple(each for each in program.wrt if each != name))
    for place, statement in enumerate(statements):
        for cut in _cuts(statement):
            yield replace(program, statements=(*statements[:place], cut, *statements[place + 1 :]))
    for name in program.inputs:
        rest = {key: value for key, value in program.inputs.items() if key != name}
        wrt = tuple(each for each in program.wrt if each != name)
        yield replace(program, inputs=rest, wrt=wrt)


def _cuts(statement: Statement) -> Iterator[Statement]:
    """The statement with a part of an expression in place of the whole, or without a line."""
    if isinstance(statement, Line):
        for args in _cut_args(statement.args):
            yield replace(statement, args=args)
        return
    for place, (head, body) in enumerate(statement.parts):
        changed: list[tuple[Line, tuple[Line, ...]]] = []
        changed += [(replace(head, args=args), body) for args in _cut_args(head.args)]
        for number, line in enumerate(body):
            if len(body) > 1 and line.binds:  # without its count of passes a loop may not end
                changed.append((head, (*body[:number], *body[number + 1 :])))
            for args in _cut_args(line.args):
                cut = replace(line, args=args)
                changed.append((head, _exchanged(body, number, cut)))
        for part in changed:
            yield replace(statement, parts=_exchanged(statement.parts, place, part))


Item = TypeVar("Item")


def _exchanged(items: tuple[Item, ...], place: int, item: Item) -> tuple[Item, ...]:
    return (*items[:place], item, *items[place + 1 :])


def _cut_args(args: tuple[Node, ...]) -> Iterator[tuple[Node, ...]]:
    """The arguments with one expression somewhere replaced by a part of itself."""
    for place, node in enumerate(args):
        for child in node.args:
            yield _exchanged(args, place, child)
        for inner in _cut_args(node.args):
            yield _exchanged(args, place, replace(node, args=inner))
