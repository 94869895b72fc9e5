"""`torch.optim.LBFGS`: quasi-Newton steps along directions from the last gradients.

The algorithm is PyTorch's: Nocedal and Wright 2006, algorithms 7.4 and 7.5, and for `strong_wolfe`
3.5 and 3.6 with cubic interpolation. It looks at values; the closure may be called often.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from gradcli.diagnostics import GradcliError
from gradcli.graph import Array, Node
from gradcli.ops.control import leaf
from gradcli.trace.arguments import bind_names
from gradcli.trace.dtypes import kept
from gradcli.trace.items import Items
from gradcli.trace.objects import Given, Object
from gradcli.trace.optimisers import (
    Method,
    Numbers,
    Optimiser,
    Optimisers,
    defaults_of,
    group_of,
    numbers_of,
)
from gradcli.trace.values import Value

METHOD = Method({
    "lr": 1, "max_iter": 20, "max_eval": None, "tolerance_grad": 1e-7, "tolerance_change": 1e-9,
    "history_size": 100, "line_search_fn": None,
}, None)  # fmt: skip
_ENOUGH, _FLAT, _TRIES = 1e-4, 0.9, 25
"""Wolfe's two constants, and the most points of a line search."""


class Trial(NamedTuple):
    """A place on a line: how far, the loss, its gradient, and its slope along the line."""

    t: float
    loss: float
    grad: Array
    slope: float


class Change(NamedTuple):
    """A step, the change of the gradient on it, and 1 over their product."""

    step: Array
    change: Array
    weight: float


class LBFGS(Optimiser):
    """The optimiser."""

    def __init__(self, *made_of: Any) -> None:
        super().__init__(*made_of)
        self._pairs: list[Change] = []
        self._count = 0
        self._last: tuple[Array, Array, float, float] | None = None
        """The direction, the gradient before it, how far it was gone, and the scale."""

    def _add_group(self, arguments: list[Value], keywords: Given) -> Value:
        raise GradcliError("value", "LBFGS doesn't support per-parameter options",
                           hint="a list of all parameters: LBFGS(net.parameters())")  # fmt: skip

    # --- the parameters as one row ---

    def _row(self, arrays: list[Array]) -> Array:
        return np.concatenate([each.ravel() for each in arrays])

    def _nodes(self) -> list[Node]:
        return self.parameters(self.groups[0])

    def _values(self) -> Array:
        return self._row([self.values.evaluator.value(each) for each in self._nodes()])

    def _gradient(self) -> Array:
        grads = [(node, self.autograd.grads.get(node)) for node in self._nodes()]
        value = self.values.evaluator.value
        return self._row(
            [np.zeros(node.size) if grad is None else value(grad) for node, grad in grads]
        )

    def _go_to(self, place: Array) -> None:
        start = 0
        for node in self._nodes():
            part = place[start : start + node.size].reshape(node.shape)
            start += node.size
            self.values.overwritten.add(node)
            new = kept(self.autograd.dtypes, self.values.graph.constant(part), node)
            self._replace(node, leaf(new, marked=True))

    def _point(self, closure: Object, x: Array, t: float, d: Array) -> Any:
        """The loss at `x + t * d`."""
        self._go_to(x + t * d)
        loss = self.values.number((yield closure.call([], {})), "the loss")
        grad = self._gradient()
        return Trial(t, loss, grad, float(grad @ d))

    # --- a step ---

    def _step(self, arguments: list[Value], keywords: Given) -> Any:
        (closure,) = bind_names("LBFGS.step", ("closure",), arguments, keywords).values()
        if not isinstance(closure, Object):
            raise GradcliError("type", "LBFGS needs a closure that computes the loss",
                               hint="optimizer.step(closure)")  # fmt: skip
        first = yield closure.call([], {})
        grad = self._gradient()
        numbers = numbers_of(self.values, METHOD.options, self.groups[0])
        if np.abs(grad).max() > numbers["tolerance_grad"]:
            yield self._iterate(closure, self.values.number(first, "the loss"), grad, numbers)
        return first

    def _iterate(self, closure: Object, loss: float, grad: Array, n: Numbers) -> Any:
        searches = self.groups[0].item(["line_search_fn"]) is not None
        limit = int(n["max_iter"])
        most = int(n["max_eval"])
        looks = 1
        for turn in range(1, limit + 1):
            self._count += 1
            d, scale = self._direction(grad, int(n["history_size"]))
            t = min(1.0, 1 / np.abs(grad).sum()) * n["lr"] if self._count == 1 else n["lr"]
            slope = float(grad @ d)
            self._last = d, grad, t, scale
            if slope > -n["tolerance_change"]:
                return
            here = Trial(0.0, loss, grad, slope)
            x = self._values()
            if searches:
                found, more = yield self._search(closure, x, d, here, t, n["tolerance_change"])
                self._go_to(x + found.t * d)
            elif turn < limit:
                found, more = (yield self._point(closure, x, t, d)), 1
            else:
                self._go_to(x + t * d)
                return
            self._last = d, grad, found.t, scale
            before, loss, grad = loss, found.loss, found.grad
            looks += more
            change = n["tolerance_change"]
            if (
                looks >= most
                or np.abs(grad).max() <= n["tolerance_grad"]
                or np.abs(d * found.t).max() <= change
                or abs(loss - before) < change
            ):
                return

    def _direction(self, grad: Array, size: int) -> tuple[Array, float]:
        """Two loops over the steps that are remembered."""
        if self._last is None:
            return -grad, 1.0
        d, before, t, scale = self._last
        change, step = grad - before, d * t
        product = float(change @ step)
        if product > 1e-10:
            self._pairs = [*self._pairs[-size + 1 :], Change(step, change, 1 / product)][-size:]
            scale = product / float(change @ change)
        q, parts = -grad, []
        for pair in reversed(self._pairs):
            part = float(pair.step @ q) * pair.weight
            parts.append(part)
            q = q - part * pair.change
        r = q * scale
        for pair, part in zip(self._pairs, reversed(parts), strict=True):
            r = r + pair.step * (part - float(pair.change @ r) * pair.weight)
        return r, scale

    # --- along a line, by the strong conditions of Wolfe ---

    def _search(
        self, closure: Object, x: Array, d: Array, start: Trial, t: float, change: float
    ) -> Any:
        """The point, and how many were looked at."""
        new = yield self._point(closure, x, t, d)
        before, tries = start, 0
        low, high = start, new
        while tries < _TRIES:
            if new.loss > start.loss + _ENOUGH * new.t * start.slope or (
                tries > 1 and new.loss >= before.loss
            ):
                low, high = before, new
                break
            if abs(new.slope) <= -_FLAT * start.slope:
                return new, tries + 1
            if new.slope >= 0:
                low, high = before, new
                break
            bounds = new.t + 0.01 * (new.t - before.t), new.t * 10
            t = _cubic(before, new, bounds)
            before = new
            new = yield self._point(closure, x, t, d)
            tries += 1
        else:
            low, high = start, new
        if low.loss > high.loss:
            low, high = high, low
        return (yield self._narrowed(closure, x, d, start, (low, high), tries, change))

    def _narrowed(
        self,
        closure: Object,
        x: Array,
        d: Array,
        start: Trial,
        between: tuple[Trial, Trial],
        tries: int,
        change: float,
    ) -> Any:
        """A point between two, of which the first has the smaller loss."""
        low, high = between
        size, stuck = float(np.abs(d).max()), False
        while tries < _TRIES and abs(high.t - low.t) * size >= change:
            left, right = sorted((low.t, high.t))
            t = _cubic(low, high)
            margin = 0.1 * (right - left)
            if min(right - t, t - left) < margin:
                if stuck or t >= right or t <= left:
                    t = right - margin if abs(t - right) < abs(t - left) else left + margin
                    stuck = False
                else:
                    stuck = True
            else:
                stuck = False
            new = yield self._point(closure, x, t, d)
            tries += 1
            if new.loss > start.loss + _ENOUGH * t * start.slope or new.loss >= low.loss:
                low, high = (low, new) if low.loss <= new.loss else (new, low)
                continue
            if abs(new.slope) <= -_FLAT * start.slope:
                return new, tries + 1
            high = low if new.slope * (high.t - low.t) >= 0 else high
            low = new
        return low, tries + 1


