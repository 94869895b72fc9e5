"""The races: what gradcli does, who else does the same, and how it should come out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from tests.benchmarks import loops, peers


class Sizes(NamedTuple):
    elements: int
    records: int
    samples: int
    batch: int
    ops: int
    rounds: int


FULL = Sizes(10**7, 20_000, 100_000, 4096, 100_000, 5)
QUICK = Sizes(10**6, 2_000, 10_000, 1024, 10_000, 1)


class Side(NamedTuple):
    """Another way to do the work."""

    name: str
    command: list[str]
    """Arguments of a Python."""
    at_least: Mapping[str, float]
    """By figure (see `processes.Cost`): its cost, over that of gradcli."""
    own: bool = False
    """gradcli's own Python runs it, not that of the peers."""


class Race(NamedTuple):
    """One piece of work."""

    name: str
    command: list[str]
    """gradcli's side, as arguments of a Python."""
    sides: tuple[Side, ...] = ()
    at_most: Mapping[str, float] = {}
    """By figure: what gradcli may take."""
    inputs: tuple[str, int] | None = None
    """What is written first: a kind of `inputs.py` and its size."""
    reads: str = ""
    """The file on standard input."""

    @property
    def is_inside(self) -> bool:
        """Whether it is the processes that measure."""
        return any("inside" in side.at_least for side in self.sides)


class Work(NamedTuple):
    """A function of large arrays, as gradcli, PyTorch and JAX write it."""

    text: str
    wrt: str
    pytorch: str
    jax: str


AGAINST_JAX = 0.8
"""JAX's time, over that of gradcli, at least: its compiler makes one loop of many functions."""


def gradcli(*arguments: str) -> list[str]:
    return ["-c", "from gradcli.cli import main; main()", *arguments]


def inside(text: str, wrt: str, *names: str) -> list[str]:
    return ["-m", "tests.benchmarks.inside", text, wrt, *names]


def peer(name: str, script: str, **at_least: float) -> Side:
    return Side(name, ["-c", script], at_least)


def mine(name: str, script: str, **at_least: float) -> Side:
    return Side(name, ["-c", script], at_least, own=True)


def races(sizes: Sizes) -> list[Race]:
    """All races, in the order of the table."""
    return [
        *_example(),
        *_batch(sizes.records),
        *_large("(2*x)**3", sizes.elements, pytorch=8, jax=5, autograd=2, numpy=1 / 1.3),
        *_large("tanh(1.5*x+0.1)*exp(-x**2)", sizes.elements, pytorch=6, jax=3),
        *_learning(sizes),
        *_value_alone(sizes),
        *_arrays(sizes.elements),
        *_matrices(works=4 if sizes is FULL else 1),
        _sparse(100_000),
        *_loops(),
        *_long(sizes.ops),
    ]


def _example() -> list[Race]:
    eval_example = ["eval", "z = (2*x)**3; out = mean(z)", "--set", "x=[[1,2],[3,4]]"]
    return [
        Race(
            "the README's example, JSON",
            gradcli(*eval_example, "--json"),
            (
                peer("PyTorch", peers.EXAMPLE_PYTORCH, wall=10),
                peer("JAX", peers.EXAMPLE_JAX, wall=6),
                peer("autograd", peers.EXAMPLE_AUTOGRAD, wall=0.9),
                mine("import numpy", "import numpy", wall=1 / 1.6, cpu=1 / 1.4),
            ),
        ),
        Race(
            "the README's example, text",
            gradcli(*eval_example),
            (peer("PyTorch", peers.EXAMPLE_PYTORCH, wall=8),),
        ),
    ]


def _batch(records: int) -> list[Race]:
    command = gradcli("batch", "--quiet", "--jobs", "1")
    return [
        Race(
            f"{records:,} records of one program",
            command,
            (peer("PyTorch", peers.ONE_PROGRAM_PYTORCH, wall=8),),
            inputs=("one_program", records),
            reads="records.jsonl",
        ),
        Race(
            f"{records:,} distinct programs",
            command,
            (peer("PyTorch", peers.DISTINCT_PROGRAMS_PYTORCH, wall=3),),
            inputs=("distinct_programs", records),
            reads="records.jsonl",
        ),
    ]


def _large(body: str, elements: int, **at_least: float) -> list[Race]:
    """Value and gradient of a mean over a file, the gradient saved."""
    scripts = {
        "pytorch": ("PyTorch", peers.large_pytorch(body)),
        "jax": ("JAX", peers.large_jax(body)),
        "autograd": ("autograd", peers.large_autograd(body)),
    }
    sides = [
        peer(name, script, wall=at_least[key])
        for key, (name, script) in scripts.items()
        if key in at_least
    ]
    if "numpy" in at_least:
        sides.append(mine("load, multiply, save", peers.LOAD_MULTIPLY_SAVE, wall=at_least["numpy"]))
    input_and_gradient = 2 * 8 * elements / 2**20
    return [
        Race(
            f"mean({body}), {elements:,} elements",
            gradcli(
                "eval", f"mean({body})", "--set", "x=@x.npy", "--values", "outputs",
                "--save", "g.npy", "--quiet",
            ),
            tuple(sides),
            {"peak": 1.15 * input_and_gradient + 40},
            ("array", elements),
        )
    ]  # fmt: skip


