"""Functions below those of `torch.nn.functional`, and windows: by PyTorch 2.13."""

from __future__ import annotations

import pytest

from gradcli.diagnostics import GradcliError, Source
from gradcli.language.parser import ParseLimits, parse_program
from gradcli.session import evaluate

BEGIN = "import torch\nx = torch.tensor([[1.0, -2.0], [3.0, 4.0]])\n"
PRINTED = [
    ('torch.hann_window(5)',
     'tensor([0.0000, 0.3455, 0.9045, 0.9045, 0.3455])'),
    ('torch.hann_window(5, periodic=False)',
     'tensor([0.0000, 0.5000, 1.0000, 0.5000, 0.0000])'),
    ('torch.hamming_window(4, False, 0.5, 0.5)',
     'tensor([0.0000, 0.7500, 0.7500, 0.0000])'),
    ('torch.hamming_window(5)',
     'tensor([0.0800, 0.3979, 0.9121, 0.9121, 0.3979])'),
    ('torch.bartlett_window(5)',
     'tensor([0.0000, 0.4000, 0.8000, 0.8000, 0.4000])'),
    ('torch.kaiser_window(4, True, 3.0)',
     'tensor([0.2049, 0.7269, 1.0000, 0.7269])'),
    ('torch.blackman_window(6)[1:]',
     'tensor([0.1300, 0.6300, 1.0000, 0.6300, 0.1300])'),
    ('torch.hann_window(1), torch.hann_window(0)',
     'tensor([1.]) tensor([])'),
    ('torch.unravel_index(torch.tensor([3, 1]), (2, 2))',
     '(tensor([1, 0]), tensor([1, 1]))'),
    ('torch.chain_matmul(x, x, x)',
     'tensor([[-35., -30.],\n        [ 45.,  10.]])'),
    ('torch.grid_sampler(x[None, None], torch.zeros(1, 1, 1, 2), 0, 0, False)',
     'tensor([[[[1.5000]]]])'),
    ('torch.grid_sampler_2d(x[None, None], torch.ones(1, 1, 1, 2) / 2, 1, 1, True)',
     'tensor([[[[4.]]]])'),
    ('torch.native_layer_norm(x, [2], None, None, 1e-5)',
     ('(tensor([[ 1.0000, -1.0000],\n'
     '        [-1.0000,  1.0000]]), tensor([[-0.5000],\n'
     '        [ 3.5000]]), tensor([[0.6667],\n'
     '        [2.0000]]))')),
    ('torch.native_group_norm(x, None, None, 2, 2, 1, 1, 1e-5)',
     ('(tensor([[ 1.0000, -1.0000],\n'
     '        [-1.0000,  1.0000]]), tensor([[-0.5000],\n'
     '        [ 3.5000]]), tensor([[0.6667],\n'
     '        [2.0000]]))')),
    ('torch.native_batch_norm(x, None, None, None, None, True, 0.1, 0.5)',
     ('(tensor([[-0.8165, -0.9733],\n'
     '        [ 0.8165,  0.9733]]), tensor([2., 1.]), tensor([0.8165, 0.3244]))')),
]  # fmt: skip


def printed(text: str) -> str:
    return "\n".join(evaluate(parse_program(Source("cell", text), ParseLimits()), {}).printed)


@pytest.mark.parametrize(("call", "expected"), PRINTED, ids=[call for call, _ in PRINTED])
def test_functions(call: str, expected: str) -> None:
    assert printed(f"{BEGIN}print({call})") == expected


@pytest.mark.parametrize(
    ("call", "words"),
    [
        ("torch.chain_matmul()", "one or more matrices"),
        ("torch.unravel_index(torch.tensor(9), (2, 2))", "outside"),
        ("torch.hann_window(-1)", "non-negative"),
        ("torch.grid_sampler(x[None, None], torch.zeros(1, 1, 1, 2), 7, 0, False)", "below 3"),
    ],
)
def test_refusals(call: str, words: str) -> None:
    with pytest.raises(GradcliError, match=words):
        printed(BEGIN + call)
