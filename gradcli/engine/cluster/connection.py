"""Reaching workers of dask: some on this machine, or those of a scheduler."""

from __future__ import annotations

import ipaddress
import json
import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic
from typing import Any, Generic, NamedTuple, TypeVar

from gradcli.diagnostics import GradcliError
from gradcli.engine.cluster.nursery import SETTINGS, NoHttp, Nursery
from gradcli.engine.cluster.window import LostError, WorkersDiedError
from gradcli.extras import require

PATIENCE = 60.0
"""Seconds to wait for a scheduler, for a first worker, and for a scheduler that went away."""
RETURN = 20.0
"""Seconds to wait for a worker where all have ended when they were asked something."""
ABSENCE = 300.0
"""Seconds to wait, in the middle of a run, for workers that have all gone."""
QUESTIONS = 5
"""So often are workers asked, of which each time all end."""
ASK_EVERY = 0.2
"""Seconds to wait for one worker's answer before the next one is looked at."""
COUNT_EVERY = 1.0
"""Seconds between two questions for the number of workers."""
SAME_VERSIONS = "install the same versions on all machines: pip install 'gradcli[cluster]'"
ADDRESS = re.compile(r"(tls|tcp)://(\[[0-9a-fA-F:.]+\]|[^\s:/@]+):([0-9]{1,5})")

Work = TypeVar("Work")
Result = TypeVar("Result")


class Approach(NamedTuple):
    """How workers are reached."""

    target: str
    """`local`, the scheduler's address, or the file that it has written."""
    work: str = ""
    """The name of the module of what workers do, as `nursery.Work`."""
    workers: int = 1
    """On this machine, if the target is `local`."""
    ca: str | None = None
    cert: str | None = None
    key: str | None = None
    """Files of TLS."""
    insecure: bool = False
    """Another machine may be talked to without TLS, though anybody who reaches it can run code."""
    dashboard: bool = False


class DiedInTaskError(Exception):
    """The process that did the work for a worker has ended: raised there, and caught here."""


class DaskTicket(Generic[Result]):
    """A future of dask. Its result is fetched as soon as it is there, not when it is its turn: a
    worker that ends takes the results with it that it still has.
    """

    def __init__(self, future: Any, crew: DaskCrew[Any, Result]) -> None:
        from asyncio import run_coroutine_threadsafe

        async def fetched() -> Result:
            found: Result = await future.client.gather(future, asynchronous=True)
            return found

        self._future = future
        self._crew = crew
        self._fetched = run_coroutine_threadsafe(fetched(), future.client.loop.asyncio_loop)

    def result(self, seconds: float) -> Result | None:
        """See `Ticket`."""
        from concurrent.futures import CancelledError, wait

        from distributed import KilledWorker

        if not wait([self._fetched], seconds).done:
            self._crew.require_help()
            return None
        try:
            return self._fetched.result()
        except (KilledWorker, DiedInTaskError):
            raise WorkersDiedError from None
        except (CancelledError, OSError):
            self._crew.wait_for_scheduler()
            raise LostError from None
        except GradcliError:
            raise
        except Exception as error:  # noqa: BLE001 - of any kind that a worker has
            raise GradcliError(
                "internal",
                f"a worker could not do its work: {type(error).__name__}: {str(error)[:300]}",
                hint="its gradcli may be of another version",
            ) from None

    def cancel(self) -> None:
        """See `Ticket`."""
        self._fetched.cancel()
        self._future.cancel()


