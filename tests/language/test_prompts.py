"""Sessions that are pasted with their prompts mean what their statements mean."""

from __future__ import annotations

import pytest

from gradcli.diagnostics import GradcliError, Source
from gradcli.language.parser import ParseLimits, parse_program
from gradcli.language.prompts import without_prompts
from tests.cells.test_python_lines import ours

PYTHON = """>>> import torch
>>> x = torch.tensor([1., 2.], requires_grad=True)
>>> y = (x**2).sum()
>>> y
tensor(5., grad_fn=<SumBackward0>)
>>> y.backward()
>>> for i in range(2):
...     print(i)
...
0
1
>>> print(x.grad)
tensor([2., 4.])
"""
OF_DOCSTRING = """
    >>> import torch
    >>> print(torch.arange(3) * torch.tensor(
    ...     2))
    tensor([0, 2, 4])
    ...     this was printed
"""
NOTEBOOK = """In [9]: import torch

In [10]: for i in range(2):
    ...:     print(torch.tensor(i))
    ...:
tensor(0)
tensor(1)

In [11]: torch.ones(2)
Out[11]: tensor([1., 1.])

In [12]: print(i)
1
"""


@pytest.mark.parametrize(
    ("session", "printed"),
    [
        (PYTHON, "0\n1\ntensor([2., 4.])"),
        (OF_DOCSTRING, "tensor([0, 2, 4])"),
        (NOTEBOOK, "tensor(0)\ntensor(1)\n1"),
        (PYTHON.replace("\n", "\r\n"), "0\n1\ntensor([2., 4.])"),
        (">>>\n>>> print(3)\n3", "3"),
    ],
)
def test_a_session(session: str, printed: str) -> None:
    assert ours(session).strip() == printed


@pytest.mark.parametrize(
    "text",
    ["x = 1\n>>> y", "In = [1]\nIn [0]", "'''\n>>> a\n'''", "", ">>>x", "In [a]: b", "\n"],
)
def test_no_session(text: str) -> None:
    assert without_prompts(text) == text


def test_lines_keep_their_numbers() -> None:
    with pytest.raises(GradcliError) as caught:
        parse_program(Source("program", ">>> a = 1\nshown\n>>> b = = 2\n"), ParseLimits())
    found = caught.value.diagnostic
    assert found.source is not None
    assert found.span is not None
    assert found.source.locate(found.span[0]) == (3, 5)
    assert found.source.line_text(found.span[0]) == "b = = 2"
