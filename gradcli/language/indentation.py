"""How far lines are indented, by Python's rule, and the errors for lines that fit no block.

A tab goes on to the next multiple of 8 columns. Where it depends on the width of a tab which of two
lines is indented further, that is an error, as in Python.
"""

from __future__ import annotations

from gradcli.diagnostics import GradcliError, Source

TAB = 8


def is_deeper(source: Source, place: int, other: int) -> bool:
    """Whether the line at one place is indented further than the line at another.

    Raises `syntax` where that depends on the width of a tab.
    """
    mine, others = _blanks(source, place), _blanks(source, other)
    if "\t" not in mine and "\t" not in others:
        return len(mine) > len(others)
    wide, narrow = ((_columns(mine, tab), _columns(others, tab)) for tab in (TAB, 1))
    if (wide[0] > wide[1]) != (narrow[0] > narrow[1]) or (wide[0] < wide[1]) != (
        narrow[0] < narrow[1]
    ):
        raise _error(
            source,
            "this line is indented by tabs and {other} by blanks, or the other way round: which "
            "goes further depends on the width of a tab",
            "indent both with blanks",
            place,
            other,
        )
    return wide[0] > wide[1]


def no_block(source: Source, header: int, place: int) -> GradcliError:
    """The line at `place` should be the first of the block of the header."""
    word = source.text[header : header + 6].split(" ")[0].split(":")[0]
    return _error(
        source,
        f"the block of the `{word}` in {{other}} is missing: {_what_stands(source, place)}",
        "indent the lines of the block, or write pass for an empty one",
        place,
        header,
    )


def _what_stands(source: Source, place: int) -> str:
    if place == len(source.text):
        return "the program ends here"
    if source.text[place] == "}":
        return "a brace closes here"
    return "this line is not indented further"


def unexpected(source: Source, first: int, place: int) -> GradcliError:
    """The line at `place` is indented further than the block that it stands in."""
    return _error(
        source,
        f"this line is indented by {_amount(source, place)}, and {{other}} of its block by "
        f"{_amount(source, first)}",
        "lines of one block begin in one column",
        place,
        first,
    )


def unmatched(source: Source, first: int, place: int) -> GradcliError:
    """The line at `place` ends the block that begins at `first`, and is in no block around it."""
    return _error(
        source,
        f"this line is indented by {_amount(source, place)}, and {{other}} of the block before it "
        f"by {_amount(source, first)}: it fits no block",
        "indent it as the block that it belongs to",
        place,
        first,
    )


def _error(source: Source, message: str, hint: str, place: int, other: int) -> GradcliError:
    """`{other}` in the message becomes the number of the other line, which is shown, too."""
    begin = source.text.rfind("\n", 0, place) + 1
    line, _ = source.locate(other)
    is_below = line < source.locate(place)[0]
    return GradcliError(
        "syntax",
        message.format(other=f"line {line}"),
        hint=hint,
        source=source,
        span=(begin, place) if is_below else (place, place),
        above=other if is_below else None,
    )


def _blanks(source: Source, place: int) -> str:
    """The blanks that the line of a place begins with, as far as that place."""
    text = source.text
    begin = text.rfind("\n", 0, place) + 1
    end = begin
    while end < place and text[end] in " \t":
        end += 1
    return text[begin:end]


def _columns(blanks: str, tab: int) -> int:
    return len(blanks.expandtabs(tab))


def _amount(source: Source, place: int) -> str:
    columns = _columns(_blanks(source, place), TAB)
    return f"{columns} column{'' if columns == 1 else 's'}"