LOGISTIC = "binary_cross_entropy_with_logits(A @ w + b, y)"
NETWORK = "cross_entropy(relu(X @ W1 + b1) @ W2 + b2, labels)"


def _learning(sizes: Sizes) -> list[Race]:
    models = [
        (
            f"logistic regression, {sizes.samples:,} × 200",
            LOGISTIC, ("w", "b"), ("A", "y", "w", "b"), ("logistic", sizes.samples),
            peers.LOGISTIC_PYTORCH, peers.LOGISTIC_PYTORCH_INSIDE,
        ),
        (
            f"two layers, batch {sizes.batch:,}",
            NETWORK, ("W1", "b1", "W2", "b2"), ("X", "labels", "W1", "b1", "W2", "b2"),
            ("network", sizes.batch), peers.NETWORK_PYTORCH, peers.NETWORK_PYTORCH_INSIDE,
        ),
    ]  # fmt: skip
    found = []
    for name, text, leaves, names, files, whole, within in models:
        bindings = [part for each in names for part in ("--set", f"{each}=@{each}.npy")]
        wrt = ",".join(leaves)
        found += [
            Race(
                f"{name}, in process",
                inside(text, wrt, *names),
                (peer("PyTorch", within, inside=1),),
                inputs=files,
            ),
            Race(
                name,
                gradcli("eval", text, *bindings, "--wrt", wrt, "--values", "outputs",
                        "--save", "g.npz", "--quiet"),
                (peer("PyTorch", whole, wall=1.5),),
                inputs=files,
            ),
        ]  # fmt: skip
    return found


def _value_alone(sizes: Sizes) -> list[Race]:
    """The gradient against the value alone of the same program, inside a process."""
    cases = [
        ("mean(tanh(1.5*x+0.1)*exp(-x**2))", "x", ("x",), ("array", sizes.elements)),
        (LOGISTIC, "w,b", ("A", "y", "w", "b"), ("logistic", sizes.samples)),
        (NETWORK, "W1,b1,W2,b2", ("X", "labels", "W1", "b1", "W2", "b2"),
         ("network", sizes.batch)),
    ]  # fmt: skip
    return [
        Race(
            f"gradient of {text}",
            inside(text, wrt, *names),
            (Side("its value alone", inside(text, "-", *names), {"inside": 1 / 3}, own=True),),
            inputs=files,
        )
        for text, wrt, names, files in cases
    ]


def _arrays(elements: int) -> list[Race]:
    """Value and gradient of functions of large arrays, inside a process."""
    attention = "scaled_dot_product_attention(q, k, v)"
    works = [
        Work("mean(gelu(x))", "x", "F.gelu(x).mean()", "nn.gelu(x, approximate=False).mean()"),
        Work(
            "mean(tanh(1.5*x+0.1)*exp(-x**2))", "x",
            "(torch.tanh(1.5*x+0.1)*torch.exp(-x**2)).mean()",
            "(jnp.tanh(1.5*x+0.1)*jnp.exp(-x**2)).mean()",
        ),
        Work(
            "mean(where(x > 0, x*y, x**2))", "x,y", "torch.where(x > 0, x*y, x**2).mean()",
            "jnp.where(x > 0, x*y, x**2).mean()",
        ),
        Work("median(x)", "x", "x.median()", "jnp.median(x)"),
        Work("quantile(x, 0.3)", "x", "x.quantile(0.3)", "jnp.quantile(x, 0.3)"),
        Work("sum(topk(x, 100).values**2)", "x", "(x.topk(100).values**2).sum()",
             "(lax.top_k(x, 100)[0]**2).sum()"),
        Work("sum(sort(x).values * y)", "x,y", "(x.sort().values * y).sum()",
             "(jnp.sort(x) * y).sum()"),
        Work(
            f"mean({attention})", "q,k,v", f"F.{attention}.mean()",
            "(nn.softmax(q @ jnp.swapaxes(k, 1, 2) / 8) @ v).mean()",
        ),
        Work(
            "mean(max_pool2d(i, 2))", "i", "F.max_pool2d(i, 2).mean()",
            "lax.reduce_window(i, -jnp.inf, lax.max, (1, 1, 2, 2), (1, 1, 2, 2), 'VALID').mean()",
        ),
        Work(
            "cross_entropy(a, labels)", "a", "F.cross_entropy(a, labels)",
            "-jnp.take_along_axis(nn.log_softmax(a), labels[:, None], 1).mean()",
        ),
        Work("mean(softmax(a, -1)**2)", "a", "(torch.softmax(a, -1)**2).mean()",
             "(nn.softmax(a)**2).mean()"),
        Work("norm(x)", "x", "x.norm()", "jnp.linalg.norm(x)"),
        Work("mean(logsumexp(a, -1))", "a", "torch.logsumexp(a, -1).mean()",
             "nn.logsumexp(a, -1).mean()"),
    ]  # fmt: skip
    found = []
    for text, wrt, pytorch, jax in works:
        names = (*wrt.split(","), *(["labels"] if "labels" in text else []))
        found.append(
            Race(
                f"{text}, {elements:,} elements, in process",
                inside(text, wrt, *names),
                (
                    peer("PyTorch", peers.arrays_pytorch(pytorch, wrt, names), inside=1),
                    peer("JAX", peers.arrays_jax(jax, wrt, names), inside=AGAINST_JAX),
                ),
                inputs=("arrays", elements),
            )
        )
    return found


