"""Whole runs: order, jobs, streams, and workers that die or hang."""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.batch.conftest import answers, batch, children, is_running, records, start, whole
from tests.cli.terminal import Terminal

ENDLESS = b'{"id": "endless", "program": "x = 1; while x > 0 { x = x + 1 }"}\n'
LONG = "1000000000"


def wait_for_child(pid: int, but: int | None = None) -> int:
    """The worker of a batch, once it is there."""
    while True:
        found = [child for child in children(pid) if child != but]
        if found:
            return found[0]
        time.sleep(0.01)


def test_the_same_bytes_for_any_number_of_jobs() -> None:
    lines = records(700)
    one, two, four = (batch("--jobs", jobs, stdin=lines) for jobs in "124")
    assert one.stdout == two.stdout == four.stdout
    found = answers(one.stdout)
    assert [each["id"] for each in found] == list(range(700))
    assert [each["line"] for each in found] == list(range(1, 701))
    assert [each["id"] for each in found if not each["ok"]] == list(range(4, 700, 7))
    assert one.returncode == two.returncode == 1


def test_random_numbers_do_not_depend_on_what_stands_around_a_record() -> None:
    lines = records(70).splitlines(keepends=True)
    whole = answers(batch(stdin=b"".join(lines)).stdout)
    half = answers(batch(stdin=b"".join(lines[:35])).stdout)
    other = answers(batch("--seed", "1", stdin=b"".join(lines[:35])).stdout)
    assert whole[:35] == half
    assert other[2]["values"] != half[2]["values"]
    assert other[5]["values"] == half[5]["values"], "it has a seed of its own"


def test_files_of_lines_scripts_and_standard_input(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(b'\xef\xbb\xbf{"program": "1+1"}\r\n\r\n2+2')
    (tmp_path / "b.grad").write_text("x = 3\ny = x**2\n")
    done = batch(str(tmp_path / "a.jsonl"), "-", str(tmp_path / "b.grad"), stdin=b"3+3\n")
    found = answers(done.stdout)
    assert [next(iter(each["values"].values())) for each in found] == [2.0, 4.0, 6.0, 9.0]
    assert [each["line"] for each in found] == [1, 3, 1, 1]
    assert [each["id"] for each in found] == [None, None, None, str(tmp_path / "b.grad")]
    assert done.returncode == 0


def test_no_records_is_an_empty_answer() -> None:
    done = batch(stdin=b"\n\n")
    assert (done.returncode, done.stdout) == (0, b"")


def test_answers_come_before_the_input_ends() -> None:
    with start(stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as run:
        assert run.stdin
        assert run.stdout
        for number in range(3):
            run.stdin.write(b"%d+1\n" % number)
            run.stdin.flush()
            assert json.loads(run.stdout.readline())["values"] == {"out": number + 1.0}
        run.stdin.close()


def test_fail_fast_stops_behind_the_first_error() -> None:
    for jobs in "12":
        done = batch("--fail-fast", "--jobs", jobs, stdin=b"1\nx\n2\n" * 100)
        assert [each["ok"] for each in answers(done.stdout)] == [True, False]
        assert done.returncode == 1


def test_values_and_dtype() -> None:
    record = b'{"program": "y = x / 3; z = y * 3", "set": {"x": 1}}\n'
    (every,) = answers(batch("--values", "all", "--dtype", "float32", stdin=record).stdout)
    assert every["values"] == {"x": 1.0, "y": 0.33333334, "z": 1.0}
    (none,) = answers(batch("--values", "none", stdin=record).stdout)
    assert (none["values"], none["grads"]) == ({}, {"x": 1.0})


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_record_that_hangs_costs_itself(jobs: str) -> None:
    lines = b"1+1\n" + ENDLESS + b"2+2\n3+3\n"
    done = batch("--timeout", "0.5", "--max-steps", LONG, "--jobs", jobs, stdin=lines)
    found = answers(done.stdout)
    assert [each["ok"] for each in found] == [True, False, True, True]
    assert (found[1]["id"], found[1]["error"]["code"]) == ("endless", "limit-time")
    assert done.returncode == 1


def test_few_records_are_shared_out() -> None:
    arguments = ["--max-steps", LONG, "--jobs", "2"]
    with start(*arguments, stdin=subprocess.PIPE, stdout=-3, stderr=-3) as run:
        assert run.stdin
        run.stdin.write(ENDLESS + ENDLESS)
        run.stdin.close()
        wait_for_child(run.pid, but=wait_for_child(run.pid))
        run.send_signal(signal.SIGTERM)
        assert run.wait(timeout=30) == 143


def test_a_record_whose_worker_dies_is_tried_once_more_and_costs_itself() -> None:
    arguments = ["--max-steps", LONG]
    with start(*arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=-3) as run:
        assert run.stdin
        assert run.stdout
        run.stdin.write(b"1+1\n" + ENDLESS + b"2+2\n")
        run.stdin.close()
        first = run.stdout.readline()
        child = wait_for_child(run.pid)
        os.kill(child, signal.SIGKILL)
        os.kill(wait_for_child(run.pid, but=child), signal.SIGKILL)
        found = answers(first + run.stdout.read())
    assert [each["ok"] for each in found] == [True, False, True]
    assert (found[1]["id"], found[1]["error"]["code"]) == ("endless", "internal")


def test_a_worker_that_is_killed_once_costs_nothing() -> None:
    lines = records(3000)
    whole = batch(stdin=lines).stdout
    with start(stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as run:
        assert run.stdin
        assert run.stdout
        run.stdin.write(lines[:1000])
        run.stdin.flush()
        head = run.stdout.readline()
        os.kill(wait_for_child(run.pid), signal.SIGKILL)
        run.stdin.write(lines[1000:])
        run.stdin.close()
        assert head + run.stdout.read() == whole
    assert run.returncode == 1


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGKILL, -9)]
)
def test_a_signal_ends_the_run_and_its_workers(number: signal.Signals, code: int) -> None:
    arguments = ["--max-steps", LONG, "--jobs", "2"]
    with start(*arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=-3) as run:
        assert run.stdin
        assert run.stdout
        run.stdin.write(b"1+1\n" + ENDLESS + ENDLESS)
        run.stdin.flush()
        assert json.loads(run.stdout.readline())["ok"], "what is done is kept"
        workers = children(run.pid)
        assert workers
        run.send_signal(number)
        assert run.wait(timeout=30) == code
        for worker in workers:
            while is_running(worker):
                time.sleep(0.01)


