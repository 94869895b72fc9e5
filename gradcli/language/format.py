"""Programs laid out in one way: blanks around operators, behind commas, before comments.

Lines, comments, brackets, and how numbers are written stay as they are.
"""

from __future__ import annotations

from gradcli.diagnostics import GradcliError, Source
from gradcli.language.parser import ParseLimits, parse_program
from gradcli.language.printer import print_program
from gradcli.language.tokens import TABLES

_VALUES = frozenset({"NAME", "NUMBER", "IMAGINARY", "STRING", "CONSTANT", "ELLIPSIS"})
_CLOSE_TO_THE_LEFT = (",", ";", ".", ")", "]", ":")
_SPACED = frozenset({"SIGN", "OPERATOR", "STAR", "AT", "AUGMENTED", "ARROW"})


def formatted(text: str, limits: ParseLimits) -> str:
    """The text of a program in the usual layout, with the same syntax tree.

    Raises what `parse_program` does.
    """
    program = parse_program(Source("program", text), limits)
    laid_out = _laid_out(program.source.text)
    try:
        again = parse_program(Source("program", laid_out), limits)
    except GradcliError:
        return text
    return laid_out if print_program(again) == print_program(program) else text


def _laid_out(text: str) -> str:
    pieces: list[str] = []
    gaps = _Gaps()
    end = 0
    for match in TABLES.pattern.finditer(text):
        terminal = TABLES.terminals[TABLES.terminal(match)]
        token = match[match.lastindex or 0]
        if terminal == "BLANK":
            continue
        blanks = text[end : match.start(match.lastindex or 0)]
        end = match.end()
        if token.startswith(("\n", "\r", "\\")):  # a line ends; the next one keeps its indentation
            line_break = token.replace("\r\n", "\n").replace("\r", "\n")
            indentation = line_break.rpartition("\n")[2]
            pieces += [" \\\n" if token[0] == "\\" else "\n" * line_break.count("\n"), indentation]
            gaps.begin_line()
            continue
        if not pieces:
            gap = blanks
        elif terminal == "COMMENT" and len(blanks) > 1:
            gap = blanks  # comments may stand below each other
        else:
            gap = "" if gaps.at_start else gaps.before(terminal, token)
        pieces += [gap, token]
        gaps.passed(terminal, token)
    laid_out = "".join(pieces).rstrip()
    return f"{laid_out}\n" if laid_out else ""


class _Gaps:
    """Which blanks stand between a token and the one before."""

    def __init__(self) -> None:
        self.at_start = True
        """Whether the next token is the first of a line."""
        self._brackets: list[str] = []
        self._token = ""
        self._ends_value = False
        """Whether the token before ends a value, so that a sign behind it is no sign of a value."""
        self._binds = False
        """Whether the token before belongs to the one behind it, as the sign of a number."""

    def begin_line(self) -> None:
        """The next token is the first of a line."""
        self.at_start = True
        if not self._brackets:
            self._token, self._ends_value = "", False
        self._binds = False

    def before(self, terminal: str, token: str) -> str:
        """The blanks before a token that is not the first of its line."""
        if terminal == "COMMENT":
            return "  "
        previous = self._token
        if previous + token == "{}" or token in _CLOSE_TO_THE_LEFT or previous in ("(", "[", "."):
            return ""
        if "**" in (token, previous) or self._binds:
            return ""
        if previous == ":" and self._inside("["):
            return ""
        if "=" in (token, previous) and (self._inside("(") or self._inside("[")):
            return ""
        if token in ("(", "[") and self._ends_value:
            return ""
        return " "

    def passed(self, terminal: str, token: str) -> None:
        """Remember a token."""
        self.at_start = False
        word = token in TABLES.keywords
        prefix = (terminal in _SPACED and not self._ends_value) or terminal == "INVERT"
        self._binds = prefix and terminal != "ARROW"
        self._ends_value = (terminal in _VALUES and not word) or token in (")", "]")
        self._token = token
        if token in ("(", "[", "{"):
            self._brackets.append(token)
        elif token in (")", "]", "}") and self._brackets:
            self._brackets.pop()

    def _inside(self, bracket: str) -> bool:
        return self._brackets[-1:] == [bracket]
