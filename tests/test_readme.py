"""The README's examples do what it prints.

In a block marked `console`, lines that begin with `$ ` are run by bash, one after the other in one
folder, and the lines that follow each are what it must print. Tables between marks are made by
`tests/readme_tables.py`.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from gradcli.ops import Function
from gradcli.ops.table import TABLE
from tests import readme_tables

ROOT = Path(__file__).parents[1]
BLOCK = re.compile(r"^```console\n(.*?)^```", re.DOTALL | re.MULTILINE)


def examples() -> list[tuple[str, str]]:
    """Commands and what they print."""
    found = []
    for block in BLOCK.findall((ROOT / "README.md").read_text()):
        for example in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, printed = example.partition("\n")
            while command.endswith("\\"):
                more, _, printed = printed.partition("\n")
                command += f"\n{more}"
            found.append((command, printed.rstrip("\n")))
    return found


def test_examples(tmp_path: Path) -> None:
    (tmp_path / "gradcli").write_text(f'#!/bin/sh\nexec {sys.executable} -m gradcli "$@"\n')
    (tmp_path / "gradcli").chmod(0o755)
    (tmp_path / "samples").symlink_to(ROOT / "samples")
    environment = os.environ | {"PATH": f"{tmp_path}:{os.environ['PATH']}"}
    assert examples()
    for command, printed in examples():
        if "| jq " in command and not shutil.which("jq"):
            continue
        finished = subprocess.run(
            ["bash", "-c", command],
            cwd=tmp_path, env=environment, stdin=subprocess.DEVNULL, timeout=60, check=False,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        )  # fmt: skip
        assert finished.stdout.rstrip("\n") == printed, command


def test_tables_are_up_to_date() -> None:
    text = readme_tables.README.read_text()
    assert text == readme_tables.updated(text), "stale: run python -m tests.readme_tables"


def test_a_new_function_makes_the_table_stale(monkeypatch: pytest.MonkeyPatch) -> None:
    new = Function("brand_new", lambda x: x, "arithmetic", "What it does.")
    monkeypatch.setitem(TABLE, "brand_new", new)
    text = readme_tables.README.read_text()
    assert "`brand_new`" in readme_tables.updated(text)
    assert "`brand_new`" not in text
