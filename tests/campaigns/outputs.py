"""Hostile text in all that is written: `python -m tests.campaigns.outputs --count 1000`.

An attack is one string of escapes, markup, XML, annotations, formulas, scripts and what else steers
a reader. It goes in wherever text does (names, strings, ids, file names, programs that are wrong)
and has to come out, in every format, as what that format's own parser takes for text.
"""

from __future__ import annotations

import csv
import io
import json
import os
import random
import re
import signal
import sys
import unicodedata
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeAlias
from xml.etree import ElementTree

from gradcli.cli.exit import run
from gradcli.diagnostics import Source
from gradcli.language.parser import ParseLimits, parse_program
from tests.campaigns.runner import Verdict, main

PIECES = (
    "\x1b[31m", "\x1b]0;title\x07", "\x9b2J", "\r", "\n", "\t", "\0", "\x7f", "\b", "\v", "\f",
    "\u2028", "\u2029", "\x85", "\u202e", "\u2066", "\u200b", "\ufeff", "\u00ad", "\U000e0041",
    "<script>alert(1)</script>", "</text>", "<!--", "-->", "]]>", "<![CDATA[", "&amp;", "&#x1b;",
    "<img src=x onerror=alert(1)>", "' onload='x", '" onload="x', "javascript:x", "{{7*7}}",
    "::error file=x::y", "\n::set-output name=x::y", "%0A::warning::z", "::stop-commands::t",
    "=1+1", "=cmd|' /C calc'!A0", "@SUM(A1)", "+1", "-1+1", '"', '""', "'", ",", ";", "|", "\\",
    "\\input{/etc/passwd}", "\\write18{ls}", "$$", "%", "#", "_", "^", "{", "}", "~", "\\end{x}",
    "```", "**bold**", "[x](http://e)", "[red]", "[/]", ":smile:", "![x](y)", "<b>", "`ls`",
    "$(ls)", "__import__('os')", '"""', "'''", "\\u001b", "\\", "\ud800", "\udfff", "\ufffe",
    "é", "e\u0301", "ﬁ", "𝒳", "ｘ", "ß", "א", "ا", "日本", "😀", "👨\u200d👩", "%s", "{0}", "%(x)s",
)  # fmt: skip
Check: TypeAlias = Callable[[str], None]
"""Raises where a text is not what its format asks for."""
STEERS = re.compile(
    "[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\u00ad\u200b"
    "\u2060-\u2064\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)
"""What steers a terminal or hides on it."""


def attack(seed: int, number: int, folder: Path) -> Verdict:
    choose = random.Random(f"{seed} {number}")
    text = "".join(choose.choices(PIECES, k=choose.randint(1, 4)))
    before, told = Path.cwd(), signal.getsignal(signal.SIGTERM)
    os.chdir(folder)
    try:
        for arguments, check in surfaces(text):
            code, out, error = answer(arguments)
            problem = judge(code, out, error, check)
            if problem:
                return Verdict("wrong", f"{arguments!r}: {problem}")
    finally:
        os.chdir(before)
        signal.signal(signal.SIGTERM, told)
    return Verdict("clean in all formats")


def answer(arguments: list[str]) -> tuple[int, bytes, bytes]:
    """Run a command line in this process."""
    streams = sys.stdin, sys.stdout, sys.stderr
    out, error = io.BytesIO(), io.BytesIO()
    sys.stdin = io.TextIOWrapper(io.BytesIO())
    sys.stdout, sys.stderr = io.TextIOWrapper(out, "utf-8"), io.TextIOWrapper(error, "utf-8")
    try:
        code = run(arguments)
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:
                stream.flush()
        return code, out.getvalue(), error.getvalue()
    finally:
        sys.stdin, sys.stdout, sys.stderr = streams


def judge(code: int, out: bytes, error: bytes, check: Check) -> str:
    """What is wrong with an answer; empty where nothing is."""
    if code == 70 or b"Traceback" in error:
        return f"a bug: {error[-300:]!r}"
    try:
        as_text(error.decode())
        if code <= 1 or out:
            check(out.decode())
    except (AssertionError, ValueError, SyntaxError, ElementTree.ParseError) as wrong:
        return f"{type(wrong).__name__} {wrong} in {out[:400]!r} {error[:200]!r}"
    return ""


# --- where it goes in ----------------------------------------------------------------------------


def surfaces(text: str) -> Iterator[tuple[list[str], Check]]:
    """Command lines with the text in them, and what their output must be."""
    plain = text.replace("\0", "").encode(errors="replace").decode()
    quoted = json.dumps(plain, ensure_ascii=False)
    name = identifier(text)
    programs = [f"y = {name}**2", f"y = sum({name})", f"print({quoted}, {name}); y = {name}"]
    bound = ["-s", f"{name}=3"]
    for program in programs:
        for format_, check in FORMATS["eval"]:
            yield ["eval", program, *bound, "--format", format_], check
    yield ["eval", programs[0], *bound, "--color", "always"], as_coloured
    for command in ("jacobian", "hessian"):
        for format_, check in FORMATS["eval"]:
            yield [command, programs[0], *bound, "--format", format_], check
    for format_, check in FORMATS["graph"]:
        yield ["graph", programs[0], *bound, "--format", format_], check
    for format_, check in FORMATS["plot"]:
        yield ["plot", programs[0], "--over", f"{name}=0:1", "--format", format_], check
    for format_, check in FORMATS["explain"]:
        yield ["explain", programs[0], *bound, "--format", format_], check
    for to, check in FORMATS["derive"]:
        yield ["derive", programs[0], *bound, *(["--to", to] if to else [])], check
    for program in (plain, f"x = {plain}", f"'{plain}", f"{name} + {plain}", f"sum({quoted})"):
        for wrong in (["eval", "--", program], ["eval", "--json", "--", program]):
            yield wrong, as_json if "--json" in wrong else as_text
    for flags in (["-s", plain], ["-s", f"x=@{plain}"], ["-o", plain], ["--save", plain], [plain]):
        yield ["eval", "x", *flags, "--json"], as_json
        yield ["eval", "x", *flags], as_text
    yield from files(plain, quoted, name)


def files(plain: str, quoted: str, name: str) -> Iterator[tuple[list[str], Check]]:
    """The text as a name of files, in scripts, and in records."""
    title = plain.replace("/", "_")[:60] + ".grad"
    script = f"{name} = 3\n{name} * 2    #= 7\nprint({quoted})\n{name} + 'a'   #! name\nq = {plain}"
    Path(title).write_text(script, encoding="utf-8")
    path = f"./{title}"
    yield ["test", path], as_text
    yield ["test", path, "--format", "github"], as_annotations
    yield (
        ["test", path, "--junit", "report.xml", "--quiet"],
        lambda _: as_xml(Path("report.xml").read_text(encoding="utf-8")),
    )
    yield ["eval", "-f", path, "--json"], as_json
    ids = json.dumps({"id": plain, "program": f"print({quoted}); {name} = 2; {name}**2"})
    wrong = json.dumps({"id": plain, "program": plain, "set": {plain: [1]}, plain: 3})
    Path("records").write_text(f"{ids}\n{wrong}\n{plain}\n", encoding="utf-8")
    yield ["batch", "records", path, "--quiet"], as_json_lines


def identifier(text: str) -> str:
    """The letters of a text, as a name."""
    letters = "".join(each for each in text if f"a{each}".isidentifier())[:40]
    name = unicodedata.normalize("NFKC", f"v{letters}")
    return name if name.isidentifier() else "v"


# --- what must come out --------------------------------------------------------------------------


def as_text(text: str) -> None:
    found = STEERS.findall(text)
    assert not found, f"{found[0]!r} reaches a terminal"
    text.encode()


def as_coloured(text: str) -> None:
    as_text(re.sub(r"\x1b\[[0-9;]*m", "", text))


def as_json(text: str) -> None:
    def refuse(token: str) -> None:
        raise ValueError(f"bare {token}")

    assert text.endswith("\n")
    assert text.count("\n") == 1, "more than one line"
    json.loads(text, parse_constant=refuse)
    as_text(text)


def as_json_lines(text: str) -> None:
    for line in text.splitlines(keepends=True):
        as_json(line)


def as_csv(text: str) -> None:
    """Rows of one width, and no cell that a sheet would compute."""
    rows = list(csv.reader(io.StringIO(text), strict=True))
    assert len({len(row) for row in rows}) <= 1, "rows of several widths"
    for cell in (cell for row in rows for cell in row):
        as_text(cell)
        if cell.startswith(("=", "+", "-", "@")):
            float(cell)


def as_xml(text: str) -> None:
    root = ElementTree.fromstring(text)
    as_text(text)
    known = {"svg", "g", "rect", "text", "tspan", "path", "line", "polyline", "title", "defs"}
    known |= {"marker", "polygon", "circle", "style", "clipPath", "testsuites", "testsuite"}
    known |= {"testcase", "failure", "desc"}
    for element in root.iter():
        tag = element.tag.rpartition("}")[2]
        assert tag in known, f"an element {tag}"
        bad = [key for key in element.attrib if key.startswith("on") or "href" in key]
        assert not bad, f"attributes {bad}"


def as_dot(text: str) -> None:
    as_text(text)
    string = r'"(?:[^"\\\n]|\\.)*"'
    box = rf"  (?:node|n\d+) \[[^\"\n]*(?:{string}[^\"\n]*)*\];\n"
    pattern = rf"digraph \w+ \{{\n(?:{box}|  n\d+ -> n\d+;\n)*\}}\n"
    assert re.fullmatch(pattern, text), "not what dot takes"


def as_mermaid(text: str) -> None:
    as_text(text)
    label = r"(?:[^\"\n<>]|<br/>)*"
    rest = r"  n\d+ --> n\d+|  style n\d+ fill:#\w+"
    assert re.fullmatch(rf"flowchart TD\n(?:(?:  n\d+\[\"{label}\"\]|{rest})\n)*", text)


def as_annotations(text: str) -> None:
    as_text(text)
    *lines, count = text.splitlines()
    for line in lines:
        assert re.match(r"::error file=[^,:]*,line=\d+,title=gradcli test::", line), line
    assert re.fullmatch(r"(\d+ failed, )?\d+ passed in 1 file", count)
    assert not re.search(r"%(?!25|0D|0A|3A|2C)", text), "a percent sign of its own"


def as_python(text: str) -> None:
    compile(text, "script", "exec")
    as_text(text)


def as_program(text: str) -> None:
    parse_program(Source("derived", text), ParseLimits())
    as_text(text)


def as_latex(text: str) -> None:
    as_text(text)
    bare = re.sub(r"\\[\\{}$%#_&]", "", text)
    assert bare.count("{") == bare.count("}"), "braces do not match"
    assert not re.search(r"\\(input|write|include|def|csname|end\{x)", bare)


def as_markdown(text: str) -> None:
    as_text(text)
    assert not re.search(r"<(script|img|b)\b", re.sub(r"`[^`\n]*`|```.*?```", "", text, flags=re.S))


FORMATS: dict[str, tuple[tuple[str, Check], ...]] = {
    "eval": (("text", as_text), ("json", as_json), ("csv", as_csv)),
    "graph": (
        ("tree", as_text),
        ("dot", as_dot),
        ("mermaid", as_mermaid),
        ("json", as_json),
        ("svg", as_xml),
    ),
    "plot": (("text", as_text), ("svg", as_xml), ("csv", as_csv), ("json", as_json)),
    "explain": (("text", as_text), ("markdown", as_markdown), ("latex", as_latex)),
    "derive": (
        ("", as_program),
        ("latex", as_latex),
        ("numpy", as_python),
        ("torch", as_python),
        ("jax", as_python),
    ),
}


if __name__ == "__main__":
    sys.exit(main(attack, "outputs", 1000))
