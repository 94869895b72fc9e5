"""Machines to test with: network namespaces of this one, each with a link of its own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from types import MappingProxyType

import pytest

NET = "10.177.61"
PORT = 18786


class Machines:
    """A hub with a scheduler, and three machines with a worker each, joined by a bridge."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.hub = f"grad{os.getpid()}h"
        self.others = [f"grad{os.getpid()}{letter}" for letter in "abc"]
        self.processes: list[subprocess.Popen[bytes]] = []
        self.address = f"tls://{NET}.1:{PORT}"
        self.tls = [
            f"--tls-{what}={folder / file}"
            for what, file in (("ca", "me.pem"), ("cert", "me.pem"), ("key", "me.key"))
        ]

    def build(self) -> None:
        """Make them. Raises CalledProcessError where this user may not."""
        ip("netns", "add", self.hub)
        inside(self.hub, "link", "add", "bridge", "type", "bridge")
        inside(self.hub, "link", "set", "lo", "up")
        inside(self.hub, "address", "add", f"{NET}.1/24", "dev", "bridge")
        inside(self.hub, "link", "set", "bridge", "up")
        for number, name in enumerate(self.others, 11):
            ip("netns", "add", name)
            port = f"to{number}"
            inside(self.hub, "link", "add", port, "type", "veth", "peer", "eth", "netns", name)
            inside(self.hub, "link", "set", port, "master", "bridge", "up")
            inside(name, "link", "set", "lo", "up")
            inside(name, "address", "add", f"{NET}.{number}/24", "dev", "eth")
            inside(name, "link", "set", "eth", "up")
        subject = ["-subj", "/CN=gradcli", "-days", "2", "-nodes", "-newkey", "rsa:2048"]
        files = ["-keyout", str(self.folder / "me.key"), "-out", str(self.folder / "me.pem")]
        subprocess.run(["openssl", "req", "-x509", *subject, *files], check=True,
                       capture_output=True)  # fmt: skip

    def start(self) -> None:
        """Start the scheduler and the workers."""
        self.scheduler = self._run(
            self.hub, "scheduler", "--protocol", "tls", "--host", f"{NET}.1", "--port", str(PORT)
        )
        self.workers = [
            self._run(name, "worker", self.address, "--nthreads", "1") for name in self.others
        ]

    def gradcli(self, *arguments: str) -> subprocess.Popen[str]:
        """A client on the hub."""
        command = [sys.executable, "-m", "gradcli", *arguments, "--cluster", self.address]
        return subprocess.Popen(
            ["ip", "netns", "exec", self.hub, *command, *self.tls],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip

    def cut(self, number: int, *, off: bool = True) -> None:
        """Cut the link of a machine, or restore it."""
        inside(self.hub, "link", "set", f"to{number + 11}", "down" if off else "up")

    def close(self) -> None:
        """End all of it."""
        for process in self.processes:
            with suppress(ProcessLookupError):
                process.send_signal(signal.SIGKILL)
            process.wait()
        for name in (self.hub, *self.others):
            subprocess.run(["ip", "netns", "delete", name], check=False, capture_output=True)

    def _run(self, name: str, what: str, *arguments: str) -> subprocess.Popen[bytes]:
        certificates = [
            f"--tls-ca-file={self.folder / 'me.pem'}",
            f"--tls-cert={self.folder / 'me.pem'}",
            f"--tls-key={self.folder / 'me.key'}",
        ]
        command = [sys.executable, "-m", f"distributed.cli.dask_{what}", *arguments, *certificates]
        with (self.folder / f"{name}.log").open("ab") as log:
            process = subprocess.Popen(
                ["ip", "netns", "exec", name, *command, "--no-dashboard"],
                stdout=subprocess.DEVNULL, stderr=log, cwd=self.folder,
            )  # fmt: skip
        self.processes.append(process)
        return process


def ip(*arguments: str) -> None:
    subprocess.run(["ip", *arguments], check=True, capture_output=True)


def inside(name: str, *arguments: str) -> None:
    ip("-n", name, *arguments)


class Loopback:
    """A scheduler on this machine, and workers, as people start them."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._file = folder / "scheduler.json"
        self._processes: list[subprocess.Popen[bytes]] = []
        self._start("scheduler", "--host", "127.0.0.1", "--port", "0", "--scheduler-file",
                    str(self._file))  # fmt: skip
        while not self._file.exists():
            time.sleep(0.05)

    def worker(self, *flags: str, **environment: str) -> int:
        """Start one with one thread, and return the number of its process."""
        told = ("--scheduler-file", str(self._file), "--nthreads", "1", *flags)
        return self._start("worker", *told, environment=environment)

    def gradcli(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """A client."""
        command = [sys.executable, "-m", "gradcli", *arguments, "--cluster", str(self._file)]
        return subprocess.run(command, capture_output=True, text=True, check=False, timeout=200)

    def close(self) -> None:
        """End all of it."""
        for process in reversed(self._processes):
            process.terminate()
            process.wait()

    def _start(
        self, what: str, *arguments: str, environment: Mapping[str, str] = MappingProxyType({})
    ) -> int:
        command = [sys.executable, "-m", f"distributed.cli.dask_{what}", *arguments]
        process = subprocess.Popen(
            [*command, "--no-dashboard"], env={**os.environ, **environment}, cwd=self._folder,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        self._processes.append(process)
        return process.pid


@pytest.fixture
def loopback(tmp_path: Path) -> Iterator[Loopback]:
    made = Loopback(tmp_path)
    yield made
    made.close()


@pytest.fixture
def machines(tmp_path: Path) -> Iterator[Machines]:
    made = Machines(tmp_path)
    try:
        try:
            made.build()
        except (OSError, subprocess.CalledProcessError):
            pytest.skip("this user may not make network namespaces")
        made.start()
        yield made
    finally:
        made.close()
