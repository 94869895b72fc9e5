"""Loops that keep checkpoints in place of what all passes leave: the same bits, less memory."""

from __future__ import annotations

import tracemalloc
from collections.abc import Sequence
from functools import partial

import numpy as np
import pytest

from gradcli.diagnostics import GradcliError
from gradcli.differentiate import vjp
from gradcli.differentiate.forward import jvp
from gradcli.engine.cpu import NumpyEngine
from gradcli.engine.device import engine
from gradcli.engine.sparing import keep_checkpoints, keepers
from gradcli.graph import Array, Node
from gradcli.ledger import Ledger
from gradcli.ops.loops import NotRolled
from gradcli.options import Limits, Options
from gradcli.session import Prepared
from tests.loops.programs import Writer
from tests.loops.test_rolled import prepared

STATES = "for k in range(300) { y = y + 0.001*(sin(y) - 0.1*y*y) }; mean(y)"
PROGRAMS = [
    STATES,
    "for k in range(300) { y = tanh(y*x[k] + 0.1) }; mean(y*y)",
    "l = []; for k in range(300) { y = tanh(y*1.1 + 0.1); l = append(l, y) }; mean(stack(l)**2)",
    "h = y; for k in range(300) { h = tanh(outer(y, y) @ h * 0.1 + x[k]) }; sum(h*h)",
    "for i in range(80) { t = y; for j in range(70) { t += sin(t)*.01 }; y = y*0.5 + t }; sum(y)",
    "p = y*1; for k in range(300) { y, p = p*0.99 + sin(y), y }; sum(y*p)",
    "m = outer(y, y); for k in range(99) { m = sin(m.T)*m + 0.1; y = y + sum(m[:, ::2]) }; sum(y)",
    "while sum(y) < 20 { y = y*1.01 + 0.001*sqrt(y) }; sum(y**2)",
]


def ready(text: str, **options: object) -> tuple[Prepared, dict[str, Array]]:
    numbers = np.random.default_rng(0)
    given = {"y": numbers.uniform(0.2, 1.1, 4), "x": numbers.uniform(-1, 1, 300)}
    inputs = {name: array for name, array in given.items() if f"{name}[" in text or name == "y"}
    return prepared(text, inputs, Options(**options)), inputs  # type: ignore[arg-type]


def all_orders(found: Prepared) -> list[Node]:
    """Values, gradients, a second derivative in each mode."""
    outputs = list(found.outputs.values())
    leaves = list(found.leaves.values())
    ones = [node.graph.constant(np.ones(node.shape)) for node in leaves]
    grads = [*found.backwards[0].grads.values()]
    nodes = [*outputs, *grads]
    for more in (
        partial(jvp, outputs, leaves, ones),
        partial(jvp, grads, leaves, ones),
        partial(vjp, grads, ones, leaves),
    ):
        try:
            nodes += [node for node in more() if node is not None]
        except NotRolled:
            continue
    return nodes


def with_and_without(found: Prepared, nodes: Sequence[Node], inputs: dict[str, Array]) -> int:
    """How many results are computed again, by checkpoints every few passes; the bits are equal."""
    feeds = found.feeds(inputs)
    whole = engine(nodes, "cpu", 1, Ledger())
    expected = whole.run(feeds)
    plan = whole.plan
    kept = keepers(plan)
    for segment in (1, 7, 64):
        keep_checkpoints(plan, kept, segment)
        for node, array, old in zip(nodes, NumpyEngine(plan, 1).run(feeds), expected, strict=True):
            np.testing.assert_array_equal(array, old, strict=True)
            assert (np.signbit(array) == np.signbit(old))[~np.isnan(old)].all(), node
    return sum(len(each.nodes) for each in kept)


@pytest.mark.parametrize("precision", ["float64", "float32"])
@pytest.mark.parametrize("text", PROGRAMS)
def test_values_and_derivatives_have_the_same_bits(text: str, precision: str) -> None:
    found, inputs = ready(text, precision=precision)
    inputs = {name: array.astype(precision) for name, array in inputs.items()}
    assert with_and_without(found, all_orders(found), inputs)


@pytest.mark.one_in(4)
@pytest.mark.parametrize("seed", range(12))
def test_programs_made_at_random_have_the_same_bits(seed: int) -> None:
    writer = Writer(seed)
    text = writer.program()
    inputs = {name: array for name, array in writer.inputs.items() if name in text}
    with np.errstate(all="ignore"):
        try:
            found = prepared(text, inputs, Options())
        except GradcliError:
            return  # another test tells what is refused
        with_and_without(found, [*found.engine.plan.outputs], inputs)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(12, 400))
def test_more_programs_made_at_random_have_the_same_bits(seed: int) -> None:
    test_programs_made_at_random_have_the_same_bits(seed)


def peak_of(passes: int, states: int, memory: int) -> tuple[int, dict[str, Array], list[str]]:
    """The most memory that a run takes, its grads and what it notes."""
    text = STATES.replace("300", str(passes))
    inputs = {"y": np.random.default_rng(0).uniform(0.2, 1.1, states)}
    options = Options(values="none", limits=Limits(memory=memory))
    found = prepared(text, inputs, options)
    tracemalloc.start()
    try:
        result = found.run(inputs)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    return peak, result.grads, [note.message for note in result.notes if "checkpoint" in note.code]


def test_a_limit_on_memory_is_kept_with_checkpoints() -> None:
    whole, expected, none = peak_of(2000, 2000, 1 << 30)
    assert whole > 64_000_000
    assert not none
    peak, grads, (note,) = peak_of(2000, 2000, 20 << 20)
    # 1 MiB of passes that leave 2 values of 16,000 bytes each, twice, and 63 checkpoints of one
    assert note == "checkpoints every 32 passes of a loop: 2.93 MiB of memory instead of 60.9 MiB"
    assert peak < 20 << 20
    np.testing.assert_array_equal(grads["y"], expected["y"])


def test_what_has_no_room_with_checkpoints_is_refused() -> None:
    with pytest.raises(GradcliError, match="this run needs about"):
        peak_of(2000, 2000, 2 << 20)


@pytest.mark.slow
def test_many_passes_keep_the_limit() -> None:
    peak, grads, notes = peak_of(100_000, 200, 60 << 20)  # 305 MiB without
    assert len(notes) == 1
    assert peak < 60 << 20
    assert np.isfinite(grads["y"]).all()
