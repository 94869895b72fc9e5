"""Which function a call names: `mean`, `torch.mean`, `np.linalg.norm`."""

from __future__ import annotations

from collections.abc import Container, Mapping

from gradcli.diagnostics import GradcliError, nearest
from gradcli.graph import EMPTY
from gradcli.language import syntax
from gradcli.ops import FUNCTIONS
from gradcli.ops.table import TABLE, Function
from gradcli.trace.values import Value

MODULES = {
    **{name: name for name in (
        "torch", "F", "torch.linalg", "torch.special", "torch.autograd", "torch.testing", "np",
        "np.linalg", "scipy.special", "scipy.linalg", "jnp", "jnp.linalg", "jax.nn",
        "jax.scipy.special", "jax.scipy.linalg", "math",
    )},
    "T": "torch", "torch.nn.functional": "F", "nn.functional": "F",
    "torch.functional.F": "F", "linalg": "torch.linalg",
    "autograd": "torch.autograd", "torch.autograd.function": "torch.autograd",
    "numpy": "np", "numpy.linalg": "np.linalg", "numpy.fft": "np.fft", "np.fft": "np.fft",
    "jax.numpy": "jnp", "jax.numpy.linalg": "jnp.linalg",
    "nn": "torch.nn", "optim": "torch.optim", "optim.lr_scheduler": "torch.optim.lr_scheduler",
    "lr_scheduler": "torch.optim.lr_scheduler", "copy": "copy", "collections": "collections",
    "random": "random", "string": "string", "io": "io", "warnings": "warnings", "gc": "gc",
    "functools": "functools", "itertools": "itertools",
    "itertools.chain": "itertools.chain", "time": "time",
    **{name: name for name in (
        "tqdm", "tqdm.auto", "tqdm.notebook", "tqdm.tqdm", "tqdm.auto.tqdm", "tqdm.notebook.tqdm",
    )},
    "dataclasses": "dataclasses", "operator": "operator", "sys": "sys", "sys.path": "sys.path",
    "sys.stdout": "sys.stdout", "sys.stderr": "sys.stderr",
    "importlib.metadata": "importlib.metadata",
    "packaging.version": "packaging.version",
    "typing": "typing", "contextlib": "contextlib", "enum": "enum", "json": "json", "re": "re",
    "os": "os", "os.path": "os.path", "heapq": "heapq", "bisect": "bisect",
    "datetime": "datetime", "datetime.datetime": "datetime.datetime",
    "datetime.date": "datetime.date", "pathlib": "pathlib",
    "argparse": "argparse", "pprint": "pprint", "timeit": "timeit",
    "statistics": "statistics", "types": "types", "logging": "logging", "traceback": "traceback",
    "inspect": "inspect", "unicodedata": "unicodedata",
    "collections.abc": "collections.abc", "numbers": "numbers",
    **{name: name for name in (
        "torch.nn", "torch.optim", "torch.optim.lr_scheduler", "torch.func",
        "torch.autograd.functional", "torch.nn.init", "torch.nn.Embedding", "torch.nn.Module",
        "torch.utils.data", "torch.nn.utils", "torch.nn.attention", "torch.nn.attention.SDPBackend",
        "torch.nn.utils.rnn", "torch.nn.parallel", "torch.distributions", "torch.distributions.kl",
        "torch.utils.checkpoint", "torch.utils.dlpack", "torch.utils._pytree",
        "torch.distributions.Transform", "torch.distributions.transforms.Transform",
        "torch.version", "torch.cuda", "torch.mps", "torch.xpu", "torch.backends",
        "torch.backends.cudnn",
        "torch.backends.mps", "torch.backends.cuda", "torch.distributed",
        "torch.accelerator", "torch.autograd.variable",
        "torch.nn.parameter", "torch.nn.Transformer", "torch.nn.SyncBatchNorm",
        "torch.autograd.forward_ad",
        "torch.nn.grad", "torch.quasirandom", "torch.fft", "torch.signal", "torch.signal.windows",
        "torch.multiprocessing",
        "torch.autograd.graph", "torch.amp", "torch.cuda.amp", "torch.jit",
        "torch.optim.swa_utils", "torch.nn.utils.prune", "torch.nn.utils.parametrize",
        "torch.nn.utils.parametrizations",
    )},
    **{f"torch.nn.modules{name}": "torch.nn" for name in (
        "", ".module", ".activation", ".adaptive", ".batchnorm", ".channelshuffle", ".container",
        ".conv", ".distance", ".dropout", ".flatten", ".fold", ".instancenorm", ".linear", ".loss",
        ".normalization", ".padding", ".pixelshuffle", ".pooling", ".rnn", ".sparse",
        ".transformer", ".upsampling", ".utils")},
    **{f"torch.utils.data.{name}": "torch.utils.data" for name in (
        "dataset", "dataloader", "sampler", "_utils.collate")},
    **{f"torch.optim.{name}": "torch.optim" for name in (
        "sgd", "adam", "adamw", "rmsprop", "adagrad", "adadelta", "adamax", "asgd", "lbfgs",
        "nadam", "optimizer", "radam", "rprop")},
    **{f"torch.nn.utils.{name}": "torch.nn.utils" for name in (
        "clip_grad", "convert_parameters")},
    "torch.autograd.grad_mode": "torch", "torch.functional": "torch", "torch.random": "torch",
    "nn.Transformer": "torch.nn.Transformer", "nn.SyncBatchNorm": "torch.nn.SyncBatchNorm",
    "autograd.forward_ad": "torch.autograd.forward_ad",
    "autograd.graph": "torch.autograd.graph",
    **dict.fromkeys(("nn.grad", "F.grad", "torch.nn.functional.grad"), "torch.nn.grad"),
    "nn.Module": "torch.nn.Module", "nn.init": "torch.nn.init", "nn.utils": "torch.nn.utils",
    "nn.parallel": "torch.nn.parallel",
    "nn.utils.rnn": "torch.nn.utils.rnn",
    "distributions": "torch.distributions",
    **{f"torch.distributions.{name}": f"torch.distributions.{name}" for name in (
        "constraints", "Distribution")},
    **{f"torch.distributions.{name}": "torch.distributions" for name in (
        "bernoulli", "beta", "binomial", "categorical", "cauchy", "chi2",
        "continuous_bernoulli", "dirichlet",
        "distribution", "exponential", "fishersnedecor", "gamma", "geometric", "gumbel",
        "half_cauchy", "half_normal", "independent", "inverse_gamma", "kumaraswamy", "laplace",
        "log_normal", "lowrank_multivariate_normal", "mixture_same_family", "multinomial",
        "multivariate_normal", "negative_binomial", "normal", "one_hot_categorical", "pareto",
        "poisson", "relaxed_bernoulli", "relaxed_categorical", "studentT",
        "transformed_distribution", "transforms", "uniform", "von_mises", "weibull")},
    "functorch": "torch.func",
    "autograd.functional": "torch.autograd.functional", "np.random": "numpy.random",
    "np.testing": "np.testing", "numpy.testing": "np.testing",
    "numpy.lib.stride_tricks": "np.lib.stride_tricks",
    "np.lib.stride_tricks": "np.lib.stride_tricks",
    "numpy.random": "numpy.random",
}  # fmt: skip
"""Prefixes before a function's name in code that people paste: the module that each stands for."""
MODELS = {
    "jnp": "np", "jnp.linalg": "np.linalg", "jax.scipy.special": "scipy.special",
    "jax.scipy.linalg": "scipy.linalg",
}  # fmt: skip
"""Modules whose functions mean what those of another module mean."""
_OPEN = ("torch", "torch.linalg", "torch.special", "torch.autograd", "torch.testing")
"""Modules of which some functions are not in the op table."""
PYTHON = ("append", "len", "print", "range")
"""Functions that are called without a module."""
STRANGERS = frozenset(("os", "subprocess", "tf", "plt"))
"""Modules that have no function of the language."""
AUTOGRAD_GRAD = "torch.autograd.grad"
"""PyTorch's `grad`, which returns a tuple; `grad` returns the tensor of a single input."""
ROOTS = frozenset(module.partition(".")[0] for module in MODULES) | STRANGERS


