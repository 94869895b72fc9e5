"""Optimisers with the options that few programs give them. Numbers are PyTorch 2.13's."""

from __future__ import annotations

import json

import pytest

from gradcli.diagnostics import GradcliError, Source
from gradcli.language.parser import ParseLimits, parse_program
from gradcli.session import evaluate

BEGIN = """import torch
from torch import nn
from torch.optim import *

w = nn.Parameter(torch.tensor([[1.0, -2.0, 0.5], [0.3, 0.7, -1.1]]))
b = nn.Parameter(torch.tensor([0.2, -0.4]))
x = torch.tensor([[0.5, 1.0, -1.0], [2.0, 0.1, 0.3], [-0.7, 0.4, 1.2]])
"""
TRAIN = """
for i in range({steps}):
    opt.zero_grad()
    loss = ((x @ w.T + b) ** 2).mean() + torch.sin(w).sum()
    loss.backward()
    opt.step()
"""
STEPS = [
    ('SGD([w, b], lr=0.1, weight_decay=0.1, maximize=True)',
     [1.9149, -2.52512, 1.1657, 1.26975, 1.19339, -1.5992]),
    ('SGD([w, b], 0.1, 0.9, 0, 0.01, True, maximize=True)',
     [4.73885, -4.44637, 2.72299, 4.40529, 2.50287, -4.00703]),
    ('Adam([w, b], lr=0.1, weight_decay=0.1, maximize=True)',
     [1.49879, -2.50178, 0.9996, 0.80169, 1.19596, -1.59886]),
    ('Adam([w, b], 0.1, (0.8, 0.9), 1e-6, 0.1, True)',
     [0.50055, -1.51612, 0.00169, -0.19342, 0.19921, -0.67318]),
    ('Adam([w, b], lr=0.1, weight_decay=0.1, decoupled_weight_decay=True)',
     [0.46104, -1.43796, -0.01341, -0.19908, 0.17455, -0.64076]),
    ('AdamW([w, b], lr=0.1, amsgrad=True, maximize=True)',
     [1.49318, -2.49109, 0.99645, 0.79922, 1.19234, -1.59326]),
    ('RMSprop([w, b], 0.1, 0.9, 1e-6, 0.1, 0.9, True, maximize=True)',
     [4.10907, -5.97933, 3.65835, 4.11999, 3.51856, -5.26245]),
    ('Adagrad([w, b], 0.1, 0.01, 0.1, 0.2, 1e-5, maximize=True)',
     [1.31221, -2.32128, 0.80946, 0.62787, 1.00224, -1.42621]),
    ('Adadelta([w, b], 0.5, 0.8, 1e-5, 0.1, maximize=True)',
     [1.01914, -2.01932, 0.51916, 0.31921, 0.71912, -1.11944]),
    ('Adamax([w, b], lr=0.1, weight_decay=0.1, maximize=True)',
     [1.48996, -2.44662, 0.99788, 0.77552, 1.17059, -1.52325]),
    ('NAdam([w, b], 0.1, (0.8, 0.9), 1e-6, 0.1, 0.01, True, maximize=True)',
     [1.38813, -2.37765, 0.91859, 0.74276, 1.0948, -1.54045]),
    ('RAdam([w, b], 0.1, (0.8, 0.9), 1e-6, 0.1, True, maximize=True)',
     [1.88792, -2.47634, 1.16805, 1.17241, 1.18642, -1.50667]),
    ('ASGD([w, b], 0.1, 0.01, 0.5, 2, 0.1, maximize=True)',
     [1.90696, -2.51134, 1.16115, 1.26476, 1.18873, -1.58948]),
    ('Rprop([w, b], 0.1, (0.4, 1.3), (1e-5, 0.2), maximize=True)',
     [1.799, -2.799, 1.299, 1.099, 1.499, -1.899]),
    ('Adafactor([w, b], lr=0.1, maximize=True)',
     [1.58171, -2.67998, 1.1592, 0.99596, 1.29819, -1.72329]),
    ('Adafactor([w, b], lr=0.5, beta2_decay=-0.5, eps=(1e-3, 1e-2), d=1.5, weight_decay=0.1)',
     [-0.81236, -1.49343, -1.13315, -0.72842, -1.31894, -1.08338]),
    ('SGD([{"params": [w], "maximize": True}, {"params": [b], "lr": 0.01}], lr=0.1)',
     [1.98937, -2.65593, 1.20624, 1.30273, 1.23103, -1.69282]),
]  # fmt: skip
"""What an optimiser is made by, and the matrix after five steps."""


