"""What `gradcli help language` says: every construct, with an example that runs."""

from __future__ import annotations

from typing import NamedTuple


class Construct(NamedTuple):
    """A construct of the language."""

    title: str
    example: str
    """A program that runs."""
    meaning: str


GUIDE: dict[str, tuple[Construct, ...]] = {
    "Statements and blocks": (
        Construct("binding", "x = 3; a, (b, c) = 1, (2, 3); u = v = x", "names, tuples, chains"),
        Construct("unpacking", "a, *b = [1, 2, 3]\ndef f(*args, **options): return len(args)\n"
                  "f(*b, **{'lr': 1})", "*rest, f(*args, **options)"),
        Construct("elements", "x = zeros(3)\ny = x[:2]\nx[0] = 1; x[1:] += 2; x[x > 1] = 0; sum(y)",
                  "of tensors, for all that share them; of lists"),
        Construct("augmented", "x = 3; x += 1", "binds a new value to the name"),
        Construct("if", "x = 3\nif x > 2: y = x\nelse: y = 1", "by indentation, or in { }"),
        Construct("while", "x = 1\nwhile x < 9:\n    x = x * 2",
         "looks at values; has a step limit"),
        Construct("for", "for i in range(3): y = i", "over ranges, lists and rows; else too"),
        Construct("def", "def f(x, y=1):\n    return x * y\nf(2)", "functions; types are ignored"),
        Construct("match", "match [1, 2]:\n    case 0 | 1: y = 0\n"
                  "    case [a, *b] if a > 0: y = a\n    case _: y = 3\ny",
                  "values, names, rows, {'k': v}, Class(x=v), a | b, conditions"),
        Construct("yield", "def f(n):\n    yield from range(n)\n    yield 7\nsum(list(f(3)))",
                  "a generator goes on when the next value is asked for; x = yield v"),
        Construct("global", "n = 1\ndef f():\n    global n\n    n = 2\nf(); n",
                  "global and nonlocal: names of outer bodies"),
        Construct("class", "class A:\n    def __init__(self, x): self.x = x\n"
                  "    def __add__(self, b): return A(self.x + b.x)\n(A(1) + A(2)).x",
                  "methods, super(), operators, @property, @x.setter"),
        Construct("raise", "class NoFit(ValueError): pass\ntry:\n    raise NoFit('no')\n"
                  "except ValueError as e: print(e)",
                  "errors, also of the program's own classes; raise … from e"),
        Construct("lambda", "f = lambda x: x**2\nf(3)", "a function as a value"),
        Construct("with", "with torch.no_grad():\n    y = 1", "torch.no_grad(), enable_grad()"),
        Construct("decorators", "@torch.no_grad()\ndef f(x): return x\nf(1)",
         "the same for functions"),
        Construct("try",
         "import torch\ntry:\n    torch.ones(2).backward()\nexcept RuntimeError: print(3)",
                  "for a statement that must fail"),
        Construct("assert", "x = 3; assert x == 3, 'not 3'", "an error where it does not hold"),
        Construct("del", "d = {0: 1}; xs = list('ab'); del d[0], xs[1:]; len(d)",
                  "names, attributes, elements of lists and dictionaries"),
        Construct("pass", "if 1 > 2: pass\nx = 1", "nothing"),
        Construct("docstrings", "def f(x):\n    '''Squares.'''\n    return x**2\nf(3)",
         "are skipped"),
        Construct("prompts", ">>> x = 2\n>>> if x:\n...     y = 3 * x\n...\n>>> print(y)\n6",
                  "of a pasted session, also In [1]: what it printed is left out"),
    ),
    "Expressions": (
        Construct("conditional", "x = 3; y = x if x > 0 else -x", "a choice by one truth value"),
        Construct(":=", "print((n := 3) + n)\n[y for x in range(3) if (y := x * 2) > 1]",
                  "a name for a value inside an expression"),
        Construct("comprehensions", "sum([i**2 for i in range(4) if i > 1])",
                  "lists; in ( ) for arguments"),
        Construct("f-strings", "x = 3; print(f'{x:.3f} {x = }')", "looked at when they are met"),
        Construct("format", "print('{:>6.2f} {n}'.format(3.14, n=1), '%d' % 2)",
                  "Python's formats, in strings too"),
        Construct("lists", "xs = []; xs.append(3); len(xs)", "append, extend, len, sum, min, max"),
        Construct("dictionaries", "d = dict(a=1)\nd['b'] = 2\n"
                  "for k, v in {**d, 'c': 3}.items(): print(k, v)",
                  "{**d}, {k: v for …}, get, items, keys, values, pop, update"),
        Construct("sets", "s = {3, 1}\ns.add(2)\nlen(s)",
                  "add, remove, union, intersection, difference, | & - <="),
        Construct("deepcopy", "import copy\ncopy.deepcopy([1, 2])[0]", "what it holds is new, too"),
        Construct("membership", "print(3 in [1, 2], 'a' not in {'a': 1})", "in, not in"),
        Construct("strings", "print(', '.join(['a', 'b']).upper().replace('A', 'c'))",
                  "join, split, strip, replace, upper and the like; ord, chr"),
        Construct("sorted", "sorted([3, 1, 2], key=lambda x: -x)",
                  "sorted, map, filter, isinstance, getattr"),
        Construct("iterables", "for i, (a, b) in enumerate(zip([1], [3])): y = a * b",
                  "zip, enumerate, reversed, list, tuple"),
        Construct("numbers", "max(1, 2) + abs(-3) + round(2.5) + int(float('7.9'))",
                  "of plain numbers as Python's"),
        Construct("bases", "import math\nprint(bin(5), hex(255), hash((1, 2)))\nformat(pi, '.2f')",
                  "bin, hex, oct, format, hash, frozenset, slice"),
        Construct("is", "x = 3; y = 1 if x is not None else 0", "None, and the same tensor"),
        Construct("print", "print(1, 2, sep=', ', end='!')", "sep and end too"),
    ),
    "Modules": (
        Construct("import",
         "import torch, math\nfrom torch.nn import functional as F\nF.relu(torch.tensor(math.pi))",
                  "torch, numpy, math, and parts of torch"),
        Construct("seeds", "import torch\ntorch.manual_seed(1)\ntorch.randn(3).sum()",
                  "gradcli's own random numbers, not PyTorch's"),
        Construct("np.random", "import numpy as np\nnp.random.seed(0)\nnp.random.rand(2, 2).sum()",
                  "NumPy's numbers of that seed; so are those of Python's random"),
        Construct("collections", "from collections import namedtuple, deque\n"
                  "P = namedtuple('P', 'x y')\nprint(P(1, y=2), len(deque([1, 2, 3], maxlen=2)))",
                  "namedtuple, deque, Counter, defaultdict, OrderedDict"),
        Construct("integers", "import numpy as np\na = np.array([1, 2])\n"
                  "print(a.dtype, a // 2, a / 2)",
                  "of Python and NumPy stay integers, as there; so do those of PyTorch"),
        Construct("dtypes", "import torch\nx = torch.tensor([1, 2], dtype=torch.int32)\n"
                  "print(x, x.double(), (x * 2.5).dtype)",
                  "shown and promoted as in PyTorch; floats are computed in --dtype's"),
        Construct("limits of dtypes", "import torch\nprint(torch.finfo(torch.float32).eps)\n"
                  "print(torch.result_type(torch.tensor([1]), 1.0))",
                  "finfo, iinfo, result_type, promote_types, can_cast"),
        Construct("memory", "import torch\nx = torch.arange(6).view(2, 3)\n"
                  "print(x.t().stride(), x.t().is_contiguous())",
                  "stride, storage_offset, is_contiguous, contiguous, _version, data_ptr"),
        Construct("print options", "import torch\ntorch.set_printoptions(precision=2)\n"
                  "print(torch.linspace(0, 1, 4))",
                  "torch.set_printoptions, np.set_printoptions"),
        Construct("distributions", "import torch\nfrom torch.distributions import Normal\n"
                  "p = Normal(0., 1.)\nprint(p.log_prob(torch.tensor(0.5)), p.sample((2,)))",
                  "Normal and others, kl_divergence; torch.normal, multinomial"),
        Construct("counts", "import torch\nprint(torch.bincount(torch.tensor([0, 2, 2])))",
                  "bincount, unique, histc, bucketize, searchsorted, isin"),
    ),
    "Gradients": (
        Construct("leaves", "x = tensor(3., requires_grad=True)\n(x**2).backward(); x.grad",
                  "requires_grad, is_leaf, grad, grad_fn"),
        Construct("in place", "w = tensor(1., requires_grad=True)\nwith torch.no_grad(): w -= 0.1\n"
                  "w.data.mul_(2); w.grad = None; w", "leaves under no_grad, and .data"),
        Construct("graph nodes", "import torch\nx = torch.tensor(2., requires_grad=True)\n"
                  "y = x * 3\nprint(y.grad_fn.name(), y.grad_fn.next_functions)",
                  "grad_fn: name, next_functions, hooks, metadata"),
        Construct("anomalies", "import torch\nx = torch.tensor(2., requires_grad=True)\n"
                  "with torch.autograd.set_detect_anomaly(True):\n    (x**2).backward()\nx.grad",
                  "backward stops where a gradient is NaN"),
        Construct("autograd", "import torch\nx = torch.tensor(2., requires_grad=True)\n"
                  "torch.autograd.grad(x**3, x)[0]", "grad, backward, gradcheck"),
        Construct("functional", "import torch\n"
                  "J = torch.autograd.functional.jacobian\nJ(lambda x: x**2, torch.ones(2)).sum()",
                  "jacobian, hessian, jvp, vjp, hvp, vhp"),
        Construct("transforms", "import torch\ntorch.func.grad(lambda x: x**3)(torch.tensor(2.))",
                  "torch.func: grad, jacrev, jacfwd, hessian, vmap, jvp, vjp"),
        Construct("layers", "import torch\nm = torch.nn.Linear(2, 1)\n"
                  "torch.nn.init.ones_(m.weight)\nm(torch.ones(2)).sum()",
                  "nn.Linear, Conv2d, Embedding, LayerNorm, Sequential and others"),
        Construct("recurrent layers", "import torch\n"
                  "out, (h, c) = torch.nn.LSTM(2, 3)(torch.ones(4, 1, 2))\nout.sum()",
                  "nn.RNN, LSTM, GRU and their cells"),
        Construct("batch norm", "import torch\nm = torch.nn.BatchNorm1d(2)\n"
                  "m(torch.tensor([[1., 2.], [3., 5.]])).sum()\nm.eval(); m.running_mean",
                  "nn.BatchNorm1d to 3d; Dropout in train() and eval()"),
        Construct("schedulers", "import torch\nw = torch.ones(1, requires_grad=True)\n"
                  "o = torch.optim.SGD([w], lr=0.1)\n"
                  "s = torch.optim.lr_scheduler.StepLR(o, step_size=1)\ns.step()\n"
                  "print(o.param_groups[0]['lr'], s.get_last_lr())",
                  "StepLR, CosineAnnealingLR, OneCycleLR, LambdaLR and others"),
        Construct("hooks", "import torch\nx = torch.ones(2, requires_grad=True)\ny = x * 2\n"
                  "y.register_hook(lambda g: g * 3)\ny.sum().backward(); x.grad.sum()",
                  "x.register_hook, layer.register_forward_hook"),
        Construct("data", "import torch\nfrom torch.utils.data import TensorDataset, DataLoader\n"
                  "d = TensorDataset(torch.ones(4), torch.ones(4))\n"
                  "for x, y in DataLoader(d, 2): x.sum()",
                  "Dataset, TensorDataset, DataLoader, Subset, random_split"),
        Construct("attention", "import torch\nm = torch.nn.MultiheadAttention(4, 2)\n"
                  "x = torch.ones(3, 4); y, w = m(x, x, x); y.sum()",
                  "nn.MultiheadAttention, nn.TransformerEncoderLayer and others"),
        Construct("calls of models", "import torch\nm = torch.nn.Linear(2, 1)\n"
                  "p = dict(m.named_parameters())\n"
                  "torch.func.functional_call(m, p, torch.ones(2)).sum()",
                  "torch.func.functional_call, stack_module_state"),
        Construct("functools", "from functools import reduce\nreduce(lambda a, b: a * b, [2, 3])",
                  "partial, reduce, wraps, lru_cache, total_ordering"),
        Construct("itertools", "import itertools\nfor a in itertools.product([1, 2], [3]): c = a",
                  "product, chain, combinations, accumulate, islice, count, groupby"),
        Construct("operator", "import operator\nfrom functools import reduce\n"
                  "reduce(operator.mul, [2, 3])\nmax([(1, 2)], key=operator.itemgetter(1))[0]",
                  "add, mul, lt and others, itemgetter, attrgetter"),
        Construct("enum", "from enum import Enum, auto\nclass Mode(Enum):\n    TRAIN = auto()\n"
                  "    EVAL = auto()\nprint(Mode.TRAIN, Mode(2), [m.value for m in Mode])",
                  "Enum, IntEnum, auto"),
        Construct("re", "import re\n"
                  "print(re.findall(r'\\w+', 'a cat'))\nre.sub(r'[^a-z]', '', 'a1b')",
                  "findall, sub, split, match, search: patterns that cannot take long"),
        Construct("json", "import json\nprint(json.dumps({'lr': 0.1}))\njson.loads('[1, 2]')[0]",
                  "dumps, loads"),
        Construct("heaps", "import heapq, bisect\nh = [3, 1]\nheapq.heapify(h)\n"
                  "print(heapq.heappop(h), bisect.bisect([1, 3], 2))",
                  "heapq, bisect; statistics: mean, median, stdev"),
        Construct("contextlib", "from contextlib import contextmanager\n"
                  "@contextmanager\ndef f(x):\n"
                  "    yield x\n    print('done')\nwith f(3) as y: print(y)",
                  "contextmanager, nullcontext"),
        Construct("paths", "import os\n"
                  "print(os.path.join('a', 'b'))\nos.environ.get('HOME', 'none')",
                  "os.path.join, splitext; pathlib.Path: names, of which no file is read"),
        Construct("dates", "from datetime import datetime, timedelta\n"
                  "print(datetime(2024, 1, 2) + timedelta(days=1))",
                  "datetime, date, timedelta, strftime; each run begins at one date"),
        Construct("namespaces", "from types import SimpleNamespace\n"
                  "a = SimpleNamespace(lr=0.1)\na.lr",
                  "SimpleNamespace, argparse.Namespace"),
        Construct("logging", "import logging\nlogging.info('seen')",
                  "is understood, and goes nowhere"),
        Construct("complex tensors", "import torch\n"
                  "print(torch.fft.rfft(torch.tensor([1., 2.])).abs())",
                  "torch.complex, polar, fft, complex64; their gradients"),
        Construct("tqdm", "from tqdm import tqdm\nfor i in tqdm(range(3)): y = i",
                  "tqdm, trange: the loop without a bar"),
        Construct("dataclasses", "from dataclasses import dataclass\n@dataclass\nclass Config:\n"
                  "    lr: float = 0.1\n    steps: int = 3\nprint(Config(0.2))",
                  "@dataclass, field"),
        Construct("saved states", "import torch\nm = torch.nn.Linear(2, 1)\n"
                  "torch.save(m.state_dict(), 'm.pt')\nm.load_state_dict(torch.load('m.pt'))",
                  "torch.save, torch.load: in memory, no file"),
        Construct("checkpoints", "import torch\n"
                  "from torch.utils.checkpoint import checkpoint\n"
                  "x = torch.ones(2, requires_grad=True)\n"
                  "y = checkpoint(torch.sin, x, use_reentrant=False)\ny.sum().backward()",
                  "functions that backward calls again"),
        Construct("averaged models", "import torch\n"
                  "from torch.optim.swa_utils import AveragedModel, SWALR\n"
                  "m = torch.nn.Linear(2, 1)\na = AveragedModel(m)\na.update_parameters(m)\n"
                  "print(a.n_averaged)",
                  "AveragedModel, SWALR, update_bn, get_ema_multi_avg_fn"),
        Construct("computed weights", "import torch\n"
                  "from torch.nn.utils import prune, weight_norm\n"
                  "m = weight_norm(torch.nn.Linear(2, 1))\nn = torch.nn.Linear(2, 1)\n"
                  "prune.l1_unstructured(n, 'weight', amount=1)\n"
                  "print(m.weight_g.shape)",
                  "weight_norm, spectral_norm, prune, parametrize"),
        Construct("time", "import time\nstart = time.time()\nprint(time.time() - start)",
                  "a clock that goes on by the same time at each look"),
        Construct("models", "import torch\nclass Net(torch.nn.Module):\n"
                  "    def __init__(self):\n        super().__init__()\n"
                  "        self.w = torch.nn.Parameter(torch.ones(2))\n"
                  "    def forward(self, x): return (self.w * x).sum()\n"
                  "net = Net()\nnet(torch.ones(2)).backward()\nprint(net, net.w.grad)",
                  "nn.Module: parameters, state_dict, train, eval"),
        Construct(
            "own layers",
            "import torch\n"
            "class Twice(torch.nn.Linear):\n"
            "    def forward(self, x):\n        return 2 * super().forward(x)\n"
            "Twice(2, 1)(torch.ones(2)).sum()",
            "class Block(nn.Sequential), (nn.Linear) and others",
        ),
        Construct(
            "own schedulers",
            "import torch\n"
            "class S(torch.optim.lr_scheduler.LRScheduler):\n"
            "    def get_lr(self): return [0.5**self.last_epoch]\n"
            "w = torch.ones(1, requires_grad=True)\n"
            "o = torch.optim.SGD([w], lr=1.0)\n"
            "print(S(o).get_last_lr())",
            "class Warmup(LRScheduler), which has get_lr",
        ),
        Construct("own optimisers", "import torch\nclass S(torch.optim.Optimizer):\n"
                  "    def __init__(self, params, lr):\n"
                  "        super().__init__(params, dict(lr=lr))\n"
                  "    @torch.no_grad()\n    def step(self):\n"
                  "        for g in self.param_groups:\n"
                  "            for p in g['params']:\n                p -= g['lr'] * p.grad\n"
                  "w = torch.ones(1, requires_grad=True)\n(w**2).sum().backward()\n"
                  "S([w], 0.1).step(); w.sum()",
                  "torch.optim.Optimizer: param_groups, state, zero_grad"),
        Construct("own backward", "import torch\nclass F(torch.autograd.Function):\n"
                  "    @staticmethod\n    def forward(ctx, x):\n"
                  "        ctx.save_for_backward(x)\n        return x**2\n"
                  "    @staticmethod\n    def backward(ctx, g):\n"
                  "        x, = ctx.saved_tensors\n        return 2 * x * g\n"
                  "x = torch.ones(2, requires_grad=True)\nF.apply(x).sum().backward(); x.grad",
                  "torch.autograd.Function: forward, backward, setup_context, jvp"),
        Construct("losses", "import torch\ntorch.nn.MSELoss()(torch.ones(2), torch.zeros(2))",
                  "nn.MSELoss, CrossEntropyLoss and the like"),
        Construct("optimisers", "import torch\nw = torch.ones(1, requires_grad=True)\n"
                  "o = torch.optim.SGD([w], lr=0.1)\n(w**2).sum().backward(); o.step(); w.sum()",
                  "SGD, Adam, AdamW, RMSprop, LBFGS and others; state, state_dict"),
    ),
}  # fmt: skip
"""By subject."""

OUTSIDE = (
    ("import of other modules", "data come in by --set x=@data.npy"),
    ("files, plots", "--save FILE.npz; gradcli plot"),
    ("async", "a program runs one statement after another"),
)
"""What is not in the language, and what serves instead."""
