"""Settings as a line of JSON, for processes that were not forked."""

from __future__ import annotations

import json
from typing import Any

from gradcli.batch.answer import Settings
from gradcli.language.parser import ParseLimits
from gradcli.options import Limits, Options
from gradcli.trace import TraceLimits


def dumps(settings: Settings) -> str:
    """The settings of a run of `gradcli batch` as text without line breaks."""
    options = settings.options
    limits = options.limits
    return json.dumps(
        {
            "options": {
                "values": options.values, "strict": options.strict,
                "precision": options.precision, "device": options.device,
            },
            "parse": limits.parse._asdict(), "trace": limits.trace._asdict(),
            "nodes": limits.nodes, "memory": limits.memory_bytes(),
            "program": settings.program, "seed": settings.seed,
            "allow_files": settings.allow_files, "written": settings.written,
            "timeout": settings.timeout, "safe": settings.safe,
        }
    )  # fmt: skip


def loads(text: str) -> Settings:
    """The settings that `dumps` has written."""
    found: dict[str, Any] = json.loads(text)
    limits = Limits(
        parse=ParseLimits(**found["parse"]),
        trace=TraceLimits(**found["trace"]),
        nodes=found["nodes"],
        memory=found["memory"],
    )
    return Settings(
        Options(**found["options"], limits=limits),
        program=found["program"],
        seed=found["seed"],
        allow_files=found["allow_files"],
        written=tuple(found["written"]),
        timeout=found["timeout"],
        safe=found["safe"],
    )
