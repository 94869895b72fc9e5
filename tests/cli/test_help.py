"""`gradcli help` and `gradcli explain --error`, as commands."""

from __future__ import annotations

import json
import subprocess
import sys


def run(*arguments: str, piped: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "gradcli", *arguments],
        input=piped, capture_output=True, text=True, check=False,
    )  # fmt: skip


def test_help() -> None:
    assert "gradcli help language" in run("help").stdout
    assert "lambda: a function as a value" in run("help", "language").stdout
    assert "gradcli eval --help explains it" in run("help", "eval").stderr
    wrong = run("help", "languag")
    assert (wrong.returncode, "did you mean language?" in wrong.stderr) == (2, True)
    for word, page in (("eval", "gradcli eval --help"), ("tanh", "gradcli ops tanh")):
        assert page in run("help", word).stderr


def test_explain_a_message() -> None:
    done = run("explain", "--error", "grad can be implicitly created only for scalar outputs")
    assert done.returncode == 0
    assert "y.sum().backward()" in done.stdout
    traceback = (
        '  File "c.py", line 3, in <module>\n    x.numpy()\nRuntimeError: Can\'t call numpy() on '
    )
    found = run("explain", "--error", "-", "--json", piped=traceback + "Tensor that requires grad.")
    assert json.loads(found.stdout)["line"] == 3
    unknown = run("explain", "--error", "KeyError: 3")
    assert (unknown.returncode, "paste it whole" in unknown.stderr) == (3, True)
