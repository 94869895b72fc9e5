"""`gradcli check --command`: gradients of programs in other languages."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from gradcli.cli.command_guide import CPP, PYTHON, TORCH
from tests.cli.conftest import Outcome, Runner
from tests.cli.terminal import Terminal

SINES = ("y = sum(sin(x))", "-s", "x=0.3,1,2")
ALONE = ("--command-only-value", "-s", "x=0.3,1,2")
ANSWERING = """
import json, math, random, sys, time

random.seed(1)
for number, line in enumerate(sys.stdin, 1):
    request = json.loads(line)
    x = request["inputs"]["x"]
    v = request.get("gradient")
    {body}
    print(json.dumps(answer), flush=True)
"""
Script = Callable[[str], str]


@pytest.fixture
def script(tmp_path: Path) -> Script:
    """The command of a Python program with this text."""

    def write(text: str) -> str:
        path = tmp_path / "program.py"
        path.write_text(text)
        return f"{sys.executable} {path}"

    return write


def answering(*lines: str) -> str:
    """A program that answers each request with `answer`."""
    return ANSWERING.replace("{body}", "\n    ".join(lines))


def slope(formula: str) -> str:
    """One that sums sines, and says that this is the derivative of each."""
    return answering(
        "answer = {'value': sum(map(math.sin, x))}",
        f"if v is not None: answer['grads'] = {{'x': [{formula} for a in x]}}",
    )


def test_the_example_of_the_guide_is_right(gradcli: Runner, script: Script) -> None:
    command = script(PYTHON)
    assert gradcli("check", "--command", command, *ALONE, "--strict").code == 0
    both = gradcli("check", *SINES, "--command", command, "--strict", "--json")
    assert (both.code, both.json["verdict"]) == (0, "pass")
    assert both.json["mine"]["x"]["verdict"] == both.json["command"]["verdict"] == "pass"
    assert both.json["command"]["leaves"]["x"]["digits"] > 9


@pytest.mark.parametrize("alone", [True, False])
@pytest.mark.parametrize("wrong", ["v * math.cos(a) * (1 + 1e-6)", "-v * math.cos(a)", "0 * a"])
def test_a_wrong_gradient_fails(
    gradcli: Runner, script: Script, wrong: str, *, alone: bool
) -> None:
    asked = ALONE if alone else SINES
    assert gradcli("check", "--command", script(slope(wrong)), *asked).code == 1


def test_a_gradient_of_one_element_is_named(gradcli: Runner, script: Script) -> None:
    command = script(slope("v * math.cos(a) * (1.01 if a == 1 else 1)"))
    found = gradcli("check", "--command", command, *ALONE, "--json").json
    assert found["leaves"]["x"]["worst"]["index"] == [1]
    assert found["walk"]["verdict"] == "fail"


def test_a_mistake_is_diagnosed(gradcli: Runner, script: Script) -> None:
    found = gradcli("check", *SINES, "--command", script(slope("-v * math.cos(a)")), "--json").json
    assert found["mine"]["x"]["causes"][0]["code"] == "sign"
    assert found["leaves"]["x"]["verdict"] == "pass"  # the program's own


def test_another_function_is_told(gradcli: Runner, script: Script) -> None:
    program = ("y = sum(sin(x)) + 1", *SINES[1:])
    outcome = gradcli("check", *program, "--command", script(slope("v * math.cos(a)")), "--json")
    assert outcome.code == 1
    told = outcome.json["mine"]["the value of y"]
    assert told["causes"][0]["code"] == "command-value"
    assert outcome.json["mine"]["x"]["verdict"] == "pass"


def test_the_program_is_judged_by_values_alone(gradcli: Runner, script: Script) -> None:
    values = script(answering("answer = {'value': sum(map(math.sin, x))}"))
    flags = ("--command", values, "--command-only-value", "--json")
    assert gradcli("check", *SINES, *flags).json["verdict"] == "pass"
    # its values are the same at the point, and nowhere else
    detached = ("y = sum(sin(x)) + 1e-5*sum(x - [0.3, 1, 2])", *SINES[1:])
    assert gradcli("check", *detached, *flags).json["leaves"]["x"]["verdict"] == "fail"


def test_outputs_of_several_elements_are_weighed(gradcli: Runner, script: Script) -> None:
    squares = answering(
        "answer = {'value': [a**2 for a in x]}",
        "if v is not None: answer['grads'] = {'x': [2 * w * a for w, a in zip(v, x)]}",
    )
    command = ("--command", script(squares), "--json")
    given = gradcli("check", *ALONE, *command, "-g", "1,0,2").json
    assert (given["verdict"], given["gradient"]) == ("pass", {"value": [1, 0, 2]})
    assert gradcli("check", *ALONE, *command).json["verdict"] == "pass"
    assert gradcli("check", "x**2", "-s", "x=1,2", "-g", "1,3", *command).json["verdict"] == "pass"


@pytest.mark.parametrize(
    ("at_zero", "verdict"), [(0.0, "pass"), (0.25, "pass"), (1.0, "pass"), (2.0, "inconclusive")]
)
def test_kinks_of_a_command(gradcli: Runner, script: Script, at_zero: float, verdict: str) -> None:
    relu = answering(
        "answer = {'value': sum(max(a, 0) for a in x)}",
        f"slopes = [{at_zero} if a == 0 else float(a > 0) for a in x]",
        "if v is not None: answer['grads'] = {'x': slopes}",
    )
    flags = ("--command", script(relu), "--command-only-value", "-s", "x=1,0,-2", "--json")
    found = gradcli("check", *flags).json
    assert found["verdict"] == verdict
    assert "1 to the right and 0 to the left" in found["leaves"]["x"]["worst"]["reason"]


def noisy(size: float, factor: float) -> str:
    return answering(
        f"answer = {{'value': sum(map(math.sin, x)) + random.gauss(0, {size})}}",
        f"if v is not None: answer['grads'] = {{'x': [{factor} * math.cos(a) for a in x]}}",
    )


@pytest.mark.parametrize("size", [1e-10, 1e-8, 1e-6])
def test_noise_is_measured(gradcli: Runner, script: Script, size: float) -> None:
    flags = (*ALONE, "--json")
    right = gradcli("check", "--command", script(noisy(size, 1)), *flags).json
    assert right["verdict"] == "pass"
    (note,) = (each["message"] for each in right["notes"] if each["code"] == "command-noise")
    measured = float(note.split("values is ")[1].split(" ")[0])
    assert 0.2 < measured / (size / 2.05) < 5  # the value is 2.05
    wrong = gradcli("check", "--command", script(noisy(size, 1.02)), *flags).json
    assert wrong["verdict"] == "fail"


@pytest.mark.parametrize(("decimals", "scale"), [(3, 1), (3, 0.01), (1, 1), (1, 100)])
def test_values_that_are_rounded_are_known_no_better(
    gradcli: Runner, script: Script, decimals: int, scale: float
) -> None:
    """No mean makes an error of rounding smaller: it is not one of chance."""
    verdicts = []
    for factor in (1, 1.3):
        program = answering(
            f"answer = {{'value': round(sum(a*math.sin(a) for a in map({1 / scale}.__mul__, x)),"
            f" {decimals})}}",
            f"slope = lambda a: {factor / scale} * (math.sin(a) + a*math.cos(a))",
            f"if v is not None: answer['grads'] = {{'x': [slope(a/{scale}) for a in x]}}",
        )
        flags = ("--command-only-value", "-s", f"x={0.3 * scale},{1.1 * scale},{-2.4 * scale}")
        found = gradcli("check", "--command", script(program), *flags, "--json")
        verdicts.append(found.json["verdict"])
        assert any("few digits" in note for note in _noise_notes(found))
    assert verdicts == (["pass", "fail"] if decimals == 3 else ["inconclusive"] * 2)


def test_mistakes_of_a_tenth_are_seen_through_noise(gradcli: Runner, script: Script) -> None:
    flags = (*ALONE, "--json")
    for size in (1e-4, 2e-2):
        right = gradcli("check", "--command", script(noisy(size, 1)), *flags).json
        assert right["verdict"] == "pass"
        wrong = gradcli("check", "--command", script(noisy(size, 1.1)), *flags).json
        assert wrong["verdict"] == "fail"


def test_a_kink_behind_noise_is_no_mistake(gradcli: Runner, script: Script) -> None:
    """It lies a third of x off."""
    text = answering(
        "answer = {'value': abs(x[0] - 0.4) + random.gauss(0, 0.01)}",
        "if v is not None: answer['grads'] = {'x': [-1.0]}",
    )
    flags = ("--command-only-value", "-s", "x=0.3,", "--json")
    assert gradcli("check", "--command", script(text), *flags).json["verdict"] != "fail"


def chance(size: float, factor: float, value: float = 0.0) -> str:
    """Gradients with noise of this size, and values with some."""
    return answering(
        f"answer = {{'value': sum(map(math.sin, x)) + random.gauss(0, {value})}}",
        f"noise = lambda: random.gauss({factor}, {size})",
        "if v is not None: answer['grads'] = {'x': [noise() * math.cos(a) for a in x]}",
    )


@pytest.mark.parametrize(("size", "value"), [(0.05, 0.0), (0.3, 0.0), (0.05, 1e-4)])
def test_a_gradient_with_noise_is_judged_by_its_mean(
    gradcli: Runner, script: Script, size: float, value: float
) -> None:
    for asked in (SINES, ALONE) if not value else (ALONE,):
        right = gradcli("check", *asked, "--command", script(chance(size, 1, value)), "--json")
        assert right.json["verdict"] == "pass"
        wrong = gradcli("check", *asked, "--command", script(chance(size, 1.1, value)), "--json")
        assert wrong.json["verdict"] == "fail"
        assert any("the mean of" in each for each in _noise_notes(wrong))


def test_noise_that_a_place_always_has_is_not_averaged(gradcli: Runner, script: Script) -> None:
    text = answering(
        "answer = {'value': sum(map(math.sin, x))}",
        "noise = lambda a: 1 + 0.05 * random.Random(a).gauss(0, 1)",
        "if v is not None: answer['grads'] = {'x': [noise(a) * math.cos(a) for a in x]}",
    )
    found = gradcli("check", *ALONE, "--command", script(text), "--json")
    assert found.json["verdict"] != "pass"
    assert not any("the mean of" in each for each in _noise_notes(found))


def _noise_notes(found: Outcome) -> list[str]:
    own = found.json.get("command") or found.json
    return [each["message"] for each in own["notes"] if each["code"] == "command-noise"]


def test_why_a_command_ended_is_told_with_its_last_lines(gradcli: Runner, script: Script) -> None:
    """A traceback is written in many parts; lines that point at others say nothing alone."""
    text = "\n".join(
        (
            "import sys",
            "sys.stdin.readline()",
            "for part in ['lost ' * 90, 'first', '\\n', '   ^^^~', '\\n', 'last', ' line']:",
            "    sys.stderr.write(part); sys.stderr.flush()",
            "sys.exit(5)",
        )
    )
    found = gradcli("check", "--command", script(text), *ALONE, "--json")
    assert found.code == 3
    assert found.json["error"]["message"].endswith("ended with exit code 5")
    assert found.json["error"]["hint"] == "its standard error ends: last line"


def test_a_gradient_that_is_left_out_now_and_then(gradcli: Runner, script: Script) -> None:
    text = answering(
        "answer = {'value': sum(map(math.sin, x))}",
        "slopes = {'x': list(map(math.cos, x))} if number % 5 else {}",
        "if v is not None: answer['grads'] = slopes",
    )
    found = gradcli("check", *ALONE, "--command", script(text), "--json")
    assert found.json["verdict"] == "pass"


def test_noise_that_hides_mistakes_is_told(gradcli: Runner, script: Script) -> None:
    found = gradcli("check", "--command", script(noisy(0.3, 1)), *ALONE, "--json").json
    assert found["verdict"] == "inconclusive"
    reason = found["leaves"]["x"]["worst"]["reason"]
    assert reason.startswith("as far as can be told it agrees, but noise hides a mistake of less ")


def test_single_precision_is_seen(gradcli: Runner, script: Script) -> None:
    single = answering(
        "import numpy as np",
        "x = np.float32(x)",
        "answer = {'value': float(np.sin(x).sum())}",
        "if v is not None: answer['grads'] = {'x': np.cos(x).tolist()}",
    )
    both = gradcli("check", *SINES, "--command", script(single), "--json").json
    assert both["verdict"] == "pass"
    assert "float32" in both["mine"]["x"]["judged"]["to"]


def refused(outcome: Outcome, code: str, exit_code: int, *told: str) -> None:
    assert outcome.code == exit_code
    assert outcome.error["code"] == code
    for each in told:
        assert each in outcome.error["message"] + (outcome.error["hint"] or "")


def test_a_program_that_ends_at_random(gradcli: Runner, script: Script) -> None:
    body = answering(
        "if random.random() < 0.02: raise ArithmeticError('no luck')",
        "answer = {'value': sum(a * a for a in x), 'grads': {'x': [2 * a for a in x]}}",
    )
    outcome = gradcli("check", "--command", script(body), *ALONE, "--json")
    refused(outcome, "data", 3, '"inputs": {"x": [', "exit code 1", "no luck")


def test_a_program_that_is_killed(gradcli: Runner, script: Script) -> None:
    body = answering("import os, signal", "os.kill(os.getpid(), signal.SIGSEGV)")
    refused(
        gradcli("check", "--command", script(body), *ALONE, "--json"),
        "data",
        3,
        '{"id": 1',
        "SIGSEGV",
    )


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ("'nonsense'", "not a JSON object"),
        ("{'value': 'high'}", "the string 'high'"),
        ("{}", "no `value`"),
        ("{'value': 1.0}", "no object `grads`"),
        ("{'value': 1.0, 'grads': {'x': [1.0, 2.0]}}", "has the shape (2,), not (3,)"),
        ("{'value': [[1.0], 2.0], 'grads': {}}", "ragged"),
        ("{'value': 10**400}", "too large"),
        ("{'id': 77, 'value': 1.0}", "the id is 77"),
        ("'x' * 10_000_000", "wrote more than"),
    ],
)
def test_answers_that_are_none(gradcli: Runner, script: Script, answer: str, told: str) -> None:
    command = script(answering(f"answer = {answer}"))
    refused(gradcli("check", "--command", command, *ALONE, "--json"), "data", 3, told, '{"id": ')


def test_a_program_without_a_gradient(gradcli: Runner, script: Script) -> None:
    command = script(answering("answer = {'value': 1.0, 'grads': {}}"))
    refused(gradcli("check", "--command", command, *ALONE, "--json"), "no-grad", 3, "of x")


def test_no_value_at_the_point_and_away_from_it(gradcli: Runner, script: Script) -> None:
    roots = answering(
        "answer = {'error': 'negative'}",
        "if x > 0: answer = {'value': x**0.5, 'grads': {'x': 0.5 / x**0.5}}",
    )
    flags = ("--command", script(roots), "--command-only-value", "--json")
    refused(gradcli("check", *flags, "-s", "x=-1"), "value", 3, "negative")
    assert gradcli("check", *flags, "-s", "x=0.01").json["verdict"] == "pass"


def test_a_program_that_hangs(gradcli: Runner, script: Script) -> None:
    command = script(answering("if number > 3: time.sleep(600)", "answer = {'value': 1.0}"))
    flags = ("--command-timeout", "0.2", "--json")
    outcome = gradcli("check", *SINES, "--command-only-value", "--command", command, *flags)
    refused(outcome, "limit-time", 4, '{"id": 4', "--command-timeout")
    outcome = gradcli("check", *ALONE, "--command", "sleep 600", "--timeout", "1.5", "--json")
    refused(outcome, "limit-time", 4, '{"id": 1', "the run took longer than 1.5 s")


def test_nothing_is_left_running(gradcli: Runner, tmp_path: Path) -> None:
    """Neither the program nor what it has started, whatever its standard streams are."""
    numbers = tmp_path / "numbers"
    started = f"sh -c 'sleep 600 & echo $! > {numbers}; echo $$ >> {numbers}; sleep 600'"
    gradcli("check", *ALONE, "--command", started, "--command-timeout", "0.5")
    for number in map(int, numbers.read_text().split()):
        with pytest.raises(ProcessLookupError):
            _wait_for_end(number)


def _wait_for_end(number: int) -> None:
    """Raises ProcessLookupError when it has ended: it may be a zombie for a moment."""
    for _ in range(100):
        os.kill(number, 0)
        state = Path(f"/proc/{number}/stat")
        if state.exists() and ") Z" in state.read_text():
            raise ProcessLookupError
        time.sleep(0.02)


def test_it_ends_with_a_run_that_is_killed(tmp_path: Path) -> None:
    numbers = tmp_path / "numbers"
    program = tmp_path / "sleeper.py"
    program.write_text(f"import os, time\nopen('{numbers}', 'w').write(str(os.getpid()))\n"
                       "time.sleep(600)\n")  # fmt: skip
    run = subprocess.Popen(
        [sys.executable, "-m", "gradcli", "check", *ALONE, "--command",
         f"{sys.executable} {program}"],
        stdin=subprocess.DEVNULL,
    )  # fmt: skip
    while not (numbers.exists() and numbers.read_text()):
        assert run.poll() is None
        time.sleep(0.02)
    run.send_signal(signal.SIGKILL)
    run.wait()
    with pytest.raises(ProcessLookupError):
        _wait_for_end(int(numbers.read_text()))


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (("--command", "x"), "usage", "--command-only-value"),
        (("x", "-s", "x=1", "--command", "cat", "--safe"), "usage", "--safe starts none"),
        (("x", "-s", "x=1", "--command", "'cat"), "usage", "no closing quotation"),
        (("x", "-s", "x=1", "--command", " "), "usage", "empty"),
        (("x", "-s", "x=1", "--command", "/no/such"), "file", "sh -c"),
        (("x", "-s", "x=1", "--command", "cat", "--order", "2"), "usage", "two checks"),
        (("x", "-s", "x=1", "--command", "cat", "--mine", "1"), "usage", "two checks"),
        (("x", "-s", "x=1", "--command-only-value"), "usage", "is for --command"),
        (("y=2*x; y**2", "-s", "x=1", "-w", "y", "--command", "cat"), "usage", "computes it"),
        (("x, 2*x", "-s", "x=1", "--command", "cat"), "usage", "one value"),
        (("--command", "cat", "--command-only-value"), "no-grad", "--set"),
        (("--command", "cat", "--command-only-value", "-s", "x=1", "-w", "z"), "name", "no input"),
        (
            ("--command", "cat", "--command-only-value", "-s", "x=1", "-g", "z=1"),
            "usage",
            "no name",
        ),
    ],
)
def test_what_cannot_be_asked(
    gradcli: Runner, arguments: tuple[str, ...], code: str, told: str
) -> None:
    exit_code = 2 if code == "usage" else 3
    refused(gradcli("check", *arguments, "--json"), code, exit_code, told)


def test_no_shell_is_started(gradcli: Runner, tmp_path: Path) -> None:
    trace = tmp_path / "trace"
    gradcli("check", *ALONE, "--command", f"echo $(touch {trace}) > {trace}")
    assert not trace.exists()


@pytest.mark.skipif(shutil.which("g++") is None, reason="there is no C++ compiler")
def test_the_example_in_cpp(gradcli: Runner, tmp_path: Path) -> None:
    source, sines = tmp_path / "sines.cpp", str(tmp_path / "sines")
    wrong = CPP.replace("std::cos(a)", "std::cos(a) * (argc > 1 && a > 1.5 ? 0.999 : 1)")
    source.write_text(wrong.replace("main()", "main(int argc, char **)"))
    subprocess.run(["g++", "-o", sines, source], check=True)
    for asked in (SINES, ALONE):
        assert gradcli("check", "--command", sines, *asked, "--json").json["verdict"] == "pass"
    outcome = gradcli("check", "--command", f"{sines} wrong", *SINES, "--json")
    assert outcome.json["command"]["leaves"]["x"]["worst"]["index"] == [2]
    assert outcome.code == 1


@pytest.mark.slow
def test_the_example_with_pytorch(gradcli: Runner, script: Script) -> None:
    pytest.importorskip("torch")
    assert gradcli("check", *SINES, "--command", script(TORCH)).code == 0
    wrong = TORCH.replace("x.grad.tolist()", "(2 * x.grad).tolist()")
    assert gradcli("check", *SINES, "--command", script(wrong)).code == 1


AUTOGRAD = answering(
    "from autograd import grad, numpy",
    "f = lambda a: numpy.sum(numpy.sin(a))",
    "answer = {'value': float(f(numpy.array(x)))}",
    "if v is not None: answer['grads'] = {'x': {slope}}",
)


@pytest.mark.parametrize(
    ("slope", "code"),
    [
        ("(v * grad(f)(numpy.array(x))).tolist()", 0),
        ("(v * grad(f)(-numpy.array(x)**2)).tolist()", 1),
    ],
)
def test_a_program_with_autograd(gradcli: Runner, script: Script, slope: str, code: int) -> None:
    pytest.importorskip("autograd")
    command = script(AUTOGRAD.replace("{slope}", slope))
    for asked in (SINES, ALONE):
        assert gradcli("check", "--command", command, *asked, "--strict").code == code


def test_what_is_shown_to_people(gradcli: Runner, script: Script) -> None:
    outcome = gradcli("check", *SINES, "--command", script(slope("2 * math.cos(a)")))
    assert "the command's for x: fail" in outcome.out
    assert "along a random direction the values change by" in outcome.out
    assert "the command answered" in outcome.out


@pytest.mark.parametrize(
    ("request_", "told"),
    [
        (1, "interrupted before the check began: nothing is known yet"),
        (30, "interrupted before all was known"),
    ],
)
def test_ctrl_c_tells_what_is_known(script: Script, request_: int, told: str) -> None:
    """At a terminal, whenever it comes."""
    interrupted = answering(
        f"if number == {request_}: os.kill(os.getppid(), signal.SIGINT); time.sleep(20)",
        "answer = {'value': sum(map(math.sin, x))}",
        "if v is not None: answer['grads'] = {'x': [math.cos(a) for a in x]}",
    ).replace("import json", "import os, signal, json")
    shown = Terminal("check", *SINES, "--command", script(interrupted), columns=100).rest(130)
    assert told in shown
    assert ("confirmed yet" in shown or "checked one by one" in shown) == (request_ > 1)
