"""A sandbox for processes that read untrusted text: limits of the operating system and, on Linux, a
filter of system calls. So even a bug, here or in a library, cannot start programs, use the network
or write files. A process cannot leave the sandbox.
"""

from __future__ import annotations

import os
import resource
import struct
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal, NamedTuple

SPARE_BYTES = 2**30
"""Address space for libraries that are loaded later, and for threads."""
SPARE_DATA = 2**27
"""Memory for the same, and for threads' stacks, where only memory is counted."""
OUTPUT = 8
"""An answer's text may be this many times as long as the memory for values."""
SPARE_SECONDS = 2
SPARE_TASKS = 256
"""Threads of this process, and what the user starts elsewhere in the meantime."""


def enter(memory: int, seconds: float | None, threads: int) -> None:
    """Confine this process: to its limits, and by the filter where the system has such filters."""
    _limit(resource.RLIMIT_AS, _pages("addresses") + 2 * memory + SPARE_BYTES)
    if seconds is not None:
        _limit(resource.RLIMIT_CPU, int(seconds * threads) + SPARE_SECONDS)
    _limit(resource.RLIMIT_FSIZE, OUTPUT * memory)  # standard output may be a file
    _limit(resource.RLIMIT_CORE, 0)
    _limit(resource.RLIMIT_NPROC, _tasks() + SPARE_TASKS if sys.platform == "linux" else 0)
    machine = os.uname().machine
    os.environ.pop("GRADCLI_CXX", None)  # no compiler can be started
    if sys.platform == "linux" and machine in TABLES:
        _filter(program(TABLES[machine]))


@contextmanager
def narrowed(memory: int) -> Iterator[None]:
    """Let libraries that decode untrusted data take about so many more bytes, whatever the data
    state: more is a MemoryError, in the whole process, until the block ends.
    """
    with _lowered(resource.RLIMIT_AS, _pages("addresses") + memory + SPARE_BYTES):
        yield


@contextmanager
def held_to(memory: int) -> Iterator[None]:
    """The same for work of which it is known what it takes: addresses without memory, such as those
    of files, are not counted.
    """
    with _lowered(resource.RLIMIT_DATA, _pages("data") + memory + SPARE_DATA):
        yield


@contextmanager
def _lowered(which: int, most: int) -> Iterator[None]:
    """Lower a limit, unless it is lower already, until the block ends."""
    soft, hard = resource.getrlimit(which)
    known = [each for each in (soft, hard, most) if each != resource.RLIM_INFINITY]
    resource.setrlimit(which, (min(known), hard))
    try:
        yield
    finally:
        resource.setrlimit(which, (soft, hard))


def _pages(what: Literal["addresses", "data"]) -> int:
    """The bytes that this process has of some kind, as far as the system tells."""
    place = {"addresses": 0, "data": 5}[what]
    with open("/proc/self/statm" if sys.platform == "linux" else os.devnull) as file:
        words = file.read().split() or ["0"] * 6
    return int(words[place]) * resource.getpagesize()


def _tasks() -> int:
    """The threads that run on this system. Linux counts the user's threads as processes."""
    with open("/proc/loadavg") as file:  # 0.20 0.18 0.12 1/80 11206
        return int(file.read().split()[3].partition("/")[2])


def _limit(which: int, value: int) -> None:
    """Lower a limit, unless it is lower already."""
    _, hard = resource.getrlimit(which)
    least = value if hard == resource.RLIM_INFINITY else min(value, hard)
    resource.setrlimit(which, (least, least))


# --- the filter --------------------------------------------------------------------------------


class CallNumbers(NamedTuple):
    """The numbers of a machine's system calls, as in Linux's asm/unistd.h."""

    audit: int
    """The machine's constant in linux/audit.h."""
    closed: tuple[int, ...]
    """Calls about programs, processes, the network, names of files, and access to other
    processes.
    """
    opening: tuple[tuple[int, int], ...]
    """Calls that open files, and which of their arguments holds the flags."""
    clone: int


