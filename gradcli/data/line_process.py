"""A program that answers lines with lines, in a process group of its own."""

from __future__ import annotations

import os
import selectors
import shlex
import signal
import subprocess
import sys
import time
from contextlib import suppress
from typing import IO, cast

from gradcli.diagnostics import GradcliError, Source

CHUNK = 1 << 16
GRACE = 0.5
"""Seconds in which the program may end by itself once its standard input is closed; if all is well.
"""
INTERRUPTING = {signal.SIGALRM, signal.SIGINT, signal.SIGTERM}
"""Signals whose handlers raise, which would leave the program running."""
TOLD = 200
"""The most characters of a request, and of what the program wrote, that an error quotes."""
KEPT = 4 * TOLD
"""So many bytes at the end of its standard error are kept."""
READS = 100
"""What has ended may have left one that writes on: its standard error is read so often at most."""


class LineProcess:
    """A running program; leaving the block ends it and all that it has started.

    The command is split into words as a shell would do it, and started without a shell.
    """

    def __init__(self, command: str, seconds: float) -> None:
        """`seconds` is the longest that an answer may take. Raises `usage` for a command that
        cannot be split, and `file` for one that cannot be started.
        """
        self._source = Source("--command", command)
        self._seconds = seconds
        self._answers = bytearray()
        self._complaint = b""
        """The last that it wrote to its standard error."""
        try:
            words = shlex.split(command)
        except ValueError as error:
            raise GradcliError(
                "usage", f"--command: {str(error).lower()}", source=self._source
            ) from None
        if not words:
            raise GradcliError("usage", "--command is empty", hint="--command 'python3 grad.py'")
        try:
            self._process = subprocess.Popen(  # noqa: S603 - the user's own command line asks
                words,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
                preexec_fn=_end_with_parent if sys.platform == "linux" else None,  # noqa: PLW1509
            )
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise GradcliError(
                "file",
                f"the command {words[0][:TOLD]!r} cannot be started: {reason.lower()}",
                hint="no shell is used; --command \"sh -c '…'\" asks for one",
                source=self._source,
            ) from None
        streams = self._process.stdin, self._process.stdout, self._process.stderr
        self._input, self._output, self._errors = (cast("IO[bytes]", each) for each in streams)
        for stream in (self._input, self._output, self._errors):
            os.set_blocking(stream.fileno(), False)

    def __enter__(self) -> LineProcess:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        before = signal.pthread_sigmask(signal.SIG_BLOCK, INTERRUPTING)
        try:
            with suppress(BrokenPipeError):
                self._input.close()
            end = time.monotonic() + (GRACE if kind is None else 0)
            while not self._has_ended() and time.monotonic() < end:
                time.sleep(0.01)
            with suppress(ProcessLookupError):  # its number is not given away before wait()
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
            self._output.close()
            self._errors.close()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)

    def ask(self, request: str, most: int) -> str:
        """The line that answers a line; neither has a line break, and an answer at most `most`
        bytes. Raises `data` where the program ends or answers otherwise, and `limit-time`.
        """
        if self._answers:
            raise self.wrong("it wrote more than one line", request)
        rest = memoryview(f"{request}\n".encode())
        end = time.monotonic() + self._seconds
        try:
            with selectors.DefaultSelector() as ready:
                ready.register(self._output, selectors.EVENT_READ)
                ready.register(self._errors, selectors.EVENT_READ)
                ready.register(self._input, selectors.EVENT_WRITE)
                while b"\n" not in self._answers:
                    left = end - time.monotonic()
                    if left <= 0:
                        raise self._late(request)
                    for key, _ in ready.select(left):
                        if key.fileobj is self._input:
                            rest = self._send(rest)
                            if not rest:
                                ready.unregister(self._input)
                        elif key.fileobj is self._errors:
                            self._listen(ready)
                        else:
                            self._read(request, most)
        except GradcliError as error:
            found = error.diagnostic
            if found.code != "limit-time" or found.source is not None:
                raise
            raise GradcliError(
                "limit-time",
                f"{found.message}, while the command was asked {_short(request)}",
                hint=found.hint,
                source=self._source,
            ) from None
        answer, _, self._answers = self._answers.partition(b"\n")
        return answer.decode(errors="replace")

    def wrong(self, what: str, request: str) -> GradcliError:
        """The error of an answer that is none: `data`."""
        complaint = self._complaint.decode(errors="replace").strip()
        return GradcliError(
            "data",
            f"the command was asked {_short(request)}, and {what}",
            hint=f"its standard error ends: {_end(complaint)}"
            if complaint
            else "gradcli help command tells what it has to answer",
            source=self._source,
        )

    def _send(self, rest: memoryview) -> memoryview:
        try:
            return rest[os.write(self._input.fileno(), rest[:CHUNK]) :]
        except BlockingIOError:
            return rest
        except BrokenPipeError:  # it has ended, or will not listen: its answer tells
            return rest[:0]

    def _listen(self, ready: selectors.BaseSelector) -> None:
        if not self._hear():
            ready.unregister(self._errors)

    def _hear(self) -> bytes:
        """What it wrote to its standard error; nothing at the end. Raises BlockingIOError."""
        heard = os.read(self._errors.fileno(), CHUNK)
        self._complaint = (self._complaint + heard)[-KEPT:]
        return heard

    def _read(self, request: str, most: int) -> None:
        answer = os.read(self._output.fileno(), CHUNK)
        if not answer:
            raise self._ended(request)
        self._answers += answer
        if len(self._answers) > most:
            start = self._answers[:40].decode(errors="replace")
            raise self.wrong(f"wrote more than {most:,} bytes: {start!r} …", request)

    def _ended(self, request: str) -> GradcliError:
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(GRACE)
        with suppress(BlockingIOError):  # why it ended is the last that it wrote
            for _ in range(READS):
                if not self._hear():
                    break
        code = self._process.returncode
        if code is None:
            return self.wrong("closed its standard output", request)
        if code < 0:
            return self.wrong(f"was ended by {signal.Signals(-code).name}", request)
        return self.wrong(f"ended with exit code {code}", request)

    def _late(self, request: str) -> GradcliError:
        return GradcliError(
            "limit-time",
            f"the command gave no answer within {self._seconds:g} s, asked {_short(request)}",
            hint="raise it with --command-timeout; a program must flush its standard output after "
            "every answer",
            source=self._source,
        )

    def _has_ended(self) -> bool:
        """Whether it has; its number stays its own."""
        options = os.WEXITED | os.WNOHANG | os.WNOWAIT
        with suppress(ChildProcessError):
            return os.waitid(os.P_PID, self._process.pid, options) is not None
        return True


def _end(text: str) -> str:
    """The last lines, without those that only point at others, or what has room of the last one."""
    told = "\n".join(line for line in text.splitlines() if line.strip(" ^~"))
    end = told[-TOLD:]
    return end if end == told else end.partition("\n")[2] or end


def _short(request: str) -> str:
    return request if len(request) <= TOLD else f"{request[:TOLD]} …"


_END_WITH_PARENT = 1
"""PR_SET_PDEATHSIG of linux/prctl.h."""


def _end_with_parent() -> None:
    """In the new process: the kernel ends it when this one is killed."""
    import ctypes

    ctypes.CDLL(None).prctl(_END_WITH_PARENT, signal.SIGKILL, 0, 0, 0)
