"""Connectionist temporal classification (Graves et al. 2006)."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from gradcli.diagnostics import GradcliError
from gradcli.graph import Array, Node
from gradcli.ops.group import Group
from gradcli.ops.indexing import check_places, getitem
from gradcli.ops.logistic import logaddexp
from gradcli.ops.losses import check_reduction, reduce_loss
from gradcli.ops.scattering import gather
from gradcli.ops.selection import clamp_min, where
from gradcli.ops.shapes import show
from gradcli.ops.shaping import expand, reshape, unsqueeze
from gradcli.ops.softmax import logsumexp
from gradcli.ops.table import Case, KnownIndex
from gradcli.ops.windows import Lengths, Window, padded, windows_in_rows

table = Group("loss")

NEVER = -1e30
"""The logarithm that stands for that of 0: differences of infinities would be nan."""


LONGEST = 10**9
"""More than any target holds, so that sums of lengths stay exact."""


class Labels(NamedTuple):
    """What is to be read: for each sample its classes with blanks around, in rows."""

    classes: Array
    """(batch, 2 * most + 1)"""
    may_skip: Array
    """Whether a place can be reached from the last but one: the blank between is left out."""
    counts: Array
    """The number of classes of each sample, without blanks."""


@table.function(
    cases=[
        Case("ctc_loss(log_softmax(x, 2), [[1], [2]], (3, 2), (1, 1))", {"x": (3, 2, 3)}),
        Case("ctc_loss(x, [1, 1], 4, 2, reduction='sum')", {"x": (4, 3)}),
    ],
    formula="-log(sum over all ways to read target of prod(exp(log_probs)))",
    kink="0 where target cannot be read: the loss is inf",
    overloaded=True,
    autocast="float32",
)
def ctc_loss(
    log_probs: Node,
    targets: KnownIndex,
    input_lengths: tuple[int, ...],
    target_lengths: tuple[int, ...],
    blank: int = 0,
    reduction: str = "mean",
    zero_infinity: bool = False,
) -> Node:
    """How unlikely sequences of classes are to be read from log_probs (time[, batch], classes).

    Targets are (batch, most), or all in one row. Each class is read once or more, with blanks
    between. 'mean' divides each loss by the length of its target; `zero_infinity` takes 0 for inf.
    """
    check_reduction("ctc_loss", reduction)
    if log_probs.ndim not in (2, 3) or not log_probs.shape[0]:
        raise GradcliError(
            "shape",
            f"ctc_loss takes log_probs (time[, batch], classes); this is {show(log_probs.shape)}",
        )
    logs = log_probs if log_probs.ndim == 3 else unsqueeze(log_probs, 1)
    steps, batch, count = logs.shape
    lengths = _lengths("input_lengths", input_lengths, batch, steps)
    counts = _lengths("target_lengths", target_lengths, batch, None)
    labels = _labels(_targets(targets, counts), counts, blank, count)
    losses = -_log_likelihood(logs, lengths, labels)
    possible = losses < -NEVER / 2
    losses = where(possible, losses, 0.0 if zero_infinity else math.inf)
    if reduction == "mean":
        losses = losses / log_probs.graph.constant(np.maximum(counts, 1.0))
    shaped = losses if log_probs.ndim == 3 else reshape(losses, ())
    return reduce_loss("ctc_loss", shaped, reduction)


def _log_likelihood(logs: Node, lengths: Array, labels: Labels) -> Node:
    """The forward recursion: log(sum over ways) to be at each place of the labels, step by step."""
    graph = logs.graph
    steps, batch, _ = logs.shape
    width = labels.classes.shape[1]
    check_places(graph, "ctc_loss", steps * batch * width)
    chosen = expand(graph.constant(labels.classes), (steps, batch, width))
    emitted = clamp_min(gather(logs, -1, chosen), NEVER)
    start = graph.constant(np.arange(width) < np.where(labels.counts > 0, 2, 1)[:, None])
    reached = where(start, getitem(emitted, [0]), NEVER)
    both = np.ones_like(labels.may_skip)
    allowed = graph.constant(np.stack([labels.may_skip, both, both], 1))
    for step in range(1, steps):
        before = windows_in_rows(padded(reached, ((2, 0),), NEVER), Window((3,), (1,), (1,)))
        later = logsumexp(where(allowed, before, NEVER), (-2,)) + getitem(emitted, [step])
        goes_on = graph.constant((lengths > step)[:, None])
        reached = later if (lengths > step).all() else where(goes_on, later, reached)
    ends = 2 * labels.counts[:, None]
    last = getitem(gather(reached, -1, graph.constant(ends)), [..., 0])
    class_last = getitem(gather(reached, -1, graph.constant(np.maximum(ends - 1, 0))), [..., 0])
    return logaddexp(last, where(graph.constant(labels.counts > 0), class_last, NEVER))


def _lengths(what: str, given: Lengths, batch: int, most: int | None) -> Array:
    """One length for each sample. Raises `shape` and `value`."""
    if len(given) != batch:
        raise GradcliError("shape", f"ctc_loss: {len(given)} {what} are given for {batch} samples")
    if min(given, default=0) < 0 or (most is not None and max(given, default=0) > most):
        up_to = "" if most is None else f" to {most}, the number of steps"
        raise GradcliError("value", f"ctc_loss: {what} are from 0{up_to}")
    if max(given, default=0) > LONGEST:
        raise GradcliError("value", f"ctc_loss: {what} are at most {LONGEST}")
    return np.array(given, np.int64)


def _targets(targets: Node, counts: Array) -> Array:
    """The classes of each sample in a row, filled up with 0."""
    known = targets.graph.look(targets)
    assert known is not None, "the node is a constant"
    most, whole = int(counts.max(initial=0)), int(counts.sum())
    in_rows = known.ndim == 2 and known.shape[0] == len(counts) and known.shape[1] >= most
    if not in_rows and not (known.ndim == 1 and known.size >= whole):
        raise GradcliError(
            "shape",
            f"ctc_loss: targets {show(known.shape)} do not hold target_lengths "
            f"{counts.tolist()}: (batch, most), or all in one row, are expected",
        )
    check_places(targets.graph, "ctc_loss", len(counts) * most)
    inside = np.arange(most) < counts[:, None]
    rows = np.zeros(inside.shape, np.int64)
    rows[inside] = known[:, :most][inside] if in_rows else known[:whole]
    return rows


def _labels(targets: Array, counts: Array, blank: int, classes: int) -> Labels:
    if not 0 <= blank < classes:
        raise GradcliError("index", f"ctc_loss: blank is {blank}, and classes are {classes}")
    wrong = targets[(targets < 0) | (targets >= classes)]
    if wrong.size:
        raise GradcliError(
            "index", f"ctc_loss: a target is {int(wrong[0])}, and classes are {classes}"
        )
    rows = np.full((targets.shape[0], 2 * targets.shape[1] + 1), blank)
    rows[:, 1::2] = targets
    may_skip = np.zeros(rows.shape, np.bool_)
    may_skip[:, 2:] = (rows[:, 2:] != blank) & (rows[:, 2:] != rows[:, :-2])
    return Labels(rows, may_skip, counts)
