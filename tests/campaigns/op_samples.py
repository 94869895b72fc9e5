"""PyTorch's own samples of its functions: `python -m tests.campaigns.op_samples [PATTERN …]`.

Each sample of PyTorch's test database is written as a call in PyTorch's own spelling, and the text
is run on both sides in float64: values and gradients must agree. A function counts as right if all
of its samples do. Needs PyTorch 2.13 and expecttest. A PATTERN chooses functions by regex.
"""

from __future__ import annotations

import argparse
import re
import sys
import warnings
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import torch

from gradcli.diagnostics import GradcliError, Source
from gradcli.language.parser import parse_program
from gradcli.session import Options, evaluate

Array = np.ndarray[Any, Any]

OUTSIDE = re.compile(
    r"_(?!_)|jiterator|sparse\.|fft\.(?!i?fftshift)|masked\.|(torch\.)?ops\.|nested|(rand|bernoulli|normal)|"
    r"(.*\.)?(\w*dropout\w*|rrelu|fractional_max_pool\dd)$|"
    r"(view_as_)?complex|polar|stft|istft|linalg\.eig(vals)?$|pca_lowrank|svd_lowrank|to_sparse|to$|"
    r"cdouble|cfloat|chalf|bfloat16|half$"
)
"""Functions of complex, sparse or random numbers, of other dtypes, and without a public name."""
OTHERWISE = {
    **{name: f"{{0}}.{name}" for name in ("T", "H", "mT", "mH")},
    "einsum": "torch.einsum({1}, {0})",
    "where": "torch.where({1}, {0}, {2})",
    "polygamma": "torch.polygamma({1}, {0})",
    "special.polygamma": "torch.special.polygamma({1}, {0})",
    "nn.functional.embedding": "F.embedding({1}, {0}{rest})",
    "linalg.pinv": "torch.linalg.pinv({0}{rest})",
    "linalg.pinv singular": "torch.linalg.pinv({0} @ {1}.mT)",
    "__getitem__": "{0}[{1}]",
    "__radd__": "{1} + {0}",
    "__rdiv__": "{1} / {0}",
    "__rmatmul__": "{1} @ {0}",
    "__rmod__": "{1} % {0}",
    "__rmul__": "{1} * {0}",
    "__rpow__": "{1} ** {0}",
    "__rsub__": "{1} - {0}",
}
"""How a sample is written whose function is none of PyTorch's, or takes its operands in another
order."""
IMPORTS = "import torch\nimport torch.nn.functional as F\n"
RELATIVE, ABSOLUTE = 1e-9, 1e-11


class UnwrittenError(Exception):
    """A sample that no text can say."""


class Call(NamedTuple):
    """A sample as a text that both sides read."""

    text: str
    tensors: dict[str, torch.Tensor]


def spelt(op: Any, sample: Any) -> Call:
    """The sample as a call, its tensors by name."""
    tensors: dict[str, torch.Tensor] = {}
    name, variant = op.name, f"{op.name} {op.variant_test_name}"
    function = name.replace("nn.functional.", "F.")
    found: Any = torch
    for part in name.split("."):
        found = getattr(found, part, None)
    arguments = [written(each, tensors) for each in (sample.input, *sample.args)]
    keywords = [
        f"{key}={written(value, tensors)}"
        for key, value in sample.kwargs.items()
        if not isinstance(value, torch.memory_format)
    ]
    form = OTHERWISE.get(variant) or OTHERWISE.get(name)
    if form:
        rest = "".join(f", {each}" for each in keywords)
        return Call(form.format(*arguments, rest=rest), tensors)
    if found is None:
        method = f"{arguments[0]}.{function}"
        return Call(f"{method}({', '.join([*arguments[1:], *keywords])})", tensors)
    prefix = "" if function.startswith("F.") else "torch."
    return Call(f"{prefix}{function}({', '.join([*arguments, *keywords])})", tensors)


def written(value: Any, tensors: dict[str, torch.Tensor]) -> str:
    """An argument as Python and gradcli write it. Raises UnwrittenError."""
    if isinstance(value, torch.Tensor):
        if value.is_complex() or value.layout is not torch.strided or value.is_quantized:
            raise UnwrittenError
        name = f"x{len(tensors)}"
        if value.dtype == torch.float32:  # a run has one floating-point dtype
            value = value.detach().double().requires_grad_(value.requires_grad)
        tensors[name] = value
        return name
    if value is None or isinstance(value, bool | int | str):
        return repr(value)
    if isinstance(value, float):
        return repr(value) if np.isfinite(value) else str(value).replace("inf", "torch.inf")
    if isinstance(value, torch.dtype):
        return str(value)
    if isinstance(value, list):
        return f"[{', '.join(written(each, tensors) for each in value)}]"
    if isinstance(value, tuple):
        return f"({''.join(written(each, tensors) + ', ' for each in value)})"
    raise UnwrittenError


