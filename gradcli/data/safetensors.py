"""The `.safetensors` files that models are published in: a header in JSON, then the bytes of all.

The header is checked as one that an attacker wrote: each size that it states against the file, and
that no two arrays share a byte. Format: github.com/huggingface/safetensors
"""

from __future__ import annotations

import os
from math import prod
from typing import Any, BinaryIO, NamedTuple

import numpy as np

from gradcli.data import MAPPED, json
from gradcli.data.formats import Location
from gradcli.data.names import choose
from gradcli.data.npy import require_memory
from gradcli.data.text import decode, open_binary, require_regular, require_room
from gradcli.diagnostics import GradcliError
from gradcli.engine.mapped import map_file
from gradcli.graph import Array, Shape

LONGEST_HEADER = 100_000_000
"""Bytes, as in the reference implementation."""
DTYPES = {
    "F64": "<f8", "F32": "<f4", "F16": "<f2", "I64": "<i8", "I32": "<i4", "I16": "<i2", "I8": "i1",
    "U64": "<u8", "U32": "<u4", "U16": "<u2", "U8": "u1", "BOOL": "?",
    "BF16": "<u2",  # NumPy has no such floats: the first 16 bits of a float32
}  # fmt: skip


class _Tensor(NamedTuple):
    """An entry of the header, as far as it was checked."""

    dtype: str
    shape: Shape
    begin: int
    end: int


def read(place: Location, memory: int) -> Array:
    """The array that the key names; without a key, the only one. BF16 is widened to float32."""
    path = place.path
    require_regular(path)
    with open_binary(path) as stream:
        size = os.fstat(stream.fileno()).st_size
        start, tensors = _header(stream, size, path, memory)
        tensor = tensors[choose(place.key, [*tensors], path)]
        count = tensor.end - tensor.begin
        if count >= MAPPED:
            data = map_file(stream)[start + tensor.begin : start + tensor.end]
        else:
            stream.seek(start + tensor.begin)
            data = np.frombuffer(stream.read(count), np.uint8)
    array: Array = data.view(DTYPES[tensor.dtype]).reshape(tensor.shape)
    if tensor.dtype != "BF16":
        return array
    require_memory(array.size * 4, memory, place.name)
    wide: Array = np.left_shift(array, 16, dtype=np.uint32).view(np.float32)
    return wide


def _header(stream: BinaryIO, size: int, name: str, memory: int) -> tuple[int, dict[str, _Tensor]]:
    """Where the arrays begin, and their entries. Raises `data` and `limit-memory`."""
    length = int.from_bytes(stream.read(8), "little")
    if size < 8 or length > min(size - 8, LONGEST_HEADER):
        raise _damaged(name, f"its header states {length:,} bytes, the file has {size:,}")
    require_room(length, memory, name)
    try:
        found = json.parse(decode(stream.read(length), name), name)
    except GradcliError as error:
        raise _damaged(name, f"its header is not JSON: {error}") from None
    if not isinstance(found, dict):
        raise _damaged(name, "its header is no object")
    found.pop("__metadata__", None)
    room = size - 8 - length
    tensors = {key: _tensor(entry, room, f"{name}:{key[:40]}") for key, entry in found.items()}
    end = 0
    for tensor in sorted(tensors.values(), key=lambda each: (each.begin, each.end)):
        if tensor.begin != end:
            raise _damaged(name, f"its arrays overlap or leave gaps at byte {end:,}")
        end = tensor.end
    if end != room:
        raise _damaged(name, f"{room:,} bytes follow the header, its arrays have {end:,}")
    return 8 + length, tensors


def _tensor(entry: Any, room: int, name: str) -> _Tensor:
    if not isinstance(entry, dict) or entry.keys() != {"dtype", "shape", "data_offsets"}:
        raise _damaged(name, "an entry has dtype, shape and data_offsets")
    dtype, shape, offsets = entry["dtype"], entry["shape"], entry["data_offsets"]
    if not _are_sizes(shape) or len(shape) > json.MAX_DEPTH:
        raise _damaged(name, "its shape is impossible")
    if not _are_sizes(offsets) or len(offsets) != 2 or not offsets[0] <= offsets[1] <= room:
        raise _damaged(name, f"its data_offsets do not lie in the {room:,} bytes of the file")
    if not isinstance(dtype, str) or dtype not in DTYPES:
        raise GradcliError(
            "data",
            f"{name} holds {str(dtype)[:20]}; only floats up to 64 bits, BF16, integers and "
            "booleans are read",
        )
    needed = prod(shape) * np.dtype(DTYPES[dtype]).itemsize
    if offsets[1] - offsets[0] != needed:
        raise _damaged(
            name, f"shape {shape} takes {needed:,} bytes, it has {offsets[1] - offsets[0]:,}"
        )
    return _Tensor(dtype, tuple(shape), *offsets)


def _are_sizes(value: Any) -> bool:
    return isinstance(value, list) and all(type(n) is int and 0 <= n < 2**60 for n in value)


def _damaged(name: str, why: str) -> GradcliError:
    return GradcliError("data", f"{name} is not a valid .safetensors file: {why}")