def lbfgs(optimisers: Optimisers) -> Callable[[list[Value], Given], Value]:
    """The function that makes the optimiser."""
    values = optimisers.values

    def make(arguments: list[Value], keywords: Given) -> Value:
        names = ("params", *METHOD.options)
        given = bind_names("LBFGS", names, arguments, keywords, names[1:])
        if given.get("line_search_fn") not in (None, "strong_wolfe"):
            raise GradcliError("value", "line_search_fn is None or 'strong_wolfe'")
        listed = optimisers.listed("LBFGS", given["params"])
        given["params"] = Items([*optimisers.leaves("LBFGS", listed)])
        if given.get("max_eval") is None:
            turns = values.integer(given.get("max_iter", values.plain(20)), "max_iter")
            given["max_eval"] = values.plain(turns * 5 // 4)
        params = {"params": given.pop("params")}
        defaults = defaults_of(values, METHOD.options, given)
        group = group_of(values, "LBFGS", METHOD.options, params, defaults)
        return LBFGS(optimisers.autograd, "LBFGS", METHOD, defaults, [group], optimisers.replace)

    return make


def _cubic(a: Trial, b: Trial, bounds: tuple[float, float] | None = None) -> float:
    """The minimum of the cubic through two points with these slopes, inside the bounds."""
    least, most = bounds or (min(a.t, b.t), max(a.t, b.t))
    if a.t == b.t:
        return (least + most) / 2
    d1 = a.slope + b.slope - 3 * (a.loss - b.loss) / (a.t - b.t)
    square = d1 * d1 - a.slope * b.slope
    if not square >= 0:
        return (least + most) / 2
    d2 = math.sqrt(square)
    if a.t <= b.t:
        span = b.slope - a.slope + 2 * d2
        found = b.t - (b.t - a.t) * ((b.slope + d2 - d1) / span) if span else most
    else:
        span = a.slope - b.slope + 2 * d2
        found = a.t - (a.t - b.t) * ((a.slope + d2 - d1) / span) if span else most
    return min(max(found, least), most)
