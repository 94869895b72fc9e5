"""What `--format csv` prints, as the standard library reads it."""

from __future__ import annotations

import csv
import io
from itertools import islice

import numpy as np

from gradcli.data.numbers import elements
from gradcli.diagnostics import Source
from gradcli.graph import Array, Graph
from gradcli.language.syntax import Program
from gradcli.report import csv as report
from gradcli.session import Pass, Result


def result(values: dict[str, Array], passes: list[Pass], accumulated: bool = False) -> Result:
    return Result(
        program=Program(Source("program", ""), ()),
        graph=Graph(),
        outputs={},
        names={},
        values=values,
        node_values={},
        passes=passes,
        grads=passes[-1].grads if passes else {},
        leaves={},
        precision="float64",
        device="cpu",
        seed=None,
        accumulated=accumulated,
    )


def rows(one: Result) -> list[list[str]]:
    return list(csv.reader(io.StringIO(report.render(one), newline=""), strict=True))


def test_to_the_letter() -> None:
    backward = Pass({"out": np.array(1.0)}, {"x": np.array([[0.1, -0.0]])}, {"z": np.array([2.0])})
    one = result(
        {"x": np.array([[1.0, np.nan]]), "b": np.array([True]), "n": np.array(3)}, [backward]
    )
    assert report.render(one) == (
        "name,kind,index,value\n"
        'x,value,"0,0",1.0\n'
        'x,value,"0,1",NaN\n'
        "b,value,0,true\n"
        "n,value,,3\n"
        "out,gradient,,1.0\n"
        'x,grad,"0,0",0.1\n'
        'x,grad,"0,1",-0.0\n'
        "z,grad,0,2.0\n"
    )


def test_what_a_program_prints_comes_last() -> None:
    printed = ['say "hi", all', "[1,\n 2]\x1b[31m"]
    found = rows(result({"x": np.array(1.0)}, [])._replace(printed=printed))
    assert found[2] == ["", "printed", "0", 'say "hi", all']
    assert found[3][:3] == ["", "printed", "1"]
    assert "\x1b" not in found[3][3]


def test_several_passes_are_numbered() -> None:
    passes = [Pass({"z": np.array(v)}, {"x": np.array(2 * v)}, {}) for v in (1.0, np.inf)]
    expected = [
        ["z", "gradient.1", "", "1.0"],
        ["x", "grad.1", "", "2.0"],
        ["z", "gradient.2", "", "Infinity"],
        ["x", "grad.2", "", "Infinity"],
    ]
    assert rows(result({}, passes))[1:] == expected
    summed = rows(result({}, passes, accumulated=True))
    assert summed[1:] == [*expected, ["x", "grad", "", "Infinity"]]


def test_no_array_is_too_large_to_begin() -> None:
    array = np.broadcast_to(np.array([0.5, 1.5]), (10**12, 2))
    assert list(islice(elements(array), 3)) == [("0,0", "0.5"), ("0,1", "1.5"), ("1,0", "0.5")]


def test_large_and_empty_arrays() -> None:
    array = np.random.default_rng(1).normal(size=(300, 2, 60)).astype(np.float32)
    one = result({"x": array, "none": np.zeros((0, 3))}, [])
    read = rows(one)[1:]
    assert len(read) == array.size
    for name, kind, index, value in read:
        assert (name, kind) == ("x", "value")
        assert np.float32(value) == array[tuple(map(int, index.split(",")))]
    stream = io.StringIO()
    stream.writelines(report.write(one))
    assert stream.getvalue() == report.render(one)
