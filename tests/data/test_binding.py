"""`NAME=VALUE` and `[NAME=]VALUE`."""

from __future__ import annotations

import pytest

from gradcli.data.binding import parse_binding, parse_gradient
from gradcli.diagnostics import GradcliError


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x=1", ("x", "1")),
        (" x = [[1, 2]] ", ("x", " [[1, 2]] ")),
        ("x=a==b", ("x", "a==b")),
        ("x=@data=1.npy", ("x", "@data=1.npy")),
        ("θ_1=2", ("θ_1", "2")),
        ("ﬁ=1", ("fi", "1")),
        ("𝑥=1", ("x", "1")),
        ("pi=3", ("pi", "3")),
    ],
)
def test_binding(text: str, expected: tuple[str, str]) -> None:
    assert parse_binding(text) == expected


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("x", "gives no value"),
        ("", "gives no value"),
        ("=1", "no name"),
        ("2x=1", "'2x' is not a name"),
        ("x y=1", "'x y' is not a name"),
        ("x.y=1", "'x.y' is not a name"),
        ("for=1", "a word of the language"),
        ("true=1", "a word of the language"),
        ("x=", "empty value"),
        ("x=  ", "empty value"),
        ("\x1b[31m=1", "is not a name"),
    ],
)
def test_bad_binding(text: str, says: str) -> None:
    with pytest.raises(GradcliError, match=says) as caught:
        parse_binding(text)
    assert caught.value.diagnostic.code == "usage"


def test_messages_stay_short() -> None:
    for text in ("x" * 10**6, "2" * 10**6 + "=1"):
        with pytest.raises(GradcliError) as caught:
            parse_binding(text)
        assert len(caught.value.diagnostic.message) < 100


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1,0", (None, "1,0")),
        ("-1,2", (None, "-1,2")),
        ("=1,2", (None, "1,2")),
        ("z=1,2", ("z", "1,2")),
        (" z = 1", ("z", " 1")),
        ("z==1", (None, "z==1")),
        ("z=a==b", ("z", "a==b")),
        ("[a=1]", (None, "[a=1]")),
        ("ones(2, dtype=3)", (None, "ones(2, dtype=3)")),
        ("@file=1.npy", (None, "@file=1.npy")),
        ("z<=1", (None, "z<=1")),
    ],
)
def test_gradient(text: str, expected: tuple[str | None, str]) -> None:
    assert parse_gradient(text) == expected


@pytest.mark.parametrize("text", ["", " ", "=", "z=", "None=1"])
def test_bad_gradient(text: str) -> None:
    with pytest.raises(GradcliError) as caught:
        parse_gradient(text)
    assert caught.value.diagnostic.code == "usage"
