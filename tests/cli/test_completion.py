"""Tab in bash, zsh and fish: what their scripts are answered, and the shells themselves."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from gradcli.cli.completion import SCRIPTS, typed
from tests.cli.conftest import Runner


@pytest.fixture
def answer(gradcli: Runner, monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[str]]:
    def asked(line: str, shell: str = "bash") -> list[str]:
        monkeypatch.setenv("_GRADCLI_COMPLETE", shell)
        monkeypatch.setenv("_GRADCLI_LINE", line)
        return gradcli().out.splitlines()

    return asked


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("gradcli ev", "eval "),
        ("/opt/bin/gradcli ev", "eval "),
        ("gradcli eval --ret", "--retain-grad "),
        ("gradcli ops softpl", "softplus "),
        ("gradcli help gra", "gradient "),
        ("gradcli eval 'weight * sum(x)' --wrt wei", "weight "),
        ('gradcli eval "weight * sum(x)" --wrt x,wei', "x,weight "),
        ("gradcli eval weight*sum(x) --set wei", "weight="),
        ("gradcli plot weight*sum(x) --over wei", "weight="),
        ("gradcli check weight*sum(x) --mine wei", "weight="),
        ("gradcli eval -f samples/newton.grad --output x", "x "),
        ("gradcli eval x --set x=@samples/eul", "samples/euler.grad "),
        ("gradcli eval x --set 'x=@samples/eul", "x=@samples/euler.grad"),
        ("gradcli eval x --set x='@samples/eul", "@samples/euler.grad"),
        ("gradcli eval samples/eul", "samples/euler.grad "),
        ("gradcli test samples/see", "samples/seeds/"),
        ("gradcli batch pypro", "pyproject.toml "),
        ("gradcli eval x --save pypro", "pyproject.toml "),
    ],
)
def test_bash_is_told_what_stands_behind_the_last_break(
    answer: Callable[..., list[str]], line: str, offered: str
) -> None:
    assert answer(line) == [offered]


def test_names_of_files_are_escaped(
    answer: Callable[..., list[str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a $(b).csv").touch()
    assert answer("gradcli batch a") == [r"a\ \$\(b\).csv "]
    assert answer("gradcli batch 'a") == ["a $(b).csv"]
    assert answer(r"gradcli batch a\ ") == [r"a\ \$\(b\).csv "]
    assert answer("gradcli batch a", "zsh") == ["a $(b).csv"]


def test_other_shells_show_what_is_said(answer: Callable[..., list[str]]) -> None:
    assert answer("gradcli hv", "zsh") == ["hvp:The Hessian times a vector."]
    assert answer("gradcli hv", "fish") == ["hvp\tThe Hessian times a vector."]
    assert answer("gradcli eval x --set x=@samples/eul", "zsh") == ["x=@samples/euler.grad"]


@pytest.mark.parametrize(
    "line", ["", "gradcli", "gradcli '", 'gradcli "a\\', "gradcli eval \\", "gradcli nothing x "]
)
def test_any_line_is_answered(answer: Callable[..., list[str]], line: str) -> None:
    answer(line)
    assert typed(line).quote in ("", "'", '"')


def test_installing_twice_is_installing_once(tmp_path: Path) -> None:
    """In a home of its own, by the shell that runs it."""
    if not shutil.which("bash"):
        pytest.skip("there is no bash")
    command = f"{sys.executable} -m gradcli --install-completion; true"
    for _ in range(2):
        subprocess.run(
            ["bash", "-c", command], env={**os.environ, "HOME": str(tmp_path)}, check=True
        )
    assert (tmp_path / ".bash_completions/gradcli.sh").read_text() == SCRIPTS["bash"].lstrip()
    assert (tmp_path / ".bashrc").read_text().count("gradcli") == 1


@pytest.mark.parametrize("shell", SCRIPTS)
def test_shells_understand_the_scripts(shell: str, tmp_path: Path) -> None:
    if not shutil.which(shell):
        pytest.skip(f"there is no {shell}")
    script = tmp_path / "script"
    script.write_text(SCRIPTS[shell])
    done = subprocess.run([shell, "-n", script], capture_output=True, text=True, check=True)
    assert done.stderr == ""


def test_bash_completes(tmp_path: Path) -> None:
    """The function of the script, with the variables that bash sets when Tab is pressed."""
    if not shutil.which("bash"):
        pytest.skip("there is no bash")
    command = tmp_path / "gradcli"
    command.write_text(f'#!/bin/sh\nexec {sys.executable} -m gradcli "$@"\n')
    command.chmod(0o755)
    asked = "gradcli eval x --set x=@samples/eul and more"
    script = f"""
    compopt() {{ :; }}  # bash has it while it completes
    {SCRIPTS["bash"]}
    COMP_WORDBREAKS="=: "
    COMP_LINE={asked!r} COMP_POINT={asked.index(" and")}
    _gradcli {command}
    printf '[%s]' "${{COMPREPLY[@]}}"
    """
    environment = {**os.environ, "PYTHONPATH": str(Path.cwd())}
    done = subprocess.run(
        ["bash", "--norc", "-c", script],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert (done.stdout, done.stderr) == ("[@samples/euler.grad ]", "")
