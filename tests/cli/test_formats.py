"""Formats: one entry in a registry makes one, for every command that shows such an answer."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest

from gradcli.cli.formats import FORMATS
from gradcli.report.layout import Layout
from gradcli.result import Result
from tests.cli.conftest import Runner


def shout(result: Result, layout: Layout) -> Iterator[str]:
    """A format as another file would define it."""
    for name, value in result.values.items():
        yield f"{name.upper()}! {value:.{layout.precision}}\n"


def test_adding_a_format(gradcli: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(FORMATS["result"], "shout", f"{__name__}:shout")
    monkeypatch.delitem(sys.modules, "gradcli.cli.eval", raising=False)  # offered when imported
    answer = gradcli("eval", "y = x / 3", "-s", "x=2", "--format", "shout", "--precision", "3")
    assert (answer.code, answer.out, answer.err) == (0, "X! 2.0\nY! 0.667\n", "")
    assert "text|json|csv|shout" in gradcli("eval", "--help").out


@pytest.mark.parametrize("kind", FORMATS)
def test_every_writer_is_there(kind: str) -> None:
    from importlib import import_module

    for writer in FORMATS[kind].values():
        module, _, name = writer.partition(":")
        assert callable(getattr(import_module(module), name))


def test_json_and_another_format_are_two(gradcli: Runner) -> None:
    answer = gradcli("eval", "x", "-s", "x=1", "--json", "--format", "csv")
    assert (answer.code, answer.error["code"]) == (2, "usage")
