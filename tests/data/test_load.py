"""Every kind of file, whole, damaged and hostile."""

from __future__ import annotations

import io
import os
import resource
import struct
import subprocess
import sys
import tracemalloc
import warnings
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gradcli.data.load import load
from gradcli.diagnostics import Diagnostic, GradcliError
from gradcli.graph import Array

MEMORY = 2**30


def read(path: Path | str, precision: str = "float64", memory: int = MEMORY) -> Array:
    assert precision in ("float64", "float32")
    return load(str(path), "float32" if precision == "float32" else "float64", memory)


def refusal(path: Path | str, precision: str = "float64", memory: int = MEMORY) -> Diagnostic:
    with pytest.raises(GradcliError) as caught:
        read(path, precision, memory)
    assert len(caught.value.diagnostic.message) < 500
    return caught.value.diagnostic


def npy(header: str, data: bytes = b"", version: int = 1) -> bytes:
    """A `.npy` file by the letter of its specification."""
    text = header.encode("latin-1")
    length = struct.pack("<H" if version == 1 else "<I", len(text))
    return b"\x93NUMPY" + bytes([version, 0]) + length + text + data


def standard_input(monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))


# --- .npy: what is read ----------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["<f2", ">f4", "<f8", ">f8", "=f8"])
@pytest.mark.parametrize("shape", [(), (3,), (2, 3), (0, 3), (2, 1, 2)])
def test_floats_of_any_width_and_order(tmp_path: Path, dtype: str, shape: tuple[int, ...]) -> None:
    expected = np.arange(float(np.prod(shape))).reshape(shape) / 4 - 0.5
    np.save(tmp_path / "x.npy", expected.astype(dtype))
    for precision in ("float64", "float32"):
        array = read(tmp_path / "x.npy", precision)
        assert array.dtype == np.dtype(precision)
        assert array.flags.c_contiguous
        assert array.shape == shape
        np.testing.assert_array_equal(array, expected)


@pytest.mark.parametrize("dtype", ["i1", "u1", "<i2", ">u2", "<i4", ">i8", "<u8"])
def test_integers_become_int64(tmp_path: Path, dtype: str) -> None:
    np.save(tmp_path / "x.npy", np.array([[1, 2, 100]], dtype))
    array = read(tmp_path / "x.npy", "float32")
    assert array.dtype == np.int64
    assert array.tolist() == [[1, 2, 100]]


def test_booleans_stay(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.array([[True], [False]]))
    array = read(tmp_path / "x.npy")
    assert array.dtype == np.bool_
    assert array.tolist() == [[True], [False]]


def test_a_single_boolean_is_an_array_too(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.array(True))
    array = read(tmp_path / "x.npy")
    assert type(array) is np.ndarray
    assert array.shape == ()


def test_booleans_of_other_bytes_are_true(tmp_path: Path) -> None:
    header = "{'descr': '|b1', 'fortran_order': False, 'shape': (3,), }"
    (tmp_path / "x.npy").write_bytes(npy(header, b"\x00\x02\xff"))
    assert read(tmp_path / "x.npy").tobytes() == b"\x00\x01\x01"


def test_fortran_order(tmp_path: Path) -> None:
    expected = np.arange(24.0).reshape(2, 3, 4)
    np.save(tmp_path / "x.npy", np.asfortranarray(expected))
    np.save(tmp_path / "b.npy", np.asfortranarray(expected > 7))
    np.testing.assert_array_equal(read(tmp_path / "x.npy"), expected)
    np.testing.assert_array_equal(read(tmp_path / "b.npy"), expected > 7)


def test_every_bit_of_a_float_is_kept(tmp_path: Path) -> None:
    bits = np.array([0x7FF8000000000001, 0x7FF0000000000000, 1 << 63, 1], np.uint64)
    np.save(tmp_path / "x.npy", bits.view(np.float64))
    assert read(tmp_path / "x.npy").tobytes() == bits.tobytes()


@pytest.mark.parametrize(
    "header",
    [
        "{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }   \n",
        '{"shape": (2 ,), "descr" : "<f8","fortran_order":False}',
        "{'descr': '<f8', 'fortran_order': True, 'shape': (2L,)}",
    ],
)
@pytest.mark.parametrize("version", [1, 2, 3])
def test_headers_of_other_writers(tmp_path: Path, header: str, version: int) -> None:
    (tmp_path / "x.npy").write_bytes(npy(header, struct.pack("<2d", 1.5, -2), version))
    assert read(tmp_path / "x.npy").tolist() == [1.5, -2]


