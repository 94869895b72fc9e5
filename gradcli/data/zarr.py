"""Stores of zarr, versions 2 and 3, read as untrusted input; version 3 is written.

What an array's metadata state is checked before zarr reads them: sizes, the types of elements, and
codecs, of which some would run code that the data bring. Chunks are files of at most the size that
a chunk can have.
"""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from math import ceil, prod
from typing import Any, NamedTuple

import numpy as np

from gradcli.data import json
from gradcli.data.chunks import Fetch, folder
from gradcli.data.formats import Location
from gradcli.data.guard import decoding
from gradcli.data.npy import require_memory
from gradcli.data.replace import replacing_folder
from gradcli.data.text import decode
from gradcli.diagnostics import GradcliError
from gradcli.extras import require
from gradcli.graph import Array, Shape

LONGEST_METADATA = 2**20
MOST_CHUNKS = 2**20
CHUNK_BYTES = 2**23
"""About how long the chunks are that are written."""
AT_ONCE = 4
"""Chunks that are decoded at the same time."""
SLACK = 2**16
"""Bytes by which a chunk may be longer than its elements: compression may not help."""

KINDS = re.compile(r"[<>|]?([biuf])([1248])")
TYPES = {
    "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
    "float16", "float32", "float64",
}  # fmt: skip
CODECS = {"bytes", "transpose", "gzip", "zstd", "blosc", "crc32c", "sharding_indexed"}
OLD_CODECS = {"zlib", "gzip", "zstd", "blosc", "lz4", "bz2", "lzma", "shuffle", "delta"}
"""What decodes bytes to bytes, and nothing else: `pickle` would run what it is given."""


class _Facts(NamedTuple):
    """What the metadata of an array state, as far as it was checked."""

    version: int
    shape: Shape
    chunk: Shape
    """Of what is stored in one file: a chunk, or a shard of several."""
    itemsize: int

    @property
    def chunk_bytes(self) -> int:
        return prod(self.chunk) * self.itemsize


def read(place: Location, memory: int) -> Array:
    """The array that the key names, a path inside the store; without a key, that of its root."""
    found = parts(place, memory)
    require_memory(prod(found.shape) * found.dtype.itemsize, memory, place.name)
    return found[...]


def parts(place: Location, memory: int) -> ZarrParts:
    """The same array, of which no more is read yet than its metadata."""
    key = place.key or ""
    if any(part in ("", ".", "..") for part in key.split("/")) and key:
        raise GradcliError("data", f"{place.name}: {key[:40]!r} is no name of an array")
    if place.is_remote:
        from gradcli.data.cloud import objects

        fetch = objects(place.path)
    else:
        fetch = folder(place.path)
    facts = _facts(fetch, key, place)
    _require_possible(facts, place.name, memory)
    zarr = require("zarr")
    from gradcli.data.chunk_store import ChunkStore

    store = ChunkStore(fetch, 2 * facts.chunk_bytes + SLACK)
    with _decoding(place.name, memory):
        found = zarr.open_array(store, path=key, zarr_format=facts.version, mode="r")
    return ZarrParts(found, place.name, memory)


class ZarrParts:
    """An array of which parts are read."""

    def __init__(self, array: Any, name: str, memory: int) -> None:
        self._array = array
        self._name = name
        self._memory = memory
        self.shape: Shape = array.shape
        self.dtype: np.dtype[Any] = array.dtype

    def __getitem__(self, place: Any) -> Array:
        with _decoding(self._name, self._memory):
            return np.asarray(self._array[place])


@contextmanager
def _decoding(name: str, memory: int) -> Iterator[None]:
    """Let zarr read, a few chunks at a time."""
    zarr = require("zarr")
    limits = {"async.concurrency": AT_ONCE, "threading.max_workers": AT_ONCE}
    with (
        decoding(name, "zarr", memory),
        warnings.catch_warnings(),
        zarr.config.set(limits),
    ):
        warnings.simplefilter("ignore")  # about codecs and types that may still change
        yield


