"""Explanations keep to the width of the terminal, break no word, and print no -0."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from gradcli.analysis.explain import explain
from gradcli.diagnostics import GradcliError
from gradcli.report.layout import Layout
from gradcli.report.text_explain import write
from tests.analysis.programs import parse

SAMPLES = sorted((Path(__file__).parents[2] / "samples").rglob("*.grad"))
LONG_WORD = re.compile(r"\s*(= |through |where )?\S+")
"""A line that nothing can make shorter."""


@pytest.mark.one_in(3)
@pytest.mark.parametrize("sample", SAMPLES, ids=lambda path: path.stem)
def test_explanations_fit_60_columns(sample: Path) -> None:
    try:
        told = explain(parse(sample.read_text()), {})
    except GradcliError:
        return  # a sample that shows an error
    narrow, wide = ("".join(write(told, Layout(width))) for width in (60, 80))
    for text, width in ((narrow, 60), (wide, 80)):
        long = [line for line in text.splitlines() if len(line) > width]
        assert [line for line in long if not LONG_WORD.fullmatch(line)] == []
        assert "-0" not in re.findall(r"[-\w.+]+", text)
    assert "".join(re.sub("---+", "", narrow).split()) == "".join(re.sub("---+", "", wide).split())
    assert {*re.findall(r"[\w.]+", narrow)} <= {*re.findall(r"[\w.]+", wide)}
