"""Hostile programs through all layers: `python -m tests.campaigns.programs --cases 10000`.

Texts from the samples, the README, the op table and the grammar, with mutations, and calls of the
op table put together, are parsed, answered as records of a batch (that is: differentiated and run
too), or reported and analysed by one of the commands in one of its formats. A finding is a
traceback, an `internal` error, the end of the process, a case that takes too long, or too much
memory. A case is fifty programs, or one for a command. `--whole N` runs N programs through the
command line, each in a process of its own. The same seed gives the same cases.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

from tests.campaigns.attack.layers import MEMORY, RUNS, SECONDS, arguments, through_command
from tests.campaigns.attack.texts import Texts, corpus
from tests.campaigns.attack.watch import watched
from tests.campaigns.attack.worker import BLOCK, kind, program
from tests.campaigns.runner import PATIENCE, Forked, preload, run

GOOD = frozenset({0, 1, 2, 3, 4})
"""Exit codes that a program from a stranger may give."""


def in_process(
    seed: int, first: int, last: int, share: float, until: float
) -> tuple[int, list[Any]]:
    """Cases up to `last` or until that time; the number of the next one, and the findings."""
    findings: list[Any] = []
    number = first - 1
    for line in watched(seed, first, last, share):
        if isinstance(line, int):
            number = line
            if time.monotonic() > until:
                return number, findings
        else:
            findings.append(line)
            print(json.dumps(line), flush=True)
    return number + 1, findings


def whole(seed: int, first: int, last: int, until: float) -> tuple[int, list[Any]]:
    """The same through the command line: one in ten from the start of Python, the others forked
    from a process that has run each command once, which takes a tenth of the time.
    """
    texts, findings = corpus(), list[Any]()
    preload()
    for command, asked in RUNS:
        through_command(command, {"program": "sum(x)", "set_": ["x=1,2"], **asked})
    with tempfile.TemporaryDirectory(prefix="gradcli-campaign-") as folder:
        for number in range(first, last):
            if time.monotonic() > until:
                return number, findings
            random = Random(f"{seed} whole {number}")
            text, inputs = program(Texts(random, texts), random, 0.3)
            text = text.replace("\0", "")
            line = [*flags(*arguments(text, random, inputs)), "--", text]
            what = _problem(line, Path(folder), started=number % 10 == 0)
            if what:
                findings.append({"number": number, "line": line, "what": what})
                print(json.dumps(findings[-1]), flush=True)
    return last, findings


def _problem(line: Sequence[str], folder: Path, *, started: bool) -> str:
    """What a run does that it must not; nothing where it does not."""
    try:
        ended = run(*line, folder=folder) if started else Forked(*line, folder=folder).end(PATIENCE)
    except subprocess.TimeoutExpired:
        return "hangs"
    if ended.returncode in GOOD and b"Traceback" not in ended.stderr:
        return ""
    return f"{ended.returncode}: {ended.stderr[-600:].decode(errors='replace')}"


def flags(command: str, parameters: dict[str, Any]) -> list[str]:
    """A command line that says what the parameters say."""
    line = [command, "--timeout", f"{SECONDS:g}", "--max-memory", MEMORY]
    for name, value in parameters.items():
        if name in ("program", "timeout", "max_memory"):
            continue
        flag = "--" + name.rstrip("_").replace("_", "-")
        for each in value if isinstance(value, list) else [value]:
            line += [flag] if each is True else [f"{flag}={each}"]
    return line


def main(asked: list[str] | None = None) -> int:
    """The command; it ends with 1 if anything was found."""
    parser = argparse.ArgumentParser(prog="python -m tests.campaigns.programs", description=__doc__)
    parser.add_argument("--cases", type=int, default=2000)
    parser.add_argument("--whole", type=int, default=0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=3600.0)
    parser.add_argument("--share", type=float, default=0.5, help="of commands among the cases")
    parser.add_argument("--state", type=Path, help="a file that remembers how far the run came")
    given = parser.parse_args(asked)
    state: Counter[str] = Counter()
    if given.state and given.state.exists():
        state.update(json.loads(given.state.read_text()))
    began = time.monotonic()
    until = began + given.seconds
    state["cases"], inside = in_process(given.seed, state["cases"], given.cases, given.share, until)
    state["whole"], outside = whole(given.seed, state["whole"], given.whole, until)
    state["findings"] += len(inside) + len(outside)
    if given.state:
        given.state.write_text(json.dumps(state))
    kinds = Counter(kind(given.seed, number, given.share) for number in range(state["cases"]))
    parsed, records = BLOCK * kinds["parser"], BLOCK * kinds["record"]
    print(
        f"{parsed + records + kinds['command']:>11,} programs in process:\n"
        f"{parsed:>11,} parsed\n{records:>11,} answered as records\n"
        f"{kinds['command']:>11,} through commands\n{state['whole']:>11,} whole processes\n"
        f"{state['findings']:>11,} findings\n{time.monotonic() - began:>11.0f} seconds"
    )
    return 1 if state["findings"] else 0


if __name__ == "__main__":
    sys.exit(main())
