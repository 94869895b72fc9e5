"""Functions, loops and branches, unrolled while a program is traced."""

from __future__ import annotations

import pytest

from gradcli.diagnostics import GradcliError
from gradcli.session import Limits, Options
from gradcli.trace import TraceLimits
from tests.session.programs import error, grads, run, value

# --- functions -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("f(x) = x**2; f(3)", 9),
        ("f(x, y=10) = x + y; f(1)", 11),
        ("f(x, y=10) = x + y; f(1, y=2)", 3),
        ("f(x, y=2*x) = x + y; f(y=1, x=5)", 6),
        ("f(x, y=2*x) = x + y; f(5)", 15),
        ("def f(x) { t = x**2; return t + 1 }\nf(3)", 10),
        ("def f(x) { if x > 2 { return 1 }; return 2 }\nf(3) + 10*f(1)", 21),
        ("def f() { return 1, 2 }\na, b = f(); a + 10*b", 21),
        ("def f() { return 1, 2 }\nf()[1]", 2),
        ("f(x) = g(x) + 1; g(x) = 2*x; f(3)", 7),
        ("a = 1; f(x) = a*x; a = 5; f(2)", 10),  # outer names as they are at the call
        ("a = 1; def f(x) { a = x; return a }\nb = f(7); a", 1),  # assignments stay inside
        ("def f(x) { g(y) = x*y; return g(3) }\nx = 100; f(2)", 6),  # bodies see what is around
        ("sum(x) = 7; sum([1, 2])", 7),
        ("sum(x) = 7; [1, 2].sum()", 3),  # a function of the user is not a method
        ("var = var([1, 3]); 2*var", 4),
        ("def f(n) { if n <= 1 { return 1 }; return n * f(n - 1) }\nf(5)", 120),
        (
            "def f(n) { for i in range(10) { if i == n { return i } }; return 99 }\nf(4) + f(20)",
            103,
        ),
        ("def f(n) { while True { n += 1; if n > 5 { return n } } }\nf(0)", 6),
    ],
)
def test_functions(text: str, expected: float) -> None:
    assert value(text) == expected


def test_recursion_without_an_end_is_told_soon() -> None:
    with pytest.raises(GradcliError, match="f is called within 20,000 other calls") as caught:
        grads("def f(x) { return f(x + 1) }\nf(x)", x=1.0)
    assert caught.value.diagnostic.code == "limit-depth"


def test_recursion_is_deeper_than_python_s() -> None:
    deep = "def f(x, n) { if n == 0 { return x }; return 2*x + f(x, n - 1) }\nf(x, 5000)"
    assert grads(deep, x=1.0) == {"x": 10001}


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("f(x) = x; f()", "type"),
        ("f(x) = x; f(1, 2)", "type"),
        ("f(x) = x; f(1, x=2)", "type"),
        ("f(x) = x; f(1, y=2)", "name"),
        ("f(x) = y; f(1)", "name"),
        ("def f(x) { t = x; return t }\nf(1); t", "name"),
        ("def f(x) { t = 1 }\nf(1) + 1", "type"),
        ("def f(x) { return f(x) }\nf(1)", "limit-steps"),
        ("while True { }", "limit-steps"),
        ("for i in range(1e9) { }", "limit-steps"),
        ("a, b = [1, 2, 3]", "value"),
        ("for i in 3 { i }", "type"),
        ("if [True, False] { 1 }", "value"),
        ("while [1, 2] > 0 { }", "value"),
    ],
)
def test_errors(text: str, code: str) -> None:
    options = Options(limits=Limits(trace=TraceLimits(steps=1000)))
    assert error(text, options).diagnostic.code == code


def test_the_step_limit_is_exact() -> None:
    text = "y = x; for i in range(100) { y = y + 1 }\ny"
    hundred = Options(limits=Limits(trace=TraceLimits(steps=100)))
    assert run(text, hundred, x=0.0).values["y"] == 100
    fewer = Options(limits=Limits(trace=TraceLimits(steps=99)))
    assert error(text, fewer, x=0.0).diagnostic.code == "limit-steps"


