"""From flags to what `gradcli.session.evaluate` takes: the program, its inputs, its gradients."""

from __future__ import annotations

import os
import re
import sys
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from typing import TypeAlias

from gradcli.cli import streams
from gradcli.data.binding import parse_binding, parse_gradient
from gradcli.data.text import SCRIPT, open_binary, read_text
from gradcli.diagnostics import GradcliError, Source
from gradcli.graph import Array, Precision
from gradcli.language.parser import ParseLimits, parse_expression, parse_program
from gradcli.language.syntax import Program, Tuple
from gradcli.ledger import Ledger
from gradcli.literals import literals
from gradcli.session import Gradient, Limits, Options
from gradcli.tuples import NamedTuple

_NAME = re.compile(r"[^\W\d]\w*")
_SIZE = r"([0-9]{1,15}(?:\.[0-9]+)?)\s*([KMGTkmgt]?)(?:[Ii]?[Bb])?"
_TIME = r"([0-9]+(?:\.[0-9]*)?(?:e[-+]?[0-9]+)?|\.[0-9]+)\s*(ms|s|m|min|h|d|)"
_SECONDS = {"": 1.0, "ms": 0.001, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0, "d": 86400.0}
SHORTEST = 0.001
"""Seconds."""
_FILE_VALUE = re.compile(r"(?:[^=]*=)?\s*@(.+)", re.DOTALL)
_UNITS = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}


Load: TypeAlias = Callable[[str, str, Precision, Ledger], Array]
"""Reads an `@file` value of a flag."""


class Invocation(NamedTuple):
    """The program and the values of a command line, read and ready to be evaluated."""

    program: Program
    inputs: dict[str, Array]
    gradients: list[Gradient]
    options: Options


def read_request(
    program: str | None,
    file: str | None,
    inputs: Sequence[str],
    gradients: Sequence[str],
    options: Options,
    *,
    safe: bool,
    later: Sequence[tuple[str, str]] = (),
    load: Load | None = None,
) -> Invocation:
    """Read the program and all values.

    `program` is its text, the path of a script, `-`, or None for standard input unless there is a
    `file`; `safe` refuses every file; `later` are flags and values that will be read after it;
    `load` reads files, if not as a whole.
    Raises `usage` for flags that contradict each other, and what reading raises.
    """
    if file is None and program is not None and _names_script(program, inputs):
        program, file = None, program
    if program is not None and file is not None:
        raise GradcliError(
            "usage", "there are two programs: PROGRAM and --file", hint="give one of them"
        )
    bound = [parse_binding(text) for text in inputs]
    cotangents = [parse_gradient(text) for text in gradients]
    values = _flagged(bound, cotangents)
    _require_one_reader(program, file, [*values, *later])
    _require_distinct(name for name, _ in bound)
    if safe:
        _refuse_files(file, values)
    parsed = parse_program(_source(program, file, options.limits), options.limits.parse)
    arrays, seed, draws = read_values(values, options, load)
    return Invocation(
        parsed, *_named(bound, cotangents, arrays), options._replace(seed=seed, draws=draws)
    )


def read_inputs(
    inputs: Sequence[str], gradients: Sequence[str], options: Options
) -> tuple[dict[str, Array], list[Gradient]]:
    """The values of `--set` and `--gradient` where there is no program. Raises the same."""
    bound = [parse_binding(text) for text in inputs]
    cotangents = [parse_gradient(text) for text in gradients]
    values = _flagged(bound, cotangents)
    _require_one_reader("", None, values)
    _require_distinct(name for name, _ in bound)
    arrays, _, _ = read_values(values, options)
    return _named(bound, cotangents, arrays)


def _flagged(
    bound: Sequence[tuple[str, str]], cotangents: Sequence[tuple[str | None, str]]
) -> list[tuple[str, str]]:
    """The flags of values, and their texts."""
    values = [(f"--set {name}", value) for name, value in bound]
    return values + [(f"--gradient {name}" if name else "--gradient", v) for name, v in cotangents]


