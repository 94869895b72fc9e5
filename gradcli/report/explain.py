"""An explained run as a document: forward, backward, why."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from re import findall
from textwrap import wrap

import numpy as np

from gradcli.analysis.backward import Grad, Part, ToldPass
from gradcli.analysis.explain import Explanation, Step
from gradcli.analysis.levels import ALL, Stage
from gradcli.analysis.meaning import Meaning
from gradcli.analysis.paths import SumOverPaths
from gradcli.graph import CONSTANT, INPUT, Array, Node
from gradcli.ops.control import DETACH, LEAF
from gradcli.ops.shapes import show
from gradcli.ops.shaping import EXPAND
from gradcli.report.about import about_stage, about_step
from gradcli.report.arrays import IN_FULL, excerpt, inline, lines, number, sentence_of
from gradcli.report.brief import LONG, ROWS, briefly, on_screens, titled
from gradcli.report.document import (
    INDENT,
    WIDTH,
    Block,
    Chain,
    Heading,
    Paragraph,
    Together,
    in_latex,
    in_markdown,
    render,
)
from gradcli.report.explain_entry import entry_document
from gradcli.report.latex import Mathematics
from gradcli.report.layout import Layout
from gradcli.report.reasons import reasons
from gradcli.report.sanitise import sanitise
from gradcli.report.sentences import EXACT, Sentence, Sentences, added, summand
from gradcli.report.together import comes_through_steps, handed_on, through, title
from gradcli.walks import ancestors

CANCELLED = "these parts cancel: what is left of them is rounding"
SCALE = "scale(a, b) is a * b, but 0 where a is 0, whatever b is"
ROUNDING = {"float64": 1e-13, "float32": 4e-6}
"""Grads smaller than this, compared with their largest part, have no digit that is right."""
SHOWN_DIGITS = 1e-5
"""How well sums agree of which a term is rounded to the digits that are shown."""
NARROWEST = 20
"""Equations have so many columns behind the longest of names."""
SHOWN = 60
"""The most numbers of a value; larger ones are described."""
SMALL = 16
"""What equal numbers are is said of arrays of up to so many; larger ones are described anyway."""


def write_markdown(told: Explanation | SumOverPaths, layout: Layout) -> Iterator[str]:
    """For a page of Markdown."""
    yield render(blocks(told, layout.precision), in_markdown(mathematics(told)))


def write_latex(told: Explanation | SumOverPaths, layout: Layout) -> Iterator[str]:
    """For a document in LaTeX."""
    yield render(blocks(told, layout.precision), in_latex(mathematics(told)))


def mathematics(told: Explanation | SumOverPaths) -> Mathematics:
    """What writes its formulas: it knows the shapes of all that has a name."""
    shapes = {name: node.shape for node, name in told.names.items()}
    grads = {f"{name}.grad": shape for name, shape in shapes.items()}
    if isinstance(told, Explanation):
        passes = told.passes
        grads |= {each.title: each.node.shape for found in passes for each in found.grads}
    return Mathematics(Meaning.of_shapes(shapes | grads))


def blocks(
    told: Explanation | SumOverPaths, precision: int = 6, width: int = WIDTH
) -> Sequence[Block]:
    """The document about a whole run, or about one entry."""
    if isinstance(told, SumOverPaths):
        return entry_document(told, precision, width)
    return document(told, precision, width)


def document(explanation: Explanation, precision: int = 6, width: int = WIDTH) -> list[Block]:
    """Forward, backward, and why; of a long program on a screen for each level, if it can be."""

    def steps(most: int) -> list[Block]:
        return [*_Story(explanation, precision, width, most).steps()]

    why = [*reasons(explanation, precision)]
    if explanation.length <= LONG and not explanation.untold:
        return [*steps(ROWS), *titled(why)]
    if ALL in explanation.opened:
        return [*briefly(steps(ROWS)), *titled(why)]
    return on_screens(steps, why, 1 + len(explanation.opened))


class _Story:
    """Writes the steps of an explanation; values of more than `most` lines are described."""

    def __init__(
        self, explanation: Explanation, precision: int, width: int = WIDTH, most: int = ROWS
    ) -> None:
        self.explanation = explanation
        self.most = most
        self.precision = precision
        self.width = width
        self.names = explanation.names
        self.leaves = {node for told in explanation.passes for node in told.leaves}
        self.unreached = {*explanation.leaves.values()} - self.leaves
        self.stretches = {step.node: step.stage for step in explanation.steps if step.stage.stretch}

    def steps(self) -> Iterator[Block]:
        """Forward, and each pass backward."""
        yield from self.forward()
        for each in self.explanation.passes:
            yield from self.backward(each)
        if none := self.explanation.none:
            yield Heading("Backward")
            yield Paragraph(f"There is none: {sanitise(none)}.")

    def forward(self) -> Iterator[Block]:
        """Each value from those before it."""
        sentences = Sentences(self.explanation, None, self.precision)
        yield Heading("Forward: each value from those before it")
        for stage, steps in groupby(self.explanation.steps, key=lambda step: step.stage):
            chains = [self._step(step, sentences) for step in steps]
            left_out = sum(node in self.explanation.unshown for node in stage.results)
            yield from chains if stage.single else handed_on(stage, chains, left_out)

    def _step(self, step: Step, sentences: Sentences) -> Chain:
        node = step.node
        left = self.names[node]
        shown = self._in_line if step.stage.stretch else self._value
        value, remarks = shown(step.value, len(left))
        if node in self.leaves and node.op in (INPUT, LEAF):
            remarks.insert(0, f"a leaf of shape {show(node.shape)}: it gets a grad")
            if not is_changed(node, self.names):
                return Chain(left, value, remarks)
            remarks[0] = f"changed by the program, and still {remarks[0]}"
            sentence = sentences.rule(node.inputs[0], step.value)
            equal = _told_once(self._right(sentence, left), value)
            return Chain(left, equal, [*_lines(left, sentence), *remarks])
        if node in self.unreached:
            by = any(node is x for _, x in self.explanation.taken.values())
            how = "the program takes a gradient by it" if by else "no backward reaches it"
            remark = f"a leaf of shape {show(node.shape)}: {how}"
            return Chain(left, value, [remark, *remarks])
        if node.op is INPUT or node.op is LEAF:
            return Chain(left, value, ["it requires no grad, and gets none", *remarks])
        if node in self.explanation.kept:
            return Chain(left, value, [f"{self.explanation.kept[node]}: a constant", *remarks])
        if _is_literal(node) and not self.names.keys() & ancestors(node.inputs):
            return Chain(left, value, ["a constant: it gets no grad", *remarks])
        constant = node.op is DETACH and node in self.explanation.taken
        below = self.names.get(node.inputs[0], "") if constant else ""
        sentence = Sentence(below) if below else sentences.step(step)
        equal = _told_once(self._right(sentence, left), value)
        about = [*about_stage(step.stage, sentence), *about_step(step, self.explanation)]
        return Chain(left, equal, [*about, *_lines(left, sentence), *remarks])

    def backward(self, told: ToldPass) -> Iterator[Block]:
        """The grads of a pass, from the outputs to the leaves."""
        sentences = Sentences(self.explanation, told, self.precision)
        number = "" if told.number is None else f" {told.number}"
        where = "" if told.line is None else f", called in line {told.line}"
        yield Heading(f"Backward{number}: vᵀ·J, from the output to the leaves{where}")
        shown = (grad for grad in told.grads if grad.node not in self.explanation.unshown)
        for stage, grads in groupby(shown, key=self._stretch):
            if stage is None:
                for grad in grads:
                    yield from self._grad(grad, told, sentences)
            else:
                yield self._together([*grads], sentences)
        used = ancestors(told.outputs.values())
        for leaf in told.leaves:
            reached = leaf in {grad.node for grad in told.grads}
            if leaf in used and not reached and leaf not in self.explanation.unshown:
                name = self.names[leaf]
                yield Paragraph(f"{name}.grad is 0: nothing comes back to {name}.")

    def _stretch(self, grad: Grad) -> Stage | None:
        """The stretch that hands on what a grad is of; None where more is told of it."""
        return self.stretches.get(grad.node) if comes_through_steps(grad) else None

    def _together(self, grads: Sequence[Grad], sentences: Sentences) -> Together:
        """Grads of what a stretch hands on, each as the sum of what comes through other steps."""
        chains = []
        for grad in grads:
            left = f"{self.names[grad.node]}.grad"
            shown = self._value if grad.node in self.leaves else self._in_line
            value, large = shown(grad.total, len(left) + len(INDENT))
            text = self._shortly(grad, sentences)
            fits = len(f"{INDENT}{left} = {text} = {value}") <= self.width
            equal = [[text]] if text and fits else []
            chains.append(Chain(left, _told_once(equal, value), large))
        stages = [part.through for grad in grads for part in grad.parts if part.through]
        return Together(f"through {through(stages, self.names)}:", chains)

    def _shortly(self, grad: Grad, sentences: Sentences) -> str:
        """A grad that comes through one step, in values that are told; or as a sum of numbers."""
        if len(grad.parts) > 1:
            terms = [self._flat(part.value) for part in grad.parts]
            return added(terms) if all(terms) else ""
        sentence = sentences.part(grad, grad.parts[0])
        names = {*findall(r"[^\W\d]\w*", sentence.text)}
        unshown = any(self.names[each] in names for each in self.explanation.unshown)
        return "" if unshown or sentence.where else sentence.text

    def _grad(self, grad: Grad, told: ToldPass, sentences: Sentences) -> Iterator[Chain]:
        """A grad; what this pass finds is told first where that goes on, and more was held."""
        left = f"{self.names[grad.node]}.grad"
        if grad.held is None or grad.title == left:
            yield self._sum(left, grad, told, sentences)
            return
        yield self._sum(grad.title, replace(grad, held=None), told, sentences)
        held = self._flat(grad.held)
        value, large = self._value(grad.total, len(left))
        added = [self._wrapped(f"{held} + {grad.title}", left)] if held else []
        remark = f"what it held from before, and {grad.title}, which alone goes on"
        yield Chain(left, [*added, *value], [remark, *large])

    def _sum(self, left: str, grad: Grad, told: ToldPass, sentences: Sentences) -> Chain:
        """A grad as the sum of its parts."""
        value, large = self._value(grad.total, len(left))
        found = [sentences.part(grad, part) for part in grad.parts]
        if len(found) == 1 and grad.held is None:
            equal = self._right(found[0], left)
            remarks = _lines(left, found[0])
        else:
            equal, remarks = self._added(left, grad, found, sentences)
            text = " ".join(equal[0]) if equal else ""
            exact = not text or sentences.agrees(text, grad.total, SHOWN_DIGITS)
            if cancels(grad) and not (exact and not grad.total.any()):
                remarks.append(CANCELLED)
        more = [
            remark
            for part, sentence in zip(grad.parts, found, strict=True)
            for remark in (
                *self._remarks(grad, part, sentence, told),
                *about_stage(part.through, sentence),
            )
        ]
        more += self._hooked(left, grad, told)
        return Chain(left, _told_once(equal, value), [*remarks, *dict.fromkeys(more), *large])

    def _hooked(self, left: str, grad: Grad, told: ToldPass) -> Iterator[str]:
        """What `.grad` holds, where the program has changed gradients on their way."""
        kept = told.left.get(grad.node)
        if kept is None or np.allclose(kept, grad.total, rtol=1e-4, atol=1e-12, equal_nan=True):
            return
        numbers = self._flat(kept) or self._described(kept)
        yield f"the program's hooks change gradients on the way, so that {left} holds {numbers}"

    def _added(
        self, left: str, grad: Grad, found: Sequence[Sentence], sentences: Sentences
    ) -> tuple[list[list[str]], list[str]]:
        """Parts in one line, and each of them with numbers."""
        texts: list[str] = []
        remarks: list[str] = []
        if len(found) > 1:
            remarks.append(f"{len(found)} paths meet here, and add up:")
        for part, sentence in zip(grad.parts, found, strict=True):
            value = self._flat(part.value)
            texts.append(summand(sentence.text) if sentence.text else value)
            way = f"through {title(part.through, self.names)}" if part.through else "v"
            steps = [*dict.fromkeys(x for x in (sentence.text, sentence.numbers, value) if x)]
            if len(found) > 1:
                shown = " = ".join(steps) if value else (steps or [self._described(part.value)])[0]
                remarks.append(f"{way}: {shown}")
            remarks += _lines("", sentence)
        if grad.held is not None:
            held, new = self._flat(grad.held), self._flat(grad.value)
            if held and new:
                remarks.append(f"it held {held} from before, and this pass adds {new}")
            texts.insert(0, held and self._held(grad, texts, sentences))
        equal = [self._wrapped(added(texts), left)] if all(texts) else []
        return equal, remarks

    def _held(self, grad: Grad, terms: Sequence[str], sentences: Sentences) -> str:
        """What a grad held, in as many digits as its sum with the terms needs; "" for too many."""
        assert grad.held is not None
        for precision in (self.precision, EXACT):
            text = sentence_of(grad.held, precision, 10**6)
            total = added([text, *terms]) if all(terms) else ""
            if not total or sentences.agrees(total, grad.total, SHOWN_DIGITS):
                return text
        return ""

    def _remarks(self, grad: Grad, part: Part, sentence: Sentence, told: ToldPass) -> Iterator[str]:
        node, name = grad.node, self.names[grad.node]
        if part.through is not None and part.uses > 1:
            step = title(part.through, self.names)
            times = "twice" if part.uses == 2 else f"{part.uses} times"
            yield f"{step} uses {name} {times}: the same comes back from each use, and adds up"
        if part.through is None:
            if node in told.given.values():
                yield "the gradient vector v enters here"
            else:
                yield f"{name} is a single value: v = 1, and no gradient has to be given"
        elif part.summed_from is not None and (not sentence.text or "sum(" in sentence.text):
            yield (
                f"{name} of shape {show(node.shape)} was broadcast to {show(part.summed_from)}: "
                "what comes back is summed over the copies"
            )
        elif part.rule.op is EXPAND and 1 < part.value.size <= SMALL:
            total = grad.total  # other paths, and what was held, may differ by element
            if _is_same(total):
                same = number(total.reshape(-1)[0], self.precision)
                yield f"the same for all elements of {name}: {same}"

    # --- pieces ---

    def _right(self, sentence: Sentence, left: str) -> list[list[str]]:
        """A sentence in symbols and with numbers."""
        return [self._wrapped(text, left) for text in (sentence.text, sentence.numbers) if text]

    def _wrapped(self, text: str, left: str) -> list[str]:
        room = max(NARROWEST, self.width - len(left) - 3)
        return wrap(text, room, break_long_words=False, break_on_hyphens=False)

    def _value(self, array: Array, taken: int) -> tuple[list[list[str]], list[str]]:
        """The numbers; of an array that is too large to be shown in full, a remark about them."""
        if not array.size:
            return [[self._flat(array)]], []
        if array.size <= (SMALL if _is_same(array) else SHOWN):
            flat = inline(excerpt(array), self.precision, 10**6)
            if len(flat) + taken + 3 <= self.width:
                return [[flat]], []
            room = max(NARROWEST, self.width - taken - 5)
            found = lines(excerpt(array), self.precision, room)
            if len(found) <= self.most:
                return [found], []
        return [], [self._described(array)]

    def _in_line(self, array: Array, taken: int) -> tuple[list[list[str]], list[str]]:
        """The numbers where they fit in one line of their own, or else a remark about them."""
        value, remarks = self._value(array, taken + len(INDENT))
        several = any(len(each) > 1 for each in value)
        return ([], [self._described(array)]) if several else (value, remarks)

    def _described(self, array: Array) -> str:
        """An array in a few numbers."""
        if _is_same(array):
            each = number(array.reshape(-1)[0], self.precision)
            return f"shape {show(array.shape)}: each of its {array.size:,} numbers is {each}"
        low, high = (number(each, self.precision) for each in (array.min(), array.max()))
        return f"shape {show(array.shape)}: {array.size:,} numbers from {low} to {high}"

    def _flat(self, array: Array) -> str:
        """The numbers in one line; empty where they are too many."""
        return sentence_of(array, self.precision, 10**6) if array.size <= IN_FULL else ""


def _told_once(equal: list[list[str]], value: list[list[str]]) -> list[list[str]]:
    """A value behind what it equals, unless that ends on the same numbers, as -1 does."""
    return equal if value and equal[-1:] == value else [*equal, *value]


def _lines(left: str, sentence: Sentence) -> list[str]:
    """The further lines of a sentence."""
    remarks = [f"where {title} = {text}" for title, text in sentence.where]
    if "scale(" in sentence.text:
        remarks.append(SCALE)
    place, numbers, value = sentence.element
    if place and left:
        sides = dict.fromkeys([f"{left}[{place}]", numbers, value])  # -1 is told once
        remarks.append(" = ".join(sides))
    return remarks


def is_changed(leaf: Node, names: Mapping[Node, str]) -> bool:
    """Whether a leaf is what the program has made of values told: `w -= 0.1 * w.grad`."""
    return not names.keys().isdisjoint(ancestors(leaf.inputs))


def _is_literal(node: Node) -> bool:
    """Whether a node is a list of numbers, or computed from constants alone."""
    below = ancestors([node])
    constant = all(each.inputs or each.op is CONSTANT for each in below)
    return constant and node.size <= SHOWN and not any(each.op is LEAF for each in below)


def cancels(grad: Grad) -> bool:
    """Whether the parts of a grad add up to nothing, or to nothing but their rounding."""
    parts = [*(part.value for part in grad.parts), *([] if grad.held is None else [grad.held])]
    size = max(float(np.max(np.abs(part), initial=0.0)) for part in parts)
    rounding = ROUNDING[grad.node.graph.precision]
    return float(np.max(np.abs(grad.total), initial=0.0)) < rounding * size


def _is_same(array: Array) -> bool:
    return array.size > 0 and bool((array == array.reshape(-1)[0]).all())
