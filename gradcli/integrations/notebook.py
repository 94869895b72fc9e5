"""Notebooks: `%load_ext gradcli`, and then cells in the language.

    %%gradcli --set x=[1,2,3] --gradient 1,0,0
    y = x**2

The answer is a table; with `--page` it is the chain rule step by step, as a page to step through.
Names of the notebook that hold numbers or arrays are inputs where the program reads them and does
not bind them itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from IPython.core.error import UsageError
from IPython.core.magic_arguments import argument, magic_arguments, parse_argstring

from gradcli.api import Answer, Page, evaluate, explain
from gradcli.data.binding import parse_binding
from gradcli.diagnostics import GradcliError, Source
from gradcli.language.parser import ParseLimits, parse_program
from gradcli.literals import literals
from gradcli.options import DEFAULT
from gradcli.report.error import render
from gradcli.trace.names import binds_unread

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from gradcli.graph import Array


def load(shell: Any) -> None:
    """What `%load_ext gradcli` does: cells may begin with `%%gradcli`."""

    @magic_arguments()
    @argument("-s", "--set", action="append", default=[], help="bind an input: x=[1,2]")
    @argument("-g", "--gradient", help="the gradient v of the output: 1,0")
    @argument("-w", "--wrt", default="", help="what to differentiate by: a,b")
    @argument("--dtype", default="float64", choices=["float64", "float32"])
    @argument("--seed", type=int, help="seed of random numbers")
    @argument("--page", action="store_true", help="explain the gradient, step by step")
    @argument("--to", help="a name of the notebook for the answer")
    def gradcli(line: str, cell: str) -> Answer | Page | None:
        """Values and gradients of a program of gradcli."""
        try:
            asked = _asked(gradcli, line)
            answer = _answer(asked, cell, shell.user_ns)
        except GradcliError as error:
            print(render(error.diagnostic))  # noqa: T201 - this is how cells tell
            return None
        if asked.to is None:
            return answer
        shell.user_ns[asked.to] = answer
        return None

    shell.register_magic_function(gradcli, "cell", "gradcli")


def _asked(magic: Any, line: str) -> Any:
    """What the first line of a cell asks for. Raises `usage`."""
    try:
        return parse_argstring(magic, line)
    except UsageError as error:
        usage = " ".join(magic.parser.format_usage().split()).strip(": ")
        raise GradcliError(
            "usage", f"%%gradcli: {error}", hint=f"a cell begins with %{usage}"
        ) from None


def _answer(asked: Any, cell: str, names: Mapping[str, Any]) -> Answer | Page:
    from inspect import unwrap

    bound = [parse_binding(_unquoted(text)) for text in asked.set]
    texts = [Source(f"--set {name}", value) for name, value in bound]
    texts += [] if asked.gradient is None else [Source("--gradient", _unquoted(asked.gradient))]
    arrays, _, _ = literals(texts, DEFAULT, DEFAULT.limits.ledger())
    inputs = _of_notebook(cell, names) | {
        name: array for (name, _), array in zip(bound, arrays, strict=False)
    }
    gradient = None if asked.gradient is None else arrays[-1]
    # errors name flags here, which the first line of a cell has, and not arguments of Python's
    answer: Callable[..., Answer | Page] = unwrap(explain if asked.page else evaluate)
    return answer(
        cell,
        inputs,
        gradient,
        wrt=[name.strip() for name in asked.wrt.split(",") if name.strip()],
        dtype=asked.dtype,
        seed=asked.seed,
    )


def _unquoted(text: str) -> str:
    """IPython leaves the quotes around an argument with blanks."""
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] in "'\"" else text


def _of_notebook(cell: str, names: Mapping[str, Any]) -> dict[str, Array]:
    """The inputs that the notebook's own names give a program."""
    program = parse_program(Source("cell", cell), ParseLimits())
    return {
        name: np.asarray(names[name], np.float64 if type(names[name]) is int else None)
        for name in sorted(program.names)
        if isinstance(names.get(name), int | float | np.ndarray | np.generic)
        and not isinstance(names[name], bool)
        and not binds_unread(program, name)
    }