def printed(text: str) -> list[str]:
    return list(evaluate(parse_program(Source("cell", text), ParseLimits()), {}).printed)


@pytest.mark.parametrize(("made", "expected"), STEPS, ids=[made for made, _ in STEPS])
def test_steps(made: str, expected: list[float]) -> None:
    program = f"{BEGIN}opt = {made}{TRAIN.format(steps=5)}print(w.flatten().tolist())"
    (line,) = printed(program)
    assert json.loads(line) == pytest.approx(expected, abs=1e-5)


def test_rates_of_asgd_follow_a_scheduler_a_step_later() -> None:
    """The rate of a step is found at the end of the one before it."""
    program = f"{BEGIN}opt = ASGD([w, b], lr=0.1)\ns = lr_scheduler.StepLR(opt, 1, 0.1)\n"
    trained = TRAIN.format(steps=2).replace("opt.step()", "opt.step()\n    s.step()")
    (line,) = printed(f"{program}{trained}print(b.tolist())")
    assert json.loads(line) == pytest.approx([0.230349, -0.376424], abs=1e-6)


@pytest.mark.parametrize(
    ("number", "value", "expected"),
    [("momentum", "0.9", [0.308948, -0.285024]), ("maximize", "True", [0.185859, -0.42544])],
)
def test_options_of_a_group_may_change_between_steps(
    number: str, value: str, expected: list[float]
) -> None:
    program = f"{BEGIN}opt = SGD([w, b], lr=0.1)\n{TRAIN.format(steps=2)}"
    change = f"opt.param_groups[0]['{number}'] = {value}\n"
    (line,) = printed(f"{program}{change}{TRAIN.format(steps=2)}print(b.tolist())")
    assert json.loads(line) == pytest.approx(
        {"momentum": [0.308948, -0.285024], "maximize": [0.185859, -0.42544]}[number], abs=1e-5
    )


def test_groups_hold_their_options_first_and_know_all_defaults() -> None:
    program = f"""{BEGIN}groups = [{{"params": [w], "lr": 0.3, "name": "w"}}]
opt = Adam(groups, lr=0.2, maximize=True)
opt.add_param_group({{"params": [b]}})
print({{k: v for k, v in opt.param_groups[0].items() if k != "params"}})
print(opt.defaults["lr"], opt.param_groups[1]["lr"])
"""
    first = (
        "{'lr': 0.3, 'name': 'w', 'betas': (0.9, 0.999), 'eps': 1e-08, 'weight_decay': 0, "
        "'amsgrad': False, 'maximize': True, 'foreach': None, 'capturable': False, "
        "'differentiable': False, 'fused': None, 'decoupled_weight_decay': False}"
    )
    assert printed(program) == [first, "0.2 0.2"]


def test_groups_are_printed_apart() -> None:
    program = f"{BEGIN}print(Rprop([{{'params': [w]}}, {{'params': [b], 'lr': 1}}]))"
    options = (
        "    capturable: False\n    differentiable: False\n    etas: (0.5, 1.2)\n"
        "    foreach: None\n    lr: {}\n    maximize: False\n    step_sizes: (1e-06, 50)\n"
    )
    first, second = options.format("0.01"), options.format("1")
    text = f"Rprop (\nParameter Group 0\n{first}\nParameter Group 1\n{second})"
    assert printed(program) == [text]


