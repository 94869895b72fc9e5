"""A command at a pseudo-terminal: what it prints there, and what one types."""

from __future__ import annotations

import fcntl
import os
import pty
import struct
import subprocess
import sys
import termios
from typing import Literal

Stream = Literal["stdin", "stdout", "stderr"]


class Terminal:
    """A process of gradcli, some or all of whose streams are a terminal; the others are empty."""

    def __init__(
        self, *arguments: str, streams: tuple[Stream, ...] = ("stdin", "stdout", "stderr"),
        columns: int = 0, **environment: str,
    ) -> None:  # fmt: skip
        self._ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("4H", 24, columns, 0, 0))
        usual = {
            key: value
            for key, value in os.environ.items()
            if not key.endswith("_COLOR")
            and key not in ("COLUMNS", "LINES")  # pytest-xdist sets them
        }
        stdin, stdout, stderr = (
            theirs if each in streams else subprocess.DEVNULL
            for each in ("stdin", "stdout", "stderr")
        )  # fmt: skip
        self._process = subprocess.Popen(
            [sys.executable, "-m", "gradcli", *arguments],
            stdin=stdin, stdout=stdout, stderr=stderr,
            env=usual | {"TERM": "dumb"} | environment,
        )  # fmt: skip
        os.close(theirs)
        self._unread = ""

    def until(self, text: str) -> str:
        """What is shown before a text, which is waited for."""
        while text not in self._unread:
            more = self._read()
            assert more, f"ended without {text!r}: {self._unread!r}"
            self._unread += more
        before, _, self._unread = self._unread.partition(text)
        return before

    def type(self, text: str) -> None:
        os.write(self._ours, text.encode())

    def rest(self, code: int = 0) -> str:
        """What is shown until the process ends with an exit code."""
        while more := self._read():
            self._unread += more
        os.close(self._ours)
        assert self._process.wait(20) == code
        return self._unread

    def _read(self) -> str:
        try:
            return os.read(self._ours, 1 << 16).decode(errors="replace")
        except OSError:  # how Linux reports that the other end is closed
            return ""
