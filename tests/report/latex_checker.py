"""Whether LaTeX that the program writes is well formed, without LaTeX."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

_COMMANDS = r"""
    \alpha \Gamma \Phi \psi \sigma \nabla \infty \cdot \div \bmod \land \lor \lnot \sim
    \oplus \ne \le \ge \dots \top \quad \noindent \, \lfloor \rfloor \lceil \rceil \& \_ \#
    \$ \% \{ \} \^ \~ \\ \arccos \arcsin \arctan \cos \cosh \sin \sinh \tan \tanh \ln \log
    \max \min \zeta \odot \det \sum \prod \partial \( \)
    \textless \textgreater
"""
COMMANDS = frozenset(_COMMANDS.split())
"""Those without arguments."""
ARGUMENTS = {
    r"\frac": 2, r"\sqrt": 1, r"\overline": 1, r"\mathrm": 1, r"\operatorname": 1, r"\text": 1,
    r"\mathbin": 1, r"\section*": 1,
}  # fmt: skip
"""How many groups must follow."""
ENVIRONMENTS = frozenset({"align*", "aligned", "bmatrix", "cases"})
DELIMITERS = frozenset({"(", ")", "|", "[", "]", r"\lfloor", r"\rfloor"})
TOKEN = re.compile(r"\\section\*|\\(?:begin|end)\{[^{}]*\}|\\[A-Za-z]+|\\.|\\\n|.", re.DOTALL)


@dataclass
class _Group:
    """What is open: the text that closes it, and the scripts of the last symbol in it."""

    closes: str
    scripts: set[str] = field(default_factory=set)
    has_script: bool = False
    """The next symbol is the argument of a script."""
    due: int = 0
    """How many groups the last command wants."""


def faults(text: str) -> list[str]:
    """What is wrong, each with the text that follows."""
    return _Checker(text).run()


class _Checker:
    def __init__(self, text: str) -> None:
        self.text = text
        self.found: list[str] = []
        self.stack = [_Group("")]
        self.tokens = [each for each in TOKEN.finditer(text) if not each[0].isspace()]

    def run(self) -> list[str]:
        delimiter = False
        for match in self.tokens:
            token, at = match[0], match.start()
            if delimiter:
                self.expect(token in DELIMITERS, "no delimiter", at)
            elif token in ("^", "_"):
                self.script(token, at)
            elif token in ("}", r"\right") or token.startswith(r"\end{"):
                if not self.close(token, at):
                    break
            else:
                self.symbol(token, at)
            delimiter = not delimiter and token in (r"\left", r"\right")
        self.complete(len(self.text))
        self.expect(len(self.stack) == 1, "a group stays open", len(self.text))
        return self.found

    def expect(self, holds: bool, fault: str, at: int) -> None:
        if not holds:
            self.found.append(f"{fault}: {self.text[max(0, at - 30) : at + 20]!r}")

    def complete(self, at: int) -> None:
        group = self.stack[-1]
        self.expect(not group.due and not group.has_script, "an argument is missing", at)

    def script(self, token: str, at: int) -> None:
        group = self.stack[-1]
        self.complete(at)
        self.expect(token not in group.scripts, "two scripts on one symbol", at)
        group.scripts.add(token)
        group.has_script = True

    def close(self, token: str, at: int) -> bool:
        self.complete(at)
        self.expect(self.stack[-1].closes == token, f"{token} closes nothing", at)
        return self.stack[-1].closes == token and bool(self.stack.pop())

    def symbol(self, token: str, at: int) -> None:
        """One symbol, or what opens a group, which counts as one."""
        group = self.stack[-1]
        if group.due:
            self.expect(token == "{", "an argument is missing", at)
            group.due -= 1
        elif group.has_script:
            group.has_script = False
        else:
            group.scripts.clear()
        if token == "{":
            self.stack.append(_Group("}"))
        elif token == r"\left":
            self.stack.append(_Group(r"\right"))
        elif token.startswith(r"\begin{"):
            self.expect(token[7:-1] in ENVIRONMENTS, "an unknown environment", at)
            self.stack.append(_Group(rf"\end{{{token[7:-1]}}}"))
        elif token in ARGUMENTS:
            group.due = ARGUMENTS[token]
        elif token == "&":
            self.expect(group.closes.startswith(r"\end"), "a column outside of a table", at)
        elif token.startswith("\\"):
            self.expect(token in COMMANDS, "an unknown command", at)
        else:
            self.expect(token not in "#$%~", "a character with a meaning of its own", at)
