"""The grads of a result: those of leaves, then the retained ones, under one name each."""

from __future__ import annotations

from gradcli.graph import Array
from gradcli.session import Pass, Result


def grads_of(backward: Pass) -> dict[str, Array]:
    """What one pass found."""
    return {**backward.grads, **backward.retained}


def final_grads(result: Result) -> dict[str, Array]:
    """The last pass's grads, or their sums over all passes where these accumulate."""
    grads = dict(result.grads)
    if result.passes:
        for name, last in result.passes[-1].retained.items():
            earlier = [backward.retained[name] for backward in result.passes[:-1]]
            grads[name] = sum(earlier, last) if result.accumulated else last
    return grads
