"""Bytes: gradcli prints what Python prints when it runs the same here."""

from __future__ import annotations

import pytest

from gradcli.diagnostics import GradcliError
from tests.cells.test_python_lines import ours, pythons

CELL = r"""
b = b'abc'
print(b, len(b), b[0], b[-1], b[1:], list(b), type(b), isinstance(b, bytes), isinstance(b, str))
print(bool(b''))
print(b.decode(), b.decode('utf-8').upper(), 'héllo'.encode(), 'héllo'.encode('latin-1'))
print('hi'.encode('utf-16'))
print(b == b'abc', b == 'abc', b != b'x', b + b'd', b * 2, 2 * b, b'a' in b, 97 in b, b < b'b')
print(b'' or 'x')
for x in b: print(x, end=' ')
print()
print(b', '.join([b'a', b'b']), b.upper(), b.split(b'b'), b.startswith(b'a'), b.find(b'c'))
print(b.hex(), b.replace(b'a', b'zz'))
d = {b'k': 1, 'k': 2}
print(d, d[b'k'], f'{b}', f'{b!r}', '%s' % b, str(b), repr(b), [b], (b,), b'it\'s')
print(b"\x00\xff\n\t\\", rb'\n', b'a' b'b')
print(bytes(3), bytes([65, 66]), bytes('ab', 'utf-8'), bytes(), bytes.fromhex('ff00'))
print(sorted([b'b', b'a']), max(b'abc'), sum(b'abc'))
print(hash(b'a') == hash(b'a'), {b'a', b'a'}, tuple(b'ab'), [chr(c) for c in b])
print(bytes(x ^ 1 for x in b))
try: b'\xff'.decode()
except UnicodeDecodeError as e: print(e)
try: 'é'.encode('ascii')
except UnicodeEncodeError as e: print(e)
try: b + 'x'
except TypeError as e: print('TypeError')
print(list('hello'.encode('utf-8')))
text = "hello world"
ids = list(text.encode("utf-8"))
print(bytes(ids).decode('utf-8'), b'a,b'.partition(b','), bytes(b'x'))
"""


def test_bytes_are_no_strings() -> None:
    assert ours(CELL) == pythons(CELL)


@pytest.mark.parametrize(
    ("cell", "code", "said"),
    [
        ("b'é'", "syntax", "ASCII"),
        ("b'a' 'b'", "syntax", "next to a string"),
        ("b'a' + 'b'", "type", "must be bytes"),
        ("'b' + b'a'", "type", "no + of str and bytes"),
        ("b'a' % 3", "type", "no % here"),
        ("bytes('a')", "type", "without an encoding"),
        ("bytes([256])", "value", "range(0, 256)"),
        ("b'a'.decode('rot13')", "value", "is not known here"),
        ("b'a'.ljust(10**9)", "value", "more than"),
        ("b'a' * 10**15", "limit-memory", "a bytes object"),
        ("bytes(10**15)", "limit-memory", "a bytes object"),
    ],
)
def test_an_error_says_what_is_wrong(cell: str, code: str, said: str) -> None:
    with pytest.raises(GradcliError) as caught:
        ours("import math\n" + cell)
    assert caught.value.diagnostic.code == code
    assert said in caught.value.diagnostic.message
