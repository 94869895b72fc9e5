"""Products of matrices for many passes of a loop at once: the bits of one after another."""

from __future__ import annotations

import re

import numpy as np
import pytest

from gradcli.engine import columns
from gradcli.engine.bodies import Body
from gradcli.engine.cpu import HOST
from gradcli.engine.device import engine
from gradcli.graph import Array, Attributes
from gradcli.ledger import Ledger
from gradcli.ops.loops import Loop
from gradcli.options import Options
from gradcli.session import Prepared
from tests.loops.test_checkpoints import all_orders, with_and_without
from tests.loops.test_rolled import answer, loops, prepared

RNN = "h = x; for t in range(130) { h = tanh(V[t] @ W + h @ U + b) }; mean(h**2)"
PROGRAMS = {
    "both weights": RNN,
    "weights transposed": "h = x; for t in range(130) { h = tanh(V[t] @ W.T + h @ U.T) }; mean(h)",
    "every state": "l = []; h = x; for t in range(130) { h = sin(V[t] @ W + h @ U); l.append(h) }; "
    "mean(stack(l)**2)",
    "no state": "s = 0*x; for t in range(130) { s = s + tanh(V[t] @ W) }; mean(s*s)",
    "a factor": "h = x; for t in range(130) { h = tanh((V[t]*c[t]) @ W * 0.5 + h @ U) }; mean(h)",
    "one weight twice": "h = x; for t in range(130) { h = sin(h @ U + sin(h @ U + V[t])) }; sum(h)",
    "a state before": "h = x; g = x; for t in range(130) { h, g = sin(g @ U + V[t]), h }; sum(h*g)",
    "gates": "h = x; c1 = x*0; for t in range(130) { z = V[t] @ W + h @ U; "
    "c1 = sigmoid(z)*c1 + tanh(h @ W + z); h = tanh(c1)*sigmoid(z) }; mean(h)",
    "of the product itself": "s = 0*W; for t in range(130) { s = s + V[t].T @ V[t] @ W }; sum(s*s)",
    "read last": "s = 0*W; for t in range(130) { s = s + V[t].T @ (V[t] @ W); q = s*1 }; sum(q)",
}


@pytest.fixture(autouse=True)
def blas_of_the_command_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "1")


def given(text: str, precision: str = "float64") -> dict[str, Array]:
    draw = np.random.default_rng(0)
    inputs = {
        "x": draw.normal(size=(44, 44)),
        "V": draw.normal(size=(130, 44, 44)),
        "W": draw.normal(size=(44, 44)) / 7,
        "U": draw.normal(size=(44, 44)) / 7,
        "b": draw.normal(size=44),
        "c": draw.normal(size=130),
    }
    names = set(re.findall(r"\w+", text))
    return {name: array.astype(precision) for name, array in inputs.items() if name in names}


def bodies(found: Prepared) -> list[Body]:
    results: dict[Loop, list[Attributes]] = {}
    for node in found.engine.plan.nodes:
        if isinstance(node.op, Loop):
            results.setdefault(node.op, []).append(node.attributes)
    return [Body(loop, wanted, HOST) for loop, wanted in results.items()]


@pytest.mark.parametrize("precision", ["float64", "float32"])
@pytest.mark.parametrize("text", PROGRAMS.values(), ids=PROGRAMS.keys())
def test_products_of_columns_have_the_bits_of_those_of_passes(text: str, precision: str) -> None:
    inputs = given(text, precision)
    assert loops(prepared(text, inputs, Options(precision=precision)))  # type: ignore[arg-type]
    one_by_one = answer(text, inputs, precision=precision, unroll=True)
    for threads in (1, 2, 3):
        assert answer(text, inputs, precision=precision, threads=threads) == one_by_one


@pytest.mark.parametrize("text", PROGRAMS.values(), ids=PROGRAMS.keys())
def test_second_derivatives_and_checkpoints_do_too(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    inputs = given(text)
    found = prepared(text, inputs, Options())
    nodes = all_orders(found)
    with_and_without(found, nodes, inputs)
    at_once = engine(nodes, "cpu", 2, Ledger()).run(found.feeds(inputs))
    monkeypatch.setattr(columns, "WORTH", 1 << 40)
    one_by_one = engine(nodes, "cpu", 2, Ledger()).run(found.feeds(inputs))
    assert [each.tobytes() for each in at_once] == [each.tobytes() for each in one_by_one]


def test_the_gradients_of_weights_are_added_up_apart() -> None:
    forward, backward = bodies(prepared(RNN, given(RNN), Options()))
    assert not forward._sums
    assert [each.term.shape for each in backward._sums] == [(44, 44), (44, 44)]
