"""Whether a statement goes on in the next line, decided line by line."""

from __future__ import annotations

from gradcli.language.tokens import NUMBER_OF, TABLES

_STEPS = {NUMBER_OF[name]: 1 for name in ("LPAR", "LSQB", "LBRACE")} | {
    NUMBER_OF[name]: -1 for name in ("RPAR", "RSQB", "RBRACE")
}
_COLON, _COMMENT = NUMBER_OF["COLON"], NUMBER_OF["COMMENT"]
_STRAY = NUMBER_OF["$OTHER"]


def open_behind(line: str, depth: int = 0) -> int:
    """The number of brackets that are open after a line that begins inside `depth` of them.

    Brackets in comments and strings do not count. The answer is 0 as soon as the text is wrong,
    whatever follows: after a bracket that closes nothing, or a character that begins no token.
    """
    for match in TABLES.pattern.finditer(line.rstrip()):
        kind = TABLES.terminal(match)
        depth += _STEPS.get(kind, 0)
        if depth < 0 or kind == _STRAY:
            return 0
    return depth


def begins_block(line: str) -> bool:
    """Whether a line ends with the `:` before a block, whose lines follow up to an empty one."""
    last = 0
    for match in TABLES.pattern.finditer(line.rstrip()):
        kind = TABLES.terminal(match)
        last = last if kind == _COMMENT else kind
    return last == _COLON
