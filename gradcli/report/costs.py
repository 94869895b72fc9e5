"""What a program costs on a device, as JSON."""

from __future__ import annotations

from collections.abc import Iterator

from gradcli.analysis.costs import Costs
from gradcli.report.json import encode
from gradcli.report.layout import Layout


def write(found: Costs, _layout: Layout | None = None) -> Iterator[str]:
    """All units, views too."""
    yield from encode(
        {
            "device": found.device,
            "units": [
                {
                    "ops": list(unit.ops),
                    "by": unit.by,
                    "kernels": unit.launches,
                    "read": unit.read,
                    "written": unit.written,
                }
                for unit in found.units
            ],
            "peak": found.peak,
        }
    )
