"""One level of detail of an explained run: its boxes, and its cards forward and backward."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from math import inf
from typing import NamedTuple
from xml.etree.ElementTree import Element

import numpy as np

from gradcli.analysis.backward import Grad, Part, ToldPass
from gradcli.analysis.explain import Explanation, Step
from gradcli.analysis.local import jacobians, operands
from gradcli.analysis.paths import Columns, Path, SumOverPaths, paths_from
from gradcli.diagnostics import GradcliError
from gradcli.graph import Array, Node
from gradcli.ops.shapes import show
from gradcli.report import arrays
from gradcli.report.arrays import IN_FULL, excerpt, inline, shortened
from gradcli.report.elements import element, markup
from gradcli.report.explain import mathematics
from gradcli.report.explain_json import role, span
from gradcli.report.heat import Index, Marked, heat_map
from gradcli.report.latex import Mathematics
from gradcli.report.page_parts import GraphBox, equation, graph
from gradcli.report.sentences import Sentence, Sentences, added

TITLE, ARRAY = 32, 28
"""The most characters of formulas and of arrays in a box."""
ENTRIES, EDGES = 24, 400
"""The most entries of a grad whose paths are told, and the most local derivatives that the paths
of one may have."""


class Detail(NamedTuple):
    """How much a page tells of each step."""

    numbers: int
    """About how many of an array."""
    jacobians: bool
    paths: bool
    left_out: str = ""


DETAILS = (
    Detail(IN_FULL, jacobians=True, paths=True),
    Detail(IN_FULL, jacobians=True, paths=False, left_out="the paths of entries"),
    Detail(8, jacobians=False, paths=False,
           left_out="the paths of entries, local Jacobians, and most numbers"),
)  # fmt: skip
"""From the most to the least."""


class Level:
    """Writes the boxes and cards of a level; `shallower` and `deeper` are those next to it."""

    def __init__(
        self,
        told: Explanation,
        place: int,
        precision: int,
        shallower: Explanation | None,
        deeper: Explanation | None,
    ) -> None:
        self._told = told
        self._formulas = mathematics(told)
        self._precision = precision
        self._detail = DETAILS[0]
        self._prefix = f"l{place}"
        self._next, self._before = f"l{place + 1}", f"l{place - 1}"
        self._shallower, self._deeper = shallower, deeper
        self._place = {step.node: number for number, step in enumerate(told.steps)}
        sentences = Sentences(told, None, precision)
        self._sentences = [sentences.step(step) for step in told.steps]
        self._parts: dict[str, list[Sentence]] = {}
        """By card: what is told of the parts of a grad."""
        self._matrices: dict[Node, list[tuple[Node, Array | None]]] = {}
        """By step: its local Jacobians."""
        self._columns: Columns = {}
        """Local derivatives, which the paths of many entries have in common."""
        self._boxes: list[GraphBox] = []

    def section(self, title: str, detail: Detail, room: float = inf) -> Element | None:
        """The graph, and the cards in order; None where they are more than so many characters."""
        self._detail = detail
        self._boxes = [self._box(step, number) for number, step in enumerate(self._told.steps)]
        cards = []
        for card in self._cards():
            room -= len(markup(card))
            if room < 0:
                return None
            cards.append(card)
        picture = graph("The graph, from inputs to outputs", self._boxes, self._prefix)
        if len(markup(picture)) > room:
            return None
        steps = element("ol", *cards, class_="steps")
        head = element("h2", title)
        return element("section", head, picture, steps, class_="level", aria_label=title)

    def _cards(self) -> Iterator[Element]:
        for number, step in enumerate(self._told.steps):
            yield self._forward(step, number)
        for number, each in enumerate(self._told.passes):
            yield from self._backward(each, number)

    def _box(self, step: Step, number: int) -> GraphBox:
        node, told = step.node, self._told
        name = told.names[node]
        inside = "" if step.stage.single else f" ⊞ {_opener(step)}"
        text = self._sentences[number].text if node.inputs else ""
        formula = f"{name} = {text}" if text and len(name) + len(text) < TITLE else name
        above = [self._place[x] for x in operands(step, told.names) if x in self._place]
        return GraphBox(
            f"{self._prefix}-b{number}",
            role(step, told),
            sorted(above),
            f"{formula}{inside}"[: TITLE + ARRAY],
            f"= {inline(excerpt(step.value), self._precision, ARRAY)}",
            [f"{self._prefix}-f{number}"],
        )

    def _card(self, kind: str, name: str, box: int, heading: Sequence[str | Element],
              title: str) -> Element:  # fmt: skip
        """An empty card. `title` is what is said where the page steps to it."""
        return element(
            "li", element("h3", *heading), class_="step", id=name, tabindex=-1, data_kind=kind,
            data_box=self._boxes[box].name, data_title=title,
        )  # fmt: skip

    def _heat(
        self, title: str, array: Array, marked: Marked | None = None, name: str = ""
    ) -> Element:
        full = self._detail.numbers >= IN_FULL
        shown = array if full else shortened(excerpt(array), self._detail.numbers)
        return heat_map(title, shown, self._precision, marked, name)

    # --- forward ---

    def _forward(self, step: Step, number: int) -> Element:
        sentence = self._sentences[number]
        name = self._told.names[step.node]
        heading = [element("code", name), element("span", f" {role(step, self._told)}",
                                                  class_="role")]  # fmt: skip
        title = f"{name} = {sentence.text}" if sentence.text else name
        card = self._card("forward", f"{self._prefix}-f{number}", number, heading, title)
        card.extend(_equations(self._formulas, name, sentence))
        card.extend(self._source(step))
        card.extend(self._doors(step))
        places = (self._place.get(each) for each in operands(step, self._told.names))
        card.extend(_goes_in([f"{self._prefix}-v{x}" for x in places if x is not None]))
        card.append(self._heat(name, step.value, name=f"{self._prefix}-v{number}"))
        card.extend(self._jacobians(step, name))
        return card

    def _source(self, step: Step) -> Iterator[Element]:
        """Where the program computes it."""
        found = span(step.stage, self._told)
        if found is not None:
            where = f"line {found['line']}, column {found['column']}: "
            yield element("p", where, element("code", found["text"]), class_="soft")

    def _doors(self, step: Step) -> Iterator[Element]:
        """What opens a step of several, and what closes the one that this step is inside."""
        if not step.stage.single and self._deeper is not None:
            inside = set(step.stage.nodes)
            places = (n for n, each in enumerate(self._deeper.steps) if each.node in inside)
            yield from _door(f"Open {_opener(step)}", self._next, next(places, None))
        if self._shallower is not None:
            for number, each in enumerate(self._shallower.steps):
                if not each.stage.single and step.node in each.stage.nodes:
                    same = len(each.stage.nodes) == len(step.stage.nodes)
                    if not same:
                        yield from _door(f"Close {_opener(each)}", self._before, number)
                    return

    def _jacobians(self, step: Step, name: str) -> Iterator[Element]:
        if not self._detail.jacobians:
            return
        if step.node not in self._matrices:
            self._matrices[step.node] = [*jacobians(self._told, step)]
        for operand, matrix in self._matrices[step.node]:
            by = self._told.names[operand]
            title = f"∂{name}/∂{by}"
            if matrix is None:
                size = f"{step.node.size:,} × {operand.size:,} entries"
                inside = element(
                    "p", f"{title} has {size}: too many to show. Its rule stands in the step of "
                    f"{by}.grad.",
                )  # fmt: skip
            else:
                inside = self._heat(title, matrix)
            summary = element("summary", f"Local Jacobian {title}")
            yield element("details", summary, inside, class_="jacobian")

    # --- backward ---

    def _backward(self, told: ToldPass, number: int) -> Iterator[Element]:
        sentences = Sentences(self._told, told, self._precision)
        for place, grad in enumerate(told.grads):
            if grad.node in self._told.unshown:
                continue
            name = f"{self._prefix}-g{number}-{place}"
            box = self._boxes[self._place[grad.node]]
            box.backward.append(name)
            box.grads.append(f"grad {inline(excerpt(grad.total), self._precision, ARRAY)}")
            yield self._grad(grad, told, number, name, sentences)

    def _grad(
        self, grad: Grad, told: ToldPass, number: int, name: str, sentences: Sentences
    ) -> Element:
        title = f"{self._told.names[grad.node]}.grad"
        several = len(self._told.passes) > 1
        called = f", called in line {told.line}" if told.line is not None else ""
        which = f" pass {number + 1}{called}" if several or called else ""
        kind = "leaf" if grad.node in told.leaves else "intermediate"
        heading = [element("code", title), element("span", f" {kind}{which}", class_="role")]
        if name not in self._parts:
            self._parts[name] = [sentences.part(grad, part) for part in grad.parts]
        found = self._parts[name]
        step = title
        if len(found) == 1 and found[0].text:
            step += f" = {added(['old'] * (grad.held is not None) + [found[0].text])}"
        card = self._card("backward", name, self._place[grad.node], heading, step)
        if len(grad.parts) > 1:
            parts = [self._part(p, s) for p, s in zip(grad.parts, found, strict=True)]
            card.append(element("p", f"{len(parts)} paths meet here, and add up:"))
            card.append(element("ul", *parts, class_="parts"))
        else:
            card.extend(self._single(title, grad, told, found[0]))
        sources = [
            f"{self._prefix}-v{self._place[grad.node]}",
            *(
                f"{self._prefix}-g{number}-{place}-sum"
                for place, each in enumerate(told.grads)
                if each.node in self._place
                and any(p.through and each.node in p.through.results for p in grad.parts)
            ),
        ]
        card.extend(_goes_in(sources))
        card.extend(self._sum(title, grad, number, name))
        return card

    def _single(
        self, title: str, grad: Grad, told: ToldPass, sentence: Sentence
    ) -> Iterator[Element]:
        """The only part of a grad."""
        (part,) = grad.parts
        if part.through is None:
            given = grad.node in told.given.values()
            text = (
                "the gradient v that was given" if given
                else "a single value: v = 1, and no gradient has to be given"
            )  # fmt: skip
            yield element("p", text)
        yield from _equations(self._formulas, _found(grad, title), sentence)
        yield from _broadcast(grad, part)

    def _part(self, part: Part, sentence: Sentence) -> Element:
        through = part.through
        way = ", ".join(self._told.names[each] for each in through.results) if through else ""
        found = element("li", f"through {way}" if way else "v, the gradient of the output")
        found.extend(_equations(self._formulas, "", sentence))
        found.append(self._heat("adds", part.value))
        return found

    def _sum(self, title: str, grad: Grad, number: int, name: str) -> Iterator[Element]:
        """The grad, and where a leaf held one before, old + new = total."""
        paths = list(self._paths(grad, number, name))
        known = {each.get("data-index", ""): each.get("id", "") for each in paths}

        def marked(index: Index) -> dict[str, str]:
            found = known.get(",".join(map(str, index)))
            return {"data_paths": found, "aria_label": f"paths to {title}{list(index)}"} if (
                found
            ) else {}  # fmt: skip

        new = self._heat(_found(grad, title), grad.value, marked,
            f"{name}-sum",
        )  # fmt: skip
        if grad.held is None:
            yield new
        else:
            old = self._heat("old", grad.held)
            total = self._heat(f"total: {title}", grad.total)
            signs = [element("span", sign, class_="sign") for sign in "+="]
            yield element("div", old, signs[0], new, signs[1], total, class_="row sum")
        if paths:
            yield element("p", "The paths that make each entry:", class_="soft")
        yield from paths

    def _paths(self, grad: Grad, number: int, name: str) -> Iterator[Element]:
        """The paths to the entries of a grad, where these are not too many."""
        run = self._told.run
        if (
            number >= len(run.prepared.backwards)
            or grad.node.size > ENTRIES
            or not self._detail.paths
        ):
            return
        backward = run.prepared.backwards[number]
        title = self._told.names.get(grad.node)
        if title is None or grad.node in run.prepared.outputs.values():
            return
        for element_ in range(grad.node.size):
            try:
                start, known = (grad.node, element_), self._columns
                found = paths_from(run, start, title, grad.value, backward, EDGES, known)
            except GradcliError:
                return  # more than anyone would follow
            label = f"{'' if grad.held is None else 'new '}{found.name}.grad"
            yield self._ways(found, label, _index(grad.node, element_), f"{name}-p{element_}")

    def _ways(self, found: SumOverPaths, label: str, index: str, name: str) -> Element:
        """The paths of one entry."""
        total = _plain(found.grad, self._precision)
        count = f"{found.count:,} path{'' if found.count == 1 else 's'}"
        summary = element("summary", f"{label} = {total}: the sum over {count}")
        ways = [element("li", *_way(path, self._precision)) for path in found.paths]
        details = element(
            "details", summary, element("ol", *ways), class_="paths", id=name, data_index=index
        )
        if found.count > len(found.paths):
            shown = sum(path.product for path in found.paths)
            rest = _plain(found.total - shown, self._precision)
            more = f"{found.count - len(found.paths):,} more paths add up to {rest}."
            details.append(element("p", more))
        return details


def _way(path: Path, precision: int) -> Iterator[str | Element]:
    """`x[0] → y[0] → out: 2 · 0.5 · v 1 = 1`."""
    factors = [_plain(each, precision) for each in path.factors]
    yield element("code", " → ".join(path.places))
    product = " · ".join([*(f"({f})" if f[0] == "-" else f for f in factors)])
    v = _plain(path.v, precision)
    yield f": {product}{' · ' if factors else ''}v, with v = {v}, gives "
    yield _plain(path.product, precision)


@lru_cache(4096)  # paths have most of their factors in common
def _plain(value: float, precision: int) -> str:
    return arrays.number(np.float64(value), precision)


def _index(node: Node, place: int) -> str:
    return ",".join(str(int(each)) for each in np.unravel_index(place, node.shape))


def _found(grad: Grad, title: str) -> str:
    """What a pass finds, by the name that the parts of other grads have for it."""
    return "new" if grad.held is not None and grad.title == title else grad.title


def _opener(step: Step) -> str:
    stage = step.stage
    return stage.passage.title if stage.passage else f"steps {stage.stretch}"


def _door(text: str, level: str, number: int | None) -> Iterator[Element]:
    if number is not None:
        yield element(
            "button", text, type="button", class_="needs-script", hidden=True,
            data_step=f"{level}-f{number}",
        )  # fmt: skip


def _goes_in(sources: Iterable[str]) -> Iterator[Element]:
    """The place where the script shows what a step computes with."""
    found = " ".join(sources)
    if found:
        label = element("p", "What goes in:", class_="soft needs-script", hidden=True)
        yield element("div", label, element("div", class_="in", data_from=found))
        yield element("p", "What comes out:", class_="soft needs-script", hidden=True)


def _equations(formulas: Mathematics, left: str, sentence: Sentence) -> Iterator[Element]:
    """In symbols, with numbers, and what further names stand for."""
    if not sentence.text:
        return
    right = [text for text in (sentence.text, sentence.numbers) if text]
    yield equation(formulas, left, right[0]) if left else equation(formulas, right[0])
    if len(right) > 1:
        yield element("p", "with numbers: ", element("code", right[1]), class_="soft")
    for title, text in sentence.where:
        yield element(
            "div", element("span", "where"), equation(formulas, title, text), class_="where"
        )
    place, numbers, value = sentence.element
    if place:
        yield element("p", f"at [{place}]: ", element("code", f"{numbers} = {value}"),
                      class_="soft")  # fmt: skip


def _broadcast(grad: Grad, part: Part) -> Iterator[Element]:
    if part.summed_from is not None:
        yield element(
            "p",
            f"of shape {show(grad.node.shape)} it was broadcast to {show(part.summed_from)}: what "
            "comes back is summed over the copies",
        )
