"""Records that are alike are answered together, and every answer is what it would be alone."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from gradcli.batch.answer import Answer, Answerer, Settings
from gradcli.batch.form import Form
from gradcli.batch.items import FAILED, Item, Kind
from gradcli.batch.stack import LEAST, MOST
from gradcli.session import Options
from tests.batch.conftest import batch

EXACT = [
    "((2*x)**3).mean()",
    "a = 2.3*x - 1; b = a*a/3; mean(b**2 + x)",
    "sum(x, dim=0).mean() - x.mean(-1).sum()",
    "sum((x - x.mean(dim=-1, keepdim=True))**2)",
    "sum(where(x > 0, x**4, -x)) + sqrt(abs(x)).sum()",
    "sum(x*[1.5, -2])",
    "y = x.sum(); z = y*y; sum(x/y)",
    "sum(1/x)",
    "sum(x.sum(0) - x.sum(1, keepdim=True))",
]
PROGRAMS = [
    *EXACT,
    "sum(x + y)*y",
    "sum(relu(x)) + sum(abs(x))",
    "x.reshape(4).sum() + x.T.sum()",
    "sum(x*x) + 0*sum(exp(x))",
    "sum(exp(x))",
    "sum(tanh(x))",
    "if sum(x) > 0 { y = x } else { y = 3*x }; sum(y)",
    "sum(x @ x)",
    "sum(rand(2)*x)",
    "prod(x) + x.max()",
    "7",
]


@pytest.fixture(name="together")
def _together(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many records were answered together, each time."""
    counts: list[int] = []
    original = Form.together

    def counted(self: Form, feeds: Any, columns: Any) -> Any:
        counts.append(len(columns[0]))
        return original(self, feeds, columns)

    monkeypatch.setattr(Form, "together", counted)
    return counts


def items(records: list[Any]) -> list[Item]:
    lines = [json.dumps(record).encode() for record in records]
    return [Item(i, i + 1, Kind.LINE, line) for i, line in enumerate(lines)]


OPTIONS = Options(values="outputs")


def one_by_one(given: list[Item], options: Options = OPTIONS) -> list[Answer]:
    answerer = Answerer(Settings(options))
    return [answerer.answer(item) for item in given]


def in_blocks(given: list[Item], size: int, options: Options = OPTIONS) -> list[Answer]:
    answerer = Answerer(Settings(options))
    answers: list[Answer] = []
    for start in range(0, len(given), size):
        for known in answerer.answers(given[start : start + size]):
            answers += known
    return answers


def number(choose: random.Random) -> float | int:
    """Mostly ordinary, sometimes not."""
    if choose.random() < 0.02:
        return choose.choice([0, 1, -3, 0.0, -0.0, 1e-300, 1e300, 5e-324, -1e-5, 1e22, 2**60])
    return choose.uniform(-3, 3)


@pytest.mark.parametrize("program", PROGRAMS)
def test_answers_are_the_same_bytes_as_one_by_one(program: str) -> None:
    choose = random.Random(program)
    records = []
    for i in range(300):
        x = [[number(choose) for _ in range(2)] for _ in range(2)]
        given = (
            {"x": x, "y": number(choose)} if "y" in program.split(";", maxsplit=1)[0] else {"x": x}
        )
        records.append({"id": i, "program": program, "set": given})
    given_items = items(records)
    alone = one_by_one(given_items)
    for size in (300, 37):
        assert in_blocks(given_items, size) == alone


@pytest.mark.parametrize("shape", [(), (1,), (3,), (9,), (1, 1), (2, 3), (3, 1, 2), (64,)])
@pytest.mark.parametrize(
    "program",
    ["sum(x*x)", "mean(x)", "x.sum(0).sum() + x.sum(-1).sum()", "sum((x + ones(2, 1))*x)"],
)
def test_shapes_make_no_difference(program: str, shape: tuple[int, ...]) -> None:
    choose = random.Random(str(shape))

    def value(axes: tuple[int, ...]) -> Any:
        return [value(axes[1:]) for _ in range(axes[0])] if axes else number(choose)

    given = items([{"program": program, "set": {"x": value(shape)}} for _ in range(200)])
    assert in_blocks(given, 200) == one_by_one(given)


