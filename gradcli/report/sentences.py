"""The equations of an explanation: each is a sentence of the language, and true.

A sentence is written in several ways, the shortest first: a call of a function as the program's
author would write it, a gradient as textbooks do, the rule of an op over its operands. It is read
and computed before it is shown, and shown only if that gives what stands on its left.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gradcli.analysis.backward import Grad, Part, ToldPass
from gradcli.analysis.explain import Explanation, Step
from gradcli.analysis.levels import Stage, nodes_of
from gradcli.analysis.meaning import Meaning
from gradcli.diagnostics import GradcliError, Source
from gradcli.graph import CONSTANT, Array, Node, Shape
from gradcli.language.construct import (
    argument,
    attribute,
    binary,
    call,
    constant,
    listed,
    name,
    number,
    subscript,
)
from gradcli.language.parser import ParseLimits, parse_expression
from gradcli.language.printer import print_expression
from gradcli.language.syntax import Expression, FunctionDefinition
from gradcli.ops.control import DETACH
from gradcli.report.arrays import IN_FULL, brief, excerpt, inline, sentence_of
from gradcli.report.calls import brief_call
from gradcli.report.plainer import plainer
from gradcli.report.writes import Overwrite, write_of, zeros
from gradcli.spelling.formula import Formulas
from gradcli.spelling.spell import arguments_of, function_of, written
from gradcli.spelling.textbook import instantiate
from gradcli.trace.items import Items
from gradcli.walks import ancestors

LEVELS = 8
"""How many ops below its node a rule shows."""
LONGEST = 240
"""No sentence is longer: what does not fit is told by its value, and can be opened."""
HELPERS = 3
"""A call whose gradient needs more further lines than this is told by its value, and can be
opened."""
MOST_HELPERS = 24
"""The same for a single op, which cannot be opened."""
SMALL = 6
"""With numbers, arrays of up to this many elements are written in full."""
EXACT = 17
"""Digits that tell every float64 from the others."""
SLACK = 2e-6
"""Constants and numbers are rounded where they are shown, by this much of the largest at most."""

_NAME = re.compile(r"(?<![\w.'\"])([^\W\d]\w*(?:\.grad\b)?)(?![\w'\"]|\s*\(|=(?!=))")


@dataclass(frozen=True, slots=True)
class Sentence:
    """What stands right of `=`, and the lines that it needs."""

    text: str
    """Over names; empty where nothing that short is true."""
    numbers: str = ""
    """The same with numbers in place of the names."""
    where: list[tuple[str, str]] = field(default_factory=list)
    """Further names in it, and what they stand for."""
    element: tuple[str, str, str] = ("", "", "")
    """Where arrays are too large for `numbers`: the first element's place, numbers and value."""


