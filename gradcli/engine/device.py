"""The choice of a device for a plan: the CPU or a GPU."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial

from gradcli.diagnostics import GradcliError, Note
from gradcli.engine import regions
from gradcli.engine.cpu import NumpyEngine
from gradcli.engine.plan import Engine, Plan, Single, Unit
from gradcli.engine.products import is_large
from gradcli.engine.swept import LARGE
from gradcli.engine.threads import cores
from gradcli.graph import EMPTY, Array, Node
from gradcli.ledger import Ledger
from gradcli.ops.loops import Loop
from gradcli.walks import ancestors

SMALL = 1 << 14
"""In a graph whose values have fewer elements, nothing is worth a region, tiles or strips."""
WORTH = 10**7
"""From this many elements on, the way to a GPU and back pays."""


def engine(
    nodes: Sequence[Node],
    device: str,
    threads: int | None,
    ledger: Ledger,
    elsewhere: Collection[Node] = (),
    looked: Collection[Node] = (),
    worth: int = WORTH,
) -> Engine:
    """An engine for some nodes on `cpu`, `gpu` or `gpu:1`; with `auto` on a GPU if a value has at
    least so many elements as are `worth` it.

    What was `looked` at is computed as it was then. Raises `limit-memory` where values take more
    than the `ledger` has room for; those that are `elsewhere` lie in files or are on the ledger.
    With a GPU raises `device` where there is none.
    """

    def units(schedule: Sequence[Node], outputs: Sequence[Node]) -> Sequence[Unit]:
        found: Sequence[Unit]
        if all(node.graph.largest < SMALL for node in outputs):
            found = [*map(Single, schedule)]
        elif not any(is_large(node) or node.size >= LARGE for node in schedule):
            found = regions.units(schedule, outputs)
        else:
            from gradcli.engine import rows  # most programs start faster without

            found = rows.units(schedule, outputs, apart=set(ancestors(looked)))
        if any(isinstance(op, Loop) for op in {node.op for node in schedule}):
            from gradcli.engine.loops import together

            return together(found)
        return found

    def on_cpu() -> NumpyEngine:
        plan, notes = Plan(nodes, units), list[Note]()
        refusal = partial(plan.refusal, ledger, elsewhere, threads or cores())
        error = refusal()
        if error is not None and any(isinstance(node.op, Loop) for node in plan.nodes):
            from gradcli.engine.sparing import keep_less

            notes, error = keep_less(plan, refusal)
        if error is not None:
            raise error
        ready = NumpyEngine(plan, threads)
        ready.notes += notes
        return ready

    if device == "auto" and not is_worth(nodes, worth):
        device = "cpu"
    if device == "cpu":
        return on_cpu()
    from gradcli.engine import gpu

    if device == "auto":
        return Automatic(lambda: gpu.CardEngine(nodes), on_cpu)
    on_gpu = gpu.CardEngine(nodes, int(device.partition(":")[2] or 0))
    on_gpu.plan.check_memory(ledger, elsewhere)
    return on_gpu


def run(nodes: Sequence[Node], inputs: Mapping[Node, Array]) -> list[Array]:
    """The values of some nodes, computed once, as they are while a program is traced."""
    return traced(nodes).run(inputs)


def traced(nodes: Sequence[Node], threads: int | None = None) -> Engine:
    """An engine that computes nodes as they are while a program is traced: on the CPU, and whole.

    Its memory is not limited.
    """
    return engine(nodes, "cpu", threads, Ledger(), looked=nodes)


class Automatic:
    """The GPU, and the CPU from when that has not worked; a note says why."""

    def __init__(self, on_gpu: Callable[[], Engine], on_cpu: Callable[[], Engine]) -> None:
        self._on_cpu = on_cpu
        try:
            self._engine = on_gpu()
        except GradcliError as error:
            self._fall_back(error)

    @property
    def plan(self) -> Plan:
        return self._engine.plan

    @property
    def device(self) -> str:
        return self._engine.device

    @property
    def notes(self) -> list[Note]:
        return self._engine.notes

    def run(
        self, inputs: Mapping[Node, Array], targets: Mapping[Node, Array] = EMPTY
    ) -> list[Array]:
        """The values of the plan's outputs, from the CPU where the GPU fails or is too small."""
        try:
            return self._engine.run(inputs, targets)
        except GradcliError as error:
            if self.device == "cpu":
                raise
            self._fall_back(error)
        return self._engine.run(inputs, targets)

    def _fall_back(self, error: GradcliError) -> None:
        diagnostic = error.diagnostic
        if diagnostic.code not in ("device", "limit-memory"):
            raise error
        self._engine = self._on_cpu()
        self._engine.notes.append(Note("device", f"computed on the CPU: {diagnostic.message}"))


def is_worth(nodes: Collection[Node], size: int = WORTH) -> bool:
    """Whether a value of so many elements that it is worth a GPU is needed for some nodes."""
    if all(node.graph.largest < size for node in nodes):  # to go through all of them takes longer
        return False
    return any(node.size >= size for node in ancestors(nodes))
