"""Products of matrices in tiles: NumPy's result, and the same bits for any number of threads."""

from __future__ import annotations

import numpy as np
import pytest

from gradcli.diagnostics import Source
from gradcli.engine.evaluator import Evaluator
from gradcli.engine.products import Tiled
from gradcli.language.parser import ParseLimits, parse_program
from gradcli.ledger import Ledger
from gradcli.session import Options, prepare

SHAPES = [
    ((600, 300), (300, 520)),
    ((20_000, 30), (30,)),
    ((200, 20_000), (20_000,)),
    ((20_000,), (20_000, 30)),
    ((3, 200, 70), (70, 300)),
    ((40, 20, 30), (40, 30, 50)),
    ((7, 1, 20, 30), (4, 30, 50)),
    ((40, 300), (40, 300, 20)),
    ((2, 30_000), (30_000, 2)),
    ((5, 0), (0, 7)),
    ((0, 5), (5, 300)),
]


@pytest.mark.parametrize("shapes", SHAPES, ids=str)
@pytest.mark.parametrize("transposed", [False, True])
def test_tiles_make_the_whole_product(
    shapes: tuple[tuple[int, ...], tuple[int, ...]],
    transposed: bool,
) -> None:
    rng = np.random.default_rng(5)
    a, b = (rng.standard_normal(shape) for shape in shapes)
    if transposed:
        a, b = (x if x.ndim < 2 else x.mT.copy().mT for x in (a, b))
    answers = [Tiled(threads, large=1 << 15).matmul(a, b) for threads in (1, 2, 3, 7)]
    np.testing.assert_allclose(answers[0], np.matmul(a, b), rtol=1e-12, atol=1e-11)
    assert answers[0].shape == np.matmul(a, b).shape
    assert len({answer.tobytes() for answer in answers}) == 1


NETWORK = "h = tanh(x @ w + b); loss = mean((h @ v - y)**2)"
INPUTS = {"x": (1000, 80), "w": (80, 300), "b": (300,), "v": (300, 5), "y": (1000, 5)}


@pytest.mark.parametrize(
    ("program", "shapes"),
    [
        (NETWORK, INPUTS),
        ("z = einsum('bij,bjk->ik', x, y); sum(z**2)", {"x": (9, 200, 90), "y": (9, 90, 300)}),
        ("sum(relu(conv2d(x, w))**2)", {"x": (4, 8, 32, 32), "w": (16, 8, 3, 3)}),
    ],
)
def test_the_bits_of_a_network_do_not_depend_on_threads(
    program: str, shapes: dict[str, tuple[int, ...]]
) -> None:
    rng = np.random.default_rng(6)
    inputs = {name: rng.standard_normal(shape) / 8 for name, shape in shapes.items()}
    parsed = parse_program(Source("program", program), ParseLimits())
    answers = []
    for threads in (1, 2, 5):
        result = prepare(parsed, inputs, (), Options(threads=threads)).run(inputs)
        arrays = (*result.values.values(), *result.grads.values())
        answers.append([array.tobytes() for array in arrays])
    assert answers[0] == answers[1] == answers[2]


def test_a_product_that_is_looked_at_has_the_bits_of_the_plan() -> None:
    rng = np.random.default_rng(7)
    inputs = {"x": rng.standard_normal((300, 9000)), "y": rng.standard_normal((9000, 3))}
    program = parse_program(Source("program", "x @ y"), ParseLimits())
    ready = prepare(program, inputs, (), Options(forward_only=True, threads=2))
    (node,) = ready.outputs.values()
    feeds = {ready.inputs[name]: array for name, array in inputs.items()}
    looked_at = Evaluator(feeds, Ledger()).value(node)
    assert looked_at.tobytes() == ready.run(inputs).values["out"].tobytes()


def test_no_thread_warns(recwarn: pytest.WarningsRecorder) -> None:
    x = np.full((3000, 300), 1e300)
    assert np.isinf(Tiled(2).matmul(x, x.T[:, :700])).all()
    assert not recwarn.list
