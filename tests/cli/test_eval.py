"""The flags of `gradcli eval`. Expected numbers are worked out by hand in each test."""

from __future__ import annotations

import csv
import io
import signal
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from gradcli.cli.formats import FORMATS
from tests.cli.conftest import Runner
from tests.gpu.stand_in import installed

CUBE = ("z = (2*x)**3; out = mean(z)", "--set", "x=[[1,2],[3,4]]")
GRAD = [[6.0, 24.0], [54.0, 96.0]]
"""d mean(8*x**3) / dx = 24*x**2 / 4."""


def test_json_to_the_letter(gradcli: Runner) -> None:
    answer = gradcli("eval", *CUBE, "--json")
    assert (answer.code, answer.err) == (0, "")
    assert answer.out == (
        '{"outputs": ["out"], "values": {"x": [[1.0, 2.0], [3.0, 4.0]], '
        '"z": [[8.0, 64.0], [216.0, 512.0]], "out": 200.0}, "gradient": {"out": 1.0}, '
        '"grads": {"x": [[6.0, 24.0], [54.0, 96.0]]}, "dtype": "float64", "device": "cpu", '
        '"seed": null, "notes": []}\n'
    )


def test_text_is_the_default_and_has_no_escape_codes_in_a_pipe(gradcli: Runner) -> None:
    answer = gradcli("eval", *CUBE)
    assert (answer.code, answer.err) == (0, "")
    assert "200" in answer.out
    assert "96" in answer.out
    assert "\x1b" not in answer.out


def test_tabs_are_printed_as_tabs(gradcli: Runner) -> None:
    assert gradcli("eval", r'print("a\tb\x1b")').out.startswith("a\tb\\x1b\n")


def test_tree_and_no_tree(gradcli: Runner) -> None:
    assert "mean" in gradcli("eval", "mean(x)", "-s", "x=1,2").out
    assert "mean" not in gradcli("eval", "mean(x)", "-s", "x=1,2", "--no-tree").out


def test_a_long_tree_is_cut_unless_it_is_asked_for(gradcli: Runner) -> None:
    program = "y = x; " + "y = sin(y) + 1; " * 60 + "out = y * 1"
    short = gradcli("eval", program, "-s", "x=1").out
    assert "more lines: --tree shows them all" in short
    assert "more lines" not in gradcli("eval", program, "-s", "x=1", "--tree").out


@pytest.mark.parametrize(
    ("variables", "flags", "coloured"),
    [
        ({}, ["--color", "always"], True),
        ({}, ["--color", "auto"], False),
        ({"FORCE_COLOR": "1"}, [], True),
        ({"FORCE_COLOR": ""}, [], False),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, [], False),
        ({"NO_COLOR": "1"}, ["--color", "always"], True),
        ({"FORCE_COLOR": "1"}, ["--color", "never"], False),
    ],
)
def test_colour(
    gradcli: Runner,
    monkeypatch: pytest.MonkeyPatch,
    variables: dict[str, str],
    flags: list[str],
    coloured: bool,
) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert ("\x1b[" in gradcli("eval", *CUBE, *flags).out) == coloured


def test_precision_is_for_people(gradcli: Runner) -> None:
    third = ("eval", "y = x/3", "-s", "x=1")
    assert "0.33 " in gradcli(*third, "--precision", "2").out.replace("\n", " ")
    assert "0.33333333 " in gradcli(*third, "--precision", "8").out.replace("\n", " ")
    assert gradcli(*third, "--precision", "2", "--json").json["values"]["y"] == 1 / 3


def test_csv(gradcli: Runner) -> None:
    rows = list(csv.DictReader(io.StringIO(gradcli("eval", *CUBE, "--format", "csv").out)))
    assert {"name": "x", "kind": "grad", "index": "1,0", "value": "54.0"} in rows


def test_quiet_prints_nothing_but_errors(gradcli: Runner) -> None:
    answer = gradcli("eval", *CUBE, "--quiet")
    assert (answer.code, answer.out, answer.err) == (0, "", "")
    assert gradcli("eval", "x +", "--quiet").err


