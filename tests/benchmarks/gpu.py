"""Value and gradient on a GPU, with arrays that are there already, compared with PyTorch and JAX.

    python tests/benchmarks/gpu.py [--sizes 1e6 1e8] [--alone]

It needs the extra `gpu` (or `gpu12`), and a card; PyTorch and JAX are raced where they are
installed and see the card. The share is of the bandwidth that a copy on the same card has, for the
bytes that must move: each input read once, each gradient written once. Times are medians by the
card's own clock.

The README of this folder has figures.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np

from gradcli.diagnostics import GradcliError, Source
from gradcli.engine import card as card_room
from gradcli.engine import gpu
from gradcli.engine.costs import on_card
from gradcli.graph import Array, Node, Precision
from gradcli.language.parser import ParseLimits, parse_program
from gradcli.session import Limits, Options, Prepared, prepare

FUNCTIONS = {
    "mean((2*x)**3)": "((2*x)**3).mean()",
    "mean(tanh(1.5*x+0.1)*exp(-x**2))": "(tanh(1.5*x+0.1)*exp(-x**2)).mean()",
}
"""As gradcli writes them, and as the others do."""
NETWORK = (
    "hidden = tanh(X @ W1 + b1); log_p = log_softmax(hidden @ W2 + b2, dim=1); "
    "-mean(log_p[arange(65536), target])"
)
NETWORK_OF_OTHERS = "-log_softmax(tanh(X @ W1 + b1) @ W2 + b2, 1)[arange(65536), target].mean()"
"""The two layers of samples/two_layer_network.grad, wider."""
BATCH, WIDTH, HIDDEN, CLASSES = 65_536, 512, 512, 10
SIZES = [1e6, 1e7, 1e8, 1e9]
DRAWN = 10**7
"""So many numbers are drawn at random; longer arrays repeat them."""
PRECISIONS: tuple[Precision, ...] = ("float32", "float64")
SECONDS = 0.5
"""How long a measurement takes, about."""

Work = Callable[[], Any]


def main() -> int:
    """Print a table, or why there is none."""
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False)
    parser.add_argument("--sizes", nargs="+", type=float, default=SIZES, metavar="ELEMENTS")
    parser.add_argument("--alone", action="store_true", help="race nobody")
    parser.add_argument("--first", metavar="PROGRAM", help="seconds of the first run, and no more")
    options = parser.parse_args()
    try:
        card = card_room.card(0)
    except GradcliError as error:
        print(f"no card: {error.diagnostic.message}")
        return 1
    if options.first:
        print(first_run(options.first))
        return 0
    command = " ".join(["python tests/benchmarks/gpu.py", *sys.argv[1:]])
    print(f"{card.name}, driver {driver()}, {datetime.now(UTC):%Y-%m-%d}, {command}")
    found = [] if options.alone else [("PyTorch", torch_peer()), ("JAX", jax_peer())]
    peers = {name: peer for name, peer in found if peer}
    for precision in PRECISIONS:
        bandwidth = copy_bandwidth(precision)
        print(f"\n{precision}: a copy moves {bandwidth / 1e12:.2f} TB/s")
        for program, other in FUNCTIONS.items():
            for size in map(int, options.sizes):
                drawn = np.random.default_rng(0).standard_normal(min(size, DRAWN))
                x = np.resize(drawn.astype(precision), size)
                least = 2 * x.nbytes / bandwidth
                show(program, f"{size:.0e}", precision, {"x": x}, other, peers, least)
        show(NETWORK, f"{BATCH}", precision, network(precision), NETWORK_OF_OTHERS, peers)
    print("\nfirst run of a program, seconds: cold, and with its kernels in the cache on the disk")
    for program in FUNCTIONS:
        cold, cached = first_runs(program)
        print(f"  {program:34} {cold:.3f}  {cached:.3f}")
    return 0


def driver() -> str:
    """The version of the card's driver."""
    command = ["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def show(
    program: str,
    size: str,
    precision: Precision,
    inputs: dict[str, Array],
    other: str,
    peers: dict[str, Callable[..., Iterator[tuple[str, Work]]]],
    least: float | None = None,
) -> None:
    """One line: gradcli's time, its share of the bandwidth, kernels; and the others' times."""
    ready = prepared(program, inputs, precision)
    engine = gpu.CardEngine(ready.engine.plan.outputs)
    xp = card_room.card(0).xp
    work = queued(engine, {node: inputs[name] for name, node in ready.inputs.items()})
    own = seconds(work)
    kernels = sum(unit.launches or 0 for unit in on_card(engine.plan, engine.known))
    del work
    name = program if len(program) < 40 else "two-layer network"
    parts = [f"{name:34} {size:>10} {own * 1e3:9.3f} ms, {kernels} kernels"]
    if least is not None:
        parts.append(f"{least / own:4.0%} of a copy's bandwidth")
    for peer in peers.values():
        xp.get_default_memory_pool().free_all_blocks()
        for name, work in peer(other, inputs):
            try:
                parts.append(f"{name} {seconds(work) / own:.2f}x")
            except Exception as error:  # noqa: BLE001 (a peer that fails is no reason to stop)
                parts.append(f"{name}: {type(error).__name__}")
    print("  " + "; ".join(parts), flush=True)


