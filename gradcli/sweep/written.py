"""Where workers write what is too large to be returned."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import NamedTuple

from gradcli.data.formats import saved_as
from gradcli.data.parts import Target, array_in_group, shared_file
from gradcli.data.replace import replacing_folder
from gradcli.data.save import holds_one
from gradcli.diagnostics import GradcliError, Note
from gradcli.engine.plan import nbytes
from gradcli.graph import Array, Node
from gradcli.ledger import show_bytes
from gradcli.sweep.parts import slab
from gradcli.sweep.sweep import RETURNED, ClusterSweep


class Written(NamedTuple):
    """Arrays that workers write."""

    targets: dict[Node, tuple[Target, ...]]
    """By node of the plan."""
    path: str | None
    """The store that is being written, if it holds several arrays."""

    def add(self, arrays: Mapping[str, Array]) -> None:
        """Small ones, to the store that holds the others."""
        if self.path is None:
            return
        from gradcli.data import zarr

        for name, array in arrays.items():
            chunks = tuple(max(1, n) for n in array.shape)
            zarr.create(self.path, name, array.shape, array.dtype, chunks)
            zarr.put(self.path, name, tuple(slice(0, n) for n in array.shape), array)


def is_place(save: str | None) -> bool:
    """Whether workers can write to what `--save` names."""
    if save is None:
        return False
    format_ = saved_as(save)
    return format_.parted or format_.module == "npy"


def require_small(names: Mapping[str, Node], hint: str) -> None:
    """Raise `usage` where an array is too large to be returned, and there is no place for it."""
    for name, node in names.items():
        if nbytes(node) > RETURNED:
            raise GradcliError(
                "usage",
                f"{name} takes {show_bytes(nbytes(node))}: workers write it to a store",
                hint=f"--save out.zarr, or a .npy; {hint}",
            )


@contextmanager
def written(save: str | None, nodes: Mapping[str, Node], sweep: ClusterSweep) -> Iterator[Written]:
    """The places of some nodes of the plan, by name: all in one zarr group, or one in a file.

    They get their names when the block ends, unless it fails.
    """
    if save is None or not nodes:
        yield Written({}, None)
        return
    if holds_one(save):
        ((_, node),) = nodes.items()
        with shared_file(save, node.shape, node.graph.dtype(node.kind)) as target:
            yield Written({node: (target,)}, None)
        return
    targets: dict[Node, tuple[Target, ...]] = {}
    with replacing_folder(save) as partial:
        for name, node in nodes.items():
            chunks = sweep.lengths(node) or slab(node.shape)
            dtype = node.graph.dtype(node.kind)
            target = array_in_group(partial, name, node.shape, dtype, chunks)
            targets[node] = (*targets.get(node, ()), target)
        yield Written(targets, partial)


def told(nodes: Mapping[str, Node], save: str | None) -> list[Note]:
    """What was written where."""
    return [
        Note("saved", f"{name}, of shape {node.shape}, was written to {save}")
        for name, node in nodes.items()
    ]