def test_program_from_a_file_a_pipe_and_a_dash(gradcli: Runner, tmp_path: Path) -> None:
    script = tmp_path / "square.grad"
    script.write_text("y = x**2\n")
    for flags, stdin in [
        (["-f", str(script)], None),
        ([], b"y = x**2"),
        (["-"], b"y = x**2"),
        (["-f", "-"], "\ufeffy = x**2\r\n".encode()),
        (["--", "y = x**2"], None),
    ]:
        answer = gradcli("eval", "--json", "-s", "x=3", *flags, stdin=stdin)
        assert answer.json["grads"] == {"x": 6.0}


def test_a_program_that_begins_with_a_dash(gradcli: Runner) -> None:
    assert gradcli("eval", "-s", "x=3", "--json", "--", "-x**2").json["grads"] == {"x": -6.0}


@pytest.mark.parametrize(
    "flags",
    [
        ["-g", "0.1,1,1e-4"],
        ["-g=0.1,1,1e-4"],
        ["-g", "[0.1,1,1e-4]"],
        ["--gradient=[0.1, 1.0, 0.0001]"],
        ["-g", "y=0.1,1,1e-4"],
        ["-gy=0.1,1,1e-4"],
    ],
)
def test_spellings_of_gradient(gradcli: Runner, flags: list[str]) -> None:
    answer = gradcli("eval", "y = 2*x", "-s", "x=1,2,3", *flags, "--json")
    assert answer.json["grads"] == {"x": [0.2, 2.0, 0.0002]}


def test_negative_values(gradcli: Runner) -> None:
    answer = gradcli("eval", "y = x*x", "-s", "x=-3,2", "-g", "-1,2", "--json")
    assert answer.json["grads"] == {"x": [6.0, 8.0]}


@pytest.mark.parametrize(
    ("name", "write"),
    [
        ("x.npy", lambda path: np.save(path, [1.0, 2.0])),
        ("x.npz:a", lambda path: np.savez(str(path)[:-2], a=[1.0, 2.0], b=[0.0])),
        ("x.json", lambda path: path.write_text("[1, 2]")),
        ("x.csv", lambda path: path.write_text("1,2\n")),
        ("x.txt", lambda path: path.write_text("1 2\n")),
    ],
)
def test_values_from_files(gradcli: Runner, tmp_path: Path, name: str, write: object) -> None:
    assert callable(write)
    write(tmp_path / name)
    flags = ("-s", f"x=@{tmp_path / name}", "-g", f"@{tmp_path / name}")
    answer = gradcli("eval", "y = x**2", *flags, "--json").json
    assert np.ravel(answer["grads"]["x"]).tolist() == [2.0, 8.0]


def test_values_from_standard_input(gradcli: Runner) -> None:
    answer = gradcli("eval", "sum(x**2)", "-s", "x=@-", "--json", stdin=b"[1, 2]")
    assert answer.json["grads"] == {"x": [2.0, 4.0]}


def test_several_passes(gradcli: Runner) -> None:
    answer = gradcli("eval", "y = x**2", "-s", "x=1,2", "-g", "1,0", "-g", "0,1", "--json").json
    assert [each["grads"]["x"] for each in answer["passes"]] == [[2.0, 0.0], [0.0, 4.0]]
    assert answer["grads"]["x"] == [0.0, 4.0]


def test_accumulate(gradcli: Runner) -> None:
    flags = ("-s", "x=1,2", "-g", "1,0", "-g", "0,1", "--accumulate", "--json")
    assert gradcli("eval", "y = x**2", *flags).json["grads"]["x"] == [2.0, 4.0]


def test_outputs_and_named_gradients(gradcli: Runner) -> None:
    # d(2a + 3ab)/da = 2 + 3b = 14, d/db = 3a = 6 at a = 2, b = 4
    flags = ("-s", "a=2", "-s", "b=4", "-o", "y", "-o", "z", "-g", "y=2", "-g", "z=3", "--json")
    answer = gradcli("eval", "y = a; z = a*b; w = 7*a", *flags).json
    assert answer["outputs"] == ["y", "z"]
    assert answer["grads"] == {"a": 14.0, "b": 6.0}


