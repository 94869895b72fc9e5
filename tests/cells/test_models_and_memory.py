"""Names of steps, what print shows under vmap, what is saved and set of models."""

from __future__ import annotations

import pytest

from gradcli.diagnostics import GradcliError, Source
from gradcli.language.parser import ParseLimits, parse_program
from gradcli.session import evaluate

START = "import torch\nfrom torch import nn\n"
NAMES = """a[0, :3] Slice
a[:2, 0] Select
a[0, :] Select
a[:, 0] Select
a[1:, 1:] Slice
a[None, 0] Select
a[0, None] Unsqueeze
a[0, 0:4] Select
a[..., 1:] Slice
a[:, None, 1:] Slice
a[1:, ..., None] Unsqueeze
a[1, 2] Select
a[0, [0, 1]] Index"""
"""Parts of a tensor of 3 × 4, and what PyTorch says has made them."""


def printed(program: str) -> list[str]:
    return list(evaluate(parse_program(Source("cell", program), ParseLimits()), {}).printed)


def test_parts_are_named_by_their_last_step() -> None:
    lines = [line.rpartition(" ") for line in NAMES.splitlines()]
    calls = "".join(f"print({part}.grad_fn.name())\n" for part, _, _ in lines)
    found = printed(f"{START}a = torch.ones(3, 4, requires_grad=True)\n{calls}")
    assert found == [f"{name}Backward0" for _, _, name in lines]


def test_print_shows_no_row_under_vmap() -> None:
    with pytest.raises(GradcliError, match="shows no row"):
        printed(START + "torch.vmap(lambda x: (print(x), x)[1])(torch.ones(2, 3))")


def test_what_was_saved_whole_is_loaded_where_that_is_said() -> None:
    saved = "torch.save(nn.Linear(1, 1), 'm.pt')\n"
    with pytest.raises(GradcliError, match="weights_only=False"):
        printed(f"{START}{saved}torch.load('m.pt')")


def test_what_a_layer_has_is_set_by_its_name_alone() -> None:
    for line in ("nn.ReLU().__dict__['x'] = 1", "vars(nn.Linear(1, 1))['in_features'] = 2"):
        with pytest.raises(GradcliError, match="not set by vars"):
            printed(START + line)
