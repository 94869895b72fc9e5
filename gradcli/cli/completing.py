"""What can be completed at the prompt of `gradcli repl`, and the history of what was typed."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

DELIMITERS = " \t\n()[]{},;=+*%<>!|&\"'"
"""Characters that end what is completed."""
LENGTH = 2000
"""Lines of history that are kept."""
_MOST = 500
"""Files that are offered."""
_IDENTIFIER = re.compile(r"\w*\Z")


def candidates(line: str, commands: Iterable[str], names: Iterable[str]) -> list[str]:
    """What the last word of a line may become: a command, a file behind `@`, a name."""
    word = re.split(f"[{re.escape(DELIMITERS)}]", line)[-1]
    if line.startswith(":") and word == line:
        return sorted(each for each in commands if each.startswith(word))
    if word.startswith("@"):
        return [f"@{path}" for path in files(word[1:])]
    from gradcli.analysis.vocabulary import completions

    before = word[: len(word) - len(_IDENTIFIER.findall(word)[0])]
    return [before + name for name, _ in completions(line, len(line), names)]


def files(begun: str) -> list[str]:
    """Paths that begin so; folders end in `/`."""
    folder, name = os.path.split(begun)
    with suppress(OSError, ValueError), os.scandir(os.path.expanduser(folder) or ".") as entries:
        found = [each for each in entries if each.name.startswith(name)][:_MOST]
        hidden = name.startswith(".")
        return sorted(
            os.path.join(folder, each.name) + ("/" if each.is_dir() else "")
            for each in found
            if hidden or not each.name.startswith(".")
        )
    return []


def history_file() -> Path:
    """Where the history lies: in the folder for what programs remember of a user."""
    state = os.environ.get("XDG_STATE_HOME") or "~/.local/state"
    return Path(state).expanduser() / "gradcli" / "history"


@contextmanager
def editing(offer: Callable[[str], list[str]], *, remembers: bool) -> Iterator[None]:
    """Lines can be edited, completed by the Tab key and, where it `remembers`, found again in later
    sessions. Where there is no readline, lines are read as they are typed.
    """
    try:
        import readline
    except ImportError:
        yield
        return
    offered: list[str] = []

    def complete(_: str, state: int) -> str | None:
        nonlocal offered
        if state == 0:
            try:
                offered = offer(readline.get_line_buffer()[: readline.get_endidx()])
            except Exception:  # noqa: BLE001 - readline would print it into the line
                offered = []
        return offered[state] if state < len(offered) else None

    readline.set_completer(complete)
    readline.set_completer_delims(DELIMITERS)
    readline.parse_and_bind("tab: complete")
    path = history_file()
    if remembers:
        with suppress(OSError):
            readline.read_history_file(path)
    try:
        yield
    finally:
        if remembers:
            with suppress(OSError):  # a session goes well without a history
                _keep(path)


def _keep(path: Path) -> None:
    """Write the history to a file that nobody else may read."""
    import readline

    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o600))
    path.chmod(0o600)
    readline.set_history_length(LENGTH)
    readline.write_history_file(path)
