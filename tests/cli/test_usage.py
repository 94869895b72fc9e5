"""Mistakes in the command line, and help."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from gradcli import __version__
from gradcli.cli.app import COMMANDS
from gradcli.cli.request import parse_seconds
from tests.cli.conftest import Runner, process


def test_version(gradcli: Runner) -> None:
    assert gradcli("--version").out == f"gradcli {__version__}\n"


@pytest.mark.parametrize(
    ("arguments", "source"),
    [
        (("--foo",), "--foo"),
        (("--dtype", "float16"), "--dtype"),
        (("--threads", "0"), "--threads"),
        (("--set", "x"), "--set"),
        (("--max-memory", "12Q"), "--max-memory"),
        (("-g",), "-g"),
        (("a", "b"), "command line"),
        (("-f", "a.grad"), "command line"),
    ],
)
def test_a_wrong_command_line_is_the_source_in_json(
    gradcli: Runner, arguments: tuple[str, ...], source: str
) -> None:
    answer = gradcli("eval", "x**2", "--json", *arguments)
    assert answer.code == 2
    assert json.loads(answer.out)["error"]["source"] == source


@pytest.mark.parametrize("flag", ["--help", "-h"])
def test_help_lists_commands_and_examples(gradcli: Runner, flag: str) -> None:
    answer = gradcli(flag)
    assert answer.code == 0
    assert all(name in answer.out for name in COMMANDS)
    assert "Examples:" in answer.out
    assert "--install-completion" in answer.out


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_with_examples(gradcli: Runner, command: str) -> None:
    answer = gradcli(command, "--help")
    assert answer.code == 0
    assert f"gradcli {command} " in answer.out.partition("Examples:")[2]


def test_help_says_something_about_every_flag(gradcli: Runner) -> None:
    options = gradcli("eval", "--help").out.partition("Options:")[2].partition("Examples:")[0]
    entries = options.split("\n  -")[1:]
    assert len(entries) > 25
    for entry in entries:
        flags, _, text = entry.partition("  ")
        assert len(text.split()) > 1, flags


@pytest.mark.parametrize(
    ("arguments", "message", "hint"),
    [
        (["evl"], "no command 'evl'", "did you mean eval?"),
        (["x**2", "-s", "x=3"], "no command 'x**2'", "gradcli eval PROGRAM"),
        (["eval", "x", "--jsn"], "no such option: --jsn", "did you mean --json?"),
        (["eval", "x", "--frobnicate"], "no such option: --frobnicate", "gradcli eval --help"),
        (["eval", "-x**2"], "no such option: -x", "gradcli eval -- '-x**2'"),
        (["eval", "--x**2"], "no such option: --x**2", "gradcli eval -- '-x**2'"),
        (["eval", "-2*x"], "no such option: -2", "gradcli eval -- '-x**2'"),
        (["eval", "-w*x"], "'*x' is not a name", "gradcli eval -- '-x**2'"),
        (["eval", "-sum(x)", "-s", "x=1"], "'um(x)'", "gradcli eval -- '-x**2'"),
        (["eval", "x", "-g", "-e*2", "-s", "y"], "--set 'y' gives no value", "--set NAME=VALUE"),
        (["eval", "y", "=", "x"], "unexpected extra argument", "quotes"),
        (["eval", "x", "--dtype", "int8"], "'int8' is not one of 'float64', 'float32'", "--help"),
        (["eval", "x", "--threads", "0"], "'--threads'", "--help"),
        (["eval", "x", "--json=1"], "--json", ""),
        (["eval", "x", "-s", "x"], "--set 'x' gives no value", "--set NAME=VALUE"),
        (["eval", "x", "-s", "2x=1"], "'2x' is not a name", "letters"),
        (["eval", "x", "-s", "x=1", "-s", "x=2"], "--set x stands twice", "once"),
        (["eval", "x", "-g", ""], "--gradient has an empty value", "--gradient 1,0"),
        (["eval", "x", "-w", "x,,y"], "--wrt: '' is not a name", "--wrt a,b"),
        (["eval", "x", "-w", "x[0]"], "--wrt: 'x[0]' is not a name", ""),
        (["eval", "x", "-f", "a.grad"], "two programs", "one"),
        (["eval", "x", "--max-memory", "much"], "'much' is not a size", "2G"),
        (["eval", "x", "--max-memory", "9" * 400], "is not a size", "2G"),
        (["eval", "x", "--max-memory", "0"], "is not a size", "2G"),
        (["eval", "x", "--timeout", "nan"], "--timeout nan", "leave it out"),
        (["eval", "x", "--timeout", "inf"], "--timeout inf", "leave it out"),
        (["eval", "x", "--save", "grads.txt"], "'grads.txt'", "one of .npy, .npz, .json"),
        (["eval", "x", "--json", "--format", "csv"], "two formats", "one"),
        (["eval"], "there is no program", 'gradcli eval "'),
        (["eval", "-", "-s", "x=@-"], "not by the program and --set x", "as a file"),
        (["eval", "x+y", "-s", "x=@-", "-g", "@-"], "--set x and --gradient", "as a file"),
        (["eval", "-f", "-", "-g", "z=@-"], "the program and --gradient z", "as a file"),
    ],
)  # fmt: skip
def test_usage_error(gradcli: Runner, arguments: list[str], message: str, hint: str) -> None:
    for_people = gradcli(*arguments)
    assert (for_people.code, for_people.out) == (2, "") or "--format" in arguments
    assert for_people.err.startswith("error[usage]: ") or "--format" in arguments
    for_programs = gradcli(*arguments, *([] if "--json" in arguments else ["--json"]))
    assert for_programs.code == 2
    error = for_programs.error
    assert error["code"] == "usage"
    assert message in error["message"]
    assert hint in (error["hint"] or "")


def test_no_command(gradcli: Runner) -> None:
    answer = gradcli()
    assert (answer.code, answer.out) == (2, "")
    assert "no command is given" in answer.err
    assert 'gradcli eval "' in answer.err


def test_flag_without_its_value(gradcli: Runner) -> None:
    error = gradcli("eval", "x", "--json", "-s").error
    assert error["message"] == "option '-s' requires an argument"
    assert error["hint"].endswith("--help lists the flags")


def test_piped_program_and_piped_value_are_two_readers(gradcli: Runner) -> None:
    answer = gradcli("eval", "-s", "x=@-", "--json", stdin=b"x**2")
    assert answer.error["code"] == "usage"


def test_an_empty_pipe_is_no_program(gradcli: Runner) -> None:
    answer = gradcli("eval", "--json", stdin=b" \n")
    assert (answer.code, answer.error["code"]) == (2, "usage")


def test_a_program_that_is_taken_for_a_file(gradcli: Runner) -> None:
    answer = gradcli("eval", "-floor(x)", "-s", "x=1", "--json")
    assert (answer.code, answer.error["code"]) == (3, "file")
    assert "gradcli eval -- '-x**2'" in answer.error["hint"]


@pytest.mark.parametrize("flags", [["--json"], ["--format", "json"], ["--format=json"]])
def test_every_way_to_ask_for_json_gets_errors_as_json(gradcli: Runner, flags: list[str]) -> None:
    assert gradcli("eval", "x", "--frobnicate", *flags).error["code"] == "usage"


def test_json_behind_two_dashes_is_no_flag(gradcli: Runner) -> None:
    answer = gradcli("eval", "--frobnicate", "--", "--json")
    assert (answer.code, answer.out) == (2, "")


def test_an_argument_that_is_not_utf_8(gradcli: Runner) -> None:
    error = gradcli("eval", "x \udcff", "--json").error
    assert (error["code"], error["column"]) == ("encoding", 3)


@pytest.mark.parametrize(
    "arguments",
    [
        ("check", "norm(x)", "-s", "x=0,0", "--mine", "x=1"),
        ("explain", "x*1e308*10", "-s", "x=1,2", "--entry", "x[0]", "-g", "1.5"),
        ("plot", "x*2", "--over", "x=1e308:-1e308", "--format", "svg"),
    ],
)
def test_warnings_of_numpy_reach_nobody(arguments: tuple[str, ...]) -> None:
    assert process(*arguments).stderr == ""


def test_without_a_program_no_flag_is_to_blame(gradcli: Runner) -> None:
    assert gradcli("eval", "--json").error["source"] == "command line"


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (("eval", "x", "-g"), "gradcli eval --help lists the flags"),
        (("jvp", "x", "--tangent"), "gradcli jvp --help lists the flags"),
        (("explain", "x*2", "-s", "x=1,2", "-g", "1,1", "--entry", "x"), "--entry 'x[0]'"),
        (("explain", "x*2", "-s", "x=[[1]]", "--entry", "x[0]"), "--entry 'x[0,0]'"),
        (("explain", "x*2", "-s", "x=1", "--entry", "x[0]"), "--entry x\n"),
        (("plot", "x*2", "--over", "xx=0:1"), "did you mean 'x'?"),
    ],
)
def test_hints_can_be_followed(gradcli: Runner, arguments: tuple[str, ...], hint: str) -> None:
    answer = gradcli(*arguments)
    assert answer.code in (2, 3)
    assert f"= help: {hint}" in answer.err


def test_no_bracket_is_named_where_there_is_none(gradcli: Runner) -> None:
    assert "or a value" in gradcli("eval", "x", "-s", "x=1;2").err


def test_a_list_has_a_place_as_an_output(gradcli: Runner) -> None:
    error = gradcli("eval", "y = x; [x, y]", "-s", "x=1", "--json").error
    assert error["code"] == "gradient-required"
    assert (error["column"], error["length"]) == (8, 6)
    assert "sum([x, y])" in error["hint"]


def test_an_archive_of_short_names_suggests_none(gradcli: Runner, tmp_path: Path) -> None:
    path = tmp_path / "z.npz"
    np.savez(path, a=1.0, b=2.0)
    answer = gradcli("eval", "x", "-s", f"x=@{path}")
    assert "it holds a, b" in answer.err
    assert f"help: name one: @{path}:KEY" in answer.err


# --- times, and scripts by name ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("30", 30), ("500ms", 0.5), ("5m", 300), ("1.5 min", 90), ("2h", 7200), ("1d", 86400),
     ("1e-3", 0.001), (".5S", 0.5)],
)  # fmt: skip
def test_times_have_units(text: str, seconds: float) -> None:
    assert parse_seconds("--timeout", text) == pytest.approx(seconds, rel=1e-15)


@pytest.mark.parametrize("text", ["", "5x", "m", "-1", "0", "0.0009", "1e", "inf", "5 5"])
def test_what_is_no_time(gradcli: Runner, text: str) -> None:
    answer = gradcli("eval", "x**2", "-s", "x=3", f"--timeout={text}")
    assert answer.code == 2
    assert "--timeout" in answer.err


def test_a_script_by_its_name(
    gradcli: Runner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.grad").write_text("y = x**2\n")
    assert gradcli("eval", "a.grad", "-s", "x=3", "--json").json["grads"] == {"x": 6}
    assert gradcli("check", "a.grad", "-s", "x=3").code == 0
    assert gradcli("eval", "a.grad", "-s", "x=3", "--safe").code == 2
    assert gradcli("eval", "b.grad", "-s", "b=3").code == 0  # no such file: an attribute
