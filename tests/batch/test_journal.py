"""`--out` and `--resume`: whatever ends a run, the finished file is the same bytes."""

from __future__ import annotations

import json
import os
import random
import resource
import signal
import subprocess
import time
from pathlib import Path

import pytest

from tests.batch.conftest import Outcome, answers, batch, inside, records, start, whole


@pytest.fixture
def lines(tmp_path: Path) -> Path:
    path = tmp_path / "records.jsonl"
    path.write_bytes(records(60))
    return path


def interrupted(lines: Path, out: Path) -> bytes:
    """What a whole run writes; in `out`, what one leaves that is ended after 30 records."""
    complete = whole(lines.read_bytes())
    kept = complete.splitlines(keepends=True)[:30]
    assert inside(str(lines), "--out", str(out)).returncode == 1
    assert out.read_bytes() == complete
    journal = journal_of(out)
    header, _, entries = journal.read_bytes().partition(b"\n")
    size = len(entries) // 61
    assert size * 61 == len(entries), "one entry each, and one for all"
    journal.write_bytes(header + b"\n" + entries[: 30 * size])
    out.write_bytes(b"".join(kept))
    return complete


def journal_of(out: Path) -> Path:
    return out.with_name(out.name + ".journal")


def resume(lines: Path, out: Path, *arguments: str) -> Outcome:
    return inside(str(lines), "--out", str(out), "--resume", *arguments)