def queued(engine: gpu.CardEngine, inputs: dict[Node, Array]) -> Work:
    """A run of an engine on arrays that lie on the card."""
    feeds = {node: card_room.card(0).xp.asarray(array) for node, array in inputs.items()}
    return lambda: engine.compute(feeds)


def prepared(program: str, inputs: dict[str, Array], precision: Precision) -> Prepared:
    """The program with its gradients, as a plan."""
    parsed = parse_program(Source("program", program), ParseLimits())
    limits = Limits(memory=2**50)
    return prepare(
        parsed, inputs, (), Options(values="outputs", precision=precision, limits=limits)
    )


def network(precision: Precision) -> dict[str, Array]:
    """Inputs and weights of two layers."""
    generator = np.random.default_rng(0)
    shapes = {
        "X": (BATCH, WIDTH), "W1": (WIDTH, HIDDEN), "b1": (HIDDEN,),
        "W2": (HIDDEN, CLASSES), "b2": (CLASSES,),
    }  # fmt: skip
    inputs: dict[str, Array] = {
        name: (generator.standard_normal(shape) / 16).astype(precision)
        for name, shape in shapes.items()
    }
    return {**inputs, "target": generator.integers(0, CLASSES, BATCH)}


# --- clocks --------------------------------------------------------------------------------


def seconds(work: Work) -> float:
    """The median time of some work that is queued on the card, by its clock."""
    cuda = card_room.card(0).xp.cuda
    for _ in range(3):
        work()
    cuda.Device().synchronize()
    times: list[float] = []
    end = perf_counter() + SECONDS
    while len(times) < 5 or perf_counter() < end:
        before, after = cuda.Event(), cuda.Event()
        before.record()
        work()
        after.record()
        after.synchronize()
        times.append(cuda.get_elapsed_time(before, after) / 1e3)
    return median(times)


def copy_bandwidth(precision: Precision) -> float:
    """Bytes a second, read and written, of a large copy on the card."""
    xp = card_room.card(0).xp
    array = xp.zeros(2**30 // np.dtype(precision).itemsize, precision)
    copy = xp.empty_like(array)

    def work() -> None:
        copy[...] = array

    return 2 * int(array.nbytes) / seconds(work)


def first_runs(program: str) -> tuple[float, float]:
    """Seconds of the first run of a process, without and with a cache of compiled kernels."""
    with tempfile.TemporaryDirectory() as cache:
        cold, cached = (
            float(
                subprocess.run(
                    [sys.executable, __file__, "--first", program],
                    env=os.environ | {"CUPY_CACHE_DIR": cache},
                    cwd=Path(__file__).parents[2],
                    capture_output=True,
                    text=True,
                    check=True,
                ).stdout
            )
            for _ in range(2)
        )
    return cold, cached


def first_run(program: str) -> float:
    """Seconds until the first answer, the card being awake and the array there."""
    ready = prepared(program, {"x": np.ones(10**6, np.float32)}, "float32")
    engine = gpu.CardEngine(ready.engine.plan.outputs)
    work = queued(engine, {ready.inputs["x"]: np.ones(10**6, np.float32)})
    card = card_room.card(0).xp.cuda.Device()
    card.synchronize()
    start = perf_counter()
    work()
    card.synchronize()
    return perf_counter() - start


# --- the others ----------------------------------------------------------------------------


def torch_peer() -> Callable[..., Iterator[tuple[str, Work]]] | None:
    """PyTorch on the card: eager, and compiled."""
    try:
        import torch
    except ImportError:
        return None
    if not torch.cuda.is_available():
        return None

    def peer(expression: str, inputs: dict[str, Array]) -> Iterator[tuple[str, Work]]:
        names = {
            "tanh": torch.tanh, "exp": torch.exp, "log_softmax": torch.log_softmax,
            "arange": lambda count: torch.arange(count, device="cuda"),
        }  # fmt: skip
        function = eval(f"lambda {', '.join(inputs)}: {expression}", names)  # our own text
        tensors = [torch.from_numpy(array).cuda() for array in inputs.values()]
        leaves = [each.requires_grad_() for each in tensors if each.is_floating_point()]
        yield "PyTorch", lambda: torch.autograd.grad(function(*tensors), leaves)
        compiled = torch.compile(function)
        yield "torch.compile", lambda: torch.autograd.grad(compiled(*tensors), leaves)
        torch.cuda.empty_cache()

    return peer


def jax_peer() -> Callable[..., Iterator[tuple[str, Work]]] | None:
    """JAX on the card, compiled."""
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    try:
        import jax

        jax.devices("gpu")
    except (ImportError, RuntimeError):
        return None
    jax.config.update("jax_enable_x64", True)

    def peer(expression: str, inputs: dict[str, Array]) -> Iterator[tuple[str, Work]]:
        names = {
            "tanh": jax.numpy.tanh, "exp": jax.numpy.exp, "log_softmax": jax.nn.log_softmax,
            "arange": jax.numpy.arange,
        }  # fmt: skip
        function = eval(f"lambda {', '.join(inputs)}: {expression}", names)  # our own text
        numbers = tuple(i for i, each in enumerate(inputs.values()) if each.dtype.kind == "f")
        compiled = jax.jit(jax.value_and_grad(function, numbers))
        arrays = [jax.device_put(array) for array in inputs.values()]
        # JAX has a stream of its own, so it is waited for.
        yield "JAX", lambda: jax.block_until_ready(compiled(*arrays))

    return peer


if __name__ == "__main__":
    sys.exit(main())
