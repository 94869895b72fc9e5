"""What other projects' CI runs: the steps of the composite action, and the hook of pre-commit."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ACTION = ROOT / ".github/actions/test"
HOOKS = ROOT / ".pre-commit-hooks.yaml"


@pytest.fixture
def machine(tmp_path: Path) -> Path:
    """A runner's folder, in which the action's first step has installed gradcli."""
    command = tmp_path / "gradcli/bin/gradcli"
    command.parent.mkdir(parents=True)
    command.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m gradcli "$@"\n')
    command.chmod(0o755)
    (tmp_path / "good.grad").write_text("x = 3\nx**2  #= 9\n")
    (tmp_path / "wrong.grad").write_text("x = 3\nx**2  #= 8\n")
    return tmp_path


def step(name: str) -> str:
    """The script of a step of the action."""
    (_, after) = (ACTION / "action.yml").read_text().split(f"- name: {name}\n")
    lines = after.partition("run: |\n")[2].split("\n    - name:")[0].splitlines()
    return "\n".join(line.removeprefix(" " * 8) for line in lines)


def checked(machine: Path, paths: str, junit: str = "") -> subprocess.CompletedProcess[str]:
    """The action's second step, in the shell that a runner starts."""
    given = {"PATHS": paths, "JOBS": "2", "JUNIT": junit, "RUNNER_TEMP": str(machine)}
    return subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step("Check the scripts")],
        cwd=machine, env={**os.environ, "PYTHONPATH": str(ROOT), **given},
        capture_output=True, text=True, check=False,
    )  # fmt: skip


def test_the_action_checks_scripts(machine: Path) -> None:
    passed = checked(machine, "good.grad", "report.xml")
    assert (passed.returncode, passed.stderr) == (0, "")
    assert (machine / "report.xml").read_text().startswith("<?xml")
    failed = checked(machine, ".")
    assert failed.returncode == 1
    assert re.search(r"^::error file=wrong\.grad,line=2", failed.stdout, re.MULTILINE)


@pytest.mark.parametrize("hostile", ["$(touch made)", "`touch made`", ") ; touch made ; paths=("])
def test_inputs_of_the_action_are_never_commands(machine: Path, hostile: str) -> None:
    assert checked(machine, hostile, hostile).returncode != 0
    assert not (machine / "made").exists()


def test_the_action_installs_this_repository() -> None:
    assert '"$GITHUB_ACTION_PATH/../../.."' in step("Install gradcli")
    assert (ACTION / "../../../pyproject.toml").resolve() == ROOT / "pyproject.toml"


def test_the_hook_of_pre_commit_runs(machine: Path) -> None:
    """pre-commit appends the files that match to the entry."""
    (hook,) = re.findall(r"entry: (.*)\n", HOOKS.read_text())
    (pattern,) = re.findall(r"files: (.*)\n", HOOKS.read_text())
    files = [name for name in ("good.grad", "wrong.grad", "a.gradient") if re.search(pattern, name)]
    assert files == ["good.grad", "wrong.grad"]
    command, *arguments = shlex.split(hook)
    assert command == "gradcli"
    ran = subprocess.run(
        [machine / "gradcli/bin/gradcli", *arguments, *files],
        cwd=machine, env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert ran.returncode == 1
    assert "1 failed, 1 passed in 2 files" in ran.stdout
