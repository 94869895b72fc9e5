"""The grads of a result: those of leaves, then the retained ones, under one name each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gradcli.graph import Array

if TYPE_CHECKING:
    from gradcli.result import Pass, Result


def grads_of(backward: Pass) -> dict[str, Array]:
    """What one pass found."""
    return {**backward.grads, **backward.retained}


def final_grads(result: Result) -> dict[str, Array]:
    """The last pass's grads, or their sums over all passes where these accumulate."""
    retained: dict[str, Array] = {}
    for backward in result.passes if result.accumulated else result.passes[-1:]:
        for name, grad in backward.retained.items():
            retained[name] = retained[name] + grad if name in retained else grad
    return {**result.grads, **retained}
