"""Write what PyTorch prints for each cell to a file next to it: a script for where PyTorch is."""

from __future__ import annotations

import subprocess
import sys

from tests.cells.cells import CELLS


def main() -> None:
    for cell in CELLS:
        done = subprocess.run(
            [sys.executable, str(cell)], capture_output=True, text=True, check=True
        )
        cell.with_suffix(".out").write_text(done.stdout, "utf-8")


if __name__ == "__main__":
    main()
