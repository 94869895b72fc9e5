"""The one place that puts files under names of the user's: whole or not at all, where they may
stand, and never over what the run itself reads.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import BinaryIO

from gradcli.data.text import reason
from gradcli.diagnostics import GradcliError

STREAMS = ("/dev/stdin", "/dev/stdout", "/dev/stderr")
"""The standard streams, which may be files too."""


def check_target(path: str, inputs: Iterable[str] = ()) -> None:
    """Raise, before anything is computed, what `replacing` would raise; and `usage` for a file
    that stands among `inputs` too, by whatever name or link.
    """
    target = os.path.realpath(path)
    folder = os.path.dirname(target)
    if not os.path.isdir(folder):
        raise GradcliError(
            "file", f"there is no folder {folder!r}", hint=f"make it first: mkdir -p {folder!r}"
        )
    require_regular(path)
    require_no_input(path, inputs)
    if not os.access(folder, os.W_OK | os.X_OK):
        raise GradcliError("file", f"no permission to write in {folder!r}")
    if os.path.exists(target) and not os.access(target, os.W_OK):
        raise GradcliError("file", f"no permission to write {path!r}")


def check_stream_target(path: str, inputs: Iterable[str] = ()) -> None:
    """The same for `writing`, to which pipes and devices are as good as files."""
    if not _is_stream(path):
        check_target(path, inputs)


def require_regular(path: str) -> None:
    """Raise `file` for a folder, and for pipes and devices, which may never come to an end and
    which cannot be replaced. What is not there is for others to report.
    """
    status = _status(path)
    if status is not None and not stat.S_ISREG(status.st_mode):
        what = "a folder" if stat.S_ISDIR(status.st_mode) else "a pipe or device"
        raise GradcliError("file", f"{path!r} is not a file but {what}", hint="name a file")


def require_no_input(path: str, inputs: Iterable[str]) -> None:
    """Raise `usage` where `path` is one of the inputs or a standard stream, by whatever name."""
    name = same_file(path, [*STREAMS, *inputs])
    if name is not None:
        raise GradcliError(
            "usage",
            f"{path!r} is the same file as {name!r}, which this run uses: it would be lost",
            hint="name another file",
        )


def same_file(path: str, others: Iterable[str]) -> str | None:
    """Which of the others is this file by another name, if one is; `-` is standard input."""
    status = _status(path)
    for name in others if status is not None else ():
        other = _status(STREAMS[0] if name == "-" else name)
        if status is not None and other is not None and os.path.samestat(status, other):
            return name
    return None


@contextmanager
def writing(path: str) -> Iterator[BinaryIO]:
    """As `replacing`, and straight into what is a pipe, a device or a standard stream."""
    if not _is_stream(path):
        with replacing(path) as stream:
            yield stream
        return
    try:
        # A second opening of a standard stream would write over what the first has written.
        same = [number for number in (1, 2) if _is_descriptor(path, number)]
        with open(os.dup(same[0]) if same else path, "wb") as stream:
            yield stream
    except OSError as error:
        raise GradcliError("file", f"cannot write {path!r}: {reason(error)}") from None


@contextmanager
def replacing(path: str) -> Iterator[BinaryIO]:
    """A stream whose content gets the name `path` when the block ends, unless it fails.

    A link is followed; a file that is replaced passes on its owner and its permissions, which hold
    before a byte is written. However the program ends, the name stands for the old file or the new
    one; nothing is forced onto the disk, so a power cut may still lose what was saved just before,
    as it may with `numpy.save`. Raises `file`.
    """
    check_target(path)
    target = os.path.realpath(path)
    folder = os.path.dirname(target)
    partial = os.path.join(folder, f".gradcli-{os.urandom(6).hex()}.part")

    def create(name: str, flags: int) -> int:
        old = _status(target)
        mode = 0o666 if old is None else stat.S_IMODE(old.st_mode)
        descriptor = _create_nameless(folder, mode)
        if descriptor is None:
            descriptor = os.open(name, flags, mode)
        if old is not None:
            _pass_on(old, descriptor)
        return descriptor

    try:
        with open(partial, "x+b", opener=create) as stream:
            yield stream
            stream.flush()
            if not os.fstat(stream.fileno()).st_nlink:
                _name(stream.fileno(), partial)
        os.replace(partial, target)
    except OSError as error:
        # NumPy says how many elements it wrote, not why it stopped.
        why = reason(error) if error.errno else "there is no room for all of it"
        raise GradcliError("file", f"cannot write {path!r}: {why}") from None
    finally:
        with suppress(OSError):  # after success it is gone
            os.unlink(partial)


def _create_nameless(folder: str, mode: int) -> int | None:
    """A file without a name, of which nothing is left however the run ends; None where the file
    system knows no such files.
    """
    try:
        return os.open(folder, os.O_TMPFILE | os.O_RDWR | os.O_CLOEXEC, mode)
    except (OSError, AttributeError):
        return None


def _name(descriptor: int, path: str) -> None:
    """Give a name to a file that has none yet."""
    # Given a folder's descriptor, Python follows the link in /proc to the file itself.
    folder = os.open(os.path.dirname(path), os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.link(f"/proc/self/fd/{descriptor}", os.path.basename(path), dst_dir_fd=folder)
    finally:
        os.close(folder)


def _pass_on(old: os.stat_result, descriptor: int) -> None:
    """Owner, group and permissions of the file that will be replaced, as far as the user may."""
    new = os.fstat(descriptor)
    if (new.st_uid, new.st_gid) != (old.st_uid, old.st_gid):
        try:
            os.fchown(descriptor, old.st_uid, old.st_gid)
        except PermissionError:
            with suppress(PermissionError):
                os.fchown(descriptor, -1, old.st_gid)
    os.fchmod(descriptor, stat.S_IMODE(old.st_mode))


def _is_stream(path: str) -> bool:
    status = _status(path)
    if status is None or stat.S_ISDIR(status.st_mode):
        return False
    return not stat.S_ISREG(status.st_mode) or any(_is_descriptor(path, n) for n in (1, 2))


def _is_descriptor(path: str, number: int) -> bool:
    status, other = _status(path), _status(number)
    return status is not None and other is not None and os.path.samestat(status, other)


def _status(path: str | int) -> os.stat_result | None:
    """What there is under a name, links followed; None for nothing that can be looked at."""
    try:
        return os.stat(path)
    except (OSError, ValueError):
        return None
