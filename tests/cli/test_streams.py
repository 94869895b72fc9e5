"""Closed, full and broken standard streams, and signals: real processes and real descriptors."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

GRADCLI = f"{sys.executable} -m gradcli"
ENDLESS = ("eval", "y = x\nwhile True { y = y + 1 }", "-s", "x=1", "--max-steps", "1000000000")
NOISE = ("Traceback", "Exception ignored", "Error in sys")


def shell(command: str) -> subprocess.CompletedProcess[str]:
    """A line of bash in which `gradcli` is the command."""
    environment = {name: text for name, text in os.environ.items() if name != "PYTHONUNBUFFERED"}
    finished = subprocess.run(
        ["bash", "-c", f"gradcli() {{ {GRADCLI} \"$@\"; }}\n{command}"],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, check=False,
        env=environment | {"PYTHONDEVMODE": "1"},  # tells of errors that come too late
    )  # fmt: skip
    assert not any(noise in finished.stderr for noise in NOISE)
    return finished


@pytest.mark.parametrize(
    "command", ["--help", "--version", "eval x -s x=1", "eval x -s x=1 --json"]
)
@pytest.mark.parametrize("target", [">/dev/full", ">&-"])
def test_output_that_cannot_be_written_is_an_error(command: str, target: str) -> None:
    finished = shell(f"gradcli {command} {target}")
    if (command, target) == ("--help", ">&-"):
        return  # typer prints to nowhere then, and says nothing
    assert finished.returncode == 3
    assert finished.stderr.startswith("error[file]: ")
    assert finished.stderr.count("error[") == 1


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-"])
def test_no_file_gets_the_number_of_a_closed_stream(closed: str, tmp_path: Path) -> None:
    script = "import os; from gradcli.cli import streams; streams.prepare(); "
    script += f"n = os.open('{tmp_path}/n', os.O_CREAT | os.O_WRONLY); os.write(n, b'%d' % n)"
    subprocess.run(["bash", "-c", f'{sys.executable} -c "{script}" {closed}'], check=True)
    assert int((tmp_path / "n").read_text()) > 2


def test_nothing_is_written_into_the_wrong_file(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text("[1, 2]")
    saved = tmp_path / "grads.npz"
    finished = shell(f"gradcli eval 'sum(x)' -s x=@{tmp_path}/x.json --save {saved} --json >&-")
    assert finished.returncode == 3
    assert saved.read_bytes()[:2] == b"PK"
    assert (tmp_path / "x.json").read_text() == "[1, 2]"


def test_quiet_needs_no_output() -> None:
    assert shell("gradcli eval x -s x=1 --quiet >&-").returncode == 0


def test_a_reader_that_has_gone_ends_it_quietly() -> None:
    finished = shell(
        "set -o pipefail; gradcli eval 'y = 2*x' -s 'x=ones(300000)' -g 1 --json | head -c 10"
    )
    assert (finished.returncode, finished.stdout, finished.stderr) == (0, '{"outputs"', "")
    assert shell("gradcli eval --help | true").stderr == ""


def test_an_error_keeps_its_code_when_nobody_reads_it() -> None:
    finished = shell("gradcli eval 'x +' --json 2>&1 | true; echo ${PIPESTATUS[0]}")
    assert finished.stdout == "3\n"


def test_closed_input_and_closed_error_stream() -> None:
    finished = shell("gradcli eval 'y = x**2' -s x=3 --json <&- 2>&-")
    assert json.loads(finished.stdout)["grads"] == {"x": 6.0}
    assert shell("gradcli eval --json <&-").returncode == 2
    assert shell("gradcli eval x -s x=@- --json <&-").returncode == 3
    assert shell("gradcli eval 'x +' 2>&-").returncode == 3
    assert shell("gradcli eval 'x +' 2>/dev/full").returncode == 3


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)], ids=["SIGINT", "SIGTERM"]
)
def test_signals_end_a_run_quietly(number: signal.Signals, code: int) -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "gradcli", *ENDLESS[:1], "-", *ENDLESS[2:]],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    ) as running:  # fmt: skip
        assert running.stdin is not None
        os.write(running.stdin.fileno(), ENDLESS[1].encode())
        # It reads to the end of its input, so at this write it is past its start-up.
        running.stdin.write(b"\n" * 200_000)
        running.send_signal(number)
        out, err = running.communicate(timeout=60)
    assert (running.returncode, out, err) == (code, b"", b"")


def test_c_locale_and_latin_1_terminal() -> None:
    environment = {"LC_ALL": "C", "PYTHONIOENCODING": "latin-1", "PYTHONUTF8": "0"}
    finished = subprocess.run(
        [sys.executable, "-m", "gradcli", "eval", "größe = α**2", "-s", "α=3"],
        stdin=subprocess.DEVNULL, capture_output=True, timeout=60, check=True,
        env=os.environ | environment,
    )  # fmt: skip
    assert finished.stderr == b""
    assert "größe".encode("latin-1") in finished.stdout
    assert rb"\u03b1" in finished.stdout
