"""The options and limits of a run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Self

from gradcli.graph import Graph, Precision
from gradcli.language.parser import ParseLimits
from gradcli.ledger import Ledger, default_limit
from gradcli.ops import FUNCTIONS
from gradcli.ops.table import Function
from gradcli.trace import TraceLimits
from gradcli.tuples import NamedTuple


class Limits(NamedTuple):
    """The limits of a run; `SAFE` is for untrusted text."""

    parse: ParseLimits = ParseLimits()
    trace: TraceLimits = TraceLimits()
    nodes: int = 5_000_000
    memory: int = 0
    """Bytes; 0 stands for three quarters of what the machine or its control group has."""

    def memory_bytes(self) -> int:
        """The limit on memory in bytes."""
        return self.memory or default_limit()

    def ledger(self) -> Ledger:
        """The ledger of a run under these limits."""
        return Ledger(self.memory_bytes())

    def shared(self, jobs: int) -> Self:
        """The limits of one of several processes: together they may use the default of one."""
        return self if self.memory else self._replace(memory=default_limit() // jobs)


SAFE = Limits(
    parse=ParseLimits(source_bytes=2**20, tokens=100_000, depth=10_000),
    trace=TraceLimits(steps=10_000),
    nodes=200_000,
    memory=2**28,
)


class Options(NamedTuple):
    """The options of `evaluate`, in addition to the program and its inputs."""

    outputs: tuple[str, ...] = ()
    wrt: tuple[str, ...] = ()
    retain_grad: tuple[str, ...] = ()
    """Names of intermediates whose gradient is kept; `all` is every named one."""
    forward_only: bool = False
    accumulate: bool = False
    strict: bool = False
    values: str = "all"
    """`all`, `outputs` or `none`."""
    precision: Precision = "float64"
    device: str = "cpu"
    """`cpu`, `gpu`, `gpu:1` (the second one), or `auto`: the first GPU if there is one and the
    arrays are large enough."""
    threads: int | None = None
    seed: int | None = None
    draws: int = 0
    """How many random numbers have been drawn from the seed already, for literals."""
    trace_values: bool = False
    """Keep the values of all small nodes, named or not, for the tree."""
    passages: bool = False
    """Remember which part of the program made which nodes, to tell the run in its words. For the
    tree that is done in any case, so that it shows loops once, unless they are unrolled.
    """
    alone: frozenset[int] = frozenset()
    """The passes of loops, by number, that are traced one by one in any case, to be told of."""
    since: int | None = None
    """The place in the text where the part begins that is evaluated, as the last line in `repl`; it
    may have no value, or one that is not a tensor. None: the program must end on tensors.
    """
    grads_to_file: bool = False
    """Grads are written into files as they are computed, so they take no memory."""
    shortest_loop: int = 64
    """The fewest passes that become one node."""
    unroll: bool = False
    """Trace every pass of every loop."""
    gathers: bool = False
    """Statements that differ in their names alone may be passes of a loop, too: no gradient flows
    through these names, of which nothing but the values is asked for.
    """
    table: Mapping[str, Function] = FUNCTIONS
    """The functions that a program may call."""
    limits: Limits = Limits()

    def graph(self, *, shares: bool = True, ledger: Ledger | None = None) -> Graph:
        """An empty graph within the limits, with a ledger of its own unless one is given."""
        ledger = ledger or self.limits.ledger()
        return Graph(self.precision, self.seed, self.limits.nodes, shares, ledger)


DEFAULT = Options()