def write(path: str, arrays: Mapping[str, Array]) -> None:
    """The arrays as those of a group. Each chunk is written whole, once."""
    zarr = require("zarr")
    with replacing_folder(path) as partial, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        group = zarr.open_group(partial, mode="w", zarr_format=3)
        for name, array in arrays.items():
            row = array.nbytes // max(1, len(array)) if array.ndim else array.nbytes
            rows = max(1, min(CHUNK_BYTES // max(1, row), len(array) if array.ndim else 1))
            chunks = tuple(max(1, n) for n in (rows, *array.shape[1:])) if array.ndim else ()
            group.create_array(name, data=np.ascontiguousarray(array).reshape(array.shape),
                               chunks=chunks)  # fmt: skip


def create(path: str, name: str, shape: Shape, dtype: np.dtype[Any], chunks: Shape) -> None:
    """A new array in the group at a path, which is made where there is none."""
    zarr = require("zarr")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        group = zarr.open_group(path, mode="a", zarr_format=3)
        group.create_array(name, shape=shape, dtype=dtype, chunks=chunks)


def put(path: str, name: str, place: tuple[slice, ...], values: Array) -> None:
    """Write whole chunks of an array that was created."""
    zarr = require("zarr")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        zarr.open_array(path, path=name, zarr_format=3, mode="r+")[place] = values


def _facts(fetch: Fetch, key: str, place: Location) -> _Facts:
    """The metadata of the array. Raises `data`."""
    prefix = f"{key}/" if key else ""
    for file, read_facts in (("zarr.json", _new), (".zarray", _old)):
        data = fetch(prefix + file, LONGEST_METADATA, None)
        if data is None:
            continue
        try:
            found = json.parse(decode(data, place.name), place.name)
            if isinstance(found, dict) and found.get("node_type") == "group":
                break
            return read_facts(found)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise _damaged(place, f"{file} lacks {error}") from None
        except _RefusedMetadataError as error:
            raise _damaged(place, str(error)) from None
        except GradcliError as error:
            raise _damaged(place, f"{file}: {error}") from None
    arrays = _arrays(place)
    raise GradcliError(
        "data",
        f"{place.path} has no array {key!r}" if key else f"{place.path} is a group of arrays",
        hint=f"it holds {', '.join(arrays)}" if arrays else f"name one: @{place.path}/NAME",
    )


class _RefusedMetadataError(Exception):
    """Metadata that are damaged, or of an array that is not read."""


def _new(found: Any) -> _Facts:
    """The metadata of version 3."""
    if found["zarr_format"] != 3 or found["node_type"] != "array":
        raise _RefusedMetadataError("it is not zarr 3")
    if found["data_type"] not in TYPES:
        raise _RefusedMetadataError(f"it holds {str(found['data_type'])[:40]}, not numbers")
    if found.get("storage_transformers"):
        raise _RefusedMetadataError("it has storage_transformers")
    if found["chunk_grid"]["name"] != "regular":
        raise _RefusedMetadataError("its chunks are not regular")
    codecs = list(found["codecs"])
    while codecs:  # those of shards stand inside
        codec = codecs.pop()
        if codec["name"] not in CODECS:
            raise _RefusedMetadataError(f"its codec {str(codec['name'])[:40]!r} is not known")
        configuration = codec.get("configuration", {})
        codecs += [*configuration.get("codecs", []), *configuration.get("index_codecs", [])]
    kind = np.dtype(found["data_type"])
    grid = found["chunk_grid"]["configuration"]["chunk_shape"]
    return _Facts(3, _sizes(found["shape"]), _sizes(grid), kind.itemsize)


def _old(found: Any) -> _Facts:
    """The metadata of version 2."""
    if found["zarr_format"] != 2:
        raise _RefusedMetadataError("it is not zarr 2")
    if not isinstance(found["dtype"], str) or not KINDS.fullmatch(found["dtype"]):
        raise _RefusedMetadataError(f"it holds {str(found['dtype'])[:40]}, not numbers")
    for codec in [found["compressor"], *(found["filters"] or [])]:
        if codec is not None and codec["id"] not in OLD_CODECS:
            raise _RefusedMetadataError(f"its codec {str(codec['id'])[:40]!r} is not known")
    itemsize = np.dtype(found["dtype"]).itemsize
    return _Facts(2, _sizes(found["shape"]), _sizes(found["chunks"]), itemsize)


def _sizes(value: Any) -> Shape:
    if not isinstance(value, list) or not all(type(n) is int and 0 <= n < 2**60 for n in value):
        raise _RefusedMetadataError("its shape is impossible")
    if len(value) > json.MAX_DEPTH:
        raise _RefusedMetadataError(f"it has {len(value)} axes, more than {json.MAX_DEPTH}")
    return tuple(value)


def _require_possible(facts: _Facts, name: str, memory: int) -> None:
    shape, chunk = facts.shape, facts.chunk
    if len(shape) != len(chunk) or not all(chunk):
        raise GradcliError("data", f"{name}: chunks of shape {chunk} do not fit shape {shape}")
    require_memory(facts.chunk_bytes, memory, name)
    count = prod(ceil(n / m) for n, m in zip(shape, chunk, strict=True))
    if count > MOST_CHUNKS:
        raise GradcliError(
            "data", f"{name} has {count:,} chunks, more than {MOST_CHUNKS:,}: make them larger"
        )


def _arrays(place: Location) -> Sequence[str]:
    """The names of some arrays in a folder."""
    if place.is_remote:
        return []
    try:
        with os.scandir(place.path) as entries:
            return sorted(entry.name for entry in entries if entry.is_dir())[:20]
    except OSError:
        return []


def _damaged(place: Location, why: str) -> GradcliError:
    return GradcliError("data", f"{place.name} is not an array of zarr: {why}")
