"""`gradcli repl`: statements one by one, with their values and gradients."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys

from tests.cli.conftest import Outcome, Runner


def converse(gradcli: Runner, *lines: str) -> Outcome:
    return gradcli("repl", stdin="".join(f"{line}\n" for line in lines).encode())


def test_each_statement_shows_its_value_and_grad(gradcli: Runner) -> None:
    answer = converse(gradcli, ":set x=[[1,2],[3,4]]", "z = (2*x)**3", "out = mean(z)")
    z, out = answer.out.split("name")[1:]
    assert "[[  8,  64]," in z
    assert "grad" not in z
    assert "[[ 6, 24]," in out
    assert " 200 " in out
    assert answer.code == 0
    assert not answer.err


def test_a_wrong_statement_changes_nothing(gradcli: Runner) -> None:
    answer = converse(gradcli, ":set x=2", "y = x**2", "y = oops(x)", "y * 3", ":list")
    assert answer.err.startswith("error[name]: there is no function 'oops'")
    assert answer.out.endswith("y = x**2\ny * 3\n")
    assert " 12 " in answer.out  # dout/dx = 6x


def test_gradient(gradcli: Runner) -> None:
    answer = converse(gradcli, ":set x=1,2,3", "y = x**2", ":gradient 1,0.1,0.01", ":gradient")
    given, without = answer.out.split("name")[2:]
    assert "[2, 0.4, 0.06]" in given
    assert "[2, 0.4, 0.06]" not in without


def test_undo_and_input_again(gradcli: Runner) -> None:
    answer = converse(gradcli, ":set x=2", "y = x**2", "y = x**3", ":undo", ":set x=5", ":list")
    assert answer.out.endswith("y = x**2\n")
    assert " 25 " in answer.out.rpartition("name")[2]


def test_lines_are_joined_until_brackets_close(gradcli: Runner) -> None:
    answer = converse(
        gradcli, ":set x=2", "for i in range(3) {", "x = x * 2", "}", "sum([x,", "1])"
    )
    assert " 17 " in answer.out
    assert not answer.err


def test_what_is_printed_comes_once(gradcli: Runner) -> None:
    answer = converse(gradcli, "x = 3", "print(x)", "y = x + 1", "print(y)")
    assert answer.out.count("tensor(3.)") == 1
    assert answer.out.count("tensor(4.)") == 1


def test_random_numbers_stay(gradcli: Runner) -> None:
    answer = converse(gradcli, "x = randn(2)", "x")
    first, second = re.findall(r"\[.*\]", answer.out)
    assert first == second


def test_mistakes_in_commands(gradcli: Runner) -> None:
    answer = converse(gradcli, ":foo", ":undo", ":tree", ":set x", ":set x=@none.npy")
    codes = [line.partition("]")[0] for line in answer.err.split("\n") if line.startswith("error")]
    assert codes == ["error[usage"] * 4 + ["error[file"]
    assert answer.code == 2  # that of the first


def test_an_unfinished_statement_is_an_error(gradcli: Runner) -> None:
    answer = converse(gradcli, "x = 3", "sum([x,")
    assert answer.err.startswith("error[syntax]")
    assert answer.code == 3


def test_a_line_without_an_end(gradcli: Runner) -> None:
    answer = converse(gradcli, "x" * (1 << 24), "x = 3")
    assert answer.err.startswith("error[limit-tokens]")
    assert not answer.out  # what follows is not taken for a statement
    assert answer.code == 4


def test_safe_opens_no_files(gradcli: Runner) -> None:
    answer = gradcli("repl", "--safe", stdin=b":set x=@pyproject.toml\n")
    assert "--safe opens none" in answer.err


def test_at_a_terminal() -> None:
    """A prompt, an answer, and Ctrl-D that ends."""
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "gradcli", "repl", "--set", "x=3", "--color", "never"]
    process = subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs)
    os.close(theirs)
    seen = b""

    def until(text: bytes) -> None:
        nonlocal seen
        while text not in seen:
            seen += os.read(ours, 4096)

    until(b"> ")
    os.write(ours, b"x**2\n")
    until(b"v = 1")
    seen = seen.partition(b"v = 1")[2]
    until(b"> ")
    os.write(ours, b"\x04")
    assert process.wait(20) == 0
    os.close(ours)
