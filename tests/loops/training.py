"""Loops as people write them to train: programs of PyTorch's, made at random."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import TypeAlias

Way: TypeAlias = Callable[[random.Random, list[str], float], list[str]]
"""The lines of a pass that take a step."""
DATA = (
    "X = torch.tensor([[0.4, -1.2], [1.1, 0.3], [-0.7, 0.9]], dtype=torch.float64)",
    "y = torch.tensor([1.0, -0.5, 0.2], dtype=torch.float64)",
    "w = torch.tensor([0.1, -0.2], dtype=torch.float64, requires_grad=True)",
)
OPTIMISERS = (
    "SGD([{0}], lr={1})", "SGD([{0}], lr={1}, momentum=0.9)", "Adam([{0}], lr={1})",
    "SGD([{0}], lr={1}, momentum=0.5, nesterov=True)", "AdamW([{0}], lr={1})",
    "RMSprop([{0}], lr={1})", "Adagrad([{0}], lr={1}, lr_decay=0.01)", "Adamax([{0}], lr={1})",
    "NAdam([{0}], lr={1})", "RAdam([{0}], lr={1})", "Adadelta([{0}])",
)  # fmt: skip
SCHEDULERS = (
    "StepLR(opt, 30, gamma=0.5)", "StepLR(opt, step_size=7)", "ExponentialLR(opt, 0.99)",
    "CosineAnnealingLR(opt, T_max=90, eta_min=1e-3)", "LinearLR(opt, 0.5, total_iters=40)",
    "MultiStepLR(opt, [20, 60, 61], gamma=0.3)", "PolynomialLR(opt, 100, power=2.0)",
    "ConstantLR(opt, factor=0.5, total_iters=50)", "LambdaLR(opt, lambda e: 0.95**e)",
)  # fmt: skip
LOSSES = (
    "((pred - y)**2).mean()", "(pred - y).pow(2).sum()", "torch.nn.functional.mse_loss(pred, y)",
    "(pred - y).abs().mean() + 0.01*(w**2).sum()", "torch.nn.functional.smooth_l1_loss(pred, y)",
)  # fmt: skip
PRINTED = (
    "print(i, loss.item())", "print(f'{i} {loss:.4f}')", "print(w)", "print(w.grad)",
    "print('step', i)",
)  # fmt: skip
LATE = (
    "if loss.item() < low - 1e-3: low, late = loss.item(), 0\nelse:\n    late += 1\n"
    "    if late > 20:\n        print(i)\n        break"
)
KEPT = {
    "total = 0.0": (
        "total += loss.item()",
        "total = total + loss.detach()",
        "total = total + loss",
    ),
    "best = torch.tensor(1e9)": ("best = torch.minimum(best, loss.detach())",),
    "hist = []": (
        "hist.append(loss.item())",
        "hist.append(loss.detach())",
        "hist.append(1.0*w)",
        "hist.append(w)",
    ),
    "log = {'loss': [], 'w': []}": (
        "log['loss'].append(loss.item())",
        "log['loss'].append(loss.detach()); log['w'].append(1.0*w)",
        "log['w'] += [w.detach().clone()]; log['loss'].append(i)",
        "log['w'].append(w.detach().clone()); seen = log['w'][-1]",
        "(log['loss'] if i % 2 else log['w']).append(loss.item())",
        "log['loss'].append(loss.item() + len(log['loss']))",
    ),
    "k = 0": ("k += 1", "k = k + i", "k += (pred > y).sum().item()"),
    "marks, sum_ = [], 0.0": (
        "marks.append(i)",
        "marks.append(loss.item() / 3)",
        "marks.append((pred > y).sum().item())",
        "marks.append((pred > y).double().mean().item()); marks.append(loss.item())",
        "marks.append(sum_); sum_ += loss.item()",
    ),
    "low, late = float('inf'), 0": (
        "if loss.item() < low: low, late = loss.item(), 0\nelse: late += 1",
        LATE,
    ),
    "layer = torch.nn.Dropout(0.5)": (
        "layer.eval()\nz = layer(w).sum()\nlayer.train()",
        "layer.train(i % 2 == 0)",
        "if i == 90: layer.eval()",
    ),
    "n = torch.zeros(2, dtype=torch.float64)": (
        "n = n + torch.rand(2, dtype=torch.float64)",
        "n = 0.5*n + torch.randn(2, dtype=torch.float64)*loss.detach()",
    ),
    "v = torch.zeros_like(w)": ("v = 0.9*v + w.detach()", "v.mul_(0.9).add_(w.detach())"),
}
"""What a pass goes on with besides parameters, and how."""
ENDS = (
    "", "print(w.requires_grad, w.is_leaf, loss.requires_grad, w.dtype)", "loss.backward()",
    "z = (w*w).sum()\nz.backward()\nprint(w.grad)",
    "try:\n    loss.backward()\nexcept RuntimeError as e:\n    print('freed')",
)  # fmt: skip


def program(seed: int) -> str:
    """A program with a loop that trains; some are errors, in PyTorch too."""
    draw = random.Random(seed)
    kept = draw.choice([*KEPT, "", ""])
    parameters = draw.choice([["w"], ["w", "b"]])
    rate, passes = draw.choice([0.1, 0.05, 0.01]), draw.choice([80, 131, 260])
    lines = ["import torch", "torch.manual_seed(0)", *DATA]
    if "b" in parameters:
        lines.append("b = torch.tensor(0.1, dtype=torch.float64, requires_grad=True)")
    lines += [f"params = [{', '.join(parameters)}]", kept]
    ways: list[Way] = [_manual, _optimiser, _by_grad, _rebound, _by_data]
    way = draw.choice(ways)
    if way is _optimiser:
        call = draw.choice(OPTIMISERS).format(", ".join(parameters), rate)
        lines.append(f"opt = torch.optim.{call}")
        if draw.random() < 0.4:
            made = draw.choice(SCHEDULERS)
            lines.append(f"plan = torch.optim.lr_scheduler.{made}")
    sum_ = "X @ w + b" if "b" in parameters else "X @ w"
    body = [f"pred = {draw.choice(['{}', 'torch.tanh({})', 'torch.relu({})']).format(sum_)}"]
    body += [f"loss = {draw.choice(LOSSES)}", *way(draw, parameters, rate)]
    if any(line.startswith("plan =") for line in lines):
        read = ("", "n = plan.get_last_lr()[0]", "n = opt.param_groups[0]['lr']")
        body += ["plan.step()", draw.choice(read)]
    if kept:
        body.append(draw.choice(KEPT[kept]))
    if draw.random() < 0.3:
        body.insert(1, "pred = pred*(1 + 0.1*m)")
        batch = [f"    {line}" for part in body for line in part.splitlines()]
        body = [f"for m in range({draw.choice([2, 3])}):", *batch]
    if draw.random() < 0.5:
        told = [f"if i % {draw.choice([5, 70, 90])} == 4:", f"    {draw.choice(PRINTED)}"]
        body += [_silently("\n".join(told))] if draw.random() < 0.3 else told
    if draw.random() < 0.2:
        loop = ["i = 0", f"while i < {passes}:"]
        body.append(draw.choice(["i += 1", "i = i + 1"]))
    else:
        loop = [f"for i in range({passes}):"]
    loop += [f"    {line}" for part in body for line in part.splitlines()]
    if draw.random() < 0.2:
        own = "    global w, b, k, n, v, i, loss, low, late, sum_, best, total"
        loop = ["def train():", own, *(f"    {line}" for line in loop), "train()"]
    lines += loop
    lines.append(f"print(w, w.grad, loss, params{', ' + kept.split()[0] if kept else ''})")
    return "\n".join([*lines, draw.choice(ENDS)]) + "\n"


def _manual(draw: random.Random, parameters: list[str], rate: float) -> list[str]:
    each = f"    p -= {rate}*p.grad\n    {draw.choice(['p.grad.zero_()', 'p.grad = None', 'pass'])}"
    loop = f"for p in {draw.choice(['params', '[' + ', '.join(parameters) + ']'])}:\n{each}"
    return [_backward(draw), _silently(loop)]


def _optimiser(draw: random.Random, parameters: list[str], rate: float) -> list[str]:
    steps = [_backward(draw), "opt.step()"]
    where = draw.choice([0, 2, 2, None])
    if where is not None:
        steps.insert(where, "opt.zero_grad()")
    return steps


def _by_grad(draw: random.Random, parameters: list[str], rate: float) -> list[str]:
    names = ", ".join(f"g_{each}" for each in parameters)
    of = ", ".join(parameters)
    step = "\n".join(f"{each} -= {rate}*g_{each}" for each in parameters)
    if draw.random() < 0.5:
        return [f"{names}, = torch.autograd.grad(loss, [{of}])", _silently(step)]
    return [
        f"{names}, = torch.autograd.grad(loss, [{of}], create_graph=True)",
        "h, = torch.autograd.grad((g_w*g_w).sum(), w)",
        _silently(f"{step}\nw -= 0.001*h"),
    ]


def _rebound(draw: random.Random, parameters: list[str], rate: float) -> list[str]:
    forms = (
        "{0} = ({0} - {1}*{0}.grad).detach().requires_grad_()",
        "{0} = ({0}.detach() - {1}*{0}.grad).requires_grad_(True)",
    )
    return ["loss.backward()", *(draw.choice(forms).format(each, rate) for each in parameters)]


def _by_data(draw: random.Random, parameters: list[str], rate: float) -> list[str]:
    forms = (
        "{0}.data -= {1}*{0}.grad", "{0}.data = {0}.data - {1}*{0}.grad",
        "{0}.data.sub_({1}*{0}.grad)",
    )  # fmt: skip
    steps = [draw.choice(forms).format(each, rate) for each in parameters]
    zeros = draw.choice(["{0}.grad.zero_()", "{0}.grad = None", "pass"])
    return [_backward(draw), *steps, *(zeros.format(each) for each in parameters)]


def _backward(draw: random.Random) -> str:
    return "loss.backward()" if draw.random() < 0.9 else "loss.backward(retain_graph=True)"


def _silently(block: str) -> str:
    return "\n".join(["with torch.no_grad():", *(f"    {line}" for line in block.splitlines())])