def test_exact_arithmetic_is_stacked_and_nothing_else_is(together: list[int]) -> None:
    for program in PROGRAMS:
        together.clear()
        given = {"x": [[1, 2.5], [3, 4]]} | ({"y": 2} if "x + y" in program else {})
        in_blocks(items([{"program": program, "set": given}] * 600), 300)
        exact = program in EXACT or "x + y" in program
        assert together == ([299, 300] if exact else []), program


def test_odd_records_among_others_are_answered_as_ever(together: list[int]) -> None:
    program = "sum(x*x)"
    plain = {"program": program, "set": {"x": [1.5, 2]}}
    odd: list[dict[str, Any]] = [
        plain | {"set": {"x": [True, False]}},
        plain | {"set": {"x": [1.5, True]}},
        plain | {"set": {"x": [[1.5], 2]}},
        plain | {"set": {"x": [1.5, None]}},
        plain | {"set": {"x": ["NaN", 2]}},
        plain | {"set": {"x": [2**64, 2]}},
        plain | {"set": {"x": []}},
        plain | {"set": {"x": "@x.npy"}},
        plain | {"set": {}},
        plain | {"set": []},
        plain | {"id": [1]},
        plain | {"id": 1.5},
        plain | {"id": 'a"b'},
        plain | {"id": "ä%s"},
        plain | {"seed": 3},
        plain | {"wrt": "x"},
        plain | {"gradient": 2},
        plain | {"typo": 2},
        plain | {"program": 3},
        plain | {"program": "sum(x*x"},
        {"set": {"x": [1, 2]}},
    ]
    choose = random.Random(0)
    records = [plain | {"set": {"x": [choose.random(), 2]}} for _ in range(500)] + odd * 2
    choose.shuffle(records)
    lines = items(records)
    lines[7].data = b'{"program": "sum(x*x)", "set": {"x": [-0, 1]}}'
    lines[9].data = b'{"program": "sum(x*x)", "set": {"x": [1, 2]}, "set": {"x": [1, 2]}}'
    lines[11].data = b'{"program": "sum(x*x)", "set": {"x": [1, 2]'
    lines[13].data = b"sum([1, 2])"
    assert in_blocks(lines, 200) == one_by_one(lines)
    assert sum(together) > 100


def test_numbers_are_written_as_they_are_alone() -> None:
    values = [x * 10.0**n for n in range(-7, 19) for x in (1, -1, 9.999999999999999, 3.5)]
    values += [0, -0.0, 5e-324, 1e308]
    records = [{"program": "sum(x*1.5)", "set": {"x": [[each, 1], [each, 0.1]]}} for each in values]
    inputs = [{"program": "(x*y).sum()", "set": {"x": [0.1], "y": [each]}} for each in values]
    lines = items(records + inputs)
    assert in_blocks(lines, len(lines)) == one_by_one(lines)


def test_truth_values_among_numbers_stay_truth_values() -> None:
    lines = items([{"program": "sum(x)", "set": {"x": [i % 3 > 1, i % 3 > 0]}} for i in range(99)])
    for i in range(0, 99, 2):
        lines[i].data = b'{"program": "sum(x)", "set": {"x": [1, 0.5]}}'
    assert in_blocks(lines, 33) == one_by_one(lines)


def test_truth_values_behind_numbers_are_no_numbers_of_a_stack() -> None:
    lines = items([{"program": "sum(x)", "set": {"x": [True, 1.5]}}] * 40)
    lines[20].data = b'{"program": "sum(x)", "set": {"x": [true, false]}}'
    assert in_blocks(lines, 40) == one_by_one(lines)


