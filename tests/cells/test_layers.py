"""Layers against PyTorch 2.13: how they are printed, the names and shapes of their parameters and
buffers, and what they compute in training and after it. `layers.json` is made by `make_layers`.
"""

from __future__ import annotations

import json

import pytest

from gradcli.diagnostics import GradcliError, Source
from gradcli.language.parser import ParseLimits, parse_program
from gradcli.session import evaluate
from gradcli.trace.plain_layers import PLAIN
from tests.cells.make_layers import FILE, cells

EXPECTED: dict[str, list[str]] = json.loads(FILE.read_text())
CELLS = cells()


def printed(text: str) -> list[str]:
    lines = evaluate(parse_program(Source("cell", text), ParseLimits()), {}).printed
    return [line for each in lines for line in each.split("\n")]


@pytest.mark.parametrize("made", CELLS)
def test_layers(made: str) -> None:
    found, expected = printed(CELLS[made]), EXPECTED[made]
    assert len(found) == len(expected), found
    for line, other in zip(found, expected, strict=True):
        try:
            number = float(other)
        except ValueError:
            assert line == other
        else:
            assert float(line) == pytest.approx(number, rel=2e-4, abs=2e-4)


def test_all_are_tried() -> None:
    tried = {each.split("(")[0] for each in CELLS}
    assert set(EXPECTED) == set(CELLS)
    assert set(PLAIN) <= tried


BEGIN = """import torch
from torch import nn

x = torch.sin(torch.arange(128.0)).reshape(2, 4, 4, 4)
"""
MASKED = [
    "tensor([ 0.1689,  1.0873,  0.4249, -0.0080])",
    "tensor([ 0.1461,  0.9882,  0.6506, -0.0775])",
    "tensor([ 0.1459,  0.9872,  0.6523, -0.0776])",
    "tensor([0.3382, 0.3740, 0.3727, 0.9252])",
]
SYNCHRONISED = "2, eps=1e-05, momentum=0.1, affine=True, bias=True, track_running_stats=True"


@pytest.mark.parametrize(
    ("program", "expected"),
    [
        ("m = nn.MaxPool2d(2); m.stride = 1; print(m(x).shape)", ["torch.Size([2, 4, 3, 3])"]),
        ("m = nn.LeakyReLU(); m.negative_slope = 0.5; print(m)", ["LeakyReLU(negative_slope=0.5)"]),
        ("m = nn.Dropout(0.3); m.p = 0.0; print((m(x) == x).all())", ["tensor(True)"]),
        (
            "m = nn.Conv2d(4, 2, 3); m.padding = 1; m.padding_mode = 'circular'; print(m(x).shape)",
            ["torch.Size([2, 2, 4, 4])"],
        ),
        (
            "m = nn.BatchNorm2d(4); m.momentum = 0.5; m(x); print(m.running_var)",
            ["tensor([0.7505, 0.7525, 0.7554, 0.7582])"],
        ),
        (
            "m = nn.BatchNorm2d(4); m(x); m.reset_running_stats(); print(m.running_mean)",
            ["tensor([0., 0., 0., 0.])"],
        ),
        (
            "m = nn.ConvTranspose2d(1, 1, 3, 2); print(m(x[:, :1], output_size=(10, 9)).shape)",
            ["torch.Size([2, 1, 10, 9])"],
        ),
        ("print(nn.InstanceNorm2d(4)(x[0]).shape)", ["torch.Size([4, 4, 4])"]),
        ("print(hasattr(nn.ReLU(), 'bias'), nn.Linear(2, 1, bias=False).bias)", ["False None"]),
        (
            "print(nn.SyncBatchNorm.convert_sync_batchnorm(nn.Sequential(nn.BatchNorm1d(2))))",
            ["Sequential(", f"  (0): SyncBatchNorm({SYNCHRONISED})", ")"],
        ),
        (
            "m = nn.Conv2d(4, 2, 3, padding='same'); print(m.padding, m.transposed, m.stride)",
            ["same False (1, 1)"],
        ),
    ],
)  # fmt: skip
def test_settings_are_read_and_set(program: str, expected: list[str]) -> None:
    assert printed(BEGIN + "\n".join(program.split("; "))) == expected


def test_optimisers_follow_lazy_layers() -> None:
    """The first call makes parameters of those that an optimiser was given before it."""
    program = f"""{BEGIN}m = nn.Sequential(nn.Flatten(), nn.LazyLinear(2))
opt = torch.optim.SGD(m.parameters(), lr=0.1)
m(x)
with torch.no_grad():
    for p in m.parameters():
        p.fill_(0.5)
m(x).pow(2).sum().backward()
opt.step()
print(m[1].bias.data, isinstance(m[1], nn.LazyLinear), m[1].in_features)
"""
    assert printed(program) == ["tensor([0.1811, 0.1811]) False 64"]


def test_masks_of_a_transformer() -> None:
    program = f"""{BEGIN}m = nn.Transformer(4, 2, 1, 1, 8, dropout=0.0)
with torch.no_grad():
    for i, p in enumerate(m.parameters()):
        p.copy_(torch.sin(torch.arange(p.numel()) * 0.37 + i).reshape(p.shape) / 2)
q = x.flatten()[:24].reshape(3, 2, 4)
ahead = nn.Transformer.generate_square_subsequent_mask(3)
pad = torch.tensor([[False, False, True], [False, False, False]])
print(m(q, q, tgt_mask=ahead)[0, 0])
print(m(q, q, src_mask=ahead, memory_mask=ahead)[0, 0])
print(m(q, q, src_key_padding_mask=pad, memory_key_padding_mask=pad)[0, 0])
print(m.encoder(q)[0, 0])
"""
    assert printed(program.replace("[0, 0])", "[0, 0].detach())")) == MASKED


@pytest.mark.parametrize(
    ("made", "words"),
    [
        ("nn.EmbeddingBag(4, 3, max_norm=1.0)", "max_norm is not known"),
        ("nn.Embedding(4, 3, scale_grad_by_freq=True)", "scale_grad_by_freq is not known"),
        ("nn.Conv2d(3, 4, 1, groups=2)", "divisible by groups"),
        ("nn.ConvTranspose2d(1, 1, 3, 2)(x[:, :1], output_size=(12, 9))", "output_size is"),
        ("nn.InstanceNorm1d(4)(x[:, :, :1, 0])", "more than 1 spatial element"),
        ("nn.Dropout(1.5)", "between 0 and 1"),
    ],
)
def test_refusals(made: str, words: str) -> None:
    with pytest.raises(GradcliError, match=words):
        printed(BEGIN + made)