class Sentences:
    """Writes the steps of an explanation, and the grads of one of its passes."""

    def __init__(
        self, explanation: Explanation, told: ToldPass | None = None, precision: int = 6
    ) -> None:
        self._explanation = explanation
        self._precision = precision
        symbols = {} if told is None else told.symbols
        self.names = {**explanation.names, **symbols}
        self._values = {node: explanation.value(node) for node in explanation.names}
        if told is not None:
            given = {each.title: each.value for each in told.grads}
            self._values |= {symbol: given[title] for symbol, title in symbols.items()}
        self._grads = {} if told is None else {each.node: each.title for each in told.grads}
        self._arrays = {self.names[node]: array for node, array in self._values.items()}
        graph = explanation.run.prepared.graph
        definitions = [
            each for each in explanation.program.statements if isinstance(each, FunctionDefinition)
        ]
        self._meaning = Meaning(graph.precision, definitions)
        for title, array in self._arrays.items():
            self._meaning.learn(title, array)
        self._further = explanation.further
        for node, title in self._further.titles.items():
            self._meaning.learn(title, explanation.value(node))
        self._ones = {
            node
            for node in (told.outputs.values() if told else ())
            if told and node not in told.given.values() and node.size == 1
        }
        """Outputs whose grad is the 1 that needs no gradient, unless they are used as well."""

    def step(self, step: Step) -> Sentence:
        """What gives a value of the forward pass."""
        item = step.stage
        if item.single:
            return self._ruled(step.node, step.value, MOST_HELPERS)
        found = self._sentence(self._calls(item, step.node), None, step.value, 0)
        if found.text or len(item.nodes) > 1 or _is_write(item):
            return found
        return self._ruled(step.node, step.value, MOST_HELPERS)

    def rule(self, node: Node, value: Array) -> Sentence:
        """What a program computes without gradients: a node over its operands, none of them
        called detached.
        """
        below = [node, *ancestors([node])]
        while node.op is DETACH:
            (node,) = node.inputs
        for each in below:
            if each.op is DETACH and each.inputs[0] in self.names:
                self.names.setdefault(each, self.names[each.inputs[0]])
        return self._ruled(node, value, 0)

    def part(self, grad: Grad, part: Part) -> Sentence:
        """What one use of a value adds to its grad."""
        if part.through is None:
            return Sentence("")
        texts = [*self._of_write(part.through, grad.node)]
        texts += self.textbook(part.through, grad.node)
        closed = 0 if part.through.stretch else HELPERS
        most = MOST_HELPERS if part.through.single else closed
        rule = None if _is_write(part.through) else part.rule
        return self._sentence(texts, rule, part.value, most)

    def agrees(self, text: str, value: Array, slack: float = SLACK) -> bool:
        """Whether a text is a sentence with this value."""
        found = self._meaning.value(text)
        return found is not None and _same(found, value, slack)

    # --- the ways to write it ---

    def _sentence(
        self, texts: Iterable[str], rule: Node | None, value: Array, most: int
    ) -> Sentence:
        """The first of the texts that is true, or else the rule with `most` further lines."""
        for stated in texts:
            for text in (self._plainer(stated), stated):
                if text and len(text) <= LONGEST and self.agrees(text, value):
                    return self._with_numbers(text, [], value)
        if rule is None:
            return Sentence("")
        return Sentence(self.names[rule]) if rule in self.names else self._ruled(rule, value, most)

    def _ruled(self, rule: Node, value: Array, most: int) -> Sentence:
        """A node over its operands."""
        for precision in (self._precision, EXACT):
            found = self._rule(rule, precision, most)
            if found is None:
                break  # with more digits it is no shorter
            plain = "" if found.where else self._plainer(found.text)
            if plain and self.agrees(plain, value):
                return self._with_numbers(plain, [], value)
            if self.agrees(found.text, value):
                return self._with_numbers(found.text, found.where, value)
        return Sentence("")

    def _plainer(self, text: str) -> str:
        """A rule in plainer words, which may be wrong; empty where there are none."""
        read = parse_expression(Source("sentence", text), ParseLimits())
        found = print_expression(plainer(read, self._shape_of))
        return found if found != text and len(found) <= LONGEST else ""

    def _shape_of(self, expression: Expression) -> Shape | None:
        value = self._meaning.value(print_expression(expression))
        return None if value is None else value.shape

    def _rule(self, rule: Node, precision: int, most: int) -> Sentence | None:
        """A node over its operands, and for each part that is left out what its name stands for.

        None where these are more than `most`, or a line would be too long.
        """
        named = {**self.names, **self._further.titles}
        before = len(self._further.titles)
        formulas = Formulas(named, lambda node: _literal(node, precision), LEVELS)
        text = formulas.of(rule, LONGEST // 2)
        known = len(named)
        while text and len(formulas.names) > known:
            left_out = list(formulas.names)[known]
            known += 1
            too_many = len(formulas.names) - len(named) > most
            if too_many or not self._define(left_out, formulas):
                self._further.forget(before)
                return None
        where = self._needed(text)
        if not text or len(text) > LONGEST:
            return None
        return Sentence(text, where=where)

    def _define(self, node: Node, formulas: Formulas) -> bool:
        """Give a line of its own to a part that a formula leaves out; false where it is large."""
        title, array = formulas.names[node], self._explanation.value(node)
        self._meaning.learn(title, array)
        words = "" if node.op is CONSTANT else formulas.of(node, LONGEST // 2)
        for each in [*formulas.names][len(self.names) :]:
            self._meaning.learn(formulas.names[each], self._explanation.value(each))
        if not words or not self.agrees(words, array):
            if array.size > IN_FULL:
                return False
            words = print_expression(constant(array))
        self._further.titles[node] = title
        self._further.lines[title] = words
        return True

    def _needed(self, text: str) -> list[tuple[str, str]]:
        """The lines that a text needs, each behind those that it needs itself."""
        found: set[str] = set()
        stack, lines = [text], self._further.lines
        while stack:
            new = {*_NAME.findall(stack.pop())} - found
            found |= new
            stack += [lines[title] for title in new if title in lines]
        ordered = sorted(self._further.titles, key=lambda node: node.index)
        titles = [self._further.titles[node] for node in ordered]
        return [(title, lines[title]) for title in titles if title in found]

    def _calls(self, item: Stage, node: Node) -> Iterator[str]:
        """A call as the program makes it, or calls that do what a write does."""
        write = self._written(item)
        if write is not None and item.passage is not None:
            x, new = (self._tensor(item.passage.arguments[each]) for each in ("x", "values"))
            if x is not None and new is not None:
                yield from (print_expression(way(x, new)) for way in write.ways(self._index))
        text = self._call(item, node)
        if text:
            yield text

    def _written(self, item: Stage) -> Overwrite | None:
        """What a write into a tensor does."""
        if item.passage is None or not _is_write(item):
            return None
        given = item.passage.arguments
        places = np.asarray(self._explanation.value(given["places"]))
        return write_of(given["x"].shape, given["items"], places, given["values"].size)

    def _index(self, node: Node) -> Expression | None:
        """An index of a write: how it is computed, or its numbers."""
        return self._formula(node) if node not in self.names else name(self.names[node])

    def _of_write(self, item: Stage, operand: Node) -> Iterator[str]:
        """What a write gives back: nothing where it wrote, to what was there before; and to what
        was put there what it has become.
        """
        write = self._written(item)
        if write is None or item.passage is None:
            return
        given = item.passage.arguments
        change = self._results(item.passage.result).get("cotangent")
        if change is None or given["x"] is given["values"]:
            return
        if given["x"] is operand:
            for way in write.ways(self._index):
                for nothing in zeros(write.places.shape):
                    yield print_expression(way(change, nothing))
        elif given["values"] is operand:
            for each in write.picked(change, self._index):
                yield print_expression(each)

    def _call(self, item: Stage, node: Node) -> str:
        """A call as the program makes it; empty for what is not one."""
        passage = item.passage
        if passage is None or passage.kind not in ("call", "function"):
            return ""
        operands = self._operands(passage.arguments)
        if not operands.keys() >= passage.arguments.keys():
            return ""
        if passage.function is None:
            text: Expression = call(passage.title, *operands.values())
        else:
            text = brief_call(passage.function, passage.arguments, operands)
        if isinstance(passage.result, tuple | Items):
            place = nodes_of(passage.result).index(node)
            fields = getattr(passage.result, "_fields", None)
            picked = subscript(text, [number(float(place))])
            text = attribute(text, fields[place]) if fields else picked
        return print_expression(text)

    def textbook(self, item: Stage, operand: Node) -> Iterator[str]:
        """The gradients that the entry of a function states, for the arguments of this call."""
        if item.single:
            node = item.nodes[-1]
            function, result = function_of(node.op), node
            arguments = arguments_of(function, node) if function else {}
        elif item.passage is not None and item.passage.function is not None:
            function, result = item.passage.function, item.passage.result
            arguments = dict(item.passage.arguments)
        else:
            return
        if item.single:
            yield from self._by_derivative(item.nodes[-1], operand)
        places = [title for title, value in arguments.items() if value is operand]
        if function is None or len(places) != 1 or places[0] not in function.gradients:
            return
        for parameter in function.parameters:
            arguments.setdefault(parameter.name, parameter.default)
        operands = self._operands(arguments)
        shapes = {
            title: value.shape for title, value in arguments.items() if isinstance(value, Node)
        }
        missing = {title: argument(None) for title in arguments if title not in operands}
        operands |= missing | self._results(result)
        if isinstance(result, Node):
            shapes["result"] = result.shape
        stated = function.gradients[places[0]]
        for text in (stated,) if isinstance(stated, str) else stated:
            try:
                yield print_expression(instantiate(text, operands, shapes))
            except (GradcliError, IndexError):
                continue  # it is for other arguments

    def _by_derivative(self, node: Node, operand: Node) -> Iterator[str]:
        """The derivative that textbooks give for a function of one number, times the cotangent."""
        known = self._results(node)
        if len(node.op.textbook) != 1 or node.inputs != (operand,) or "cotangent" not in known:
            return
        x = self._tensor(operand)
        if x is not None:
            text = f"cotangent * ({node.op.textbook[0]})"
            named = {"x": x, "y": known["result"], "cotangent": known["cotangent"]}
            yield print_expression(instantiate(text, named, {}))

    def _results(self, result: Any) -> dict[str, Expression]:
        """`result` and `cotangent`, or those of each field."""
        found: dict[str, Expression] = {}
        fields = getattr(result, "_fields", ())
        pairs = zip(fields, result, strict=True) if fields else [("", result)]
        for title, node in pairs:
            end = f".{title}" if title else ""
            if isinstance(node, Node) and node in self.names:
                found[f"result{end}"] = name(self.names[node])
                grad = self._grads.get(node)
                if grad is not None:
                    one = node in self._ones and bool(np.all(self._arrays[grad] == 1))
                    found[f"cotangent{end}"] = number(1.0) if one else name(grad)
        return found

    def _operands(self, arguments: Mapping[str, Any]) -> dict[str, Expression]:
        """The arguments of a call as expressions, without those that are too long."""
        tensors = [each for each in arguments.values() if isinstance(each, Node)]
        ndim = tensors[0].ndim if tensors else 0
        found: dict[str, Expression] = {}
        for title, value in arguments.items():
            expression = self._operand(title, value, ndim)
            if expression is not None:
                found[title] = expression
        return found

    def _operand(self, title: str, value: Any, ndim: int) -> Expression | None:
        if isinstance(value, Node):
            return self._tensor(value)
        if isinstance(value, list | Items) or (isinstance(value, tuple) and nodes_of(value)):
            items = [self._operand(title, each, ndim) for each in value]
            return None if None in items else listed([each for each in items if each is not None])
        try:
            return written(title, value, ndim)
        except (TypeError, AttributeError):
            return None  # a range, or what else a program may pass

    def _tensor(self, node: Node) -> Expression | None:
        """A tensor among arguments: its name, its numbers, or its formula."""
        if node in self.names:
            return name(self.names[node])
        if node.known is not None:
            return constant(np.asarray(node.known)) if node.size <= 2 * SMALL else None
        below = ancestors([node])
        if node.size <= 2 * SMALL and all(each.op is CONSTANT or each.inputs for each in below):
            return constant(np.asarray(self._explanation.value(node)))
        return self._formula(node)

    def _formula(self, node: Node) -> Expression | None:
        """A tensor over those that have a name; None where that needs further lines."""
        if node.known is not None:
            return constant(np.asarray(node.known)) if node.size <= 2 * SMALL else None
        formula = self._rule(node, EXACT, 0)
        if formula is None or formula.where:
            return None
        return parse_expression(Source("sentence", formula.text), ParseLimits())

    # --- with numbers ---

    def _with_numbers(self, text: str, where: list[tuple[str, str]], value: Array) -> Sentence:
        used = {title for title in _NAME.findall(text) if title in self._arrays}
        if where or not used:
            return Sentence(text, where=where)
        arrays = {title: self._arrays[title] for title in used}
        if all(array.size <= SMALL for array in arrays.values()):
            numbers = _replaced(text, {t: self._short(array) for t, array in arrays.items()})
            return Sentence(text, numbers if self._close(numbers, value) else "")
        return Sentence(text, element=self._element(text, arrays, value))

    def _element(
        self, text: str, arrays: Mapping[str, Array], value: Array
    ) -> tuple[str, str, str]:
        """The first element with numbers, where it depends on those of the same place alone."""
        try:
            at_place = {
                title: np.asarray(np.broadcast_to(array, value.shape)[(0,) * value.ndim])
                for title, array in arrays.items()
            }
        except (ValueError, IndexError):
            return "", "", ""
        first = np.asarray(value[(0,) * value.ndim])
        numbers = _replaced(text, {t: self._short(array) for t, array in at_place.items()})
        if not self._close(numbers, first):
            return "", "", ""
        place = ", ".join("0" * value.ndim)
        return place, numbers, sentence_of(first, self._precision, LONGEST)

    def _close(self, numbers: str, value: Array) -> bool:
        found = self._meaning.value(numbers) if len(numbers) <= LONGEST else None
        return found is not None and _same(found, value, 5 * SLACK)

    def _short(self, array: Array) -> str:
        text = sentence_of(array, self._precision, LONGEST)
        return f"({text})" if text.startswith("-") else text


def _is_write(item: Stage) -> bool:
    return item.passage is not None and item.passage.kind == "write"


def _literal(node: Node, precision: int) -> str | None:
    """A constant that is written where it is used."""
    if node.known is None or not 0 < node.size <= SMALL:
        return None
    short = brief(node.known, precision)
    if short is not None or precision < EXACT:
        return short or inline(excerpt(node.known), precision, LONGEST)
    return print_expression(constant(np.asarray(node.known)))


def summand(text: str) -> str:
    """An expression as a term of a sum: in brackets where it binds less, as `w == y` does."""
    read = parse_expression(Source("sentence", text), ParseLimits())
    added = print_expression(binary("+", read, name("x")))
    return f"({text})" if added == f"({print_expression(read)}) + x" else text


def added(terms: Iterable[str]) -> str:
    """Terms as one sum: a minus in front of a term that follows another is its sign."""
    first, *others = terms
    signed = (f"- {term[1:]}" if term.startswith("-") else f"+ {term}" for term in others)
    return " ".join([first, *signed])


def _replaced(text: str, numbers: Mapping[str, str]) -> str:
    return _NAME.sub(lambda match: numbers.get(match[1], match[1]), text)


def _same(found: Array, value: Array, slack: float = SLACK) -> bool:
    """Whether arrays have one shape and the same numbers, apart from rounding."""
    if found.shape != value.shape:
        return False
    finite = np.abs(value[np.isfinite(value)]) if value.dtype.kind == "f" else np.abs(value * 1)
    size = float(np.max(finite, initial=0.0))
    with np.errstate(all="ignore"):
        return bool(
            np.allclose(found, value, rtol=slack, atol=slack * size + 1e-300, equal_nan=True)
        )
