"""The middle of a notebook, without its imports: gradcli prints what Python and PyTorch 2.13 do
with the usual ones. Programs in gradcli's own language mean what they meant.
"""

from __future__ import annotations

import numpy as np
import pytest

from gradcli.diagnostics import GradcliError, Source
from gradcli.language.parser import ParseLimits, parse_program
from gradcli.session import Result, evaluate


def run(text: str) -> Result:
    return evaluate(parse_program(Source("cell", text), ParseLimits()), {})


@pytest.mark.parametrize(
    ("cell", "printed", "names"),
    [
        ("x = np.array([1, 2, 3])\nprint(x / 2, x.mean(), x.dtype)", "[0.5 1.  1.5] 2.0 int64",
         "np is"),
        ("x = torch.tensor([1, 2])\nprint(x, x * 2, 4 / 2)", "tensor([1, 2]) tensor([2, 4]) 2.0",
         "torch is"),
        ("print(math.sqrt(4), 2)", "2.0 2", "math is"),
        ("h = F.relu(torch.tensor([-1., 2.]))\nprint(h.shape, [1, 2.0])",
         "torch.Size([2]) [1, 2.0]", "torch, F are"),
        ("m = nn.Linear(2, 1)\nprint(m, sum(p.numel() for p in m.parameters()))",
         "Linear(in_features=2, out_features=1, bias=True) 3", "nn is"),
        ("a = torch.arange(4)\nfor x, in DataLoader(TensorDataset(a), batch_size=2): print(x)",
         "tensor([0, 1])\ntensor([2, 3])", "torch, DataLoader, TensorDataset are"),
        ("c = Counter([1, 1, 2])\nprint(c, partial(torch.mul, torch.tensor(2.))(3))",
         "Counter({1: 2, 2: 1}) tensor(6.)", "torch, partial, Counter are"),
        ("class A(nn.Module):\n    def forward(self, x): return x / 2\nprint(A()(torch.tensor(4)))",
         "tensor(2.)", "torch, nn are"),
        ("y = torch.ones(2)\nz = y.numpy()\ny.add_(1)\nprint(z)", "[2. 2.]", "torch is"),
    ],
)  # fmt: skip
def test_the_usual_imports_are_taken_as_given(cell: str, printed: str, names: str) -> None:
    result = run(cell)
    assert "\n".join(result.printed) == printed
    (note,) = [each.message for each in result.notes if each.code == "imports"]
    assert f"in which {names} imported as usual" in note


@pytest.mark.parametrize(
    ("program", "printed"),
    [
        ("x = [1, 2]\nprint(x, torch.sum(x * 2))", "tensor([1., 2.]) tensor(6.)"),
        ("x = 3\ny = torch.sum(x**2)\ny.backward()\nprint(x.grad, 2.0)", "tensor(6.) 2"),
        ("f(x) = torch.sum(x**2)\nprint(f([1, 2]), 2.0)", "tensor(5.) 2"),
        ("i = 0\nwhile i < 2 { i += 1 }\nprint(torch.exp(0), i, 2.0)", "1 tensor(2.) 2"),
        ("F = [[1, 2], [3, 4]]\nprint(F.sum(), 2.0)", "tensor(10.) 2"),
        ("print(torch.exp(0), true, 2.0)", "1 True 2"),
        ("print(exp(0), [1, 2])", "1 tensor([1., 2.])"),
    ],
)
def test_other_programs_are_read_as_before(program: str, printed: str) -> None:
    result = run(program)
    assert "\n".join(result.printed) == printed
    assert "imports" not in [each.code for each in result.notes]


def test_what_prints_nothing_keeps_its_leaves() -> None:
    result = run("x = torch.tensor([1, 2])\ntorch.sum(x**2)")
    assert result.grads["x"].tolist() == [2, 4]
    assert "imports" not in [each.code for each in result.notes]


def test_inputs_belong_to_the_own_language() -> None:
    program = parse_program(Source("cell", "print(torch.sum(x), 2.0)\nx"), ParseLimits())
    result = evaluate(program, {"x": np.array([1.0, 2.0])})
    assert list(result.printed) == ["tensor(3.) 2"]


def test_shifts_are_for_the_integers_of_cells() -> None:
    with pytest.raises(GradcliError, match="<< is for the integers of cells") as found:
        run("x = 3\nx << 1")
    assert found.value.diagnostic.code == "type"
