"""CUDA kernels on the CPU: their text compiled as C++, every thread of a block a fiber.

`__syncthreads` gives way to the next fiber, so that shared memory and the order of steps are as on
a card; blocks run one after another.
"""

from __future__ import annotations

import ctypes
import hashlib
import shutil
import subprocess
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

SHIM = r"""
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <ucontext.h>
#include <utility>
#include <vector>
using std::abs; using std::isfinite; using std::isinf; using std::isnan; using std::max;
using std::min;
#define __global__
#define __device__
#define __restrict__
#define __shared__ static
#define __launch_bounds__(count)

struct Place { unsigned x; };
static Place blockIdx, threadIdx;

// Functions that CUDA has and C++ has not, in more digits than they need.
static long double exp_square(long double x) { return expl(x * x); }
template <class A> A erfcx(A x) {
    if (x > 100) return (1 - (1 - 1.5 / x / x) / (2 * x * x)) / (x * (A)1.7724538509055160273L);
    return (A)(exp_square(x) * erfcl(x));
}
template <class A> A normcdf(A x) { return (A)(erfcl(-x / sqrtl(2)) / 2); }
template <class A> A erfinv(A y) {
    if (y == 0) return y;
    if (!(fabs(y) < 1)) return fabs(y) == 1 ? y * (A)INFINITY : (A)NAN;
    long double x = 0, low = -7, high = 7;
    for (int i = 0; i < 90; ++i) (erfl(x = (low + high) / 2) < y ? low : high) = x;
    return (A)x;
}
template <class A> A sinpi(A x) {
    long double rest = fmodl(x, 2);
    return rest == rintl(rest) ? (A)0 : (A)sinl(M_PIl * rest);
}
static long double bessel_i(int order, long double x) {
    return std::isfinite(x) ? std::cyl_bessel_il(order, fabsl(x)) : fabsl(x);
}
template <class A> A cyl_bessel_i0(A x) { return (A)bessel_i(0, x); }
template <class A> A cyl_bessel_i1(A x) { return (A)copysignl(bessel_i(1, x), x); }
using std::acos; using std::acosh; using std::asin; using std::asinh; using std::atan;
using std::atan2; using std::atanh; using std::ceil; using std::copysign; using std::cos;
using std::cosh; using std::erf; using std::erfc; using std::exp; using std::exp2; using std::expm1;
using std::floor; using std::fma; using std::fmax; using std::fmin; using std::fmod;
using std::hypot;
using std::lgamma; using std::log; using std::log10; using std::log1p; using std::log2;
using std::pow;
using std::rint; using std::sin; using std::sinh; using std::sqrt; using std::tan; using std::tanh;
using std::trunc;

struct Fiber { ucontext_t context; std::vector<char> stack; bool done; };
static std::vector<Fiber> fibers;
static ucontext_t scheduler;
static unsigned current;
static void (*body)(void**);
static void** given;

template <class A> A atomicAdd(A* place, A value) { A old = *place; *place += value; return old; }
static void __syncthreads() { swapcontext(&fibers[current].context, &scheduler); }
static void start() { body(given); fibers[current].done = true; }

static void run(void (*kernel)(void**), void** arguments, unsigned blocks, unsigned threads) {
    body = kernel;
    given = arguments;
    fibers.resize(threads);
    for (blockIdx.x = 0; blockIdx.x < blocks; ++blockIdx.x) {
        for (Fiber& fiber : fibers) {
            fiber.stack.resize(1 << 16);
            fiber.done = false;
            getcontext(&fiber.context);
            fiber.context.uc_stack.ss_sp = fiber.stack.data();
            fiber.context.uc_stack.ss_size = fiber.stack.size();
            fiber.context.uc_link = &scheduler;
            makecontext(&fiber.context, start, 0);
        }
        for (bool left = true; left;) {
            left = false;
            for (current = 0; current < threads; ++current) {
                if (fibers[current].done) continue;
                threadIdx.x = current;
                swapcontext(&scheduler, &fibers[current].context);
                left = left || !fibers[current].done;
            }
        }
    }
}

template <class... P, size_t... N>
static void spread(void (*kernel)(P...), void** given, std::index_sequence<N...>) {
    kernel(*(P*)given[N]...);
}
template <class... P> static void call(void (*kernel)(P...), void** given) {
    spread(kernel, given, std::index_sequence_for<P...>());
}
"""

KERNEL = """
namespace space_{name} {{
#define sweep sweep_{name}
{text}
#undef sweep
static void start(void** given) {{ call(sweep_{name}, given); }}
}}
extern "C" void run_{name}(void** given, unsigned blocks, unsigned threads) {{
    run(space_{name}::start, given, blocks, threads);
}}
"""

compiler = shutil.which("g++")


def name_of(text: str) -> str:
    """What the kernel of a text is called here."""
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()


FLAGS = ["-std=gnu++17", "-O0", "-w", "-fno-exceptions", "-fPIC"]


class Emulator:
    """Compiles kernels, several at a time, and runs them."""

    def __init__(self) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="kernels"))
        self._kernels: dict[str, Any] = {}
        self._shim = self._folder / "shim.h"

    def close(self) -> None:
        """Remove what was compiled."""
        shutil.rmtree(self._folder)

    def compile(self, texts: Iterable[str]) -> None:
        """Compile what is not compiled yet."""
        new = {name_of(text): text for text in texts if name_of(text) not in self._kernels}
        if not new:
            return
        if not self._shim.exists():
            self._shim.write_text(SHIM)
            self._run("-x", "c++-header", self._shim)
        path = self._folder / f"{len(self._kernels)}.cpp"
        parts = [KERNEL.format(name=name, text=text) for name, text in new.items()]
        path.write_text('#include "shim.h"\n' + "\n".join(parts))
        library = path.with_suffix(".so")
        self._run("-shared", "-o", library, path)
        loaded = ctypes.CDLL(str(library))
        self._kernels |= {name: loaded[f"run_{name}"] for name in new}

    def _run(self, *arguments: str | Path) -> None:
        assert compiler is not None
        subprocess.run([compiler, *FLAGS, *map(str, arguments)], check=True, timeout=900)

    def launch(self, text: str, blocks: int, threads: int, arguments: Iterable[Any]) -> None:
        """Run a kernel; arguments are arrays of NumPy, whose addresses are passed, and scalars."""
        self.compile([text])
        kept = [
            np.uint64(each.ctypes.data) if isinstance(each, np.ndarray) else each
            for each in arguments
        ]
        cells = [np.array(each) for each in kept]
        pointers = (ctypes.c_void_p * len(cells))(*(cell.ctypes.data for cell in cells))
        self._kernels[name_of(text)](pointers, blocks, threads)
