"""Exit codes, and what stands behind them."""

from __future__ import annotations

from typing import get_args

import pytest

from gradcli.cli import app
from gradcli.cli.exit import exit_code
from gradcli.diagnostics import Code
from tests.cli.conftest import Runner

OTHERS = {"assertion": 1, "usage": 2, "internal": 70}


@pytest.mark.parametrize("code", get_args(Code))
def test_each_error_code_has_its_exit_code(code: Code) -> None:
    wrong = 4 if code.startswith("limit-") else 3
    assert exit_code(code) == OTHERS.get(code, wrong)


@pytest.mark.parametrize(
    ("raised", "code", "exit_status"),
    [
        (ZeroDivisionError("division by zero"), "internal", 70),
        (RecursionError("too deep"), "internal", 70),
        (PermissionError(13, "Permission denied", "/etc"), "internal", 70),
        (MemoryError(), "limit-memory", 4),
    ],
)
def test_unexpected_exceptions_are_reported_without_a_traceback(
    gradcli: Runner,
    monkeypatch: pytest.MonkeyPatch,
    raised: Exception,
    code: str,
    exit_status: int,
) -> None:
    def fail(_: object) -> int:
        raise raised

    monkeypatch.setattr(app, "invoke", fail)
    answer = gradcli("eval", "x")
    assert answer.code == exit_status
    assert answer.err.startswith(f"error[{code}]: ")
    assert "Traceback" not in answer.err
    if code == "internal":
        assert "bug of gradcli" in answer.err
        assert "test_exit.py:" in answer.err
    assert gradcli("eval", "x", "--json").error["code"] == code


def test_ctrl_c_is_quiet(gradcli: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(_: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(app, "invoke", interrupt)
    answer = gradcli("eval", "x")
    assert (answer.code, answer.out, answer.err) == (130, "", "")
