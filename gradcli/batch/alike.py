"""Finds, among other records, those that differ only in the numbers of their inputs."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from itertools import chain
from typing import Any, TypeAlias

import numpy as np

from gradcli.batch.items import Item, Kind
from gradcli.batch.record import Document, glance, is_read_strictly
from gradcli.graph import Array

SHORT = 2**12
"""The most bytes of a line that is read before its turn comes."""
KEYS = {"id", "program", "set"}
"""The only keys that such a record may have."""
IDS = (int, str, type(None))
NUMBERS = {int, float}


Member: TypeAlias = tuple[int, Item, Document]
"""One of the records that are alike: its index among those that were read, and its JSON."""


def glances(items: Iterable[Item]) -> list[Document | None]:
    """The JSON of short lines, and None for all else."""
    return [
        glance(item.data)
        if len(item.data) <= SHORT and item.kind is Kind.LINE and item.data.startswith(b"{")
        else None
        for item in items
    ]


def groups(
    items: Iterable[Item], documents: Iterable[Document | None], default: str | None
) -> list[list[Member]]:
    """Plain records, grouped by program, names of inputs, and the outer form of their values."""
    found: dict[Any, list[Member]] = {}
    for place, (item, document) in enumerate(zip(items, documents, strict=True)):
        if document is not None:
            given, program = document.get("set"), document.get("program", default)
            if type(given) is dict and type(program) is str:
                sizes = item.data.count(b",")  # separates most shapes; `stack` compares them
                key = (program, type(document.get("id")), sizes, *document, *given)
                found.setdefault(key, []).append((place, item, document))
    return [members for members in found.values() if _is_plain(members[0][2])]


def strict(members: Sequence[Member]) -> list[Member]:
    """Those that are strict JSON, and whose inputs hold nothing but numbers."""
    _, _, document = members[0]
    texts = [document.get("id"), document.get("program")]
    strings = len(document) + len(document["set"]) + sum(type(text) is str for text in texts)
    lines = [item.data for _, item, _ in members]
    if is_read_strictly(b"\n".join(lines), strings * len(lines)):
        return [*members]
    return [
        member
        for member, line in zip(members, lines, strict=True)
        if is_read_strictly(line, strings)
    ]


def stack(
    members: Sequence[Member], inputs: Collection[Array]
) -> tuple[Sequence[Member], list[Array]]:
    """Those whose inputs are numbers and of the shapes of `inputs`, with all values of each input
    along a new first axis.
    """
    columns = _columns(members, inputs)
    if columns is None:
        members = [member for member in members if _columns([member], inputs)]
        columns = _columns(members, inputs)
    return members, columns or []


def _columns(members: Sequence[Member], inputs: Iterable[Array]) -> list[Array] | None:
    """The inputs of records; None if there are none, or if one of them is not as expected."""
    if not members:
        return None
    columns = []
    documents = [document["set"].values() for _, _, document in members]
    for *column, like in zip(*documents, inputs, strict=True):
        values = column
        for length in like.shape:
            if {*map(type, values)} != {list} or {*map(len, values)} != {length}:
                return None
            values = [*chain.from_iterable(values)]
        if not NUMBERS.issuperset(map(type, values)):
            return None
        columns.append(np.array(values, np.float64).reshape(len(members), *like.shape))
    return columns


def _is_plain(document: Document) -> bool:
    return document.keys() <= KEYS and type(document.get("id")) in IDS