def test_large_files_are_mapped(tmp_path: Path) -> None:
    expected = np.arange(2.0**18)
    np.save(tmp_path / "x.npy", expected)
    array = read(tmp_path / "x.npy", memory=1000)  # no copy, so no memory
    assert type(array) is np.ndarray
    assert not array.flags.writeable
    np.testing.assert_array_equal(array, expected)
    assert refusal(tmp_path / "x.npy", "float32", memory=2**19).code == "limit-memory"


def test_suffix_in_capitals(tmp_path: Path) -> None:
    with open(tmp_path / "X.NPY", "wb") as stream:
        np.save(stream, np.ones(2))
    assert read(tmp_path / "X.NPY").tolist() == [1, 1]


# --- .npy: what is refused ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("array", "says"),
    [
        (np.ones(2, complex), "complex numbers"),
        (np.ones(2, np.longdouble), "floats wider than 64 bits"),
        (np.array(["a"]), "strings"),
        (np.array([b"a"]), "strings"),
        (np.array(["2020-01-01"], "M8[D]"), "dates"),
        (np.array([1], "m8[s]"), "time spans"),
        (np.zeros(2, [("a", "f8"), ("b", "i4")]), "records"),
        (np.zeros(2, "V3"), "values of type 'V3'"),
        (np.array([2**63], np.uint64), "too large for int64"),
    ],
)
def test_other_dtypes(tmp_path: Path, array: Array, says: str) -> None:
    np.save(tmp_path / "x.npy", array, allow_pickle=False)
    wrong = refusal(tmp_path / "x.npy")
    assert wrong.code == "data"
    assert says in wrong.message


def test_pickles_are_never_loaded(tmp_path: Path) -> None:
    class Trap:
        def __reduce__(self) -> tuple[object, tuple[str]]:
            return os.mkdir, (str(tmp_path / "sprung"),)

    np.save(tmp_path / "x.npy", np.array([Trap()], object), allow_pickle=True)
    (tmp_path / "y.npy").write_bytes(b"\x80\x04}.")
    assert "pickled" in refusal(tmp_path / "x.npy").message
    assert "not a .npy file" in refusal(tmp_path / "y.npy").message
    assert not (tmp_path / "sprung").exists()


def test_signalling_nan(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.array([0x7FF0000000000001], np.uint64).view(np.float64))
    assert np.isnan(read(tmp_path / "x.npy", "float32")).all()


def test_float32_overflow(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.array([1e300, np.inf, np.nan]))
    (tmp_path / "x.json").write_text("[1e300]")
    np.save(tmp_path / "fine.npy", np.array([1e-300, np.inf, np.nan]))
    assert "too large for float32" in refusal(tmp_path / "x.npy", "float32").message
    assert "too large for float32" in refusal(tmp_path / "x.json", "float32").message
    assert read(tmp_path / "fine.npy", "float32").tolist()[:2] == [0, np.inf]


@pytest.mark.parametrize("length", [0, 5, 9, 11, 50, 127, 128, 151])
def test_truncated(tmp_path: Path, length: int) -> None:
    np.save(tmp_path / "x.npy", np.arange(3.0))
    os.truncate(tmp_path / "x.npy", length)
    wrong = refusal(tmp_path / "x.npy")
    assert wrong.code == "data"
    if length >= 128:
        assert f"24 bytes, but {length - 128}" in wrong.message


def test_truncated_large_file(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.arange(2.0**18))
    os.truncate(tmp_path / "x.npy", 2**20)
    assert "cut off" in refusal(tmp_path / "x.npy").message


@pytest.mark.parametrize(
    "shape",
    [
        "(1000000000000,)",
        "(1" + "0" * 1999 + ",)",
        "(0, 9223372036854775808)",
        "(4000000000, 4000000000)",
        "(0, 4000000000, 4000000000)",
        "(-1,)",
        "(1.5,)",
        "(2**3,)",
        "((1,),)",
        "(" + "1," * 65 + ")",
        "(" + "0," * 65 + ")",
    ],
)
def test_impossible_shapes(tmp_path: Path, shape: str) -> None:
    header = f"{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}"
    (tmp_path / "x.npy").write_bytes(npy(header, b"\0" * 64))
    assert refusal(tmp_path / "x.npy").code == "data"


@pytest.mark.parametrize(
    "header",
    [
        "",
        "{}",
        "(" * 9000,
        "{'descr': __import__('os').abort(), 'fortran_order': False, 'shape': (1,)}",
        "{'descr': '<f8', 'fortran_order': 0, 'shape': (1,)}",
        "{'descr': '<f8', 'shape': (1,)}",
        "\xff\x00",
    ],
)
def test_bad_headers(tmp_path: Path, header: str) -> None:
    (tmp_path / "x.npy").write_bytes(npy(header, b"\0" * 8))
    assert refusal(tmp_path / "x.npy").code == "data"


