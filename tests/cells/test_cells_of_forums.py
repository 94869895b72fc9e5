"""Lines of cells as people ask about them; what they print was recorded with PyTorch 2.13."""

from __future__ import annotations

import pytest

from gradcli import evaluate, session
from gradcli.diagnostics import GradcliError, Source
from gradcli.language.parser import ParseLimits, parse_program

CELLS = [
    (
        (
            "for d in (torch.nn.ModuleDict({'a': torch.nn.ReLU()}), torch.nn.ParameterDict({})):\n"
            "    try: d['b']\n"
            "    except (KeyError, AttributeError) as e: print(type(e).__name__, e)\n"
        ),
        "KeyError 'b'\nAttributeError 'ParameterDict' object has no attribute 'b'",
    ),
    (  # a frozen parameter is a parameter
        (
            "p = torch.nn.Parameter(torch.ones(1), requires_grad=False)\n"
            "class N(torch.nn.Module):\n"
            "    def __init__(self):\n"
            "        super().__init__()\n"
            "        self.scale = p\n"
            "        self.w = torch.nn.Parameter(torch.ones(2))\n"
            "n = N()\n"
            "print(list(n.state_dict()), [v.requires_grad for v in n.parameters()])\n"
            "print(isinstance(p, torch.nn.Parameter), p)\n"
        ),
        "['scale', 'w'] [False, True]\nTrue Parameter containing:\ntensor([1.])",
    ),
    (
        (
            "a = np.arange(3)\n"
            "print(a.astype(np.float32).dtype, (a > 1).astype('float32').dtype)\n"
            "print(a.astype(float).dtype)\n"
            "print(torch.from_numpy(a.astype(np.float32)).dtype)\n"
        ),
        "float32 float32\nfloat64\ntorch.float32",
    ),
    (  # the braces behind a value's `else` are no block
        (
            "x = 3\n"
            "a = {'a': 1} if x > 5 else {'b': 2}\n"
            "b = dict(q=1) if a == {} else {k: v + 1 for k, v in a.items()}\n"
            "f = lambda t: [t] if t else {}\n"
            "print(a, b, f(0))\n"
            "if x > 5 { c = 1 } else { c = {'c': 2} }\n"
            "print(c)\n"
        ),
        "{'b': 2} {'b': 3} {}\n{'c': 2}",
    ),
    (
        (
            "for f in (torch.linalg.cholesky, torch.linalg.inv):\n"
            "    try: f(-torch.eye(2) if f is torch.linalg.cholesky else torch.zeros(2, 2))\n"
            "    except torch.linalg.LinAlgError as e: print(type(e).__name__)\n"
            "try: torch.linalg.cholesky(-torch.eye(2))\n"
            "except RuntimeError as e: print(str(e)[:60])\n"
        ),
        "_LinAlgError\n_LinAlgError\nlinalg.cholesky: The factorization could not be completed be",
    ),
    (
        (
            "x = torch.zeros(3, 4)\n"
            "for f in (lambda: x.gather(1, torch.tensor([[9]])),\n"
            "          lambda: x.scatter(1, torch.tensor([[9]]), 1.),\n"
            "          lambda: torch.ones(3, 2) + torch.ones(2, 3)):\n"
            "    try: f()\n"
            "    except RuntimeError as e: print(e)\n"
        ),
        (
            "index 9 is out of bounds for dimension 1 with size 4\n"
            "index 9 is out of bounds for dimension 1 with size 4\n"
            "The size of tensor a (2) must match the size of tensor b (3) at non-singleton "
            "dimension 1"
        ),
    ),
    (
        (
            "M = torch.distributions.MultivariateNormal\n"
            "S = torch.tensor([[2., .5], [.5, 1.]])\n"
            "print(M(torch.zeros(2), S).scale_tril, M(torch.zeros(2), S).precision_matrix)\n"
            "L = torch.tensor([[2., 0], [.5, 1.]])\n"
            "m = M(torch.zeros(2), scale_tril=L)\n"
            "print(m.covariance_matrix, m.log_prob(torch.ones(2)), m)\n"
            "print(M(torch.zeros(2), precision_matrix=S).covariance_matrix)\n"
        ),
        (
            "tensor([[1.4142, 0.0000],\n        [0.3536, 0.9354]]) "
            "tensor([[ 0.5714, -0.2857],\n        [-0.2857,  1.1429]])\n"
            "tensor([[4.0000, 1.0000],\n        [1.0000, 1.2500]]) tensor(-2.9373) "
            "MultivariateNormal(loc: torch.Size([2]), covariance_matrix: torch.Size([2, 2]), "
            "scale_tril: torch.Size([2, 2]))\n"
            "tensor([[ 0.5714, -0.2857],\n        [-0.2857,  1.1429]])"
        ),
    ),
]


@pytest.mark.parametrize(("program", "expected"), CELLS)
def test_what_a_cell_prints(program: str, expected: str) -> None:
    assert "\n".join(printed(f"import numpy as np\nimport torch\n{program}")) == expected


def printed(program: str) -> list[str]:
    parsed = parse_program(Source("program", program), ParseLimits())
    return list(session.evaluate(parsed, {}).printed)


@pytest.mark.parametrize(
    "statement", ["print(2**100)", "x = 3**40\ns = f'{x}'", "print(9007199254740992 * 2)"]
)
def test_whole_numbers_whose_digits_are_not_known_are_not_printed(statement: str) -> None:
    with pytest.raises(GradcliError, match=r"exact up to 2\*\*53"):
        evaluate(f"import torch\n{statement}\n")


def test_floats_as_large_as_these_are() -> None:
    found = printed("import torch\nprint(2.0**100, 1e20, 2**53, float(2**70))\n")
    assert found == ["1.2676506002282294e+30 1e+20 9007199254740992 1.1805916207174113e+21"]
