"""`--out`: results in a file that survives `kill -9`, with a journal in the same folder.

The journal is a line that describes the configuration, then an entry for each record: a digest of
its input, the length and the checksum of its result, and a checksum of the entry itself. A result
is written before its entry, so each result with an entry is complete; what follows it in either
file is incomplete, and removed when the run is resumed. The journal is kept when the run has
finished: resuming that run changes nothing. A file that the run reads, or that another program
wrote under the journal's name, is refused before anything is written.
"""

from __future__ import annotations

import fcntl
import json
import os
import struct
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from hashlib import blake2b
from typing import BinaryIO, NamedTuple
from zlib import crc32

from gradcli.batch.items import Item
from gradcli.batch.reader import Reader
from gradcli.data.replace import check_target
from gradcli.data.text import reason
from gradcli.diagnostics import GradcliError

SUFFIX = ".journal"
FORMAT = "gradcli batch journal 1"
_MAGIC = b'{"format": "gradcli batch journal '

_ENTRY = struct.Struct("<16sQI?")
_CHECK = struct.Struct("<I")
_SIZE = _ENTRY.size + _CHECK.size
_FINISHED = b"\xff" * 16


class JournalEntry(NamedTuple):
    """An entry of the journal: about one record, or, at the end, about all of them."""

    digest: bytes
    """Of the record's input; in the last entry the mark for that."""
    length: int
    """Bytes of the result with its line break; in the last entry the number of records."""
    checksum: int
    ok: bool


class Journal:
    """A file of results and its journal, locked against other runs."""

    def __init__(
        self,
        path: str,
        configuration: Mapping[str, object],
        *,
        resume: bool,
        inputs: Sequence[str] = (),
    ) -> None:
        """Raises `file` where the files cannot be opened or locked, and `usage` for another
        configuration and for a file that is among the `inputs`.
        """
        self._path = path
        self._header = json.dumps({"format": FORMAT, **configuration}).encode() + b"\n"
        self._end = 0
        self.done = 0
        """Records that an earlier run has answered."""
        self.failed = 0
        """Those of them that are errors."""
        self.last_failed = False
        self.finished = False
        self._made: list[str] = []
        """Files that this run has made, until something is written to them."""
        self._open = ExitStack()
        check_target(path, [path + SUFFIX, *inputs])
        check_target(path + SUFFIX, inputs)
        try:
            self._results = self._locked(path)
            self._journal = self._locked(path + SUFFIX)
            self._require_ours()
            if resume:
                self._verify()
            else:
                self._require_nothing_to_resume()
        except GradcliError:
            self.close()
            raise

    def close(self) -> None:
        """Unlock the files; those that this run has made are removed if it has written nothing."""
        for path in self._made:
            with suppress(OSError):
                os.unlink(path)
        self._open.close()

    def _locked(self, path: str) -> int:
        """The file, made if it does not exist, and locked."""
        flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC
        try:
            try:
                descriptor, made = os.open(path, flags | os.O_EXCL, 0o666), [path]
            except FileExistsError:  # also where a link points to no file yet
                descriptor, made = os.open(path, flags, 0o666), []
        except OSError as error:
            raise GradcliError("file", f"cannot write {path!r}: {reason(error)}") from None
        self._open.callback(os.close, descriptor)
        if not _lock(descriptor, path):
            raise GradcliError(
                "file",
                f"another run is writing {self._path!r}",
                hint="wait for it, or name another file",
            )
        self._made += made
        return descriptor

    # --- resuming ---

    def _require_ours(self) -> None:
        """Refuse a file under the journal's name that is not this program's journal."""
        for path, descriptor in ((self._path, self._results), (self._path + SUFFIX, self._journal)):
            with _stream(descriptor) as stream:
                start = stream.read(len(_MAGIC))  # shorter where writing it was interrupted
            if start and (path == self._path) == _MAGIC.startswith(start):
                what = "a journal" if path == self._path else "not a journal of gradcli"
                raise GradcliError(
                    "file",
                    f"{path!r} is {what}, and would be lost",
                    hint="name another file with --out, or move that one away",
                )

    def require_results(self) -> None:
        """Refuse to overwrite a file without results: a record that may read files may name it."""
        if (
            not self.done
            and os.fstat(self._results).st_size
            and not os.fstat(self._journal).st_size
        ):
            raise GradcliError(
                "usage",
                f"{self._path!r} holds something that no run has written, and with --allow-files "
                "a record may name it",
                hint="remove it first, or name another file",
            )

    def _require_nothing_to_resume(self) -> None:
        """Refuse to start again where that would delete the results of an interrupted run."""
        with _stream(self._journal) as stream:
            stream.readline()
            last = deque(_entries(stream), maxlen=1)
        if last and last[0].digest != _FINISHED:
            raise GradcliError(
                "usage",
                f"{self._path!r} holds the results of a run that was interrupted",
                hint=f"continue it with --resume, or remove {self._path}{SUFFIX} to start again",
            )

    def _verify(self) -> None:
        """Find out how many records have complete results, and where these end."""
        with _stream(self._journal) as journal, _stream(self._results) as results:
            header = journal.readline()
            if not header.endswith(b"\n"):
                if results.read(1):
                    raise GradcliError(
                        "file",
                        f"{self._path!r} has no journal: there is nothing to resume",
                        hint="remove it to start again",
                    )
                return
            self._require_same(header)
            for entry in _entries(journal):
                if entry.digest == _FINISHED:
                    at_end = not journal.read(1) and not results.read(1)
                    self.finished = entry.length == self.done and at_end
                    break
                result = results.read(entry.length)
                if len(result) < entry.length or crc32(result) != entry.checksum:
                    break
                self._end += entry.length
                self.done += 1
                self.failed += not entry.ok
                self.last_failed = not entry.ok

    def _require_same(self, header: bytes) -> None:
        try:
            before = json.loads(header)
        except ValueError:
            before = None
        if not isinstance(before, dict) or before.get("format") != FORMAT:
            raise GradcliError(
                "file", f"{self._path + SUFFIX!r} is not a journal of this version of gradcli"
            )
        now = json.loads(self._header)
        changed = [key for key in now if before.get(key) != now[key]]
        if changed:
            raise GradcliError(
                "usage",
                f"cannot resume {self._path!r}: the run was started with another "
                f"{', '.join(changed)}",
                hint="use the same flags, or remove the journal to start again",
            )

    def skip(self, reader: Reader) -> None:
        """Skip the records that are done, after checking that they are the same. Raises `data`."""
        with _stream(self._journal) as stream:
            stream.readline()
            for number, entry in zip(range(self.done), _entries(stream), strict=False):
                item = _next(reader)
                if item is None or digest(item) != entry.digest:
                    where = "ends before it" if item is None else f"differs in line {item.line}"
                    raise self._changed(f"record {number + 1} was answered, and the input {where}")
        if self.finished and _next(reader) is not None:
            raise self._changed(f"the run has finished with {self.done:,} records, and has more")

    def _changed(self, how: str) -> GradcliError:
        return GradcliError(
            "data",
            f"cannot resume {self._path!r}: the input has changed: {how}",
            hint="give the same input, or remove the journal to start again",
        )

    # --- writing ---

    def start(self) -> None:
        """Remove what is incomplete, and be ready for the next record."""
        try:
            os.ftruncate(self._results, self._end)
            os.lseek(self._results, self._end, os.SEEK_SET)
            if self.done:
                os.ftruncate(self._journal, len(self._header) + self.done * _SIZE)
                os.lseek(self._journal, 0, os.SEEK_END)
            else:
                os.ftruncate(self._journal, 0)
                os.lseek(self._journal, 0, os.SEEK_SET)
                _write(self._journal, self._header)
        except OSError as error:
            raise self._cannot_write(error) from None
        self._made.clear()

    def write(self, items: Sequence[Item]) -> None:
        """Write some results, then their entries. Raises `file`."""
        results = [item.result() for item in items]
        entries = [
            _pack(digest(item), len(result), crc32(result), not item.failed)
            for item, result in zip(items, results, strict=True)
        ]
        try:
            _write(self._results, b"".join(results))
            _write(self._journal, b"".join(entries))
        except OSError as error:
            raise self._cannot_write(error) from None

    def finish(self, count: int) -> None:
        """Write the last entry, as all records are answered, and force everything onto the disk."""
        try:
            os.fsync(self._results)
            _write(self._journal, _pack(_FINISHED, count, 0, ok=True))
        except OSError as error:
            raise self._cannot_write(error) from None

    def _cannot_write(self, error: OSError) -> GradcliError:
        return GradcliError(
            "file",
            f"cannot write {self._path!r}: {reason(error)}",
            hint="what is written is safe: --resume continues",
        )