def _matrices(works: int) -> list[Race]:
    """Jacobians of a thousand rows and Hessians of 300, from the text of a program on."""
    matrices = [
        ("jacobian", "tanh(W @ x)", "x", ("W", "x"), "torch.tanh(W @ x)"),
        ("jacobian", "sin(x) * cumsum(x, 0)", "x", ("x",), "torch.sin(x) * torch.cumsum(x, 0)"),
        (
            "hessian", "sum(100*(p[1:] - p[:-1]**2)**2 + (1 - p[:-1])**2)", "p", ("p",),
            "(100*(p[1:] - p[:-1]**2)**2 + (1 - p[:-1])**2).sum()",
        ),
        (
            "hessian",
            "mean((tanh(D @ p[:260].reshape(13, 20) + p[260:280]) @ p[280:] - t)**2)",
            "p", ("D", "p", "t"),
            "((torch.tanh(D @ p[:260].reshape(13, 20) + p[260:280]) @ p[280:] - t)**2).mean()",
        ),
    ]  # fmt: skip
    ways = {
        "jacobian": "torch.func.jacrev(function)(point)",
        "hessian": "torch.func.hessian(function)(point)",
    }
    found = []
    for command, text, wrt, names, function in matrices[:works]:
        bindings = [part for each in names for part in ("--set", f"{each}=@{each}.npy")]
        whole, within = peers.matrix_pytorch(names, wrt, function, ways[command])
        arguments = (command, text, wrt, *names)
        found += [
            Race(
                f"{command} of {text}, in process",
                ["-m", "tests.benchmarks.matrices", *arguments],
                (peer("PyTorch", within, inside=1.2),),
                inputs=("matrices", 1000),
            ),
            Race(
                f"{command} of {text}",
                gradcli(command, text, *bindings, "--wrt", wrt, "--save", "g.npy", "--quiet"),
                (peer("PyTorch", whole, wall=5),),
                inputs=("matrices", 1000),
            ),
        ]
    return found


def _sparse(size: int) -> Race:
    """A Hessian with three entries in a row, of which not all could be held."""
    program = "sum(100*(x[1:] - x[:-1]**2)**2 + (1 - x[:-1])**2)"
    return Race(
        f"sparse hessian of Rosenbrock's function, {size:,} inputs",
        gradcli("hessian", program, "--set", "x=@x.npy", "--save", "h.npz", "--quiet"),
        at_most={"wall": 1.0},
        inputs=("array", size),
    )


def _loops() -> list[Race]:
    """Value and gradient of loops, as whole processes and once they are traced and planned."""
    found: list[Race] = []
    for work in loops.LOOPS:
        names, script = (*work.leaves, *work.data), loops.pytorch(work)
        bindings = [part for each in names for part in ("--set", f"{each}=@{each}.npy")]
        wrt = ("--wrt", ",".join(work.leaves)) if work.leaves else ()
        sides = [peer("PyTorch", f"{script}step()", wall=work.ahead)]
        if work.jax:
            sides.append(peer("JAX", loops.jax(work), wall=1))
        whole = Race(
            work.name,
            gradcli("eval", work.text, *bindings, *wrt, "--values", "outputs", "--json"),
            tuple(sides),
            {"peak": work.peak},
            ("loops", 1024),
        )
        within = Race(
            f"{work.name}, in process",
            inside(work.text, ",".join(work.leaves) or "-", *names),
            (peer("PyTorch", f"{script}{peers.TIMED}", inside=1),),
            inputs=("loops", 1024),
        )
        found += [whole, within] if work.is_raced_inside else [whole]
    million = loops.LOOPS[0].text.replace("20000", "1000000")
    return [
        *found,
        Race(
            "a loop of 1,000,000 passes",
            gradcli("eval", million, "--set", "x=@x.npy", "--json"),
            at_most={"wall": 20, "peak": 200},
            inputs=("loops", 1024),
        ),
    ]


def _long(ops: int) -> list[Race]:
    return [
        Race(
            f"a chain of {ops:,} ops",
            gradcli("eval", "-f", "chain.grad", "--set", "x=0.5", "--json"),
            at_most={"wall": 1.3},
            inputs=("chain", ops),
        ),
        Race(
            f"a chain of {ops:,} ops, all lines alike",
            gradcli("eval", "-f", "alike.grad", "--set", "x=0.5", "--json"),
            at_most={"wall": 1.3},
            inputs=("alike", ops),
        ),
        Race(
            f"a sum of {ops:,} terms",
            gradcli("eval", "-f", "terms.grad", "--set", "x=0.5", "--json"),
            at_most={"wall": 1.0},
            inputs=("terms", ops),
        ),
    ]
