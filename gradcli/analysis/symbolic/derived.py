"""Derivation for shapes of any lengths, none of which is given unless it passed a check."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product
from typing import TypeVar

from gradcli.algebra.algebra import Rewrites
from gradcli.algebra.identities import PLAIN, REWRITES
from gradcli.algebra.reading import Unsaid
from gradcli.analysis.symbolic.checked import CheckedPoint, check_points, close
from gradcli.analysis.symbolic.columns import Form, as_they_are, columns
from gradcli.analysis.symbolic.formula import (
    FORMULAS,
    Derivation,
    Order,
    Traced,
    Wanted,
    length_of,
    traced,
    with_lengths,
)
from gradcli.analysis.symbolic.naming import named
from gradcli.analysis.symbolic.sizes import Lengths, Shapes
from gradcli.analysis.symbolic.wording import in_words
from gradcli.diagnostics import GradcliError, Source
from gradcli.language.construct import NOWHERE, name
from gradcli.language.parser import ParseLimits, parse_program
from gradcli.language.printer import print_program
from gradcli.language.syntax import Assign, Expression, Index, Name, Program, Syntax
from gradcli.options import DEFAULT, Options
from gradcli.session import evaluate
from gradcli.trace.expressions import CONSTANTS
from gradcli.trace.names import free_names
from gradcli.walks import ancestors, upstream


@dataclass(frozen=True, slots=True)
class Symbolic:
    """Derivation of derivatives, and what they need."""

    shapes: Shapes
    order: Order
    outputs: tuple[str, ...]
    results: list[Wanted]
    statements: list[Assign]
    """They end in an assignment to each of the results."""
    seeds: dict[str, Lengths]
    """Gradients of outputs, which are parameters, and their shapes."""
    remarks: list[str]
    values: list[Assign]
    """The outputs, over the inputs and lengths."""
    example: CheckedPoint | None = None
    """A point at which the formulas were checked."""

    @property
    def parameters(self) -> dict[str, Lengths]:
        """All that the formulas need, and its shapes."""
        return dict(self.shapes.lengths) | self.seeds

    @property
    def program(self) -> Program:
        return Program(Source("derived", ""), tuple(self.statements))


def derive_for_all(
    program: Program,
    shapes: Mapping[str, Lengths],
    order: Order = "gradient",
    options: Options = DEFAULT,
    rewrites: Rewrites = REWRITES,
) -> Symbolic:
    """The derivative of a program for all lengths of its inputs, which have these shapes; a name
    without a shape is a single number.

    Raises what tracing raises; `value` where values decide how the program goes on, and where no
    formula passes the check, as lengths change the program.
    """
    program = with_lengths(program, shapes)
    lengths = {
        title: shapes.get(title, ())
        for title in free_names(program)
        if title in shapes or title not in CONSTANTS
    }
    for title in shapes:
        if title not in program.names:
            raise GradcliError(
                "name", f"--shape {title}: the program does not mention {title}",
                hint="leave it out, or use the name",
            )  # fmt: skip
    known, run = _traced(program, Shapes(lengths, _places(program, lengths)), options)
    if not run.outputs or not run.leaves:
        raise GradcliError("no-grad", "there is nothing to differentiate by", hint="name an input")
    _require_steady(program, known, run, options)
    checks = list(check_points(program, known, order, options))
    forms = (columns, as_they_are) if _has_columns(known) else (as_they_are,)
    for (chosen, without), form in product(_attempts(rewrites), forms):
        found = _found(run, known, order, chosen, form)
        if found is not None and _holds(found, checks):
            if without:
                found.remarks.append(
                    f"not simplified by {without}: what it gave was not the gradient"
                )
            return replace(found, example=checks[0])
    raise GradcliError(
        "value",
        "no formula was found that passes its check at other lengths",
        hint=f"give numbers for them: --shape {_example(known)}",
    )


def _attempts(rewrites: Rewrites) -> Iterator[tuple[Rewrites, str]]:
    """All rewrites; then all but one, which may be wrong; then none."""
    yield rewrites, ""
    for term in rewrites.terms:
        yield replace(rewrites, terms=_other(rewrites.terms, term)), _name(term)
    for atom in rewrites.atoms:
        yield replace(rewrites, atoms=_other(rewrites.atoms, atom)), _name(atom)
    for total in rewrites.sums:
        yield replace(rewrites, sums=_other(rewrites.sums, total)), _name(total)
    for end in rewrites.last:
        yield replace(rewrites, last=_other(rewrites.last, end)), _name(end)
    yield PLAIN, "any identity"


T = TypeVar("T")


def _other(several: Sequence[T], one: T) -> tuple[T, ...]:
    return tuple(each for each in several if each is not one)


def _name(rewrite: object) -> str:
    return getattr(rewrite, "__name__", "a rewrite")


def _example(shapes: Shapes) -> str:
    title, lengths = next((x for x in shapes.lengths.items() if x[1]), ("x", (3,)))
    return f"{title}={','.join('3' if isinstance(n, str) else str(n) for n in lengths)}"


def _places(program: Program, lengths: Mapping[str, Lengths]) -> frozenset[str]:
    """The single numbers that stand alone between the brackets of an index."""
    items = (item for part in _parts(program) if isinstance(part, Index) for item in part.items)
    names = (item.id for item in items if isinstance(item, Name))
    return frozenset(name for name in names if lengths.get(name) == ())


def _traced(program: Program, shapes: Shapes, options: Options) -> tuple[Shapes, Traced]:
    """The program over symbols; inputs through which no gradient can flow hold whole numbers."""
    marks = shapes.marks(program.source.text)
    try:
        run = traced(program, shapes, options, marks)
    except GradcliError as error:
        if error.diagnostic.code != "type":
            raise _with_names(error, marks).located(program.source, None) from None
        names = list(shapes.lengths)
        for count in (1, 2):
            for whole in combinations(names, count):
                again = replace(shapes, whole=shapes.whole.union(whole))
                try:
                    return again, traced(program, again, options, marks)
                except GradcliError as other:
                    if other.diagnostic.code == "value":
                        error = other
        raise _with_names(error, marks).located(program.source, None) from None
    labels = frozenset(_labels(run))
    if labels == shapes.whole:
        return shapes, run
    again = replace(shapes, whole=labels)
    return again, traced(program, again, options, marks)


def _with_names(error: GradcliError, marks: Mapping[str, int]) -> GradcliError:
    """An error that speaks of the lengths by their names, and not by the numbers for these."""
    names = {str(length): title for title, length in marks.items()}
    number = re.compile(rf"\b({'|'.join(names)})\b")
    found = error.diagnostic

    def reworded(text: str) -> str:
        return number.sub(lambda each: names[each[0]], text) if names else text

    hint = found.hint and reworded(found.hint)
    error.diagnostic = found._replace(message=reworded(found.message), hint=hint)
    return error


def _require_steady(program: Program, shapes: Shapes, run: Traced, options: Options) -> None:
    """Raise `value` for lengths that change the steps of the program, as counts of a loop do."""
    others = shapes.marks(program.source.text, skipped=len(shapes.names))
    for title, length in others.items():
        try:
            again = traced(program, shapes, options, run.marks | {title: length})
            steady = again.steps == run.steps
        except GradcliError:
            steady = False
        if not steady:
            raise GradcliError(
                "value",
                f"{title} changes what the program does, so the formula is another one for each "
                f"{title}",
                hint=f"give a number for it: --shape {_example(shapes)}",
            )


def _labels(run: Traced) -> list[str]:
    """The inputs that the outputs depend on, though no gradient flows back to them."""
    outputs = list(run.outputs.values())
    linked, reached = set(ancestors(outputs)), set(upstream(outputs))
    return [x for x, node in run.inputs.items() if node in linked and node not in reached]


def _has_columns(shapes: Shapes) -> bool:
    return any(len(each) == 2 and each[1] == 1 for each in shapes.lengths.values())


def _found(
    run: Traced, shapes: Shapes, order: Order, rewrites: Rewrites, form: Form
) -> Symbolic | None:
    """The formulas as statements; None where the language has no words for a step."""
    formulas = Derivation(run, rewrites)
    try:
        read = formulas.read if order == "gradient" else formulas.read_matrix
        results = {result: read(x) for result, x in FORMULAS[order](formulas)}
        known = formulas.known()
    except Unsaid:
        return None
    words = {} if _has_columns(shapes) else formulas.words()

    def write(tree: Expression) -> Expression:
        return in_words(form(tree), words)  # type: ignore[no-any-return]

    titles = {result.title: write(tree) for result, tree in results.items()}
    known = {title: write(tree) for title, tree in known.items()}
    body = named(titles, known, {*shapes.lengths, *shapes.names, *formulas.seeds.values()})
    used = {each for statement in body for each in _names(statement.value)}
    start = [
        Assign(name(title), length_of(title, shapes), NOWHERE)
        for title in shapes.names
        if title in used
    ]
    marks = {length: title for title, length in run.marks.items()}
    seeds = {
        title: tuple(marks.get(n, n) for n in run.outputs[output].shape)
        for output, title in formulas.seeds.items()
    }
    return Symbolic(
        shapes, order, tuple(run.outputs), list(results), [*start, *body], seeds,
        _remarks(run, shapes, order, formulas.seeds),
        [Assign(name(title), form(x), NOWHERE) for title, x in formulas.values().items()],
    )  # fmt: skip


def _names(tree: Expression) -> Iterator[str]:
    return (part.id for part in _parts(tree) if isinstance(part, Name))


def _parts(tree: object) -> Iterator[object]:
    """All that stands in a tree."""
    waiting = [tree]
    while waiting:
        part = waiting.pop()
        yield part
        if isinstance(part, tuple):
            waiting += part
        elif isinstance(part, Syntax):
            waiting += [getattr(part, each) for each in part.__slots__]


def _remarks(run: Traced, shapes: Shapes, order: Order, seeds: Mapping[str, str]) -> list[str]:
    outputs = ", ".join(run.outputs)
    given = ", ".join(
        f"{title} ({', '.join(map(str, lengths))})" for title, lengths in shapes.lengths.items()
        if lengths
    )  # fmt: skip
    every = f" for all {', '.join(shapes.names)}" if shapes.names else ""
    kind = {"gradient": "gradient", "jacobian": "Jacobian", "hessian": "Hessian"}[order]
    remarks = [f"the {kind} of {outputs}{every}" + (f": {given}" if given else "")]
    remarks += [f"{title} holds whole numbers" for title in sorted(shapes.whole)]
    return remarks + [f"{title} is the gradient of {output}" for output, title in seeds.items()]


def _holds(found: Symbolic, checks: Sequence[CheckedPoint]) -> bool:
    """Whether the formulas, read back from their text, give the derivatives at all points; they
    may have no value where all derivatives vanish, as `det(X) * inv(X)` at singular matrices.
    """
    try:
        program = parse_program(Source("derived", print_program(found.program)), ParseLimits())
    except GradcliError:
        return False
    computed = 0
    for check in checks:
        inputs = {k: v for k, v in check.inputs.items() if k in program.names}
        options = Options(forward_only=True, seed=0)
        try:
            values = evaluate(program, inputs, (), options).values
        except GradcliError:
            if check.vanishes:
                continue
            return False
        computed += 1
        for result in found.results:
            if not close(values[result.title], check.expected[result.title]):
                return False
    return bool(computed)
