"""The process that is attacked: `python -m tests.campaigns.attack.worker SEED FIRST LAST SHARE`.

It writes the number of each case before it runs it, and a line of JSON for each finding, so that
the process that watches it knows what it was doing when it ended.
"""

from __future__ import annotations

import json
import sys
import warnings
from random import Random
from typing import TextIO

from tests.campaigns.attack.layers import arguments, through_command, through_parser
from tests.campaigns.attack.texts import Texts, corpus

BLOCK = 50
"""Texts for the parser in one case: each takes a tenth of a millisecond."""


def case(seed: int, number: int, texts: list[str], share: float) -> list[dict[str, object]]:
    """Run a case; what was found."""
    random = Random(f"{seed} {number}")
    stream = Texts(random, texts)
    if random.random() >= share:
        found = []
        for _ in range(BLOCK):
            text = stream.text()
            if trace := through_parser(text):
                found.append({"number": number, "command": "parse", "text": text, "trace": trace})
        return found
    text = stream.text()
    command, parameters = arguments(text, random)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        trace = through_command(command, parameters)
    if not trace:
        return []
    return [{"number": number, "command": command, "parameters": parameters, "trace": trace}]


def work(seed: int, first: int, last: int, share: float, out: TextIO) -> None:
    """Run the cases from `first` to `last`, without it."""
    texts = corpus()
    for number in range(first, last):
        out.write(f"{number}\n")
        out.flush()
        for finding in case(seed, number, texts, share):
            out.write(json.dumps(finding) + "\n")
    out.write("done\n")
    out.flush()


if __name__ == "__main__":
    seed, first, last = map(int, sys.argv[1:4])
    work(seed, first, last, float(sys.argv[4]), sys.stdout)
