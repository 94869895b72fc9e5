"""Regions in the processor's own code: what a C++ compiler makes of the texts that ops have for
cards. NumPy needs a call for each op, and has code for lanes for few functions.

Only where the environment names a compiler, `GRADCLI_CXX=c++`. Each member has a loop of its own,
over so few elements that they stay in the nearest cache, and as many at the end of an array as
elsewhere: its bits depend neither on what else is computed nor on where an element lies.
"""

from __future__ import annotations

import ctypes
import math
import os
import re
import stat
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import cache
from hashlib import sha256
from pathlib import Path
from shutil import which
from typing import Any, TypeAlias

import numpy as np

from gradcli.diagnostics import GradcliError
from gradcli.engine.member_texts import TYPES, expression, template
from gradcli.engine.swept import compiler
from gradcli.engine.writing_out import Swept
from gradcli.graph import Array, Node, Shape
from gradcli.ops.kinds import CAST

Room: TypeAlias = Callable[[Node, Shape, np.dtype[Any]], Array]
"""Gives memory for an operand."""
Filling: TypeAlias = Callable[[Sequence[Array], Sequence[Array], Room], None]
"""Computes arrays of one shape from operands, whose shapes broadcast to it."""

WIDTH = 64
"""The elements that a loop takes at a time."""
MEMBERS = 256
"""Larger regions would take too long to compile, and too much of a thread's stack."""
KEPT = 500
"""The functions that are kept in the cache, of some 20 KB each."""
SECONDS = 60.0
"""How long a compiler may take."""
FLAGS = (
    "-x", "c++", "-std=c++17", "-O3", "-march=native", "-shared", "-fPIC", "-w",
    "-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math", "-fwrapv",
)  # fmt: skip
"""Values are those of IEEE, but nobody asks for flags; the same in each loop."""
ELSEWHERE = re.compile(r"\b(erfcx|erfinv|cyl_bessel_i[01]|sinpi)\(")
"""Functions that CUDA has, and C++ lacks."""

PRELUDE = """\
#define __FAST_MATH__ 1  // glibc then tells its functions of several lanes
#include <math.h>
#undef __FAST_MATH__
typedef double T;
using std::abs; using std::isfinite; using std::isinf; using std::isnan;
template <class A> static inline A max(A a, A b) { return a > b ? a : b; }
template <class A> static inline A min(A a, A b) { return a < b ? a : b; }
static inline T normcdf(T x) {  // x / sqrt(2) is rounded, which would cost x*x ulp
    const T z = -x * 0.7071067811865476;
    const T rest = fma(-x, 0.7071067811865476, -z) - x * -4.833646656726457e-17;
    return (erfc(z) - (fabs(z) < 30 ? 1.1283791670955126 * exp(-z * z) * rest : 0)) / 2;
}
template <class A>
static inline void read(const A* from, long times, long start, int count, A* into) {
    if (times == 1) {
        for (int i = 0; i < count; ++i) into[i] = from[start + i];
    } else {
        from += start / times;
        for (long i = 0, end = times - start % times; i < count; ++from, end += times)
            for (; i < count && i < end; ++i) into[i] = *from;
    }
    for (int i = count; i < WIDTH; ++i) into[i] = *into;
}
"""


def compilable(swept: Swept) -> bool:
    """Whether all that is computed has a text, and C++ the functions in it."""
    return 0 < len(swept.members) <= MEMBERS and all(map(_has_text, swept.members))


def _has_text(node: Node) -> bool:
    text = template(node) if node.kind != "int" or node.op is CAST else ""
    return bool(text) and node.graph.precision == "float64" and not ELSEWHERE.search(text)


