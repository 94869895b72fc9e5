"""The command line: flags in, exit codes out."""

from __future__ import annotations

import gc
import os
import sys
from typing import NoReturn

_BLAS_THREADS = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS")


def main() -> NoReturn:
    """The console script `gradcli`."""
    # BLAS reads these when numpy is imported. One thread of its own: the engine spreads work over
    # threads itself, in a way that keeps the bits of the result.
    for variable in _BLAS_THREADS:
        os.environ.setdefault(variable, "1")
    # A large graph is many objects and no garbage: by default Python would look for some again and
    # again, in half of the run's time.
    gc.set_threshold(200_000, 20, 50)
    try:
        from gradcli.cli.exit import run  # here, so that Ctrl-C during start-up is quiet too

        code = run(sys.argv[1:])
    except KeyboardInterrupt:
        code = 130
    os._exit(code)  # all is written: taking the interpreter down in order takes a fifth of the time
