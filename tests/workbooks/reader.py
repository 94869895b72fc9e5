"""Workbooks read and changed as what they are: XML in a zip."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from shutil import which
from subprocess import run
from typing import NamedTuple
from xml.etree import ElementTree
from zipfile import ZipFile

import pytest

SPACE = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
NUMBERS = re.compile(r'(<c r="{}"[^>]*>)<v>[^<]*</v>')


class Cell(NamedTuple):
    """A number or a text, and the formula that gives it."""

    value: float | str | None
    formula: str


Sheet = dict[str, Cell]


@dataclass(frozen=True)
class Workbook:
    """The cells of each sheet, by place."""

    steps: Sheet
    differences: Sheet

    def blocks(self) -> dict[str, list[str]]:
        """By the title of each block the places of its elements."""
        found: dict[str, list[str]] = {}
        title = ""
        gradcli = next(place for place, cell in self.steps.items() if cell.value == "gradcli")
        last = column(gradcli) - 1
        rows = sorted({row(place) for place in self.steps if row(place) > 2})
        for at in rows:
            head = self.steps.get(f"A{at}")
            if head is not None:
                title = str(head.value)
            if title:
                cells = [place for place in self.steps if row(place) == at]
                elements = [each for each in cells if 3 <= column(each) <= last]
                found.setdefault(title, []).extend(sorted(elements, key=column))
        return found

    def beside(self, place: str, times: int = 1) -> str:
        """gradcli's number of an element, or with `times=2` its central difference."""
        start = next(place for place, cell in self.steps.items() if cell.value == "gradcli")
        return f"{letters(column(place) + times * (column(start) - 3))}{row(place)}"


def row(place: str) -> int:
    return int(place.lstrip("ABCDEFGHIJKLMNOPQRSTUVWXYZ"))


def column(place: str) -> int:
    found = 0
    for letter in place.rstrip("0123456789"):
        found = found * 26 + ord(letter) - ord("A") + 1
    return found


def letters(number: int) -> str:
    found = ""
    while number:
        number, rest = divmod(number - 1, 26)
        found = chr(ord("A") + rest) + found
    return found


def read(file: Path) -> Workbook:
    """The cells of a file, with the values that it has."""
    with ZipFile(file) as archive:
        shared = _shared(archive)
        steps, differences = (
            _sheet(archive.read(f"xl/worksheets/sheet{number}.xml"), shared) for number in (2, 3)
        )
    return Workbook(steps, differences)


def change(file: Path, target: Path, numbers: Mapping[str, float]) -> None:
    """A copy with other numbers in cells of the sheet of steps."""
    with ZipFile(file) as archive, ZipFile(target, "w") as copy:
        for name in archive.namelist():
            text = archive.read(name).decode()
            if name == "xl/worksheets/sheet2.xml":
                for place, number in numbers.items():
                    pattern = NUMBERS.pattern.format(place)
                    text, count = re.subn(pattern, rf"\g<1><v>{number!r}</v>", text)
                    assert count == 1
            copy.writestr(name, text)


def recalculated(folder: Path, files: list[Path]) -> dict[str, Workbook]:
    """All files computed again by LibreOffice, by name; skips where that is not installed."""
    office = which("soffice")
    if office is None:
        pytest.skip("there is no LibreOffice")
    out = folder / "out"
    command = [
        office, f"-env:UserInstallation={(folder / 'profile').as_uri()}", "--headless",
        "--convert-to", "xlsx", "--outdir", str(out), *map(str, files),
    ]  # fmt: skip
    run(command, check=True, capture_output=True, timeout=240)
    return {file.stem: read(out / file.name) for file in files}


def _shared(archive: ZipFile) -> list[str]:
    if "xl/sharedStrings.xml" not in archive.namelist():
        return []
    root = ElementTree.fromstring(archive.read("xl/sharedStrings.xml"))
    return ["".join(item.itertext()) for item in root.iter(f"{SPACE}si")]


def _sheet(text: bytes, shared: list[str]) -> Sheet:
    found: Sheet = {}
    for cell in ElementTree.fromstring(text).iter(f"{SPACE}c"):
        formula, value = cell.find(f"{SPACE}f"), cell.find(f"{SPACE}v")
        content = value.text if value is not None else None
        known: float | str | None = content
        if content and cell.get("t") == "s":
            known = shared[int(content)]
        elif content and cell.get("t") not in ("str", "e", "b"):
            known = float(content)
        if known is not None or formula is not None:
            found[cell.get("r", "")] = Cell(
                known, (formula.text or "") if formula is not None else ""
            )
    return found
