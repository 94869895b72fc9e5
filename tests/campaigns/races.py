"""Many processes on one file: `python -m tests.campaigns.races --count 1000`.

An attack lets two to six runs begin together, on the results of one batch, on one file that is
saved, on one report, or on one script that is updated. What stands there in the end is what one of
them wrote, whole; a batch gives way to the one that is first; nothing is left behind.
"""

from __future__ import annotations

import os
import random
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from tests.campaigns.kills import FIXED, RECORDS, SCRIPT, undisturbed
from tests.campaigns.runner import Forked, Verdict, complaint, main, preload


def attack(seed: int, number: int, folder: Path) -> Verdict:
    preload()
    choose = random.Random(f"{seed} {number}")
    kind = choose.choice((on_batch, on_batch, on_save, on_report, on_update))
    return kind(choose, folder)


def together(
    choose: random.Random, folder: Path, commands: Sequence[tuple[str, ...]], good: tuple[int, ...]
) -> tuple[list[int], str]:
    """Exit codes of runs that begin together, and what is wrong with one."""
    runs = []
    for arguments in commands:
        runs.append(Forked(*arguments, folder=folder))
        time.sleep(choose.choice((0, 0, 0.001, 0.01, 0.05)))
    ended = [each.end() for each in runs]
    problems = [complaint(each) for each in ended]
    problems += [
        f"exit code {each.returncode}: {each.stderr[-200:]!r}"
        for each in ended
        if each.returncode not in good
    ]
    return [each.returncode for each in ended], next(filter(None, problems), "")


def on_batch(choose: random.Random, folder: Path) -> Verdict:
    """By two names of one file, too."""
    expected, _ = undisturbed()
    (folder / "in").write_bytes(RECORDS)
    (folder / "link").symlink_to("out")
    names = choose.choices(("out", "link"), k=choose.randint(2, 6))
    commands = [("batch", "in", "--out", name, "--resume") for name in names]
    codes, problem = together(choose, folder, commands, (1, 3))
    if not problem and 1 not in codes:
        problem = f"nobody was first: {codes}"
    if not problem and (folder / "out").read_bytes() != expected:
        problem = "other bytes than those of one run"
    return Verdict(f"batch, {codes.count(1)} of {len(codes)} came through", problem)


def on_save(choose: random.Random, folder: Path) -> Verdict:
    sizes = [choose.choice((10, 1000, 1_100_000)) for _ in range(choose.randint(2, 4))]
    commands = [
        (
            "eval",
            "sum(2*x)",
            "-s",
            f"x=ones({size})",
            "--values",
            "none",
            "--quiet",
            "--save",
            "x.npy",
        )
        for size in sizes
    ]
    _, problem = together(choose, folder, commands, (0,))
    size = (folder / "x.npy").stat().st_size
    if not problem and size not in {128 + 8 * each for each in sizes}:
        problem = f"a file of {size} bytes, which none of them wrote"
    return Verdict("save", problem or left(folder, "x.npy"))


def on_report(choose: random.Random, folder: Path) -> Verdict:
    (folder / "a.grad").write_bytes(SCRIPT)
    commands = [("test", "a.grad", "--junit", "r.xml", "--quiet")] * choose.randint(2, 6)
    _, problem = together(choose, folder, commands, (1,))
    whole = (folder / "r.xml").read_bytes().endswith(b"</testsuites>\n")
    return Verdict("report", problem or ("" if whole else "half a report") or left(folder, "r.xml"))


def on_update(choose: random.Random, folder: Path) -> Verdict:
    (folder / "a.grad").write_bytes(SCRIPT)
    commands = [("test", "a.grad", "--update")] * choose.randint(2, 6)
    _, problem = together(choose, folder, commands, (0,))
    if not problem and (folder / "a.grad").read_bytes() != FIXED:
        problem = "not the script as each of them rewrites it"
    return Verdict("update", problem or left(folder))


def left(folder: Path, *known: str) -> str:
    """What is there that should not be."""
    more = {*os.listdir(folder)} - {"a.grad", *known}
    return f"left behind: {more}" if more else ""


if __name__ == "__main__":
    sys.exit(main(attack, "races", 1000))
