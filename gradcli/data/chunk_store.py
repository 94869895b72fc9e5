"""The store that zarr reads from. zarr's own stores follow links, wait for pipes, and read files of
any size.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable
from typing import Any

from zarr.abc.store import OffsetByteRequest, RangeByteRequest, Store, SuffixByteRequest

from gradcli.data.chunks import Extent, Fetch

_NONE: tuple[str, ...] = ()


class ChunkStore(Store):
    """Files that a function fetches, each of at most so many bytes."""

    supports_writes = False
    supports_deletes = False
    supports_listing = False

    def __init__(self, fetch: Fetch, most: int) -> None:
        super().__init__(read_only=True)
        self._fetch = fetch
        self._most = most

    async def get(self, key: str, prototype: Any, byte_range: Any = None) -> Any:
        """The bytes of a file, or some of them; None where there is none."""
        data = await asyncio.to_thread(self._fetch, key, self._most, _part(byte_range))
        return None if data is None else prototype.buffer.from_bytes(data)

    async def get_partial_values(self, prototype: Any, key_ranges: Iterable[Any]) -> list[Any]:
        """The bytes of parts of files."""
        return [await self.get(key, prototype, part) for key, part in key_ranges]

    async def exists(self, key: str) -> bool:
        """Whether there is such a file."""
        return await asyncio.to_thread(self._fetch, key, self._most, Extent(0, 0)) is not None

    async def set(self, key: str, value: Any) -> None:
        """Refused: the store is only read."""
        raise PermissionError(key)

    async def delete(self, key: str) -> None:
        """Refused: the store is only read."""
        raise PermissionError(key)

    async def list(self) -> AsyncIterator[str]:
        """Nothing: files are asked for by name."""
        for name in _NONE:
            yield name

    async def list_prefix(self, prefix: str) -> AsyncIterator[str]:
        """Nothing: files are asked for by name."""
        for name in _NONE:
            yield name

    async def list_dir(self, prefix: str) -> AsyncIterator[str]:
        """Nothing: files are asked for by name."""
        for name in _NONE:
            yield name

    def __eq__(self, other: object) -> bool:
        return self is other

    __hash__ = object.__hash__


def _part(asked: Any) -> Extent | None:
    if isinstance(asked, RangeByteRequest):
        return Extent(asked.start, asked.end)
    if isinstance(asked, OffsetByteRequest):
        return Extent(asked.offset)
    if isinstance(asked, SuffixByteRequest):
        return Extent(-asked.suffix) if asked.suffix else Extent(0, 0)
    return None
