"""What entries state of PyTorch's functions is what PyTorch 2.13 tells of itself:
`make_torch_facts.py` has asked it.
"""

from __future__ import annotations

import json
from pathlib import Path

from gradcli.ops import FUNCTIONS
from gradcli.ops.elementwise import Elementwise

FACTS = json.loads(Path(__file__).with_name("torch_facts.json").read_text(encoding="utf-8"))


def test_functions_of_several_forms_are_pytorchs() -> None:
    stated = {name: FUNCTIONS[name].overloaded for name in FACTS["overloaded"]}
    assert stated == FACTS["overloaded"]
    assert len(stated) > 300


ENDING_IN_PRODUCTS = {"affine_grid", "corrcoef", "cov", "multi_head_attention_forward"}
"""Compositions of PyTorch's: of their parts the products are computed in 16 bits."""


def test_autocast_has_functions_compute_in_the_same_dtypes() -> None:
    stated, told = dict[str, str](), dict[str, str]()
    for name, (of_32_bits, of_16_bits) in FACTS["autocast"].items():
        if name not in ENDING_IN_PRODUCTS:
            stated[name] = FUNCTIONS[name].autocast
            is_lower, is_32 = "bfloat16" in of_32_bits, of_16_bits == ["float32"]
            told[name] = "lower" if is_lower else "float32" if is_32 else ""
    assert stated == told
    assert len(stated) > 300


def test_results_lie_in_memory_as_pytorchs_do() -> None:
    stated = {
        name: FUNCTIONS[name].order == "kept" or isinstance(FUNCTIONS[name].op, Elementwise)
        for name in FACTS["order"]
    }
    assert stated == FACTS["order"]
    assert len(stated) > 150


def test_what_keeps_integers_does_so_in_pytorch() -> None:
    told = FACTS["integers"]
    kept = {name for name in told if FUNCTIONS[name].keeps_integers}
    assert {name: told[name] for name in kept} == dict.fromkeys(kept, True)
    assert len(kept) > 15