class Answer(NamedTuple):
    """The results in order, and the gradient of their weighted sum by each leaf."""

    values: list[Array]
    grads: dict[str, Array]
    items: bool = False
    """Whether the results are the items of a tuple."""


def weights(value: Array, place: int) -> Array:
    """What the elements of a result are multiplied with."""
    return np.asarray(np.random.default_rng(place).uniform(0.5, 1.5, value.shape))


def in_torch(call: Call) -> Answer:
    """PyTorch's answer. Raises UnwrittenError where results are not real."""
    leaves = {
        name: each.detach().clone().requires_grad_(each.requires_grad)
        for name, each in call.tensors.items()
    }
    names = {"torch": torch, "F": torch.nn.functional, **leaves}
    result = eval(call.text, names)  # our own text, not a user's
    items = isinstance(result, tuple | list)
    results = list(result) if items else [result]
    if not all(isinstance(each, torch.Tensor) and not each.is_complex() for each in results):
        raise UnwrittenError
    values = [each.detach().numpy(force=True) for each in results]
    wanted = {name: leaf for name, leaf in leaves.items() if leaf.requires_grad}
    parts = [
        (each * torch.from_numpy(weights(value, place))).sum()
        for place, (each, value) in enumerate(zip(results, values, strict=True))
        if each.requires_grad
    ]
    if not parts:
        return Answer(values, {}, items)
    found = torch.autograd.grad(parts, list(wanted.values()), materialize_grads=True)
    grads = {name: grad.numpy() for name, grad in zip(wanted, found, strict=True)}
    return Answer(values, grads, items)


def here(call: Call, theirs: Answer) -> Answer:
    """gradcli's answer, as far as PyTorch has one. Raises GradcliError."""
    inputs = {name: each.detach().numpy() for name, each in call.tensors.items()}
    results = [f"r{place}" for place in range(len(theirs.values))]
    only = "[0]" if theirs.items and len(results) == 1 else ""
    text = f"{IMPORTS}{', '.join(results)} = {call.text}{only}\n"
    if theirs.grads:
        terms = []
        for place, (name, value) in enumerate(zip(results, theirs.values, strict=True)):
            if value.dtype.kind == "f":
                inputs[f"w{place}"] = weights(value, place)
                terms.append(f"torch.sum({name} * w{place})")
        text += f"loss = {' + '.join(terms)}"
    options = Options(wrt=tuple(theirs.grads), forward_only=not theirs.grads)
    tree = parse_program(Source("program", text), options.limits.parse)
    used = {name: array for name, array in inputs.items() if name in tree.names}
    result = evaluate(tree, used, options=options)
    return Answer([result.values[name] for name in results], dict(result.grads))


def close(ours: Array, theirs: Array) -> bool:
    """Whether shapes and numbers agree."""
    if ours.shape != theirs.shape:
        return False
    size = np.abs(theirs[np.isfinite(theirs)]).max(initial=0.0) if theirs.dtype.kind == "f" else 0
    return np.allclose(ours, theirs, RELATIVE, ABSOLUTE + 1e-12 * size, equal_nan=True)


def compared(sample: Any, ours: Answer, theirs: Answer) -> str:
    """What differs, in a few words; empty where nothing does."""
    pairs = list(zip(ours.values, theirs.values, strict=True))
    same = [close(a, b) for a, b in pairs]
    if not all(same):
        sides = [_processed(sample, side.values) for side in (ours, theirs)]
        if all(close(a, b) for a, b in zip(*sides, strict=True)):
            return ""  # what the function leaves open, such as signs
        place = same.index(False)
        return f"value {place}: {_short(pairs[place][0])} instead of {_short(pairs[place][1])}"
    for name, grad in theirs.grads.items():
        if not close(ours.grads[name], grad):
            return f"grad of {name}: {_short(ours.grads[name])} instead of {_short(grad)}"
    return ""


def _processed(sample: Any, values: Sequence[Array]) -> list[Array]:
    tensors = [torch.from_numpy(np.ascontiguousarray(each)) for each in values]
    given = tensors[0] if len(tensors) == 1 else tuple(tensors)
    try:
        result = sample.output_process_fn_grad(given)
    except (AttributeError, TypeError, RuntimeError, IndexError):
        return list(values)
    results = result if isinstance(result, tuple | list) else [result]
    return [each.numpy() for each in results]


