"""Syntax errors that come from habits: other languages, formulas on paper, typing errors.

Each function looks for one habit at the token where the error is; None if it is another.
"""

from __future__ import annotations

from collections.abc import Callable

from gradcli.language.tokens import NUMBER_OF
from gradcli.language.wrong_token import ENDS_OPERAND, INFIX, KEYWORDS, OPERANDS, WrongToken

_BLOCK_WORDS = {"if", "elif", "else", "while", "for", "def", "class"}

_FOREIGN_WORDS = {
    "function": "a function is written f(x) = …, or def f(x): …",
    "fn": "a function is written f(x) = …, or def f(x): …",
    "func": "a function is written f(x) = …, or def f(x): …",
    "let": "a name is bound with =: x = 3",
    "var": "a name is bound with =: x = 3",
    "const": "a name is bound with =: x = 3",
    "print": "write print(…), with parentheses",
    "elseif": "write elif",
    "elsif": "write elif",
    "mod": "a remainder is written %",
    "div": "whole division is written //",
    "xor": "of two truth values, a != b is exclusive or",
    "async": "a program runs one statement after another",
    "then": "a block begins with a colon: if c: …",
    "do": "a block begins with a colon: while c: …",
}
_JOINED = {
    ("=", ">"): ">=", ("=", "<"): "<=", ("==", "="): "==", ("!=", "="): "!=", ("<", ">"): "!=",
    ("&", "&"): "and, or & between masks", ("|", "|"): "or, or | between masks",
    (":", "="): "x = 3, in a statement of its own", ("-", ">"): "def f(x): … without a type",
}  # fmt: skip
"""Two tokens without a space that look like one operator, and what to write instead."""

Answer = tuple[str, str | None]
"""A message and a hint."""


def _number(wrong: WrongToken) -> Answer | None:
    """`1_000`, `0x10`, `2.sum()`, `1.2.3`, `2x`."""
    if wrong.kind_before != NUMBER_OF["NUMBER"] or not wrong.touches:
        return None
    number, text = wrong.before, wrong.text
    if wrong.kind == NUMBER_OF["NUMBER"] and text.startswith("."):
        return f"`{number}{text}` is not a number", "a number has one decimal point"
    if wrong.kind != NUMBER_OF["NAME"]:
        return None
    if text.startswith("_"):
        return f"`{number}{text}` is not a number", "a _ stands between two digits: 1_000"
    if number == "0" and text[0] in "xXbBoO":
        return f"`{number}{text}` is not a number", "digits follow: 0xff, 0o17, 0b101"
    if number.endswith("."):
        return (
            f"`{number}` is read as a number, and `{text}` cannot follow it",
            f"write ({number[:-1]}).{text}",
        )
    if text in ("e", "E"):
        return f"`{number}{text}` is not a number", "an exponent needs digits: 1e-3"
    return f"`{text}` cannot follow the number `{number}`", f"a product is written {number}*{text}"


def _foreign_word(wrong: WrongToken) -> Answer | None:
    """`import numpy`, `lambda x: x`, `let x = 3`, `a if c else b`, `x is y`."""
    for word in (wrong.before, wrong.text):
        if word in _FOREIGN_WORDS and wrong.kind in ENDS_OPERAND | KEYWORDS:
            return f"`{word}` is not part of the language", _FOREIGN_WORDS[word]
    if wrong.text in ("if", "for") and wrong.kind_before in ENDS_OPERAND:
        hint = {
            "if": "a choice between two values is written a if condition else b",
            "for": "a list is made in brackets: [x**2 for x in xs]",
        }[wrong.text]
        return f"`{wrong.text}` cannot stand here", hint
    if wrong.before == "else" and wrong.text == "if":
        return "`else if` is not part of the language", "write elif"
    if wrong.text in ("else", "elif"):
        return (
            f"this `{wrong.text}` has no `if` before it",
            "write if c: …, and else: … in a line below it",
        )
    return None


