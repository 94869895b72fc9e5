"""Which tests are run by default: of sweeps over many cases of one kind a part."""

from __future__ import annotations

import os
from collections import Counter

import pytest

for _variable in ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS"):
    os.environ.setdefault(_variable, "1")  # as the command does: small matrices would wait for it


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark as `wide` all cases of a test `one_in(n)` but each n-th."""
    met: Counter[str] = Counter()
    for item in items:
        marker = item.get_closest_marker("one_in")
        if marker is None or item.get_closest_marker("slow"):
            continue
        test = item.nodeid.partition("[")[0]
        if met[test] % marker.args[0]:
            item.add_marker(pytest.mark.wide)
        met[test] += 1
