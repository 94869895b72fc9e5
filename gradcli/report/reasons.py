"""Why some values show a grad, what v is, and the other questions that a run raises."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np

from gradcli.analysis.backward import Grad, ToldPass
from gradcli.analysis.explain import Explanation
from gradcli.differentiate import vjp
from gradcli.graph import Array, Node
from gradcli.ops.control import LEAF
from gradcli.ops.shapes import show
from gradcli.report.arrays import counted, excerpt, inline
from gradcli.report.document import WIDTH, Paragraph
from gradcli.report.sanitise import sanitise
from gradcli.report.sentences import added

FEW = 3
"""A gradient of up to this many elements is taken apart, into one for each; and so many notes of
one kind are told."""
NAMES = 8
"""Lists of more names are not written out."""
SHORT = 12
"""Arrays of more elements are not written into sentences."""
RATE = 0.1
"""The learning rate of an example."""


def reasons(explanation: Explanation, precision: int) -> Iterator[Paragraph]:
    """The answers that apply to this run, each with its numbers."""
    told = _Reasons(explanation, precision)
    for text in told.answers():
        yield Paragraph(text)


_NO_PASS = ToldPass([], {}, {}, [], {})


class _Reasons:
    def __init__(self, explanation: Explanation, precision: int) -> None:
        self.explanation = explanation
        self.precision = precision
        self.names = {node: _spoken(name) for node, name in explanation.names.items()}
        self.told = explanation.passes[-1] if explanation.passes else _NO_PASS
        self.text = explanation.program.source.text

    def answers(self) -> Iterator[str]:
        yield from self._leaves()
        yield from self._between()
        alike: dict[str, list[Node]] = {}
        for node in self.told.outputs.values():
            if node in self.told.given.values() and node.size > 1:
                yield from self._weights(node)
            elif node.size == 1:
                alike.setdefault(self._inline(self._v(node)), []).append(node)
        for nodes in alike.values():
            yield from self._single(nodes)
        yield from self._own_calls()
        for node in self.explanation.stopped:
            if node not in self.explanation.kept:  # that is a grad, said to be a constant
                yield f"{self.names[node]} is detached: no gradient flows back through it."
        yield from self._notes()

    def _notes(self) -> Iterator[str]:
        """The notes of the run; of many with one code the first ones."""
        codes: Counter[str] = Counter()
        for note in self.explanation.notes:
            codes[note.code] += 1
            shown = note.message != self.explanation.none  # that stands where backward would
            if shown and codes[note.code] <= FEW:
                yield f"Note: {sanitise(note.message)}."
        for code, count in codes.items():
            if count > FEW:
                yield f"{counted(count - FEW, 'more note')} of this kind ({code})."

    def _leaves(self) -> Iterator[str]:
        leaves = [*map(_spoken, self.explanation.leaves)]
        if leaves:
            yield (
                f"{_listed(leaves)} {'is a leaf' if len(leaves) == 1 else 'are leaves'}: "
                "backward computes the gradients of leaves, and keeps them in .grad."
            )

    def _between(self) -> Iterator[str]:
        kept = {*self.explanation.leaves.values()}
        kept.update(node for told in self.explanation.passes for node in told.leaves)
        reached = {grad.node for told in self.explanation.passes for grad in told.grads}
        names = self.explanation.names
        between = [
            names[step.node]
            for step in self.explanation.steps
            if step.node not in kept
            and names[step.node] in self.explanation.titles
            and step.node in reached
        ]
        if between:
            one = len(between) == 1
            words = "is computed, not a leaf. Its" if one else "are computed, not leaves. Their"
            yield (
                f"{_listed([*map(_spoken, between)])} {words} grad, shown above, is used on the "
                "way back and dropped: .grad stays None. "
                f"gradcli eval --retain-grad {sanitise(between[0])} keeps it."
            )

    # --- the gradient vector ---

    def _single(self, nodes: Sequence[Node]) -> Iterator[str]:
        """What v means for outputs of one element that have the same v."""
        names = _listed([self.names[node] for node in nodes])
        one = len(nodes) == 1
        words = "is a single value, so J has" if one else "are single values, so each J has"
        yield (
            f"{names} {words} one row, and the default v = 1 "
            "gives it unchanged. Another v only scales it: v = 0.1 gives a "
            f"tenth. Here v = {self._inline(self._v(nodes[0]))}."
        )
        yield from self._no_rate(nodes[0])

    def _no_rate(self, node: Node) -> Iterator[str]:
        """Why v is no learning rate, where a number other than 1 was given."""
        v = self._v(node)
        grad = self._leaf()
        if node not in self.told.given.values() or np.all(v == 1) or grad is None:
            return
        name, x = self.names[grad.node], self.explanation.value(grad.node)
        if x.size <= SHORT:
            step = self._inline(x - RATE * grad.total)
            yield (
                f"v is no learning rate: it scales the gradient, and {name} stays "
                f"{self._inline(x)}. A step is taken afterwards, with a rate of its own: "
                f"{name} - {RATE} * {name}.grad = {step}."
            )

    def _weights(self, node: Node) -> Iterator[str]:
        name = self.names.get(node, "the output")
        v, y = self._v(node), self.explanation.value(node)
        if v.size > SHORT:
            yield (
                f"{name} has shape {show(node.shape)}: each of its elements has a gradient of "
                "its own, a row of J. v is the weights of these rows: grad = vᵀ·J."
            )
            return
        shown = self._inline(v)
        yield (
            f"{name} has shape {show(node.shape)}: each of its elements has a gradient of its "
            f"own, a row of J. v is the weights of these rows: grad = vᵀ·J. v = {shown}."
        )
        loss = self._inline(np.asarray(np.sum(v * y)))
        alone = len(self.told.outputs) == 1
        yield (
            f"v is the gradient that a later loss would send back to {name}: that of "
            f"L = sum({shown} * {name}) = {loss}, of which dL/d{name} is v. Calling backward on "
            f"{'this L' if alone else 'the sum of such Ls of all outputs'} gives the same grads."
        )
        yield from self._rows(node, v)
        yield from self._equal(v)
        yield from self._no_rate(node)

    def _rows(self, node: Node, v: Array) -> Iterator[str]:
        """v as a sum of vectors that each select one row, and the grads that these give."""
        grad = self._leaf()
        places = np.flatnonzero(v)
        if grad is None or not 2 <= len(places) <= FEW or grad.value.size > SHORT:
            return
        parts = []
        for place in places:
            one = np.zeros(v.size)
            one[place] = v.reshape(-1)[place]
            parts.append(one.reshape(v.shape))
        found = [self._with(node, part, grad.node) for part in parts]
        vectors = " + ".join(map(self._inline, parts))
        grads = added(map(self._inline, found))
        if np.allclose(sum(found), grad.value, rtol=1e-9) and np.isfinite(grad.value).all():
            name = f"{self.names[grad.node]}.grad"
            found_here = f"{name} =" if grad.held is None else f"What this pass adds to {name} is"
            yield (
                f"The grad is linear in v: {self._inline(v)} = {vectors}, and each part selects "
                f"one row of J. {found_here} {grads} = {self._inline(grad.value)}."
            )

    def _with(self, node: Node, v: Array, leaf: Node) -> Array:
        """The grad of a leaf for another v of an output."""
        (found,) = vjp([node], [node.graph.constant(v)], [leaf])
        return np.zeros(leaf.shape) if found is None else self.explanation.value(found)

    def _equal(self, v: Array) -> Iterator[str]:
        """Why v = x gives another answer than the derivative."""
        grad = self._leaf()
        if grad is None or grad.value.size > SHORT:
            return
        x, name = self.explanation.value(grad.node), self.names[grad.node]
        if x.shape == v.shape and np.array_equal(x, v) and not np.all(v == 1):
            node = next(iter(self.told.given.values()))
            ones = self._with(node, np.ones(v.shape), grad.node)
            yield (
                f"v has the numbers of {name} here: each row is weighed by them, so that "
                f"{name}.grad is not the derivative. With v of ones it would be "
                f"{self._inline(ones)}."
            )

    # --- programs that call backward themselves ---

    def _own_calls(self) -> Iterator[str]:
        calls = [told for told in self.explanation.passes if told.line is not None]
        if not calls:
            return
        leaf = next((self.names[node] for node in calls[0].leaves if node in self.names), "x")
        yield (
            f"Before the backward in line {calls[0].line}, {leaf}.grad is None and not 0: nothing "
            "has been computed yet."
        )
        if self.explanation.untold:
            left_out = counted(self.explanation.untold, "more pass")
            yield (
                f"There are {left_out}, between the first and the last, which are shown: "
                "--inside all shows them all."
            )
        if len(calls) > 1 or re.search(r"\b(retain|create)_graph\b", self.text):
            yield (
                "backward frees the graph that it walks through. retain_graph=True keeps it, so "
                "that another backward can walk through it again; create_graph=True also records "
                f"the pass itself, so that {leaf}.grad can be differentiated once more. "
                "Neither changes the numbers of this pass."
            )
        if re.search(r"\bVariable\b", self.text) or any(
            node.op is LEAF for node in self.explanation.leaves.values()
        ):
            yield (
                "A leaf is a tensor that the program made and did not compute. Variable was the "
                "name of a tensor with a gradient before PyTorch 0.4; today it is "
                "tensor(…, requires_grad=True)."
            )

    # --- pieces ---

    def _leaf(self) -> Grad | None:
        """The grad of the first leaf that has one."""
        return next((grad for grad in self.told.grads if grad.node in self.told.leaves), None)

    def _v(self, node: Node) -> Array:
        return next(grad.parts[0].value for grad in self.told.grads if grad.node is node)

    def _inline(self, array: Array) -> str:
        return inline(excerpt(array), self.precision, WIDTH)


def _spoken(name: str) -> str:
    """A name in a sentence, where v is the gradient that is given."""
    return "the program's v" if name == "v" else sanitise(name)


def _listed(names: Sequence[str]) -> str:
    """Names in a sentence; of many the first ones, and how many more."""
    few = names[: NAMES // 2]
    return (
        ", ".join(names)
        if len(names) <= NAMES
        else (f"{', '.join(few)} and {len(names) - len(few):,} more")
    )