class DaskCrew(Generic[Work, Result]):
    """The workers of a client, which do one function."""

    def __init__(
        self, cluster: Cluster, task: Callable[[Any], Result], pack: Callable[[Work], Any]
    ) -> None:
        self._client = cluster.client
        self._address = cluster.address
        self._task = task
        self._pack = pack
        self._count = 0
        self._counted = -COUNT_EVERY
        self._seen = monotonic()

    def workers(self) -> int:
        """See `Crew`. A worker counts for each of its threads."""
        now = monotonic()
        if now - self._counted > COUNT_EVERY and self._client.status == "running":
            self._counted = now
            self._count = sum(self._client.nthreads().values())
            if self._count:
                self._seen = now
        return self._count

    def submit(
        self, work: Work, *, again: bool = False, worker: str | None = None
    ) -> DaskTicket[Result]:
        """See `Crew`; one worker alone does it, if it is named."""
        # Impure: equal portions would be answered once.
        future = self._client.submit(
            self._task, self._pack(work), workers=worker, pure=False, priority=int(again)
        )
        return DaskTicket(future, self)

    def require_help(self) -> None:
        """Raise LostError where the scheduler is away, and `limit-time` where all workers are, for
        too long.
        """
        if self._client.status != "running":
            self.wait_for_scheduler()
            raise LostError
        if not self.workers() and monotonic() - self._seen > ABSENCE:
            raise GradcliError(
                "limit-time",
                f"the scheduler at {self._address} has had no worker for {ABSENCE:.0f} s",
                hint="start one; a run with --out goes on with --resume",
            )

    def wait_for_scheduler(self) -> None:
        """Wait until the scheduler is there again. Raises `limit-time`."""
        from time import sleep

        end = monotonic() + PATIENCE
        while self._client.status != "running":
            if monotonic() > end or self._client.status in ("closed", "closing"):
                raise GradcliError(
                    "limit-time",
                    f"the scheduler at {self._address} has gone away, and has not come back",
                    hint="start it again; a run with --out goes on with --resume",
                )
            sleep(0.1)


class Cluster(NamedTuple):
    """A connection."""

    client: Any
    address: str
    dashboard: str
    """Its address; empty where there is none."""

    def crew(
        self, task: Callable[[Any], Result], pack: Callable[[Work], Any]
    ) -> DaskCrew[Work, Result]:
        """The workers, for a function of what `pack` makes of work."""
        return DaskCrew(self, task, pack)

    def ask_all(self, question: Callable[[Any], Result], about: Any) -> dict[str, Result]:
        """What the workers that are there answer, by their addresses; those that end meanwhile are
        left out. Raises `usage` where none of them, or the scheduler, understands the question.
        """
        for _ in range(QUESTIONS):
            if not self.has_worker(RETURN):
                break
            if found := self._asked(question, about):
                return found
        raise GradcliError(
            "usage",
            f"the workers of {self.address} end as soon as they are asked what they are",
            hint=SAME_VERSIONS,
        )

    def has_worker(self, seconds: float) -> bool:
        """Whether there is one, or comes in so many seconds."""
        try:
            self.client.wait_for_workers(1, timeout=seconds)
        except TimeoutError:
            return False
        return True

    def _asked(self, question: Callable[[Any], Result], about: Any) -> dict[str, Result]:
        tickets: dict[str, DaskTicket[Result]] = {}
        crew: DaskCrew[Any, Result] = DaskCrew(self, question, lambda work: work)
        for worker in self.client.nthreads():
            tickets[worker] = crew.submit(about, worker=worker)
        found: dict[str, Result] = {}
        while tickets:
            there = self.client.nthreads()
            for worker, ticket in [*tickets.items()]:
                try:
                    answer = ticket.result(ASK_EVERY)
                except (WorkersDiedError, LostError):
                    answer, there = None, {}
                except GradcliError as error:
                    raise _made_usage(error, worker) from None
                if answer is not None:
                    found[worker] = answer
                elif worker in there:
                    continue
                ticket.cancel()
                del tickets[worker]
        return found


def _made_usage(error: GradcliError, worker: str) -> GradcliError:
    """What is said where a machine cannot even introduce itself."""
    if error.diagnostic.code != "internal":
        return error
    return GradcliError(
        "usage",
        f"{worker}, or the scheduler, does not have this gradcli: {error.diagnostic.message}",
        hint=SAME_VERSIONS,
    )


@contextmanager
def connected(approach: Approach) -> Iterator[Cluster]:
    """A client of workers, of which at least one is there. Raises `usage`, `file`, `limit-time`."""
    require("cluster", "usage")
    import dask

    quiet = {"logging": {"distributed": "critical", "tornado": "critical"}}
    with dask.config.set({**quiet, **SETTINGS, "distributed.scheduler.allowed-failures": 1}):
        _silence()
        with _local(approach) if approach.target == "local" else _remote(approach) as cluster:
            if not cluster.has_worker(PATIENCE):
                raise GradcliError(
                    "limit-time",
                    f"no worker has come to {cluster.address} in {PATIENCE:.0f} s",
                    hint="start one: gradcli help cluster",
                )
            yield cluster


