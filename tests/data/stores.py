"""How stores are tested: as files that are made here, byte by byte where they are damaged."""

from __future__ import annotations

import json
import struct
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gradcli.data.load import load
from gradcli.diagnostics import Diagnostic, GradcliError
from gradcli.graph import Array

MEMORY = 2**26
NUMBERS = np.arange(24.0).reshape(4, 6) / 7 - 1

needs_zarr = pytest.mark.skipif(not find_spec("zarr"), reason="needs gradcli[zarr]")
needs_h5py = pytest.mark.skipif(not find_spec("h5py"), reason="needs gradcli[hdf5]")
needs_cloud = pytest.mark.skipif(
    not (find_spec("obstore") and find_spec("moto") and find_spec("zarr")),
    reason="needs gradcli[zarr,cloud] and moto[server]",
)


def read(place: Path | str, memory: int = MEMORY) -> Array:
    """The array at a place."""
    return load(str(place), "float64", memory)


def refusal(place: Path | str, memory: int = MEMORY) -> Diagnostic:
    """Why there is none."""
    with pytest.raises(GradcliError) as caught:
        read(place, memory)
    assert len(caught.value.diagnostic.message) < 500
    return caught.value.diagnostic


def tensors(header: Any, data: bytes = b"", length: int | None = None) -> bytes:
    """A .safetensors file by the letter of the format."""
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(text) if length is None else length) + text + data


def entry(dtype: str, shape: list[int], begin: int, end: int) -> dict[str, Any]:
    """Of its header."""
    return {"dtype": dtype, "shape": shape, "data_offsets": [begin, end]}


def v3(**changes: Any) -> dict[str, Any]:
    """The metadata of a zarr array of 4 floats in one chunk, changed."""
    return {
        "zarr_format": 3, "node_type": "array", "shape": [4], "data_type": "float64",
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [4]}},
        "chunk_key_encoding": {"name": "default"}, "fill_value": 0, "attributes": {},
        "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}], **changes,
    }  # fmt: skip


def v2(**changes: Any) -> dict[str, Any]:
    """The same for version 2."""
    return {
        "zarr_format": 2, "shape": [4], "chunks": [4], "dtype": "<f8", "compressor": None,
        "fill_value": 0, "order": "C", "filters": None, **changes,
    }  # fmt: skip


def codec(name: str, **configuration: Any) -> list[dict[str, Any]]:
    """The codecs of an array of version 3: its bytes, then another one."""
    return [
        {"name": "bytes", "configuration": {"endian": "little"}},
        {"name": name, "configuration": configuration},
    ]
