"""What `print` shows and `assert_close` lets pass. The notation of tensors is PyTorch's."""

from __future__ import annotations

import pytest

from gradcli.session import Options
from tests.session.programs import error, run


@pytest.mark.parametrize(
    ("call", "line"),
    [
        ("print('x', x)", "x tensor([1., 2.])"),
        ("print('x:', x + 0.5)", "x: tensor([1.5, 2.5])"),
        ("print(sum(x))", "tensor(3.)"),
        ("print(x > 1)", "tensor([False,  True])"),
        ("print(argmax(x, dim=0))", "tensor(1)"),
        ("print([[2, 8], [32, 50]] + 0)", "tensor([[ 2.,  8.],\n        [32., 50.]])"),
        ("print(3, 2.5, 1e300, True, None)", "3 2.5 1e+300 True None"),
        ("print(x.shape, len(x))", "(2,) 2"),
        ("print((1, 'a'), [], ['b', [], (2,)])", "(1, 'a') [] ['b', [], (2,)]"),
        ("print('a', 'b', '')", "a b "),
        ("print()", ""),
        ("print('{\\n}')", "{\n}"),
        ("print(x / 0)", "tensor([inf, inf])"),
        ("print(ones(2000))", "tensor([1., 1., 1., ..., 1., 1., 1.])"),
    ],
)  # fmt: skip
def test_lines(call: str, line: str) -> None:
    assert run(f"{call}; sum(x)", x=[1.0, 2.0]).printed == [line]


def test_lines_come_in_order_and_show_values_of_their_time() -> None:
    assert run("y = x; for i in range(3) { y = 2*y; print(i, y) }\ny", x=1.0).printed == [
        "0 tensor(2.)",
        "1 tensor(4.)",
        "2 tensor(8.)",
    ]


def test_deep_lists_are_printed() -> None:
    text = "a = []; for i in range(5000) { a = append([], a) }\nprint(a); 1"
    assert run(text).printed == ["[" * 5001 + "]" * 5001]


def test_a_program_may_print_and_nothing_else() -> None:
    result = run("print('hello')")
    assert result.printed == ["hello"]
    assert result.outputs == {}


def test_assert_close_lets_what_is_close_pass() -> None:
    for claim in (
        "x, [1, 2]",
        "x, x + 1e-8",
        "x, [1.1, 2.1], atol=0.2",
        "x, [1.1, 2.1], rtol=0.1, atol=0",
        "x / 0, [inf, inf]",
        "[nan, 1] * x, [nan, 2], equal_nan=True",
        "sum(x), [3]",
    ):
        run(f"assert_close({claim}); sum(x)", x=[1.0, 2.0])


@pytest.mark.parametrize(
    ("claim", "part"),
    [
        ("x, [1, 2.5]", "2 instead of 2.5 at [1]"),
        ("x, [0, 5]", "2 of 2 elements differ"),
        ("x, x + 1e-6", "a difference of 1e-06"),
        ("x, [1, 2, 3]", "the shapes differ: (2,) and (3,)"),
        ("x, [1, inf]", "2 instead of inf at [1]"),
        ("[nan, 1] * x, [nan, 2]", "nan instead of nan at [0]"),
        ("[nan, 1] * x, [nan, 2], equal_nan=False", "1 of 2 elements differ"),
        ("[nan, 1], x, equal_nan=True", "nan instead of 1 at [0]"),
        ("sum(x), 4", "3 instead of 4, a difference of 1"),
    ],
)
def test_assert_close_tells_the_worst_element(claim: str, part: str) -> None:
    diagnostic = error(f"assert_close({claim})", x=[1.0, 2.0]).diagnostic
    assert diagnostic.code == "assertion"
    assert part in diagnostic.message


def test_float32_is_compared_less_closely() -> None:
    run("assert_close(x, x + 5e-6); x", Options(precision="float32"), x=1.0)