def test_wrt_in_both_spellings(gradcli: Runner) -> None:
    program = ("eval", "y = a*b*c", "-s", "a=2", "-s", "b=3", "-s", "c=4", "--json")
    assert gradcli(*program, "--wrt", "a,c").json["grads"] == {"a": 12.0, "c": 6.0}
    assert gradcli(*program, "-w", "a", "-w", "c").json["grads"] == {"a": 12.0, "c": 6.0}


def test_retain_grad(gradcli: Runner) -> None:
    # out = mean(z): d/dz = 1/4
    assert gradcli("eval", *CUBE, "--retain-grad", "z", "--json").json["grads"] == {
        "x": GRAD,
        "z": [[0.25, 0.25], [0.25, 0.25]],
    }
    assert "z" in gradcli("eval", *CUBE, "--retain-grad", "all", "--json").json["grads"]


def test_strict_refuses_to_broadcast(gradcli: Runner) -> None:
    flags = ("-s", "x=[[1,2],[3,4]]", "-g", "1,0", "--json")
    answer = gradcli("eval", "y = 2*x", *flags).json
    assert answer["grads"]["x"] == [[2.0, 0.0], [2.0, 0.0]]
    assert answer["notes"]
    refused = gradcli("eval", "y = 2*x", *flags, "--strict")
    assert (refused.code, refused.error["code"]) == (3, "gradient-shape")


def test_forward(gradcli: Runner) -> None:
    answer = gradcli("eval", "y = 2*x", "-s", "x=1,2", "--forward", "--json").json
    assert answer["values"]["y"] == [2.0, 4.0]
    assert answer["grads"] == {}


def test_dtype(gradcli: Runner) -> None:
    answer = gradcli("eval", "y = x/3", "-s", "x=1", "--dtype", "float32", "--json").json
    assert answer["dtype"] == "float32"
    assert np.float32(answer["values"]["y"]) == np.float32(1) / np.float32(3)


def test_device(gradcli: Runner) -> None:
    for device in ("cpu", "auto"):
        assert gradcli("eval", *CUBE, "--device", device, "--json").json["device"] == "cpu"


def test_no_device(gradcli: Runner) -> None:
    with installed({"cupy": None}):
        answer = gradcli("eval", *CUBE, "--device", "gpu", "--json")
    assert (answer.code, answer.error["code"]) == (3, "device")
    assert "pip install 'gradcli[gpu]'" in answer.error["hint"]


def test_seed_repeats_a_run(gradcli: Runner) -> None:
    program = ("eval", "y = sum(x*randn(3))", "-s", "x=randn(3)", "--json")
    first = gradcli(*program).json
    again = gradcli(*program, "--seed", str(first["seed"])).json
    assert again == first
    assert gradcli(*program).json["values"]["x"] != first["values"]["x"]
    # what a literal draws is not drawn again by the program
    assert first["grads"]["x"] != first["values"]["x"]


def test_threads_change_nothing(gradcli: Runner) -> None:
    answers = {gradcli("eval", *CUBE, "--threads", n, "--json").out for n in ("1", "2")}
    assert len(answers) == 1


@pytest.mark.parametrize(
    ("choice", "names"), [("all", ["x", "z", "out"]), ("outputs", ["out"]), ("none", [])]
)
def test_values(gradcli: Runner, choice: str, names: list[str]) -> None:
    answer = gradcli("eval", *CUBE, "--values", choice, "--json").json
    assert list(answer["values"]) == names
    assert answer["grads"] == {"x": GRAD}


@pytest.mark.parametrize("choice", ["all", "outputs", "none"])
def test_save_npz(gradcli: Runner, tmp_path: Path, choice: str) -> None:
    path = tmp_path / "saved.npz"
    flags = ("--save", str(path), "--values", choice, "--retain-grad", "z", "--json")
    assert gradcli("eval", *CUBE, *flags).code == 0
    with np.load(path) as saved:
        assert sorted(saved) == ["out", "x.grad", "z.grad"]
        assert saved["out"] == 200
        assert saved["x.grad"].tolist() == GRAD


