"""What records say, and what becomes of hostile ones: one answer each, and the next is answered."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gradcli.batch.answer import Answerer, Settings
from gradcli.batch.items import Item, Kind
from gradcli.session import SAFE, Options
from tests.batch.conftest import answers, batch, refuse

CUBES: dict[str, Any] = {"program": "z = (2*x)**3; out = mean(z)", "set": {"x": [[1, 2], [3, 4]]}}


def answer(
    *lines: bytes | dict[str, Any], program: str | None = None, allow_files: bool = False
) -> list[dict[str, Any]]:
    """The answers to some lines, one after another, in this process."""
    answerer = Answerer(Settings(Options(values="outputs"), program, allow_files=allow_files))
    data = [line if isinstance(line, bytes) else json.dumps(line).encode() for line in lines]
    found = [answerer.answer(Item(i, i + 1, Kind.LINE, each))[1:] for i, each in enumerate(data)]
    return [json.loads(text, parse_constant=refuse) for text in found]


def test_an_answer_is_what_the_contract_says() -> None:
    (found,) = answer({"id": "a", **CUBES})
    assert list(found) == ["id", "line", "ok", "values", "gradient", "grads"]
    assert found == {
        "id": "a",
        "line": 1,
        "ok": True,
        "values": {"out": 200.0},
        "gradient": {"out": 1.0},
        "grads": {"x": [[6.0, 24.0], [54.0, 96.0]]},
    }


def test_a_line_that_is_no_object_is_a_program() -> None:
    (found,) = answer(b"x = 3; y = x**2")
    assert (found["id"], found["values"], found["grads"]) == (None, {"y": 9.0}, {"x": 6.0})


def test_output_wrt_and_named_gradients() -> None:
    program = "a = 2*x; b = a*y; c = 3*b"
    (found,) = answer(
        {
            "program": program,
            "set": {"x": [1, 2], "y": [3, 4]},
            "output": ["b"],
            "wrt": "a,y",
            "gradient": {"b": [1, 10]},
        }
    )
    assert found["values"] == {"b": [6.0, 16.0]}
    assert found["gradient"] == {"b": [1.0, 10.0]}
    assert found["grads"] == {"a": [3.0, 40.0], "y": [2.0, 40.0]}


def test_the_default_program_is_for_records_without_one() -> None:
    first, second = answer({"set": {"x": 3}}, {"program": "5*x", "set": {"x": 3}}, program="x**2")
    assert (first["values"], second["values"]) == ({"out": 9.0}, {"out": 15.0})


@pytest.mark.parametrize(
    "ident", [None, True, 7, -0.5, 'é\u2028"\\', 10**30], ids=lambda ident: repr(ident)[:8]
)
def test_an_id_comes_back_as_it_is(ident: Any) -> None:
    (found,) = answer({"id": ident, **CUBES})
    assert found["id"] == ident
    assert type(found["id"]) is type(ident)


def test_numbers_are_read_as_the_strict_reader_reads_them() -> None:
    record = b'{"program": "1/x", "gradient": [1,1,1,1], "set": {"x": [-0, -0.0, 0, 1e-05]}}'
    (found,) = answer(record)
    assert found["values"]["out"] == ["-Infinity", "-Infinity", "Infinity", 1 / 1e-05]
    big = 2**63 + 2**11 + 1  # between two floats, and beyond int64
    (found,) = answer({"program": "x*1", "set": {"x": [big, 2**64 + 1]}, "gradient": [1, 1]})
    assert found["values"]["out"] == [float(big), float(2**64 + 1)]


def test_booleans_and_non_finite_strings() -> None:
    (found,) = answer(
        {
            "program": "where(m, x, 0)",
            "set": {"m": [True, False, True], "x": ["NaN", "-Infinity", "Infinity"]},
            "gradient": [1, 1, 1],
        }
    )
    assert found["values"] == {"out": ["NaN", 0.0, "Infinity"]}
    assert found["grads"] == {"x": [1.0, 0.0, 1.0]}


HOSTILE: list[tuple[bytes, str]] = [
    (b"\xff\xfe", "encoding"),
    (b'{"id": "\xff"}', "encoding"),
    (b'{"program": "x\x00"}', "data"),
    (b"x\x00", "syntax"),
    (b'{"program": "x\\u0000"}', "syntax"),
    (b'{"program": "x\\ud800"}', "data"),
    (b'{"id": "\\udfff", "program": "1"}', "data"),
    (b'{"id": 1, "id": 2, "program": "1"}', "data"),
    (b'{"id": 1, "\\u0069d": 2, "program": "1"}', "data"),
    (b'{"program": "x", "set": {"x": 1, "x": 2}}', "data"),
    (b'{"program": "x", "set": {"x": 1, "\\u0078": 2}}', "data"),
    ('{"program": "x", "set": {"x": 1, "ｘ": 2}}'.encode(), "data"),
    (b'{"program": "x", "set": {"x": NaN}}', "data"),
    (b'{"program": "x", "set": {"x": -Infinity}}', "data"),
    (b'{"program": "x", "set": {"x": 1e999}}', "data"),
    (b'{"program": "x", "set": {"x": ' + b"9" * 100_000 + b"}}", "data"),
    (b'{"program": "x", "set": {"x": ' + b"[" * 1_000_000 + b"}}", "limit-depth"),
    (b'{"program": "x", "set": {"x": ' + b"[" * 70 + b"1" + b"]" * 70 + b"}}", "limit-depth"),
    (b'{"program": "x", "set": {"x": [1, [2]]}}', "data"),
    (b'{"program": "x", "set": {"x": [[1, 2], [3]]}}', "data"),
    (b'{"program": "x", "set": {"x": null}}', "data"),
    (b'{"program": "x", "set": {"x": [1, null]}}', "data"),
    (b'{"program": "x", "set": {"x": {"y": 1}}}', "data"),
    (b'{"program": "x", "set": {"x": "1.5"}}', "data"),
    (b'{"program": "x", "set": {"x": [1, "1.5"]}}', "data"),
    (b'{"program": "x", "set": {"x": [1' + b",1" * 10_000 + b',"' + b"a" * 10**6 + b'"]}}', "data"),
    (b'{"program": "x", "set": {"x": "@/etc/hostname"}}', "data"),
    (b'{"program": "x", "gradient": "@-", "set": {"x": 1}}', "data"),
    (b'{"program": "x", "set": {"a b": 1}}', "data"),
    (b'{"program": "x", "set": {"if": 1}}', "data"),
    (b'{"program": "x", "set": [1]}', "data"),
    (b'{"program": "x", "sets": {"x": 1}}', "data"),
    (b'{"program": ["x"]}', "data"),
    (b'{"program": "1", "id": [1]}', "data"),
    (b'{"program": "1", "id": {}}', "data"),
    (b'{"program": "1", "seed": -1}', "data"),
    (b'{"program": "1", "seed": 1.5}', "data"),
    (b'{"program": "1", "seed": 99999999999999999999}', "data"),
    (b'{"program": "1", "seed": true}', "data"),
    (b'{"program": "1", "output": 1}', "data"),
    (b'{"program": "1", "wrt": [1]}', "data"),
    (b'{"program": "1", "wrt": ""}', "data"),
    (b"{}", "data"),
    (b"{", "data"),
    (b'{"program": "1"} {}', "data"),
    (b'{"program": "x", "set": {"y": 1}}', "name"),
    (b'{"program": "zeros(1000000, 1000000)"}', "limit-memory"),
    (b'{"program": "sum(zeros(1000000, 1000000))"}', "limit-memory"),
    (b"x = 1; while x > 0 { x = x }", "limit-steps"),
    (b"f(x) = f(x); f(1)", "limit-steps"),
    (b"(" * 1_000_000, "limit-depth"),
    (b"[" * 1_000_000, "limit-depth"),
    (b"9" * 100_000, "value"),
    (b"x +", "syntax"),
]


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("line", "code"), HOSTILE, ids=[f"{i}-{code}" for i, (_, code) in enumerate(HOSTILE)]
)
def test_a_hostile_record_gets_an_error_and_the_next_an_answer(line: bytes, code: str) -> None:
    answerer = Answerer(Settings(Options(values="outputs", limits=SAFE)))
    bad = json.loads(answerer.answer(Item(0, 1, Kind.LINE, line))[1:])
    good = json.loads(answerer.answer(Item(1, 2, Kind.LINE, json.dumps(CUBES).encode()))[1:])
    assert not bad["ok"]
    assert bad["error"]["code"] == code
    assert list(bad) == ["id", "line", "ok", "error"]
    assert good["ok"]


def test_an_error_keeps_the_id() -> None:
    (found,) = answer({"id": 5, "program": "x +"})
    assert (found["id"], found["ok"], found["error"]["column"]) == (5, False, 4)


def test_files_are_read_where_they_are_allowed(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.array([1.0, 2.0]))
    (found,) = answer(
        {"program": "sum(x**2)", "set": {"x": f"@{tmp_path}/x.npy"}}, allow_files=True
    )
    assert found["grads"] == {"x": [2.0, 4.0]}


def test_a_program_that_branches_on_its_input_is_traced_anew() -> None:
    program = "n = 0; while x > 1 { x = x / 2; n = n + 1 }; x * n"
    found = answer(*({"program": program, "set": {"x": x}} for x in [4, 8, 4, 3, 8, 16, 0.5]))
    assert [each["values"]["out"] for each in found] == [2.0, 3.0, 2.0, 1.5, 3.0, 4.0, 0.0]


def test_an_index_that_an_input_gives_is_looked_at_again() -> None:
    program = "sum(a[i] * 2)"
    found = answer(
        *({"program": program, "set": {"a": [1, 2, 3], "i": i}, "wrt": "a"} for i in [0, 2, 1, 2])
    )
    assert [each["values"]["out"] for each in found] == [2.0, 6.0, 4.0, 6.0]
    assert found[3]["grads"] == {"a": [0.0, 0.0, 2.0]}


def test_sessions_and_what_they_print() -> None:
    program = "y = x**2; y.backward(); print('at', x, x.grad)"
    found = answer(*({"program": program, "set": {"x": x}} for x in [3, 4, 3]))
    assert [each["grads"] for each in found] == [{"x": 6.0}, {"x": 8.0}, {"x": 6.0}]
    assert found[0]["printed"] == found[2]["printed"] != found[1]["printed"]


def test_text_as_the_report_writes_it() -> None:
    numbers = [
        0.1,
        1e16,
        1e-5,
        0.0001,
        0.00001234,
        1e22,
        -0.0,
        5e-324,
        1.7976931348623157e308,
        1 / 3,
    ]
    record = {"program": "y = x * 1", "set": {"x": numbers}, "gradient": numbers}
    answerer = Answerer(Settings(Options(values="outputs")))
    text = answerer.answer(Item(0, 1, Kind.LINE, json.dumps(record).encode()))[1:]
    written = "[" + ", ".join(map(repr, numbers)) + "]"
    assert text.count(written) == 3, "values, gradient and grads"


def test_random_numbers_come_from_the_seed_and_the_place() -> None:
    record = {"program": "rand()"}
    first = answer(record, record, {**record, "seed": 5}, {**record, "seed": 5})
    values = [each["values"]["out"] for each in first]
    assert len(set(values)) == 3
    assert values[2] == values[3]
    assert answer(record, record)[1] == first[1]


def test_a_line_of_100_mb_is_one_error() -> None:
    # 100 MB that the supervisor must not keep; the limit on its address space would not allow it.
    line = b"[" * 100_000_000
    done = batch("-", stdin=b"1+1\n" + line + b"\n2+2\n" + line)
    found = answers(done.stdout)
    assert [each["ok"] for each in found] == [True, False, True, False]
    assert [each["line"] for each in found] == [1, 2, 3, 4]
    assert found[1]["error"]["code"] == found[3]["error"]["code"] == "limit-tokens"
    assert done.returncode == 1


def test_what_to_do_about_a_missing_gradient_is_what_a_record_can_do() -> None:
    asked = {"program": "x**2", "set": {"x": [1, 2]}}
    (found,) = answer(asked)
    mend = found["error"]["hint"].removeprefix("add ").partition(" (")[0]
    (mended,) = answer(asked | json.loads(f"{{{mend}}}"))
    assert mended["grads"] == {"x": [2.0, 4.0]}


@pytest.mark.parametrize(
    ("more", "source", "hint"),
    [
        ({"gradient": [1, 2, 3]}, "gradient", "one element for each"),
        ({"gradient": {"z": 1}}, None, '"output": "z" makes it one'),
        ({"set": {"weight": 1}}, "set weight", "leave it out"),
        ({"set": {}}, "program", '"set": {"x": …}'),
        ({"set": {"x": [[1, 2]]}}, "program", '"gradient": ones in lists, (1, 2), or'),
        ({"output": "z"}, "output", "a name that the program binds"),
        ({"wrt": "z"}, "wrt", "a name that the program binds"),
    ],
)
def test_errors_speak_of_keys(more: dict[str, Any], source: str | None, hint: str) -> None:
    (found,) = answer({"program": "y = x**2", "set": {"x": [1, 2]}} | more)
    error = found["error"]
    assert error["source"] == source
    assert hint in error["hint"]
    assert "--" not in error["message"] + error["hint"]
