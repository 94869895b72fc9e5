"""How functions are found and called: modules in front of them, methods, and what is no function.

Expected numbers are worked out by hand.
"""

from __future__ import annotations

import math

import pytest

from gradcli.diagnostics import Source
from gradcli.engine.evaluator import Evaluator
from gradcli.ops import FUNCTIONS
from gradcli.options import DEFAULT
from gradcli.trace import Tracer
from tests.session.programs import error, value

M = "[[1, 2], [3, 4]]"


@pytest.mark.parametrize(
    "call",
    [
        "mean(x)", "torch.mean(x)", "np.mean(x)", "numpy.mean(x)", "jnp.mean(x)", "T.mean(x)",
        "jax.numpy.mean(x)", "x.mean()",
    ],
)  # fmt: skip
def test_modules_are_read_past(call: str) -> None:
    assert value(call, x=[1.0, 2.0, 6.0]) == 3


def test_a_value_hides_a_module() -> None:
    assert value("np = [1, 3]; np.sum()") == 4
    assert value("torch = [1, 3]; torch.T.sum()") == 4


@pytest.mark.parametrize("module", ["math", "np", "torch", "numpy"])
def test_constants_of_modules(module: str) -> None:
    assert value(f"{module}.pi * 2") == 2 * math.pi
    assert value(f"minimum({module}.inf, 3)") == 3


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ("torch.nn.mean(x)", "'torch.nn.mean'", "it is torch.mean"),
        (
            "with no_grad(): y = x",
            "'no_grad'",
            "write torch.no_grad(), as in with torch.no_grad():",
        ),
        ("jax.sin(x)", "'jax.sin'", "write sin(…)"),
        ("torch.linalg.sin(x)", "'torch.linalg.sin'", "it is torch.sin"),
        ("math.mean(x)", "'math.mean'", "write mean(…)"),
        ("np.append(x, x)", "'np.append'", "gradcli ops"),
        ("nn.Relu(x)", "'nn.Relu'", "'relu'"),
        ("os.system(x)", "'os.system'", "touches nothing else"),
        ("os.environ + x", "'os'", "gradcli ops lists"),
        ("torch + x", "'torch'", "gradcli ops lists"),
        ("torch.maen(x)", "'maen'", "'mean'"),
        ("xs.sum() + x", "'xs'", "'x'"),
    ],
)
def test_what_is_no_function(text: str, message: str, hint: str) -> None:
    diagnostic = error(text, x=[1.0, 2.0]).diagnostic
    assert diagnostic.code == "name"
    assert message in diagnostic.message
    assert hint in (diagnostic.hint or "")
    assert diagnostic.span is not None
    assert diagnostic.span[0] in (0, 5, 6)


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ("x.append(3)", "method 'append'", "hs = append(hs, h)"),
        ("x.len()", "method 'len'", "write len(x, …)"),
        ("f(a) = 2*a; x.f()", "method 'f'", "write f(x, …)"),
        ("x.numell()", "method 'numell'", "'numel'"),
        ("x.retain_grd()", "method 'retain_grd'", "'retain_grad'"),
        ("x.nothing_(2)", "method 'nothing_'", "gradcli ops"),
        ("numel(x)", "function 'numel'", "write x.numel(…)"),
        ("torch.item(x)", "function 'item'", "write x.item(…)"),
        ("f(a) = 2*a; def g(b) { ff(b) }; g(x)", "function 'ff'", "'f'"),
        ("x(2)", "function 'x'", "multiplication is written with *"),
    ],
)
def test_the_other_form_is_named_where_there_is_one(text: str, message: str, hint: str) -> None:
    diagnostic = error(text, x=[1.0, 2.0]).diagnostic
    assert diagnostic.code == "name"
    assert diagnostic.message == f"there is no {message}"
    assert hint in (diagnostic.hint or "")
    assert diagnostic.span is not None
    assert repr(text[slice(*diagnostic.span)]) in message


@pytest.mark.parametrize(
    ("method", "function"),
    [
        ("x.polygamma(2)", "polygamma(2, x)"),
        ("x.polygamma(n=2)", "polygamma(2, x)"),
        ("x.where(x > 1, 7)", "where(x > 1, x, 7)"),
        ("x.where(condition=x > 1, other=7)", "where(x > 1, x, 7)"),
        ("x.pow(2)", "pow(x, 2)"),
    ],
)
def test_methods_take_the_operand_that_pytorch_gives_them(method: str, function: str) -> None:
    assert value(method, x=[0.5, 2.0]) == value(function, x=[0.5, 2.0])


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (f"torch.linalg.norm({M}, 2)", math.sqrt(15 + math.sqrt(221))),
        (f"np.linalg.norm({M}, 2)", math.sqrt(15 + math.sqrt(221))),
        (f"torch.linalg.norm({M})", math.sqrt(30)),
        (f"torch.linalg.norm({M}, 1)", 6),
        (f"linalg.norm({M}, inf)", 7),
        ("torch.linalg.norm([3, 4], 1)", 7),
        (f"torch.linalg.norm({M}, 1, dim=1)", [3, 7]),
        (f"torch.linalg.vector_norm({M}, 1)", 10),
        (f"torch.norm({M}, 1)", 10),
        (f"norm({M}, 1)", 10),
    ],
)
def test_norms_are_those_of_the_module_in_front(call: str, expected: object) -> None:
    assert value(call) == pytest.approx(expected, rel=1e-15)


def test_an_order_wants_one_axis_or_two() -> None:
    assert error("torch.linalg.norm(zeros(2, 2, 2), 2)").diagnostic.code == "shape"


@pytest.mark.parametrize(
    "text",
    [
        "cat([x, zeros(2, 2)])", "x.permute(0, 0)", "stack([])", "for i in 3 { }", "a, b = x",
        "a, b = [1, 2, 3]; a", "x[[0.5]]", "x[0, 0]", "zeros(1.5)", "sum(x, dim='a')", "len(3)",
        "append(3, 4)", "range(1, 2, 0)", "x[x > 0, 0]", "x[[True]]", "mean(x, keepdim=x)",
        "mse_loss(x, x, reduction=3)", "f(a) = a\nf(1, 2)", "f(a) = a\nf()", "f(a) = a\nf(1, a=2)",
        "sum(x, x=x)", "mean(x, [[0, 1], [0, 1]])", "hs = [1, [2, 3]]; hs[7]", "(x)(3)",
        "tensordot(x, x, 'a')", "bmm(x, x)", "x.T.mT", "x.reshape(7)",
    ],
)  # fmt: skip
def test_every_mistake_in_a_call_gets_a_hint(text: str) -> None:
    diagnostic = error(text, x=[1.0, 2.0, 3.0]).diagnostic
    assert diagnostic.hint, diagnostic.message


def test_functions_of_the_library_are_not_in_the_op_table() -> None:
    """So a program that calls functions of the table alone does without the library."""
    everything = (
        "# nn functools bincount bernoulli distributions random namedtuple np.random Attention"
    )
    graph = DEFAULT.graph()
    evaluator = Evaluator({}, graph.ledger)
    tracer = Tracer(graph, evaluator, Source("", everything), DEFAULT.limits.trace)
    own = set(tracer.library.functions)
    assert {"torch.nn.Linear", "torch.bernoulli", "np.dot", "zip"} <= own
    assert not own & set(FUNCTIONS)