def _named(
    bound: Sequence[tuple[str, str]],
    cotangents: Sequence[tuple[str | None, str]],
    arrays: Sequence[Array],
) -> tuple[dict[str, Array], list[Gradient]]:
    """Arrays as inputs by name, and the rest as gradients."""
    inputs = {name: array for (name, _), array in zip(bound, arrays, strict=False)}
    rest = zip(cotangents, arrays[len(bound) :], strict=True)
    return inputs, [Gradient(array, name) for (name, _), array in rest]


def parse_names(flag: str, texts: Iterable[str]) -> tuple[str, ...]:
    """The names in `--wrt a,b --wrt c`. Raises `usage` for what is not a name."""
    names = [
        unicodedata.normalize("NFKC", name.strip()) for text in texts for name in text.split(",")
    ]
    for name in names:
        if not _NAME.fullmatch(name):
            raise GradcliError("usage", f"{flag}: {name!r} is not a name", hint=f"{flag} a,b")
    return tuple(dict.fromkeys(names))


def parse_outputs(texts: Iterable[str]) -> tuple[str, ...]:
    """The expressions over a program's names in `--output a,b[1] --output c`, as their texts.

    Raises `syntax` for what is none.
    """
    found: list[str] = []
    for text in texts:
        written = unicodedata.normalize("NFKC", text.strip())
        if _NAME.fullmatch(written):
            found.append(written)
            continue
        expression = parse_expression(Source("--output", written), ParseLimits())
        several = isinstance(expression, Tuple) and written[expression.span[0]] != "("
        parts = expression.items if isinstance(expression, Tuple) and several else [expression]
        found += [written[slice(*part.span)] if several else written for part in parts]
    return tuple(dict.fromkeys(found))


def check_save(
    path: str | None, file: str | None, *texts: Iterable[str] | None, safe: bool
) -> None:
    """Refuse, before anything is computed, a `--save` that cannot work or that would overwrite a
    file which the run reads: its program `file`, or a file that the `texts` of flags name.
    """
    if path is None:
        return
    if safe:
        raise GradcliError("usage", "--save names a file, and --safe opens none")
    from gradcli.data import save
    from gradcli.data.formats import path_of

    named = [_FILE_VALUE.fullmatch(text) for each in texts for text in each or ()]
    inputs = [path_of(match[1].strip()) for match in named if match]
    save.check_save(path, [file, *inputs] if file else inputs)


def parse_device(text: str, *, safe: bool) -> str:
    """The device of `--device gpu:1`; `gpu:0` is `gpu`. Raises `usage`, also if it is to be `safe`
    on a GPU.
    """
    if text in ("cpu", "auto"):
        return text
    match = re.fullmatch(r"gpu(?::([0-9]{1,3}))?", text)
    if match is None:
        raise GradcliError(
            "usage",
            f"--device: {text!r} is not a device",
            hint="--device cpu, gpu, gpu:1 (the second GPU), or auto",
        )
    if safe:
        raise GradcliError(
            "usage",
            "--safe is not for GPUs: their drivers need files and system calls that it forbids",
            hint="--device cpu",
        )
    number = int(match[1] or 0)
    return f"gpu:{number}" if number else "gpu"


def parse_size(text: str) -> int:
    """The bytes of `--max-memory`. Raises `usage`."""
    match = re.fullmatch(_SIZE, text.strip())
    size = int(float(match[1]) * _UNITS[match[2].upper()]) if match else 0
    if not size:
        raise GradcliError(
            "usage", f"--max-memory: {text!r} is not a size", hint="--max-memory 2G, or 512M"
        )
    return size


def parse_seconds(flag: str, text: str) -> float:
    """The seconds of `--timeout 5m`; a number alone is one of seconds. Raises `usage`."""
    match = re.fullmatch(_TIME, text.strip().lower())
    seconds = float(match[1]) * _SECONDS[match[2]] if match else 0.0
    if seconds < SHORTEST:
        raise GradcliError(
            "usage",
            f"{flag} {text[:40]} is not a time of {SHORTEST} s or more",
            hint="30 is seconds; 500ms, 5m, 2h; for no limit leave it out",
        )
    return seconds


