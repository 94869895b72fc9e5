"""What `--json` prints: strict JSON, keys in order, floats to the bit."""

from __future__ import annotations

import io
import json
import math
import struct
from itertools import islice
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradcli.data.numbers import nested
from gradcli.diagnostics import Diagnostic, Note, Source
from gradcli.graph import Array, Graph, Precision
from gradcli.language.syntax import Program
from gradcli.report import json as report
from gradcli.session import Pass, Result

NON_FINITE = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}


def result(
    values: dict[str, Array] | None = None,
    *passes: Pass,
    precision: Precision = "float64",
    **rest: Any,
) -> Result:
    """A result as `evaluate` gives it; its output is the last value."""
    values = values or {}
    graph = Graph(precision)
    names = {name: graph.input(name, array.shape, "float") for name, array in values.items()}
    fields: dict[str, Any] = {
        "program": Program(Source("program", ""), ()),
        "graph": graph,
        "outputs": dict(list(names.items())[-1:]),
        "names": names,
        "values": values,
        "node_values": {},
        "passes": list(passes),
        "grads": passes[-1].grads if passes else {},
        "leaves": {},
        "precision": precision,
        "device": "cpu",
        "seed": None,
    }
    return Result(**{**fields, **rest})


def strict(text: str) -> Any:
    """The text as a parser reads it that knows the standard and nothing else."""

    def refuse(token: str) -> None:
        raise AssertionError(f"{token} is not JSON")

    def distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        assert len(dict(pairs)) == len(pairs)
        return dict(pairs)

    assert "\n" not in text
    text.encode("ascii")
    return json.loads(text, parse_constant=refuse, object_pairs_hook=distinct)


def shown(array: Array) -> Any:
    """One array, there and back."""
    precision: Precision = "float32" if array.dtype == np.float32 else "float64"
    return strict(report.render(result({"x": array}, precision=precision)))["values"]["x"]


def number(value: float | str) -> float:
    return NON_FINITE[value] if isinstance(value, str) else value


def test_to_the_letter() -> None:
    """The example of the documentation."""
    x = np.array([[1.0, 2], [3, 4]])
    backward = Pass({"out": np.array(1.0)}, {"x": 6 * x**2}, {})
    rendered = report.render(result({"x": x, "z": (2 * x) ** 3, "out": np.array(200.0)}, backward))
    assert rendered == (
        '{"outputs": ["out"], "values": {"x": [[1.0, 2.0], [3.0, 4.0]], '
        '"z": [[8.0, 64.0], [216.0, 512.0]], "out": 200.0}, "gradient": {"out": 1.0}, '
        '"grads": {"x": [[6.0, 24.0], [54.0, 96.0]]}, "dtype": "float64", "device": "cpu", '
        '"seed": null, "notes": []}'
    )


def test_nothing_differentiated() -> None:
    rendered = report.render(result({"n": np.array(3)}, seed=7, notes=[Note("no-leaf", 'a "b"')]))
    assert rendered == (
        '{"outputs": ["n"], "values": {"n": 3}, "gradient": {}, "grads": {}, '
        '"dtype": "float64", "device": "cpu", "seed": 7, '
        '"notes": [{"code": "no-leaf", "message": "a \\"b\\""}]}'
    )


def test_several_passes_and_print() -> None:
    passes = [
        Pass({"z": np.array([1.0, 0])}, {"x": np.array(2.0)}, {"y": np.array(3.0)}),
        Pass({"z": np.array([0.0, 1])}, {"x": np.array(4.0)}, {"y": np.array(5.0)}),
    ]
    answer = strict(report.render(result({}, *passes, printed=["x\x1b[1m", "é"])))
    assert list(answer) == [
        *("outputs", "values", "gradient", "grads", "passes", "printed"),
        *("dtype", "device", "seed", "notes"),
    ]
    assert answer["gradient"] == {"z": [0, 1]}
    assert answer["grads"] == {"x": 4, "y": 5}
    assert answer["passes"] == [
        {"gradient": {"z": [1, 0]}, "grads": {"x": 2, "y": 3}},
        {"gradient": {"z": [0, 1]}, "grads": {"x": 4, "y": 5}},
    ]
    assert answer["printed"] == ["x\x1b[1m", "é"]