# --- loops and branches --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("y = 0; for i in range(4) { y += i }\ny", 6),
        ("y = 0; for i in range(1, 4) { y = 10*y + i }\ny", 123),
        ("y = 0; for i in range(5, 0, -2) { y = 10*y + i }\ny", 531),
        ("y = 0; for i in range(0) { y = 1 }\ny", 0),
        ("y = 0; for row in [[1, 2], [3, 4]] { y = 10*y + sum(row) }\ny", 37),
        ("y = 0; for a, b in [[1, 2], [3, 4]] { y = 10*y + a*b }\ny", 32),
        ("y = 0; for i in (2, 5) { y = 10*y + i }\ny", 25),
        ("y = 0; for i in range(9) { if i == 3 { break }; y += 1 }\ny", 3),
        ("y = 0; for i in range(5) { if i == 3 { continue }; y = 10*y + i }\ny", 124),
        ("y = 0; i = 0; while i < 5 { i += 1; if i == 2 { continue }; y = 10*y + i }\ny", 1345),
        ("y = 1; while y < 100 { y = 2*y; if y > 20 { break } }\ny", 32),
        ("y = 0; for i in range(3) { for j in range(3) { if j == 2 { break }; y += 1 } }\ny", 6),
        ("x = 5; if x < 3 { y = 1 } elif x < 6 { y = 2 } else { y = 3 }\ny", 2),
        ("x = 9; if x < 3 { y = 1 } elif x < 6 { y = 2 } else { y = 3 }\ny", 3),
        ("hs = []; for i in range(3) { hs = append(hs, i**2) }\nstack(hs)", [0, 1, 4]),
        ("x = [1, 2, 3]; y = 0; for i in range(3) { y += x[i]*x[-1 - i] }\ny", 10),
    ],
)
def test_loops_and_branches(text: str, expected: object) -> None:
    assert value(text) == expected


def test_gradients_flow_through_what_was_run() -> None:
    assert grads("y = x; while y < 10 { y = y*x }\ny", x=3.0) == {"x": 27}  # y = x**3
    assert grads("if x > 0 { y = x**2 } else { y = -x }\ny", x=-3.0) == {"x": -1}
    assert grads("y = 1; for row in x { y = y*row }\ny", x=[2.0, 3.0, 4.0]) == {"x": [12, 8, 6]}


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("y = 2*x; print(y)", "y"),
        ("y = 2*x; def f(a) { b = a; return b }", "y"),
        ("y = 2*x; while y < 10 { y = 2*y; y > 3 }", "y"),
        ("y = 2*x; for i in range(2) { z = y }", "z"),
        ("y = 2*x; for i in range(0) { z = y }", "y"),
        ("y = 2*x; if x > 100 { z = y }", "y"),
        ("y = 2*x; z = 3*x; y", "y"),
        ("y = 2*x; y + 1", "out"),
        ("out = 2*x; out + 1", "out_1"),
        ("y = x; y += 1", "y"),
    ],
)
def test_what_a_program_ends_on(text: str, name: str) -> None:
    assert list(run(text, x=1.0).outputs) == [name]


def test_a_tuple_is_several_outputs() -> None:
    assert list(run("a = x; b = 2*x; a, b", x=1.0).outputs) == ["a", "b"]


# --- lists ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # Lists that grew from one share what they have in common, and nothing else.
        (
            (
                "a = append([], 1); b = append(a, 2); c = append(a, 3); d = append(b, 4); "
                "cat([stack(a), stack(b), stack(c), stack(d)])"
            ),
            [1, 1, 2, 1, 3, 1, 2, 4],
        ),
        ("a = append([], 1); b = append(a, 2); len(a) + 10*len(b)", 21),
        ("a = append([], 1); for i in a { a = append(a, i + 1) }\nstack(a)", [1, 2]),
        ("a = append([], 1); b = append(a, 2); a[-1] + 10*b[-1]", 21),
        ("a = append([], 1); b = append(append(a, 2), 3); stack(b[1:])", [2, 3]),
        ("a = append([], 1); b = append(a, 2); c = append(a[:], 5); stack(b)", [1, 2]),
    ],
)
def test_lists_never_change(text: str, expected: object) -> None:
    assert value(text) == expected


def test_an_index_beyond_a_list_that_grew_on() -> None:
    assert error("a = append([], 1); b = append(a, 2); a[1]").diagnostic.code == "index"


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ("a, b = 1", "a single value cannot be taken apart", "a, b = … takes a tuple"),
        ("a, b = [1, 2][0]", "a single value cannot be taken apart", "a, b = … takes a tuple"),
        ("for i in 3 { i }", "a single value has nothing to loop over", "loop over range(3)"),
    ],
)
def test_a_single_value_has_no_parts(text: str, message: str, hint: str) -> None:
    diagnostic = error(text).diagnostic
    assert diagnostic.message == message
    assert hint in (diagnostic.hint or "")
