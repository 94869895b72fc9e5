"""Layers and optimisers as they are printed: by PyTorch 2.13."""

from __future__ import annotations

import pytest

from gradcli.diagnostics import Source
from gradcli.language.parser import ParseLimits, parse_program
from gradcli.session import evaluate

SHOWN = [
    ("nn.ReLU(True)", "ReLU(inplace=True)"),
    ('nn.GELU("tanh")', "GELU(approximate='tanh')"),
    ("nn.ELU(0.5)", "ELU(alpha=0.5)"),
    ("nn.ELU(inplace=True)", "ELU(alpha=1.0, inplace=True)"),
    ("nn.Hardtanh(inplace=True)", "Hardtanh(min_val=-1.0, max_val=1.0, inplace=True)"),
    ("nn.LeakyReLU(0.2, inplace=True)", "LeakyReLU(negative_slope=0.2, inplace=True)"),
    ("nn.Softshrink(0.3)", "Softshrink(0.3)"),
    ("nn.Unflatten(1, (2, 3))", "Unflatten(dim=1, unflattened_size=(2, 3))"),
    (
        "nn.Unflatten(dim=1, unflattened_size=torch.Size([2, 3]))",
        "Unflatten(dim=1, unflattened_size=torch.Size([2, 3]))",
    ),
    ("nn.Threshold(0.1, 20.0)", "Threshold(threshold=0.1, value=20.0)"),
    ("nn.AdaptiveMaxPool3d(2)", "AdaptiveMaxPool3d(output_size=2)"),
    ("nn.Upsample(scale_factor=2)", "Upsample(scale_factor=2.0, mode='nearest')"),
    (
        "nn.UpsamplingNearest2d(scale_factor=2)",
        "UpsamplingNearest2d(scale_factor=2.0, mode='nearest')",
    ),
    (
        "nn.UpsamplingBilinear2d(scale_factor=2)",
        "UpsamplingBilinear2d(scale_factor=2.0, mode='bilinear')",
    ),
    ("nn.ZeroPad2d(1)", "ZeroPad2d((1, 1, 1, 1))"),
    ("nn.ZeroPad2d((1, 2, 3, 4))", "ZeroPad2d((1, 2, 3, 4))"),
    ("nn.ConstantPad3d(2, 0)", "ConstantPad3d(padding=(2, 2, 2, 2, 2, 2), value=0)"),
    ("nn.ConstantPad1d(2, 3.5)", "ConstantPad1d(padding=(2, 2), value=3.5)"),
    (
        "nn.MaxPool2d(3, 2, ceil_mode=True)",
        ("MaxPool2d(kernel_size=3, stride=2, padding=0, dilation=1, ceil_mode=True)"),
    ),
    ("nn.Hardtanh(min_val=-2.)", "Hardtanh(min_val=-2.0, max_val=1.0)"),
    ("nn.Hardtanh(-2, 2)", "Hardtanh(min_val=-2, max_val=2)"),
    ("nn.Threshold(-1., -2)", "Threshold(threshold=-1.0, value=-2)"),
    ("nn.Dropout(0)", "Dropout(p=0, inplace=False)"),
    ("nn.Dropout2d(1, inplace=True)", "Dropout2d(p=1, inplace=True)"),
    ("nn.ConstantPad2d(1, -2.)", "ConstantPad2d(padding=(1, 1, 1, 1), value=-2.0)"),
    ("nn.Upsample(scale_factor=(2, 3.))", "Upsample(scale_factor=(2.0, 3.0), mode='nearest')"),
    (
        "nn.BatchNorm1d(3, 1, 1)",
        "BatchNorm1d(3, eps=1, momentum=1, affine=True, bias=True, track_running_stats=True)",
    ),
    ("nn.LayerNorm(3, 1)", "LayerNorm((3,), eps=1, elementwise_affine=True, bias=True)"),
    (
        "nn.InstanceNorm1d(3, 1., 1)",
        (
            "InstanceNorm1d(3, eps=1.0, momentum=1, affine=False, bias=False, "
            "track_running_stats=False)"
        ),
    ),
    ("nn.RReLU(0, 1.)", "RReLU(lower=0, upper=1.0)"),
    ("nn.ELU(-2 * 1.)", "ELU(alpha=-2.0)"),
    ("nn.Softplus().beta", "1.0"),
    ("nn.MSELoss().reduction", "mean"),
    ("nn.LPPool1d(2, 3)", ("LPPool1d(norm_type=2, kernel_size=3, stride=None, ceil_mode=False)")),
    (
        "nn.LPPool2d(2, 3, stride=2)",
        ("LPPool2d(norm_type=2, kernel_size=3, stride=2, ceil_mode=False)"),
    ),
    ("nn.LocalResponseNorm(2)", "LocalResponseNorm(2, alpha=0.0001, beta=0.75, k=1.0)"),
    ("nn.Dropout(p=0.2, inplace=True)", "Dropout(p=0.2, inplace=True)"),
    ("nn.RReLU()", "RReLU(lower=0.125, upper=0.3333333333333333)"),
    ("nn.RNNCell(2, 3, bias=False)", "RNNCell(2, 3, bias=False)"),
    ('nn.RNNCell(2, 3, nonlinearity="relu")', "RNNCell(2, 3, nonlinearity=relu)"),
    ("nn.Unfold((2, 2), stride=2)", "Unfold(kernel_size=(2, 2), dilation=1, padding=0, stride=2)"),
    (
        "nn.Fold((4, 4), 2)",
        ("Fold(output_size=(4, 4), kernel_size=2, dilation=1, padding=0, stride=1)"),
    ),
    (
        "torch.optim.Adadelta(p)",
        (
            "Adadelta ( capturable: False; differentiable: False; eps: 1e-06; foreach: None; "
            "lr: 1.0; maximize: False; rho: 0.9; weight_decay: 0 )"
        ),
    ),
    (
        "torch.optim.NAdam(p)",
        (
            "NAdam ( betas: (0.9, 0.999); capturable: False; decoupled_weight_decay: False; "
            "differentiable: False; eps: 1e-08; foreach: None; lr: 0.002; maximize: False; "
            "momentum_decay: 0.004; weight_decay: 0 )"
        ),
    ),
    (
        "torch.optim.RAdam(p)",
        (
            "RAdam ( betas: (0.9, 0.999); capturable: False; decoupled_weight_decay: False; "
            "differentiable: False; eps: 1e-08; foreach: None; lr: 0.001; maximize: False; "
            "weight_decay: 0 )"
        ),
    ),
    (
        "torch.optim.ASGD(p)",
        (
            "ASGD ( alpha: 0.75; capturable: False; differentiable: False; foreach: None; "
            "lambd: 0.0001; lr: 0.01; maximize: False; t0: 1000000.0; weight_decay: 0 )"
        ),
    ),
    (
        "torch.optim.Rprop(p)",
        (
            "Rprop ( capturable: False; differentiable: False; etas: (0.5, 1.2); foreach: "
            "None; lr: 0.01; maximize: False; step_sizes: (1e-06, 50) )"
        ),
    ),
    (
        "torch.optim.Rprop(p, lr=0.1, etas=(0.4, 1.3), step_sizes=(1e-5, 10))",
        (
            "Rprop ( capturable: False; differentiable: False; etas: (0.4, 1.3); foreach: "
            "None; lr: 0.1; maximize: False; step_sizes: (1e-05, 10) )"
        ),
    ),
    (
        "torch.optim.LBFGS(p)",
        (
            "LBFGS ( history_size: 100; line_search_fn: None; lr: 1; max_eval: 25; max_iter: "
            "20; tolerance_change: 1e-09; tolerance_grad: 1e-07 )"
        ),
    ),
    (
        'torch.optim.LBFGS(p, max_iter=4, line_search_fn="strong_wolfe")',
        (
            "LBFGS ( history_size: 100; line_search_fn: strong_wolfe; lr: 1; max_eval: 5; "
            "max_iter: 4; tolerance_change: 1e-09; tolerance_grad: 1e-07 )"
        ),
    ),
]
"""The lines of an optimiser's options in a row."""


