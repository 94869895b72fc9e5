"""NumPy's numbers: their dtypes, what they are next to tensors, and what is made of them.

The expected text is PyTorch 2.13's and NumPy's.
"""

from __future__ import annotations

import pytest

from gradcli.diagnostics import Source
from gradcli.language.parser import ParseLimits, parse_program
from gradcli.session import evaluate

HEAD = """import numbers
import numpy as np
import torch
from torch.utils.data import DataLoader
y = np.array([1.5, 2.5])
k = np.array([3, 4])
m = y.mean()
t = torch.tensor(2.0)
v = torch.ones(2)
"""


def printed(text: str) -> str:
    program = parse_program(Source("cell", HEAD + text), ParseLimits())
    return "\n".join(evaluate(program, {}).printed)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "print([np.sqrt(2.0)], [np.exp(1)], [np.maximum(1, 2)])",
            "[np.float64(1.4142135623730951)] [np.float64(2.718281828459045)] [np.int64(2)]",
        ),
        (
            "print([np.float32(0.1)], np.float32(0.1), [np.int64(3)], [np.bool_(True)])",
            "[np.float32(0.1)] 0.1 [np.int64(3)] [np.True_]",
        ),
        ("print(type(np.exp(1.0)), np.float32(1).dtype)", "<class 'numpy.float64'> float32"),
        ("d = np.int64(3)\nprint(d // 2, [d / 2], torch.zeros(d).shape, list(range(d)))",
         "1 [np.float64(1.5)] torch.Size([3]) [0, 1, 2]"),
        ("print(torch.arange(k[1]), torch.tensor([k[0], 1]))",
         "tensor([0, 1, 2, 3]) tensor([3, 1])"),
        ("print([sum([k[1], 1])], [sum([m, 1])])", "[np.int64(5)] [np.float64(3.0)]"),
        ("a = v.numpy()\nprint(np.broadcast_to(a, (2, 2)).dtype, np.reshape(a, (2, 1)).dtype)",
         "float32 float32"),
    ],
)  # fmt: skip
def test_number_is_numpys(text: str, expected: str) -> None:
    assert printed(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("print(t * m, m * t, t - m, m / t, m ** t, v.sum() * m, m > t)",
         "tensor(4.) tensor(4.) tensor(0.) tensor(1.) tensor(4.) tensor(4.) tensor(False)"),
        ("r = torch.tensor(3.0, requires_grad=True)\nprint(r * m, (m * r) ** 2)",
         "tensor(6., grad_fn=<MulBackward0>) tensor(36., grad_fn=<PowBackward0>)"),
        ("print(v.mul(m), v.pow(m), torch.add(v, m), torch.exp(t * m))",
         "tensor([2., 2.]) tensor([1., 1.]) tensor([3., 3.]) tensor(54.5981)"),
        ("total = m\ntotal += t\nprint(total, v.repeat(k[0]).shape)",
         "tensor(4.) torch.Size([6])"),
        ("print(torch.tensor(3) * m, (v.mean() - m).dtype)", "tensor(6.) torch.float32"),
        ("print(y * 2, m * 2, y.sum() / k)", "[3. 5.] 4.0 [1.33333333 1.        ]"),
    ],
)  # fmt: skip
def test_result_beside_a_tensor_is_a_tensor(text: str, expected: str) -> None:
    assert printed(text) == expected


@pytest.mark.parametrize(
    ("made", "dtype"),
    [
        ("torch.tensor(m)", "float64"),
        ("torch.as_tensor(y[0])", "float64"),
        ("torch.tensor([y[0], y[1]])", "float64"),
        ("torch.tensor([1.0, y[0]])", "float64"),
        ("torch.tensor([[np.float32(1)], [np.float32(2)]])", "float32"),
        ("torch.tensor([np.float32(1), 2.0])", "float32"),
        ("torch.tensor([np.int32(1), np.int32(2)])", "int32"),
        ("torch.tensor(np.sqrt(2.0))", "float64"),
        ("torch.tensor(y[0], dtype=torch.float32)", "float32"),
        ("torch.stack([torch.as_tensor(each) for each in y])", "float64"),
        ("next(iter(DataLoader([(each, 1) for each in y], batch_size=2)))[0]", "float64"),
        ("next(iter(DataLoader(y.astype(np.float32), batch_size=2)))", "float32"),
        ("next(iter(DataLoader(k.astype(np.int32), batch_size=2)))", "int32"),
        ("next(iter(DataLoader([True, False], batch_size=2)))", "bool"),
        ("next(iter(DataLoader([1.5, 2], batch_size=2)))", "float64"),
        ("torch.tensor([1.5, 2])", "float32"),
    ],
)
def test_tensor_of_numbers_has_their_dtype(made: str, dtype: str) -> None:
    assert printed(f"print(({made}).dtype)") == f"torch.{dtype}"


CLASSES = ("float", "int", "np.floating", "np.integer", "np.float64", "np.float32", "np.int64",
           "numbers.Number", "np.generic", "np.ndarray", "torch.Tensor")  # fmt: skip


@pytest.mark.parametrize(
    ("value", "classes"),
    [
        ("y[0]", "float np.floating np.float64 numbers.Number np.generic"),
        ("np.sqrt(2.0)", "float np.floating np.float64 numbers.Number np.generic"),
        ("np.float32(1)", "np.floating np.float32 numbers.Number np.generic"),
        ("k[0]", "np.integer np.int64 numbers.Number np.generic"),
        ("1.0", "float numbers.Number"),
        ("2", "int numbers.Number"),
    ],
)
def test_classes_of_a_number(value: str, classes: str) -> None:
    asked = "\n".join(f"print(isinstance({value}, {each}))" for each in CLASSES)
    found = [name for name, line in zip(CLASSES, printed(asked).split(), strict=True)
             if line == "True"]  # fmt: skip
    assert found == classes.split()
