"""What `print` shows and `assert_close` lets pass. What tensors look like was printed by PyTorch
2.13 with float64 as the default dtype.
"""

from __future__ import annotations

import pytest

from gradcli.session import Options
from tests.session.programs import error, run


@pytest.mark.parametrize(
    ("call", "line"),
    [
        ("print('x', x)", "x tensor([1., 2.])"),
        ("print('x:', x + 0.5)", "x: tensor([1.5000, 2.5000])"),
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
        ("print(ones(2000))", "tensor([1., 1., 1.,  ..., 1., 1., 1.])"),
    ],
)  # fmt: skip
def test_lines(call: str, line: str) -> None:
    assert run(f"{call}; sum(x)", x=[1.0, 2.0]).printed == [line]


@pytest.mark.parametrize(
    ("call", "printed"),
    [
        ("x > 0", "tensor([True, True])"),
        ("x > 1", "tensor([False,  True])"),
        ("tensor([1.5, -20.25]) + 0", "tensor([  1.5000, -20.2500])"),
        ("x * 1e9", "tensor([1.0000e+09, 2.0000e+09])"),
        ("x * 1e8", "tensor([1.0000e+08, 2.0000e+08])"),
        ("x / 1e5", "tensor([1.0000e-05, 2.0000e-05])"),
        ("tensor([1, 1001]) * x", "tensor([1.0000e+00, 2.0020e+03])"),
        ("tensor([0.5, 500.5]) * x", "tensor([5.0000e-01, 1.0010e+03])"),
        ("tensor([1, 1000]) + 0*x", "tensor([   1., 1000.])"),
        ("x / 0", "tensor([inf, inf])"),
        ("0*x / 0", "tensor([nan, nan])"),
        ("tensor([inf, -1.5]) + 0*x", "tensor([    inf, -1.5000])"),
        ("tensor([nan, 3]) + 0*x", "tensor([nan, 3.])"),
        ("0 * x", "tensor([0., 0.])"),
        ("-(0 * x)", "tensor([-0., -0.])"),
        ("x[0] / 3", "tensor(0.3333)"),
        ("x[0] * 1e-300", "tensor(1.0000e-300)"),
        ("x[1] * 1e10", "tensor(2.0000e+10)"),
        ("argsort(x)", "tensor([0, 1])"),
        (
            "x.reshape(2, 1, 1) * [[1, -20.5]]",
            ("tensor([[[  1.0000, -20.5000]],\n"
            "\n"
            "        [[  2.0000, -41.0000]]])"),
        ),
        (
            "arange(30) * x[0]",
            ("tensor([ 0.,  1.,  2.,  3.,  4.,  5.,  6.,  7.,  8.,  9., 10., 11., 12., 13.,\n"
            "        14., 15., 16., 17., 18., 19., 20., 21., 22., 23., 24., 25., 26., 27.,\n"
            "        28., 29.])"),
        ),
        (
            "arange(12).reshape(2, 2, 3) * x[0] / 8",
            ("tensor([[[0.0000, 0.1250, 0.2500],\n"
            "         [0.3750, 0.5000, 0.6250]],\n"
            "\n"
            "        [[0.7500, 0.8750, 1.0000],\n"
            "         [1.1250, 1.2500, 1.3750]]])"),
        ),
        (
            "ones(40, 30) * x[0]",
            ("tensor([[1., 1., 1.,  ..., 1., 1., 1.],\n"
            "        [1., 1., 1.,  ..., 1., 1., 1.],\n"
            "        [1., 1., 1.,  ..., 1., 1., 1.],\n"
            "        ...,\n"
            "        [1., 1., 1.,  ..., 1., 1., 1.],\n"
            "        [1., 1., 1.,  ..., 1., 1., 1.],\n"
            "        [1., 1., 1.,  ..., 1., 1., 1.]])"),
        ),
        ("x[:0]", "tensor([])"),
        ("ones(2, 0) * x[0]", "tensor([], size=(2, 0))"),
        ("x[:0] > 0", "tensor([], dtype=torch.bool)"),
        ("argsort(x[:0])", "tensor([], dtype=torch.int64)"),
    ],
)  # fmt: skip
def test_tensors_look_as_in_pytorch(call: str, printed: str) -> None:
    assert run(f"print({call}); sum(x)", x=[1.0, 2.0]).printed == [printed]


def test_numbers_are_no_tensors() -> None:
    text = "for i in range(2) { print(i, 2*i + 1, i > 0, i / 4, i * x) }; x"
    assert run(text, x=3.0).printed == ["0 1 False 0 tensor(0.)", "1 3 True 0.25 tensor(3.)"]
    assert run("w = tensor(2, requires_grad=True); print(w, 2*w, detach(w)); w").printed == [
        "tensor(2.) tensor(4.) tensor(2.)"
    ]
    text = "w = tensor(2, requires_grad=True); (w**2).backward(); print(w.grad)\n"
    assert run(text + "w.grad.zero_(); print(w.grad)").printed == ["tensor(4.)", "tensor(0.)"]


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
