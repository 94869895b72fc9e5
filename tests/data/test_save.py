"""Saved files: read back by NumPy, whole or not there."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from gradcli.data.replace import replacing
from gradcli.data.save import check_save, save
from gradcli.diagnostics import Diagnostic, GradcliError
from gradcli.graph import Array


def refusal(path: Path | str, arrays: dict[str, Array] | None = None) -> Diagnostic:
    with pytest.raises(GradcliError) as caught:
        save(str(path), {"x": np.ones(2)} if arrays is None else arrays)
    return caught.value.diagnostic


@pytest.mark.parametrize(
    "array",
    [
        np.float64(-0.0) * np.ones(()),
        np.array([[np.nan, np.inf]], np.float32),
        np.zeros((0, 3)),
        np.arange(6).reshape(2, 3).T,
        np.array([True]),
    ],
)
def test_npy(tmp_path: Path, array: Array) -> None:
    save(str(tmp_path / "x.npy"), {"x.grad": array})
    back = np.load(tmp_path / "x.npy")
    assert (back.dtype, back.shape, back.tobytes()) == (array.dtype, array.shape, array.tobytes())


def test_npz_takes_any_name(tmp_path: Path) -> None:
    arrays = {"out": np.ones(()), "x.grad.1": np.eye(2), "file": np.zeros(1), "θ": np.arange(3)}
    save(str(tmp_path / "x.npz"), arrays)
    with np.load(tmp_path / "x.npz") as back:
        assert list(back) == list(arrays)
        for name, array in arrays.items():
            np.testing.assert_array_equal(back[name], array)


def test_equal_arrays_are_equal_files(tmp_path: Path) -> None:
    for name in ("a.npz", "b.npz"):
        save(str(tmp_path / name), {"x": np.eye(2)})
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()


def test_npy_holds_one_array(tmp_path: Path) -> None:
    wrong = refusal(tmp_path / "x.npy", {"a.grad": np.ones(1), "b.grad": np.ones(1)})
    assert wrong.code == "usage"
    assert "a.grad, b.grad" in wrong.message
    assert refusal(tmp_path / "x.npy", {}).code == "usage"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["x", "x.xml", "x.npz.txt", ""])
def test_unknown_suffix(tmp_path: Path, name: str) -> None:
    assert refusal(f"{tmp_path}/{name}").code == "usage"


def test_bad_folder(tmp_path: Path) -> None:
    assert "mkdir -p" in (refusal(tmp_path / "no" / "x.npz").hint or "")
    (tmp_path / "dir.npz").mkdir()
    assert refusal(tmp_path / "dir.npz").code == "file"


def test_device_is_not_replaced(tmp_path: Path) -> None:
    os.symlink("/dev/null", tmp_path / "x.npy")
    assert refusal(tmp_path / "x.npy").code == "file"
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)


def test_target_is_checked_without_being_made(tmp_path: Path) -> None:
    check_save(str(tmp_path / "x.npz"))
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(GradcliError):
        check_save("x.txt")


def test_link_is_followed_and_kept(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    os.symlink(tmp_path / "real" / "data.npy", tmp_path / "x.npy")
    save(str(tmp_path / "x.npy"), {"x": np.ones(3)})
    assert (tmp_path / "x.npy").is_symlink()
    assert np.load(tmp_path / "real" / "data.npy").tolist() == [1, 1, 1]


def test_permissions_follow_umask(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        save(str(tmp_path / "x.npy"), {"x": np.ones(3)})
    finally:
        os.umask(before)
    assert stat.S_IMODE(os.stat(tmp_path / "x.npy").st_mode) == 0o640


def test_permissions_of_a_file_that_is_replaced_stay(tmp_path: Path) -> None:
    (tmp_path / "x.npy").touch()
    os.chmod(tmp_path / "x.npy", 0o600)
    save(str(tmp_path / "x.npy"), {"x": np.ones(3)})
    assert stat.S_IMODE(os.stat(tmp_path / "x.npy").st_mode) == 0o600


def test_a_private_file_is_private_while_it_is_written(tmp_path: Path) -> None:
    (tmp_path / "x.npy").touch()
    os.chmod(tmp_path / "x.npy", 0o600)
    with replacing(str(tmp_path / "x.npy")) as stream:
        assert stat.S_IMODE(os.fstat(stream.fileno()).st_mode) == 0o600


@pytest.mark.skipif(os.getuid() != 0, reason="only root gives files away")
def test_the_owner_of_a_file_that_is_replaced_stays(tmp_path: Path) -> None:
    (tmp_path / "x.npy").touch()
    os.chown(tmp_path / "x.npy", 12345, 54321)
    save(str(tmp_path / "x.npy"), {"x": np.ones(3)})
    status = os.stat(tmp_path / "x.npy")
    assert (status.st_uid, status.st_gid) == (12345, 54321)


@pytest.mark.parametrize("nameless", [True, False])
def test_a_run_that_is_killed_leaves_nothing_but_what_was_there(
    tmp_path: Path, nameless: bool
) -> None:
    """Signals that end the process at once, too; without files that have no name, what can be
    caught leaves nothing.
    """
    script = (
        "import os, signal, sys\n"
        "for each in (signal.SIGHUP, signal.SIGQUIT, signal.SIGTERM, signal.SIGXCPU):\n"
        "    signal.signal(each, signal.SIG_DFL)\n"  # `nohup` and a shell's `&` ignore some
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "from gradcli.cli import exit\n"
        "from gradcli.data import replace\n"
        f"if not {nameless}: del os.O_TMPFILE\n"
        "def command(arguments):\n"
        "    with replace.replacing(arguments[1]) as stream:\n"
        "        stream.write(b'new')\n"
        "        stream.flush()\n"
        "        os.kill(os.getpid(), int(arguments[0]))\n"
        "exit.app.invoke = command\n"
        "os._exit(exit.run(sys.argv[1:]))\n"
    )
    target = tmp_path / "x"
    target.write_text("old")
    ends = [signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGXCPU]
    for number in [*ends, signal.SIGKILL] if nameless else ends:
        command = [sys.executable, "-c", script, str(int(number)), str(target)]
        done = subprocess.run(command, capture_output=True, check=False)
        assert done.returncode == (-9 if number == signal.SIGKILL else 128 + number)
        assert done.stderr == b""
        assert target.read_text() == "old"
        assert list(tmp_path.iterdir()) == [target]


def test_read_only_file_is_not_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "x.npy").touch()
    monkeypatch.setattr(os, "access", lambda path, _: not str(path).endswith("x.npy"))
    wrong = refusal(tmp_path / "x.npy")
    assert wrong.code == "file"
    assert "no permission" in wrong.message
    assert (tmp_path / "x.npy").read_bytes() == b""


def test_any_failure_of_the_writer_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), replacing(str(tmp_path / "x.grad")) as stream:
        stream.writelines(bytes([1 // n]) for n in (1, 0))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("step", ["fchmod", "replace"])
@pytest.mark.parametrize("failure", [OSError(28, "No space left on device"), KeyboardInterrupt()])
@pytest.mark.parametrize("name", ["x.npy", "x.npz"])
def test_failure_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str, failure: BaseException, name: str
) -> None:
    save(str(tmp_path / name), {"x": np.zeros(2)})
    old = (tmp_path / name).read_bytes()

    def fail(*_: object) -> None:
        raise failure

    monkeypatch.setattr(os, step, fail)
    with pytest.raises((GradcliError, KeyboardInterrupt)) as caught:
        save(str(tmp_path / name), {"x": np.ones(2)})
    if isinstance(caught.value, GradcliError):
        assert caught.value.diagnostic.code == "file"
        assert "No space left on device" in caught.value.diagnostic.message
    assert list(tmp_path.iterdir()) == [tmp_path / name]
    assert (tmp_path / name).read_bytes() == old


@pytest.mark.parametrize("name", ["x.npy", "x.npz"])
def test_full_disk(tmp_path: Path, name: str) -> None:
    """A limit on the size of files fails in the middle of writing, as a full disk does."""
    script = (
        "import resource, signal, sys, numpy as np\n"
        "from gradcli.data.save import save\n"
        "from gradcli.diagnostics import GradcliError\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (2**20, 2**20))\n"
        "try: save(sys.argv[1], {'x': np.ones(2**18)})\n"
        "except GradcliError as error: print(error.diagnostic.code, error.diagnostic.message)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path / name)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.startswith(f"file cannot write '{tmp_path / name}': ")
    assert "no room" in done.stdout or "File too large" in done.stdout
    assert done.stderr == ""
    assert list(tmp_path.iterdir()) == []


def test_killed_while_writing(tmp_path: Path) -> None:
    """However a run ends, the name holds the old file or the new one."""
    target = tmp_path / "x.npy"
    np.save(target, np.zeros(2))
    script = (
        "import os, sys, numpy as np\n"
        "from gradcli.data.save import save\n"
        "def stop(*_): os.kill(os.getpid(), 9)\n"
        "os.replace = stop\n"
        "save(sys.argv[1], {'x': np.ones(2**18)})\n"
    )
    done = subprocess.run([sys.executable, "-c", script, str(target)], check=False)
    assert done.returncode == -signal.SIGKILL
    assert np.load(target).tolist() == [0, 0]
