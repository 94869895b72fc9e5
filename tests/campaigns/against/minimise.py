"""The smallest program that still differs in the same way."""

from __future__ import annotations

from collections.abc import Callable

from tests.campaigns.against.program import Program, smaller

TRIES = 100


def minimise(program: Program, differs: Callable[[Program], bool]) -> Program:
    """Leave out what can be left out while the program `differs`."""
    tries, shrinking = 0, True
    while shrinking and tries < TRIES:
        shrinking = False
        for candidate in smaller(program):
            tries += 1
            if candidate.size < program.size and differs(candidate):
                program, shrinking = candidate, True
                break
            if tries >= TRIES:
                break
    return program
