"""Every command in the pages of help, and so in the manual page, runs as printed."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from textwrap import dedent

import numpy as np
import pytest

from gradcli.cli.app import COMMANDS, EXAMPLES
from gradcli.cli.command_guide import guide
from gradcli.cli.help import GUIDES
from gradcli.cli.manual import manual
from tests.cli.conftest import Runner

ROOT = Path(__file__).parents[2]
COMMAND = re.compile(r"^ +((?:gradcli|echo|printf) (?:.*\\\n)*.*)$", re.MULTILINE)
SHELL = re.compile(r"[|<>;*$&\\]")
PAGES = {
    "gradcli": EXAMPLES,
    **{name: import_module(module).EXAMPLES for name, (module, _) in COMMANDS.items()},
    **{f"help {name}": text() for name, text in GUIDES.items() if name != "man"},
}
FINDINGS = ("--mine", "gradcli quiz", 'check "sum(abs(x))"')
"""What may end with 1: these pages show findings."""
MISSING = [
    word
    for word, module in (("--cluster", "distributed"), (".zarr", "zarr"))
    if find_spec(module) is None
]
"""What stands in commands that need an extra that is not installed."""
READERS_OWN = ("tls://", "/shared/")
"""The reader's machines and disks."""
ENDS_WITH_ITS_CODE = "; echo $?"


def commands(page: str) -> list[str]:
    """On a line each, and without remarks that stand in a column behind them."""
    return [
        re.split(r" {2,}(?=[a-z;])", each)[0].rstrip() for each in COMMAND.findall(_joined(page))
    ]


def _joined(page: str) -> str:
    return re.sub(r" *\\\n +", " ", page)


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the files that the examples name, and with gradcli among the programs."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "samples").symlink_to(ROOT / "samples")
    np.save("weights.npy", np.array([[1.0, 2.0], [3.0, 4.0]]))
    if ".zarr" not in MISSING:
        import zarr

        zarr.create_group("data.zarr").create_array("x", data=np.arange(6.0))
    Path("x.csv").write_text("1,2\n")
    Path("program.grad").write_text("x = [1, 2]; y = sum(x**2)\n")
    Path("a.grad").write_text("1 + 1 #= 2\n")
    Path("b.grad").write_text("1 + 1 #= 3\n")
    record = {"program": "x**2", "set": {"x": 3}}
    Path("records.jsonl").write_text(json.dumps(record) + "\n")
    Path("inputs.jsonl").write_text('{"set": {"x": [1, 2]}}\n')
    script = guide().partition("\nPython\n\n")[2].partition("Python with PyTorch")[0]
    for name in ("sines.py", "sines"):
        Path(name).write_text("#!/usr/bin/env python3\n" + dedent(script))
    Path("grad.py").write_text(
        dedent(script).replace("math.sin(a)", "a * a").replace("math.cos(a)", "2 * a")
    )
    Path("sines").chmod(0o755)
    binaries = tmp_path / "bin"
    binaries.mkdir()
    (binaries / "gradcli").write_text(f'#!/bin/sh\nexec {sys.executable} -m gradcli "$@"\n')
    (binaries / "gradcli").chmod(0o755)
    monkeypatch.setenv("PATH", f"{binaries}:{os.environ['PATH']}")
    return tmp_path


@pytest.mark.one_in(3)
@pytest.mark.parametrize("page", PAGES)
def test_every_command_runs_as_printed(gradcli: Runner, desk: Path, page: str) -> None:
    for command in commands(PAGES[page]):
        wants = [word for word in ("jq", "dot") if f"| {word}" in command]
        left_out = any(word in command for word in (*MISSING, *READERS_OWN))
        if left_out or not all(map(shutil.which, wants)):
            continue
        if SHELL.search(re.sub(r"\"[^\"]*\"|'[^']*'", "", command)):
            done = subprocess.run(
                ["bash", "-o", "pipefail", "-c", command],
                stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, timeout=60,
            )  # fmt: skip
            code, err = done.returncode, done.stderr
        else:
            answer = gradcli(*shlex.split(command)[1:], stdin=b"")
            code, err = answer.code, answer.err
        if command.endswith(ENDS_WITH_ITS_CODE):
            continue  # what it shows is an error
        assert code == 0 or (code == 1 and any(each in command for each in FINDINGS)), (
            command,
            err,
        )
        assert "error[" not in err, (command, err)


def test_pages_have_commands() -> None:
    without = [name for name, page in PAGES.items() if not commands(page)]
    assert without == ["help language", "help data"]


def test_the_exit_codes_are_those_that_are_told(desk: Path) -> None:
    told = [
        subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
        .stdout.split()[-1]
        for command in commands(PAGES["help exit-codes"])
    ]  # fmt: skip
    assert told == ["1", "3", "4", "3"]


# --- the manual page -------------------------------------------------------------------------


def test_the_manual_page_has_all_of_it(gradcli: Runner, desk: Path) -> None:
    page = gradcli("help", "man").out
    written = page.replace(r"\e", "\\").replace(r"\-", "-").replace(r"\&", "")
    plain = _joined(written)
    printed = [each for name, text in PAGES.items() if name != "gradcli" for each in commands(text)]
    assert [each for each in printed if each not in plain] == []
    if shutil.which("groff"):
        done = subprocess.run(
            ["groff", "-man", "-Tutf8", "-ww", "-K", "utf8"],
            input=page, capture_output=True, text=True, check=True,
        )  # fmt: skip
        assert "differentiate tensor expressions" in done.stdout
        assert done.stderr == ""
        widest = max(re.sub(r"\x1b\[\d*m|.\x08", "", done.stdout).splitlines(), key=len)
        assert len(widest) <= 80, widest


@pytest.mark.parametrize("page", PAGES)
def test_pages_fit_into_80_columns(page: str) -> None:
    assert [line for line in PAGES[page].splitlines() if len(line) > 80] == []


@pytest.mark.parametrize("topic", [name for name in GUIDES if name != "man"])
def test_no_line_of_a_paragraph_is_a_heading_of_the_manual_page(topic: str) -> None:
    text = GUIDES[topic]()
    page = manual({}, {topic: text}).replace(r"\-", "-").replace(r"\e", "\\").splitlines()
    titles = [line.removeprefix(".SS ") for line in page if line.startswith(".SS ")]
    blocks = [block.splitlines() for block in text.strip("\n").split("\n\n")]
    paragraphs = [
        [line for line in block if not line.startswith(" ")]
        for block in blocks
        if len(block) > 1 and not block[1].startswith(" ")
    ]
    assert not {line for lines in paragraphs for line in lines} & set(titles)
    assert all(title in text.splitlines() for title in titles)
