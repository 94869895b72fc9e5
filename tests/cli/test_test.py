"""`gradcli test`: what holds, what does not and how that is shown, and expectations rewritten."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.cli.conftest import Runner

GOOD = """\
x = tensor([1, 2], requires_grad=True)
sum(x**2)    #= 5
x / 3        #= [0.333, 0.667] ± 0.001
x.backward()    #! gradient-required
x.grad       #= None
"""
BAD = """\
x = [1, 2]
x * 2    #= [2, 5]
y = x @ ones(3)    #! axis
"""


@pytest.fixture
def script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file of that name in the current folder."""
    monkeypatch.chdir(tmp_path)
    return Path("a.grad")


def outcome(gradcli: Runner, script: Path, text: str, *flags: str) -> tuple[int, str]:
    script.write_text(text)
    finished = gradcli("test", str(script), *flags)
    assert finished.err == ""
    return finished.code, finished.out


# --- what holds ----------------------------------------------------------------------------


def test_what_holds_is_counted(gradcli: Runner, script: Path) -> None:
    code, out = outcome(gradcli, script, GOOD)
    assert code == 0
    assert out == "ok     a.grad  4 of 4\n4 passed in 1 file\n"


@pytest.mark.parametrize(
    "text",
    [
        "0.1 + 0.2    #= 0.3",
        "1 / 3    #= 0.33 ± 0.01",
        "1 / 3    #= 0.33 +- 0.01",
        "pi    #= 3.14159 ± 1e-5",
        "1 / 0    #= inf",
        "0 / 0    #= nan",
        "0 / 0    #= 'NaN'",
        "[1, 2] > 1    #= [False, True]",
        "[[1, 2]].shape    #= (1, 2)",
        "sin(0)    #= 0",
        "cos(pi / 2)    #= 0 ± 1e-15",
        "ones(2, 2)    #= ones(2, 2)",
        "1, 2    #= 1, 2",
        "if True { 3    #= 3\n}",
        "for i in range(3) { i * 0    #= 0\n}",
        "def f(x) { return x }\nf(3)    #= 3",
        "1 + ones(2) @ ones(3)    #! shape",
        "y    #! name",
        "while True { }    #! limit-steps",
        "assert_close(1, 2)    #! assertion",
        "[1, 2][5]    #! index",
    ],
)
def test_expectations_that_hold(gradcli: Runner, script: Path, text: str) -> None:
    code, out = outcome(gradcli, script, text, "--max-steps", "1000")
    assert code == 0, out


@pytest.mark.parametrize(
    "text",
    [
        "0.1 + 0.2    #= 0.30001",
        "1 / 3    #= 0.33",
        "1 / 3    #= 0.33 ± 0.001",
        "1e-9    #= 0",
        "nan    #= 1",
        "[1, 2]    #= [1, 3]",
        "[1, 2]    #= 1",
        "1    #= [1]",
        "print(1)    #= 1",
        "1    #= None",
        "y    #= 1",
        "1    #! name",
        "y    #! shape",
        "for i in range(3) { i    #= 0\n}",
        "if False { 1    #= 1\n}",
        "y = z",
        "y = (",
        "1    #= 1 +",
        "1    #= 1 ± x",
        "1    #! nonsense",
    ],
)
def test_expectations_that_do_not_hold(gradcli: Runner, script: Path, text: str) -> None:
    code, out = outcome(gradcli, script, text)
    assert code == 1
    assert "1 failed" in out


def test_a_statement_that_fails_as_expected_binds_nothing(gradcli: Runner, script: Path) -> None:
    text = "x = 1\nx = 2 + ones(2) @ ones(3)    #! shape\nx    #= 1\n"
    text += "for i in range(3) { x = i; y = missing }    #! name\nx    #= 1\ni    #! name\n"
    assert outcome(gradcli, script, text)[0] == 0


def test_an_error_in_a_deep_call_is_caught(gradcli: Runner, script: Path) -> None:
    text = "def f(n) { if n == 0 { return missing }; return f(n - 1) }\nf(3000)    #! name\n"
    text += "g(n) = n; g(4)    #= 4\n"
    assert outcome(gradcli, script, text)[0] == 0


