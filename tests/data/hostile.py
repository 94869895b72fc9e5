"""Stores as an attacker makes them: sizes that lie, bombs, paths that lead out, codecs that run
what they are given, files cut short, byte orders that do not exist.
"""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from tests.data.stores import NUMBERS, codec, entry, tensors, v2, v3

Make: TypeAlias = Callable[[Path], str]
"""Makes a store in a folder, and returns what is to be read."""

SPRUNG = b"cposix\nabort\n(tR."
"""A pickle that ends the process that reads it."""
SHARD = codec("sharding_indexed")[1] | {
    "configuration": {
        "chunk_shape": [2], "index_location": "end",
        "codecs": codec("bytes")[:1], "index_codecs": codec("crc32c"),
    }
}  # fmt: skip


def bomb(kind: str) -> bytes:
    """32 MiB of zeros, as streams of one each, which all of these formats allow."""
    import bz2
    import gzip
    import lzma

    compress: Any = {"gzip": gzip, "bz2": bz2, "lzma": lzma}[kind]
    return 32 * bytes(compress.compress(bytes(2**20)))


def deflated_zeros(count: int) -> bytes:
    """The zlib stream of `count` blocks of 16 MiB of zeros, by RFC 1950."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    block = packer.compress(bytes(2**24)) + packer.flush(zlib.Z_FULL_FLUSH)
    adler = (count * 2**24 % 65521) << 16 | 1
    return b"\x78\xda" + block * count + b"\x03\x00" + struct.pack(">I", adler)


def _grid(*shape: int) -> dict[str, Any]:
    return {"name": "regular", "configuration": {"chunk_shape": list(shape)}}


ZARR_3: dict[str, tuple[dict[str, Any], bytes]] = {
    "a shape beyond memory": (v3(shape=[2**50]), b""),
    "a chunk beyond memory": (v3(chunk_grid=_grid(2**50)), b""),
    "a million chunks": (v3(shape=[2**22], data_type="int8", chunk_grid=_grid(1)), b""),
    "chunks of 0": (v3(chunk_grid=_grid(0)), b""),
    "chunks of other axes": (v3(chunk_grid=_grid(2, 2)), b""),
    "negative": (v3(shape=[-4]), b""),
    "a fraction of an element": (v3(shape=[4.5]), b""),
    "65 axes": (v3(shape=[1] * 65, chunk_grid=_grid(*[1] * 65)), b""),
    "strings": (v3(data_type="string"), b""),
    "a dtype as an object": (v3(data_type={"name": "numpy.datetime64"}), b""),
    "an unknown codec": (v3(codecs=codec("numcodecs.pickle")), SPRUNG),
    "a codec in a shard": (
        v3(codecs=[{"name": "sharding_indexed", "configuration":
                    {"chunk_shape": [2], "codecs": codec("pickle"), "index_codecs": []}}]),
        SPRUNG,
    ),
    "no codecs": (v3(codecs=[]), b"\0" * 32),
    "codecs are a number": (v3(codecs=3), b""),
    "transformers": (v3(storage_transformers=[{"name": "x"}]), b""),
    "an irregular grid": (v3(chunk_grid={"name": "rectilinear", "configuration": {}}), b""),
    "keys are missing": ({"zarr_format": 3, "node_type": "array"}, b""),
    "a chunk cut off": (v3(), b"\0" * 31),
    "a chunk too long": (v3(), b"\0" * 40),
    "a chunk of a megabyte": (v3(), b"\0" * 2**20),
    "another byte order": (
        v3(codecs=[{"name": "bytes", "configuration": {"endian": "middle"}}]), b"\0" * 32,
    ),
    "axes turned out of range": (
        v3(codecs=[{"name": "transpose", "configuration": {"order": [7]}}, *codec("bytes")[:1]]),
        b"\0" * 32,
    ),
    "gzip cut off": (v3(codecs=codec("gzip", level=1)), b"\x1f\x8b\x08"),
    "a bomb of gzip": (v3(codecs=codec("gzip", level=1)), bomb("gzip")),
    "zstd that lies": (
        v3(codecs=codec("zstd", level=1, checksum=False)),
        b"\x28\xb5\x2f\xfd\xe0" + struct.pack("<Q", 2**50) + b"\1\0\0",
    ),
    "zstd of noise": (v3(codecs=codec("zstd", level=1, checksum=False)), b"noise" * 6),
    "blosc that lies": (
        v3(codecs=codec("blosc", cname="lz4", clevel=1, shuffle="noshuffle", typesize=8,
                        blocksize=0)),
        bytes([2, 1, 1, 8]) + struct.pack("<III", 2**31 - 1, 2**20, 32) + b"\0" * 16,
    ),
    "a checksum that is wrong": (v3(codecs=codec("crc32c")), b"\0" * 36),
    "a shard without an index": (v3(codecs=[SHARD]), b"\0" * 7),
    "a shard that points outside": (
        v3(codecs=[SHARD]), b"\0" * 32 + struct.pack("<QQQQ", 2**40, 16, 0, 2**60) + b"\0" * 4,
    ),
    "version 4": (v3(zarr_format=4), b""),
}  # fmt: skip
ZARR_2: dict[str, tuple[dict[str, Any], bytes]] = {
    "objects": (v2(dtype="|O", filters=[{"id": "pickle"}]), SPRUNG),
    "pickled": (v2(compressor={"id": "pickle"}), SPRUNG),
    "a filter of pickles": (v2(filters=[{"id": "pickle"}]), SPRUNG),
    "json2": (v2(filters=[{"id": "json2"}]), b"[1]"),
    "records": (v2(dtype=[["a", "<f8"]]), b""),
    "times": (v2(dtype="<M8[ns]"), b""),
    "a shape beyond memory": (v2(shape=[2**50]), b""),
    "cut off": (v2(), b"\0" * 8),
    "a bomb of bz2": (v2(compressor={"id": "bz2", "level": 1}), bomb("bz2")),
    "a bomb of lzma": (
        v2(compressor={"id": "lzma", "format": 1, "check": -1, "preset": None, "filters": None}),
        bomb("lzma"),
    ),
    "lz4 that lies": (v2(compressor={"id": "lz4"}), struct.pack("<i", 2**31 - 1) + b"\0" * 8),
    "a filter of objects": (v2(filters=[{"id": "delta", "dtype": "|O"}]), b"\0" * 32),
    "a compressor that is a number": (v2(compressor=3), b""),
    "a byte order that does not exist": (v2(dtype="!f8"), b"\0" * 32),
}
SAFETENSORS: dict[str, bytes] = {
    "nothing": b"",
    "short": b"\1\0\0",
    "a header longer than the file": tensors({}, length=2**63 - 1),
    "a header of 2**64": tensors({}, length=2**64 - 1),
    "a header in the other byte order": struct.pack(">Q", 2) + b"{}",
    "no JSON": tensors(b"{'a': 1}"),
    "a list": tensors([]),
    "doubled keys": tensors(b'{"a": 1, "a": 2}'),
    "deep": tensors(b"[" * 100_000),
    "not UTF-8": tensors(b'{"\xff": 1}'),
    "no entry": tensors({"a": 3}),
    "keys are missing": tensors({"a": {"dtype": "F32"}}),
    "offsets beyond the file": tensors({"a": entry("F64", [2], 0, 16)}, b"\0" * 8),
    "offsets backwards": tensors({"a": entry("U8", [0], 4, 0)}, b"\0" * 8),
    "offsets of floats": tensors({"a": {**entry("U8", [1], 0, 1), "data_offsets": [0.0, 1]}}, b"a"),
    "negative offsets": tensors({"a": entry("U8", [1], -1, 0)}, b"a"),
    "overlap": tensors({"a": entry("U8", [4], 0, 4), "b": entry("U8", [4], 2, 6)}, b"\0" * 6),
    "gap": tensors({"a": entry("U8", [2], 2, 4)}, b"\0" * 4),
    "more data": tensors({"a": entry("U8", [2], 0, 2)}, b"\0" * 4),
    "another size": tensors({"a": entry("F64", [3], 0, 16)}, b"\0" * 16),
    "a size of 2**64": tensors({"a": entry("F64", [2**32, 2**32], 0, 0)}),
    "65 axes": tensors({"a": entry("U8", [1] * 65, 0, 1)}, b"a"),
    "a dtype of objects": tensors({"a": entry("O", [1], 0, 8)}, b"\0" * 8),
    "a dtype that is a list": tensors({"a": {**entry("U8", [1], 0, 1), "dtype": ["U8"]}}, b"a"),
    "a shape of strings": tensors({"a": {**entry("U8", [1], 0, 1), "shape": ["1"]}}, b"a"),
}
HDF5 = [
    "link", "circle", "nowhere", "raw", "virtual", "text", "records", "complex", "rows", "ragged",
    "reference", "huge", "chunk", "nothing", "group", "long", "times", "missing", "group/x/y",
    "../other.h5", "bomb", "noise", "short", "plugin",
]  # fmt: skip
"""Keys in the file of `hdf5`."""
HDF5_DAMAGE: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda _: b"",
    "noise": lambda _: b"noise",
    "its first 100 bytes": lambda whole: whole[:100],
    "half of it": lambda whole: whole[: len(whole) // 2],
    "without its last byte": lambda whole: whole[:-1],
    "another version": lambda whole: whole[:8] + b"\x7f" + whole[9:],
    "offsets of 255 bytes": lambda whole: whole[:13] + b"\xff" + whole[14:],
    "a root outside": lambda whole: whole.replace(b"TREE", b"EERT").replace(b"SNOD", b"DONS"),
}


def hdf5(folder: Path) -> str:
    """A file in which each array is hostile in another way."""
    import h5py

    secret = folder / "secret.bin"
    secret.write_bytes(b"\0" * 64)
    with h5py.File(folder / "other.h5", "w") as file:
        file["x"] = NUMBERS
    layout = h5py.VirtualLayout((4, 6), "f8")
    layout[:] = h5py.VirtualSource(str(folder / "other.h5"), "x", (4, 6))
    with h5py.File(folder / "f.h5", "w") as file:
        file["link"] = h5py.ExternalLink(str(folder / "other.h5"), "/x")
        file["circle"] = h5py.SoftLink("/circle")
        file["nowhere"] = h5py.SoftLink("/nothing")
        file.create_dataset("raw", (8,), "f8", external=[(str(secret), 0, 64)])
        file.create_virtual_dataset("virtual", layout)
        file["text"] = "abc"
        file["records"] = np.zeros(2, [("a", "f8")])
        file["complex"] = np.zeros(2, complex)
        file["rows"] = np.zeros(2, "O").astype("S1")
        file.create_dataset("ragged", (2,), h5py.vlen_dtype("f8"))
        file.create_dataset("reference", (2,), h5py.ref_dtype)
        file.create_dataset("huge", (2**50,), "f8", chunks=(2**10,))
        file.create_dataset("chunk", (1,), "f8", chunks=(2**27,), maxshape=(None,))
        file["nothing"] = h5py.Empty("f8")
        file["group/x"] = NUMBERS
        file["long"] = np.zeros(2, np.longdouble)
        file.create_dataset("times", data=np.zeros(2, "i8").view("M8[s]").astype("O").astype("S"))
        packed = {"bomb": deflated_zeros(80), "noise": b"noise" * 9, "short": b"\x78"}
        for name, chunk in packed.items():
            made = file.create_dataset(name, (1024,), "f8", chunks=(1024,), compression="gzip")
            made.id.write_direct_chunk((0,), chunk)
        properties = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        properties.set_chunk((8,))
        properties.set_filter(32013, h5py.h5z.FLAG_OPTIONAL, ())
        space = h5py.h5s.create_simple((8,))
        h5py.h5d.create(file.id, b"plugin", h5py.h5t.NATIVE_DOUBLE, space, properties)
    return f"{folder}/f.h5"


def _zarr_3(metadata: dict[str, Any], chunk: bytes) -> Make:
    def make(folder: Path) -> str:
        store = folder / "d.zarr"
        (store / "x" / "c").mkdir(parents=True)
        (store / "x" / "zarr.json").write_text(json.dumps(metadata))
        (store / "x" / "c" / "0").write_bytes(chunk)
        return f"{store}/x"

    return make


def _zarr_2(metadata: dict[str, Any], chunk: bytes) -> Make:
    def make(folder: Path) -> str:
        store = folder / "d.zarr"
        store.mkdir()
        (store / ".zarray").write_text(json.dumps(metadata))
        (store / "0").write_bytes(chunk)
        return str(store)

    return make


def _text(text: str) -> Make:
    def make(folder: Path) -> str:
        (folder / "d.zarr").mkdir()
        (folder / "d.zarr" / "zarr.json").write_text(text)
        return f"{folder}/d.zarr"

    return make


def _safetensors(data: bytes) -> Make:
    def make(folder: Path) -> str:
        (folder / "m.safetensors").write_bytes(data)
        return f"{folder}/m.safetensors:a"

    return make


def _damaged(damage: Callable[[bytes], bytes]) -> Make:
    def make(folder: Path) -> str:
        import h5py

        path = folder / "f.h5"
        with h5py.File(path, "w") as file:
            file.create_dataset("x", data=np.arange(1000.0), chunks=(100,), compression="gzip",
                                fletcher32=True)  # fmt: skip
        path.write_bytes(damage(path.read_bytes()))
        return f"{path}:x"

    return make


def _chunk_changed(folder: Path) -> str:
    """A chunk whose checksum does not fit."""
    import h5py

    spec = _damaged(lambda whole: whole)(folder)
    path = Path(spec.removesuffix(":x"))
    with h5py.File(path) as file:
        at = file["x"].id.get_chunk_info(3).byte_offset
    whole = path.read_bytes()
    path.write_bytes(whole[: at + 4] + bytes(8) + whole[at + 12 :])
    return spec


NO_JSON = ["", "{", "[]", "3", '{"zarr_format": 3}', "[" * 100_000, '"\\ud800"']
KINDS: dict[str, Make] = {
    **{f"zarr: {name}": _zarr_3(*each) for name, each in ZARR_3.items()},
    **{f"zarr 2: {name}": _zarr_2(*each) for name, each in ZARR_2.items()},
    **{f"zarr: metadata {text[:20]!r}": _text(text) for text in NO_JSON},
    **{f"safetensors: {name}": _safetensors(data) for name, data in SAFETENSORS.items()},
    **{f"HDF5: {key}": lambda folder, key=key: f"{hdf5(folder)}:/{key}" for key in HDF5},  # type: ignore[misc]
    **{f"HDF5: file, {name}": _damaged(damage) for name, damage in HDF5_DAMAGE.items()},
    "HDF5: a chunk changed": _chunk_changed,
}
"""By name, which begins with the format."""
