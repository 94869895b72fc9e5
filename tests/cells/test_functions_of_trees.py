"""What transforms of functions, hooks and loading refuse, and what stays as it was."""

from __future__ import annotations

import pytest

from gradcli.diagnostics import GradcliError, Source
from gradcli.language.parser import ParseLimits, parse_program
from gradcli.session import evaluate

HEAD = "import torch\nfrom torch.func import grad, jvp, vjp, vmap\nx = torch.ones(2)\n"
LAYER = HEAD + "m = torch.nn.Linear(2, 1)\n"


def printed(text: str) -> str:
    program = parse_program(Source("cell", text), ParseLimits())
    return "\n".join(evaluate(program, {}).printed)


@pytest.mark.parametrize(
    ("text", "code", "words"),
    [
        (HEAD + "grad(lambda x: x.sum(), has_aux=True)(x)", "type", "(value, aux)"),
        (HEAD + "vjp(torch.sin, x)[1](x, x)", "type", "2 vectors are given for 1"),
        (HEAD + "jvp(torch.sin, (x,), (torch.ones(3),))", "gradient-shape", "does not fit"),
        (HEAD + "vmap(torch.sin, in_dims=(0, 0))(x)", "value", "in_dims is for 2"),
        (HEAD + "vmap(lambda a, b: a * b)(x, torch.tensor(1.))", "shape", "in_dim is 0"),
        (HEAD + "vmap(lambda d: d['a'], in_dims=({'a': 0, 'b': 0},))({'a': x})", "value", "2 num"),
        (HEAD + "vmap(3)", "type", "takes a function"),
        (
            HEAD + "t = (x,)\nfor i in range(60): t = (t,)\ngrad(lambda t: 1)(t)",
            "limit-depth",
            "inside each other",
        ),
        (LAYER + "m.load_state_dict({'bias': x})", "shape", 'Missing key(s) in state_dict: "wei'),
        (LAYER + "m.load_state_dict(3)", "type", "takes a dictionary"),
        (LAYER + "delattr(m, 'gain')", "name", "no attribute 'gain'"),
        (LAYER + "m.register_forward_pre_hook(3)", "type", "a hook is a function"),
        (LAYER + "m(x).register_post_accumulate_grad_hook(print)", "no-grad", "non-leaf"),
        (LAYER + "torch.amp.GradScaler('cpu').step(3)", "type", "takes an optimiser"),
        (HEAD + "with torch.autocast('cpu'): torch.nn.LSTM(2, 3)(x)", "value", "16 bits here"),
        (HEAD + "with torch.autocast('cpu', dtype=torch.float64): x", "value", "not float64"),
    ],
)
def test_is_refused(text: str, code: str, words: str) -> None:
    with pytest.raises(GradcliError) as caught:
        printed(text)
    assert caught.value.diagnostic.code == code
    assert words in caught.value.diagnostic.message


def test_scaled_gradients_are_scaled_back() -> None:
    text = LAYER + (
        "m.weight.data.fill_(1.); m.bias.data.fill_(0.)\n"
        "opt = torch.optim.SGD(m.parameters(), lr=0.5)\n"
        "scaler = torch.amp.GradScaler('cpu', init_scale=4.)\n"
        "scaler.scale(m(x).sum()).backward()\nprint(m.weight.grad)\n"
        "scaler.step(opt); scaler.update()\nprint(m.weight.grad, m.weight.data)\n"
    )
    assert printed(text) == (
        "tensor([[4., 4.]])\ntensor([[1., 1.]]) tensor([[0.5000, 0.5000]])"
    )  # PyTorch 2.13


def test_a_block_that_handles_an_error_ends_it() -> None:
    text = (
        "class Quiet:\n    def __enter__(self): return 7\n"
        "    def __exit__(self, kind, error, _): print(kind.__name__, error); return {}\n"
        "with Quiet() as q:\n    print(q)\n    raise ValueError('gone')\nprint('on')\n"
    )
    assert printed(text.format(True)) == "7\nValueError gone\non"
    with pytest.raises(GradcliError, match="gone"):
        printed(text.format(False))