def test_accumulated_grads_are_sums() -> None:
    passes = [
        Pass({"z": np.array(1.0)}, {"x": np.array(2.0)}, {"y": np.array(3.0)}),
        Pass({"z": np.array(1.0)}, {"x": np.array(4.0)}, {"y": np.array(5.0)}),
    ]
    summed = result({}, *passes, grads={"x": np.array(6.0)}, accumulated=True)
    assert strict(report.render(summed))["grads"] == {"x": 6, "y": 8}


def test_retained_grads_are_summed_in_the_order_of_passes() -> None:
    """As `.grad` is: with the last one first, this would be 0."""
    passes = [Pass({}, {}, {"y": np.array(v)}) for v in (1e16, -1e16, 1.0)]
    assert strict(report.render(result({}, *passes, accumulated=True)))["grads"] == {"y": 1}


@given(st.lists(st.integers(0, 2**64 - 1), max_size=20))
def test_float64_bits(bits: list[int]) -> None:
    array = np.array(bits, np.uint64).view(np.float64)
    for value, back in zip(array.tolist(), shown(array), strict=True):
        if math.isnan(value):
            assert back == "NaN"
        else:
            assert struct.pack("<d", number(back)) == struct.pack("<d", value)


@given(st.lists(st.integers(0, 2**32 - 1), max_size=20))
def test_float32_bits(bits: list[int]) -> None:
    array = np.array(bits, np.uint32).view(np.float32)
    for value, back in zip(array, shown(array), strict=True):
        if np.isnan(value):
            assert back == "NaN"
        else:
            assert np.float32(number(back)).tobytes() == value.tobytes()
            if np.isfinite(value):
                assert len(repr(back)) <= len(repr(float(value)))


def test_float32_is_as_short_as_can_be() -> None:
    array = np.array([0.1, 1 / 3, 16777216, 1e20, 3.4028235e38, 1e-45, -0.0], np.float32)
    text = report.render(result({"x": array}, precision="float32"))
    assert "[0.1, 0.33333334, 16777216.0, 1e+20, 3.4028235e+38, 1e-45, -0.0]" in text


def test_the_one_float32_whose_shortest_form_is_rounded_twice() -> None:
    """7.038531e-26 read as float64 and then rounded to float32 is its neighbour.

    Found by trying all 2³² of them.
    """
    array = np.array([0x15AE43FD, 0x95AE43FD], np.uint32).view(np.float32)
    assert np.array(shown(array)).astype(np.float32).tobytes() == array.tobytes()


def test_zeros_and_non_finite() -> None:
    text = report.render(result({"x": np.array([[-0.0, 0.0], [np.nan, np.inf], [-np.inf, 1e300]])}))
    assert '[[-0.0, 0.0], ["NaN", "Infinity"], ["-Infinity", 1e+300]]' in text
    assert shown(np.array(-np.inf, np.float32)) == "-Infinity"


def test_other_dtypes() -> None:
    text = report.render(result({"i": np.array([-1, 2**63 - 1]), "b": np.array([[True], [False]])}))
    assert '{"i": [-1, 9223372036854775807], "b": [[true], [false]]}' in text
    assert shown(np.array(False)) is False


@pytest.mark.parametrize(
    "shape", [(0,), (0, 3), (3, 0), (2, 0, 2), (0, 10**9), (2, 0, 10**9), (40_000, 0)]
)
def test_empty_arrays(shape: tuple[int, ...]) -> None:
    assert shown(np.zeros(shape)) == np.zeros(shape).tolist()


