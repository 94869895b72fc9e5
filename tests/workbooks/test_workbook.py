"""Workbooks: their formulas as text, and computed again by LibreOffice and by `formulas`."""

from __future__ import annotations

import io
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gradcli.cli.exit import run
from gradcli.ops.cells import CellSum, ranges
from tests.cli.conftest import Runner, gradcli
from tests.workbooks.reader import Workbook, change, column, read, recalculated, row

__all__ = ["gradcli"]

SAMPLES = sorted((Path(__file__).parents[2] / "samples").rglob("*.grad"))
SAMPLES = [file for file in SAMPLES if "cells" not in file.parts]
CUBES = ("z = (2*x)**3; out = mean(z)", "-s", "x=[[1,2],[3,4]]")
MIXED = (
    "def f(a) {\n  return tanh(a) + sigmoid(a*0.5)\n}\nw = x.T @ x\nh = f(w / 10)\n"
    "p = softmax(h, dim=1)\ny = -h**2 + log(1 + exp(p))\nmean(y * where(x > 0, x, -x**2))"
)
"""Of many ops; x is a matrix of two rows and two columns."""
BOUNDED = (
    "c = clamp(x, min=-1.5, max=2)\nr = x % 0.75 + (-x) % 2\n"
    "sum(c * r) * norm(x - 0.25) + sum(norm(c, dim=1)**2)"
)
"""Of functions that bound, divide with a remainder and measure; x is such a matrix, too."""

PROGRAMS = {
    "activations": "y = gelu(x) + gelu(x, approximate='tanh') + mish(x) + softsign(x)\nsum(y**2)",
    "shrinking": "sum(tanhshrink(x) * celu(x) + rrelu(x) + hardswish(x))",
    "normal": "sum(ndtr(x) * log_ndtr(x) + erfc(x) + erf(x))",
    "inverse": "p = sigmoid(x)\nsum(ndtri(p) + erfinv(2*p - 1)**2 + logit(p))",
    "entropy": "p = softmax(x, dim=1)\nsum(entr(p) + xlogy(p, p + 1) + xlog1py(x, p))",
    "loss": "binary_cross_entropy(sigmoid(x), [[1, 0], [0.2, 1]])",
    "powers of 2": "sum(logaddexp2(x, 0.5) + fmax(x, 0.2) * fmin(x, x.T) + copysign(x, 0.5))",
    "steps": "x = x + 0.013\nsum(x * (round(x) + heaviside(x, 0.5)) + x**2 * floor_divide(x, 0.3))",
    "halves": "sum(round(x * 11 / 2) * x + angle(x) + fmod(x, 0.4))",
    "logic": "m = (x > 0) & (x < 1) | (x < -1)\nsum(where(logical_xor(m, x > 0.4), x, ~m * x**2))",
    "counts": "sum(x) * any(x > 0.8) + all(x > -1) * x[0, 0] + count_nonzero(x > 0) * x[1, 0]",
    "spread": "sum(std(x, dim=1)) + var(x, correction=0) + prod(x)",
    "norms": "norm(x, p=1) + sum(norm(x, p=3, dim=1)) + norm(x, p=inf)",
    "determinant": "a = x @ x.T + eye(2)\nlog(det(a)) + logdet(a * 2) + det(x)",
    "inverse matrix": "a = x @ x.T + eye(2)\nsum(inv(a) @ x) + sum(solve(a, x)**2)",
}
"""What else a spreadsheet can say, of a matrix."""
GIVEN = "x=[[0.3,-0.7],[0.5,0.9]]"

pytest.importorskip("xlsxwriter", reason="needs the extra `excel`")


def made(file: Path, *arguments: str) -> bool:
    """Write the workbook of a command; whether there is one."""
    with file.open("wb") as out:
        command = [sys.executable, "-m", "gradcli", "explain", *arguments, "--format", "xlsx"]
        finished = subprocess.run(command, stdout=out, stderr=subprocess.PIPE, check=False)
    return finished.returncode == 0


def book(folder: Path, *arguments: str) -> Workbook:
    file = folder / "one.xlsx"
    assert made(file, *arguments)
    return read(file)


