"""The README's examples do what it prints.

In a block marked `console`, lines that begin with `$ ` are run by bash, one after the other in one
folder, and the lines that follow each are what it must print.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

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


def test_it_is_read_in_a_sitting() -> None:
    lines = (ROOT / "README.md").read_text().splitlines()
    assert len(lines) <= 430
    printed = [line for block in BLOCK.findall("\n".join(lines)) for line in block.splitlines()]
    assert [line for line in printed if len(line) > 80] == []


def test_links_into_itself_lead_somewhere() -> None:
    text = (ROOT / "README.md").read_text()
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    anchors = {re.sub(r"[^\w -]", "", each).lower().replace(" ", "-") for each in headings}
    links = re.findall(r"\]\(#([^)]*)\)", text)
    assert links
    assert set(links) <= anchors
    for file in re.findall(r"\]\((?!#)([^)#]*)[^)]*\)", text):
        assert (ROOT / file).exists()
