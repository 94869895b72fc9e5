"""Every sample gives what it expects of itself; the tutorials' cells among them.

The expected numbers are the tutorials' own, PyTorch's, or worked out by hand.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from gradcli.analysis.expectations import check
from gradcli.diagnostics import Source
from gradcli.language.parser import ParseLimits, parse_program
from gradcli.report.expectations import github
from gradcli.session import Options

SAMPLES = Path(__file__).parents[1] / "samples"
SCRIPTS = sorted(SAMPLES.rglob("*.grad"))


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: str(path.relative_to(SAMPLES)))
def test_sample(path: Path) -> None:
    program = parse_program(Source(str(path), path.read_text()), ParseLimits())
    report = check(program, Options(seed=0))
    assert report.outcomes, "a sample says what it gives"
    assert not list(github([report]))


def test_each_tutorial_is_there() -> None:
    assert len(list((SAMPLES / "seeds").glob("*.grad"))) == 5
