"""Errors and notes: one type for everything that a user is told went wrong.

Packages below the command line raise :class:`GradcliError`; only `cli` turns it into an exit code.

Classes that every start defines are named tuples, here and elsewhere: a frozen dataclass takes half
a millisecond more to define. Their modules evaluate annotations at once, for a named tuple would
compile each that is a text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from errno import ENOMEM
from typing import Literal, Self, TypeAlias

from gradcli.tuples import NamedTuple

Span: TypeAlias = tuple[int, int]
"""Start (inclusive) and end (exclusive) offsets in a source text, in code points."""

Code: TypeAlias = Literal[
    "usage", "syntax", "name", "type", "shape", "axis", "index", "value",
    "gradient-required", "gradient-shape", "no-grad", "graph-freed", "not-differentiable",
    "singular", "file", "data", "encoding", "assertion",
    "limit-tokens", "limit-depth", "limit-steps", "limit-nodes", "limit-memory", "limit-time",
    "device", "internal",
]  # fmt: skip


_LONGEST_NAME = 100
"""Longer names get no suggestion: the search takes time with the square of the length."""
_LONGEST = 600
"""The most code points of a message or hint."""


class Source(NamedTuple):
    """A text from the user, and its name in messages: `program`, `--set x`, a file's name."""

    name: str
    text: str

    def locate(self, offset: int) -> tuple[int, int]:
        """Line and column, both from 1, of the code point at `offset`."""
        line = self.text.count("\n", 0, offset) + 1
        return line, offset - self.text.rfind("\n", 0, offset)

    def line_text(self, offset: int) -> str:
        """The whole line that holds `offset`, without its line break."""
        start = self.text.rfind("\n", 0, offset) + 1
        end = self.text.find("\n", offset)
        return self.text[start : len(self.text) if end < 0 else end].rstrip("\r")


class Diagnostic(NamedTuple):
    """What is wrong, where, and what to do about it."""

    code: Code
    message: str
    hint: str | None = None
    source: Source | None = None
    span: Span | None = None
    above: int | None = None
    """A place in an earlier line, which is shown, too."""


class Setting(NamedTuple):
    """Something that users set: by a flag, a key of a record, a command or a statement."""

    key: str
    of_flag: str
    """The value that is written behind the flag, or behind the command of a session."""
    of_key: str
    """The value that is written behind the key."""
    statement: str = ""
    """What does the same in a program, if anything does."""

    def as_flag(self) -> str:
        return f"--{self.key} {self.of_flag}"

    def as_key(self) -> str:
        return f'"{self.key}": {self.of_key}'

    def as_argument(self) -> str:
        return f"{_ARGUMENTS.get(self.key, self.key)}={self.of_key}"

    def as_operand(self) -> str:
        """As a call of a compiled program takes it: inputs by name, v before them."""
        if self.key == "set":
            return self.of_flag
        return f"the argument {self.of_key}" if self.key == "gradient" else self.as_argument()

    def as_command(self) -> str:
        return f":{self.key} {self.of_flag}".replace("'", "")  # no shell takes quotes away

    def as_statement(self) -> str:
        return self.statement or self.as_flag()


_ARGUMENTS = {"set": "inputs", "output": "outputs"}
"""What settings are called in Python, where that is another name than the flag's."""


def input_of(name: str, value: str = "…") -> Setting:
    """The value of an input."""
    return Setting("set", f"{name}={value}", f'{{"{name}": {value}}}', f"{name} = {value}")


A_FILE = Setting("set", "x=@data.npy", '{"x": "@data.npy"}')
"""An input from a file: programs themselves read none."""


class Advice(str):
    """A hint that names settings: its text is for the command line."""

    __slots__ = ("parts",)
    parts: tuple[str | Setting, ...]

    def __new__(cls, *parts: str | Setting) -> Self:
        advice = super().__new__(cls, _joined(parts, Setting.as_flag))
        advice.parts = parts
        return advice

    def for_records(self) -> str:
        """The hint with keys of a record in place of flags."""
        return _joined(self.parts, Setting.as_key)

    def for_python(self) -> str:
        """The hint with arguments of Python's functions in place of flags."""
        return _joined(self.parts, Setting.as_argument)

    def for_calls(self) -> str:
        """The hint with what is passed to a compiled program in place of flags."""
        return _joined(self.parts, Setting.as_operand)

    def for_sessions(self) -> str:
        """The hint with commands of a session in place of flags."""
        return _joined(self.parts, Setting.as_command)

    def for_programs(self) -> str:
        """The hint with statements in place of flags, where there are some: an editor has none."""
        return _joined(self.parts, Setting.as_statement)


