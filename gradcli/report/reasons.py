"""Why some values show a grad, what v is, and the other questions that a run raises."""

from __future__ import annotations

from collections.abc import Iterator

from gradcli.analysis.explain import Explanation, ToldPass
from gradcli.graph import Array, Node
from gradcli.ops.shapes import show
from gradcli.report.arrays import excerpt, inline
from gradcli.report.document import WIDTH, Paragraph
from gradcli.report.sanitise import sanitise


def reasons(explanation: Explanation, precision: int) -> Iterator[Paragraph]:
    """The answers that apply to this run, each with its numbers."""
    told = _Reasons(explanation, precision)
    for text in told.answers():
        yield Paragraph(text)


class _Reasons:
    def __init__(self, explanation: Explanation, precision: int) -> None:
        self.explanation = explanation
        self.precision = precision
        self.names = {node: sanitise(name) for node, name in explanation.names.items()}

    def answers(self) -> Iterator[str]:
        yield from self._leaves()
        yield from self._between()
        told = self.explanation.passes[-1]
        for name, node in told.outputs.items():
            yield from self._output(name, node, told)
        for node in self.explanation.stopped:
            yield f"{self.names[node]} is detached: no gradient flows back through it."
        for note in self.explanation.notes:
            yield f"Note: {sanitise(note.message)}."

    def _leaves(self) -> Iterator[str]:
        leaves = ", ".join(map(sanitise, self.explanation.leaves))
        if leaves:
            yield (
                f"{leaves} {'is a leaf' if len(self.explanation.leaves) == 1 else 'are leaves'}: "
                "backward computes the gradients of leaves, and keeps them in .grad."
            )

    def _between(self) -> Iterator[str]:
        leaves = set(self.explanation.leaves.values())
        reached = {grad.node for grad in self.explanation.grads}
        between = [
            self.names[step.node]
            for step in self.explanation.steps
            if step.node not in leaves
            and self.names[step.node] in self.explanation.titles
            and step.node in reached
        ]
        if between:
            one = len(between) == 1
            words = "is computed, not a leaf. Its" if one else "are computed, not leaves. Their"
            yield (
                f"{', '.join(between)} {words} grad, shown above, is used on the way back and "
                "dropped: .grad stays None. "
                f"gradcli eval --retain-grad {between[0]} keeps it."
            )

    def _output(self, name: str, node: Node, told: ToldPass) -> Iterator[str]:
        v = self._inline(self._v(node, told))
        if node in told.given.values() and node.size > 1:
            yield (
                f"{sanitise(name)} has shape {show(node.shape)}: each of its elements has a "
                "gradient of its own, a row of J. v is the weights of these rows: "
                f"grad = vᵀ·J. v = {v}."
            )
        elif node.size == 1:
            yield (
                f"{sanitise(name)} is a single value, so J has one row, and the default v = 1 "
                "gives it unchanged. Another v only scales it: v = 0.1 gives a "
                f"tenth. Here v = {v}."
            )

    def _v(self, node: Node, told: ToldPass) -> Array:
        return next(grad.parts[0].value for grad in told.grads if grad.node is node)

    def _inline(self, array: Array) -> str:
        text = inline(excerpt(array), self.precision, WIDTH)
        return f"({text})" if text.startswith("-") else text