@contextmanager
def _local(approach: Approach) -> Iterator[Cluster]:
    """Workers on this machine, one thread each, which nobody else can approach."""
    if approach.dashboard:
        require("dashboard", "usage")
    from distributed import Client, Scheduler, SpecCluster
    from distributed.security import Security

    security = Security.temporary()
    closed = type("ClosedScheduler", (NoHttp, Scheduler), {})
    options = {
        "host": "127.0.0.1", "protocol": "tls://", "security": security,
        "dashboard_address": "127.0.0.1:0",
    }  # fmt: skip
    scheduler = {"cls": Scheduler if approach.dashboard else closed, "options": options}
    with SpecCluster({}, scheduler, security=security, silence_logs=50) as cluster:
        address = str(cluster.scheduler_address)
        nursery = Nursery(address, security, approach.workers, approach.work)
        try:
            with Client(cluster, security=security, set_as_default=False) as client:
                shown = str(cluster.dashboard_link) if approach.dashboard else ""
                yield Cluster(client, address, shown)
        finally:
            nursery.close()


@contextmanager
def _remote(approach: Approach) -> Iterator[Cluster]:
    """The workers of a scheduler."""
    from distributed import Client
    from distributed.security import Security

    address = address_of(approach)
    secure = address.startswith("tls://")
    files = {"--tls-ca": approach.ca, "--tls-cert": approach.cert, "--tls-key": approach.key}
    missing = [flag for flag, path in files.items() if path is None or not os.path.isfile(path)]
    if secure and missing:
        raise GradcliError(
            "usage", f"{missing[0]} names no file, and {address} needs it",
            hint="--tls-ca ca.pem --tls-cert me.pem --tls-key me.key",
        )  # fmt: skip
    security = None
    if secure:
        security = Security(tls_ca_file=approach.ca, tls_client_cert=approach.cert,
                            tls_client_key=approach.key, require_encryption=True)  # fmt: skip
    try:
        client = Client(address, security=security, timeout=PATIENCE, set_as_default=False)
    except (OSError, TimeoutError, ValueError) as error:
        why = str(error).partition("\n")[0][:200]
        raise GradcliError(
            "limit-time" if isinstance(error, TimeoutError | OSError) else "file",
            f"cannot reach the scheduler at {address}: {why}",
            hint="gradcli help cluster",
        ) from None
    with client:
        yield Cluster(client, address, client.dashboard_link if approach.dashboard else "")


def address_of(approach: Approach) -> str:
    """The scheduler's address, which may stand in a file. Raises `usage` and `file`."""
    address = approach.target
    if "://" not in address:
        try:
            with open(address, "rb") as stream:
                found = json.loads(stream.read(2**20))
            address = str(found["address"])
        except (OSError, ValueError, TypeError, KeyError):
            raise GradcliError(
                "file", f"{approach.target!r} is no file that a scheduler has written",
                hint="dask scheduler --scheduler-file FILE writes one",
            ) from None  # fmt: skip
    match = ADDRESS.fullmatch(address)
    if match is None:
        raise GradcliError(
            "usage", f"--cluster: {address[:80]!r} is no address",
            hint="local, tls://HOST:PORT, or the scheduler's file",
        )  # fmt: skip
    if match[1] == "tcp" and not _is_loopback(match[2]) and not approach.insecure:
        raise GradcliError(
            "usage",
            f"--cluster: {address} is not on this machine, and has no TLS: anybody who reaches it "
            "can run code there",
            hint="tls://HOST:PORT with --tls-ca, --tls-cert, --tls-key; or --insecure",
        )
    return address


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host == "localhost"


def _silence() -> None:
    """Losses of connections are no news: they are dealt with, or are errors."""
    import logging

    logging.disable(logging.CRITICAL)
