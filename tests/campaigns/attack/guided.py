"""The parser and `eval` under atheris, which keeps texts that reach new code:
`python -m tests.campaigns.attack.guided FOLDER -max_total_time=600` (`pip install atheris`).

What is found ends the run with a traceback, and the text stands in a file `crash-…`. The other
arguments are libFuzzer's.
"""

from __future__ import annotations

import sys
from random import Random

import atheris

with atheris.instrument_imports(include=["gradcli"]):
    from tests.campaigns.attack.layers import MEMORY, SECONDS, through_command, through_parser
    from tests.campaigns.attack.texts import TOKENS, Texts, corpus

TEXTS = corpus()


def attacked(data: bytes) -> None:
    """Put one text through; raises what was found."""
    text = data.decode(errors="replace")
    limits = {"timeout": str(SECONDS), "max_memory": MEMORY, "safe": True, "seed": 1}
    trace = through_parser(text) or through_command(
        "eval", {"program": text, "gradient": ["1"], "format_": "json", **limits}
    )
    if trace:
        raise AssertionError(trace)


def mutated(data: bytes, largest: int, seed: int) -> bytes:
    """Another text, by tokens more often than by bytes."""
    random = Random(seed)
    if random.random() < 0.2:
        return bytes(atheris.Mutate(data, largest))
    tokens = TOKENS.findall(data.decode(errors="replace"))
    Texts(random, TEXTS).mutate(tokens)
    return "".join(tokens).encode()[:largest]


if __name__ == "__main__":
    atheris.Setup(sys.argv, attacked, custom_mutator=mutated)
    atheris.Fuzz()
