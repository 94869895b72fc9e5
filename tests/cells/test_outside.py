"""Names that people paste and that are outside the language: the hint says what serves instead."""

from __future__ import annotations

import pytest

from gradcli.diagnostics import GradcliError, Source
from gradcli.language.parser import ParseLimits, parse_program
from gradcli.session import evaluate


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("import matplotlib.pyplot as plt\nplt.plot([1, 2])", "gradcli plot"),
        ("import os\nprint(os.getcwd())", "touches nothing else"),
        ("from torchvision import datasets\ndatasets.MNIST('.')", "--set x=@data.npy"),
        ("import pandas as pd\npd.read_csv('x.csv')", "--set x=@data.npy"),
        ("import torch\ntorch.load('model.pt')", "torch.save has kept"),
        ("import numpy as np\nnp.loadtxt('x.txt')", "files are outside"),
        ("x = open('x.txt')", "files are outside"),
        ("import torch\ntorch.fft.hfft2(torch.ones(2))", "their inverses"),
        ("import torch\ntorch.sparse_coo_tensor([[0]], [1.0], (2,))", "dense"),
        ("import torch\ntorch.jit.freeze(torch.nn.Linear(2, 1))", "itself"),
        ("x = input('x? ')", "--set x=3"),
        ("eval('1 + 1')", "never handed to Python"),
        ("import tensorflow as tf\ntf.matmul(1, 2)", "torch.matmul"),
        ("import torch\n!pip install numpy", "!pip"),
    ],
)
def test_says_what_serves_instead(text: str, words: str) -> None:
    with pytest.raises(GradcliError) as caught:
        evaluate(parse_program(Source("cell", text), ParseLimits()), {})
    assert words in str(caught.value.diagnostic.hint)


def test_arrays_of_jax_print_as_tensors_and_a_note_says_so() -> None:
    text = "import jax.numpy as jnp\nprint(jnp.sin(jnp.zeros(2)))"
    result = evaluate(parse_program(Source("cell", text), ParseLimits()), {})
    assert [note.code for note in result.notes if "JAX" in note.message] == ["imports"]


_DRAWS = """import torch
import matplotlib.pyplot as plt
from torchvision import datasets as T

def draw(x):
    plt.plot(T.MNIST(x))

"""


def test_what_is_missing_may_stand_in_a_function_that_is_not_called() -> None:
    program = parse_program(Source("cell", f"{_DRAWS}print(torch.ones(2).sum())"), ParseLimits())
    assert list(evaluate(program, {}).printed) == ["tensor(2.)"]


@pytest.mark.parametrize("use", ["draw(1)", "plt.show()", "plt", "T.x = 1", "class A(T): pass"])
def test_the_line_that_uses_what_is_missing_is_shown(use: str) -> None:
    text = f"{_DRAWS}print({use})" if use == "plt" else _DRAWS + use
    with pytest.raises(GradcliError, match="gradcli has no") as caught:
        evaluate(parse_program(Source("cell", text), ParseLimits()), {})
    span = caught.value.diagnostic.span
    assert span is not None
    assert span[0] > text.index("def draw")


def test_a_name_of_what_is_missing_is_no_prefix_of_gradclis_own_functions() -> None:
    text = "import torch\nimport torchtext as T\nT.exp(torch.ones(2))"
    with pytest.raises(GradcliError, match="no module 'torchtext'"):
        evaluate(parse_program(Source("cell", text), ParseLimits()), {})