def _joined_operator(wrong: WrongToken) -> Answer | None:
    """`=>`, `===`, `<>`, `x++`."""
    meant = _JOINED.get((wrong.before, wrong.text))
    if meant and wrong.touches:
        return f"`{wrong.before}{wrong.text}` is not an operator", f"write {meant}"
    sign = wrong.before
    if wrong.ends_line and sign in ("+", "-") and wrong.word(-2) == sign:
        return f"`{sign}{sign}` is not an operator", f"write x {sign}= 1"
    return None


def _reserved_word(wrong: WrongToken) -> Answer | None:
    """`if = 3`, `x = for`, `f(while)`, `x.in`."""
    for place in (wrong.place - 1, wrong.place):
        if place < 0 or wrong.tokens.kinds[place] not in KEYWORDS:
            continue
        is_target = place < wrong.place and wrong.text == "="
        is_operand = place == wrong.place and (wrong.wants_operand or wrong.expects("NAME"))
        if is_target or is_operand:
            word = wrong.tokens.text(place)
            return f"`{word}` is a reserved word, not a name", "use another name"
    return None


def _equal_sign(wrong: WrongToken) -> Answer | None:
    """`if x = 3 {`, `a = b = 3`, `(x = 3)`, `def f(x==1)`."""
    if wrong.text == "==" and wrong.expects("EQUAL"):
        return "`==` compares, and cannot stand here", "a value is given with a single ="
    if wrong.text != "=":
        return None
    begin = wrong.tokens.text(wrong.statement_begin)
    if begin in ("if", "elif", "while"):
        return "`=` binds a name, and cannot stand in a condition", "a comparison is written =="
    if begin == "return":
        return "`=` cannot stand behind `return`", "bind the name in a statement of its own"
    if wrong.expects("_SEPARATOR"):
        return "a statement has one `=` only", "write a = 3; b = a, or compare with =="
    hint = "a comparison is written ==, and a part gets a name by (t := x + 1)"
    return "`=` cannot stand here", hint


def _augmented(wrong: WrongToken) -> Answer | None:
    """`f(x += 1)`, `y = x += 1`."""
    if wrong.kind != NUMBER_OF["AUGMENTED"]:
        return None
    return (
        f"`{wrong.text}` cannot stand here",
        f"x {wrong.text} 1 is a statement of its own, with one name on the left",
    )


def _block(wrong: WrongToken) -> Answer | None:
    """`if c` without a block, `if { a }`, `{1: 2}`."""
    begin = wrong.tokens.text(wrong.statement_begin)
    word = "else" if wrong.before == "else" else begin
    if wrong.expects("LBRACE") and word in _BLOCK_WORDS:
        hint = f"put a colon behind it, and indent the lines below: {word} …:"
        if wrong.ends_line or word in ("def", "else"):
            return f"the block of `{word}` is missing", hint
    if wrong.text in (",", "}") and wrong.innermost_is_dictionary:
        return "a dictionary is made of pairs", "write {'a': 1}; {1, 2} is a set"
    if wrong.text == "{":
        if wrong.before in ("if", "elif", "while"):
            return f"the condition of `{wrong.before}` is missing", None
        if begin == "def":
            return "the parameters are missing", "write def f(x): …, or def f(): …"
        return "`{` begins a block, and none can stand here", "lists are written [1, 2]"
    return None


def _colon(wrong: WrongToken) -> Answer | None:
    """`x.y := 3`, `x: float = 3`, `f(a: 1)`."""
    if wrong.text == ":=":
        return "`:=` cannot stand here", "it gives a name a value, in parentheses: (n := len(xs))"
    if wrong.text != ":" or wrong.wants_operand:
        return None
    if wrong.place == wrong.statement_begin + 1:
        return "`:` cannot stand behind a name", "names have no types: write x = 3"
    return "`:` stands only in an index, as in x[1:3]", None