def test_one_op_a_cell(tmp_path: Path) -> None:
    """By hand: forward 2x, its cube, the mean; backward 1/4, times 3t², times 2."""
    found = book(tmp_path, *CUBES)
    blocks = found.blocks()
    assert [*blocks][:4] == ["x", "t1", "z", "out"]
    (first, *_), (power, *_), (mean,) = blocks["t1"], blocks["z"], blocks["out"]
    x = blocks["x"]
    assert found.steps[first].formula == f"2*{x[0]}"
    assert found.steps[power].formula == f"{first}^3"
    z = blocks["z"]
    assert found.steps[mean].formula == f"SUM({z[0]}:{z[1]},{z[2]}:{z[3]})/4"
    assert [found.steps[found.beside(place)].value for place in blocks["x.grad"]] == [6, 24, 54, 96]
    central = found.steps[found.beside(blocks["x.grad"][0], 2)].formula
    assert re.fullmatch(r"Differences!B\d+|Differences!C\d+", central)
    assert not [cell for cell in found.steps.values() if cell.formula and cell.value]


def test_a_sign_is_no_part_of_a_base(tmp_path: Path) -> None:
    """In a spreadsheet -x^2 is (-x)^2."""
    found = book(tmp_path, "y = -x**2", "-s", "x=3")
    blocks = found.blocks()
    (x,), (square,), (y,) = blocks["x"], blocks["t1"], blocks["y"]
    assert found.steps[square].formula == f"{x}^2"
    assert found.steps[y].formula == f"-{square}"


def test_grads_of_passes_that_accumulate(tmp_path: Path) -> None:
    """By hand: x @ [[1,2],[3,4]] has the rows [1, 3] and [2, 4]; they add up to [3, 7]."""
    passes = ("y = x @ [[1,2],[3,4]]", "-s", "x=2,1", "-g", "1,0", "-g", "0,1")
    found = book(tmp_path, *passes, "--accumulate")
    blocks = found.blocks()
    grads = {
        title: [found.steps[found.beside(place)].value for place in places]
        for title, places in blocks.items()
        if title.startswith("x.grad")
    }
    assert grads == {"x.grad (1)": [1, 3], "x.grad (2): new": [2, 4], "x.grad (2)": [3, 7]}
    held, new, total = (blocks[title][0] for title in grads)
    assert found.steps[total].formula == f"{held}+{new}"


def test_texts_of_a_program_are_no_formulas(tmp_path: Path) -> None:
    program = '=1+1  # =HYPERLINK("http://127.0.0.1:9/")'.replace("=1+1", "y = x")
    found = book(tmp_path, f"{program}\ny*y", "-s", "x=3")
    assert not [cell for cell in found.steps.values() if "HYPERLINK" in cell.formula]


@pytest.mark.parametrize(
    ("program", "arguments", "code", "told"),
    [
        ("sum(x)", ("-s", "x=linspace(0,1,400)"), "limit-nodes", "150,000 is the most"),
        ("y = 2*x\nsum(lgamma(y))", ("-s", "x=1,2"), "value", "lgamma cannot be written"),
        ("sum(x)", ("-s", "x=1,2", "--entry", "x[0]"), "usage", "the whole run"),
    ],
)
def test_errors(
    gradcli: Runner, program: str, arguments: Sequence[str], code: str, told: str
) -> None:
    answer = gradcli("explain", program, *arguments, "--format", "xlsx")
    assert answer.err.startswith(f"error[{code}]")
    assert told in answer.err
    if code == "value":
        assert "program:2:5" in answer.err


def test_a_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch, gradcli: Runner) -> None:
    monkeypatch.setitem(sys.modules, "xlsxwriter", None)
    answer = gradcli("explain", *CUBES, "--format", "xlsx")
    assert answer.code == 2
    assert "pip install 'gradcli[excel]'" in answer.err


def test_a_terminal_gets_no_workbook(monkeypatch: pytest.MonkeyPatch) -> None:
    class Screen(io.StringIO):
        def isatty(self) -> bool:
            return True

    screen = Screen()
    monkeypatch.setattr(sys, "stdout", screen)
    assert run(["explain", *CUBES, "--format", "xlsx"]) == 2
    assert not screen.getvalue()


def test_sums_of_products() -> None:
    a, b = (
        np.array([CellSum.of(f"{letter}{number}") for number in range(1, 6)], object)
        for letter in "AC"
    )
    along = np.array([CellSum.of(f"{letter}9") for letter in "EFGHI"], object)
    assert str(a @ b) == "SUMPRODUCT(A1:A5,C1:C5)"
    assert str(along @ a) == "SUMPRODUCT(MMULT(E9:I9,A1:A5))"
    assert str(a[:2] @ b[:2]) == "A1*C1+A2*C2"
    assert str(a.sum() / 5) == "SUM(A1:A5)/5"
    assert str(a[0] - a[1] * 2.0) == "A1+(-2)*A2"
    assert ranges(["A1", "B1", "C1", "A2", "A3", "Z9"]) == "A1:C1,A2:A3,Z9"


# --- computed again --------------------------------------------------------------------------


