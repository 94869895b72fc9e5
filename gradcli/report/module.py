"""A gradient as something to keep: a function of the language, or a module for another library that
checks itself when it is run.

Without values, and for NumPy, a module computes the derived formulas. For PyTorch and JAX, with
values, it is the program itself, which they differentiate.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from gradcli.analysis.reproduce import Reproduction
from gradcli.analysis.symbolic.derived import Symbolic
from gradcli.analysis.symbolic.formula import length_of
from gradcli.diagnostics import GradcliError
from gradcli.graph import Array
from gradcli.language.construct import NOWHERE, name, number
from gradcli.language.printer import print_program
from gradcli.language.rewrite import with_values
from gradcli.language.syntax import (
    Assign,
    FormalParameter,
    FunctionDefinition,
    Return,
    Statement,
    Tuple,
)
from gradcli.report.dialects import Writer
from gradcli.report.sanitise import sanitise
from gradcli.trace.expressions import CONSTANTS

CLOSE = 1e-6
"""By how much formulas may round in another way, in units of the largest element."""
OTHERWISE = 100.0
"""Another way to the same gradient may differ by this many times the measured rounding error."""
LARGEST = 10_000
"""Arrays of more elements are read from their file; of such gradients some elements are compared.
"""
COMPARED = 100
"""So many of them, about."""


KINDS = {"gradient": "gradient", "jacobian": "Jacobian", "hessian": "Hessian"}


def function(derived: Symbolic) -> str:
    """`def grad(…) { … }`, with all that it needs as parameters."""
    parameters = tuple(FormalParameter(each, None, NOWHERE) for each in derived.parameters)
    results = tuple(name(each.title) for each in derived.results)
    value = results[0] if len(results) == 1 else Tuple(results, NOWHERE)
    body: tuple[Statement, ...] = (*derived.statements, Return(value, NOWHERE))
    title = "grad" if derived.order == "gradient" else derived.order
    defined = FunctionDefinition(title, parameters, body, (), NOWHERE)
    text = print_program(derived.program._replace(statements=(defined,)))
    return "".join(f"# {sanitise(each)}\n" for each in derived.remarks) + text


def of_formulas(derived: Symbolic, library: str) -> str:
    """The module for formulas without values.

    Raises `usage` where the library has no function for a step.
    """
    writer = Writer(library, "float64")
    check = derived.example
    assert check is not None
    kept = {each.target.id for each in derived.statements if hasattr(each.target, "id")}
    starts = [
        Assign(name(title), length_of(title, derived.shapes), NOWHERE)
        for title in derived.shapes.names
        if title not in kept
    ]
    values = [each for each in derived.values if getattr(each.target, "id", "") not in kept]
    own = {*kept, *derived.parameters}
    known = {each: number(value) for each, value in CONSTANTS.items() if each not in own}
    body = [
        Assign(each.target, with_values(each.value, known), each.span)
        for each in (*starts, *derived.statements, *values)
    ]
    expected = [check.expected[each.title] for each in derived.results]
    largest = max(float(np.max(np.abs(each), initial=0.0)) for each in expected) or 1.0
    made = _Module(
        about=_about(
            derived.outputs,
            KINDS[derived.order],
            dict.fromkeys(leaf for each in derived.results for leaf in each.leaves),
        ),
        parameters={
            each: f"({', '.join(map(str, shape))})" for each, shape in derived.parameters.items()
        },
        body=[
            *writer.statements(body),
            _returned(writer, derived.outputs, [each.title for each in derived.results]),
        ],
        arguments={each: writer.array(check.inputs[each]) for each in derived.parameters},
        checks=[
            f"difference(found[{place}], {writer.array(each)}, rtol=0, atol={CLOSE * largest:.0e})"
            for place, each in enumerate(expected)
        ],
    )
    return made.text(writer)


def of_run(told: Reproduction, library: str, files: Mapping[str, str] | None = None) -> str:
    """The module for one run; `files` are the calls with which NumPy reads the files of arrays.

    Raises `usage` where the library has no function for a step, and for large arrays that are in
    no file.
    """
    writer = Writer(library, told.dtype)
    body = _by_formulas if library == "numpy" or told.intermediate else BODIES[library]
    arrays = told.arrays | told.given
    made = _Module(
        about=_about(list(told.seeds), "gradient", told.grads),
        parameters={each: str(array.shape) for each, array in arrays.items()},
        body=body(told, writer),
        arguments={
            each: _argument(each, array, (files or {}).get(each, ""), writer)
            for each, array in arrays.items()
        },
        checks=[_check(place, leaf, told, writer) for place, leaf in enumerate(told.grads)],
    )
    return made.text(writer)


@dataclass(frozen=True, slots=True)
class _Module:
    """What stands in a module, in the words of its library."""

    about: str
    parameters: Mapping[str, str]
    """Their shapes, by their names in the language."""
    body: Sequence[str]
    """Lines of the function, which end in `return values, gradients`."""
    arguments: Mapping[str, str]
    """What it is called with to check it."""
    checks: Sequence[str]
    """Calls of `difference`."""

    def text(self, writer: Writer) -> str:
        """The whole module."""
        writer.used.add("difference")
        titles = {each: writer.title(each) for each in self.parameters}
        lines = [f"def value_and_grad({', '.join(titles.values())}):"]
        if writer.library == "torch":  # whose functions make float32 otherwise
            writer.used.add("computes_in")
            lines.insert(0, f"@computes_in(torch.{writer.dtype})")
        lines += [f'    """{sanitise(self.about)}', ""]
        lines += [f"    {titles[each]}: {shape}" for each, shape in self.parameters.items()]
        lines += ['    """', *(f"    {line}".rstrip() for line in self.body), "", ""]
        lines += ['if __name__ == "__main__":', "    values, found = value_and_grad("]
        lines += [f"        {titles[each]}={text}," for each, text in self.arguments.items()]
        lines += ["    )", "    differences = ["]
        lines += [f"        {each}," for each in self.checks]
        lines += ["    ]", '    print(f"agrees to {max(differences):.0e}")']
        return "\n".join(writer.heading() + _settings(writer) + lines) + "\n"