def test_random_numbers_are_the_same_in_each_run(gradcli: Runner, script: Path) -> None:
    code, out = outcome(gradcli, script, "randn(1)    #= [9]")
    assert (code, out) == outcome(gradcli, script, "randn(1)    #= [9]")
    assert out != outcome(gradcli, script, "randn(1)    #= [9]", "--seed", "1")[1]


# --- how it is shown -----------------------------------------------------------------------


def test_failures_show_line_expected_got_and_worst(gradcli: Runner, script: Path) -> None:
    code, out = outcome(gradcli, script, BAD)
    assert code == 1
    assert out == (
        "FAILED a.grad  0 of 2\n"
        "  a.grad:2: x * 2\n"
        "    expected [2, 5]\n"
        "    got      [2.0, 4.0]\n"
        "    why      4 instead of 5 at [1], a difference of 1; 1 of 2 elements differ\n"
        "  a.grad:3: y = x @ ones(3)\n"
        "    expected error axis\n"
        "    got      shape\n"
        "    why      it raised shape: matmul: inner dimensions differ: (2,) @ (3,) has 2 columns "
        "on the left and 3 rows on the right\n"
        "2 failed, 0 passed in 1 file\n"
    )


def test_an_error_stops_its_script_alone(gradcli: Runner, script: Path) -> None:
    Path("b.grad").write_text("2    #= 2\n")
    script.write_text("1    #= 1\ny = z\n3    #= 3\n")
    finished = gradcli("test", "a.grad", "b.grad")
    assert finished.code == 1
    assert "--> a.grad:2:5" in finished.out
    assert "ok     b.grad  1 of 1" in finished.out
    assert finished.out.endswith("2 failed, 2 passed in 2 files\n")


def test_folders_are_searched_in_order(gradcli: Runner, script: Path) -> None:
    for name in ("b.grad", "deep/a.grad", "a.txt"):
        Path("folder", name).parent.mkdir(parents=True, exist_ok=True)
        Path("folder", name).write_text("1    #= 1\n")
    finished = gradcli("test", "folder", "folder/b.grad")
    assert [line.split()[1] for line in finished.out.splitlines()[:2]] == [
        "folder/b.grad",
        "folder/deep/a.grad",
    ]
    assert finished.out.endswith("2 passed in 2 files\n")


def test_colour(gradcli: Runner, script: Path) -> None:
    assert "\x1b[" in outcome(gradcli, script, BAD, "--color", "always")[1]
    assert "\x1b[" not in outcome(gradcli, script, BAD)[1]


def test_what_a_script_says_cannot_steer_a_terminal(gradcli: Runner, script: Path) -> None:
    out = outcome(gradcli, script, "print('\x9b31m'); y\x9b = 1\n")[1]
    assert "\x9b" not in out


def test_github_annotations(gradcli: Runner, script: Path) -> None:
    code, out = outcome(gradcli, script, BAD + "z = 50%\n", "--format", "github")
    assert code == 1
    assert out.startswith("::error file=a.grad,line=4,title=gradcli test::syntax")
    out = outcome(gradcli, script, BAD, "--format", "github")[1]
    assert out.splitlines()[0] == (
        "::error file=a.grad,line=2,title=gradcli test::x * 2: expected [2, 5], got [2.0, 4.0]"
        "%0A4 instead of 5 at [1], a difference of 1; 1 of 2 elements differ"
    )
    assert outcome(gradcli, script, GOOD, "--format", "github") == (0, "4 passed in 1 file\n")


def test_junit(gradcli: Runner, script: Path) -> None:
    Path("b.grad").write_text("y = missing\n")
    script.write_text(GOOD + BAD)
    assert gradcli("test", "a.grad", "b.grad", "--junit", "report.xml").code == 1
    root = ElementTree.parse("report.xml").getroot()
    assert float(root.attrib.pop("time")) > 0
    assert root.attrib == {"name": "gradcli", "tests": "7", "failures": "3"}
    first, second = root
    assert [case.get("line") for case in first] == ["2", "3", "4", "5", "7", "8"]
    assert [case.find("failure") is not None for case in first] == [False] * 4 + [True] * 2
    failure = second[0].find("failure")
    assert failure is not None
    assert failure.get("type") == "name"