def _require_one_reader(
    program: str | None, file: str | None, values: Iterable[tuple[str, str]]
) -> None:
    readers = [flag for flag, value in values if value.strip() == "@-"]
    if "-" in (program, file) or (program is None and file is None and streams.input_is_piped()):
        readers.insert(0, "the program")
    if len(readers) > 1:
        raise GradcliError(
            "usage",
            f"standard input can be read once, not by {' and '.join(readers)}",
            hint="give the others as text or as a file",
        )


def _names_script(program: str, inputs: Iterable[str]) -> bool:
    """Whether PROGRAM is the path of a script: its name ends so, and there is such a file.

    Raises `file` where there is none, unless PROGRAM reads an input: `x.grad`.
    """
    if not program.endswith(SCRIPT):
        return False
    if os.path.isfile(program):
        return True
    name = program.removesuffix(SCRIPT)
    given = {text.partition("=")[0].strip() for text in inputs}
    if re.fullmatch(r"[\w./~-]+", name) and given.isdisjoint(re.findall(r"\w+", name)):
        hint = f"--set {name}=… if a grad is meant" if name.isidentifier() else None
        raise GradcliError("file", f"there is no file {program!r}", hint=hint)
    return False


def _require_distinct(names: Iterable[str]) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise GradcliError("usage", f"--set {name} stands twice", hint="give each input once")
        seen.add(name)


def _refuse_files(file: str | None, values: Iterable[tuple[str, str]]) -> None:
    named = [flag for flag, value in values if _is_file(value) and value.strip() != "@-"]
    if file not in (None, "-"):
        named.insert(0, "--file")
    if named:
        raise GradcliError(
            "usage",
            f"{named[0]} names a file, and --safe opens none",
            hint="give it as text, or on standard input",
        )


def _source(program: str | None, file: str | None, allowed: Limits) -> Source:
    if program is not None and program != "-":
        return Source("program", program)
    if file is not None and file != "-":
        try:
            with open_binary(file) as stream:
                return Source(file, read_text(stream, file, allowed.parse.source_bytes))
        except GradcliError as error:
            raise error.located(Source(file, ""), None) from None
    asked_for = "-" in (program, file)
    text = ""
    if sys.stdin is not None and (asked_for or streams.input_is_piped()):
        text = read_text(sys.stdin.buffer, "program", allowed.parse.source_bytes)
    if not text.strip() and not asked_for:
        raise GradcliError(
            "usage",
            "there is no program: usage is gradcli COMMAND PROGRAM, or -f FILE, or a pipe",
            hint='gradcli eval "z = (2*x)**3; out = mean(z)" --set x="[[1,2],[3,4]]"',
        )
    return Source("program", text)


def read_values(
    values: Sequence[tuple[str, str]], options: Options, load: Load | None = None
) -> tuple[list[Array], int | None, int]:
    """The arrays of flags and their values, the seed if there is one, and how often it was used.

    `load` reads files, if not as a whole.
    """
    load = load or load_file
    ledger = options.limits.ledger()
    files = {
        position: load(flag, value.strip(), options.precision, ledger)
        for position, (flag, value) in enumerate(values)
        if _is_file(value)
    }
    texts = [Source(flag, value.strip()) for flag, value in values if not _is_file(value)]
    found, seed, draws = literals(texts, options, ledger)
    rest = iter(found)
    return [files[i] if i in files else next(rest) for i in range(len(values))], seed, draws


def load_file(flag: str, value: str, precision: Precision, ledger: Ledger) -> Array:
    """The array of an `@file` value, which is taken from the ledger unless it is mapped."""
    from gradcli.data.load import load
    from gradcli.engine.mapped import mapping

    try:
        array = load(value[1:], precision, ledger.room)
        if mapping(array) is None:
            ledger.take(array.nbytes, flag)
        return array
    except GradcliError as error:
        raise error.located(Source(flag, value), None) from None


def _is_file(value: str) -> bool:
    return value.lstrip().startswith("@")
