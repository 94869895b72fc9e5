"""One ledger of bytes for a run: no way of taking memory goes past it."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import numpy as np
import pytest

from gradcli.analysis.check import check
from gradcli.analysis.jacobian import hessian
from gradcli.analysis.problem import pose
from gradcli.batch.form import renderer
from gradcli.diagnostics import GradcliError, Source
from gradcli.language.parser import ParseLimits, parse_program
from gradcli.ledger import Ledger, group_limits
from gradcli.literals import literals
from gradcli.session import Limits, Options, evaluate, prepare

LIMIT = 2**24
TIGHT = Options(limits=Limits(memory=LIMIT), seed=1)
PROGRAMS = [
    "sum(triu_indices(1e5, 1e5))",
    "chunk(zeros(0), 1e9)",
    "unbind(zeros(1e9, 0))",
    "y = 0; for i in range(90) { y = y + sum(unfold(zeros(1e5 + i), 0, 1, 1)) }; y",
    "y = 0; for i in range(90) { y = y + sum(pad(zeros(1e5 + i), (1, 1), 'reflect')) }; y",
    "y = 0; for i in range(90) { y = y + sum(one_hot([1, 2], 1e5 + i)) }; y",
    "x = rand(1e5); y = 0; for i in range(90) { y = y + sum(x[x > i / 200]) }; y",
    f"for i in range(500) {{ print('{'a' * 100_000}') }}; 1",
    "a = [1]; for i in range(60) { a = [a, a] }; print(a); 1",
    "f(a) = f(a + 1); f(1)",
    "[1, 2][zeros(1e7)]",
    "rand(3)[:, zeros(1e7)]",
    "gather(zeros(2), 0, zeros(1e7))",
    "sum(ones(1e7)[expand(3 > 2, 1e7)])",
    "y = argmin(zeros(1e8)); x = [1, 2]; x[y]",
    "sum(scatter_reduce(zeros(1e4, 1e4), 1, [[0]], [[2.0]], 'sum'))",
    "y = gather(zeros(1e4, 1e4), 1, [[0]]); 'a' * int(1e8 + y[0, 0])",
    "import numpy as np\nx = np.eye(1500, dtype=complex)",
    "import numpy as np\nx = np.linspace(0, 1, 2000000, dtype=complex)",
    "import numpy as np\nx = np.arange(0, 2000000, dtype=complex)",
    "import numpy as np\nx = np.zeros((1500, 1500), dtype=complex)",
]


@pytest.mark.parametrize("text", PROGRAMS, ids=lambda text: text[:40])
def test_what_takes_memory_while_tracing_is_added_up(text: str) -> None:
    program = parse_program(Source("program", text), ParseLimits())
    tracemalloc.start()
    with pytest.raises(GradcliError) as caught:
        evaluate(program, {}, (), TIGHT)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert caught.value.diagnostic.code in ("limit-memory", "limit-nodes")
    assert peak < 1.15 * LIMIT


def test_inputs_are_added_up() -> None:
    texts = [Source(f"--set {name}", "rand(1e6)") for name in "abc"]
    with pytest.raises(GradcliError) as caught:
        literals(texts, TIGHT)
    assert caught.value.diagnostic.code == "limit-memory"


@pytest.mark.parametrize("analysis", [check, hessian])
def test_analyses_count_their_own_work(analysis: object) -> None:
    size = 900_000 if analysis is check else 1_000
    program = parse_program(Source("program", "sum(x**2)"), ParseLimits())
    problem = pose(program, {"x": np.ones(size)}, (), TIGHT)
    with pytest.raises(GradcliError) as caught:
        analysis(problem)  # type: ignore[operator]
    assert caught.value.diagnostic.code == "limit-memory"


def test_an_answer_is_counted_as_text() -> None:
    program = parse_program(Source("program", "rand(1e6)"), ParseLimits())
    ready = prepare(program, {}, (), TIGHT._replace(forward_only=True))
    with pytest.raises(GradcliError) as caught:
        renderer(ready)
    assert "text" in caught.value.diagnostic.message


def test_a_ledger_says_both_numbers() -> None:
    ledger = Ledger(2**30)
    ledger.take(2**29, "the first")
    with pytest.raises(GradcliError) as caught:
        ledger.take(2**30, "the second")
    assert caught.value.diagnostic.message == (
        "the second needs about 1 GiB of memory, 512 MiB are taken; the limit is 1 GiB"
    )
    ledger.give_back(2**29)
    ledger.take(2**30, "the second")


def test_the_limits_of_control_groups_are_read(tmp_path: Path) -> None:
    groups = tmp_path / "cgroup"
    groups.write_text("4:cpu,memory:/jobs/one\n0::/user/me\n1:pids:/jobs\n")
    files = {
        "memory.max": "max",
        "user/memory.max": "4000",
        "user/me/memory.max": "5000",
        "memory/jobs/one/memory.limit_in_bytes": "3000",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text + "\n")
    assert sorted(group_limits(str(groups), str(tmp_path))) == [3000, 4000, 5000]
    assert not list(group_limits(str(tmp_path / "none"), str(tmp_path)))


def test_processes_share_the_default_but_not_a_limit_that_was_given() -> None:
    whole = Limits().memory_bytes()
    assert Limits().shared(4).memory_bytes() == whole // 4
    assert Limits(memory=1000).shared(4).memory_bytes() == 1000