def test_a_run_is_continued(lines: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    complete = interrupted(lines, out)
    done = resume(lines, out, "--jobs", "2")
    assert out.read_bytes() == complete
    assert done.returncode == 1, "errors from before count"
    assert "60 records (30 from before), 52 ok, 8 failed" in done.stderr


def test_to_resume_a_finished_run_changes_nothing(lines: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    complete = interrupted(lines, out)
    for _ in range(2):
        assert resume(lines, out).returncode == 1
        assert out.read_bytes() == complete


def test_to_resume_what_has_not_begun_begins_it(lines: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    resume(lines, out)
    assert out.read_bytes() == whole(lines.read_bytes())


@pytest.mark.parametrize(
    "tail", [b"", b'{"id": 30, "li', b"\0" * 4096], ids=["none", "half", "zeros"]
)
def test_a_torn_result_is_cut_off(lines: Path, tmp_path: Path, tail: bytes) -> None:
    out = tmp_path / "out.jsonl"
    complete = interrupted(lines, out)
    out.write_bytes(out.read_bytes() + tail)
    resume(lines, out)
    assert out.read_bytes() == complete


@pytest.mark.parametrize("cut", [1, 10, 32, 33, 34, 500, 990])
def test_a_torn_journal_is_cut_off(lines: Path, tmp_path: Path, cut: int) -> None:
    out = tmp_path / "out.jsonl"
    complete = interrupted(lines, out)
    journal = journal_of(out)
    journal.write_bytes(journal.read_bytes()[:-cut])
    resume(lines, out)
    assert out.read_bytes() == complete


@pytest.mark.parametrize("place", [5, 900, -5])
def test_damage_is_found_and_the_records_behind_it_are_run_again(
    lines: Path, tmp_path: Path, place: int
) -> None:
    out = tmp_path / "out.jsonl"
    complete = interrupted(lines, out)
    for path in (out, journal_of(out)):
        data = bytearray(path.read_bytes())
        if path == out or place != 5:  # the header is not a result
            data[place] ^= 1
        path.write_bytes(data)
        resume(lines, out)
        assert out.read_bytes() == complete


def test_a_changed_input_is_refused(lines: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    interrupted(lines, out)
    before = out.read_bytes()
    text = lines.read_bytes()
    for changed in (
        text.replace(b'"id": 7', b'"id": 8', 1),
        b"\n" + text,
        b"".join(text.splitlines(keepends=True)[:20]),
    ):
        lines.write_bytes(changed)
        done = resume(lines, out)
        assert done.returncode == 3
        assert "the input has changed" in done.stderr
        assert out.read_bytes() == before


def test_more_records_after_the_end_are_refused(lines: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    inside(str(lines), "--out", str(out))
    lines.write_bytes(lines.read_bytes() + b"1+1\n")
    assert resume(lines, out).returncode == 3


def test_a_changed_configuration_is_refused(lines: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    interrupted(lines, out)
    for flags in (["--dtype", "float32"], ["--seed", "1"], ["--program", "x"], ["--safe"]):
        done = resume(lines, out, *flags)
        assert done.returncode == 2
        assert flags[0] in done.stderr


def test_work_that_was_interrupted_is_not_thrown_away(lines: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    interrupted(lines, out)
    done = inside(str(lines), "--out", str(out))
    assert done.returncode == 2
    assert "--resume" in done.stderr


def test_a_finished_run_may_be_written_over(lines: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    inside(str(lines), "--out", str(out))
    batch("-", "--out", str(out), stdin=b"1+1\n")
    assert [each["values"] for each in answers(out.read_bytes())] == [{"out": 2.0}]


def test_results_of_something_else_are_not_resumed(lines: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    out.write_text("mine\n")
    assert resume(lines, out).returncode == 3
    assert out.read_text() == "mine\n"


# --- what must not be written over ---------------------------------------------------------


@pytest.fixture
def named(lines: Path) -> dict[str, str]:
    """The ways to name a file of records."""
    link, hard = lines.with_name("link"), lines.with_name("hard")
    link.symlink_to(lines)
    os.link(lines, hard)
    around = lines.parent / ".." / lines.parent.name / lines.name
    return {"itself": str(lines), "link": str(link), "hard link": str(hard), "around": str(around)}


@pytest.mark.parametrize("way", ["itself", "link", "hard link", "around"])
@pytest.mark.parametrize("suffix", ["", ".journal"])
@pytest.mark.parametrize("resume", [[], ["--resume"]])
def test_what_the_run_reads_is_not_written_over(
    lines: Path, named: dict[str, str], way: str, suffix: str, resume: list[str]
) -> None:
    before, names = lines.read_bytes(), {path.name for path in lines.parent.iterdir()}
    out = named[way]
    if suffix:  # the file's name is free, but not that of its journal
        out = str(lines.with_name("out"))
        os.link(lines, out + suffix)
        names.add("out" + suffix)
    for sources in ([named["link"]], [named["itself"], "-"], ["-f", str(lines), "/dev/null"]):
        done = inside(*sources, "--out", out, *resume)
        assert done.returncode == 2
        assert "same file" in done.stderr
        assert lines.read_bytes() == before
        assert {path.name for path in lines.parent.iterdir()} == names


def test_standard_input_is_not_written_over(lines: Path) -> None:
    before = lines.read_bytes()
    for out in (str(lines), "/dev/stdin", "/dev/fd/0"):
        with lines.open() as stream, start("--out", out, stdin=stream, stderr=-1) as run:
            assert b"same file" in run.communicate()[1]
        assert run.returncode == 2
        assert lines.read_bytes() == before


@pytest.mark.parametrize("content", [b"x", b"mine\n", b'{"format": 1}\n', b"\0" * 100])
@pytest.mark.parametrize("resume", [[], ["--resume"]])
def test_a_foreign_file_in_the_place_of_the_journal_is_kept(
    lines: Path, tmp_path: Path, content: bytes, resume: list[str]
) -> None:
    out = tmp_path / "out.jsonl"
    journal_of(out).write_bytes(content)
    done = inside(str(lines), "--out", str(out), *resume)
    assert done.returncode == 3
    assert "not a journal" in done.stderr
    assert journal_of(out).read_bytes() == content
    assert not out.exists()


def test_another_runs_journal_is_no_place_for_results(lines: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    inside(str(lines), "--out", str(out))
    before = journal_of(out).read_bytes()
    assert inside(str(lines), "--out", str(journal_of(out))).returncode == 3
    assert journal_of(out).read_bytes() == before
    assert not Path(f"{journal_of(out)}.journal").exists()


def test_a_file_that_a_record_may_name_is_not_written_over(tmp_path: Path) -> None:
    data, lines = tmp_path / "x.json", tmp_path / "records.jsonl"
    data.write_text("[1, 2]")
    lines.write_text(json.dumps({"program": "sum(x)", "set": {"x": f"@{data}"}}))
    assert inside(str(lines), "--allow-files", "--out", str(data)).returncode == 2
    assert data.read_text() == "[1, 2]"
    data.write_text("")
    os.link(data, tmp_path / "y.json")
    lines.write_text(json.dumps({"program": "x", "set": {"x": f"@{tmp_path}/y.json"}}))
    assert inside(str(lines), "--allow-files", "--out", str(data)).returncode == 1
    (answer,) = answers(data.read_bytes())
    assert answer["error"]["code"] == "data"


@pytest.mark.parametrize("kind", ["pipe", "device", "folder"])
def test_what_is_no_file_is_no_place_for_results(lines: Path, tmp_path: Path, kind: str) -> None:
    out = tmp_path / "out"
    {"pipe": os.mkfifo, "folder": os.mkdir, "device": lambda to: os.symlink("/dev/null", to)}[kind](
        out
    )
    done = inside(str(lines), "--out", str(out))
    assert done.returncode == 3
    assert "not a file" in done.stderr
    assert not journal_of(out).exists()


@pytest.mark.parametrize("which", [0, 1], ids=["results", "journal"])
def test_the_end_of_a_finished_run_is_looked_at(lines: Path, tmp_path: Path, which: int) -> None:
    out = tmp_path / "out.jsonl"
    inside(str(lines), "--out", str(out))
    paths = out, journal_of(out)
    before = [path.read_bytes() for path in paths]
    with paths[which].open("ab") as stream:
        stream.write(b"more")
    assert resume(lines, out).returncode == 1
    assert [path.read_bytes() for path in paths] == before


def test_a_lock_holds_by_whatever_name(lines: Path, tmp_path: Path) -> None:
    out, link = tmp_path / "out.jsonl", tmp_path / "link"
    link.symlink_to(out)
    with start("--out", str(out), stdin=subprocess.PIPE, stderr=subprocess.DEVNULL) as run:
        while not journal_of(out).exists() or not journal_of(out).stat().st_size:
            time.sleep(0.01)
        assert "another run" in inside(str(lines), "--out", str(link)).stderr
        run.communicate()


def test_two_runs_on_one_file(lines: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    with start("--out", str(out), stdin=subprocess.PIPE, stderr=subprocess.DEVNULL) as run:
        assert run.stdin
        run.stdin.write(b"1+1\n")
        run.stdin.flush()
        while not (out.exists() and out.read_bytes()):
            time.sleep(0.01)
        for flags in ([], ["--resume"]):
            second = inside(str(lines), "--out", str(out), *flags)
            assert second.returncode == 3
            assert "another run" in second.stderr
        run.stdin.close()
        assert run.wait(timeout=30) == 0
    assert len(answers(out.read_bytes())) == 1


def test_fail_fast_is_resumed_where_it_stopped(lines: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    for _ in range(2):
        assert resume(lines, out, "--fail-fast").returncode == 1
        assert len(answers(out.read_bytes())) == 5
    resume(lines, out)
    assert out.read_bytes() == whole(lines.read_bytes())


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_leaves_what_is_done(lines: Path, tmp_path: Path, number: signal.Signals) -> None:
    out = tmp_path / "out.jsonl"
    text = lines.read_bytes()
    with start("--out", str(out), stdin=subprocess.PIPE, stderr=subprocess.DEVNULL) as run:
        assert run.stdin
        run.stdin.write(text[: len(text) // 2])
        run.stdin.flush()
        while not (out.exists() and out.read_bytes()):
            time.sleep(0.01)
        run.send_signal(number)
        assert run.wait(timeout=30) == 128 + number
    batch("--out", str(out), "--resume", stdin=text)
    assert out.read_bytes() == whole(text)


def test_a_disk_that_is_full_leaves_what_is_done(lines: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"

    def allow_little() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (5000, 5000))

    arguments = [str(lines), "--out", str(out)]
    with start(*arguments, stderr=subprocess.PIPE, preexec_fn=allow_little) as run:
        _, complaint = run.communicate()
    assert run.returncode == 3
    assert b"cannot write" in complaint
    assert b"Traceback" not in complaint
    assert out.stat().st_size == 5000
    resume(lines, out)
    assert out.read_bytes() == whole(lines.read_bytes())


def test_a_file_that_cannot_be_written(lines: Path) -> None:
    assert inside(str(lines), "--out", "/nowhere/out").returncode == 3


def kill_and_resume(tmp_path: Path, count: int, kills: int) -> None:
    """Kill a run again and again, at instants that its progress gives, and finish it."""
    lines = tmp_path / "records.jsonl"
    lines.write_bytes(records(count))
    complete = whole(lines.read_bytes())
    out = tmp_path / "out.jsonl"
    choose = random.Random(0)
    for number in range(kills):
        if number % 10 == 0:
            out.unlink(missing_ok=True)
            journal_of(out).unlink(missing_ok=True)
        jobs = choose.choice("124")
        arguments = [str(lines), "--out", str(out), "--resume", "--jobs", jobs]
        with start(*arguments, stderr=subprocess.DEVNULL) as run:
            enough = choose.randrange(len(complete)) * (number % 10 + 1) // 10
            while run.poll() is None and (not out.exists() or out.stat().st_size < enough):
                time.sleep(choose.random() / 100)
            time.sleep(choose.random() / 50)
            os.kill(run.pid, signal.SIGKILL)
        assert complete.startswith(out.read_bytes().rpartition(b"\n")[0] if out.exists() else b"")
        if number % 10 == 9 or number == kills - 1:
            assert resume(lines, out, "--jobs", "2").returncode == 1
            assert out.read_bytes() == complete


def test_a_run_that_is_killed_a_few_times(tmp_path: Path) -> None:
    kill_and_resume(tmp_path, 1000, 5)


@pytest.mark.slow
def test_a_run_of_5000_records_that_is_killed_at_50_instants(tmp_path: Path) -> None:
    kill_and_resume(tmp_path, 5000, 50)
