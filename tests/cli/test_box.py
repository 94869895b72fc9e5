"""What `--safe` closes to a process, tried from inside."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

TRY = """
import json, os, socket, subprocess, sys, threading
from gradcli import box

def tried(do):
    try:
        do()
    except OSError as error:
        return error.errno
    except RuntimeError as error:
        return str(error)
    return 0

box.enter(2**26, 5, 2)
print(json.dumps({
    "read": tried(lambda: open(sys.argv[1]).read()),
    "import": tried(lambda: __import__("scipy.linalg")),
    "thread": tried(lambda: threading.Thread(target=int).start()),
    "write": tried(lambda: open(sys.argv[1], "w")),
    "append": tried(lambda: open(sys.argv[1], "a")),
    "create": tried(lambda: open(sys.argv[1] + ".new", "x")),
    "rename": tried(lambda: os.rename(sys.argv[1], sys.argv[1] + ".new")),
    "remove": tried(lambda: os.unlink(sys.argv[1])),
    "mode": tried(lambda: os.chmod(sys.argv[1], 0)),
    "fork": tried(os.fork),
    "exec": tried(lambda: os.execv("/bin/true", ["true"])),
    "program": tried(lambda: subprocess.run(["/bin/true"])),
    "socket": tried(socket.socket),
    "kill": tried(lambda: os.kill(os.getppid(), 0)),
}))
"""
OPEN = ("read", "import", "thread")


@pytest.mark.skipif(sys.platform != "linux", reason="there is no filter of system calls")
def test_a_process_in_the_box_reads_and_computes_and_nothing_else(tmp_path: object) -> None:
    path = f"{tmp_path}/file"
    with open(path, "w") as file:
        file.write("here")
    command = [sys.executable, "-c", TRY, path]
    finished = subprocess.run(command, capture_output=True, text=True, check=True)
    found = json.loads(finished.stdout)
    assert {name: found.pop(name) for name in OPEN} == dict.fromkeys(OPEN, 0)
    assert set(found.values()) == {1}, found  # EPERM
    with open(path) as file:
        assert file.read() == "here"


def test_limits_of_the_system_are_set_too() -> None:
    limits = """
import resource
from gradcli import box
box.enter(2**26, 5, 2)
print([resource.getrlimit(each)[0] for each in (
    resource.RLIMIT_CORE, resource.RLIMIT_FSIZE, resource.RLIMIT_CPU, resource.RLIMIT_AS,
    resource.RLIMIT_NPROC)])
"""
    finished = subprocess.run(
        [sys.executable, "-c", limits], capture_output=True, text=True, check=True
    )
    core, size, seconds, space, tasks = json.loads(finished.stdout)
    assert (core, size, seconds) == (0, 2**29, 12)
    assert 2**27 < space < 2**40
    assert 256 < tasks < 2**20


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    "arguments",
    [
        ["eval", "sum(erf(expm(x)))", "-s", "x=[[1,2],[3,4]]", "--safe"],
        ["jacobian", "svd(x).S", "-s", "x=[[1,2],[3,4]]", "--safe"],
        ["check", "sum(digamma(x))", "-s", "x=1,2", "--safe", "--json"],
        ["graph", "x**2", "-s", "x=3", "--safe", "--format", "svg"],
        ["explain", "x**2", "-s", "x=3", "--safe"],
        ["batch", "--program", "sum(erf(x))", "--safe", "--jobs", "2"],
    ],
    ids=lambda arguments: arguments[0],
)
def test_what_is_imported_late_works_inside(arguments: list[str]) -> None:
    command = [sys.executable, "-m", "gradcli", *arguments]
    record = b'{"set": {"x": [1, 2]}}'
    finished = subprocess.run(command, input=record, capture_output=True, check=False)
    assert (finished.returncode, finished.stdout != b"") == (0, True), finished.stderr