TABLES = {
    "x86_64": CallNumbers(
        audit=0xC000003E,
        closed=(
            *(59, 322, 57, 58, 62, 101, 310, 311),  # execve fork kill ptrace process_vm
            *(41, 42, 43, 49, 50, 53, 288),  # socket connect accept bind listen
            *(76, 82, 83, 84, 85, 86, 87, 88, 90, 92, 94, 133),  # truncate rename … mknod
            *(258, 259, 260, 263, 264, 265, 266, 268, 316),  # mkdirat … renameat2
            *(165, 250, 298, 321, 323, 425, 426, 427),  # mount keyctl perf bpf io_uring
        ),
        opening=((2, 1), (257, 2)),
        clone=56,
    ),
    "aarch64": CallNumbers(
        audit=0xC00000B7,
        closed=(
            *(221, 281, 129, 117, 270, 271),
            *(198, 199, 200, 201, 202, 203, 242),
            *(45, 33, 34, 35, 36, 37, 38, 53, 54, 276),
            *(40, 219, 241, 280, 282, 425, 426, 427),
        ),
        opening=((56, 2),),
        clone=220,
    ),
}
UNKNOWN = (435, 437)
"""clone3 and openat2, whose flags a filter cannot read: libraries use the older calls instead."""

_LOAD, _EQUAL, _ABOVE, _ANY, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
"""BPF: load a word of the call's data; jump if it is equal to k, at least k, has a bit of k."""
_ALLOW, _DENY, _ABSENT = 0x7FFF0000, 0x00050000 | 1, 0x00050000 | 38
"""Results of the filter: allow the call, EPERM, ENOSYS."""
_NUMBER, _MACHINE, _ARGUMENTS = 0, 4, 16
"""Offsets in the call's data; an argument has 8 bytes, and flags are in the first 4."""
_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC
_CLONE_THREAD = 0x10000
_X32 = 0x40000000


def program(calls: CallNumbers) -> bytes:
    """The filter, in the machine language of BPF: `struct sock_filter` of linux/filter.h."""
    steps = [
        (_LOAD, 0, 0, _MACHINE), (_EQUAL, 1, 0, calls.audit), (_RETURN, 0, 0, _DENY),
        (_LOAD, 0, 0, _NUMBER), (_ABOVE, 0, 1, _X32), (_RETURN, 0, 0, _DENY),
    ]  # fmt: skip
    for number in calls.closed:
        steps += [(_EQUAL, 0, 1, number), (_RETURN, 0, 0, _DENY)]
    for number in UNKNOWN:
        steps += [(_EQUAL, 0, 1, number), (_RETURN, 0, 0, _ABSENT)]
    for number, argument in calls.opening:
        steps += [
            (_EQUAL, 0, 4, number), (_LOAD, 0, 0, _ARGUMENTS + 8 * argument),
            (_ANY, 0, 1, _WRITES), (_RETURN, 0, 0, _DENY), (_RETURN, 0, 0, _ALLOW),
        ]  # fmt: skip
    steps += [
        (_EQUAL, 0, 3, calls.clone), (_LOAD, 0, 0, _ARGUMENTS),
        (_ANY, 1, 0, _CLONE_THREAD), (_RETURN, 0, 0, _DENY), (_RETURN, 0, 0, _ALLOW),
    ]  # fmt: skip
    return b"".join(struct.pack("HBBI", *step) for step in steps)


def _filter(code: bytes) -> None:
    """Make the kernel apply the filter from now on; without effect where it has no such filters."""
    import ctypes

    class FilterProgram(ctypes.Structure):
        """`struct sock_fprog` of linux/filter.h."""

        _fields_ = (("length", ctypes.c_ushort), ("code", ctypes.c_char_p))

    libc = ctypes.CDLL(None)
    no_new_privileges, set_filter, mode_filter = 38, 22, 2  # linux/prctl.h
    libc.prctl(no_new_privileges, 1, 0, 0, 0)
    filled = FilterProgram(len(code) // 8, code)
    libc.prctl(set_filter, mode_filter, ctypes.byref(filled), 0, 0)