def filling(swept: Swept, outputs: Sequence[Node]) -> Filling:
    """What computes some members. Raises `device` where the compiler fails."""
    sweep = _loaded(source(swept, outputs), compiler())
    given, made = len(swept.operands), len(outputs)

    def fill(operands: Sequence[Array], targets: Sequence[Array], room: Room) -> None:
        shape = targets[0].shape
        kept = [
            _in_a_row(np.asarray(array), node, shape, room)
            for node, array in zip(swept.operands, operands, strict=True)
        ]
        addresses = (ctypes.c_void_p * given)(*[each.ctypes.data for each in kept])
        times = (ctypes.c_long * given)(*[targets[0].size // each.size for each in kept])
        written = [each if each.flags.carray else np.empty(shape, each.dtype) for each in targets]
        results = (ctypes.c_void_p * made)(*[each.ctypes.data for each in written])
        sweep(targets[0].size, addresses, times, results)
        for target, array in zip(targets, written, strict=True):
            if array is not target:
                target[...] = array

    return fill


def _in_a_row(array: Array, node: Node, shape: Shape, room: Room) -> Array:
    """An operand with its elements in a row, each of which is read so many times, one time after
    the other, that it has the shape: once, or as a number or a column is.
    """
    dtype = node.graph.dtype(node.kind)
    own = (1,) * (len(shape) - array.ndim) + array.shape
    repeated = next((i for i in range(len(shape)) if math.prod(own[i:]) == 1), len(shape))
    fits = own[:repeated] == shape[:repeated]
    if fits and array.flags.c_contiguous and array.flags.aligned and array.dtype == dtype:
        return array
    kept = room(node, shape if array.size > 1 else array.shape, dtype)
    np.copyto(kept, array)
    return kept


def source(swept: Swept, outputs: Sequence[Node]) -> str:
    """The text of the function `sweep`. It has numbers neither of the program nor of its shapes, so
    that it is compiled once for many.
    """
    names = {node: f"a{i}[i]" for i, node in enumerate(swept.operands)}
    names |= {node: f"v{i}[i]" for i, node in enumerate(swept.members)}
    return "\n".join([f"#define WIDTH {WIDTH}", PRELUDE, *_function(swept, outputs, names), ""])


def _function(swept: Swept, outputs: Sequence[Node], names: dict[Node, str]) -> Iterator[str]:
    yield 'extern "C" void sweep(long size, const void** given, const long* times, void** made) {'
    for i, node in enumerate(swept.operands):
        kind = TYPES[node.kind]
        yield f"const {kind}* p{i} = (const {kind}*)given[{i}]; {kind} a{i}[WIDTH];"
        yield f"if (times[{i}] >= size) read(p{i}, 1, 0, 1, a{i});"
    yield "for (long start = 0; start < size; start += WIDTH) {"
    yield "const int count = size - start < WIDTH ? size - start : WIDTH;"
    for i in range(len(swept.operands)):
        yield f"if (times[{i}] < size) read(p{i}, times[{i}], start, count, a{i});"
    for i, node in enumerate(swept.members):
        yield f"{TYPES[node.kind]} v{i}[WIDTH];"
        yield f"for (int i = 0; i < WIDTH; ++i) v{i}[i] = {expression(node, names)};"
    for i, node in enumerate(outputs):
        target = f"(({TYPES[node.kind]}*)made[{i}] + start)[i]"
        yield f"for (int i = 0; i < count; ++i) {target} = {names[node]};"
    yield "}}"


@cache
def _loaded(text: str, program: str) -> Any:
    """The function of a text, from the user's cache where it is there."""
    path = which(program)
    if path is None:
        raise _unusable(f"GRADCLI_CXX: there is no program {program!r}")
    made = os.stat(path)
    told = (text, *FLAGS, path, str(made.st_mtime_ns), str(made.st_size), _processor())
    folder = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "gradcli"
    library = folder / f"{sha256('|'.join(told).encode()).hexdigest()}.so"
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        _check_own(folder)
        if not library.exists():
            _compile(text, path, library)
            _prune(folder)
        _check_own(library)
        sweep = ctypes.CDLL(str(library)).sweep
    except OSError as error:
        raise _unusable(f"GRADCLI_CXX: {error}") from None
    sweep.restype = None
    sweep.argtypes = [ctypes.c_long, *(ctypes.c_void_p,) * 3]
    return sweep


def _check_own(path: Path) -> None:
    """Raise `device` for what another user may have written: its code would run as this one."""
    made = path.stat()
    if made.st_uid != os.geteuid():
        raise _unusable(f"GRADCLI_CXX: {path} belongs to another user")
    if made.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise _unusable(f"GRADCLI_CXX: other users can write to {path}")


def _prune(folder: Path) -> None:
    """Remove the functions that were compiled first, where there are very many."""
    with suppress(FileNotFoundError):  # another process has removed it meanwhile
        made = {each: each.stat().st_mtime_ns for each in folder.glob("*.so")}
        for each in sorted(made, key=made.__getitem__)[:-KEPT]:
            each.unlink()


def _processor() -> str:
    """What `-march=native` may depend on."""
    core = np._core._multiarray_umath  # type: ignore[attr-defined]
    return " ".join(name for name, has in core.__cpu_features__.items() if has)


def _compile(text: str, program: str, library: Path) -> None:
    """Compile near the place, and move there: another process may do the same."""
    with tempfile.TemporaryDirectory(dir=library.parent) as folder:
        made = Path(folder) / library.name
        command = [program, *FLAGS, "-", "-o", str(made), "-lm"]
        try:
            done = subprocess.run(  # noqa: S603 — the user's own compiler
                command, input=text, capture_output=True, text=True, timeout=SECONDS, check=False
            )
        except subprocess.TimeoutExpired:
            raise _unusable(f"{program} took more than {SECONDS:g} s") from None
        if done.returncode:
            lines = [line for line in done.stderr.splitlines() if "error" in line]
            first = next(iter(lines), f"exit code {done.returncode}")
            raise _unusable(f"{program} failed: {first}")
        made.replace(library)


def _unusable(message: str) -> GradcliError:
    return GradcliError(
        "device", message, hint="GRADCLI_CXX= goes without a compiler; gradcli help compiler"
    )