@pytest.mark.parametrize("name", ["a.grad", "link", "hard"])
@pytest.mark.parametrize("update", [[], ["--update"]])
def test_a_script_is_not_replaced_by_a_report(
    gradcli: Runner, script: Path, name: str, update: list[str]
) -> None:
    script.write_text(BAD)
    os.symlink("a.grad", "link")
    os.link("a.grad", "hard")
    assert gradcli("test", "a.grad", "--junit", name, *update).code == 2
    assert script.read_text() == BAD


def test_a_report_goes_into_pipes_and_devices(gradcli: Runner, script: Path) -> None:
    script.write_text(GOOD)
    os.symlink("/dev/null", "null")
    assert gradcli("test", "a.grad", "--junit", "null").code == 0
    assert Path("null").is_char_device()
    os.mkfifo("pipe")
    reader = os.open("pipe", os.O_RDONLY | os.O_NONBLOCK)
    assert gradcli("test", "a.grad", "--junit", "pipe").code == 0
    assert b"<testsuites" in os.read(reader, 10_000)
    os.close(reader)
    assert Path("pipe").is_fifo()


def test_a_report_on_standard_output_that_is_a_file(script: Path) -> None:
    script.write_text(GOOD)
    with Path("out").open("w") as out:
        command = [sys.executable, "-m", "gradcli", "test", "a.grad", "--junit", "/dev/stdout"]
        subprocess.run(command, stdout=out, check=True)
    xml, _, text = Path("out").read_text().partition("</testsuites>\n")
    assert xml.startswith("<?xml")
    assert text == "ok     a.grad  4 of 4\n4 passed in 1 file\n"


# --- limits ---


def test_a_pipe_is_no_script(gradcli: Runner, script: Path) -> None:
    script.write_text(GOOD)
    os.mkfifo("pipe.grad")
    os.symlink("/dev/zero", "zero.grad")
    for name in ("pipe.grad", "zero.grad", "."):
        answer = gradcli("test", name)
        assert answer.code == 3
        assert "pipe or device" in answer.err


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("while True { x = 1 }", "limit-steps"),
        ("zeros(10000, 10000) + rand(10000, 10000) #= 1", "limit-memory"),
        ("+".join("1" * 60_000), "limit-tokens"),
    ],
)
def test_limits_are_strict_where_it_is_safe(
    gradcli: Runner, script: Path, text: str, code: str
) -> None:
    script.write_text(text)
    answer = gradcli("test", str(script), "--safe", "--format", "github")
    assert answer.code == 1
    assert code in answer.out


@pytest.mark.parametrize("flags", [["--update"], ["--junit", "x.xml"]])
def test_nothing_is_written_where_it_is_safe(
    gradcli: Runner, script: Path, flags: list[str]
) -> None:
    script.write_text(BAD)
    assert gradcli("test", str(script), "--safe", *flags).code == 2
    assert script.read_text() == BAD
    assert os.listdir() == ["a.grad"]


# --- rewriting -----------------------------------------------------------------------------


def test_update_rewrites_what_fails(gradcli: Runner, script: Path) -> None:
    text = (
        "x = [1, 2]  # kept\n"
        "x * 2  #= [2, 4]\n"
        "x * 2  #=   [2, 5]\n"
        "sum(x) #= 7 ± 0.5\n"
        "y = x @ ones(3)   #! axis\n"
        "z = x   #! shape\n"
        "x + 1   #! shape\n"
        "missing #= 1\n"
        "print(1) #= 1"
    )
    code, out = outcome(gradcli, script, text, "--update")
    assert script.read_text() == (
        "x = [1, 2]  # kept\n"
        "x * 2  #= [2, 4]\n"
        "x * 2  #= [2.0, 4.0]\n"
        "sum(x) #= 3.0 ± 0.5\n"
        "y = x @ ones(3)   #! shape\n"
        "z = x\n"
        "x + 1   #= [2.0, 3.0]\n"
        "missing #! name\n"
        "print(1) #= None"
    )
    assert (code, out.splitlines()[-1]) == (0, "7 passed in 1 file")


