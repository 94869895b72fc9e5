"""Formulas as MathML, read from the LaTeX that `gradcli.report.latex` writes: there is one way from
a syntax tree to mathematics, and what the entries of ops say of it counts for pages as well.

Only that subset of LaTeX is read, and its formulas are shallow, so recursion is safe.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from xml.etree.ElementTree import Element

from gradcli.report.elements import element

_PIECE = re.compile(r"\\[A-Za-z]+|\\.|\d+(?:\.\d+)?|\s+|.", re.DOTALL)
_SYMBOLS = {
    r"\cdot": "⋅", r"\div": "÷", r"\bmod": "mod", r"\land": "∧", r"\lor": "∨", r"\lnot": "¬",
    r"\sim": "∼", r"\ne": "≠", r"\le": "≤", r"\ge": "≥", r"\top": "⊤", r"\nabla": "∇",
    r"\infty": "∞", r"\dots": "…", r"\lfloor": "⌊", r"\rfloor": "⌋", r"\lceil": "⌈",
    r"\rceil": "⌉", r"\oplus": "⊕", r"\odot": "⊙",
    r"\textless": "<", r"\textgreater": ">", r"\in": "∈",
}  # fmt: skip
_LETTERS = {
    r"\sigma": "σ", r"\psi": "ψ", r"\Phi": "Φ", r"\Gamma": "Γ", r"\zeta": "ζ",
}  # fmt: skip
_SPACES = {r"\,": "0.17em", r"\ ": "0.3em", r"\quad": "1em"}
_UPRIGHT = (r"\mathrm", r"\operatorname")


def formula(latex: str, *, block: bool = False) -> Element:
    """A `math` element, on a line of its own if it is a `block`."""
    return element("math", _row(_Reader(latex).items()), display="block" if block else False)


class _Reader:
    """Reads a formula from left to right."""

    def __init__(self, latex: str) -> None:
        self._pieces = _PIECE.findall(latex)
        self._place = 0

    def items(self, stop: Sequence[str] = ()) -> list[Element]:
        """The elements up to one of the pieces, which is left."""
        found: list[Element] = []
        while (piece := self._peek()) and piece not in stop:
            self._place += 1
            if piece in ("_", "^"):
                _add_script(found, piece, self._argument())
            elif piece == "'":
                _add_script(found, "^", element("mo", "′"))
            elif not piece.isspace():
                found.append(self._atom(piece))
            elif found and _is_name(found[-1]) and self._applied():
                found.append(element("mspace", width="0.17em"))
        return found

    def _atom(self, piece: str) -> Element:
        reader = _READERS.get(piece)
        if reader is not None:
            return reader(self)
        if piece in _SYMBOLS:
            return element("mo", _SYMBOLS[piece])
        if piece in _LETTERS:
            return element("mi", _LETTERS[piece])
        if piece in _SPACES:
            return element("mspace", width=_SPACES[piece])
        if piece in _UPRIGHT:
            return element("mi", self._text())
        if piece[0] == "\\":
            return element("mi" if piece[1:].isalpha() else "mo", piece[1:])
        if piece[0].isdigit():
            return element("mn", piece)
        return element("mi" if piece.isalpha() else "mo", "−" if piece == "-" else piece)

    def group(self) -> Element:
        """What braces hold."""
        found = _row(self.items(("}",)))
        self._place += 1
        return found

    def fraction(self) -> Element:
        return element("mfrac", self._argument(), self._argument())

    def root(self) -> Element:
        return element("msqrt", self._argument())

    def overline(self) -> Element:
        return element("mover", self._argument(), element("mo", "¯", stretchy="true"))

    def operator(self) -> Element:
        """`\\mathbin{…}`: one symbol."""
        return element("mo", self._text())

    def text(self) -> Element:
        return element("mtext", self._text())

    def fenced(self) -> Element:
        """`\\left( … \\right)`."""
        left = self._fence()
        inside = self.items((r"\right",))
        self._place += 1
        return _row([_fence(left), *inside, _fence(self._fence())])

    def table(self) -> Element:
        """A matrix, or cases."""
        kind = self._text()
        table = Element("mtable")
        row = Element("mtr")
        while self._peek():
            row.append(element("mtd", *self.items(("&", r"\\", r"\end"))))
            piece = self._next()
            if piece != "&":
                table.append(row)
                row = Element("mtr")
            if piece == r"\end":
                self._text()
                break
        left, right = ("{", "") if kind == "cases" else ("[", "]")
        return _row([_fence(left), table, *([_fence(right)] if right else [])])

    def _fence(self) -> str:
        piece = self._next()
        return _SYMBOLS.get(piece, piece.removeprefix("\\"))

    def _argument(self) -> Element:
        """A group, or a single piece."""
        while self._peek().isspace():
            self._place += 1
        return self._atom(self._next())

    def _text(self) -> str:
        """The plain text in braces."""
        self._place += 1
        depth, found = 1, []
        while piece := self._next():
            depth += {"{": 1, "}": -1}.get(piece, 0)
            if depth == 0:
                break
            if piece in _SYMBOLS:
                found.append(_SYMBOLS[piece])
            elif piece not in ("{", "}"):
                found.append(piece.removeprefix("\\"))
        return "".join(found)

    def _applied(self) -> bool:
        """Whether an operand follows, and no operator."""
        piece = self._peek()
        return piece not in _SYMBOLS and (piece.isalnum() or piece[:1] in ("{", "\\"))

    def _peek(self) -> str:
        return self._pieces[self._place] if self._place < len(self._pieces) else ""

    def _next(self) -> str:
        piece = self._peek()
        self._place += 1
        return piece


_READERS = {
    "{": _Reader.group,
    r"\frac": _Reader.fraction,
    r"\sqrt": _Reader.root,
    r"\overline": _Reader.overline,
    r"\mathbin": _Reader.operator,
    r"\text": _Reader.text,
    r"\left": _Reader.fenced,
    r"\begin": _Reader.table,
}
"""By command: what reads its arguments."""


def _add_script(found: list[Element], mark: str, script: Element) -> None:
    """Put a subscript or superscript to what stands before it: both to a symbol that has one."""
    base = found.pop() if found else Element("mrow")
    if base.tag == "msub" and mark == "^":
        found.append(element("msubsup", *base, script))
    else:
        found.append(element("msub" if mark == "_" else "msup", base, script))


def _row(items: Sequence[Element]) -> Element:
    """Elements in a row; one stands for itself."""
    return items[0] if len(items) == 1 else element("mrow", *items)


def _is_name(found: Element) -> bool:
    """Whether it is the name of a function, perhaps with a subscript."""
    base = found if found.tag == "mi" else found[0] if found.tag == "msub" else None
    return base is not None and base.tag == "mi" and len(base.text or "") > 1


def _fence(text: str) -> Element:
    return element("mo", text, fence="true")
