"""The gradient of a program as another program, simplified."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from gradcli.analysis.single import SingleRun, run, run_rolled
from gradcli.diagnostics import Source
from gradcli.graph import INPUT, Array, Node, Shape
from gradcli.language.construct import NOWHERE, call, literal, name, quotients
from gradcli.language.parser import parse_program
from gradcli.language.printer import print_program
from gradcli.language.syntax import Assign, Program, Statement
from gradcli.ops.control import LEAF
from gradcli.ops.loops import Loop, NotRolled
from gradcli.ops.shapes import show
from gradcli.session import Gradient, Options, evaluate
from gradcli.simplify import simplify
from gradcli.spelling.loops import Unwritten
from gradcli.spelling.program import unparse
from gradcli.walks import ancestors

SHORTEST = 16
"""Loops of fewer passes, without the first two and the last two, are written out."""
CLOSE = 1e-6
"""By how much of its largest element the gradient of a derived program may be another one."""
LARGEST = 10_000
"""The values of an input with more elements are not written: it has to be given again."""


@dataclass(frozen=True, slots=True)
class Derived:
    """A program that computes the gradient, and remarks for its reader."""

    program: Program
    remarks: list[str]
    gradients: dict[Node, str]
    """The nodes of the gradients that are given, and their names."""
    shapes: dict[str, Shape]
    """Those of the inputs."""
    assume_finite: bool


def derive(run: SingleRun, *, assume_finite: bool = False) -> Derived:
    """The gradient as a program that binds the inputs and ends in `NAME_grad = …` for each leaf.

    Shapes, branches and numbers of steps are those of the run.
    """
    results = {f"{leaf}_grad": node for leaf, node in run.backward.grads.items()}
    given = _gradients(run.backward.cotangents, {*run.names, *run.leaves, *results})
    bound = leaves_of(run) | given
    body = statements(run, results, given, assume_finite=assume_finite)
    start = _bindings(bound, run, single=all(n.size == 1 for n in results.values()))
    every: tuple[Statement, ...] = (*start, *body)
    if not {*run.names, *run.leaves}.isdisjoint(("inf", "nan")):
        every = quotients(every)
    return Derived(
        Program(Source("derived", ""), every),
        _remarks(bound, run),
        given,
        {title: node.shape for node, title in bound.items()},
        assume_finite,
    )


def derive_run(
    program: Program,
    inputs: Mapping[str, Array],
    gradients: Sequence[Gradient],
    options: Options,
    *,
    assume_finite: bool = False,
) -> tuple[SingleRun, Derived]:
    """A run and its derived program, with long loops as loops where that gives the same gradient;
    else their passes are written out. Raises what `single.run` does.
    """
    asked = options._replace(shortest_loop=SHORTEST)
    traced = run_rolled(program, inputs, gradients, asked)
    grads = [*traced.backward.grads.values()]
    if any(isinstance(node.op, Loop) for node in ancestors(grads)):
        try:
            derived = derive(traced, assume_finite=assume_finite)
            if is_right(derived, traced):
                return traced, derived
        except (NotRolled, Unwritten):
            pass  # so its passes are written out
        traced = run(program, inputs, gradients, options)
    return traced, derive(traced, assume_finite=assume_finite)


def is_right(derived: Derived, run: SingleRun) -> bool:
    """Whether a derived program computes the gradient of the run."""
    text = print_program(derived.program)
    program = parse_program(Source("derived", text), run.options.limits.parse)
    named = leaves_of(run) | derived.gradients
    given = {title: run.value(node) for node, title in named.items() if node.size > LARGEST}
    options = run.options._replace(forward_only=True, outputs=(), wrt=(), values="all")
    found = evaluate(program, given, (), options).values
    for leaf, node in run.backward.grads.items():
        grad = run.value(node)
        size = float(np.max(np.abs(grad), initial=0.0, where=np.isfinite(grad)))
        close = np.allclose(found[f"{leaf}_grad"], grad, CLOSE, CLOSE * size, equal_nan=True)
        if not close:
            return False
    return True


def statements(
    run: SingleRun,
    results: Mapping[str, Node],
    given: Mapping[Node, str],
    *,
    assume_finite: bool = False,
) -> list[Statement]:
    """Assignments to the names of `results`, simplified, over inputs and `given` gradients."""
    plain = simplify(list(results.values()), assume_finite=assume_finite)
    bound = leaves_of(run) | dict(given)
    taken = {*run.names, *run.leaves, *results, *bound.values()}
    names = {plain[node]: title for title, node in run.names.items() if node in plain}
    found = {title: plain[node] for title, node in results.items()}
    return unparse(bound, found, names, taken, run.value)


def leaves_of(run: SingleRun) -> dict[Node, str]:
    """Inputs, and leaves that the program makes itself, under their names."""
    made = {node: name for name, node in run.leaves.items() if node.op in (INPUT, LEAF)}
    return {node: name for name, node in run.prepared.inputs.items()} | made


def _gradients(cotangents: Mapping[str, Node], taken: set[str]) -> dict[Node, str]:
    """The gradients that are given: `v`, or `v_NAME` where there are several outputs."""
    given = {}
    for output, node in cotangents.items():
        if node.op is INPUT:
            title = "v" if len(cotangents) == 1 else f"v_{output}"
            while title in taken:
                title += "_"
            given[node] = title
    return given


def _bindings(bound: Mapping[Node, str], run: SingleRun, *, single: bool) -> list[Assign]:
    """The inputs' values. They become leaves again only where that needs no gradient vector."""
    leaves = set(leaves_of(run)) if single else set()
    statements = []
    for node, title in bound.items():
        if node.size <= LARGEST:
            value = literal(run.value(node))
            value = value if node in leaves else call("detach", value)
            statements.append(Assign(name(title), value, NOWHERE))
    return statements


def _remarks(bound: Mapping[Node, str], run: SingleRun) -> list[str]:
    outputs = ", ".join(run.prepared.outputs)
    shapes = ", ".join(f"{title} {show(node.shape)}" for node, title in bound.items())
    remarks = [
        f"the gradient of {outputs}, for the shapes {shapes}"
        if shapes
        else f"the gradient of {outputs}"
    ]
    for node, title in bound.items():
        if node.size > LARGEST:
            remarks.append(f"{title} is too large to write down: --set {title}=@FILE")
        if node.op is INPUT and str(node.attributes[0]).startswith("gradient of "):
            remarks.append(f"{title} is the {node.attributes[0]}")
    if any(node.op in (INPUT, LEAF) for node in ancestors(run.looked)):
        remarks.append("loops, branches and indices are as they were for these values")
    return remarks + [note.message for note in run.prepared.notes]
