"""The gradient of a program as another program, simplified."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from gradcli.analysis.spelling import NOWHERE, call, literal, name
from gradcli.analysis.unparse import unparse
from gradcli.diagnostics import GradcliError, Source
from gradcli.engine.cpu import Evaluator
from gradcli.graph import INPUT, Array, Node, ancestors
from gradcli.language.syntax import Assign, Program
from gradcli.ops.control import LEAF
from gradcli.ops.table import show
from gradcli.session import DEFAULT, Gradient, Options, Prepared, prepare
from gradcli.simplify import simplify

LARGEST = 10_000
"""An input of more elements is not written down: it has to be given again."""


@dataclass(frozen=True, slots=True)
class Derived:
    """A program that computes the gradient, and what its reader should know."""

    program: Program
    remarks: list[str]


def derive(
    program: Program,
    inputs: Mapping[str, Array],
    gradients: Sequence[Gradient] = (),
    options: Options = DEFAULT,
    draws: int = 0,
    *,
    assume_finite: bool = False,
) -> Derived:
    """The gradient as a program that binds the inputs and ends in `NAME_grad = …` for each leaf.

    Arguments and errors are those of `session.evaluate`, but for one pass only. Shapes, branches
    and numbers of steps are those of this run.
    """
    if len({gradient.output for gradient in gradients}) < len(gradients):
        raise GradcliError(
            "usage", "--gradient stands for two passes", hint="derive one pass at a time"
        )
    prepared = _prepared(program, inputs, gradients, options, draws)
    if not prepared.backwards:
        raise GradcliError("no-grad", prepared.notes[-1].message)
    (backward,) = prepared.backwards
    plain = simplify(list(backward.grads.values()), assume_finite=assume_finite)
    results = {f"{leaf}_grad": plain[node] for leaf, node in backward.grads.items()}
    taken = {*prepared.names, *prepared.leaves, *results}
    bound = _leaves(prepared) | _gradients(backward.cotangents, taken)
    feeds = {node: inputs[name] for name, node in prepared.inputs.items()}
    backward.feed(feeds, gradients)
    evaluator = Evaluator(feeds, options.limits.memory_bytes())
    names = {plain[node]: title for title, node in prepared.names.items() if node in plain}
    body = unparse(bound, results, names, taken | set(bound.values()), evaluator.value)
    start = _bindings(bound, prepared, evaluator, single=all(n.size == 1 for n in results.values()))
    return Derived(
        Program(Source("derived", ""), (*start, *body)),
        _remarks(bound, prepared),
    )


def _prepared(
    program: Program,
    inputs: Mapping[str, Array],
    gradients: Sequence[Gradient],
    options: Options,
    draws: int,
) -> Prepared:
    """The program differentiated; by the same names again if it is itself a derived one."""
    options = replace(options, values="outputs")
    prepared = prepare(program, inputs, gradients, options, draws)
    again = [name for name in prepared.names if f"{name}_grad" in prepared.names]
    if prepared.backwards or not again:
        return prepared
    return prepare(program, inputs, gradients, replace(options, wrt=tuple(again)), draws)


def _leaves(prepared: Prepared) -> dict[Node, str]:
    """Inputs, and leaves that the program makes itself, under their names."""
    made = {node: name for name, node in prepared.leaves.items() if node.op in (INPUT, LEAF)}
    return {node: name for name, node in prepared.inputs.items()} | made


def _gradients(cotangents: Mapping[str, Node], taken: set[str]) -> dict[Node, str]:
    """The gradients that go in: `v`, or `v_NAME` where there are several outputs."""
    given = {}
    for output, node in cotangents.items():
        if node.op is INPUT:
            title = "v" if len(cotangents) == 1 else f"v_{output}"
            while title in taken:
                title += "_"
            given[node] = title
    return given


def _bindings(
    bound: Mapping[Node, str], prepared: Prepared, evaluator: Evaluator, *, single: bool
) -> list[Assign]:
    """The inputs' values. They are leaves again only where that asks for no gradient vector."""
    leaves = set(_leaves(prepared)) if single else set()
    statements = []
    for node, title in bound.items():
        if node.size <= LARGEST:
            value = literal(evaluator.value(node))
            value = value if node in leaves else call("detach", value)
            statements.append(Assign(name(title), value, NOWHERE))
    return statements


def _remarks(bound: Mapping[Node, str], prepared: Prepared) -> list[str]:
    outputs = ", ".join(prepared.outputs)
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
    if any(node.op in (INPUT, LEAF) for node in ancestors(prepared.looked)):
        remarks.append("loops, branches and indices are as they were for these values")
    return remarks + [note.message for note in prepared.notes]
