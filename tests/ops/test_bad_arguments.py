"""Bad arguments of elementwise functions, reductions and scans: which error, and what it says."""

from __future__ import annotations

import pytest

from gradcli.diagnostics import GradcliError, Source
from gradcli.language.parser import ParseLimits, parse_program
from gradcli.session import evaluate

BINDINGS = "x = ones(2, 3); y = ones(4); v = ones(3); s = 1\n"


@pytest.mark.parametrize(
    ("program", "code", "words"),
    [
        ("x + y", "shape", ["(2, 3)", "(4,)"]),
        ("sum(spherical_jn(10**30, x))", "value", ["0 to 1000"]),
        ("sum(spherical_jn(nan, x))", "value", ["0 to 1000"]),
        ("sum(ierfcx(0.5, x))", "value", ["ierfcx", "0 to 1000"]),
        ("maximum(x, y)", "shape", ["maximum", "(2, 3)", "(4,)"]),
        ("where(x > 0, x, y)", "shape", ["where", "(2, 3)", "(4,)"]),
        ("lerp(x, x, y)", "shape", ["lerp", "(2, 3)", "(4,)"]),
        ("addcmul(x, x, y)", "shape", ["(2, 3)", "(4,)"]),
        ("dist(x, y)", "shape", ["(2, 3)", "(4,)"]),
        ("cosine_similarity(x, y)", "shape", ["cosine_similarity", "(2, 3)", "(4,)"]),
        ("recurrence(x, y, 0)", "shape", ["(2, 3)", "(4,)"]),
        ("trapezoid(x, y)", "shape", ["(2, 2)", "(3,)"]),
        ("diff(s)", "shape", ["single value"]),
        ("quantile(x, x)", "shape", ["(2, 3)"]),
        ("sum(x, dim=2)", "axis", ["sum", "dim 2", "2 dimensions"]),
        ("mean(x, dim=(0, 0))", "axis", ["mean", "twice"]),
        ("linalg.norm(x, dim=())", "shape", ["0 axes", "(2, 3)"]),
        ("softmax(x, -3)", "axis", ["softmax", "dim -3"]),
        ("cumsum(x, 5)", "axis", ["cumsum", "dim 5"]),
        ("median(x, 2)", "axis", ["median", "dim 2"]),
        ("argmax(s, 1)", "axis", ["argmax", "single value"]),
        ("amax(x[:0])", "value", ["amax", "(0, 3)"]),
        ("quantile(x, 1.5)", "value", ["quantile", "0 to 1"]),
        ("quantile(x, 0.5, interpolation='cubic')", "value", ["linear", "nearest"]),
        ("norm(x, 'max')", "value", ["'fro' or 'nuc'", "'max'"]),
        ("norm(y, 'nuc')", "axis", ["two axes", "(-1,)"]),
        ("max(x, 0, other=x)", "type", ["dim or other"]),
        ("div(x, y, rounding_mode='up')", "value", ["'floor', 'trunc' or None", "'up'"]),
        ("add(x, x, alpha=x)", "type", ["alpha must be a single number"]),
        ("mul(x, x, alpha=2)", "name", ["mul has no parameter 'alpha'"]),
        ("gelu(x, approximate='none at all')", "value", ["gelu", "'tanh'"]),
        ("diff(v, -1)", "value", ["diff", "-1"]),
        ("sum(x, 'all')", "type", ["sum: dim", "a string"]),
        ("sum(x, dim=0.5)", "type", ["sum: dim", "0.5"]),
        ("var(x, x > 0)", "type", ["var: dim", "integers"]),
        ("tanh(x, x)", "type", ["tanh", "1 argument", "2"]),
        ("maximum(x)", "type", ["maximum", "b"]),
        ("tanh(x, out=x)", "name", ["tanh", "no out"]),
        ("tensordot(s, x, dims=([0], [-1]))", "axis", ["single value"]),
        ("tensordot(x, x, dims=([0, 0], [0, 1]))", "axis", ["twice"]),
        ("solve_triangular(eye(2), eye(2))", "type", ["needs upper"]),
        ("sum(triu_indices(2, 10**20))", "limit-memory", ["(2, 199999999999999999999)"]),
        ("norm(x[:0], inf)", "value", ["p=inf", "(0, 3)"]),
        ("norm(x[:, :0], -2, dim=1)", "value", ["p=-2", "(2, 0)"]),
        ("zeros(0, 10**15, 10**15)", "limit-memory", ["(0, 1000000000000000, 10000"]),
        ("sum(ones(" + "1e300, " * 60 + "2))", "limit-memory", ["larger"]),
    ],
)
def test_error(program: str, code: str, words: list[str]) -> None:
    parsed = parse_program(Source("program", BINDINGS + program), ParseLimits())
    with pytest.raises(GradcliError) as caught:
        evaluate(parsed, {})
    diagnostic = caught.value.diagnostic
    assert diagnostic.code == code, diagnostic
    assert diagnostic.span is not None
    for word in words:
        assert word in diagnostic.message, diagnostic
