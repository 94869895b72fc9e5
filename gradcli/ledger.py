"""The memory of a run: large allocations are counted here before they are made."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

import numpy as np

from gradcli.diagnostics import GradcliError, Span

if TYPE_CHECKING:
    import numpy.typing as npt

HINT = "--max-memory sets the limit"


class Ledger:
    """The bytes that a run may use, and those that it uses: for inputs, constants, nodes, values
    that were looked at, printed text, the work of analyses.
    """

    __slots__ = ("limit", "taken")

    def __init__(self, limit: int = sys.maxsize) -> None:
        self.limit = limit
        self.taken = 0

    @property
    def room(self) -> int:
        """The bytes that are free."""
        return max(0, self.limit - self.taken)

    def take(self, count: int, what: str, span: Span | None = None, hint: str = HINT) -> None:
        """Count bytes that remain in use. Raises what `require` raises."""
        self.require(count, what, span, hint)
        self.taken += count

    def give_back(self, count: int) -> None:
        """Count bytes as free again."""
        self.taken -= count

    def require(self, count: int, what: str, span: Span | None = None, hint: str = HINT) -> None:
        """Raise `limit-memory` unless so many bytes are free."""
        if count > self.room:
            others = f", {show_bytes(self.taken)} are taken" if self.taken >= 2**20 else ""
            raise GradcliError(
                "limit-memory",
                f"{what} needs about {show_bytes(count)} of memory{others}; the limit is "
                f"{show_bytes(self.limit)}",
                hint=hint,
                span=span,
            )


def show_bytes(count: int) -> str:
    """A number of bytes as people read it: `1.5 GiB`."""
    if count >= 2**80:
        return "2**80 bytes or more"
    amount = float(count)
    for unit in ("bytes", "KiB", "MiB", "GiB", "TiB"):
        if amount < 1024 or unit == "TiB":
            break
        amount /= 1024
    return f"{amount:.3g} {unit}" if amount < 1000 else f"{amount:,.0f} {unit}"


@cache
def default_limit() -> int:
    """Three quarters of the memory that this process may have: the machine's, or the least that one
    of its control groups allows, as in a container.
    """
    machine = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return min([machine, *group_limits()]) * 3 // 4


def group_limits(
    groups: str = "/proc/self/cgroup", mounted: str = "/sys/fs/cgroup"
) -> Iterator[int]:
    """The limits on memory of the control groups that a process is in, and of those around them.

    Linux's documentation: admin-guide/cgroup-v2 (`memory.max`), cgroup-v1/memory
    (`memory.limit_in_bytes`). There are none on other systems.
    """
    for line in _text(groups).splitlines():
        _, controllers, path = line.split(":", 2)
        if not controllers:
            root, name = mounted, "memory.max"
        elif "memory" in controllers.split(","):
            root, name = f"{mounted}/memory", "memory.limit_in_bytes"
        else:
            continue
        group = PurePosixPath(path)  # of the host, where a container sees its own group as the root
        for each in (group, *group.parents):
            limit = _text(f"{root}/{str(each).strip('/')}/{name}").strip()
            if limit.isdigit():
                yield int(limit)


def _text(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return ""


def in_memory(array: npt.NDArray[Any]) -> bool:
    """Whether NumPy has made room for an array's elements; they may lie in a file otherwise."""
    base: object = array
    while isinstance(base, np.ndarray):
        base = base.base
    return base is None
