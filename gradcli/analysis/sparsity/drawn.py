"""Numbers that look drawn by chance, and are the same in every run.

Importing NumPy's generators takes ten milliseconds, more than all else that a small matrix needs.
"""

from __future__ import annotations

import numpy as np

from gradcli.graph import Array


def drawn(count: int) -> Array:
    """So many unsigned integers of 64 bits: SplitMix64 (Steele, Lea, Flood, 2014) from seed 0."""
    found = np.arange(1, count + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    found = (found ^ found >> np.uint64(30)) * np.uint64(0xBF58476D1CE4E5B9)
    found = (found ^ found >> np.uint64(27)) * np.uint64(0x94D049BB133111EB)
    return np.asarray(found ^ found >> np.uint64(31))