@pytest.mark.parametrize(
    "arguments",
    [
        ("eval", "sum(x)", "-s", "x=@{}"),
        ("eval", "sum(x)", "-s", " x = @{}"),
        ("eval", "x * 1", "-s", "x=1,2", "-g", "@{}"),
        ("eval", "x * 1", "-s", "x=1,2", "-g", "out=@{}"),
        ("eval", "-f", "{}", "-s", "x=1"),
        ("jvp", "sum(x)", "-s", "x=1,2", "-t", "x=@{}"),
        ("hvp", "sum(x)", "-s", "x=1,2", "-u", "@{}"),
    ],
)
def test_what_a_run_reads_is_not_replaced_by_what_it_saves(
    gradcli: Runner, tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    path, link = tmp_path / "x.npy", tmp_path / "link.npy"
    np.save(path, np.ones(2))
    link.symlink_to(path)
    before = path.read_bytes()
    for there, saved in ((path, link), (link, path), (path, path)):
        filled = [argument.format(there) for argument in arguments]
        answer = gradcli(*filled, "--save", str(saved))
        assert answer.code == 2
        assert "same file" in answer.err
        assert path.read_bytes() == before


def test_save_passes(gradcli: Runner, tmp_path: Path) -> None:
    path = tmp_path / "saved.npz"
    flags = ("-s", "x=1,2", "-g", "1,0", "-g", "0,1", "--save", str(path), "--quiet")
    assert gradcli("eval", "y = x**2", *flags).code == 0
    with np.load(path) as saved:
        assert sorted(saved) == ["x.grad.1", "x.grad.2", "y"]
        assert saved["x.grad.2"].tolist() == [0.0, 4.0]
    assert gradcli("eval", "y = x**2", *flags, "--accumulate").code == 0
    with np.load(path) as saved:
        assert saved["x.grad"].tolist() == [2.0, 4.0]


def test_save_npy_is_the_only_grad(gradcli: Runner, tmp_path: Path) -> None:
    path = tmp_path / "grad.npy"
    assert gradcli("eval", *CUBE, "--save", str(path), "--quiet").code == 0
    assert np.load(path).tolist() == GRAD
    answer = gradcli("eval", "x*y", "-s", "x=1", "-s", "y=2", "--save", str(path), "--json")
    assert (answer.code, answer.error["code"]) == (2, "usage")


def test_nothing_is_saved_when_the_run_fails(gradcli: Runner, tmp_path: Path) -> None:
    path = tmp_path / "saved.npz"
    assert gradcli("eval", "y = x +", "--save", str(path)).code == 3
    assert list(tmp_path.iterdir()) == []


def test_max_steps_and_max_memory(gradcli: Runner) -> None:
    loop = ("eval", "y = x\nwhile y < 100 { y = y + 1 }", "-s", "x=0", "--json")
    assert gradcli(*loop).code == 0
    answer = gradcli(*loop, "--max-steps", "50")
    assert (answer.code, answer.error["code"]) == (4, "limit-steps")
    answer = gradcli("eval", "sum(x)", "-s", "x=ones(1000,1000)", "--max-memory", "1M", "--json")
    assert (answer.code, answer.error["code"]) == (4, "limit-memory")
    answer = gradcli("eval", "sum(x)", "-s", "x=ones(1000)", "--max-memory", "0.1 GiB", "--json")
    assert answer.code == 0


def test_timeout(gradcli: Runner) -> None:
    endless = "y = x\nwhile y >= 0 { y = y + 1 }"
    flags = ("-s", "x=0", "--max-steps", "1000000000", "--timeout", "0.2", "--json")
    answer = gradcli("eval", endless, *flags)
    assert (answer.code, answer.error["code"]) == (4, "limit-time")


def slow(*_: object) -> Iterator[str]:
    """A format whose reader is slow: time is up in the middle."""
    yield '{"half": '
    signal.raise_signal(signal.SIGALRM)


def test_no_second_answer_follows_half_of_one(
    gradcli: Runner, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(FORMATS["result"], "json", f"{__name__}:slow")
    answer = gradcli("eval", *CUBE, "--timeout", "60", "--json")
    assert (answer.code, answer.out) == (4, '{"half": ')
    assert answer.err.startswith("error[limit-time]")


def test_safe_opens_no_file(gradcli: Runner, tmp_path: Path) -> None:
    for flags in (
        ["-f", str(tmp_path / "a.grad")],
        ["x", "-s", f"x=@{tmp_path / 'x.npy'}"],
        ["x", "-s", "x=1", "-g", f"@{tmp_path / 'x.npy'}"],
        ["x", "-s", "x=1", "--save", str(tmp_path / "x.npz")],
    ):
        answer = gradcli("eval", "--safe", "--json", *flags)
        assert (answer.code, answer.error["code"]) == (2, "usage")
        assert "--safe" in answer.error["message"]


def test_safe_still_reads_standard_input_and_is_strict(gradcli: Runner) -> None:
    answer = gradcli("eval", "sum(x)", "-s", "x=@-", "--safe", "--json", stdin=b"[1, 2]")
    assert answer.json["grads"] == {"x": [1.0, 1.0]}
    loop = "y = x\nfor i in range(50000) { y = y + 1 }"
    assert gradcli("eval", loop, "-s", "x=1", "--safe", "--json").error["code"] == "limit-steps"


@pytest.mark.parametrize(
    ("arguments", "code", "source", "place"),
    [
        (["y = x +"], "syntax", "program", 1),
        (["y = x\nz = tnah(x)", "-s", "x=1"], "name", "program", 2),
        (["y = x", "-s", "x=[1,"], "syntax", "--set x", 1),
        (["y = x", "-s", "x=1", "-g", "y"], "name", "--gradient", 1),
        (["y = x", "-s", "x=@missing.npy"], "file", "--set x", None),
        (["-f", "missing.grad"], "file", "missing.grad", None),
        (["missing.grad"], "file", None, None),
        (["there/a-b.grad"], "file", None, None),
        (["a/b.grad", "-s", "a=1"], "name", "program", 1),
    ],
)
def test_errors_name_their_place(
    gradcli: Runner, arguments: list[str], code: str, source: str | None, place: int | None
) -> None:
    answer = gradcli("eval", *arguments, "--json")
    assert answer.code == 3
    error = answer.error
    assert (error["code"], error["source"], error["line"]) == (code, source, place)
    assert gradcli("eval", *arguments).err.startswith(f"error[{code}]: ")


def test_error_in_a_file_names_the_file(gradcli: Runner, tmp_path: Path) -> None:
    script = tmp_path / "broken.grad"
    script.write_bytes(b"y = x\nz = \xff")
    error = gradcli("eval", "-f", str(script), "--json").error
    assert (error["code"], error["source"]) == ("encoding", str(script))
    assert (error["line"], error["column"]) == (2, 5)


def test_rows_of_an_array_are_printed_as_numpy_prints_them(gradcli: Runner) -> None:
    """Also where a loop makes its rows one by one, which it does at the command line."""
    cell = b"import numpy as np\nA = np.array([[1., 2.], [3., 4.]])\nfor row in A: print(row)\n"
    answer = gradcli("eval", "-", stdin=cell)
    assert answer.out.startswith("[1. 2.]\n[3. 4.]\n")


@pytest.mark.parametrize(
    ("block", "ends", "line", "message"),
    [
        (
            "y{b} = y{a} - 0.125*(inv(y{a}) @ y{a})",
            ("y0 = [[100, 0], [0, 100]]", "sum(y1200)"),
            802,
            "singular",
        ),
        ("y{b} = reshape(y{a}, (2, 3))", ("y0 = [1, 2]", ""), 2, "do not fit"),
        ("y{b} = sin(y{a})", ("y0 = [1, 2]", ""), 1201, "has shape (2,)"),
    ],
)
def test_an_error_has_the_place_of_its_own_statement(
    gradcli: Runner, tmp_path: Path, block: str, ends: tuple[str, str], line: int, message: str
) -> None:
    """100 - 800*0.125 is 0: the matrix is singular where y800 is inverted, in line 802."""
    file = tmp_path / "long.grad"
    before, after = ends
    file.write_text("\n".join([before, *(block.format(a=i, b=i + 1) for i in range(1200)), after]))
    error = gradcli("eval", "-f", str(file), "--json").error
    assert error["line"] == line
    assert message in error["message"]
    assert "pass" not in error["message"]


def test_what_is_not_finite_is_told_of_a_statement(gradcli: Runner, tmp_path: Path) -> None:
    file = tmp_path / "long.grad"
    file.write_text(
        "\n".join(["y0 = x", *(f"y{i + 1} = y{i} - 0.25 + 0*log(y{i})" for i in range(1200))])
    )
    notes = gradcli("eval", "-f", str(file), "-s", "x=200.1", "--json").json["notes"]
    assert [note["message"] for note in notes] == [
        "y802 is not finite everywhere: log of -0.15 gave nan"
    ]


PRINTS = """import torch
x = torch.tensor([1., 2.])
for i in range(2):
    print(i, x*i)
print(f"{x.sum():.1f} here")
"""


@pytest.mark.parametrize(
    "mistake", ["x @ torch.ones(3)", "nothing", "raise ValueError('no')", "assert i == 0"]
)
def test_what_was_printed_before_an_error_is_shown(gradcli: Runner, mistake: str) -> None:
    """As Python does: the lines first, on standard output, then the error."""
    cell = f"{PRINTS}{mistake}\nprint('never')\n".encode()
    answer = gradcli("eval", "-", stdin=cell)
    assert answer.code == (1 if mistake.startswith(("raise", "assert")) else 3)
    assert answer.out == "0 tensor([0., 0.])\n1 tensor([1., 2.])\n3.0 here\n"
    assert answer.err.startswith("error[")
    assert gradcli("eval", "-", "--quiet", stdin=cell).out == ""
    assert [*gradcli("eval", "-", "--json", stdin=cell).json] == ["error"]


def test_what_is_printed_before_an_error_keeps_to_the_limits(gradcli: Runner) -> None:
    cell = b"import torch\nx = torch.arange(300000.)\nprint(torch.sort(-x)[0])\nnothing\n"
    assert gradcli("eval", "-", stdin=cell).out.startswith("tensor([-3.0000e+05, ")
    limited = gradcli("eval", "-", "--max-memory", "1M", stdin=cell)
    assert limited.out == ""
    assert "nothing" in limited.err


STEPS = """import torch
print("first")
A = torch.tensor([[4., 2.], [2., 3.]])
try:
    torch.linalg.inv(A[:1])
except RuntimeError:
    print("caught")
for i in range(6):
    print("step", i, end=": ")
    L = torch.linalg.cholesky(A{given})
    print(L.detach().sum())
    A = A - torch.eye(2)
print("never")
"""


@pytest.mark.parametrize("given", ["", " + zero"])
def test_what_was_printed_before_an_error_of_the_run_is_shown(gradcli: Runner, given: str) -> None:
    """Of what is known while the program is planned, and of what is known in the run alone."""
    flags = ("--set", "zero=0") if given else ()
    answer = gradcli("eval", "-", *flags, stdin=STEPS.format(given=given).encode())
    assert answer.code == 3
    assert answer.out == (
        "first\ncaught\nstep 0: tensor(4.4142)\nstep 1: tensor(3.7032)\nstep 2: \n"
    )
    assert "not positive definite" in answer.err
    assert (
        gradcli("eval", "-", *flags, "--quiet", stdin=STEPS.format(given=given).encode()).out == ""
    )


def test_a_run_that_is_refused_as_a_whole_prints_nothing(gradcli: Runner) -> None:
    cell = b"import torch\nx = torch.ones(3000)\nprint('before')\n(x[:, None] * x).exp() @ x\n"
    answer = gradcli("eval", "-", "--max-memory", "1M", stdin=cell)
    assert answer.code == 4
    assert answer.out == ""
