"""J·t of a program that is swept over by many machines."""

from __future__ import annotations

from collections.abc import Mapping

from gradcli.analysis.jacobian import fitted
from gradcli.analysis.matrices import MatrixProduct, Shown
from gradcli.analysis.problem import View
from gradcli.data.parts import Far
from gradcli.data.save import holds_one
from gradcli.diagnostics import GradcliError
from gradcli.engine.cluster.connection import Cluster
from gradcli.engine.plan import nbytes
from gradcli.engine.telling import Tell
from gradcli.sweep.question import Given, Tangents, floats
from gradcli.sweep.sweep import RETURNED, ClusterSweep
from gradcli.sweep.task import Task, least
from gradcli.sweep.written import is_place, require_small, told, written


def tangent_product(
    task: Task,
    along: Mapping[str, Given],
    save: str | None,
    cluster: Cluster,
    tell: Tell,
    *,
    mixed: bool,
) -> Shown:
    """What `analysis.jacobian.tangent_product` finds for a task that runs forward only. Products
    that are too large to be returned are written to `save`, and are not among them.

    Raises what `evaluate` does, and `name`, `shape`.
    """
    prepared = task.posed().prepared
    near = {name: given for name, given in along.items() if not isinstance(given, Far)}
    view = View(prepared, {})
    vectors = fitted(view, near, "--tangent")
    dtype = prepared.graph.dtype("float")
    far = {name: t._replace(dtype=dtype) for name, t in along.items() if isinstance(t, Far)}
    fitted(view, {name: given.stand_in() for name, given in far.items()}, "--tangent")
    task = task._replace(question=Tangents(far | {k: least(v) for k, v in vectors.items()}))
    posed = task.posed()
    outputs = floats(posed.prepared)
    products = dict(zip((f"{name}.jvp" for name in outputs), posed.wanted, strict=True))
    sweep = ClusterSweep(task, posed, mixed=mixed)
    saved = {name: node for name, node in products.items() if nbytes(node) > RETURNED}
    if not is_place(save):
        require_small(saved, "sum(…) around it leaves one number")
        saved = {}
    if save and saved and holds_one(save) and len(products) != 1:
        raise GradcliError(
            "usage", f"there are several products to save: {', '.join(products)}",
            hint="--save out.zarr holds all of them; --output chooses one",
        )  # fmt: skip
    nodes = {name: posed.computed(node) for name, node in saved.items()}
    with written(save, nodes, sweep) as places:
        found = sweep.run(places.targets, cluster, tell)
        rest = {name: found[node] for name, node in products.items() if name not in saved}
        places.add(rest)
    small = {name: each for name, each in vectors.items() if each.nbytes <= RETURNED}
    notes = [*posed.prepared.notes, *told(saved, save), *sweep.mixture.notes()]
    shown = {name.removesuffix(".jvp"): array for name, array in rest.items()}
    return Shown(MatrixProduct("jvp", small, shown), notes, posed.prepared.graph.seed)
