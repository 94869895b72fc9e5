"""Comments and messages are in plain English: no words that few people read."""

import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
FILES = [
    *sorted((ROOT / "gradcli").rglob("*.py")),
    *sorted((ROOT / "grammars").glob("*.py")),
    *sorted(set((ROOT / "tests").rglob("*.py")) - {Path(__file__)}),
]
RARE = (
    *("albeit", "anew", "aught", "beside", "ere", "hence", "lest", "likeliest", "mend", "mends"),
    *("thereby", "thereof", "unto", "whence", "whereby", "wherein", "whoever"),
    *("but for", "less what", "save for", "takes after"),
)
FOUND = re.compile(rf"\b(?:{'|'.join(RARE)})\b", re.IGNORECASE)


def prose(source: str) -> Iterator[tuple[int, str]]:
    """Comments and strings of several words, with their lines; names and keys are no prose."""
    parts = {tokenize.COMMENT, tokenize.STRING, getattr(tokenize, "FSTRING_MIDDLE", -1)}
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type in parts and " " in token.string.strip("# "):
            yield token.start[0], token.string


def test_comments_and_messages_use_common_words() -> None:
    suspects = [file for file in FILES if FOUND.search(file.read_text(encoding="utf-8"))]
    rare = [
        f"{file.relative_to(ROOT)}:{line}: {match.group()}"
        for file in suspects
        for line, text in prose(file.read_text(encoding="utf-8"))
        for match in FOUND.finditer(text)
    ]
    assert not rare


def test_the_readme_uses_common_words() -> None:
    assert FOUND.findall((ROOT / "README.md").read_text(encoding="utf-8")) == []