def _short(array: Array) -> str:
    text = np.array2string(array, precision=6, threshold=6).replace("\n", "")
    return f"{array.shape} {text[:90]}"


DOCUMENTED = {
    "as_strided_scatter": "what is overwritten gets no gradient",
    "cholesky_inverse": "the triangle that is not read gets no gradient",
    "cholesky_solve": "the triangle that is not read gets no gradient",
    "linalg.lstsq": "the residuals are there for every matrix",
    "nn.functional.ctc_loss": "behind log_softmax both are the same",
    "nn.functional.max_unpool1d": "what was overwritten gets no gradient",
    "nn.functional.max_unpool2d": "what was overwritten gets no gradient",
    "nn.functional.max_unpool3d": "what was overwritten gets no gradient",
    "nn.functional.hardsigmoid": "PyTorch's 1/6 has nine digits",
}
"""Functions that differ on purpose: see `gradcli ops --deviations`."""


def samples(op: Any) -> Iterator[tuple[Any, Call, Answer]]:
    """The samples that PyTorch answers, and answers twice the same."""
    symmetric = getattr(op.gradcheck_wrapper, "__name__", "").endswith("hermitian_input")
    for sample in op.sample_inputs("cpu", torch.float64, requires_grad=True):
        if symmetric:  # else the gradient is of no function
            sample.input = (sample.input + sample.input.mT).detach().requires_grad_()
        try:
            call = spelt(op, sample)
            theirs, again = in_torch(call), in_torch(call)
        except (UnwrittenError, RuntimeError, TypeError, AttributeError, NotImplementedError):
            continue
        pairs = zip(theirs.values, again.values, strict=True)
        if all(np.array_equal(a, b, equal_nan=a.dtype.kind == "f") for a, b in pairs):
            yield sample, call, theirs


def judged(op: Any, show: int) -> tuple[str, list[str]]:
    """`right`, `missing`, `differs`, `refused` or `outside`; and the first differences."""
    verdicts: Counter[str] = Counter()
    found: list[str] = []
    for sample, call, theirs in samples(op):
        shapes = {name: tuple(each.shape) for name, each in call.tensors.items()}
        try:
            told = compared(sample, here(call, theirs), theirs)
            word = "differs" if told else "right"
        except GradcliError as error:
            diagnostic = error.diagnostic
            told = f"{diagnostic.code}: {diagnostic.message}"
            unknown = diagnostic.code == "name" and " no function " in diagnostic.message
            word = "missing" if unknown else "refused"
        verdicts[word] += 1
        if told and len(found) < show:
            found.append(f"{call.text} of {shapes}: {told}")
    word = next((w for w in ("differs", "refused", "missing", "right") if verdicts[w]), "outside")
    total = sum(verdicts.values())
    return word, [f"{verdicts[word]} of {total}", *found] if found else []


def database(patterns: Sequence[str]) -> Mapping[str, Any]:
    """PyTorch's entries in scope, by name and variant."""
    from torch.testing._internal.common_methods_invocations import op_db

    entries = {f"{op.name} {op.variant_test_name}".strip(): op for op in op_db}
    return {
        name: op
        for name, op in sorted(entries.items())
        if torch.float64 in op.dtypes and op.supports_autograd and not OUTSIDE.match(name)
        if not patterns or any(re.fullmatch(each, op.name) for each in patterns)
    }


def main(arguments: list[str] | None = None) -> int:
    """The command; it ends with 1 if a value or a gradient differs."""
    parser = argparse.ArgumentParser(prog="python -m tests.campaigns.op_samples")
    parser.add_argument("patterns", nargs="*", help="regular expressions of PyTorch's names")
    parser.add_argument("--show", type=int, default=3, help="how many differences of a function")
    asked = parser.parse_args(arguments)
    torch.set_num_threads(1)
    torch.manual_seed(0)
    warnings.simplefilter("ignore")
    counts: Counter[str] = Counter()
    for name, op in database(asked.patterns).items():
        word, told = judged(op, asked.show)
        if word == "differs" and op.name in DOCUMENTED:
            word = "documented"
        counts[word] += 1
        if word not in ("right", "outside"):
            print(f"{word} {name}", *told, sep="\n    ", flush=True)
    del counts["outside"]
    print(f"{counts.total():>5} functions and variants in scope")
    print(*(f"{count:>5} {word}" for word, count in counts.most_common()), sep="\n")
    return 1 if counts["differs"] else 0


if __name__ == "__main__":
    sys.exit(main())
