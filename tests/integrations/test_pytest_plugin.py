"""pytest collects `.grad` files: each expectation is a test."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

PLUGIN = ("-p", "no:gradcli", "-p", "gradcli.integrations.pytest_plugin")
"""So that it does not matter which entry points are installed."""


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--rootdir", str(folder),
         *PLUGIN, *arguments, str(folder)],
        capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip


def test_each_expectation_is_a_test(tmp_path: Path) -> None:
    (tmp_path / "a.grad").write_text(
        "x = [1, 2]\nx * 2  #= [2, 4]\nx * 2  #= [2, 5]\nx @ ones(3)  #! shape\n"
    )
    (tmp_path / "b.grad").write_text("x = 3\nx  #= 3\ny = missing\nx  #= 3\n")
    (tmp_path / "c.grad").write_text("1 + 1\n")
    (tmp_path / "d.grad").write_text("y = missing\n")
    (tmp_path / "e.grad").write_text("2 #= 2\ny = missing\n")
    done = run(tmp_path, "-v", "-rN", "--tb=short")
    outcomes = {
        name.rpartition("/")[2].strip(): verdict.split()[0]
        for name, _, verdict in (
            line.replace(" PASSED", "\tPASSED").replace(" FAILED", "\tFAILED").partition("\t")
            for line in done.stdout.splitlines()
            if ".grad::" in line
        )
    }
    assert outcomes == {
        "a.grad::line 2: x * 2": "PASSED",
        "a.grad::line 3: x * 2": "FAILED",
        "a.grad::line 4: x @ ones(3)": "PASSED",
        "b.grad::line 2: x": "PASSED",
        "b.grad::line 4: x": "FAILED",  # not reached
        "c.grad::runs": "PASSED",
        "d.grad::runs": "FAILED",
        "e.grad::line 1: 2": "FAILED",  # the last one tells what stopped the script
    }
    assert "4 instead of 5 at [1]" in done.stdout
    assert done.stdout.count("error[name]") == 3
    assert "Traceback" not in done.stdout
    assert "pytest_plugin.py" not in done.stdout
    assert done.returncode == 1


def test_a_script_that_cannot_be_read_is_an_error_of_collection(tmp_path: Path) -> None:
    (tmp_path / "a.grad").write_text("x = (\n")
    done = run(tmp_path, "-q")
    assert "error[syntax]: this `(` is not closed" in done.stdout
    assert done.returncode == 2


@pytest.mark.parametrize("name", ["test_a.py", "a.grad"])
def test_nothing_is_imported_until_there_is_a_script(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("def test(): pass" if name.endswith(".py") else "1 #= 1")
    (tmp_path / "conftest.py").write_text(
        "import sys\n"
        "def pytest_unconfigure():\n"
        "    print('LOADED', sorted(m for m in sys.modules if m.startswith('gradcli.')))\n"
    )
    done = run(tmp_path, "-q", "-s")
    assert done.returncode == 0
    loaded = done.stdout.rpartition("LOADED")[2].strip()
    plugin = "['gradcli.integrations', 'gradcli.integrations.pytest_plugin']"
    assert (loaded == plugin) == (name == "test_a.py")
