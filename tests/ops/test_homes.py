"""A program imports the modules of the functions that it calls, and no others."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from gradcli.ops import FUNCTIONS, MODULES
from gradcli.ops.homes import HOMES, find_homes, read_homes
from gradcli.ops.table import TABLE

len(FUNCTIONS)  # all are imported


def test_each_name_has_a_home() -> None:
    homes = find_homes(MODULES)
    assert homes.keys() == TABLE.keys()
    assert set(homes.values()) <= set(MODULES)
    assert read_homes() == homes


def test_what_was_found_is_not_read_once_a_module_was_edited(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    package = tmp_path / "gradcli" / "ops"
    package.mkdir(parents=True)
    homes, module = package / "homes.json", package / "powers.py"
    monkeypatch.setattr("gradcli.ops.homes.HOMES", homes)
    assert read_homes() is None
    module.touch()
    homes.write_text('{"pow": "powers"}')
    found = homes.stat().st_mtime_ns
    assert read_homes() == {"pow": "powers"}
    for edited, is_read in ((found + 1, True), (found, True)):  # an install's are never edited
        _set_time(module, edited)
        assert (read_homes() is not None) == is_read
    (tmp_path / "pyproject.toml").touch()
    for edited, is_read in ((found + 1, False), (found, True)):
        _set_time(module, edited)
        assert (read_homes() is not None) == is_read
    homes.write_text('{"pow": ')
    assert read_homes() is None


def _set_time(path: Path, nanoseconds: int) -> None:
    os.utime(path, ns=(nanoseconds, nanoseconds))


@pytest.mark.parametrize(
    ("asked", "others"),
    [("tensor", ("softmax", "bessel_j0")), ("backward", ("tensor", "bessel_j0")),
     ("softmax", ("bessel_j0", "conv2d"))],
)  # fmt: skip
def test_a_name_imports_no_more_than_its_home(asked: str, others: tuple[str, ...]) -> None:
    read = f"from gradcli.ops import *; {asked!r} in FUNCTIONS; import gradcli.ops.table as t; "
    assert not set(json.loads(_printed(read + "print(json.dumps([*t.TABLE]))"))) & set(others)


@pytest.mark.wide
@pytest.mark.parametrize("module", sorted(set(json.loads(HOMES.read_text()).values())))
def test_each_home_registers_its_names(module: str) -> None:
    names = [name for name, home in find_homes(MODULES).items() if home == module]
    read = (
        f"import gradcli.ops.{module}; import gradcli.ops.table as t; print(json.dumps([*t.TABLE]))"
    )
    assert set(names) <= set(json.loads(_printed(read)))


def _printed(program: str) -> str:
    command = [sys.executable, "-c", f"import json; {program}"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout
