"""What entries state of PyTorch's functions is what PyTorch 2.13 tells of itself:
`make_torch_facts.py` has asked it.
"""

from __future__ import annotations

import json
from pathlib import Path

from gradcli.ops import FUNCTIONS

FACTS = json.loads(Path(__file__).with_name("torch_facts.json").read_text(encoding="utf-8"))


def test_functions_of_several_forms_are_pytorchs() -> None:
    stated = {name: FUNCTIONS[name].overloaded for name in FACTS["overloaded"]}
    assert stated == FACTS["overloaded"]
    assert len(stated) > 300