STATES = {
    "SGD([w])": [],
    "SGD([w], momentum=0.9)": ["momentum_buffer"],
    "Adam([w], amsgrad=True)": ["step", "exp_avg", "exp_avg_sq", "max_exp_avg_sq"],
    "RMSprop([w], momentum=0.9, centered=True)": [
        "step", "square_avg", "momentum_buffer", "grad_avg",
    ],
    "Adagrad([w])": ["step", "sum"],
    "Adadelta([w])": ["step", "square_avg", "acc_delta"],
    "Adamax([w])": ["step", "exp_avg", "exp_inf"],
    "NAdam([w])": ["step", "mu_product", "exp_avg", "exp_avg_sq"],
    "RAdam([w])": ["step", "exp_avg", "exp_avg_sq"],
    "ASGD([w])": ["step", "eta", "mu", "ax"],
    "Rprop([w])": ["step", "prev", "step_size"],
    "Adafactor([w])": ["step", "row_var", "col_var"],
    "Adafactor([b])": ["step", "variance"],
}  # fmt: skip


@pytest.mark.parametrize("made", STATES)
def test_names_of_what_is_remembered(made: str) -> None:
    program = f"{BEGIN}opt = {made}{TRAIN.format(steps=1)}"
    (line,) = printed(f"{program}print([k for v in opt.state_dict()['state'].values() for k in v])")
    assert line == repr(STATES[made])


@pytest.mark.parametrize(
    ("made", "words"),
    [
        ("Adam([w], differentiable=True)", "not differentiated"),
        ("SparseAdam([w])", "never sparse"),
        ("Muon([w])", "bfloat16"),
        ("SGD([w, w])", "twice in one group"),
        ("SGD([{'params': [w]}, {'params': [w, b]}])", "more than one parameter group"),
        ("SGD([w], nesterov=True)", "Nesterov momentum requires"),
        ("SGD([w], momentum=-1)", "momentum: -1"),
        ("Adam([w], betas=(1.5, 0.9))", "beta1: 1.5"),
        ("Adam([w], eps=-1)", "eps: -1"),
        ("LBFGS([w]).add_param_group({'params': [b]})", "per-parameter options"),
        ("SGD([w]).load_state_dict(SGD([w, b]).state_dict())", "doesn't match the size"),
    ],
)
def test_refusals(made: str, words: str) -> None:
    with pytest.raises(GradcliError, match=words):
        printed(BEGIN + made)


@pytest.mark.parametrize(
    ("value", "classes", "expected"),
    [
        ("AdamW([w])", "torch.optim.Optimizer", True),
        ("AdamW([w])", "torch.optim.Adam", True),
        ("Adam([w])", "torch.optim.AdamW", False),
        ("w", "torch.optim.AdamW", False),
        ("lr_scheduler.StepLR(SGD([w]), 3)", "torch.optim.lr_scheduler.LRScheduler", True),
        ("lr_scheduler.StepLR(SGD([w]), 3)", "lr_scheduler.ReduceLROnPlateau", False),
        ("nn.BatchNorm2d(2)", "nn.modules.batchnorm._BatchNorm", True),
        ("nn.ConvTranspose1d(2, 2, 1)", "nn.modules.conv._ConvNd", True),
        ("nn.Conv2d(2, 2, 1)", "(nn.Conv1d, nn.Conv2d)", True),
        ("nn.LSTM(2, 2)", "nn.RNNBase", True),
        ("nn.ReLU6()", "nn.Hardtanh", True),
        ("nn.MSELoss()", "nn.modules.loss._Loss", True),
        ("nn.Sequential()", "nn.ModuleList", False),
        ("nn.LazyConv2d(2, 3)", "nn.Conv2d", True),
        ("torch.ones(2, 2).max(0)", "tuple", True),
        ("nn.MultiheadAttention(2, 1).out_proj", "nn.Linear", True),
        ("torch.distributions.Normal(0.0, 1.0)", "torch.distributions.Distribution", True),
        ("torch.distributions.Normal(0.0, 1.0)", "torch.distributions.Beta", False),
    ],
)
def test_classes_are_made_from_others(value: str, classes: str, expected: bool) -> None:
    assert printed(f"{BEGIN}print(isinstance({value}, {classes}))") == [str(expected)]
