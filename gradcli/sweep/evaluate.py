"""The values and gradients of a program, swept over by many machines."""

from __future__ import annotations

from collections.abc import Mapping

from gradcli.data.save import holds_one
from gradcli.diagnostics import GradcliError
from gradcli.engine.cluster.connection import Cluster
from gradcli.engine.plan import nbytes
from gradcli.engine.telling import Tell
from gradcli.graph import Array, Node
from gradcli.result import Pass, Result
from gradcli.sweep.question import grads_of
from gradcli.sweep.sweep import RETURNED, ClusterSweep
from gradcli.sweep.task import Posed, Task
from gradcli.sweep.written import is_place, require_small, told, written


def evaluate(task: Task, save: str | None, cluster: Cluster, tell: Tell, *, mixed: bool) -> Result:
    """What `session.evaluate` finds. Gradients of arrays in stores are written to `save`, with all
    else that belongs there, and are not among the result's.

    Raises `usage` where the program cannot be swept, and what `session.evaluate` raises.
    """
    posed = task.posed()
    prepared = posed.prepared
    if len(prepared.backwards) > 1:
        raise GradcliError("usage", "--cluster is for one backward pass")
    sweep = ClusterSweep(task, posed, mixed=mixed)
    saved = _saved(posed, save)
    nodes = {name: posed.computed(node) for name, node in saved.items()}
    with written(save, nodes, sweep) as places:
        found = sweep.run(places.targets, cluster, tell)
        result = _without(prepared.result(posed.feeds, found), saved)
        grads = {f"{name}.grad": grad for name, grad in result.grads.items()}
        outputs = {name: result.values[name] for name in result.outputs if name in result.values}
        places.add({**outputs, **grads})
    return result._replace(notes=[*result.notes, *told(saved, save), *sweep.mixture.notes()])


def _saved(posed: Posed, save: str | None) -> dict[str, Node]:
    """What workers write, by name: gradients of what lies in stores, and large outputs.

    Raises `usage` where that is asked for, and there is no place for it.
    """
    prepared = posed.prepared
    leaves, grads = prepared.leaves, grads_of(prepared)
    found = {f"{name}.grad": node for name, node in grads.items() if leaves[name] in posed.far}
    found |= {name: node for name, node in prepared.shown.items() if nbytes(node) > RETURNED}
    if save is None or not is_place(save):
        require_small(found, "--wrt says what is differentiated by")
        return {}
    if found and holds_one(save) and (len(grads) != 1 or len(found) != 1):
        raise GradcliError(
            "usage", f"there are several arrays to save: {', '.join(found)}",
            hint="--save out.zarr holds all of them; --wrt chooses one",
        )  # fmt: skip
    return found


def _without(result: Result, saved: Mapping[str, Node]) -> Result:
    """The result without what workers have written."""

    def rest(grads: Mapping[str, Array]) -> dict[str, Array]:
        return {name: grad for name, grad in grads.items() if f"{name}.grad" not in saved}

    return result._replace(
        values={name: value for name, value in result.values.items() if name not in saved},
        passes=[Pass(each.gradient, rest(each.grads), each.retained) for each in result.passes],
        grads=rest(result.grads),
    )