def test_header_longer_than_the_file(tmp_path: Path) -> None:
    (tmp_path / "x.npy").write_bytes(b"\x93NUMPY\x02\x00\xff\xff\xff\xff{'descr': '<f8', ")
    assert refusal(tmp_path / "x.npy").code == "data"


def test_sparse_file_of_a_terabyte_is_mapped(tmp_path: Path) -> None:
    header = "{'descr': '<f8', 'fortran_order': False, 'shape': (100000000000,), }"
    content = npy(header)
    (tmp_path / "x.npy").write_bytes(content)
    try:
        os.truncate(tmp_path / "x.npy", len(content) + 8 * 10**11)
    except OSError:
        pytest.skip("the file system has no files of that size")
    # The data begin at an odd offset: aligning them would need a copy.
    assert refusal(tmp_path / "x.npy").code == "limit-memory"


# --- .npz ---------------------------------------------------------------------------------------


def test_npz(tmp_path: Path) -> None:
    np.savez(tmp_path / "one.npz", w=np.eye(2))
    two: dict[str, Any] = {"w": np.eye(2), "w.grad": np.arange(3)}
    np.savez_compressed(tmp_path / "two.npz", **two)
    np.testing.assert_array_equal(read(tmp_path / "one.npz"), np.eye(2))
    np.testing.assert_array_equal(read(f"{tmp_path}/two.npz:w"), np.eye(2))
    assert read(f"{tmp_path}/two.npz:w.grad").tolist() == [0, 1, 2]


@pytest.mark.parametrize("version", [(9, 0), (0, 0), (1, 1), (4, 0), (255, 255)])
def test_versions_of_npy_that_are_unknown(tmp_path: Path, version: tuple[int, int]) -> None:
    data = bytearray(npy("{'descr': '<f8', 'fortran_order': False, 'shape': ()}", b"\0" * 8))
    data[6:8] = version
    (tmp_path / "x.npy").write_bytes(data)
    assert "version {}.{}".format(*version) in refusal(tmp_path / "x.npy").message


@pytest.mark.parametrize("second", ["a.npy", "a"])
def test_npz_with_two_arrays_of_one_name(tmp_path: Path, second: str) -> None:
    np.savez(tmp_path / "x.npz", a=1.0, b=2.0)
    with zipfile.ZipFile(tmp_path / "x.npz", "a") as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        archive.writestr(second, (tmp_path / "x.npz").read_bytes())
    for name in ("x.npz:a", "x.npz:b"):
        assert "one name" in refusal(f"{tmp_path}/{name}").message


def test_npz_keys_are_listed_and_suggested(tmp_path: Path) -> None:
    np.savez(tmp_path / "x.npz", weights=1.0, bias=2.0)
    assert "2 arrays; it holds weights, bias" in refusal(tmp_path / "x.npz").message
    wrong = refusal(f"{tmp_path}/x.npz:wieghts")
    assert wrong.code == "data"
    assert "no array 'wieghts'" in wrong.message
    assert (wrong.hint or "").endswith("x.npz:weights?")
    np.savez(tmp_path / "empty.npz")
    assert "it holds nothing" in refusal(tmp_path / "empty.npz").message