def test_lines_that_are_no_json_are_not_made_whole_by_others() -> None:
    plain = b'{"id": 1, "program": "sum(x*x)", "set": {"x": [1, 2]}}'
    lines = [Item(i, i + 1, Kind.LINE, plain) for i in range(60)]
    for i, data in (
        (9, plain + b"," + plain),
        (11, plain[:-3]),
        (12, plain[-3:]),
        (21, b'{"id": 1, "id": 2, "program": "sum(x*x)", "set": {"x": [1, 2]}}'),
        (31, b'{"id": 1, "program": "sum(x*x)", "set": {"x": [-0, 2]}}'),
        (41, b'{"id": 1, "program": "sum(x*x)", "set": {"x": ["1", 2]}}'),
        (51, b'{"id": 1, "program": "sum(\\u0078*x)", "set": {"x": [1, 2]}}'),
    ):
        lines[i].data = data
    found = in_blocks(lines, 60)
    assert found == one_by_one(lines)
    assert [i for i, each in enumerate(found) if each[0] == FAILED] == [9, 11, 12, 21, 41]


def test_a_record_that_is_unlike_the_others_of_its_program_costs_them_little(
    together: list[int],
) -> None:
    lines = items([{"program": "sum(x*x)", "set": {"x": [i, 2]}} for i in range(100)])
    lines[0].data = b'{"program": "sum(x*x)", "set": {"x": [1, 2]}}'
    lines[50].data = b'{"program": "sum(x*x)", "set": {"x": [1, null]}}'
    lines[60].data = b'{"program": "sum(x*x)", "set": {"x": [true, 2]}}'
    assert in_blocks(lines, 100) == one_by_one(lines)
    assert together == [97]


def test_many_records_and_large_programs_are_stacked_in_parts(together: list[int]) -> None:
    long = "y = x*2; " + "y = y*1.5 + x; " * 250 + "sum(y)"
    for program, count in (("sum(x*x)", 3 * MOST // 2), (long, 400)):
        choose = random.Random(0)
        records = [
            {"program": program, "set": {"x": [choose.uniform(-1, 1)] * 4}} for _ in range(count)
        ]
        lines = items(records)
        assert in_blocks(lines, count) == one_by_one(lines)
        assert together.pop() == count - 1


def test_minus_zero_stays_what_it_is_alone() -> None:
    lines = items([{"program": "sum((x*[[1, 2]])**2)", "set": {"x": [-0.0, 0.0]}}] * 99)
    assert in_blocks(lines, 33) == one_by_one(lines)


def test_single_precision() -> None:
    options = Options(values="outputs", precision="float32")
    values = [0.1, 1e-40, 3e38, -0.0, 1 / 3] * 20
    lines = items([{"program": "sum(x*x)", "set": {"x": [each, 1]}} for each in values])
    assert in_blocks(lines, 50, options) == one_by_one(lines, options)


def test_a_program_that_waits_for_its_inputs_alone_is_stacked(together: list[int]) -> None:
    lines = items([{"set": {"x": [1, i]}} for i in range(100)])
    answerer = Answerer(Settings(Options(values="outputs"), program="sum(x**2)"))
    list(answerer.answers(lines[:10]))
    (answers,) = answerer.answers(lines[10:])
    assert [json.loads(each[1:])["values"]["out"] for each in answers] == [
        1 + i * i for i in range(10, 100)
    ]
    assert together == [90]


def test_a_few_records_are_not_worth_a_stack(together: list[int]) -> None:
    in_blocks(items([{"program": "sum(x)", "set": {"x": [1, 2]}}] * 10 * LEAST), LEAST - 1)
    assert not together


def test_jobs_make_no_difference_to_many_records_of_a_program() -> None:
    choose = random.Random(1)
    records = [
        {"id": i, "program": "((2*x)**3).mean()", "set": {"x": [[number(choose), 1], [2, i]]}}
        for i in range(2000)
    ]
    lines = "\n".join(map(json.dumps, records)).encode()
    one = batch("--quiet", stdin=lines).stdout
    assert one == batch("--quiet", "--jobs", "4", stdin=lines).stdout
    texts = [each[1:] for each in one_by_one(items(records))]
    assert one.decode().splitlines() == texts
