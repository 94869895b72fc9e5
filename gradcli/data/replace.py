"""The one place that writes files under names that the user gives: complete or not at all, and
never over a file that the run itself reads.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import BinaryIO

from gradcli.data.text import reason
from gradcli.diagnostics import GradcliError

MARKS = ("zarr.json", ".zgroup", ".zarray")
"""The files by which zarr knows its folders."""
STREAMS = ("/dev/stdin", "/dev/stdout", "/dev/stderr")
"""The standard streams, which may be files, too."""


def check_target(path: str, inputs: Iterable[str] = ()) -> None:
    """Raise, before anything is computed, what `replacing` would raise; and `usage` for a file that
    is one of the `inputs`, under any name or link.
    """
    if path == "-":  # standard input or output elsewhere
        raise GradcliError("usage", "'-' is not a file", hint="./- is one of that name")
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


def check_folder(path: str, inputs: Iterable[str] = ()) -> None:
    """The same for `replacing_folder`; raises `file` for what is there and is no zarr store, too.

    `inputs` may be stores.
    """
    parent = os.path.dirname(os.path.realpath(path))
    if not os.path.isdir(parent):
        raise GradcliError(
            "file", f"there is no folder {parent!r}", hint=f"make it first: mkdir -p {parent!r}"
        )
    if not os.access(parent, os.W_OK | os.X_OK):
        raise GradcliError("file", f"no permission to write in {parent!r}")
    require_no_input(path, inputs)
    if os.path.lexists(path) and not any(os.path.isfile(os.path.join(path, m)) for m in MARKS):
        raise GradcliError(
            "file", f"{path!r} is no zarr store, and would be lost", hint="name another one"
        )


@contextmanager
def replacing_folder(path: str) -> Iterator[str]:
    """A new folder, which gets the name `path` when the block ends, unless it fails. What has that
    name then is removed. Raises `file`.
    """
    from shutil import rmtree
    from tempfile import mkdtemp

    target = os.path.realpath(path)
    parent, name = os.path.split(target)
    made = ""
    try:
        made = mkdtemp(prefix=f".{name}.", dir=parent)
        partial, old = os.path.join(made, "new"), os.path.join(made, "old")
        os.mkdir(partial)
        yield partial
        if os.path.lexists(target):
            os.rename(target, old)
        os.rename(partial, target)
    except OSError as error:
        raise GradcliError("file", f"cannot write {path!r}: {reason(error)}") from None
    finally:
        if made:
            rmtree(made, ignore_errors=True)


def check_stream_target(path: str, inputs: Iterable[str] = ()) -> None:
    """The same for `writing`, which also accepts pipes and devices."""
    if not _is_stream(path):
        check_target(path, inputs)


def require_regular(path: str) -> None:
    """Raise `file` for a folder, and for pipes and devices, which may have no end and cannot be
    replaced. That there is no such file is reported elsewhere.
    """
    status = _status(path)
    if status is not None and not stat.S_ISREG(status.st_mode):
        what = "a folder" if stat.S_ISDIR(status.st_mode) else "a pipe or device"
        raise GradcliError("file", f"{path!r} is not a file but {what}", hint="name a file")


def require_no_input(path: str, inputs: Iterable[str]) -> None:
    """Raise `usage` if `path` is one of the inputs or a standard stream, under any name."""
    name = same_file(path, [*STREAMS, *inputs])
    if name is not None:
        raise GradcliError(
            "usage",
            f"{path!r} is the same file as {name!r}, which this run uses: it would be lost",
            hint="name another file",
        )


def same_file(path: str, others: Iterable[str]) -> str | None:
    """The name among the others of this same file, if there is one; `-` is standard input."""
    status = _status(path)
    for name in others if status is not None else ():
        other = _status(STREAMS[0] if name == "-" else name)
        if status is not None and other is not None and os.path.samestat(status, other):
            return name
    return None


@contextmanager
def writing(path: str) -> Iterator[BinaryIO]:
    """As `replacing`, but a pipe, a device or a standard stream is written to directly."""
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

    A link is followed; the new file gets the owner and the permissions of the file that it
    replaces before a byte is written. However the program ends, the name stands for the old file
    or for the new one. Nothing is forced onto the disk, so after a power failure the file may be
    lost, as with `numpy.save`. Raises `file`.
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
        with suppress(OSError):  # after success it has another name
            os.unlink(partial)


def _create_nameless(folder: str, mode: int) -> int | None:
    """A file without a name, of which nothing is left however the run ends; None where the file
    system does not support such files.
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
    """The state of the file under a name, links followed; None where it cannot be read."""
    try:
        return os.stat(path)
    except (OSError, ValueError):
        return None
