"""The flags of runs on many machines."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from gradcli.cli import streams
from gradcli.cli.bundles import Bundle
from gradcli.diagnostics import GradcliError

if TYPE_CHECKING:
    from gradcli.engine.cluster.connection import Cluster

Target = Annotated[
    str | None,
    typer.Option(
        "--cluster",
        metavar="local|tls://HOST:PORT|FILE",
        help="Work with dask: on this machine, with a scheduler, or with the one that has written "
        "FILE. See gradcli help cluster.",
    ),
]
Authority = Annotated[
    str | None, typer.Option("--tls-ca", metavar="FILE", help="Certificates to trust.")
]
Certificate = Annotated[
    str | None, typer.Option("--tls-cert", metavar="FILE", help="The certificate of this machine.")
]
Key = Annotated[str | None, typer.Option("--tls-key", metavar="FILE", help="Its key.")]
Insecure = Annotated[
    bool, typer.Option("--insecure", help="Talk to tcp:// on another machine, without TLS.")
]
Mixed = Annotated[
    bool, typer.Option("--mixed", help="Accept machines that may compute other bits than this one.")
]
Dashboard = Annotated[bool, typer.Option("--dashboard", help="Print the address of a dashboard.")]


class Many(Bundle):
    """Which machines do the work, and how they are reached."""

    cluster: Target = None
    tls_ca: Authority = None
    tls_cert: Certificate = None
    tls_key: Key = None
    insecure: Insecure = False
    mixed: Mixed = False
    dashboard: Dashboard = False

    @contextmanager
    def connected(self, work: str, workers: int) -> Iterator[Cluster]:
        """The workers: so many, if they run on this machine. They do the `work` of a module.

        Raises what connecting raises.
        """
        from gradcli.engine.cluster.connection import Approach, connected

        assert self.cluster is not None
        approach = Approach(
            self.cluster,
            work,
            workers,
            self.tls_ca,
            self.tls_cert,
            self.tls_key,
            self.insecure,
            self.dashboard,
        )
        with connected(approach) as cluster:
            if cluster.dashboard:
                streams.write_error(f"dashboard: {cluster.dashboard}\n")
            yield cluster

    def require_nothing(self) -> None:
        """Raise `usage` where flags are given that need a cluster, and there is none."""
        flags = {
            "--tls-ca": self.tls_ca, "--tls-cert": self.tls_cert, "--tls-key": self.tls_key,
            "--insecure": self.insecure, "--mixed": self.mixed, "--dashboard": self.dashboard,
        }  # fmt: skip
        given = [flag for flag, value in flags.items() if value]
        if given and self.cluster is None:
            raise GradcliError(
                "usage", f"{given[0]} is about a cluster, and there is none",
                hint="--cluster local, or --cluster tls://HOST:PORT",
            )  # fmt: skip


Workers = Annotated[
    int,
    typer.Option(
        "--jobs",
        "-j",
        metavar="N",
        min=1,
        max=1024,
        help="Workers of --cluster local; results do not depend on it.",
    ),
]


class Sweeping(Bundle):
    """Many machines that sweep over what lies in stores."""

    many: Many
    jobs: Workers = 1

    @property
    def asked(self) -> bool:
        """Whether there is a cluster. Raises `usage` where flags need one, and there is none."""
        self.many.require_nothing()
        return self.many.cluster is not None

    def connected(self) -> AbstractContextManager[Cluster]:
        """The workers. Raises what connecting raises."""
        return self.many.connected("gradcli.sweep.worker", self.jobs)