def _about(outputs: Sequence[str], kind: str, leaves: Iterable[str]) -> str:
    return f"The value of {', '.join(outputs)}, and the {kind} by {', '.join(leaves)}."


def _settings(writer: Writer) -> list[str]:
    """What the library has to be told first."""
    if writer.library == "jax":
        return ['jax.config.update("jax_enable_x64", True)', "", ""]
    return []


def _returned(writer: Writer, outputs: Sequence[str], grads: Sequence[str]) -> str:
    values, found = (_tuple(map(writer.title, each)) for each in (outputs, grads))
    return f"return {values}, {found}"


def _tuple(titles: Iterable[str]) -> str:
    first, *others = titles
    return f"({', '.join([first, *others])})" if others else f"({first},)"


# --- one run -----------------------------------------------------------------------------------


def _by_formulas(told: Reproduction, writer: Writer) -> list[str]:
    grads = [f"{leaf}_grad" for leaf in told.grads]
    return [*writer.statements(told.derivative), _returned(writer, list(told.seeds), grads)]


def _by_autograd(told: Reproduction, writer: Writer) -> list[str]:
    """PyTorch refuses to differentiate what no path leads to."""
    leaves = [writer.title(each) for each in told.grads]
    lines = [f"{each} = {each}.detach().requires_grad_()" for each in leaves]
    lines += writer.statements(told.forward)
    outputs, given = _ends(told, writer)
    call, more = "torch.autograd.grad", ", allow_unused=True, materialize_grads=True"
    if not any(grad.any() for grad in told.grads.values()):
        call, more = "gradients", ""
        writer.used.add(call)
    every = ", ".join(leaves)
    return [*lines, f"return ({outputs},), {call}([{outputs}], [{every}], [{given}]{more})"]


def _by_vjp(told: Reproduction, writer: Writer) -> list[str]:
    leaves = ", ".join(map(writer.title, told.grads))
    outputs, given = _ends(told, writer)
    return [
        f"def f({leaves}):",
        *(f"    {line}" for line in writer.statements(told.forward)),
        f"    return [{outputs}]",
        "",
        f"values, pull = jax.vjp(f, {leaves})",
        f"return values, pull([{given}])",
    ]


BODIES = {"torch": _by_autograd, "jax": _by_vjp}


def _ends(told: Reproduction, writer: Writer) -> tuple[str, str]:
    """The outputs, and their gradients."""
    given = [
        writer.title(seed) if isinstance(seed, str) else writer.array(seed)
        for seed in told.seeds.values()
    ]
    return ", ".join(map(writer.title, told.seeds)), ", ".join(given)


def _argument(title: str, array: Array, file: str, writer: Writer) -> str:
    if file:
        writer.used.add("np")
    elif array.size > LARGEST:
        raise GradcliError(
            "usage",
            f"{title} has {array.size:,} elements, too many to write into a module",
            hint=f"save it as {title}.npy and give it as @{title}.npy, which the module reads",
        )
    return writer.array(array, file)


def _check(place: int, leaf: str, told: Reproduction, writer: Writer) -> str:
    """Other libraries round in another order, and where terms cancel, what is left may be rounding
    error only.
    """
    grad, found = told.grads[leaf], f"found[{place}]"
    relative = 1e-9 if told.dtype == "float64" else 1e-4
    largest = float(np.max(np.abs(grad), initial=0.0, where=np.isfinite(grad)))
    absolute = max(relative / 1e3 * (largest or 1.0), OTHERWISE * told.noise[leaf])
    if grad.size > LARGEST:
        step = grad.size // COMPARED
        grad, found = grad.reshape(-1)[::step], f"{found}.reshape(-1)[::{step}]"
    return f"difference({found}, {writer.array(grad)}, rtol={relative:.0e}, atol={absolute:.0e})"
