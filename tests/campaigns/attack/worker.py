"""The process that is attacked: `python -m tests.campaigns.attack.worker SEED FIRST LAST SHARE`.

It writes the number of each case before it runs it, and a line of JSON for each finding, so that
the process that watches it knows what it was doing when it ended.
"""

from __future__ import annotations

import gc
import json
import re
import sys
import warnings
from collections.abc import Mapping
from functools import lru_cache
from random import Random
from typing import Any, TextIO

from gradcli.batch.answer import Answerer
from tests.campaigns.attack import layers
from tests.campaigns.attack.composed import Value, composed
from tests.campaigns.attack.texts import INPUTS, Texts, corpus

BLOCK = 50
"""Programs in one case of the parser, which takes a tenth of a millisecond for one, and of records,
which take one millisecond.
"""
PLAIN: dict[str, Any] = {"x": [[1.0, 2.0], [3.0, -4.0]], "w": [0.5, 2.0], "b": -0.25}
"""Values of the inputs that texts may read, where they are records."""


def kind(seed: int, number: int, share: float) -> str:
    """What a case puts its programs through: `command` (one program) for that share of all cases,
    of the rest `record` for a quarter, and `parser`.
    """
    return _kind(Random(f"{seed} {number}"), share)


def _kind(random: Random, share: float) -> str:
    if random.random() < share:
        return "command"
    return "record" if random.random() < 0.25 else "parser"


def case(seed: int, number: int, texts: list[str], share: float) -> list[dict[str, object]]:
    """Run a case; what was found."""
    random = Random(f"{seed} {number}")
    stream = Texts(random, texts)
    chosen = _kind(random, share)
    if chosen == "command":
        return _command(number, stream, random)
    found = []
    for _ in range(BLOCK):
        text, inputs = program(stream, random, 0.1 if chosen == "record" else 0.0)
        if chosen == "parser":
            trace = layers.through_parser(text)
        else:
            trace = layers.through_record(_answerer(), text, inputs or _plain(text))
        if trace:
            place = {"number": number, "command": chosen, "text": text, "set": inputs}
            found.append({**place, "trace": trace})
    return found


def _command(number: int, stream: Texts, random: Random) -> list[dict[str, object]]:
    text, inputs = program(stream, random, 0.3)
    command, parameters = layers.arguments(text, random, inputs)
    trace = layers.through_command(command, parameters)
    if not trace:
        return []
    return [{"number": number, "command": command, "parameters": parameters, "trace": trace}]


def program(stream: Texts, random: Random, share: float) -> tuple[str, Mapping[str, Value] | None]:
    """A program of the stream, or, for that share, one that most often runs, with its inputs."""
    return composed(random) if random.random() < share else (stream.text(), None)


def _plain(text: str) -> dict[str, Any]:
    return {name: PLAIN[name] for name in INPUTS if re.search(rf"\b{name}\b", text)}


@lru_cache
def _answerer() -> Answerer:
    """One for all records of a process, as a worker of `gradcli batch` has it."""
    return layers.answerer()


def work(seed: int, first: int, last: int, share: float, out: TextIO) -> None:
    """Run the cases from `first` to `last`, without it."""
    texts = corpus()
    gc.freeze()  # modules and op table are no garbage
    warnings.simplefilter("ignore", RuntimeWarning)
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