def digest(item: Item) -> bytes:
    """A digest that shows whether a record has changed: of its bytes, its kind and its line."""
    return blake2b(b"%d %d " % (item.kind, item.line) + item.data, digest_size=16).digest()


def _pack(digest: bytes, length: int, checksum: int, ok: bool) -> bytes:
    """An entry as it is written."""
    body = _ENTRY.pack(digest, length, checksum, ok)
    return body + _CHECK.pack(crc32(body))


def _next(reader: Reader) -> Item | None:
    while not reader.items:
        if reader.ended:
            return None
        reader.read()
    return reader.items.popleft()


def _entries(stream: BinaryIO) -> Iterator[JournalEntry]:
    """The entries up to the first that is incomplete or damaged."""
    while len(data := stream.read(_SIZE)) == _SIZE:
        body, check = data[: _ENTRY.size], data[_ENTRY.size :]
        if _CHECK.unpack(check)[0] != crc32(body):
            return
        yield JournalEntry(*_ENTRY.unpack(body))


def _lock(descriptor: int, path: str) -> bool:
    """Lock a file; False where another run has locked it, or has just removed it."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return os.path.samestat(os.fstat(descriptor), os.stat(path))
    except OSError:
        return False


def _stream(descriptor: int) -> BinaryIO:
    """A descriptor to read from its beginning; it stays open."""
    os.lseek(descriptor, 0, os.SEEK_SET)
    return open(descriptor, "rb", closefd=False)


def _write(descriptor: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(descriptor, rest) :]
