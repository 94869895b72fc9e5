"""Libraries that decode untrusted data: how much they may take, and what their errors mean."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from gradcli import box
from gradcli.diagnostics import GradcliError, lacks_memory


@contextmanager
def decoding(name: str, kind: str, memory: int) -> Iterator[None]:
    """Whatever a library raises in the block as `data`, or as `limit-memory` where it asks for more
    than about `memory` bytes, whatever the data state.
    """
    try:
        with box.narrowed(memory):
            yield
    except GradcliError:
        raise
    except Exception as error:  # noqa: BLE001 - for damaged data libraries raise anything
        if lacks_memory(error):
            raise GradcliError(
                "limit-memory",
                f"{name} needs more memory than the limit of {memory:,} bytes",
                hint="raise it with --max-memory",
            ) from None
        why = str(error).strip("'\"").partition("\n")[0][:200]
        raise GradcliError("data", f"{name} is not valid {kind}: {why}") from None
