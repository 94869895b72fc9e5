"""Every rule on a stand-in for cupy: what only NumPy can do must not hide in one."""

from __future__ import annotations

import math
import sys
from typing import Any

import numpy as np
import pytest

from gradcli.diagnostics import GradcliError
from gradcli.differentiate import vjp
from gradcli.differentiate.forward import jvp
from gradcli.graph import CONSTANT, INPUT, Array, Node, Op
from gradcli.ops import FUNCTIONS, Case
from gradcli.walks import ancestors
from tests.ops.device.standin import DeviceArray, cupy, special
from tests.ops.table_cases import Traced, all_cases, each_case, trace


@pytest.fixture(autouse=True)
def special_functions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cupyx.scipy.special", special)


def derived(traced: Traced) -> list[Node]:
    """The output of a case with its gradients to second order and its tangent."""
    output = traced.output
    graph = output.graph
    outputs = [output]
    if output.kind == "float":
        ones = graph.constant(np.ones(output.shape))
        grads = [grad for grad in vjp([output], [ones], traced.inputs) if grad is not None]
        outputs += grads
        if grads:
            seeds = [graph.constant(np.ones(grad.shape)) for grad in grads]
            outputs += [each for each in vjp(grads, seeds, traced.inputs) if each is not None]
        tangents = [graph.constant(np.ones(node.shape)) for node in traced.inputs]
        outputs += [each for each in jvp([output], traced.inputs, tangents) if each is not None]
    return outputs


def arguments(node: Node, operands: list[Any]) -> list[Any]:
    """What a node's forward function takes behind the namespace."""
    attributes = node.attributes
    if node.op.typed:
        attributes = (*attributes[:-1], node.graph.dtype(attributes[-1]))
    return [*operands, *attributes]


@pytest.mark.one_in(4)
@each_case(all_cases())
def test_every_rule_runs_on_a_device(name: str, case: Case) -> None:
    traced = trace(case)
    values = dict(traced.feeds)
    with np.errstate(all="ignore"):
        for node in ancestors(derived(traced)):
            if node.op is CONSTANT:
                assert node.known is not None
                values[node] = node.known
            elif node.op is not INPUT:
                operands = [values[each] for each in node.inputs]
                values[node] = np.asarray(node.op.forward(np, *arguments(node, operands)))
                if node.op.host < math.inf:
                    check_on_device(node, operands, values[node])


def check_on_device(node: Node, operands: list[Array], expected: Array) -> None:
    """The forward function on the device gives what it gives on NumPy, unseen; `edge` too."""
    on_device = arguments(node, [DeviceArray(operand.copy()) for operand in operands])
    looks = DeviceArray.looks
    check_same(node.op.forward(cupy, *on_device), expected)
    seen = DeviceArray.looks > looks  # what tells whether a value is right has to be there first
    assert not seen or node.op.refuses, f"{node.op} waits for the card"
    if node.op.edge is not None:
        edge = node.op.edge(np, *arguments(node, operands))
        check_same(node.op.edge(cupy, *on_device), np.asarray(edge))


def check_same(found: object, expected: Array) -> None:
    """An array on the device with the same shape, elements and kind of elements."""
    assert isinstance(found, DeviceArray)
    assert found.dtype == expected.dtype
    np.testing.assert_allclose(found.held, expected, rtol=1e-12, atol=1e-14, strict=True)


def test_every_op_is_reached() -> None:
    reached: set[Op] = set()
    for _, case in all_cases():
        reached.update(node.op for node in ancestors(derived(trace(case))))
    assert {each.op for each in FUNCTIONS.values()} - {None} <= reached


REFUSED = {
    "inv([[[1, 2], [3, 4]], [[1, 2], [2, 4]]] * x)": "inv: the matrix at [1] is singular",
    "solve([[0, 0], [0, 1]] * x, [[1], [2]])": "its pivot 1 is 0",
    "cholesky([[1, 2], [2, 1]] * x)": "its pivot 2 is not positive",
    "(x * [1, 2])[argmax(x * [1, 2]) + 7 * ones(1)]": "index 8 is out of range for an axis of 2",
    "gather(x * [1, 2], 0, argsort(x * [1, 2]) + 1)": "index 2 is out of range for an axis of 2",
    "cross_entropy(x * eye(2), [0, 2])": "holds 2, which is out of range for 2 classes",
    "cross_entropy(x * eye(2), [0, 0.5])": "must hold integers, not 0.5",
    "quantile(x * [1, 2], 3 * x)": "from 0 to 1",
    "binary_cross_entropy(2 * x, x)": "holds 2",
    "gaussian_nll_loss(x * [1, 2], [1, 2], x * [1, -2])": "holds -2",
    "spherical_jn(x / 2, 1)": "orders are whole",
}


@pytest.mark.parametrize(("program", "message"), REFUSED.items())
def test_what_is_wrong_is_found_on_a_device(program: str, message: str) -> None:
    traced = trace(Case(program, {"x": ()}, domain=(1.0, 1.0)))
    with pytest.raises(GradcliError) as caught, np.errstate(all="ignore"):
        on_device(traced)
    assert message in caught.value.diagnostic.message


def test_inverses_beside_a_singular_matrix_on_a_device() -> None:
    """d log|det A| is inv(A).T; of [[1, 2], [2, 4]] the cofactors over 0."""
    traced = trace(Case("logdet(x * [[[1, 2], [2, 4]], [[2, 0], [0, 4]]])", {"x": ()}, (1.0, 1.0)))
    (inverses,) = [node for node in ancestors(derived(traced)) if node.op.name == "inv_or_limit"]
    with np.errstate(all="ignore"):
        found = on_device(Traced(inverses, traced.inputs, traced.feeds))
    inf = np.inf
    expected = [[[inf, -inf], [-inf, inf]], [[0.5, 0], [0, 0.25]]]
    np.testing.assert_allclose(found.held, expected, rtol=1e-15)


def on_device(traced: Traced) -> Any:
    """The output, all of it computed on the device."""
    values: dict[Node, Any] = {node: DeviceArray(a) for node, a in traced.feeds.items()}
    for node in ancestors([traced.output]):
        if node.op is CONSTANT:
            values[node] = DeviceArray(node.known)
        elif node.op is not INPUT:
            values[node] = node.op.forward(cupy, *arguments(node, [values[o] for o in node.inputs]))
    return values[traced.output]