def function_name(
    callee: syntax.Expression,
    bound: Container[str],
    imports: Mapping[str, str] = EMPTY,
    special: Container[str] = (),
) -> str | None:
    """The function's name in the op table; None for a method of a value.

    A module's function may differ from the one without a module, which is PyTorch's: then its name
    here is `np.std`, too. `bound` are the names that have a value, `imports` what imported names
    stand for, and `special` the functions outside the op table that have names with dots. Raises
    `name` for an unknown module, and for a function that its module does not have.
    """
    if isinstance(callee, syntax.Name) and callee.id not in imports:
        return callee.id
    path = path_of(callee)
    if path is None or path[0] in bound:
        return None
    if path[0] in imports:
        path = [*imports[path[0]].split("."), *path[1:]]
    elif path[0] not in ROOTS:
        return None
    *rooms, name = path
    written, module = ".".join(path), MODULES.get(".".join(rooms))
    if f"{module}.{name}" in special:
        return f"{module}.{name}"
    if module is None and written in special:  # np.add.reduce
        return written
    if module in _OPEN and name not in FUNCTIONS and name not in PYTHON:
        return name  # not in the op table, as torch.clone
    from gradcli.trace.libraries import has

    if module is None or name not in has(module):
        raise _no_function(written, name, module, callee)
    return _meant(written, module, name, callee)


