"""Runs of one program on many machines: inputs that lie in stores are not read here."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from gradcli.cli import options as flag
from gradcli.cli.cluster import Sweeping
from gradcli.diagnostics import GradcliError

if TYPE_CHECKING:
    from gradcli.data.parts import Far
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
    from gradcli.cli.meter import metered
    from gradcli.sweep import evaluate as sweep

    if run.bounds.safe or options.device != "cpu":
        raise GradcliError("usage", "--cluster is neither for --safe nor for GPUs")
    # Only outputs: an intermediate value of that size is not for being looked at.
    asked = options._replace(values="outputs", grads_to_file=True, trace_values=False)
    with run.bounds.confined():
        task = _task(run, asked, gradients)
        with sweeping.connected() as cluster, metered(quiet) as meter:
            result = sweep.evaluate(
                task, save, cluster, lambda part: meter("computed", part),
                mixed=sweeping.many.mixed,
            )  # fmt: skip
    return result if options.values != "none" else result._replace(values={})


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


def _task(run: flag.Run, options: Options, gradients: Sequence[str] | None) -> Task:
    """What the flags ask for."""
    from gradcli.sweep.task import Task

    shelf = _Shelf()
    request = run.request(gradients, options, load=shelf.load)
    inputs = {name: shelf.far.get(f"--set {name}", array) for name, array in request.inputs.items()}
    given = tuple(
        (shelf.far.get(f"--gradient {name}" if name else "--gradient", value), name)
        for value, name in request.gradients
    )
    return Task(os.urandom(16).hex(), request.program.source, inputs, given, request.options)