@pytest.mark.parametrize(
    "shape", [(70_000,), (5, 20_000), (30_000, 2), (2, 3, 20_000), (1, 40_000, 1), (16385, 0)]
)
def test_large_arrays_come_in_pieces(shape: tuple[int, ...]) -> None:
    array = np.arange(float(np.prod(shape))).reshape(shape) / 3
    stream = _Counting()
    one = result({"x": array})
    stream.writelines(report.write(one))
    assert stream.getvalue() == report.render(one) + "\n"
    assert stream.longest < 2**19
    assert f'{{"x": {json.dumps(array.tolist())}}}' in stream.getvalue()


@pytest.mark.parametrize("shape", [(10**12,), (10**6, 10**6), (10**9, 0)])
def test_no_array_is_too_large_to_begin(shape: tuple[int, ...]) -> None:
    array = np.broadcast_to(np.array(0.5), shape)
    first = "".join(islice(nested(array), 8))
    assert first.startswith("[[], []," if 0 in shape else "[" * len(shape) + "0.5, 0.5,")
    assert len(first) < 2**20


class _Counting(io.StringIO):
    """A stream that remembers the longest piece."""

    longest = 0

    def write(self, text: str, /) -> int:
        self.longest = max(self.longest, len(text))
        return super().write(text)


def test_views_and_read_only_arrays() -> None:
    array = np.arange(6.0).reshape(2, 3).T
    array.flags.writeable = False
    assert shown(array) == array.tolist()


@pytest.mark.parametrize("name", ["θ", "переменная", "𝒙", "x_1", "變數"])
def test_names_of_any_script(name: str) -> None:
    answer = strict(report.render(result({name: np.array(1.0)})))
    assert answer["outputs"] == [name]
    assert answer["values"] == {name: 1}


def test_error_with_a_place() -> None:
    source = Source("program", "x = 1\nz = αβγ")
    wrong = Diagnostic("name", "unknown name 'αβγ'", "did you mean x?", source, (10, 13))
    assert report.render_error(wrong) == (
        '{"error": {"code": "name", "message": "unknown name \'\\u03b1\\u03b2\\u03b3\'", '
        '"source": "program", "line": 2, "column": 5, "length": 3, "hint": "did you mean x?"}}'
    )


def test_error_without_a_place() -> None:
    answer = strict(report.render_error(Diagnostic("usage", "m", source=Source("--set x", "["))))
    assert answer["error"] == {
        "code": "usage",
        "message": "m",
        "source": "--set x",
        "line": None,
        "column": None,
        "length": None,
        "hint": None,
    }
    answer = strict(report.render_error(Diagnostic("usage", "m", span=(1, 2))))
    assert answer["error"]["line"] is None


@given(st.text(st.characters()))
def test_any_text_is_escaped(text: str) -> None:
    answer = strict(report.render_error(Diagnostic("syntax", text)))
    expected = "".join("\ufffd" if "\ud800" <= letter <= "\udfff" else letter for letter in text)
    assert answer["error"]["message"] == expected


def test_lone_surrogates() -> None:
    rendered = report.render_error(Diagnostic("file", "a\udc80b\ud83d \U0001f600", "\udfff"))
    answer = strict(rendered)
    assert "\\ud83d\\ude00" in rendered
    assert answer["error"]["message"] == "a\ufffdb\ufffd \U0001f600"
    assert answer["error"]["hint"] == "\ufffd"


def test_many_parameters_of_layers_are_left_out() -> None:
    """A note says so; names of the program's own stay, however large."""
    large, small = np.zeros(1_000_000), np.ones(2)
    backward = Pass({"y": np.array(1.0)}, {"net.weight": small, "x": small}, {})
    held = {"net.weight": large, "x": large}
    grads = {"net.weight": small, "x": small}
    answer = strict(report.render(result(held, backward, grads=grads)))
    assert list(answer["values"]) == list(answer["grads"]) == ["x"]
    assert "1,000,002 numbers of parameters" in answer["notes"][0]["message"]
    few = strict(report.render(result({"net.weight": large, "x": large})))
    assert list(few["values"]) == ["net.weight", "x"]
    assert few["notes"] == []