def test_a_closed_pipe_ends_the_run_quietly() -> None:
    with start(stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as run:
        assert run.stdin
        assert run.stdout
        assert run.stderr
        run.stdin.write(b"1+1\n")
        run.stdin.flush()
        run.stdout.readline()
        run.stdout.close()
        run.stdin.write(b"2+2\n")
        run.stdin.flush()
        assert run.stderr.read() == b""
        assert run.wait(timeout=30) == 0


def test_a_full_disk_is_an_error() -> None:
    with (
        open("/dev/full", "wb") as full,
        start(stdin=subprocess.PIPE, stdout=full, stderr=subprocess.PIPE) as run,
    ):
        _, complaint = run.communicate(records(100))
    assert run.returncode == 3
    assert b"No space left on device" in complaint
    assert b"Traceback" not in complaint


def test_one_line_at_the_end_and_none_with_quiet() -> None:
    done = batch(stdin=b"1\nx\n")
    assert done.stderr.count(b"\n") == 1
    assert b"2 records, 1 ok, 1 failed" in done.stderr
    assert batch("--quiet", stdin=b"1\nx\n").stderr == b""


def test_a_bar_on_a_terminal_only(tmp_path: Path) -> None:
    path = tmp_path / "records"
    path.write_bytes(records(70))
    shown = Terminal("batch", str(path), streams=("stderr",)).rest(1)
    assert "records, " in shown
    assert "[" in shown.replace("\x1b[K", "")
    assert b"\r" not in batch(str(path)).stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ["--resume"],
        ["--safe", "--allow-files"],
        ["--program", "x", "-f", "y"],
        ["-", "-"],
    ],
)
def test_flags_that_do_not_go_together(arguments: list[str]) -> None:
    assert batch(*arguments).returncode == 2


def test_a_file_that_is_not_there() -> None:
    done = batch("nowhere.jsonl")
    assert done.returncode == 3
    assert b"nowhere.jsonl" in done.stderr


PEAK = """
import resource, sys
from gradcli.cli.exit import run
run(sys.argv[1:])
both = resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN
print(*(resource.getrusage(who).ru_maxrss for who in both), file=sys.stderr)
"""


@pytest.mark.slow
def test_memory_does_not_grow_with_the_number_of_records(tmp_path: Path) -> None:
    peaks = []
    block = records(10_000)
    for times in (1, 100):
        path = tmp_path / "records.jsonl"
        with open(path, "wb") as stream:
            for _ in range(times):
                stream.write(block)
        done = subprocess.run(
            [sys.executable, "-c", PEAK, "batch", str(path)],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False,
        )  # fmt: skip
        peaks.append([int(each) for each in done.stderr.split(b"\n")[-2].split()])
    for small, large in zip(*peaks, strict=True):
        assert large - small < 20 * 1024, "KiB"


@pytest.mark.parametrize("descriptors", [64, 40])
def test_a_run_goes_on_with_the_workers_that_it_can_start(descriptors: int) -> None:
    def allow_few() -> None:
        resource.setrlimit(resource.RLIMIT_NOFILE, (descriptors, descriptors))

    lines = records(700)
    streams = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with start("--jobs", "400", **streams, preexec_fn=allow_few) as run:
        found, complaint = run.communicate(lines)
    assert found == whole(lines)
    assert b"of 400 workers: cannot start a process: Too many open files" in complaint


def test_operands_that_both_grow_are_told_in_each_record() -> None:
    """A plan that answers another record, with longer numbers, does not tell that one's place."""
    lines = [f"p = [[1.], [2.]]; y = [{each}, 2]; sum(p - y)" for each in ("3", "4", "1.2345")]
    told = "shapes (2, 1) and (2,) broadcast to (2, 2): both operands grow"
    given = "\n".join([*lines, "x = 2.; x**2"]).encode()
    *found, plain = answers(batch("--quiet", stdin=given).stdout)
    assert [each["notes"] for each in found] == [
        [{"code": "broadcast-both", "message": f"line 1, column {line.index('sum') + 5}: {told}"}]
        for line in lines
    ]
    assert "notes" not in plain
    refused = batch("--quiet", "--strict", stdin=given)
    assert refused.returncode == 1
    *errors, plain = answers(refused.stdout)
    assert [each["error"]["code"] for each in errors] == ["shape"] * 3
    assert plain["ok"]