def method_name(name: str) -> str:
    """The name here of the function that a method stands for, which is PyTorch's."""
    return own if name in FUNCTIONS and (own := f"torch.{name}") in TABLE else name


def _meant(written: str, module: str, name: str, callee: syntax.Expression) -> str:
    """The entry of a module's function; raises `name` where there is none."""
    entry = FUNCTIONS.get(name)
    homes = [module, MODELS[module]] if module in MODELS else [module]
    for whole in (f"{home}.{name}" for home in homes):
        if whole in TABLE:
            return whole
        if entry is not None and whole in entry.unlike:
            raise GradcliError(
                "name",
                f"{written} is not the same as {name} here, which is PyTorch's",
                hint=f"write {entry.unlike[whole]}",
                span=callee.span,
            )
    if entry is None:
        raise _no_function(written, name, module, callee)
    return name


def is_module(owner: syntax.Expression, bound: Container[str]) -> bool:
    """Whether the name before a dot is a module of which people paste constants: `np.pi`."""
    return isinstance(owner, syntax.Name) and owner.id in MODULES and owner.id not in bound


_GATHERING = ("flip",)
"""Methods that take axes one by one: `x.flip(0, 1)`."""


def place_receiver(function: Function, arguments: list[Value], keywords: dict[str, Value]) -> None:
    """Move the value that a method is called on, the first argument, to the function's position."""
    if function.name in _GATHERING and len(arguments) > 2:
        arguments[1:] = [tuple(arguments[1:])]
    place = function.receiver
    if not place:
        return
    receiver = arguments.pop(0)
    if len(arguments) < place:
        keywords[function.operands[place]] = receiver
    else:
        arguments.insert(place, receiver)


def _no_function(
    written: str, name: str, module: str | None, callee: syntax.Expression
) -> GradcliError:
    from gradcli.trace.libraries import modules_with
    from gradcli.trace.outside import advice

    guess = nearest(name, FUNCTIONS)
    own = advice(written)
    if own is not None:
        hint = own
    elif name in FUNCTIONS:
        hint = f"functions need no module: write {name}(…)"
    elif guess:
        hint = f"did you mean {guess!r}?"
    else:
        hint = "gradcli ops lists all functions, gradcli help language the modules"
    library = (module or "").partition(".")[0]
    elsewhere = [each for each in modules_with(name) if each.partition(".")[0] == library]
    if elsewhere and name in FUNCTIONS and own is None:
        hint = f"it is {elsewhere[0]}.{name}"
    return GradcliError("name", f"there is no function {written!r}", hint=hint, span=callee.span)


def path_of(expression: syntax.Expression) -> list[str] | None:
    """The names in `a.b.c`, None for anything else."""
    names: list[str] = []
    while isinstance(expression, syntax.Attribute):
        names.append(expression.name)
        expression = expression.value
    return [expression.id, *reversed(names)] if isinstance(expression, syntax.Name) else None
