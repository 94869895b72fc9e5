"""Bytes to text: limits, encodings and files that are not there."""

from __future__ import annotations

import io
import os
from pathlib import Path

import pytest

from gradcli.data.text import open_binary, read_bytes, read_text
from gradcli.diagnostics import Diagnostic, GradcliError


def refusal(data: bytes, limit: int = 1000) -> Diagnostic:
    with pytest.raises(GradcliError) as caught:
        read_text(io.BytesIO(data), "program", limit)
    return caught.value.diagnostic


def opening(path: Path) -> Diagnostic:
    with pytest.raises(GradcliError) as caught:
        open_binary(str(path))
    return caught.value.diagnostic


def test_text_of_any_script() -> None:
    assert read_text(io.BytesIO("α = 1  # ∂".encode()), "program", 100) == "α = 1  # ∂"


def test_byte_order_mark_is_no_part_of_the_text() -> None:
    assert read_text(io.BytesIO(b"\xef\xbb\xbfx"), "program", 100) == "x"


def test_limit_counts_bytes() -> None:
    assert read_text(io.BytesIO(b"abcd"), "program", 4) == "abcd"
    assert refusal(b"abcde", limit=4).code == "limit-tokens"


def test_endless_input_is_read_up_to_the_limit_only() -> None:
    with open("/dev/zero", "rb") as endless, pytest.raises(GradcliError) as caught:
        read_bytes(endless, "standard input", 3 * 2**20, "data")
    assert caught.value.diagnostic.code == "data"
    assert "3,145,728" in caught.value.diagnostic.message


def test_pipe_that_arrives_in_pieces() -> None:
    read, write = os.pipe()
    with open(read, "rb", buffering=0) as stream, open(write, "wb", buffering=0) as other:
        other.write(b"x")
        assert stream.read(1) == b"x"
        other.write(b"y = ")
        other.write(b"1")
        other.close()
        assert read_text(stream, "standard input", 100) == "y = 1"


def test_bad_byte_is_placed() -> None:
    wrong = refusal("x = 1\né = \xff".encode("latin-1").replace(b"\xe9", "é".encode()))
    assert wrong.code == "encoding"
    assert "byte 0xff at offset 11" in wrong.message
    assert wrong.source
    assert wrong.span
    assert wrong.source.locate(wrong.span[0]) == (2, 5)


@pytest.mark.parametrize(
    "data",
    [b"\xc0\xaf", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"x\xe2\x82"],
    ids=["overlong", "surrogate", "beyond unicode", "cut off"],
)
def test_utf8_is_strict(data: bytes) -> None:
    assert refusal(data).code == "encoding"


def test_utf16_is_recognised() -> None:
    assert "UTF-16" in (refusal("x = 1".encode("utf-16")).hint or "")


def test_missing_file_suggests_a_near_one(tmp_path: Path) -> None:
    (tmp_path / "weights.npy").touch()
    wrong = opening(tmp_path / "wieghts.npy")
    assert wrong.code == "file"
    assert wrong.hint == f"did you mean {str(tmp_path / 'weights.npy')!r}?"


def test_missing_suffix_is_suggested(tmp_path: Path) -> None:
    (tmp_path / "w.csv").touch()
    assert "w.csv" in (opening(tmp_path / "w").hint or "")


def test_missing_folder_is_named(tmp_path: Path) -> None:
    assert "no folder" in (opening(tmp_path / "nowhere" / "x.npy").hint or "")


def test_folder_is_not_a_file(tmp_path: Path) -> None:
    assert "is a folder" in opening(tmp_path).message


def test_nul_in_a_path_is_an_error_like_any_other(tmp_path: Path) -> None:
    assert opening(tmp_path / "a\0b").code == "file"


def test_no_permission(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def denied(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("builtins.open", denied)
    wrong = opening(tmp_path / "x")
    assert wrong.code == "file"
    assert "permission" in wrong.message


def test_failing_read_is_a_file_error() -> None:
    with pytest.raises(GradcliError) as caught:
        read_bytes(_Folder(), "standard input", 10, "data")
    assert caught.value.diagnostic.code == "file"
    assert "Is a directory" in caught.value.diagnostic.message


class _Folder(io.BytesIO):
    """Standard input in `gradcli - < folder`."""

    def read(self, _: int | None = -1, /) -> bytes:
        raise IsADirectoryError(21, "Is a directory")
