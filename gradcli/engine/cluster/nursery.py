"""The process that keeps workers on this machine: `python -m gradcli.engine.cluster.nursery`.

It imports and prepares what workers need, once, and forks them; one that ends is replaced within
milliseconds. dask's own nannies start each worker from nothing, and give up one that ends while it
starts.
"""

from __future__ import annotations

import asyncio  # noqa: TID253 - of a process that runs nothing but workers
import json
import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from threading import Event, Thread
from typing import Any, Protocol, cast

from gradcli.lifeline import die_with

CERTIFICATES = ("tls_ca_file", "tls_worker_cert", "tls_worker_key")
SETTINGS = {
    "distributed.worker.profile.enabled": False,
    "distributed.admin.tick.interval": "1s",
    "distributed.admin.system-monitor.interval": "10s",
    "distributed.admin.system-monitor.disk": False,
}
"""Of dask on this machine: it would look at itself a hundred times a second."""
LEAST_LIFE = 0.05
"""Seconds between two starts: what always ends at once must not take all of the machine."""


class Work(Protocol):
    """A module of what workers do."""

    def prepare(self) -> Callable[[], None]:
        """Get ready, once for all workers; what is returned is called in each of them, before it
        has threads.
        """


class NoHttp:
    """For dask's servers: they open no port for a dashboard, or for anything else in HTTP."""

    def start_http_server(self, *_: Any, **__: Any) -> None:
        """Called when the server is made."""


class Nursery:
    """Such a process, which is started again if it ends."""

    def __init__(self, address: str, security: Any, workers: int, work: str) -> None:
        """`work` is the name of a module of `Work`."""
        tls = {name: getattr(security, name) for name in CERTIFICATES}
        told = {"address": address, "workers": workers, "work": work, "tls": tls}
        self._told = json.dumps(told).encode()
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
    from distributed.versions import get_versions

    get_versions()  # a worker tells them its scheduler; to look them up takes half of its start
    begin = cast("Work", import_module(told["work"])).prepare()
    lifelines: dict[int, int] = {}
    while True:
        while len(lifelines) < told["workers"]:
            _fork(told, begin, lifelines)
        Event().wait(LEAST_LIFE)
        pid, _ = os.wait()
        os.close(lifelines.pop(pid))


def _fork(told: dict[str, Any], begin: Callable[[], None], lifelines: dict[int, int]) -> None:
    """A new worker, which ends with this process: it has the other end of a lifeline."""
    nursery = os.getpid()
    theirs, ours = os.pipe()
    pid = os.fork()
    if pid:
        os.close(theirs)
        lifelines[pid] = ours
        return
    try:
        for end in (ours, *lifelines.values()):
            os.close(end)
        die_with(nursery, theirs)
        begin()
        asyncio.run(_work(told))
    finally:
        os._exit(0)


async def _work(told: dict[str, Any]) -> None:
    import dask
    from distributed import Worker
    from distributed.security import Security

    dask.config.set({**SETTINGS, "distributed.worker.daemon": False})
    security = Security(require_encryption=True, **told["tls"])
    closed: Any = type("ClosedWorker", (NoHttp, Worker), {})
    worker = await closed(
        told["address"], nthreads=1, security=security, host="127.0.0.1", protocol="tls://",
        memory_limit=0,
    )  # fmt: skip
    await worker.finished()


if __name__ == "__main__":
    main()
