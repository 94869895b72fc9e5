"""Every name of the op table under every prefix that people paste means what that library means."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gradcli.diagnostics import GradcliError, Source
from gradcli.engine.device import run
from gradcli.engine.evaluator import Evaluator
from gradcli.graph import Graph
from gradcli.language.parser import ParseLimits, parse_program
from gradcli.ledger import Ledger
from gradcli.ops import FUNCTIONS
from gradcli.trace import TraceLimits, Tracer
from gradcli.trace.callee import MODULES
from gradcli.trace.libraries import has
from tests.ops.goldens.golden import Array
from tests.ops.prefixes.pasted import INPUTS, PREFIXES

OPS = Path(__file__).parents[2] / "gradcli" / "ops"


@cache
def stored(module: str) -> dict[str, dict[str, Any]]:
    """By function and by arguments: the arrays that the library gives."""
    path = Path(__file__).parent / "prefixes" / "calls" / f"{module}.json"
    calls: dict[str, dict[str, Any]] = json.loads(path.read_text())
    return calls


def ours(program: str) -> list[Array]:
    """What a call gives here, a tuple's items in order."""
    source = Source("program", program)
    graph = Graph(seed=1)
    feeds = {graph.input(name, value.shape, "float"): value for name, value in INPUTS.items()}
    tracer = Tracer(graph, Evaluator(feeds, Ledger()), source, TraceLimits())
    tracer.globals.values.update(zip(INPUTS, feeds, strict=True))
    tracer.trace(parse_program(source, ParseLimits()))
    assert tracer.last is not None
    nodes = [tracer.values.tensor(binding.value) for binding in tracer.last]
    return run(nodes, feeds)


UNSIGNED = ("svd", "eigh", "qr")
"""Functions whose vectors may have either sign."""
DIFFER = {
    "np.linalg.lstsq(": "the residuals are there for every matrix, as the README says",
    "torch.linalg.lstsq(": "the residuals are there for every matrix, as the README says",
    "scipy.linalg.lstsq(": "the residuals are there for every matrix, as the README says",
    "jnp.linalg.lstsq(": "the residuals are there for every matrix, as the README says",
    "jax.nn.celu(x, 0)": "alpha=0 is the limit, relu; JAX divides by 0",
    "jax.nn.celu(z, 0)": "alpha=0 is the limit, relu; JAX divides by 0",
    "np.argsort(s)": "the place of a single value is a single value",
    "np.atleast_1d([v, w])": "a list of vectors stands for the vectors",
    "np.atleast_2d([v, w])": "a list of vectors stands for the vectors",
    "np.atleast_3d([v, w])": "a list of vectors stands for the vectors",
    "np.meshgrid([v, w])": "a list of vectors stands for the vectors",
    "scipy.linalg.block_diag([v, w])": "a list of matrices stands for the matrices",
}
"""Beginnings of calls that give something else, and why."""


REFUSED = {
    "F": ["F.adaptive_avg_pool3d"],
    "jnp": ["jnp.dot", "jnp.outer", "jnp.vdot"],
    "jax.nn": ["jax.nn.one_hot"],
}
"""Functions that no stored call of is taken."""


def agrees(name: str, found: list[Array], expected: list[Any]) -> bool:
    """Whether shapes and numbers are the library's, to 10 digits."""
    shapes = [tuple(shape) for shape, _ in expected]
    if [array.shape for array in found] != shapes:
        return False
    for array, (_, data) in zip(found, expected, strict=True):
        wanted = np.array([float(each) for each in data])
        flat = array.ravel().astype(float)
        if name in UNSIGNED:
            flat, wanted = np.abs(flat), np.abs(wanted)
        if not np.allclose(flat, wanted, rtol=1e-10, atol=1e-10, equal_nan=True):
            return False
    return True


@pytest.mark.one_in(5)
@pytest.mark.parametrize("module", PREFIXES)
def test_a_call_with_a_prefix_is_the_librarys_or_an_error(module: str) -> None:
    wrong = []
    for name, calls in stored(module).items():
        for text, expected in calls.items():
            program = f"{module}.{name}({text})"
            if program.startswith(tuple(DIFFER)):
                continue
            try:
                found = ours(program)
            except GradcliError:
                continue
            if not agrees(name, found, expected):
                wrong.append(program)
    assert wrong == []


def plain_names() -> list[str]:
    """The names that need no module."""
    return [name for name in FUNCTIONS if "." not in name]


@pytest.mark.one_in(5)
@pytest.mark.parametrize("module", PREFIXES)
def test_what_a_module_has_is_understood_or_refused_by_name(module: str) -> None:
    refused = []
    for name, calls in stored(module).items():
        messages = []
        for text in calls:
            try:
                ours(f"{module}.{name}({text})")
            except GradcliError as error:
                messages.append(error.diagnostic.message)
        if len(messages) == len(calls) and f"{module}.{name} is not" not in messages[0]:
            refused.append(f"{module}.{name}")
    assert refused == REFUSED.get(module, [])


@pytest.mark.one_in(18)
@pytest.mark.parametrize("start", range(9))
@pytest.mark.parametrize("module", PREFIXES)
def test_what_a_module_has_not_is_an_error_with_a_hint(module: str, start: int) -> None:
    for name in plain_names()[start::9]:
        if name not in has(module) and f"{module}.{name}" not in FUNCTIONS:
            with pytest.raises(GradcliError) as caught:
                ours(f"{module}.{name}(x)")
            diagnostic = caught.value.diagnostic
            assert diagnostic.code == "name", name
            assert f"there is no function '{module}.{name}'" in diagnostic.message
            assert diagnostic.hint


@pytest.mark.parametrize("written", MODULES)
def test_every_spelling_of_a_module_is_understood(written: str) -> None:
    module = MODULES[written]
    if module in PREFIXES:
        name, calls = next(each for each in stored(module).items() if each[0].islower())
        text = next(iter(calls))
        assert agrees(name, ours(f"{written}.{name}({text})"), calls[text])


def test_the_function_of_a_module_stands_where_the_plain_one_does() -> None:
    """Nothing else is imported to find it."""
    texts = [path.read_text() for path in OPS.glob("*.py")]
    for whole in FUNCTIONS:
        name = whole.rpartition(".")[2]
        if whole.count(".") and name in FUNCTIONS and not whole.startswith(("F.", "linalg.")):
            told = (f'"{name}"', f"def {name}(")
            assert any(f'"{whole}"' in text and any(map(text.__contains__, told)) for text in texts)


@pytest.mark.parametrize(
    ("method", "function"),
    [("A.svd()[2]", "torch.svd(A)[2]"), ("v.equal(v)", "torch.equal(v, v)")],
)
def test_a_method_is_the_function_of_pytorch(method: str, function: str) -> None:
    np.testing.assert_array_equal(ours(method)[0], ours(function)[0])


def test_a_function_of_the_user_hides_none_that_has_a_module() -> None:
    assert ours("sin(a) = 7; torch.sin(s)")[0] == np.sin(0.4)