def _joined(parts: Iterable[str | Setting], written: Callable[[Setting], str]) -> str:
    return "".join(part if isinstance(part, str) else written(part) for part in parts)


class GradcliError(Exception):
    """Raised for every mistake of the user, and for every limit that is exceeded."""

    def __init__(
        self,
        code: Code,
        message: str,
        *,
        hint: str | None = None,
        source: Source | None = None,
        span: Span | None = None,
        above: int | None = None,
    ) -> None:
        super().__init__(message)
        hint = hint and _shortened(hint)
        self.diagnostic = Diagnostic(code, _shortened(message), hint, source, span, above)
        self.printed: Sequence[str] = ()
        """What the program had printed before."""
        self.kind = ""
        """The class of the exception elsewhere, where no more than that is known."""

    def located(self, source: Source, span: Span | None) -> Self:
        """Add the place of the error, unless a place is already known."""
        if self.diagnostic.source is None:
            known = self.diagnostic.span
            self.diagnostic = self.diagnostic._replace(source=source, span=known or span)
        return self

    def hinted(self, hint: str) -> Self:
        """Add a hint, unless there is one already."""
        if self.diagnostic.hint is None:
            self.diagnostic = self.diagnostic._replace(hint=_shortened(hint))
        return self


class RefusedError(GradcliError):
    """What Python or PyTorch refuses, too: `elsewhere` is the class of its exception, and what that
    says.
    """

    def __init__(
        self, elsewhere: tuple[str, str], code: Code, message: str, hint: str | None = None
    ) -> None:
        super().__init__(code, message, hint=hint)
        self.elsewhere = elsewhere

    def of_method(self) -> RefusedError:
        """The same where a function was called as a method."""
        return self


class Note(NamedTuple):
    """Something that the user should know although the run succeeded."""

    code: str
    message: str


def _shortened(text: str) -> str:
    """The text, without its middle if it is very long, as it may quote long names and numbers."""
    if len(text) <= _LONGEST:
        return text
    return f"{text[: _LONGEST * 3 // 4]} … {text[-_LONGEST // 4 :]}"


def lacks_memory(error: Exception) -> bool:
    """Whether an error of Python or of a library is one of memory, by whatever name it goes.

    Where it gets no memory while it imports a module, Python may also find the syntax invalid.
    """
    if isinstance(error, OSError):
        return error.errno == ENOMEM
    no_lock = isinstance(error, RuntimeError) and str(error).startswith("can't ")
    return no_lock or isinstance(error, MemoryError | SystemError | SyntaxError)


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The known name that `name` most likely stands for, if any is close (did you mean …?)."""
    best: tuple[int, bool, int, str] | None = None
    if len(name) > _LONGEST_NAME:
        return None
    limit = max(1, len(name) // 3)
    for candidate in known:
        if abs(len(candidate) - len(name)) > limit:
            continue
        written, other = name.lower(), candidate.lower()
        if sum([letter not in other for letter in written]) > limit:
            continue  # each of them is a mistake
        distance = _edit_distance(written, other)
        if distance == len(name):
            continue  # nothing in common: another letter is not a typing error for x
        # Of equally close names, one that was typed whole with letters behind it, or up to some
        # letter, is preferred, then one with the same letters in another order.
        is_begun = written.startswith(other) or other.startswith(written)
        rank = (distance, not is_begun, abs(len(candidate) - len(name)), candidate)
        if distance <= limit and (best is None or rank < best):
            best = rank
    return best[-1] if best else None


def _edit_distance(a: str, b: str) -> int:
    """Optimal string alignment: insert, delete, replace, or swap two neighbours."""
    before: list[int] = []
    previous = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        current = [i]
        for j, y in enumerate(b, 1):
            cost = min(previous[j] + 1, current[-1] + 1, previous[j - 1] + (x != y))
            if i > 1 and j > 1 and x == b[j - 2] and a[i - 2] == y:
                cost = min(cost, before[j - 2] + 1)
            current.append(cost)
        before, previous = previous, current
    return previous[-1]