def test_npz_bomb(tmp_path: Path) -> None:
    """Far more zeros than the file is long, their number once declared and once not."""
    data = npy("{'descr': '<f8', 'fortran_order': False, 'shape': (134217728,), }")
    with zipfile.ZipFile(tmp_path / "x.npz", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("x.npy", data + b"\0" * 2**26)
    assert refusal(tmp_path / "x.npz", memory=2**25).code == "limit-memory"
    packed = (tmp_path / "x.npz").read_bytes()
    true_size = struct.pack("<I", len(data) + 2**26)
    (tmp_path / "y.npz").write_bytes(packed.replace(true_size, struct.pack("<I", 2**20)))
    tracemalloc.start()
    assert refusal(tmp_path / "y.npz", memory=2**25).code == "data"
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2**24


def test_npz_with_another_compression(tmp_path: Path) -> None:
    for method in (zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA):
        with zipfile.ZipFile(tmp_path / "x.npz", "w", method) as archive:
            archive.writestr("x.npy", b"")
        assert "compressed" in refusal(tmp_path / "x.npz").message


def test_npz_whose_names_are_not_utf8(tmp_path: Path) -> None:
    np.savez(tmp_path / "x.npz", é=1.0)
    content = (tmp_path / "x.npz").read_bytes()
    (tmp_path / "x.npz").write_bytes(content.replace("é".encode(), b"\xff\xff"))
    assert "not a valid .npz" in refusal(tmp_path / "x.npz").message


def test_npz_member_that_is_no_array(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "x.npz", "w") as archive:
        archive.writestr("readme.txt", "hello")
    assert refusal(tmp_path / "x.npz").code == "data"


def test_damaged_npz(tmp_path: Path) -> None:
    np.savez_compressed(tmp_path / "x.npz", x=np.random.default_rng(1).random(1000))
    whole = (tmp_path / "x.npz").read_bytes()
    for length in (0, 10, 1000, len(whole) - 1):
        (tmp_path / "x.npz").write_bytes(whole[:length])
        assert refusal(tmp_path / "x.npz").code == "data"
    for place in (60, 100, 4000):
        flipped = bytearray(whole)
        flipped[place] ^= 0xFF
        (tmp_path / "x.npz").write_bytes(flipped)
        assert refusal(tmp_path / "x.npz").code == "data"


def test_encrypted_npz(tmp_path: Path) -> None:
    np.savez(tmp_path / "x.npz", x=1.0)
    content = bytearray((tmp_path / "x.npz").read_bytes())
    directory = content.index(b"PK\x01\x02")
    content[6] |= 1
    content[directory + 8] |= 1
    (tmp_path / "x.npz").write_bytes(content)
    assert "not a valid .npz" in refusal(tmp_path / "x.npz").message


# --- text, standard input, and what is no file --------------------------------------------------


def test_text_files(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text('[[1, "NaN"]]')
    (tmp_path / "x.csv").write_text("\ufeffa;b\n1;2\n", encoding="utf-8")
    (tmp_path / "x.txt").write_text("1 2\n3 4\n")
    (tmp_path / "commas.txt").write_text("1, 2\n3, 4\n")
    assert read(tmp_path / "x.json").tolist()[0][0] == 1
    assert read(tmp_path / "x.csv").tolist() == [1, 2]
    assert read(tmp_path / "x.txt", "float32").dtype == np.float32
    assert read(tmp_path / "commas.txt").tolist() == [[1, 2], [3, 4]]


def test_too_much_text(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text("[" + "1," * 1000 + "1]")
    wrong = refusal(tmp_path / "x.json", memory=10_000)
    assert wrong.code == "limit-memory"
    assert "needs" in wrong.message  # told by the file's size, before anything is read
    assert wrong.hint == "raise it with --max-memory"
    assert read(tmp_path / "x.json", memory=50_000).size == 1001


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"[[1, 2], [3, 4]]", [[1, 2], [3, 4]]),
        (b"\xef\xbb\xbf [true]", [True]),
        (b"1 2\n3 4\n", [[1, 2], [3, 4]]),
        (b"x,y\n3,4\n", [3, 4]),
        (npy("{'descr': '<i2', 'fortran_order': False, 'shape': (2,)}", b"\1\0\2\0"), [1, 2]),
    ],
)
def test_standard_input(
    monkeypatch: pytest.MonkeyPatch, data: bytes, expected: list[object]
) -> None:
    standard_input(monkeypatch, data)
    assert read("-").tolist() == expected


def test_bad_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    standard_input(monkeypatch, b'{"a": 1}')
    assert refusal("-").code == "data"
    standard_input(monkeypatch, b"1 \xff")
    assert refusal("-").code == "encoding"
    standard_input(monkeypatch, b"1 " * 1000)
    assert refusal("-", memory=10_000).code == "limit-memory"
    standard_input(monkeypatch, b"")
    assert "no numbers" in refusal("-").message
    monkeypatch.setattr(sys, "stdin", None)
    assert refusal("-").code == "file"


def test_unknown_names(tmp_path: Path) -> None:
    (tmp_path / "x.dat").touch()
    assert "cannot tell" in refusal(tmp_path / "x.dat").message
    assert refusal(tmp_path / "x.npz:w").code == "file"
    assert "is a folder" in refusal(tmp_path).message
    assert refusal("").code == "usage"
    assert refusal("a\0.npy").code == "file"


def test_pipes_and_devices_are_not_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "x.csv")
    os.symlink("/dev/zero", tmp_path / "x.json")
    os.symlink("x.npy", tmp_path / "x.npy")
    assert "not a file" in refusal(tmp_path / "x.csv").message
    assert "not a file" in refusal(tmp_path / "x.json").message
    assert refusal(tmp_path / "x.npy").code == "file"


def test_endless_input_takes_bounded_memory() -> None:
    script = (
        "from gradcli.data.load import load\n"
        "from gradcli.diagnostics import GradcliError\n"
        "try: load('-', 'float64', 2**26)\n"
        "except GradcliError as error: print(error.diagnostic.code)\n"
    )
    with open("/dev/zero", "rb") as zeros:
        done = subprocess.run(
            [sys.executable, "-c", script],
            stdin=zeros,
            capture_output=True,
            text=True,
            check=True,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_DATA, (2**29, 2**29)),
        )
    assert done.stdout == "limit-memory\n"
