"""Runs that need a process of their own. Some may be ended in a way that no program can handle: by
the kernel, when another program truncates a mapped file, or by BLAS, when it gets no memory. Others
must end in time whatever they are doing: those with `--timeout` and `--safe`.
"""

from __future__ import annotations

import os
import resource
import signal
import time
from collections.abc import Callable, Sequence

from gradcli.cli.watch import GRACE
from gradcli.tuples import NamedTuple

_FORWARDED = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGXCPU}
_TICK = 0.05
"""Seconds between two looks at the clock."""
_DONE, _WRITING, _STAYING = "done", "writing", "staying"
_APART = ("eval", "check", "explain", "derive", "graph", "plot", "test", "jacobian", "hessian",
          "jvp", "hvp", "repl")  # fmt: skip
"""Commands that run in a child process; `batch` watches its own workers."""

_parent: int | None = None
"""In a child process, the pipe to the process that watches it."""


class End(NamedTuple):
    """How the process has ended."""

    code: int
    """Its exit code, or a negated signal."""
    told: bool
    """Whether the work was done, and all of its output written."""
    seconds: float | None = None
    """Its time limit in seconds, if it was ended for that."""
    wrote: bool = False
    """Whether a part of the answer may have been written."""


def is_needed(arguments: Sequence[str]) -> bool:
    """Whether a command line names a file that is read apart, or limits memory or time."""
    if arguments[:1] and arguments[0] in _APART:
        flags = {argument.partition("=")[0] for argument in arguments}
        if flags & {"--safe", "--timeout"}:
            return True
    return resource.getrlimit(resource.RLIMIT_AS)[0] >= 0 or any(map(_is_apart, arguments))


def _is_apart(argument: str) -> bool:
    if "@" not in argument:
        return False
    from gradcli.data import MAPPED
    from gradcli.data.formats import find  # most programs start faster without

    place = find(argument.partition("@")[2].strip())
    if place is None or place.is_remote or not place.format.apart:
        return False
    try:
        return place.format.apart == "always" or os.stat(place.path).st_size >= MAPPED
    except (OSError, ValueError):
        return False  # reading it reports the error


def is_apart() -> bool:
    """Whether this process is such a child."""
    return _parent is not None


def allow(seconds: float) -> None:
    """Ask the watching process to end this one soon after so many seconds; inf is never."""
    _tell(str(seconds))


def tell_of_writing() -> None:
    """Tell the process that watches this one that it has begun to write the answer."""
    _tell(_WRITING)


def stay() -> None:
    """Ask the watching process to leave Ctrl-C to this one, which goes on after it."""
    _tell(_STAYING)


def _tell(message: str) -> None:
    if _parent is not None:
        os.write(_parent, f"{message}\n".encode())


def apart(work: Callable[[], int]) -> End:
    """Run a function in a new process: its result is the exit code."""
    global _parent  # noqa: PLW0603 - it belongs to the whole process
    parent = os.getpid()
    lifeline, ours = os.pipe()
    answer, theirs = os.pipe()
    # What is sent to this process is waited for below; its own handlers would end it alone.
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _FORWARDED | {signal.SIGCHLD})
    child = os.fork()
    if not child:
        os.close(ours)
        os.close(answer)
        from gradcli.lifeline import die_with

        die_with(parent, lifeline)
        _parent = theirs
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        code = work()
        _tell(_DONE)
        os._exit(code)
    os.close(theirs)
    os.set_blocking(answer, False)
    return _watch(child, answer)


def _watch(child: int, answer: int) -> End:
    """Pass signals on until the child has ended; end it if it does not end by itself."""
    signalled: int | None = None
    seconds, last, told, wrote, stays = 0.0, float("inf"), False, False, False
    while True:
        found = signal.sigtimedwait(_FORWARDED | {signal.SIGCHLD}, _TICK)
        for message in _messages(answer):
            told = told or message == _DONE
            wrote = wrote or message == _WRITING
            stays = stays or message == _STAYING
            if message not in (_DONE, _WRITING, _STAYING):
                seconds = float(message)
                last = time.monotonic() + seconds + GRACE
        if found is not None and found.si_signo != signal.SIGCHLD:
            if found.si_code <= 0:  # from a process; a terminal has sent it to the child, too
                os.kill(child, found.si_signo)
            if not (stays and found.si_signo == signal.SIGINT):
                signalled, last = found.si_signo, min(last, time.monotonic() + GRACE)
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            rest = _messages(answer)
            told, wrote = told or _DONE in rest, wrote or _WRITING in rest
            return End(os.waitstatus_to_exitcode(status), told, wrote=wrote)
        if time.monotonic() > last and not told:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            if signalled is not None:
                return End(-signalled, told=False)
            return End(-signal.SIGKILL, told=False, seconds=seconds, wrote=wrote)


def _messages(answer: int) -> list[str]:
    """Read what the child has sent since the last call."""
    try:
        return os.read(answer, 4096).decode().split()
    except BlockingIOError:
        return []
