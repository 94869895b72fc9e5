"""Random programs here and in PyTorch: `python -m tests.campaigns.pytorch --programs 10000`.

Each program has a number and is the same for the same seed, so a run can be cut short and go on:
`--state FILE` remembers where it was. What differs beyond rounding is made as small as it gets and
printed in both spellings. Differences that the README documents are recognised and counted.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from tests.campaigns.against.compare import ROUNDING, Difference, differences, is_rounding
from tests.campaigns.against.deviations import FLOAT32, deviation, is_closer
from tests.campaigns.against.minimise import minimise
from tests.campaigns.against.program import HERE, TORCH, Program
from tests.campaigns.against.sides import here, in_torch
from tests.campaigns.against.statements import make


class Verdict(NamedTuple):
    """What came of one program: `agree`, `rounding`, a documented deviation, or `differ`."""

    word: str
    found: list[Difference]


def judge(program: Program) -> Verdict:
    """Run the program on both sides."""
    ours, theirs = here(program), in_torch(program)
    found = differences(program, ours, theirs)
    if theirs.error.startswith("UnfitError"):
        return Verdict("not comparable", [])
    if not found:
        return Verdict("both refuse" if ours.error else "agree", [])
    documented = deviation(program, ours, theirs, found)
    if documented:
        return Verdict(documented, found)
    if is_rounding(program, found):
        return Verdict(ROUNDING, found)
    if is_closer(program, ours, found):
        return Verdict(FLOAT32, found)
    return Verdict("differ", found)


def reduced(program: Program, found: list[Difference]) -> tuple[Program, list[Difference]]:
    """The smallest program with such a difference, and how it differs."""
    wanted = _signature(found[0])

    def differs(candidate: Program) -> bool:
        plain = differences(candidate, here(candidate), in_torch(candidate))
        if wanted not in map(_signature, plain):
            return False
        verdict = judge(candidate)
        return verdict.word == "differ" and _signature(verdict.found[0]) == wanted

    small = minimise(program, differs)
    return small, judge(small).found or found


def _signature(difference: Difference) -> tuple[str, str]:
    named = difference.sort in ("crash", "refusal", "acceptance")
    return difference.sort, difference.name if named else ""


def reproduction(program: Program) -> str:
    """The program in both spellings, as it can be pasted."""
    lines = ["  " + each for each in program.text(HERE).splitlines()]
    for name, array in program.inputs.items():
        lines.append(f"    --set {name}={array.tolist()}  {array.shape}")
    if program.output is None:
        lines.append(f"    grads of {', '.join((*program.wrt, *program.retained))}")
    else:
        lines.append(
            f"    --wrt {','.join(program.wrt)} --retain-grad {','.join(program.retained)}"
        )
    if program.gradient is not None:
        lines.append(f"    --gradient {program.gradient.tolist()}")
    lines.append(f"    --dtype {program.dtype}; in PyTorch:")
    return "\n".join([*lines, *("  " + each for each in program.text(TORCH).splitlines())])


def campaign(
    seed: int, numbers: Iterable[int], seconds: float, counts: Counter[str], show: int
) -> int:
    """Judge programs until the time is over; print differences; the number of the next program."""
    ends = time.monotonic() + seconds
    number = -1
    for number in numbers:
        if time.monotonic() > ends:
            return number
        program = make(seed, number)
        verdict = judge(program)
        counts[verdict.word] += 1
        if verdict.word == "differ" and counts["differ"] <= show:
            small, found = reduced(program, verdict.found)
            print(f"--- program {number} of seed {seed}\n{reproduction(small)}", flush=True)
            print("\n".join(map(str, found[:2])), flush=True)
    return number + 1


def figure(counts: Counter[str]) -> str:
    """The outcome in a few lines."""
    plain = (
        "agree",
        "both refuse",
        "not comparable",
        ROUNDING,
        "differ",
    )
    lines = [f"{sum(counts.values()):>9,} programs"]
    lines += [f"{counts[word]:>9,} {word}" for word in plain]
    documented = [(word, count) for word, count in counts.most_common() if word not in plain]
    lines.append(f"{sum(count for _, count in documented):>9,} documented deviations")
    return "\n".join([*lines, *(f"{count:>12,} {word}" for word, count in documented)])


def main(arguments: list[str] | None = None) -> int:
    """The command; it ends with 1 if a program differs."""
    parser = argparse.ArgumentParser(prog="python -m tests.campaigns.pytorch", description=__doc__)
    parser.add_argument("--programs", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--first", type=int, default=0, help="the number of the first program")
    parser.add_argument("--seconds", type=float, default=3600.0)
    parser.add_argument("--state", type=Path, help="a file that remembers how far the run came")
    parser.add_argument("--show", type=int, default=20, help="how many differences to print")
    asked = parser.parse_args(arguments)
    counts: Counter[str] = Counter()
    first = asked.first
    if asked.state and asked.state.exists():
        state = json.loads(asked.state.read_text())
        if state["seed"] != asked.seed:
            parser.error(f"{asked.state} is of seed {state['seed']}")
        first, counts = state["next"], Counter(state["counts"])
    began = time.monotonic()
    done = campaign(asked.seed, range(first, asked.programs), asked.seconds, counts, asked.show)
    if asked.state:
        asked.state.write_text(json.dumps({"seed": asked.seed, "next": done, "counts": counts}))
    took = time.monotonic() - began
    print(f"{figure(counts)}\n{took:>9.0f} seconds")
    return 1 if counts["differ"] else 0


if __name__ == "__main__":
    sys.exit(main())
