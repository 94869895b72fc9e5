"""Batches on many machines: the bytes of one process, whatever becomes of workers and clients."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from gradcli.batch.answer import Settings
from gradcli.batch.settings import dumps, loads
from gradcli.options import SAFE, Options
from tests.batch.conftest import answers, batch, children, records, start

needs_dask = pytest.mark.skipif(
    not (find_spec("distributed") and find_spec("cryptography")),
    reason="needs gradcli[cluster]",
)
ENDLESS = b'{"id": "endless", "program": "x = 1; while x > 0 { x = x + 1 }"}\n'
LOCAL = ("--cluster", "local")


def test_settings_survive_being_written() -> None:
    settings = Settings(
        Options(values="none", strict=True, precision="float32", limits=SAFE),
        program="x = 'é'\n", seed=7, allow_files=True, written=("a", "b"), timeout=0.5, safe=True,
    )  # fmt: skip
    assert loads(dumps(settings)) == settings
    assert "\n" not in dumps(settings)


@needs_dask
def test_a_run_on_workers_is_that_of_one_process() -> None:
    lines = records(300) + b'{"id": 1}\nx**2\n' + records(50)
    one = batch(stdin=lines)
    flags = ("--timeout", "2", "--max-steps", "1000000000")
    many = batch(*LOCAL, "--jobs", "2", "--portion", "77", *flags, stdin=lines + ENDLESS)
    *others, endless = many.stdout.splitlines(keepends=True)
    assert b"".join(others) == one.stdout
    assert b'"id": "endless"' in endless
    assert b'"limit-time"' in endless
    assert (many.returncode, one.returncode) == (1, 1)
    assert b"Traceback" not in many.stderr


@needs_dask
@pytest.mark.slow
def test_the_first_error_may_end_a_run() -> None:
    lines = records(30)
    one, many = (batch("--fail-fast", *flags, stdin=lines) for flags in ((), LOCAL))
    assert many.stdout == one.stdout
    assert len(answers(many.stdout)) == 5


def test_flags_about_clusters_need_one() -> None:
    for flags in (("--mixed",), ("--cluster", "tls://h:1")):
        done = batch(*flags, stdin=records(1))
        assert done.returncode == 2, done.stderr


def workers(client: int) -> list[int]:
    """The processes that do the work for a client."""
    found = []
    for child in children(client):
        command = Path(f"/proc/{child}/cmdline").read_bytes()
        found += children(child) if b"cluster.nursery" in command else []
    return found


def cheap(count: int) -> bytes:
    """Records of which a worker does thousands a second; some draw, and some are wrong."""
    lines = []
    for i in range(count):
        record: dict[str, Any] = {"program": "sum(x**2)", "set": {"x": [i, 0.5]}}
        if i % 1000 == 3:
            record = {"program": "sum(rand(3)*x)", "set": {"x": i}}
        elif i % 1000 == 7:
            record = {"program": "log(x)", "set": {"x": -i}}
        lines.append(json.dumps({"id": i, **record}))
    return "\n".join(lines).encode() + b"\n"


def killed_until(
    done: Callable[[], bool], run: subprocess.Popen[bytes], chance: random.Random
) -> int:
    """Kill one of a client's workers every second, until that is so or the client has ended; the
    number of those that were killed.
    """
    killed = 0
    due = time.monotonic() + 1
    while run.poll() is None and not done():
        time.sleep(0.02)
        if time.monotonic() > due:
            due += 1
            if found := workers(run.pid):
                os.kill(chance.choice(found), signal.SIGKILL)
                killed += 1
    return killed


CLIENTS = 10


@needs_dask
@pytest.mark.slow
@pytest.mark.parametrize("jobs", ["1", "2", "4"])
@pytest.mark.parametrize("portion", ["77", "1000"])
def test_workers_and_clients_may_be_killed(tmp_path: Path, jobs: str, portion: str) -> None:
    """A worker every second, the client ten times: the file is that of one process."""
    chance = random.Random(f"{jobs} {portion}")
    source, one, many = (tmp_path / name for name in ("records", "one", "many"))
    source.write_bytes(cheap(200_000))
    assert batch(str(source), "--out", str(one), "--quiet").returncode == 1
    whole = one.stat().st_size
    command = (str(source), "--out", str(many), *LOCAL, "--jobs", jobs, "--portion", portion,
               "--resume", "--quiet")  # fmt: skip
    killed = 0
    for number in range(CLIENTS):
        share = (number + chance.uniform(0.3, 1)) / (CLIENTS + 1)

        def is_due(size: float = share * whole) -> bool:
            return many.exists() and many.stat().st_size >= size

        run = start(*command)
        killed += killed_until(is_due, run, chance)
        assert run.poll() is None
        run.kill()
        run.wait()
    run = start(*command)
    killed += killed_until(lambda: False, run, chance)
    assert run.returncode == 1
    assert killed > 0
    assert many.read_bytes() == one.read_bytes()


def listening(pid: int) -> list[str]:
    """The addresses at which a process waits for connections, as /proc writes them."""
    sockets = {os.readlink(each) for each in Path(f"/proc/{pid}/fd").iterdir()}
    rows = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    rows += [line.split() for line in Path("/proc/net/tcp6").read_text().splitlines()[1:]]
    return [
        row[1].split(":")[0] for row in rows if row[3] == "0A" and f"socket:[{row[9]}]" in sockets
    ]


@needs_dask
def test_no_other_port_is_open_and_no_process_is_left() -> None:
    with start(*LOCAL, "--jobs", "1", stdin=-1, stdout=-1, stderr=-1) as run:
        assert run.stdin is not None
        assert run.stdout is not None
        run.stdin.write(records(3))
        run.stdin.flush()
        assert json.loads(run.stdout.readline())["id"] == 0
        ports = listening(run.pid)
        assert len(ports) == 1  # the scheduler's, for TLS
        assert all(address == "0100007F" for address in ports)
        inside = [*children(run.pid), *workers(run.pid)]
        assert len(inside) == 2
        run.send_signal(signal.SIGTERM)
        assert run.wait(timeout=60) == 143
    for pid in inside:
        for _ in range(1000):
            if not Path(f"/proc/{pid}").exists() or "Z" in Path(f"/proc/{pid}/stat").read_text():
                break
            time.sleep(0.01)
        else:
            raise AssertionError("a process is left")


@needs_dask
@pytest.mark.slow
def test_a_scheduler_of_ones_own(tmp_path: Path) -> None:
    """With TLS; and when it is gone, the run ends with exit code 4, and goes on elsewhere."""
    command = "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=me -keyout k.pem"
    subprocess.run([*command.split(), "-out", "c.pem"], cwd=tmp_path, check=True,
                   capture_output=True)  # fmt: skip
    tls = ["--tls-ca-file", "c.pem", "--tls-cert", "c.pem", "--tls-key", "k.pem"]
    hidden: Any = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": tmp_path}
    dask = [sys.executable, "-m", "distributed.cli.dask_"]
    file = tmp_path / "scheduler.json"
    scheduler = subprocess.Popen(
        [*dask[:2], f"{dask[2]}scheduler", "--protocol", "tls", *tls, "--host", "127.0.0.1",
         "--port", "0", "--no-dashboard", "--scheduler-file", str(file)], **hidden,
    )  # fmt: skip
    while not file.exists():
        time.sleep(0.1)
    worker = subprocess.Popen(
        [*dask[:2], f"{dask[2]}worker", "--scheduler-file", str(file), *tls, "--nthreads", "1",
         "--no-dashboard"], **hidden,
    )  # fmt: skip
    mine = [text.replace("c.pem", str(tmp_path / "c.pem")) for text in tls]
    mine = [text.replace("k.pem", str(tmp_path / "k.pem")) for text in mine]
    flags = ["--cluster", str(file), "--tls-ca", mine[1], "--tls-cert", mine[3], "--tls-key",
             mine[5]]  # fmt: skip
    lines = records(50_000)
    (tmp_path / "records").write_bytes(lines)
    out = tmp_path / "out"
    try:
        done = batch(*flags, stdin=records(200))
        assert done.stdout == batch(stdin=records(200)).stdout
        run = start(str(tmp_path / "records"), "--out", str(out), *flags, stderr=-1)
        while not (out.exists() and out.stat().st_size):
            time.sleep(0.05)
        scheduler.kill()
        assert run.wait(timeout=120) == 4
        assert run.stderr is not None
        with run.stderr as stream:
            said = stream.read()
        assert b"has gone away" in said
        assert b"distributed" not in said
    finally:
        scheduler.kill()
        worker.terminate()
        scheduler.wait()
        worker.wait()
    assert batch(str(tmp_path / "records"), "--out", str(out), "--resume").returncode == 1
    assert out.read_bytes() == batch(stdin=lines).stdout
