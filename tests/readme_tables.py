"""The README's tables that are made from the code: `python -m tests.readme_tables` writes them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from gradcli.analysis.catalogue import groups
from gradcli.ops import Function
from tests.ops.goldens.deviations import DEVIATIONS, Deviation
from tests.ops.goldens.golden import Array, decode

README = Path(__file__).parents[1] / "README.md"
STORED = Path(__file__).parent / "ops" / "goldens" / "deviations.json"


def functions() -> list[str]:
    """The functions of the language by group, aliases behind the name."""
    rows = [(group, ", ".join(map(_names, members))) for group, members in groups().items()]
    count = sum(len(members) for members in groups().values())
    return [f"{count} functions, aliases in brackets:", "", *table(("group", "functions"), rows)]


def _names(function: Function) -> str:
    aliases = ", ".join(f"`{alias}`" for alias in function.aliases)
    return f"`{function.name}` ({aliases})" if aliases else f"`{function.name}`"


def deviations() -> list[str]:
    """Where gradcli differs from PyTorch at single points, what both give, and why."""
    stored = json.loads(STORED.read_text())
    rows = [
        (
            deviation.where,
            f"`{deviation.program}`" + _at(deviation.inputs),
            theirs(deviation, stored[deviation.where]),
            ours(deviation),
            deviation.reason,
        )
        for deviation in DEVIATIONS
    ]
    return table(("where", "program", "PyTorch", "gradcli", "why"), rows)


def ours(deviation: Deviation) -> str:
    """What gradcli gives."""
    if "error" in deviation.here:
        return f"the error `{deviation.here['error']}`"
    return "; ".join(f"{_what(name)} {number(value)}" for name, value in deviation.here.items())


def theirs(deviation: Deviation, stored: Mapping[str, Any]) -> str:
    """What PyTorch gives for what gradcli answers differently."""
    if "error" in stored:
        return "an error"
    wanted = ("value",) if "error" in deviation.here else deviation.here
    found = {name: decode(stored[name]) if name in stored else None for name in wanted}
    return "; ".join(
        f"{_what(name)} {'none' if value is None else number(value)}"
        for name, value in found.items()
    )


def _at(inputs: Mapping[str, Any]) -> str:
    return " at " + ", ".join(f"{name} = {number(value)}" for name, value in inputs.items())


def _what(name: str) -> str:
    return name if name == "value" else f"{name}.grad"


def number(value: Any) -> str:
    """A short text of one number, or of many that may all be equal."""
    array: Array = np.asarray(value, dtype=float)
    texts = [f"{each:.6g}" for each in array.ravel()]
    if not array.shape:
        return texts[0]
    return f"[{texts[0]}, …]" if len(texts) > 4 else f"[{', '.join(texts)}]"


def table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """The lines of a table in Markdown."""

    def line(cells: Sequence[str]) -> str:
        return "| " + " | ".join(cell.replace("|", r"\|") for cell in cells) + " |"

    return [line(headings), line(["---"] * len(headings)), *map(line, rows)]


TABLES = {"functions": functions, "deviations": deviations}


def updated(text: str) -> str:
    """The text with what stands between the marks of each table made anew."""
    for name, make in TABLES.items():
        text = replaced(text, name, make())
    return text


def replaced(text: str, name: str, lines: Iterable[str]) -> str:
    """The text with these lines between the marks of a name."""
    begin, end = f"<!-- begin {name} -->\n", f"<!-- end {name} -->"
    before, _, rest = text.partition(begin)
    _, _, after = rest.partition(end)
    return "\n".join([before + begin.rstrip("\n"), *lines, end + after])


if __name__ == "__main__":
    README.write_text(updated(README.read_text()))