def assert_agrees(found: Workbook) -> int:
    """All elements are gradcli's to 1e-12, and grads the differences'; how many there are."""
    count = 0
    for title, places in found.blocks().items():
        for place in places:
            expected = found.steps[found.beside(place)].value
            value = found.steps[place].value
            assert isinstance(value, float), (title, place, found.steps[place])
            assert isinstance(expected, float)
            assert abs(value - expected) <= 1e-12 * max(1, abs(expected)), (title, place)
            central = found.steps.get(found.beside(place, 2))
            if central is not None:
                assert isinstance(central.value, float)
                assert abs(central.value - expected) <= 1e-8 * max(1, abs(expected)), title
            count += 1
    return count


@pytest.mark.office
def test_all_samples_that_fit(tmp_path: Path) -> None:
    files = [tmp_path / f"{file.stem}.xlsx" for file in SAMPLES]
    fitting = [
        target for file, target in zip(SAMPLES, files, strict=True) if made(target, "-f", str(file))
    ]
    assert len(fitting) >= 10
    found = recalculated(tmp_path, fitting)
    assert sum(map(assert_agrees, found.values())) > 5000


@pytest.mark.office
def test_programs_of_many_functions(tmp_path: Path) -> None:
    files = {name: tmp_path / f"{name.replace(' ', '_')}.xlsx" for name in PROGRAMS}
    assert all(made(file, PROGRAMS[name], "-s", GIVEN) for name, file in files.items())
    found = recalculated(tmp_path, [*files.values()])
    assert len(found) == len(PROGRAMS)
    assert sum(map(assert_agrees, found.values())) > 200


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_have_a_workbook(gradcli: Runner, tmp_path: Path, name: str) -> None:
    assert made(tmp_path / "one.xlsx", PROGRAMS[name], "-s", GIVEN)


@pytest.mark.office
@pytest.mark.parametrize("program", [MIXED, PROGRAMS["inverse matrix"]])
def test_changed_inputs(tmp_path: Path, program: str) -> None:
    """Inputs changed in the workbook, and in gradcli."""
    rng = np.random.default_rng(8)
    files, expected = [], {}
    base = tmp_path / "base.xlsx"
    assert made(base, program, "-s", "x=[[1,2],[3,4]]")
    places = read(base).blocks()["x"]
    for number in range(20):
        x = rng.uniform(-2, 2, 4).round(3)
        changed = tmp_path / f"changed{number}.xlsx"
        change(base, changed, dict(zip(places, x.tolist(), strict=True)))
        fresh = tmp_path / f"fresh{number}.xlsx"
        assert made(fresh, program, "-s", f"x=[[{x[0]},{x[1]}],[{x[2]},{x[3]}]]")
        expected[changed.stem] = read(fresh)
        files.append(changed)
    for name, found in recalculated(tmp_path, files).items():
        fresh_book = expected[name]
        for title, cells in found.blocks().items():
            for place in cells:
                value = found.steps[place].value
                known = fresh_book.steps[fresh_book.beside(place)].value
                assert isinstance(value, float)
                assert isinstance(known, float)
                assert abs(value - known) <= 1e-12 * max(1, abs(known)), (name, title, place)


@pytest.mark.office
@pytest.mark.parametrize(
    "program", [CUBES, *((each, "-s", "x=[[1,-2],[0.5,3]]") for each in (MIXED, BOUNDED))]
)
@pytest.mark.filterwarnings("ignore")
def test_the_package_formulas_agrees(tmp_path: Path, program: tuple[str, ...]) -> None:
    formulas: Any = pytest.importorskip("formulas", reason="needs the extra `office`")
    found = book(tmp_path, *program)
    values: dict[str, float] = {}
    for places in found.blocks().values():
        for place in sorted(places, key=lambda each: (row(each), column(each))):
            cell = found.steps[place]
            if cell.formula:
                function = formulas.Parser().ast(f"={cell.formula}")[1].compile()
                arguments = [_cells(name, values) for name in function.inputs]
                values[place] = float(np.asarray(function(*arguments), object).ravel()[0])
            else:
                assert isinstance(cell.value, float)
                values[place] = cell.value
            expected = found.steps[found.beside(place)].value
            assert isinstance(expected, float)
            assert abs(values[place] - expected) <= 1e-12 * max(1, abs(expected)), cell


def _cells(name: str, values: dict[str, float]) -> Any:
    """The numbers of a cell or a range."""
    first, _, last = name.partition(":")
    if not last:
        return values[first]
    rows = range(row(first), row(last) + 1)
    columns = range(column(first), column(last) + 1)
    by_place = {(row(place), column(place)): number for place, number in values.items()}
    return np.array([[by_place[r, c] for c in columns] for r in rows], object)
