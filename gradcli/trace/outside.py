"""What is outside the language, and what serves instead: hints for names that people paste."""

from __future__ import annotations

from gradcli.diagnostics import A_FILE, Advice, input_of

_FILES = Advice(
    "files are outside the language: data come in by ",
    A_FILE,
    "; gradcli eval --save writes results",
)
_PLOTS = "leave out the lines that draw: gradcli plot draws values and gradients"
_DATA = Advice(
    "data come in by ", A_FILE, ", .csv or others; torch.rand(…) makes some of that shape"
)
_TRANSFORMS = ("there are fft, rfft, hfft, fft2, rfft2, fftn, rfftn, their inverses, fftshift and "
               "fftfreq")  # fmt: skip
_DENSE = "tensors are dense here: torch.zeros(…), and x[i, j] = v for each element"
_MODEL = "leave it out, and call the model itself"
_SYSTEM = "delete the lines that use it: a program computes, and touches nothing else"
_FUNCTIONS = {
    **dict.fromkeys(("load", "save", "open", "loadtxt", "savetxt", "read_csv",
                     "genfromtxt"), _FILES),
    **dict.fromkeys(("plot", "show", "figure", "subplots", "scatter", "imshow"), _PLOTS),
    **dict.fromkeys(("sparse_coo_tensor", "sparse_csr_tensor", "to_sparse",
                     "to_sparse_coo", "to_sparse_csr"), _DENSE),
    "DistributedDataParallel": _MODEL,
    "format_exc": "except RuntimeError as error: print(type(error).__name__, error)",
    "gamma": "exp(lgamma(x)) is the gamma function, for x > 0",
    "beta": "exp(lgamma(a) + lgamma(b) - lgamma(a + b)) is the beta function, for a, b > 0",
    "betaln": "lgamma(a) + lgamma(b) - lgamma(a + b), for a, b > 0",
    "input": Advice("values come in by ", input_of("x", "3")),
    "eval": "programs are read, and never handed to Python: write the expression itself",
    "help": "gradcli ops NAME tells of a function, gradcli help language of the rest",
    "exec": "programs are read, and never handed to Python: write the statements themselves",
}  # fmt: skip
_MODULES = {
    **dict.fromkeys(("matplotlib", "seaborn", "plotly", "plt", "sns", "IPython"), _PLOTS),
    **dict.fromkeys(("torchvision", "torchaudio", "torchtext", "sklearn", "pandas", "datasets",
                     "PIL", "cv2", "h5py"), _DATA),
    **dict.fromkeys(("os", "sys", "subprocess", "glob", "shutil", "wandb", "pickle",
                     "csv"), _SYSTEM),
    "torch.fft": _TRANSFORMS,
    "torch.fx": "call the model itself: gradcli graph shows what it computes",
    **dict.fromkeys(("torch.profiler", "torch.autograd.profiler"),
                    "times differ from run to run: leave the profiler out"),
    "inspect": "f.__name__, f.__doc__ and isinstance(x, Net) are there: leave the rest out",
    "ast": "programs are read, and never looked at by programs: leave it out",
    "unittest": "write the checks themselves: assert x == y, torch.testing.assert_close(x, y)",
    **dict.fromkeys(("timeit", "torch.utils.benchmark", "cProfile"),
                    "times differ from run to run: leave the lines out that take them"),
    "torch.sparse": _DENSE, "torch.jit": _MODEL, "torch.hub": _FILES,
    "scipy": "of scipy there are scipy.special and scipy.linalg; gradcli check, hessian and the "
             "optimisers of torch.optim serve for the rest",
    "tensorflow": "write it as PyTorch does: tf.matmul(a, b) is torch.matmul(a, b)",
}  # fmt: skip


def advice(path: str) -> str | None:
    """The hint for a function or module of that path; None where there is none of its own."""
    rooms = path.split(".")
    for count in range(len(rooms), 0, -1):
        found = _MODULES.get(".".join(rooms[:count]))
        if found is not None:
            return found
    return _FUNCTIONS.get(rooms[-1])
