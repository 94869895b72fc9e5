"""A run in a process of its own, where something may end it that no program can handle: the kernel,
when another program cuts a file short that is mapped, or BLAS, when it is refused memory.
"""

from __future__ import annotations

import os
import resource
import signal
from collections.abc import Callable, Sequence

from gradcli.batch.lifeline import die_with
from gradcli.data import MAPPED

_FORWARDED = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGXCPU}


def is_needed(arguments: Sequence[str]) -> bool:
    """Whether a command line names a file that is going to be mapped, or memory is limited."""
    return resource.getrlimit(resource.RLIMIT_AS)[0] >= 0 or any(map(_is_mapped, arguments))


def _is_mapped(argument: str) -> bool:
    path = argument.partition("@")[2].strip()
    try:
        return path.lower().endswith(".npy") and os.stat(path).st_size >= MAPPED
    except (OSError, ValueError):
        return False  # reading it says what is wrong


def apart(work: Callable[[], int]) -> tuple[int, bool]:
    """The exit code of a function that runs in a new process, and True; or False and how that
    process ended before the function did: an exit code, or a negated signal.
    """
    parent = os.getpid()
    lifeline, ours = os.pipe()
    answer, theirs = os.pipe()
    # What is sent to this process is waited for below; its own handlers would end it alone.
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _FORWARDED | {signal.SIGCHLD})
    child = os.fork()
    if not child:
        os.close(ours)
        os.close(answer)
        die_with(parent, lifeline)
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        code = work()
        os.write(theirs, b".")
        os._exit(code)
    os.close(theirs)
    code = os.waitstatus_to_exitcode(_wait(child))
    return code, bool(os.read(answer, 1))


def _wait(child: int) -> int:
    """Hand signals on until the child has ended."""
    while True:
        found = signal.sigwaitinfo(_FORWARDED | {signal.SIGCHLD})
        if found.si_signo == signal.SIGCHLD:
            ended, status = os.waitpid(child, os.WNOHANG)
            if ended:
                return status
        elif found.si_code <= 0:  # from a process; a terminal has told the child, too
            os.kill(child, found.si_signo)
