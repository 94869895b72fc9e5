"""Formulas for all lengths as something to keep: a function, or a module that checks itself."""

from __future__ import annotations

from gradcli.analysis.symbolic.derived import Symbolic
from gradcli.analysis.symbolic.formula import length_of
from gradcli.language.construct import NOWHERE, name
from gradcli.language.printer import print_program
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

CLOSE = 1e-6
"""By how much other libraries may round in another way, in units of the largest element."""


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


def module(derived: Symbolic, library: str) -> str:
    """A module with `value_and_grad`, which checks itself when it is run.

    Raises `usage` where the library has no function for a step.
    """
    writer = Writer(library, "float64")
    check = derived.example
    assert check is not None
    titles = [writer.title(each) for each in derived.parameters]
    kept = {each.target.id for each in derived.statements if hasattr(each.target, "id")}
    starts = [
        Assign(name(title), length_of(title, derived.shapes), NOWHERE)
        for title in derived.shapes.names
        if title not in kept
    ]
    values = [each for each in derived.values if getattr(each.target, "id", "") not in kept]
    body = writer.statements([*starts, *derived.statements, *values])
    outputs = ", ".join(map(writer.title, derived.outputs))
    results = [writer.title(each.title) for each in derived.results]
    shapes = "\n".join(
        f"    {title}: ({', '.join(map(str, shape))})"
        for title, shape in zip(titles, derived.parameters.values(), strict=True)
    )
    lines = ["", "", f"def value_and_grad({', '.join(titles)}):"]
    lines += [f'    """{sanitise(derived.remarks[0]).capitalize()}.', "", shapes, '    """']
    lines += [f"    {line}" for line in body]
    lines += [f"    return ({outputs},), ({', '.join(results)},)", "", ""]
    lines += ['if __name__ == "__main__":']
    given = ", ".join(writer.array(check.inputs[each]) for each in derived.parameters)
    wanted = ", ".join(writer.array(check.expected[each.title]) for each in derived.results)
    lines += [f"    _, found = value_and_grad({given})", f"    expected = [{wanted}]"]
    lines += ["    pairs = list(zip(found, expected))"]
    lines += ["    size = max(float(abs(b).max()) for _, b in pairs) or 1.0"]
    lines += ["    far = max(float(abs(a - b).max()) for a, b in pairs) / size"]
    lines += [f"    assert far < {CLOSE}, far", '    print(f"agrees to {far:.0e}")']
    heading = writer.heading()
    if library == "jax":
        heading.append('jax.config.update("jax_enable_x64", True)')
    if library == "torch":
        heading.append("torch.set_default_dtype(torch.float64)")
    return "\n".join(heading + lines) + "\n"
