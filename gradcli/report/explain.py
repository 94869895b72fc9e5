"""An explained run as a document: forward, backward, why; or one entry as a sum over paths."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from textwrap import wrap

import numpy as np

from gradcli.analysis.explain import Explanation, Grad, Part, Step
from gradcli.analysis.paths import Path, SumOverPaths
from gradcli.graph import CONSTANT, INPUT, Array, Node, ancestors
from gradcli.ops.control import LEAF
from gradcli.ops.elementwise import Elementwise
from gradcli.ops.kinds import CAST
from gradcli.ops.shapes import show
from gradcli.ops.shaping import EXPAND
from gradcli.report.arrays import brief, excerpt, inline, lines, number
from gradcli.report.document import (
    WIDTH,
    Block,
    Chain,
    Heading,
    Paragraph,
    as_latex,
    as_markdown,
    as_text,
    render,
)
from gradcli.report.layout import Layout
from gradcli.report.sanitise import sanitise
from gradcli.spelling.formula import Formulas

SMALL = 6
"""In a rule with numbers, arrays of up to this many elements are written in full."""
LEVELS = 8
"""How many ops below its node a rule shows."""


def write_text(told: Explanation | SumOverPaths, layout: Layout) -> Iterator[str]:
    """For a terminal."""
    yield render(blocks(told, layout.precision), as_text)


def write_markdown(told: Explanation | SumOverPaths, layout: Layout) -> Iterator[str]:
    """For a page of Markdown."""
    yield render(blocks(told, layout.precision), as_markdown)


def write_latex(told: Explanation | SumOverPaths, layout: Layout) -> Iterator[str]:
    """For a document in LaTeX."""
    yield render(blocks(told, layout.precision), as_latex)


def blocks(told: Explanation | SumOverPaths, precision: int = 6) -> list[Block]:
    """The document about a whole run, or about one entry."""
    if isinstance(told, SumOverPaths):
        return entry_document(told, precision)
    return document(told, precision)


def document(explanation: Explanation, precision: int = 6) -> list[Block]:
    """Forward, backward, and why."""
    told = _Story(explanation, precision)
    return [
        Heading("Forward: each value from those before it"),
        *map(told.step, explanation.steps),
        Heading("Backward: v^T J, from the output to the leaves"),
        *map(told.grad, explanation.grads),
        Heading("Why"),
        *told.reasons(),
    ]


def entry_document(entry: SumOverPaths, precision: int = 6) -> list[Block]:
    """One entry of the gradient as a sum over paths."""
    blocks: list[Block] = [
        Heading(f"{entry.name}.grad: the sum over {_count(entry.count, 'path')}"),
        Paragraph(
            "Along a path the local derivatives are multiplied, the last with v, the gradient of "
            "the output's element. Steps with the derivative 0 are left out."
        ),
    ]
    formulas = _formulas(entry.names, precision)
    for node in entry.nameless:
        rule, remarks = _rule(formulas, node, WIDTH - 10)
        blocks.append(Chain(entry.names[node], [[rule]] if rule else [], remarks))
    blocks += [_path(path, precision) for path in entry.paths]
    shown = sum(path.product for path in entry.paths)
    if entry.count > len(entry.paths):
        rest = _number(entry.total - shown, precision)
        blocks.append(
            Paragraph(
                f"{entry.count - len(entry.paths):,} more paths, not listed, add up to {rest}."
            )
        )
    terms = [_bracketed(_number(path.product, precision)) for path in entry.paths]
    if entry.count > len(entry.paths):
        terms.append(_bracketed(_number(entry.total - shown, precision)))
    added = [wrap(" + ".join(terms), WIDTH - 20)] if len(terms) > 1 else []
    total = _number(entry.total, precision)
    agrees = bool(np.isclose(entry.total, entry.grad, rtol=1e-9, atol=0, equal_nan=True))
    remark = f"backward gives {_number(entry.grad, precision)}" + (": the same" if agrees else "")
    blocks.append(Chain(f"{entry.name}.grad", [*added, [total]], [remark]))
    return blocks


def _path(path: Path, precision: int) -> Chain:
    factors = [_number(factor, precision) for factor in path.factors]
    product = " * ".join(map(_bracketed, [_number(path.v, precision), *reversed(factors)]))
    way = wrap(" -> ".join(path.places), WIDTH - 2, break_long_words=False)
    return Chain("\n".join(way), [wrap(product, WIDTH - 6), [_number(path.product, precision)]])


def _bracketed(text: str) -> str:
    return f"({text})" if text.startswith("-") else text


def _number(value: float, precision: int) -> str:
    return number(np.float64(value), precision)


def _count(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def _formulas(names: Mapping[Node, str], precision: int) -> Formulas:
    return Formulas(names, lambda node: brief(node.known, precision), LEVELS)


def _rule(formulas: Formulas, node: Node, width: int) -> tuple[str, list[str]]:
    """A node as a formula; and for each part that it leaves out, what the name there stands for."""
    known = len(formulas.names)
    text = formulas.of(node, width)
    remarks: list[str] = []
    while len(formulas.names) > known:
        left_out = list(formulas.names)[known]
        known += 1
        rule = "" if left_out.op is CONSTANT else formulas.of(left_out, WIDTH - 10)
        what = f"= {rule}" if rule else f"is the {left_out.op.name} of shape {show(left_out.shape)}"
        remarks.append(f"{formulas.names[left_out]} {what}")
    return text, remarks


class _Story:
    """Writes the steps of an explanation."""

    def __init__(self, explanation: Explanation, precision: int) -> None:
        self.explanation = explanation
        self.precision = precision
        self.names = {node: sanitise(name) for node, name in explanation.names.items()}
        self.texts = self.names | {
            node: self._inline(node.known, WIDTH)
            for node in ancestors(explanation.outputs.values())
            if node.known is not None and 1 < node.size <= SMALL
        }
        self.leaves = set(explanation.leaves.values())
        self.symbols = _formulas(self.texts, precision)

    def step(self, step: Step) -> Chain:
        node = step.node
        left = self.names[node]
        value = self._array(step.value, len(left) + 5)
        if node in self.leaves and node.op in (INPUT, LEAF):
            return Chain(left, [value], [f"a leaf of shape {show(node.shape)}: it gets a grad"])
        if node.op is INPUT or node.op is LEAF:
            return Chain(left, [value], ["no leaf: it gets no grad"])
        rule, remarks = _rule(self.symbols, node, WIDTH - len(left) - 5)
        return Chain(left, [*([[rule]] if rule else []), value], remarks)

    def grad(self, grad: Grad) -> Chain:
        """A grad as the sum of its parts, with the running sum where several meet."""
        left = f"{self.names[grad.node]}.grad"
        if len(grad.parts) == 1:
            (part,) = grad.parts
            equal, where = self._part(part, len(left))
            return Chain(left, equal, [*where, *self._remarks(grad.node, part)])
        equal = []
        remarks: list[str] = [f"{len(grad.parts)} paths meet here, and add up:"]
        for count, part in enumerate(grad.parts, 1):
            (rule, *numbers), where = self._part(part, len(left) + 4)
            equal.append([("+ " if count > 1 else "  ") + rule[0], *rule[1:]])
            through = f"through {self.names[part.through]}" if part.through else "v"
            steps = " = ".join(" ".join(line.strip() for line in each) for each in numbers)
            total = " ".join(line.strip() for line in self._array(part.total, 20))
            so_far = f"; so far {total}" if count > 1 else ""
            remarks += [f"{through}: {steps}{so_far}", *where, *self._remarks(grad.node, part)]
        joined = [line for lines_ in equal for line in lines_]
        return Chain(left, [joined, self._array(grad.value, len(left) + 5)], remarks)

    def _part(self, part: Part, taken: int) -> tuple[list[list[str]], list[str]]:
        """The rule in symbols, with numbers, and its result; and what new names stand for."""
        value = self._array(part.value, taken + 5)
        if part.through is None:
            return [value], []
        width = WIDTH - taken - 10
        rule = _bare(part.rule)
        if rule in self.names:
            return [[self.names[rule]], value], []
        symbols, remarks = _rule(self.symbols, rule, width)
        numbers = self._with_numbers(rule, width)
        return [*([text] for text in (symbols, numbers) if text), value], remarks

    def _with_numbers(self, rule: Node, width: int) -> str | None:
        """The rule with this run's numbers; of large arrays at one index, where that is enough."""
        used = self._used(rule)
        arrays = {node: self.explanation.values[node] for node in used if node.known is None}
        if all(array.size <= SMALL for array in arrays.values()):
            texts = {node: self._inline(array, width) for node, array in arrays.items()}
            text = self._in_full(rule, texts, width)
            if text:
                return text
        if not arrays or not _is_elementwise(rule, used):
            return None
        shape = np.broadcast_shapes(*(array.shape for array in arrays.values()))
        place = tuple(0 for _ in shape)
        texts = {
            node: self._inline(np.asarray(np.broadcast_to(array, shape)[place]), width)
            for node, array in arrays.items()
        }
        text = self._in_full(rule, texts, width - 12)
        return f"{text}    at [{', '.join(map(str, place))}]" if text else None

    def _in_full(self, rule: Node, texts: Mapping[Node, str], width: int) -> str | None:
        """A formula over these texts that leaves nothing out."""
        formulas = _formulas({**self.texts, **texts}, self.precision)
        known = len(formulas.names)
        text = formulas.of(rule, width)
        return text if len(formulas.names) == known and len(text) <= width else None

    def _used(self, rule: Node) -> list[Node]:
        """The named nodes that a rule is written over."""
        found: dict[Node, None] = {}
        stack = [rule]
        while stack:
            node = stack.pop()
            if node in self.texts:
                found[node] = None
            else:
                stack += node.inputs
        return list(found)

    def _remarks(self, node: Node, part: Part) -> list[str]:
        remarks: list[str] = []
        name = self.names[node]
        if part.through is None:
            outputs = [n for n, output in self.explanation.given.items() if output is node]
            if outputs:
                remarks.append("the gradient vector v enters here")
            else:
                remarks.append(f"{name} is a single value: v = 1, and no gradient has to be given")
        elif part.summed_from is not None:
            remarks.append(
                f"{name} of shape {show(node.shape)} was broadcast to {show(part.summed_from)}: "
                "what comes back is summed over the copies"
            )
        elif part.rule.size < node.size and part.rule.shape != node.shape:
            remarks.append(f"the same for all elements of {name}, shape {show(node.shape)}")
        return remarks

    def reasons(self) -> Iterator[Paragraph]:
        """Why some values show a grad in `eval`, and others do not."""
        leaves = ", ".join(map(sanitise, self.explanation.leaves))
        yield Paragraph(
            f"{leaves} {'is a leaf' if len(self.explanation.leaves) == 1 else 'are leaves'}: "
            "backward computes the gradients of leaves, and keeps them in .grad."
        )
        between = [
            self.names[step.node]
            for step in self.explanation.steps
            if step.node not in self.leaves
            and self.names[step.node] in self.explanation.titles
            and any(grad.node is step.node for grad in self.explanation.grads)
        ]
        if between:
            words = (
                "is computed, not a leaf. Its"
                if len(between) == 1
                else ("are computed, not leaves. Their")
            )
            yield Paragraph(
                f"{', '.join(between)} {words} grad, shown above, is used on the way back and "
                "dropped: .grad stays None. "
                f"gradcli eval --retain-grad {between[0]} keeps it."
            )
        for name, node in self.explanation.outputs.items():
            if name in self.explanation.given and node.size > 1:
                yield Paragraph(
                    f"{sanitise(name)} has shape {show(node.shape)}: each of its elements has a "
                    "gradient of its own, a row of J. v is the weights of these rows: "
                    f"grad = v^T J. v = {self._inline(self._v(node), WIDTH)}."
                )
            elif node.kind == "float" and node.size == 1:
                yield Paragraph(
                    f"{sanitise(name)} is a single value, so J has one row, and the default v = 1 "
                    "gives it unchanged. Another v only scales it: v = 0.1 gives a "
                    f"tenth. Here v = {self._inline(self._v(node), WIDTH)}."
                )
        for node in self.explanation.stopped:
            yield Paragraph(f"{self.names[node]} is detached: no gradient flows back through it.")
        for note in self.explanation.notes:
            yield Paragraph(f"Note: {sanitise(note.message)}.")

    def _v(self, node: Node) -> Array:
        return next(g.parts[0].value for g in self.explanation.grads if g.node is node)

    def _array(self, array: Array, taken: int) -> list[str]:
        flat = inline(excerpt(array), self.precision, 10**6)
        if len(flat) + taken <= WIDTH:
            return [flat]
        return lines(excerpt(array), self.precision, WIDTH - taken)

    def _inline(self, array: Array, width: int) -> str:
        return _bracketed(inline(excerpt(array), self.precision, width))


def _bare(rule: Node) -> Node:
    """Without copies that only broadcast the grad."""
    while rule.op in (EXPAND, CAST):
        rule = rule.inputs[0]
    return rule


def _is_elementwise(rule: Node, named: list[Node]) -> bool:
    stack = [rule]
    while stack:
        node = stack.pop()
        if node in named or (node.op is CONSTANT and not node.shape):
            continue
        if not isinstance(node.op, Elementwise) and node.op is not CAST:
            return False
        stack += node.inputs
    return True
