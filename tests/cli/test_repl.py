"""`gradcli repl`: statements one by one, with their values and gradients."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from gradcli.cli.completing import candidates
from tests.cli.conftest import Outcome, Runner
from tests.cli.terminal import Terminal


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


def test_hints_name_commands_of_the_session(gradcli: Runner) -> None:
    mistakes = ("y = x", ":set x", "load('a.npy')", "x = [1, 2]", ":explain")
    answer = converse(gradcli, *mistakes)
    hints = [line.partition("help: ")[2] for line in answer.err.split("\n") if "help: " in line]
    assert hints[:2] == ["give it a value: :set x=…", "write :set NAME=VALUE"]
    assert "by :set x=@data.npy" in hints[2]
    assert hints[3].startswith("add :gradient 1,1 (v of ones)")
    assert converse(gradcli, "x = [1, 2]", ":gradient 1,1").code == 0  # as the hint writes it


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


# --- lines without a tensor ------------------------------------------------------------------


def test_a_function_may_come_first(gradcli: Runner) -> None:
    answer = converse(gradcli, "f(a) = a**2", "x = 3", "f(x)")
    square = answer.out.split("name")[2]
    assert re.search(r"x +leaf +\(\) +6\n", square)  # d(x**2)/dx = 2x
    assert re.search(r"out +output +\(\) +9 ", square)
    assert answer.out.count("name") == 2  # a definition has nothing to show
    assert (answer.code, answer.err) == (0, "")


def test_a_block_that_never_runs_is_kept(gradcli: Runner) -> None:
    answer = converse(gradcli, "def f(a) {", "return a + 1", "}", "for i in range(0) {}", ":list")
    assert answer.out == "def f(a) {\nreturn a + 1\n}\nfor i in range(0) {}\n"
    assert (answer.code, answer.err) == (0, "")


def test_tensors_are_collected_from_an_empty_list(gradcli: Runner) -> None:
    answer = converse(
        gradcli, "hs = []", "x = 2", "for i in range(3) { hs = append(hs, x**i) }", "sum(stack(hs))"
    )
    assert answer.out.startswith("[]\n")
    out = answer.out.rpartition("name")[2]
    assert re.search(r"x +leaf +\(\) +5\n", out)  # 1 + x + x**2: 1 + 2x
    assert re.search(r"out +output +\(\) +7 ", out)
    assert (answer.code, answer.err) == (0, "")


def test_what_is_no_tensor_is_shown_as_print_does(gradcli: Runner) -> None:
    answer = converse(gradcli, "s = 'mean'", "r = [[1, 2], [3]]", "range(3)", "()")
    assert answer.out.splitlines() == ["mean", "[tensor([1., 2.]), tensor([3.])]", "range(0, 3)"]
    assert (answer.code, answer.err) == (0, "")


def test_of_a_tuple_all_parts_are_shown(gradcli: Runner) -> None:
    answer = converse(gradcli, "x = 2", "x, 'a', []")
    last = answer.out.rpartition("v:")[0].rpartition("J\n")[2]
    assert last.startswith("a\n[]\n")
    assert re.search(r"x +leaf, output +\(\) +2 ", last)


def test_what_only_prints_shows_no_value_again(gradcli: Runner) -> None:
    answer = converse(gradcli, "x = 3", "print(x)", "f(a) = a")
    assert answer.out.count("name") == 1
    assert answer.out.endswith("tensor(3.)\n")


def test_a_grad_that_is_none_is_no_other_value(gradcli: Runner) -> None:
    lines = ("x = tensor(2, requires_grad=True)", "x.grad", "y = 3*x", "z = y*y", "z.backward()")
    answer = converse(gradcli, *lines, "y.grad", "x.grad")
    assert answer.out.split("J\n")[1].startswith("None\nname")  # no table of x in between
    after = answer.out.rpartition("None\n\n")[2]
    assert after.startswith("note: y.grad is None: y is an intermediate")
    assert re.search(r"out +output +\(\) +36 ", after)  # z = 9x**2: dz/dx = 18x
    assert answer.code == 0


def test_backward_shows_what_it_leaves_and_zero_that(gradcli: Runner) -> None:
    answer = converse(
        gradcli, "x = tensor([1, 2], requires_grad=True)", "(x*x).sum().backward()", "s = 'a'",
        "x.grad.zero_()",
    )  # fmt: skip
    tables = answer.out.split("name")[1:]
    assert ["[2, 4]" in table for table in tables] == [False, True, False]  # 2x
    assert "[0, 0]" in tables[2]


def test_a_note_comes_once(gradcli: Runner) -> None:
    answer = converse(gradcli, ":set x=2", "x = x*3", "x*2", "x*4")
    assert answer.out.count("x is bound again") == 1


# --- brackets --------------------------------------------------------------------------------


def test_brackets_in_comments_and_strings_open_nothing(gradcli: Runner) -> None:
    answer = converse(gradcli, "x = 3 # :(", "s = '([{'", "x*2", ":list")
    assert answer.out.endswith("x = 3 # :(\ns = '([{'\nx*2\n")
    assert not answer.err


def test_brackets_in_comments_close_nothing(gradcli: Runner) -> None:
    answer = converse(gradcli, "x = 3", "sum([x, # )]", "1])")
    assert re.search(r"out +output +\(\) +4 ", answer.out)
    assert not answer.err


def test_a_string_without_its_end_takes_no_further_lines(gradcli: Runner) -> None:
    answer = converse(gradcli, "f('abc", "x = 3")
    assert answer.err.startswith("error[syntax]")
    assert re.search(r"x +leaf, output +\(\) +3 ", answer.out)


# --- gradients and inputs --------------------------------------------------------------------


def test_a_gradient_that_does_not_fit_is_refused(gradcli: Runner) -> None:
    answer = converse(gradcli, ":set x=1,2", "y = x**2", ":gradient 1,2,3", "y")
    assert answer.err.startswith("error[gradient-shape]: the gradient has shape (3,)")
    assert answer.code == 3
    assert answer.out.rpartition("─")[2] == "\ny      output   (2,)    [1, 4]\n"  # without a grad


def test_a_value_that_the_gradient_does_not_fit_is_refused(gradcli: Runner) -> None:
    answer = converse(gradcli, ":set x=1,2", ":gradient 1,0", "cat([x, x])", "(x, 2*x)", ":list")
    assert re.findall(r"error\[[a-z-]+\]", answer.err) == ["error[gradient-shape]", "error[usage]"]
    assert answer.err.count(":gradient alone forgets it") == 2
    assert not answer.out


def test_a_gradient_of_several_elements_is_not_for_an_output_of_one(gradcli: Runner) -> None:
    answer = converse(gradcli, ":set x=1,2", ":gradient 1,0", "sum(x**2)", "x > 1", "x**2")
    total, _, squares = answer.out.split("name")[1:]
    assert "[2, 4]" in total
    assert "v = 1\n" in total
    assert "[2, 0]" in squares
    assert (answer.code, answer.err) == (0, "")


def test_a_gradient_of_one_element_is_for_an_output_of_one(gradcli: Runner) -> None:
    answer = converse(gradcli, ":set x=3", ":gradient 0.1", "x**2")
    assert re.search(r"x +leaf +\(\) +0\.6\n", answer.out)  # 0.1 * 2x


def test_an_input_that_a_statement_hides_is_refused(gradcli: Runner) -> None:
    hidden = "error[usage]: :set x: a statement binds x"
    answer = converse(gradcli, "x = 3", ":set x=4", "x*2")
    assert answer.err.startswith(hidden)
    assert "unused" not in answer.out
    assert "again" not in answer.out
    assert converse(gradcli, "f(x) = x", "x, y = (1, 2)", ":set x=4").err.startswith(hidden)
    assert converse(gradcli, "x(a) = a", "y = x(2)", "x = 1", ":set x=4").err.startswith(hidden)


def test_an_input_that_was_read_before_it_was_hidden_may_change(gradcli: Runner) -> None:
    answer = converse(gradcli, ":set x=2", "x = x*3", ":set x=5")
    assert " 15 " in answer.out.rpartition("name ")[2]
    answer = converse(gradcli, ":set x=2", "f(a) = a*x", "y = f(1)", "x = 7", "y", ":set x=5")
    assert re.search(r"y +output +\(\) +5 ", answer.out.rpartition("name ")[2])
    assert not answer.err


def test_no_graph(gradcli: Runner) -> None:
    answer = converse(gradcli, "print(1)", ":tree", "hs = []", ":tree", "x = 3", ":tree")
    assert answer.err.count("error[value]: the program ends on no value") == 2
    assert answer.out.rpartition("graph")[2].endswith("x       leaf   ()      3       1\n")
    assert answer.code == 3


# --- at a terminal ---------------------------------------------------------------------------


def test_at_a_terminal() -> None:
    """A prompt, answers, lines that go on, an error that ends nothing, and Ctrl-D that ends."""
    repl = Terminal("repl", "--set", "x=3", "--color", "never")

    def write(line: str, answer: str) -> None:
        repl.type(f"{line}\n")
        repl.until(answer)

    repl.until("> ")
    write("x**2 # :(", "v = 1")
    repl.until("> ")
    write("f(a) = a*(", ". ")
    write("a + 1)", "> ")
    write("f(x)", " 12 ")
    repl.until("> ")
    write(":set q", "error[usage]")
    repl.until("> ")
    repl.type("\x04")
    repl.rest()


# --- other commands in a session ---------------------------------------------------------------


def test_other_commands_get_the_session(gradcli: Runner) -> None:
    answer = converse(
        gradcli, ":set x=1,2", "y = x**2", ":gradient 1,0", ":check --mine x='2*x*v'",
        ":explain --entry 'x[0]'", ":graph --format dot", "z = sum(y)", ":plot x=0:1 --format csv",
    )  # fmt: skip
    assert (answer.code, answer.err) == (0, "")
    assert "yours for x: pass" in answer.out
    assert "x[0].grad = 2" in answer.out  # v·2x with v = [1, 0]
    assert "digraph" in answer.out
    assert "\nx,z," in answer.out or "x," in answer.out.rpartition("digraph")[2]


def test_mistakes_in_other_commands(gradcli: Runner) -> None:
    answer = converse(gradcli, ":check", "x = 3", "x**2", ":check --foo", ":plot 'x", ":plot", "x")
    codes = [line.partition("]")[0] for line in answer.err.split("\n") if line.startswith("error")]
    assert codes == ["error[usage"] * 4
    assert "help: :plot x=-2:2\n" in answer.err
    assert " 3 " in answer.out.rpartition("name")[2]  # the session goes on


def test_drawn_inputs_stay_the_same_for_other_commands(gradcli: Runner) -> None:
    lines = (":set a=randn()", ":set x=randn()", "x * 1", ":graph --format json")
    answer = converse(gradcli, *lines)
    shown = re.findall(r"x +leaf +\(\) +(\S+)", answer.out)
    assert shown
    assert shown[0][:6] in answer.out.rpartition('"nodes"')[2] or '"nodes"' not in answer.out


def test_a_session_is_saved(
    gradcli: Runner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    answer = converse(gradcli, ":set x=1,2", "y = x**2", "sum(y)", ":save a.grad", ":save b c.npz")
    assert (answer.code, answer.err) == (0, "")
    assert Path("a.grad").read_text() == "x = [1.0, 2.0]\ny = x**2\nsum(y)\n"
    assert gradcli("eval", "a.grad", "--json").json["grads"] == {"x": [2, 4]}
    with np.load("b c.npz") as saved:
        assert saved["x.grad"].tolist() == [2, 4]
    refused = gradcli("repl", "--safe", stdin=b"x = 3\n:save c.grad\n:save c.npz\n")
    assert refused.err.count("--safe") == 2
    assert not Path("c.grad").exists()


def test_completion(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("data").mkdir()
    Path("data/x.npy").touch()
    Path(".hidden").touch()

    def offered(line: str) -> list[str]:
        return candidates(line, (":set", ":save", ":check"), ["weight"])

    assert offered(":s") == [":save", ":set"]
    assert offered("y = we") == ["weight"]
    assert "softmax" in offered("y = mean(soft")
    assert offered("x.requires_g") == ["x.requires_grad", "x.requires_grad_"]
    assert offered(":set x=@da") == ["@data/"]
    assert offered(":set x=@data/") == ["@data/x.npy"]
    assert offered(":set x=@no/such") == []
    assert offered("y = ") == []


def session(folder: Path, *flags: str, lines: Sequence[str]) -> str:
    """What a session at a terminal shows, with a history in a folder."""
    repl = Terminal("repl", "--color", "never", *flags, XDG_STATE_HOME=str(folder))
    seen = ""
    for line in (*lines, ":quit"):
        seen += repl.until("> ")
        repl.type(f"{line}\n")
    return seen + repl.rest()


def test_the_history_outlives_the_session(tmp_path: Path) -> None:
    pytest.importorskip("readline", reason="Python was built without readline")
    history = tmp_path / "gradcli" / "history"
    session(tmp_path, "--safe", lines=["x = 1"])
    assert not history.exists()
    session(tmp_path, lines=["x = 2", "x**2"])
    assert history.stat().st_mode & 0o777 == 0o600
    assert {"x = 2", "x**2"} <= set(history.read_text().splitlines())
    again = session(tmp_path, lines=["\x1b[A\x1b[A\x1b[A"])  # up: :quit, x**2, x = 2
    assert re.search(r"x +leaf, output +\(\) +2 ", again)


def test_a_safe_session_is_in_the_box() -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "gradcli", "repl", "--safe"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write("x = 3\n")
    process.stdin.flush()
    assert process.stdout.readline().startswith("name")
    (child,) = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    status = Path(f"/proc/{child}/status").read_text()
    assert re.search(r"^Seccomp:\s+2$", status, re.MULTILINE)
    process.communicate("")
    assert process.returncode == 0


def test_strict_holds_for_each_statement_and_for_what_is_consulted(gradcli: Runner) -> None:
    lines = ":set p=[[1],[2]]", "p - [1, 2]", "y = p*2", ":gradient 1", ":gradient [[1],[1]]"
    stdin = "\n".join([*lines, ":check --mine p=[2,2]"]).encode()
    answer = gradcli("repl", "--strict", stdin=stdin)
    assert answer.code == 3
    assert "both operands grow (--strict" in answer.err
    assert "the gradient has shape (), the output y has (2, 1) (--strict" in answer.err
    assert " 2 " in answer.out
    assert "broadcast" in gradcli("repl", stdin=stdin).out
