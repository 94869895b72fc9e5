"""Cells as people write them print what they print in PyTorch."""

from __future__ import annotations

from pathlib import Path

import pytest

from gradcli.diagnostics import Source
from gradcli.language.parser import ParseLimits, parse_program
from gradcli.language.printer import print_program
from gradcli.session import evaluate
from tests.cells.cells import CELLS, difference


@pytest.mark.one_in(3)
@pytest.mark.parametrize("cell", CELLS, ids=lambda cell: cell.stem)
def test_prints_what_pytorch_prints(cell: Path) -> None:
    program = parse_program(Source(cell.name, cell.read_text("utf-8")), ParseLimits())
    printed = "\n".join(evaluate(program, {}).printed)
    assert not difference(printed, cell.with_suffix(".out").read_text("utf-8"))


def test_there_are_enough() -> None:
    assert len(CELLS) >= 60


@pytest.mark.one_in(3)
@pytest.mark.parametrize("cell", CELLS, ids=lambda cell: cell.stem)
def test_reads_back_in_braces(cell: Path) -> None:
    program = parse_program(Source(cell.name, cell.read_text("utf-8")), ParseLimits())
    printed = print_program(program)
    assert print_program(parse_program(Source("again", printed), ParseLimits())) == printed


@pytest.mark.parametrize(
    ("found", "wanted"),
    [
        ("tensor([1.])", "tensor([2.])"),
        ("loss 1", "lost 1"),
        ("1 2", "1"),
        ("True", "False"),
        ("1", "1."),
        ("tensor(1.)", "tensor(1., requires_grad=True)"),
        ("tensor(1.)", "tensor(1., grad_fn=<A>)"),
        ("tensor(1.)", "tensor(1., dtype=torch.float64)"),
    ],
)
def test_a_difference_is_seen(found: str, wanted: str) -> None:
    assert difference(found, wanted)


def test_the_names_of_nodes_are_no_difference() -> None:
    assert not difference(
        "tensor(3., grad_fn=<AddBackward0>)", "tensor(3., grad_fn=<MulBackward0>)"
    )
