"""The lines of `gradcli help cluster` that people paste: their flags are there, and they parse."""

from __future__ import annotations

import ast
import json
import re
import subprocess
from importlib import import_module
from importlib.util import find_spec
from inspect import signature
from typing import get_args

import pytest

from gradcli.cli.app import COMMANDS
from gradcli.cli.cluster_guide import CLUSTER

needs_dask = pytest.mark.skipif(not find_spec("distributed"), reason="needs gradcli[cluster]")
LINES = CLUSTER.replace("\\\n", " ").splitlines()
TLS = next(line.partition('"')[2].rstrip('"') for line in LINES if line.startswith('    TLS="'))


@needs_dask
@pytest.mark.parametrize("what", ["scheduler", "worker"])
def test_flags_of_dask(what: str) -> None:
    command = import_module(f"distributed.cli.dask_{what}").main
    known = {flag for each in command.params for flag in (*each.opts, *each.secondary_opts)}
    lines = [line.partition(f"dask {what} ")[2] for line in LINES if f"dask {what} " in line]
    assert len(lines) >= 3
    for line in lines:
        found = re.findall(r"--[a-z-]+", line.replace("$TLS", TLS))
        assert {"--tls-ca-file", "--tls-cert", "--tls-key"} <= {*found} <= known


def test_flags_of_gradcli() -> None:
    for line in LINES:
        for name, rest in re.findall(r"gradcli (batch|eval|jvp|check) (-.*|\w+\.jsonl.*)", line):
            assert {*re.findall(r"--[a-z-]+", rest)} <= flags(name), line


def flags(name: str) -> set[str]:
    """Those of a command of gradcli's."""
    command = import_module(COMMANDS[name][0]).command
    options = [get_args(each.annotation)[1] for each in signature(command).parameters.values()]
    # typer takes the first name where other functions take a default
    return {flag for each in options for flag in (each.default, *(each.param_decls or ()))}


def test_what_is_python_and_json_parses() -> None:
    begin, end = CLUSTER.index("    from dask_jobqueue"), CLUSTER.index("\n\nIn Kubernetes")
    code = "\n".join(line[4:] for line in CLUSTER[begin:end].splitlines())
    assert "SLURMCluster" in {each.id for each in ast.walk(ast.parse(code))
                              if isinstance(each, ast.Name)}  # fmt: skip
    patch = json.loads(CLUSTER.partition("-p '")[2].partition("'")[0])
    assert [each["op"] for each in patch] == ["add", "add"]


def test_what_is_shell_parses() -> None:
    begin = CLUSTER.index("    kubectl create secret")
    lines = CLUSTER[begin : CLUSTER.index("\n\nOne program over")]
    for text in (lines, re.findall(r"    for host.*?& done", CLUSTER, re.DOTALL)[0]):
        subprocess.run(["bash", "-n", "-c", text], check=True, capture_output=True)
