"""The campaigns on whole processes: a short run of each, and that they find what is wrong."""

from __future__ import annotations

import shutil
from collections import Counter
from pathlib import Path

import pytest

from tests.campaigns import caps, faults, files, kills, outputs, races, soak
from tests.campaigns.runner import Attack, Verdict, campaign, main

SHORT: dict[str, tuple[Attack, range]] = {
    "caps": (caps.attack, range(0, 5 * len(caps.NAMES), len(caps.NAMES) + 41)),
    "files": (files.attack, range(60, 100)),
    "kills": (kills.attack, range(12)),
    "outputs": (outputs.attack, range(2)),
    "races": (races.attack, range(5)),
}
LONG: dict[str, tuple[Attack, range]] = {
    "caps": (caps.attack, range(20 * len(caps.NAMES))),
    "faults": (faults.attack, range(len(faults.PAIRS))),
    "files": (files.attack, range(10_000)),
    "kills": (kills.attack, range(3000)),
    "outputs": (outputs.attack, range(1000)),
    "races": (races.attack, range(1000)),
}


def attacked(attack: Attack, numbers: range, seconds: float = 36_000) -> Counter[str]:
    """What came of some attacks, none of which may find anything."""
    counts: Counter[str] = Counter()
    done, problems = campaign(attack, 0, numbers, seconds, counts)
    assert not problems, "\n".join(problems)
    assert done == len(numbers) == counts.total()
    return counts


@pytest.mark.parametrize("name", SHORT)
def test_a_short_run(name: str) -> None:
    attacked(*SHORT[name])


@pytest.mark.slow
@pytest.mark.parametrize("name", LONG)
def test_a_whole_campaign(name: str) -> None:
    attacked(*LONG[name])


@pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc compiles what makes calls fail")
@pytest.mark.parametrize("pair", [("update", "fsync", 5), ("save npz", "link", 28)])
def test_calls_that_fail(pair: tuple[str, str, int]) -> None:
    number = faults.PAIRS.index(pair)
    counts = attacked(faults.attack, range(number, number + 1))
    assert [*counts] == [f"{pair[1]}: clean after all have failed"], "the call has been made"


@pytest.mark.parametrize(
    ("check", "text"),
    [
        (outputs.as_text, "\x1b[2J"),
        (outputs.as_text, "a\u202eb"),
        (outputs.as_json, '{"x": NaN}\n'),
        (outputs.as_csv, "name,value\nx,=1+1\n"),
        (outputs.as_xml, '<svg onload="x"/>'),
        (outputs.as_xml, "<svg><script/></svg>"),
        (outputs.as_dot, 'digraph g {\n  n0 [label="""];\n}\n'),
        (outputs.as_mermaid, 'flowchart TD\n  n0["<b>"]\n'),
        (outputs.as_annotations, "::error file=x\n::warning::y\n1 passed in 1 file"),
        (outputs.as_python, "x = ="),
        (outputs.as_latex, "{\\input{x}}"),
        (outputs.as_markdown, "<script>"),
    ],
)
def test_what_steers_a_reader_is_found(check: outputs.Check, text: str) -> None:
    with pytest.raises((AssertionError, ValueError, SyntaxError)):
        check(text)


def test_a_campaign_goes_on_where_it_was(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    seen = []

    def attack(seed: int, number: int, folder: Path) -> Verdict:
        seen.append((seed, number))
        assert not [*folder.iterdir()]
        return Verdict("odd", "it is odd") if number % 2 else Verdict("even")

    flags = ["--state", str(tmp_path / "state"), "--seed", "7"]
    assert main(attack, "x", 3, flags) == 1
    assert "--seed 7 --start 1: it is odd" in capsys.readouterr().out
    assert main(attack, "x", 5, flags) == 1
    assert seen == [(7, number) for number in range(5)]
    assert "x: 5 attacks, 1 problems" in capsys.readouterr().out


def test_a_short_soak() -> None:
    run = soak.Run(jobs=1)
    for _ in range(2):
        part = run.answer(10_000)
        assert 0 < part.processor < 100
        assert 2**24 < run.memory() < 2**28
    run.end()
    run = soak.Run(jobs=1)
    run.answer(2_000, block=b"{}\n" * 1000)
    with pytest.raises(ValueError, match="0 ok, 2,000 failed"):
        run.end()