def printed(program: str) -> list[str]:
    return list(evaluate(parse_program(Source("cell", program), ParseLimits()), {}).printed)


HEAD = "import torch\nfrom torch import nn\np = [nn.Parameter(torch.ones(2))]\n"


@pytest.mark.parametrize(("made", "text"), SHOWN)
def test_is_shown_as_pytorch_does(made: str, text: str) -> None:
    shown = "\n".join(printed(f"{HEAD}print({made})"))
    shown = shown.replace("Parameter Group 0\n    ", "")
    assert shown.replace("\n    ", "; ").replace("\n", " ") == text


def test_one_axis_becomes_several() -> None:
    program = HEAD + "print(nn.Unflatten(dim=1, unflattened_size=(2, 3))(torch.ones(4, 6)).shape)"
    assert printed(program) == ["torch.Size([4, 2, 3])"]


def test_pads_all_sides_alike() -> None:
    assert printed(HEAD + "print(nn.ZeroPad2d(1)(torch.ones(1, 1, 1)))") == [
        "tensor([[[0., 0., 0.],\n         [0., 1., 0.],\n         [0., 0., 0.]]])"
    ]


STEPS = """
x = torch.tensor([1.0, -2.0], requires_grad=True)
o = torch.optim.{made}
for i in range(3):
    o.zero_grad()
    (x ** 2).sum().backward()
    o.step()
print(x.data)
"""


@pytest.mark.parametrize(
    ("made", "values"),
    [
        (
            "NAdam([x], lr=0.1, weight_decay=0.5, decoupled_weight_decay=True)",
            "tensor([ 0.6299, -1.4817])",
        ),
        (
            "RAdam([x], lr=0.1, weight_decay=0.5, decoupled_weight_decay=True)",
            "tensor([ 0.3625, -0.7250])",
        ),
        ("RAdam([x], lr=0.1, weight_decay=0.5)", "tensor([ 0.3467, -0.6935])"),
        (
            "Rprop([x], lr=0.1, etas=(0.4, 3.0), step_sizes=(1e-6, 0.2))",
            "tensor([ 0.5000, -1.5000])",
        ),
    ],
)
def test_settings_have_their_meaning(made: str, values: str) -> None:
    assert printed(HEAD + STEPS.replace("{made}", made)) == [values]


def test_slopes_are_drawn_in_training_alone() -> None:
    program = (
        "import torch\nm = torch.nn.RReLU(0.1, 0.3)\nx = -torch.ones(1000)\ny = -m(x)\n"
        "print(bool(y.min() >= 0.1 and y.max() <= 0.3), bool(y.std() > 0.05))\n"
        "m.eval()\nprint(-m(x)[:1], m)"
    )
    assert printed(program) == ["True True", "tensor([0.2000]) RReLU(lower=0.1, upper=0.3)"]
