"""Records that differ in the numbers of their inputs alone, found among others."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeAlias

import numpy as np

from gradcli.batch.items import Item
from gradcli.batch.record import Parsed, array_without_strings
from gradcli.graph import Array

KEYS = {"id", "program", "set"}
"""What such a record has and no more."""
IDS = (int, str, type(None))

Member: TypeAlias = tuple[Item, dict[str, Any]]
"""One of the records that are alike, and its JSON."""


def groups(
    items: Iterable[Item], parsed: Iterable[Parsed | None], default: str | None
) -> list[list[Member]]:
    """Plain records by program and by the names and shapes of inputs."""
    found: dict[Any, list[Member]] = {}
    for item, record in zip(items, parsed, strict=True):
        if record is not None and record[1] is array_without_strings:
            document = record[0]
            given, program = document.get("set"), document.get("program", default)
            if (
                type(given) is dict
                and type(program) is str
                and type(document.get("id")) in IDS
                and document.keys() <= KEYS
            ):
                key = (program, *given, *map(_outline, given.values()))
                found.setdefault(key, []).append((item, document))
    return list(found.values())


def stack_inputs(members: Iterable[Member], inputs: Iterable[Array]) -> list[Array] | None:
    """The inputs of records, each with a new first axis; None unless all are like `inputs`."""
    rows = [[*document["set"].values()] for _, document in members]
    columns = []
    for place, like in enumerate(inputs):
        try:
            column = np.array([row[place] for row in rows])
        except ValueError:  # ragged
            return None
        if column.shape[1:] != like.shape or column.dtype.kind not in "fi":
            return None
        columns.append(column.astype(np.float64, copy=False))
    return columns


def _outline(value: Any) -> tuple[object, ...]:
    """The lengths of the first lists in each other, and whether they hold truth values."""
    lengths = []
    while type(value) is list and value:
        lengths.append(len(value))
        value = value[0]
    return (*lengths, type(value) is bool)
