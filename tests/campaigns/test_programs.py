"""The campaign of hostile programs: a short run, and that it sees what goes wrong."""

from __future__ import annotations

from random import Random

import pytest

from tests.campaigns.attack import layers
from tests.campaigns.attack.layers import RUNS, arguments, through_command, through_parser
from tests.campaigns.attack.texts import Texts, corpus
from tests.campaigns.attack.worker import case, kind
from tests.campaigns.programs import flags, main


def test_a_short_run_finds_nothing() -> None:
    texts = corpus()
    assert [found for number in range(150) for found in case(1, number, texts, 0.9)] == []


def test_a_number_stands_for_one_text() -> None:
    texts = corpus()
    assert Texts(Random("4"), texts).text() == Texts(Random("4"), texts).text()


@pytest.mark.parametrize(("command", "asked"), RUNS)
def test_every_layer_answers(command: str, asked: dict[str, object]) -> None:
    parameters = {"program": "z = x**3; mean(z)", "set_": ["x=1,2"], "seed": 1, **asked}
    if "entry" in asked:
        parameters["entry"] = "x[0]"
    assert through_command(command, parameters) is None


def test_an_internal_error_is_a_finding() -> None:
    assert "TypeError" in (through_parser(3) or "")  # type: ignore[arg-type]
    assert "AttributeError" in (through_command("eval", {"program": 3}) or "")


def test_arguments_become_a_command_line() -> None:
    texts = {"program": "x", "set_": ["x=1"], "format_": "json", "safe": True, "max_memory": "1G"}
    line = [
        "eval",
        "--timeout",
        "4",
        "--max-memory",
        "256M",
        "--set=x=1",
        "--format=json",
        "--safe",
    ]
    assert flags("eval", texts) == line
    command, parameters = arguments("sum(x)", Random(2))
    assert command in {name for name, _ in layers.RUNS}
    assert parameters["program"] == "sum(x)"


def test_the_command_watches_a_worker(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--cases", "5", "--whole", "1"]) == 0
    said = capsys.readouterr().out.splitlines()
    kinds = [kind(0, number, 0.5) for number in range(5)]
    blocks = 50 * (kinds.count("parser") + kinds.count("record"))
    assert f"{blocks + kinds.count('command'):>11,} programs in process:" == said[0]
    assert said[4:6] == ["          1 whole processes", "          0 findings"]


@pytest.mark.slow
def test_a_whole_campaign() -> None:
    assert main(["--cases", "20000", "--whole", "200", "--seconds", "1200"]) == 0
