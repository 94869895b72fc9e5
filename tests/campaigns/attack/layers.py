"""What a program is put through: the parser, all that answers a record of a batch, or one of the
commands with one of its outputs.
"""

from __future__ import annotations

import io
import re
import sys
import traceback
from collections.abc import Mapping
from contextlib import redirect_stdout
from importlib import import_module
from inspect import signature
from random import Random
from typing import Any

import orjson

from gradcli.batch.answer import Answerer, Settings
from gradcli.batch.items import Item, Kind
from gradcli.cli.deadline import deadline
from gradcli.diagnostics import GradcliError, Source
from gradcli.language.parser import parse_program
from gradcli.session import SAFE, Options
from tests.campaigns.attack.composed import Value
from tests.campaigns.attack.texts import INPUTS

SECONDS = 4.0
"""`--timeout` of a run."""
MEMORY = "256M"
VALUES = (
    "2", "-0.5", "0", "1,2", "[[1,2],[3,4]]", "[[1,-2,0.5],[3,4,-1]]", "[0,0]", "nan,1", "zeros(0)",
    "zeros(2,0)", "[[[1,2],[3,4]]]", "1e300,-1", "[True,False]", "linspace(-1,1,5)", "[2]", "inf",
)  # fmt: skip
ENTRIES = ("x[0]", "x[0,1]", "x", "w[1]", "b", "x[-1]", "y[0]")
RUNS: tuple[tuple[str, Mapping[str, Any]], ...] = (
    ("eval", {"format_": "text"}),
    ("eval", {"format_": "json"}),
    ("eval", {"format_": "csv"}),
    ("eval", {"format_": "json", "retain_grad": ["all"]}),
    ("eval", {"format_": "text", "tree": True, "precision": 17}),
    *(("graph", {"format_": form}) for form in ("tree", "dot", "mermaid", "json", "svg")),
    *(("derive", {"to": to}) for to in ("gradcli", "latex", "numpy", "torch", "jax")),
    ("derive", {"to": "gradcli", "assume_finite": True}),
    *(("explain", {"format_": form}) for form in ("text", "markdown", "latex")),
    ("explain", {"entry": "random"}),
    ("check", {"format_": "text"}),
    ("check", {"format_": "json", "order": 2}),
    ("check", {"format_": "text", "mine": ["x=2*x"]}),
    *((name, {"format_": form}) for name in ("jacobian", "hessian") for form in ("text", "json")),
    ("jvp", {"format_": "json", "tangent": ["1"]}),
    ("hvp", {"format_": "text", "vector": ["1"]}),
)
"""Commands and what they are asked for."""


def through_parser(text: str) -> str | None:
    """The traceback of what the parser raises, unless it is an error with a message."""
    try:
        parse_program(Source("program", text), SAFE.parse)
    except GradcliError:
        return None
    except Exception:  # noqa: BLE001
        return traceback.format_exc()
    return None


def answerer() -> Answerer:
    """What answers records, with the limits for untrusted text."""
    return Answerer(Settings(Options(limits=SAFE)))


def through_record(answers: Answerer, text: str, inputs: Mapping[str, Value]) -> str | None:
    """The same for parser, trace, derivatives, plan, run and answer as JSON, with gradient 1."""
    record = orjson.dumps({"program": text, "set": inputs, "gradient": 1})
    with deadline(SECONDS):
        answer = answers.answer(Item(0, 1, Kind.LINE, record))
    error = orjson.loads(answer[1:]).get("error")
    return error["message"] if error and error["code"] == "internal" else None


def arguments(
    text: str, random: Random, inputs: Mapping[str, Value] | None = None
) -> tuple[str, dict[str, Any]]:
    """A command, and its parameters; a text without known inputs gets values by chance."""
    command, asked = random.choice(RUNS)
    parameters: dict[str, Any] = {
        "program": text,
        "timeout": str(SECONDS),
        "max_memory": MEMORY,
        **asked,
    }
    parameters["set_"] = (
        [
            f"{name}={random.choice(VALUES)}"
            for name in INPUTS
            if re.search(rf"\b{name}\b", text) and random.random() < 0.9
        ]
        if inputs is None
        else [f"{name}={value}" for name, value in inputs.items()]
    )
    if command not in ("jvp",) and random.random() < 0.5:
        parameters["gradient"] = [random.choice(("1", "1", "-0.5", "1,2"))]
    if parameters.get("entry"):
        parameters["entry"] = random.choice(ENTRIES)
    if random.random() < 0.1:
        parameters["dtype"] = "float32"
    if random.random() < 0.2:
        parameters["safe"] = True
    parameters["seed"] = 1
    return command, parameters


def through_command(command: str, parameters: Mapping[str, Any]) -> str | None:
    """The same for a whole command, its answer written and thrown away."""
    run = import_module(f"gradcli.cli.{command}").command
    defaults = {
        name: each.default
        for name, each in signature(run).parameters.items()
        if each.default is not each.empty
    }
    before = sys.stdout
    try:
        with redirect_stdout(io.TextIOWrapper(io.BytesIO(), "utf-8")):
            run(**{**defaults, **parameters})
    except (GradcliError, MemoryError):
        return None
    except Exception:  # noqa: BLE001
        return traceback.format_exc()
    finally:
        sys.stdout = before
    return None
