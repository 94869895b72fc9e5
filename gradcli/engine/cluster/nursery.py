"""The process that keeps workers on this machine: `python -m gradcli.engine.cluster.nursery`.

It imports what workers need, once, and forks them; one that ends is replaced within milliseconds.
dask's own nannies start each worker from nothing, and give up one that ends while it starts.
"""

from __future__ import annotations

import asyncio  # noqa: TID253 - of a process that runs nothing but workers
import json
import os
import subprocess
import sys
from contextlib import suppress
from threading import Event, Thread
from typing import Any

from gradcli.lifeline import die_with

CERTIFICATES = ("tls_ca_file", "tls_worker_cert", "tls_worker_key")
LEAST_LIFE = 0.05
"""Seconds between two starts: what always ends at once must not take all of the machine."""


class NoHttp:
    """For dask's servers: they open no port for a dashboard, or for anything else in HTTP."""

    def start_http_server(self, *_: Any, **__: Any) -> None:
        """Called when the server is made."""


class Nursery:
    """Such a process, which is started again if it ends."""

    def __init__(self, address: str, security: Any, workers: int) -> None:
        told = {name: getattr(security, name) for name in CERTIFICATES}
        self._told = json.dumps({"address": address, "workers": workers, "tls": told}).encode()
        self._closed = Event()
        self._process, self._lifeline = self._start()
        self._keeper = Thread(target=self._keep, daemon=True)
        self._keeper.start()

    def close(self) -> None:
        """End it and its workers."""
        self._closed.set()
        self._keeper.join()
        self._end()

    def _keep(self) -> None:
        while not self._closed.wait(LEAST_LIFE):
            if self._process.poll() is not None:
                self._end()
                self._process, self._lifeline = self._start()

    def _start(self) -> tuple[subprocess.Popen[bytes], int]:
        theirs, ours = os.pipe()
        process = subprocess.Popen(  # noqa: S603 - our own module
            [sys.executable, "-m", "gradcli.engine.cluster.nursery", str(os.getpid()), str(theirs)],
            stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            pass_fds=[theirs],
        )  # fmt: skip
        os.close(theirs)
        assert process.stdin is not None
        with suppress(OSError):
            process.stdin.write(self._told)
            process.stdin.close()
        return process, ours

    def _end(self) -> None:
        os.close(self._lifeline)
        self._process.kill()
        self._process.wait()


def main() -> None:
    """Fork workers, and others for those that end, until the process that started this one ends."""
    die_with(int(sys.argv[1]), int(sys.argv[2]))
    told = json.loads(sys.stdin.buffer.read())
    import distributed  # noqa: F401 - before the fork: once for all workers

    running: set[int] = set()
    while True:
        while len(running) < told["workers"]:
            running.add(_fork(told))
        Event().wait(LEAST_LIFE)
        pid, _ = os.wait()
        running.discard(pid)


def _fork(told: dict[str, Any]) -> int:
    """A new worker, which ends with this process."""
    nursery = os.getpid()
    theirs, ours = os.pipe()
    pid = os.fork()
    if pid:
        os.close(theirs)  # the other end stays open for as long as this process lives
        return pid
    try:
        os.close(ours)
        die_with(nursery, theirs)
        asyncio.run(_work(told))
    finally:
        os._exit(0)


async def _work(told: dict[str, Any]) -> None:
    import dask
    from distributed import Worker
    from distributed.security import Security

    dask.config.set({"distributed.worker.daemon": False})
    security = Security(require_encryption=True, **told["tls"])
    closed: Any = type("ClosedWorker", (NoHttp, Worker), {})
    worker = await closed(
        told["address"], nthreads=1, security=security, host="127.0.0.1", protocol="tls://",
        memory_limit=0,
    )  # fmt: skip
    await worker.finished()


if __name__ == "__main__":
    main()