def test_update_writes_through_a_link_and_keeps_who_may_read(gradcli: Runner, script: Path) -> None:
    script.write_text("1 #= 2")
    script.chmod(0o600)
    os.symlink("a.grad", "b.grad")
    assert gradcli("test", "b.grad", "--update").code == 0
    assert Path("b.grad").is_symlink()
    assert script.read_text() == "1 #= 1.0"
    assert script.stat().st_mode & 0o777 == 0o600
    assert len(os.listdir()) == 2


def test_update_leaves_a_script_that_holds_alone(gradcli: Runner, script: Path) -> None:
    script.write_text(GOOD)
    os.utime(script, (1, 1))
    assert gradcli("test", str(script), "--update").code == 0
    assert script.stat().st_mtime == 1


def test_update_changes_nothing_that_stops_a_script(gradcli: Runner, script: Path) -> None:
    for text in ("y = missing\n", "y = (\n", "if False { 1    #= 2\n}\n"):
        assert outcome(gradcli, script, text, "--update")[0] == 1
        assert script.read_text() == text


# --- mistakes in the command line ----------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "code"),
    [((), 2), (("missing.grad",), 3), (("empty",), 3), (("a.grad", "--format", "xml"), 2)],
)
def test_mistakes(gradcli: Runner, script: Path, arguments: tuple[str, ...], code: int) -> None:
    Path("empty").mkdir()
    script.write_text(GOOD)
    assert gradcli("test", *arguments).code == code


# --- several at a time, and some of them -----------------------------------------------------


def test_jobs_change_nothing_but_the_time(gradcli: Runner, script: Path) -> None:
    script.write_text(GOOD + BAD)
    Path("b.grad").write_text("x = [nan, 1]\nx #= [nan, 1]\ny = missing\nx #= 2")
    Path("c.grad").write_text("x = (")
    Path("d.grad").write_text("x = 3\nx #= 4\nx @ x #! shape\nNone #= 1\nx > 2 #= True\n")
    one = gradcli("test", ".")
    assert gradcli("test", ".", "--jobs", "3") == one
    assert one.code == 1
    assert gradcli("test", "d.grad", "a.grad", "--update", "-j", "2").code == 0
    assert Path("d.grad").read_text().startswith("x = 3\nx #= 3.0\n")


def test_a_script_that_hangs_costs_itself(gradcli: Runner, script: Path) -> None:
    script.write_text(GOOD)
    Path("b.grad").write_text("while True { x = 1 }")
    answer = gradcli("test", "b.grad", "a.grad", "--jobs", "2", "--timeout", "2")
    assert answer.code == 1
    assert "error[limit-time]" in answer.out
    assert "ok     a.grad  4 of 4" in answer.out


def test_chosen_expectations(gradcli: Runner, script: Path) -> None:
    script.write_text("x = 3\nx #= 3\nx**2 #= 10\nx**3 #= 27\nx @ x #! axis\n")
    Path("b.grad").write_text("missing + 1")
    for jobs in ("1", "2"):
        answer = gradcli("test", ".", "-k", "**3", "--jobs", jobs)
        assert (answer.code, answer.out.split("\n")[0]) == (0, "ok     a.grad  1 of 1")
        assert "b.grad" not in answer.out
    assert gradcli("test", ".", "-k", "b.g").out.startswith("ok     b.grad") is False
    assert gradcli("test", ".", "-k", "nowhere").code == 2


def test_junit_has_times(gradcli: Runner, script: Path) -> None:
    script.write_text("x = 3\nfor i in range(2000) { x = x + i }\nx #= 1999003\n")
    gradcli("test", "a.grad", "--junit", "report.xml")
    root = ElementTree.parse("report.xml").getroot()
    suite, case = root[0], root[0][0]
    whole, part = float(suite.get("time", 0)), float(case.get("time", 0))
    assert float(root.get("time", 0)) == whole
    assert 0 < part < whole


def test_a_dash_is_not_taken_for_a_file(gradcli: Runner, script: Path) -> None:
    script.write_text(GOOD)
    assert gradcli("test", "a.grad", "--junit", "-").code == 2
    assert gradcli("batch", "--out", "-").code == 2
    assert not Path("-").exists()
