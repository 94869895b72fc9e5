"""Answers to records of one program: the text that they have in common is made once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property, partial
from itertools import chain, repeat
from typing import TypeAlias

import numpy as np
import orjson

from gradcli.batch.stack import Stack, is_stackable
from gradcli.data.numbers import nested
from gradcli.diagnostics import GradcliError, Note
from gradcli.graph import Array, Node
from gradcli.passes import Backward
from gradcli.report.json import Data, encode, noted, string
from gradcli.session import Prepared

TEXT_BYTES = 104
"""Bytes for an element of an answer: its value, and its text while that is made and sent."""
SMALLEST, LARGEST = 1e-4, 1e16
"""Python writes smaller numbers, and those from here on, with an exponent."""

Render: TypeAlias = Callable[[Mapping[Node, Array]], str]
"""From the values of inputs, gradients and numbers to the text of the answer's members."""


def renderer(prepared: Prepared) -> Render:
    """The function for records of one program. Raises `limit-memory` for answers of long text."""
    passes = [each.grads.values() for each in prepared.backwards]
    shown = [*prepared.shown.values(), *prepared.grads.values(), *chain(*passes)]
    text = TEXT_BYTES * sum(node.size for node in shown)
    prepared.graph.ledger.require(text, "an answer, as text,")
    return Form(prepared) if _is_plain(prepared) else partial(_members, prepared)


def _is_plain(prepared: Prepared) -> bool:
    """Whether there are values, then the grads of at most one pass, and nothing else."""
    passes = prepared.backwards
    count = len(prepared.shown) + sum(len(each.grads) for each in passes)
    return (
        len(passes) < 2
        and not prepared.printed.lines
        and count == len(prepared.engine.plan.outputs)
    )


def _members(prepared: Prepared, feeds: Mapping[Node, Array]) -> str:
    result = prepared.answer(feeds)
    members: dict[str, Data] = {
        "values": result.values,
        "gradient": result.passes[-1].gradient if result.passes else {},
        "grads": result.grads,
    }
    if result.printed:
        members["printed"] = result.printed
    if prepared.notes:
        members["notes"] = noted(prepared.notes)
    return "".join(encode(members))[1:-1]


class Form:
    """The function for a plain program: most of the text is made beforehand."""

    def __init__(self, prepared: Prepared) -> None:
        self._prepared = prepared
        self._run = prepared.engine.run
        self._backward: Backward | None = next(iter(prepared.backwards), None)
        grads = self._backward.grads if self._backward else {}
        self.pattern = (
            f'"values": {_places(prepared.shown)}, "gradient": %s, "grads": {_places(grads)}'
            + _notes(prepared.notes)
        )
        """The members of an answer, with a `%s` for each part that differs between answers."""
        self._gradient = ""
        """Its text, if it is the same for all records."""
        if self._backward is None or not self._backward.given:
            self._gradient = self._gradient_text({})

    def __call__(self, feeds: Mapping[Node, Array]) -> str:
        """See `Render`."""
        try:
            texts = [_text(array) for array in self._run(feeds)]
        except GradcliError as error:
            raise error.located(self._prepared.program.source, None) from None
        texts.insert(len(self._prepared.shown), self._gradient or self._gradient_text(feeds))
        return self.pattern % tuple(texts)

    @cached_property
    def stack(self) -> Stack | None:
        """The program for many records at once, where that is possible."""
        return Stack(self._prepared) if is_stackable(self._prepared) else None

    def together(
        self, feeds: Mapping[Node, Array], columns: Sequence[Array]
    ) -> list[Iterable[str]]:
        """The texts for the `%s` of `pattern`, for many answers.

        `columns` are inputs, with an axis for records in front.
        """
        assert self.stack is not None
        texts: list[Iterable[str]] = [*map(_texts, self.stack.run(feeds, columns))]
        texts.insert(len(self._prepared.shown), repeat(self._gradient))
        return texts

    def _gradient_text(self, feeds: Mapping[Node, Array]) -> str:
        return "".join(encode(self._backward.gradient(feeds) if self._backward else {}))


def _places(names: Iterable[str]) -> str:
    """A JSON object with a `%s` for each value."""
    members = (string(name).replace("%", "%%") + ": %s" for name in names)
    return "{" + ", ".join(members) + "}"


def _notes(notes: Sequence[Note]) -> str:
    """The member for a program's notes, if it has any; they are the same for all its records."""
    text = "".join(encode(noted(notes))).replace("%", "%%")
    return f', "notes": {text}' if notes else ""


def _text(array: Array) -> str:
    """The array as `gradcli.report` writes it."""
    if array.dtype.char == "d":
        text = orjson.dumps(array.tolist()).decode()
        if _is_same(text):
            return text.replace(",", ", ")
    return "".join(nested(array))


def _texts(array: Array) -> list[str]:
    """The same for each row, of which there is at least one."""
    opening, closing = "[" * (array.ndim - 1), "]" * (array.ndim - 1)
    text = orjson.dumps(np.ascontiguousarray(array), option=orjson.OPT_SERIALIZE_NUMPY).decode()
    texts = text[array.ndim : -array.ndim].replace(",", ", ").split(f"{closing}, {opening}")
    if opening:
        texts = [f"{opening}{each}{closing}" for each in texts]
    if not _is_same(text):
        sizes = np.abs(array).reshape(len(array), -1)
        same = (sizes == 0) | (sizes >= SMALLEST) & (sizes < LARGEST)
        for place in np.flatnonzero(~same.all(axis=1)).tolist():
            texts[place] = "".join(nested(array[place]))
    return texts


def _is_same(text: str) -> bool:
    """Whether orjson, which is several times faster, writes the same text as `gradcli.report`: it
    does unless a number is not finite, or Python writes it with an exponent.
    """
    return not ("e" in text or "n" in text or "0.0000" in text)