def _two_values(wrong: WrongToken) -> Answer | None:
    """`a b`, `f"…"`, `x.3`, `int x = 3`, `for i range(3)`."""
    if wrong.kind_before not in ENDS_OPERAND or wrong.kind not in OPERANDS:
        return None
    before, text = wrong.before, wrong.text
    if wrong.expects("IN") and not wrong.expects("IS"):
        return f"`in` is missing between `{before}` and `{text}`", "write for i in range(3): …"
    if wrong.kind == NUMBER_OF["STRING"] and wrong.touches:
        hint = (
            "print takes values between strings: print('x is', x)" if before == "f" else "delete it"
        )
        return f"`{before}` cannot stand before a string", hint
    if wrong.kind == NUMBER_OF["NUMBER"] and text.startswith(".") and wrong.touches:
        return f"`{text}` cannot follow `{before}`", f"an element is written {before}[{text[1:]}]"
    message = f"an operator is missing between `{before}` and `{text}`"
    if wrong.word(1) == "=":
        if wrong.place == wrong.statement_begin + 1:
            return message, f"a name is bound with =: {text} = …"
        return message, "a statement ends at ; or a new line"
    factors = {NUMBER_OF["NAME"], NUMBER_OF["NUMBER"]}
    is_product = wrong.kind in factors and wrong.kind_before in factors
    if wrong.expects("_SEPARATOR"):
        other = "a statement ends at ; or a new line"
    elif wrong.expects("LBRACE"):
        other = "a block begins with :"
    else:
        other = "items are separated by ,"
    return message, f"a product is written {before}*{text}; {other}" if is_product else other


def _missing_operand(wrong: WrongToken) -> Answer | None:
    """`x = `, `a +`, `a * / b`, `f(a,, b)`, `x[]`, a comment that begins with `//`."""
    if not wrong.wants_operand:
        return None
    if wrong.place == wrong.statement_begin:
        if wrong.text == "//":
            return "`//` divides; it begins no comment", "a comment begins with #"
        if wrong.kind in INFIX:
            return (
                f"a statement cannot begin with `{wrong.text}`",
                "to go on with the line above, put both in ( )",
            )
        if not wrong.kind and not wrong.place:
            return "a value is missing here", "write a value, such as 3 or [1, 2]"
        return None
    if wrong.before == "[" and wrong.text == "]":
        return "the index is empty", "write x[0], or x[:] for everything"
    if wrong.ends_line:
        hint = None
        if wrong.text != ";" and wrong.kind_before in INFIX:
            hint = "a statement ends with its line; put it in ( ) to go on in the next one"
        return f"a value is missing after `{wrong.before}`", hint
    if wrong.text in ("*", "**") and wrong.before in ("(", ",", "["):
        return f"`{wrong.text}` has no value before it", "arguments are given one by one"
    if wrong.text in (")", "]", ",") or wrong.kind in INFIX:
        return f"a value is missing between `{wrong.before}` and `{wrong.text}`", None
    return None


def _in_brackets(wrong: WrongToken) -> Answer | None:
    """`f(a; b)`."""
    if wrong.text == ";":
        return (
            "`;` ends a statement, and cannot stand inside brackets or a value",
            "separate items with ,",
        )
    return None


def _name_missing(wrong: WrongToken) -> Answer | None:
    """`x.`, `x.3`, `def (x)`."""
    if wrong.expected != {NUMBER_OF["NAME"]}:
        return None
    kinds = {"def": "a function", "class": "a class", "global": "a variable"}
    wanted = kinds.get(wrong.before, "an attribute or method")
    return f"the name of {wanted} is missing after `{wrong.before}`", None


HABITS: tuple[Callable[[WrongToken], Answer | None], ...] = (
    _number,
    _foreign_word,
    _joined_operator,
    _reserved_word,
    _block,
    _equal_sign,
    _augmented,
    _colon,
    _two_values,
    _missing_operand,
    _name_missing,
    _in_brackets,
)
"""In the order in which they are looked for."""
