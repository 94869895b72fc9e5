"""Completion in shells: the scripts that they load, and what these are answered.

A script passes the line up to the cursor, as it is typed; words, quotes and the places at which a
shell divides words are understood here, so that all shells complete alike.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Callable, Iterator
from pathlib import Path

import typer

from gradcli.diagnostics import GradcliError
from gradcli.tuples import NamedTuple

ASKED = "_GRADCLI_COMPLETE"
"""The variable in which a script names its shell."""
_LINE = "_GRADCLI_LINE"
_BREAKS = "_GRADCLI_BREAKS"
"""Of Bash: the characters that divide words, of which users may have taken some out."""

_BASH = r"""
_gradcli() {
    local IFS=$'\n'
    mapfile -t COMPREPLY < <(_GRADCLI_COMPLETE=bash _GRADCLI_LINE="${COMP_LINE:0:COMP_POINT}" \
        _GRADCLI_BREAKS="$COMP_WORDBREAKS" "${1/#\~/$HOME}" 2>/dev/null)
    compopt -o nospace
}
complete -F _gradcli gradcli
"""
_ZSH = r"""
#compdef gradcli
_gradcli() {
    local each
    local -a whole begun
    for each in "${(@f)$(_GRADCLI_COMPLETE=zsh \
        _GRADCLI_LINE="${(j: :)words[1,CURRENT-1]} $PREFIX" ${~words[1]} 2>/dev/null)}"; do
        case $each in
            '') ;;
            *[=/]) begun+=("$each") ;;
            *) whole+=("$each") ;;
        esac
    done
    _describe gradcli whole -- begun -S ''
}
if [[ $funcstack[1] == _gradcli ]]; then _gradcli; else compdef _gradcli gradcli; fi
"""
_FISH = r"""
complete --command gradcli --no-files --arguments \
    "(env _GRADCLI_COMPLETE=fish _GRADCLI_LINE=(commandline -cp | string collect) gradcli)"
"""
SCRIPTS = {"bash": _BASH, "zsh": _ZSH, "fish": _FISH}

_PLACES = {
    "bash": (
        "~/.bash_completions/gradcli.sh",
        "~/.bashrc",
        "source ~/.bash_completions/gradcli.sh",
    ),
    "zsh": ("~/.zfunc/_gradcli", "~/.zshrc", "fpath+=~/.zfunc; autoload -Uz compinit; compinit"),
    "fish": ("~/.config/fish/completions/gradcli.fish", "", ""),
}
"""Where a script goes, and the line of the shell's own file that makes the shell load it."""


def install() -> str:
    """Write the script for the shell that runs, and make the shell load it: where it is."""
    shell = _shell()
    script, loading, line = _PLACES[shell]
    path = Path(script).expanduser()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(SCRIPTS[shell].lstrip())
    if line:
        start = Path(loading).expanduser()
        with start.open("a+") as stream:
            stream.seek(0)
            if line not in stream.read().splitlines():
                stream.write(f"\n{line}\n")
    return f"completion for {shell} is in {path}\nit works in shells that start from now on\n"


def shown() -> str:
    """The script for the shell that runs."""
    return SCRIPTS[_shell()].lstrip()


def _shell() -> str:
    """The name of the shell that started this process."""
    import shellingham

    try:
        name = str(shellingham.detect_shell()[0])
    except shellingham.ShellDetectionFailure:
        name = os.path.basename(os.environ.get("SHELL", ""))
    if name not in SCRIPTS:
        raise GradcliError(
            "usage",
            f"there is no completion for the shell {name!r}",
            hint=f"{', '.join(SCRIPTS)} have it: run this in one of them",
        )
    return name


# --- answers ---------------------------------------------------------------------------------


class Begun(NamedTuple):
    """A line up to the cursor."""

    words: list[str]
    """Those before the last, which the shell would pass."""
    last: str
    """The word that is completed; empty behind a blank."""
    quote: str = ""
    """The quote that is open in it."""
    quoted: int = 0
    """Where in the last word that quote begins."""


def typed(line: str) -> Begun:
    """The words of a line in a shell's syntax; none where it ends within an escape."""
    place = _open_quote(line)
    quote = line[place] if place >= 0 else ""
    try:
        words = shlex.split(line + quote)
    except ValueError:
        return Begun([], "")
    if quote:
        return Begun(words[:-1], words[-1], quote, len(typed(line[:place]).last))
    if not words or (line.endswith((" ", "\t")) and not line.endswith("\\ ")):
        return Begun(words, "")
    return Begun(words[:-1], words[-1])


def _open_quote(line: str) -> int:
    """The place of the quote that is open at the end of a line, or -1."""
    place, escaped = -1, False
    for position, character in enumerate(line):
        if escaped:
            escaped = False
        elif character == "\\":
            escaped = place < 0 or line[place] == '"'
        elif place < 0 and character in "'\"":
            place = position
        elif place >= 0 and character == line[place]:
            place = -1
    return place


def answer(load: Callable[[str], typer.core.TyperGroup]) -> str:
    """What the script of a shell is answered, in lines. `load` gives the application with the
    command of a name.
    """
    line = typed(os.environ.get(_LINE, ""))
    name = next((word for word in line.words[1:] if not word.startswith("-")), "")
    offers = list(_offers(load(name), line))
    if not offers and not line.last.startswith("-"):
        from gradcli.cli.completing import files

        offers = [(path, "") for path in files(line.last)]
    style = _STYLES.get(os.environ[ASKED], _for_fish)
    return "".join(f"{style(line, value, told)}\n" for value, told in offers)


def _offers(application: typer.core.TyperGroup, line: Begun) -> Iterator[tuple[str, str]]:
    """Words that may stand there, and what is said of them."""
    from typer._completion_classes import BashComplete

    asked = BashComplete(application, {}, "gradcli", ASKED)
    for item in asked.get_completions(line.words[1:], line.last):
        yield item.value, item.help or ""


def _for_bash(line: Begun, value: str, _: str) -> str:
    """Bash completes what stands behind the last `=`, `:` or `@`, or behind an open quote, and
    takes all literally: blanks and the like are escaped, and a whole word ends in a blank.
    """
    if line.quote:
        return value[line.quoted :]
    dividing = set("=:@") & set(os.environ.get(_BREAKS, "=:@"))
    rest = value[max((line.last.rfind(mark) for mark in dividing), default=-1) + 1 :]
    return re.sub(r"([^\w@%+=:,./~-])", r"\\\1", rest) + ("" if value.endswith(("=", "/")) else " ")


def _for_zsh(_: Begun, value: str, told: str) -> str:
    escaped = value.replace("\\", "\\\\").replace(":", "\\:")
    return f"{escaped}:{told}" if told else escaped


def _for_fish(_: Begun, value: str, told: str) -> str:
    return f"{value}\t{told}"


_STYLES: dict[str, Callable[[Begun, str, str], str]] = {
    "bash": _for_bash,
    "zsh": _for_zsh,
    "fish": _for_fish,
}
