"""`gradcli jvp`: the product of the Jacobian and a tangent."""

from __future__ import annotations

from collections.abc import Sequence

from gradcli.cli import options as flag
from gradcli.cli.bundles import expanded
from gradcli.cli.cluster import Sweeping
from gradcli.cli.matrices import answer, save_matrix

EXAMPLES = """\b
Examples:
  gradcli jvp "y = x**2" -s x=1,2,3 --tangent 1,0,0
  gradcli jvp "y = a*sin(b)" -s a=2 -s b=1 --tangent a=1 --tangent b=0.5
"""


def _command(
    run: flag.Run,
    show: flag.Show,
    sweeping: Sweeping,
    tangent: flag.Tangents = None,
    save: flag.SaveMatrix = None,
) -> None:
    """Show J·t: how the outputs change when the leaves move along a tangent t.

    Leaves without a tangent stay where they are.
    """
    if sweeping.asked:
        _sweep(run, show, sweeping, tangent, save)
        return
    from gradcli.analysis.jacobian import tangent_product

    answer(tangent_product, run, show, save, None, {"--tangent": tangent})


def _sweep(
    run: flag.Run,
    show: flag.Show,
    sweeping: Sweeping,
    tangent: Sequence[str] | None,
    save: str | None,
) -> None:
    from gradcli.cli.request import check_save
    from gradcli.cli.sweep import tangent_product

    check_save(save, run.file, run.set_, tangent, safe=run.bounds.safe)
    found = tangent_product(run, tangent, save, sweeping, quiet=show.quiet)
    if save and not any(note.code == "saved" for note in found.notes):
        save_matrix(save, found.answer)
    show.write("matrices", found)


command = expanded(_command, shows="matrices")
