"""How `jacobian`, `hessian`, `jvp` and `hvp` answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from gradcli.cli import options as flag

if TYPE_CHECKING:
    from gradcli.analysis.matrices import Answer


def answer(
    find: Callable[..., Answer],
    run: flag.Run,
    show: flag.Show,
    save: str | None,
    gradient: Sequence[str] | None,
    directions: Mapping[str, Sequence[str] | None],
) -> None:
    """Show what `find` returns for a problem and its directions, which flags give by leaf."""
    from gradcli.analysis.matrices import Shown
    from gradcli.cli import posing
    from gradcli.cli.request import check_save
    from gradcli.ops.loops import NotRolled

    show.format()
    safe = run.bounds.safe
    check_save(save, run.file, run.set_, gradient, *directions.values(), safe=safe)
    with run.bounds.confined():
        problem = posing.read_rolled(run, gradient, directions)
        moved = [
            posing.read_vectors(name, texts, problem, safe=safe)
            for name, texts in directions.items()
        ]
        try:
            found = find(problem, *moved)
        except NotRolled:
            problem = problem.unrolled()
            found = find(problem, *moved)
        if save:
            save_matrix(save, found)
        show.write("matrices", Shown(found, problem.notes, problem.graph.seed))


def save_matrix(path: str, found: Answer) -> None:
    """Write an answer to a file. Raises `usage` and `file`."""
    from gradcli.data.save import holds_one, save
    from gradcli.report.matrices import saved

    save(path, saved(found, whole=holds_one(path), scipy=path.lower().endswith(".npz")))
