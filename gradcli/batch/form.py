"""Answers to records of one program: what they have in common is made into text once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from operator import add
from typing import TypeAlias

import orjson

from gradcli.diagnostics import GradcliError
from gradcli.graph import Array, Node
from gradcli.passes import Backward
from gradcli.report.json import arrays, string
from gradcli.report.numbers import nested
from gradcli.session import Prepared

Render: TypeAlias = Callable[[Mapping[Node, Array]], str]
"""Values of inputs, gradients and numbers to the members of the answer."""


def renderer(prepared: Prepared) -> Render:
    """The function for records of one program."""
    return Form(prepared).fill if _is_plain(prepared) else partial(_members, prepared)


def _is_plain(prepared: Prepared) -> bool:
    """Whether there are values, then the grads of at most one pass, and nothing else."""
    passes = prepared.backwards
    count = len(prepared.shown) + sum(len(each.grads) for each in passes)
    return len(passes) < 2 and not prepared.printed and count == len(prepared.engine.plan.outputs)


def _members(prepared: Prepared, feeds: Mapping[Node, Array]) -> str:
    result = prepared.answer(feeds)
    gradient = result.passes[-1].gradient if result.passes else {}
    printed = ", ".join(map(string, result.printed))
    return (
        f'"values": {"".join(arrays(result.values))}, '
        f'"gradient": {"".join(arrays(gradient))}, "grads": {"".join(arrays(result.grads))}'
        + (f', "printed": [{printed}]' if printed else "")
    )


class Form:
    """The same for a plain program: most of the text is made beforehand."""

    def __init__(self, prepared: Prepared) -> None:
        self._prepared = prepared
        self._backward: Backward | None = next(iter(prepared.backwards), None)
        self._values = _labels(prepared.shown)
        self._grads = _labels(self._backward.grads if self._backward else {})
        self._gradient = ""
        """Its text, where it is the same for all records."""
        if self._backward is None or not self._backward.given:
            self._gradient = self._gradient_text({})

    def fill(self, feeds: Mapping[Node, Array]) -> str:
        """See `Render`."""
        try:
            texts = [_text(array) for array in self._prepared.engine.run(feeds)]
        except GradcliError as error:
            raise error.located(self._prepared.program.source, None) from None
        count = len(self._values)
        return (
            f'"values": {_object(self._values, texts[:count])}, '
            f'"gradient": {self._gradient or self._gradient_text(feeds)}, '
            f'"grads": {_object(self._grads, texts[count:])}'
        )

    def _gradient_text(self, feeds: Mapping[Node, Array]) -> str:
        return "".join(arrays(self._backward.gradient(feeds) if self._backward else {}))


def _labels(names: Iterable[str]) -> list[str]:
    return [f"{string(name)}: " for name in names]


def _object(labels: list[str], texts: list[str]) -> str:
    return "{" + ", ".join(map(add, labels, texts)) + "}"


def _text(array: Array) -> str:
    """The array as `report` writes it.

    orjson is several times faster, and writes the same, but for what is not finite, and numbers
    that Python gives an exponent.
    """
    if array.dtype.char == "d":
        text = orjson.dumps(array.tolist())
        if not (b"e" in text or b"n" in text or b"0.0000" in text):
            return text.replace(b",", b", ").decode()
    return "".join(nested(array))
