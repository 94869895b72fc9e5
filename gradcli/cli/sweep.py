"""Runs of one program on many machines: inputs that lie in stores are not read here."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from gradcli.cli import options as flag
from gradcli.cli.cluster import Sweeping
from gradcli.diagnostics import GradcliError

if TYPE_CHECKING:
    from gradcli.analysis.matrices import Shown
    from gradcli.analysis.verdict import Check
    from gradcli.data.parts import Far
    from gradcli.engine.cluster.connection import Cluster
    from gradcli.engine.telling import Tell
    from gradcli.graph import Array, Precision
    from gradcli.ledger import Ledger
    from gradcli.options import Options
    from gradcli.result import Result
    from gradcli.sweep.task import Task

FAR = 1 << 22
"""Arrays of fewer elements are read here."""


def evaluate(
    run: flag.Run,
    options: Options,
    gradients: Sequence[str] | None,
    save: str | None,
    sweeping: Sweeping,
    *,
    quiet: bool,
) -> Result:
    """What `eval` shows. Raises what reading, connecting and sweeping raise."""
    from gradcli.sweep.evaluate import evaluate as sweep

    # Only outputs: an intermediate value of that size is not for being looked at.
    asked = options._replace(values="outputs", grads_to_file=True, trace_values=False)
    with run.bounds.confined():
        task = _task(run, asked, gradients, _Shelf())
        with _swept(run, sweeping, quiet=quiet) as (cluster, tell):
            result = sweep(task, save, cluster, tell, mixed=sweeping.many.mixed)
    return result if options.values != "none" else result._replace(values={})


def tangent_product(
    run: flag.Run,
    tangents: Sequence[str] | None,
    save: str | None,
    sweeping: Sweeping,
    *,
    quiet: bool,
) -> Shown:
    """What `jvp` shows. Raises the same."""
    from gradcli.analysis.problem import View
    from gradcli.cli.posing import later_values, read_vectors
    from gradcli.sweep.products import tangent_product as sweep

    shelf = _Shelf()
    options = run.options(forward_only=True, values="outputs")
    with run.bounds.confined():
        task = _task(run, options, None, shelf, later_values({"--tangent": tangents}))
        view = View(task.posed().prepared, {})
        near = read_vectors("--tangent", tangents, view, safe=False, load=shelf.load)
        along = {name: shelf.far.get(f"--tangent {name}", array) for name, array in near.items()}
        with _swept(run, sweeping, quiet=quiet) as (cluster, tell):
            return sweep(task, along, save, cluster, tell, mixed=sweeping.many.mixed)


def check(
    run: flag.Run, gradients: Sequence[str] | None, sweeping: Sweeping, *, quiet: bool
) -> Check:
    """What `check` shows. Raises the same."""
    from gradcli.sweep.check import check as sweep

    options = run.options(values="outputs", grads_to_file=True)
    with run.bounds.confined():
        task = _task(run, options, gradients, _Shelf())
        with _swept(run, sweeping, quiet=quiet) as (cluster, tell):
            return sweep(task, cluster, tell, mixed=sweeping.many.mixed)


@contextmanager
def _swept(run: flag.Run, sweeping: Sweeping, *, quiet: bool) -> Iterator[tuple[Cluster, Tell]]:
    """Workers, and whom to tell how much is done. Raises `usage` where there can be none."""
    from gradcli.cli.meter import metered

    if run.bounds.safe or run.device != "cpu":
        raise GradcliError("usage", "--cluster is neither for --safe nor for GPUs")
    with sweeping.connected() as cluster, metered(quiet) as meter:
        yield cluster, lambda part: meter("computed", part)


class _Shelf:
    """Reads small arrays, and remembers by flag which lie in stores."""

    def __init__(self) -> None:
        self.far: dict[str, Far] = {}

    def load(self, flag: str, value: str, precision: Precision, ledger: Ledger) -> Array:
        """See `request.Load`."""
        from gradcli.cli.request import load_file
        from gradcli.data.parts import far

        found = far(value[1:], precision, ledger.room, FAR)
        if found is None:
            return load_file(flag, value, precision, ledger)
        self.far[flag] = found
        return found.stand_in()


def _task(
    run: flag.Run,
    options: Options,
    gradients: Sequence[str] | None,
    shelf: _Shelf,
    later: Sequence[tuple[str, str]] = (),
) -> Task:
    """What the flags ask for; `later` are flags and values that will be read after it."""
    from gradcli.sweep.task import Task

    request = run.request(gradients, options, later, load=shelf.load)
    inputs = {name: shelf.far.get(f"--set {name}", array) for name, array in request.inputs.items()}
    given = tuple(
        (shelf.far.get(f"--gradient {name}" if name else "--gradient", value), name)
        for value, name in request.gradients
    )
    return Task(os.urandom(16).hex(), request.program.source, inputs, given, request.options)
