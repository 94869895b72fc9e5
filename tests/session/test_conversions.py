"""PyTorch's `item`, `tolist`, `clone`, `to` and their like. What they give was seen in PyTorch 2.13
and is written down by hand.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.session.programs import codes, error, grads, run, value

X = "x = tensor([1.5, -2.5], requires_grad=True)\n"


@pytest.mark.parametrize(
    ("expression", "grad"),
    [
        ("(x.clone()**2).sum()", [3, -5]),
        ("(torch.clone(x)**2).sum()", [3, -5]),
        ("(x.contiguous()**2).sum()", [3, -5]),
        ("(x.cpu()**2).sum()", [3, -5]),
        ("(x.cuda()**2).sum()", [3, -5]),
        ("(x.to('cuda:0')**2).sum()", [3, -5]),
        ("(x.to(torch.float64)**2).sum()", [3, -5]),
        ("(x.to(torch.device('cpu'), torch.double)**2).sum()", [3, -5]),
        ("(x.type(torch.float64)**2).sum()", [3, -5]),
        ("(x*x.max().item()).sum()", [1.5, 1.5]),
        ("(x*x.detach().clone()).sum()", [1.5, -2.5]),
        ("(x*x.numpy()).sum()", [1.5, -2.5]),
        ("(x*x.tolist()[1]).sum()", [-2.5, -2.5]),
        ("(x*x.int()).sum()", [1, -2]),
        ("(x*x.to(torch.int64)).sum()", [1, -2]),
        ("(x*x.astype(np.int32)).sum()", [1, -2]),
        ("(x*x.to(argmax(x))).sum()", [1, -2]),
        ("(x*(x > 0).to(x)).sum()", [1, 0]),
        ("(x*x.bool()).sum()", [1, 1]),
    ],
)
def test_values_and_gradients(expression: str, grad: list[float]) -> None:
    assert grads(X + f"{expression}.backward()") == {"x": grad}


def test_a_clone_is_an_intermediate_of_its_own() -> None:
    """Its grad is None unless it is retained, and is not that of what it was cloned from."""
    assert codes(run(X + "y = x.clone(); y.sum().backward(); y.grad")) == ["not-retained"]
    text = X + "y = x.clone(); y.retain_grad(); (2*x + 3*y).sum().backward(); y.grad"
    assert value(text) == [3, 3]
    assert grads(text) == {"x": [5, 5], "y": [3, 3]}


@pytest.mark.parametrize(
    ("expression", "line"),
    [
        ("x.sum().item()", "-1"),
        ("x[:1].item(), argmax(x).item(), (x[0] > 1).item()", "1.5 0 True"),
        ("x.tolist(), x[0].tolist(), (x > 0).tolist()", "[1.5, -2.5] 1.5 [True, False]"),
        ("zeros(2, 0).tolist(), zeros(0, 2).tolist()", "[[], []] []"),
        ("x.reshape(2, 1).tolist()", "[[1.5], [-2.5]]"),
        ("len(x.tolist()), x.tolist()[-1]", "2 -2.5"),
    ],
)
def test_numbers_and_lists_are_printed_as_such(expression: str, line: str) -> None:
    assert run(X + f"print({expression}); sum(x)").printed == [line]


def test_a_number_comes_anew_for_other_inputs() -> None:
    for x in (2.0, 3.0):
        assert grads("y = x*x.item()", x=x) == {"x": x}


@pytest.mark.parametrize(
    ("expression", "code", "message", "hint"),
    [
        ("x.item()", "type", "item is for a tensor of one element; this is (2,)", "x[0].item()"),
        ("x.item(0)", "type", "item takes 1 argument", "item(self)"),
        ("x.to(torch.float8)", "type", "no dtype float8", "float"),
        ("x.to('the moon')", "type", "no dtype the moon", "float, int and bool are there"),
        ("x.to(nothing)", "name", "'nothing'", "--set nothing"),
        ("torch.device('mars')", "value", "cpu, cuda", ""),
        ("x.frobnicate(nothing)", "name", "no method 'frobnicate'", ""),
        ("zeros(10**12, 0).tolist()", "limit-nodes", "", ""),
    ],
)
def test_errors(expression: str, code: str, message: str, hint: str) -> None:
    diagnostic = error(X + expression).diagnostic
    assert diagnostic.code == code
    assert message in diagnostic.message
    assert hint in (diagnostic.hint or "")
    assert diagnostic.span is not None


def test_a_value_hides_the_name_of_a_dtype() -> None:
    named: dict[str, Any] = {"int": 1.0}
    assert value(X + "x.to(int)", **named) == [1.5, -2.5]
    assert value(X + "x.to(int)") == [1, -2]


def test_another_precision_than_the_runs_is_noted() -> None:
    assert codes(run(X + "x.to(torch.float32).sum()")) == ["dtype"]


def test_the_parameters_of_a_module_have_another_dtype_from_then_on() -> None:
    ran = run(
        "import torch\n"
        "from torch import nn\n"
        "x = torch.ones(1, 2, dtype=torch.float64)\n"
        "net = nn.Sequential(nn.Linear(2, 2), nn.Tanh()).double()\n"
        "optimiser = torch.optim.SGD(net.parameters(), lr=0.1)\n"
        "net(x).sum().backward()\n"
        "optimiser.step()\n"
        "print(net(x).dtype, net[0].weight.grad.dtype, net.float()(x.float()).dtype)\n"
        "print(net.to(torch.device('cpu')).to(dtype=torch.double)[0].bias.dtype)\n"
        "norm = nn.BatchNorm1d(2).to(x)\n"
        "print(norm.running_mean.dtype, norm.num_batches_tracked.dtype, norm.half().weight.dtype)\n"
    )
    assert ran.printed == [
        "torch.float64 torch.float64 torch.float32",
        "torch.float64",
        "torch.float64 torch.int64 torch.float16",
    ]


@pytest.mark.parametrize("layer", ["nn.Linear(2, 1)", "nn.Sequential(nn.Linear(2, 1))"])
def test_what_a_layer_makes_of_numbers_depends_on_its_parameters(layer: str) -> None:
    assert [*grads(f"m = {layer}; y = m([[1., 2.]])").values()] == [[[1, 2]], [1]]
