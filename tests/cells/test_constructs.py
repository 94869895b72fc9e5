"""Every construct of `gradcli help language`: its example runs, its errors say what is wrong."""

from __future__ import annotations

import pytest

from gradcli.cli.help import language
from gradcli.diagnostics import GradcliError, Source
from gradcli.language.guide import GUIDE, Construct
from gradcli.language.parser import ParseLimits, parse_program
from gradcli.options import DEFAULT
from gradcli.session import Limits, evaluate
from gradcli.trace import TraceLimits

CONSTRUCTS = [each for constructs in GUIDE.values() for each in constructs]
T = "import torch\n"
ABSTRACT = """
from abc import ABC, abstractmethod
class A(ABC):
    @abstractmethod
    def f(self): pass
A()
"""
M = "from contextlib import contextmanager\n@contextmanager\n"
W = T + "w = torch.ones(2, requires_grad=True)\n"

ERRORS = [
    ("bases", "import math\nbin(1.5)", "type", "must be an integer"),
    ("dates", "from datetime import datetime\ndatetime(2024, 13, 1)", "value", "month must be"),
    ("binding", "a, (b, c) = 1, (2, 3, 4)", "value", "2 names for 3"),
    ("binding", "a = b + 1 = 3", "syntax", "cannot be assigned to"),
    ("augmented", "f(x) += 1", "syntax", "cannot be assigned to"),
    ("if", "if 1:\n    x = 2\n      y = 3", "syntax", "line 2 of its block"),
    ("while", "while 1:\nx = 2", "syntax", "block of the `while` in line 1"),
    ("for", "for i in 3: pass", "type", "nothing to loop over"),
    ("def", "def f(x, y=1): return x\nf()", "type", "f needs x"),
    ("match", "match 3:\n    case x + 1: pass", "syntax", "no pattern"),
    ("match", "match 3:\n    case nothing.here: pass", "name", "nothing"),
    ("match", "class A: pass\nmatch A():\n    case A(x): pass", "type", "order of its attributes"),
    ("match", "match 3:\n    case torch.ones(2): pass", "type", "isinstance does not know"),
    ("averaged models", T + "torch.optim.swa_utils.AveragedModel(3)", "type", "takes a model"),
    ("saved states", T + "torch.load('m.pt')", "value", "saved nothing as 'm.pt'"),
    ("saved states", T + "torch.save(1, 2)", "type", "takes the name of a file"),
    ("saved states", T + "import io\nb = io.BytesIO()\ntorch.save(1, b)\ntorch.load(b)", "value",
     "at its end"),
    ("checkpoints", T + "torch.utils.checkpoint.checkpoint(3)", "type", "takes a function"),
    ("checkpoints", T + "torch.utils.checkpoint.checkpoint_sequential([], 0, 1)", "value",
     "0 segments"),
    ("averaged models", T + "a = torch.optim.swa_utils.AveragedModel(torch.nn.Linear(2, 1))\n"
     "a.update_parameters(torch.nn.Tanh())", "value", "not like the one"),
    ("averaged models", T + "torch.optim.swa_utils.get_ema_avg_fn(2)", "value", "from 0 to 1"),
    ("computed weights", T + "torch.nn.utils.weight_norm(torch.nn.Tanh())", "name",
     "no parameter 'weight'"),
    ("computed weights", T + "torch.nn.utils.prune.l1_unstructured(torch.nn.Linear(2, 1), "
     "'weight', amount=3)", "value", "at most 2"),
    ("computed weights", T + "torch.nn.utils.prune.remove(torch.nn.Linear(2, 1), 'weight')",
     "value", "not computed of others"),
    ("itertools", "import itertools\nlist(itertools.count())", "limit-nodes", "nodes"),
    ("itertools", "import itertools\nitertools.islice([1], 0, 1, 0)", "value", "step is 0"),
    ("operator", "import operator\noperator.add(1)", "type", "add needs b"),
    ("enum", "from enum import Enum\nclass A(Enum):\n    X = 1\nA(3)", "value", "no value of A"),
    ("enum", "from enum import Enum\nclass A(Enum):\n    X = 1\nA.Y", "name", "no member 'Y'"),
    ("re", "import re\nre.findall('(a+)+b', 'a')", "value", "repeats what repeats"),
    ("re", "import re\nre.findall(r'(a)\\1', 'a')", "value", "refers back"),
    ("re", "import re\nre.search('.*.*.*.*b', 'a' * 1000)", "value", "very long on 1,000"),
    ("re", "import re\nre.match('(aa?)*b', 'a' * 60)", "value", "repeats what repeats"),
    ("re", "import re\nre.match('(ab|a)*c', 'a' * 60)", "value", "before or behind |"),
    ("re", "import re\nre.match('a?' * 40 + 'a' * 40, 'a' * 40)", "value", "very long"),
    ("re", "import re\nre.match('((((){999}){999}){999}){999}', 'a')", "value", "very long"),
    ("re", "import re\nre.search('(', 'a')", "value", "no pattern"),
    ("re", "import re\nre.sub('(a)', r'\\2', 'a')", "value", "cannot stand in its place"),
    ("json", "import json\njson.loads('{')", "value", "no JSON"),
    ("json", "import json, torch\njson.dumps({'a': torch.ones(2)})", "type", "not JSON"),
    ("json", "import json\njson.loads('[' * 5000)", "value", "no JSON"),
    ("heaps", "import heapq\nheapq.heappop([])", "index", "empty"),
    ("heaps", "import statistics\nstatistics.stdev([1])", "value", "two data points"),
    ("contextlib", M + "def f(): return 3\nwith f(): pass", "type", "a function that yields"),
    ("contextlib", M + "def f():\n    yield 1\n    yield 2\nwith f(): pass", "value",
     "didn't stop"),
    ("paths", "import os\nos.path.join('a', 3)", "type", "takes strings"),
    ("paths", "import os\nos.remove('a')", "name", "os.remove"),
    ("namespaces", "from types import SimpleNamespace\nSimpleNamespace(a=1).b", "name", "'b'"),
    ("logging", "import logging\nlogging.FileHandler('a')", "name", "FileHandler"),
    (":=", "x := 3", "syntax", "inside an expression"),
    (":=", "(x.y := 3)", "syntax", "`:=` cannot stand here"),
    ("yield", "def f(n): yield from f(n)\nlist(f(1))", "limit-depth", "wait for each other"),
    ("yield", "def f(): yield from 3\nlist(f())", "type", "nothing to loop over"),
    ("yield", "yield 3", "syntax", "outside a function"),
    ("yield", "def f():\n    yield 1\nlen(f())", "type", "has no length"),
    ("yield", "def f():\n    while 1: yield 1\nlist(f())", "limit-steps", "steps"),
    ("lambda", "f = lambda x: x\nf(1, 2)", "type", "lambda takes 1 argument"),
    ("with", "with range(3): pass", "type", "a range is no setting"),
    ("decorators", "@range(3)\ndef f(x): return x", "type", "a range is no decorator"),
    ("try", "try:\n    x = nothing\nexcept ValueError: pass", "name", "'nothing'"),
    ("try", "try:\n    while 1: pass\nexcept: pass", "limit-steps", "steps"),
    ("assert", "x = 3; assert x == 4, 'no 4'", "assertion", "no 4"),
    ("assert", "x = 3; assert x > 4", "assertion", "does not hold: x > 4"),
    ("del", "del x", "name", "'x' is not bound"),
    ("del", "del 3", "syntax", "not a number"),
    ("del", "d = {1: 2}; del d[3]", "index", "no key"),
    ("del", "xs = [1, 'a']; del xs[2]", "index", "out of range"),
    ("del", "del zeros(3)[0]", "type", "cannot be deleted"),
    ("del", "x = zeros(3); del x.name", "name", "cannot be deleted"),
    ("del", "class P: pass\np = P(); del p.x", "name", "'x'"),
    ("pass", "pass 1", "syntax", "`1`"),
    ("docstrings", "'''a", "syntax", "not closed"),
    ("prompts", ">>> x = 1\n2\n>>> x = = 3", "syntax", "="),
    ("conditional", "y = 1 if [1, 2] > 1 else 2", "value", "several elements"),
    ("comprehensions", "[i for i in 3]", "type", "nothing to loop over"),
    ("comprehensions", "[i for i in range(9**9)]", "limit-nodes", "nodes"),
    ("f-strings", "x = [1, 2]; print(f'{x:.3f}')", "type", "has no format"),
    ("f-strings", "print(f'{1:.3q}')", "value", "is no format"),
    ("f-strings", "print(f'{1:99999}')", "value", "is no format"),
    ("f-strings", "print(f'{1')", "syntax", "not closed"),
    ("format", "'{} {}'.format(1)", "value", "no value for the field"),
    ("format", "'%d %d' % 1", "type", "more places"),
    ("lists", "x = 3; x.append(1)", "name", "no method 'append'"),
    ("iterables", "zip(3)", "type", "nothing to loop over"),
    ("numbers", "max((1, 'a'), key=lambda x: x)", "type", "no > of str and int"),
    ("numbers", "float('a')", "value", "is no number"),
    ("is", "x is", "syntax", "value is missing"),
    ("print", "print(1, sep=2)", "type", "strings"),
    ("import", "import shutil\nshutil.move", "name", "no module 'shutil'"),
    ("import", "import matplotlib.pyplot as plt\nplt.show()", "name", "no module 'matplotlib'"),
    ("import", "import autograd.numpy as np\nnp.exp(1.0)", "name", "no module 'autograd.numpy'"),
    ("import", "import nn\nnn.Linear(2, 1)", "name", "no module 'nn'"),
    ("import", "from optim import *", "name", "no module 'optim'"),
    ("import", "from torch import nothing\nnothing(1)", "name", "gradcli has no torch.nothing"),
    ("import", T + "torch.nothing(1)", "name", "'torch.nothing'"),
    ("seeds", T + "torch.manual_seed(-1)", "value", "0 or more"),
    ("np.random", "import numpy as np\nnp.random.seed(-1)", "value", "0 to 2**32"),
    ("np.random", "import numpy as np\nnp.random.normal(0, -1)", "value", "scale < 0"),
    ("collections", "from collections import namedtuple\nnamedtuple('P', 'x x')", "value",
     "different words"),
    ("collections", "from collections import deque\ndeque([]).popleft()", "index", "empty deque"),
    ("integers", "import numpy as np\nnp.array([1, 2], dtype='int5')", "type", "no dtype int5"),
    ("dtypes", T + "torch.ones(2, dtype=torch.int5)", "type", "no dtype int5"),
    ("dtypes", T + "torch.ones(2, 2).double() @ torch.ones(2)", "type", "float64 and float32"),
    ("dtypes", T + "torch.tensor([1, 2]).mean()", "type", "not int64"),
    ("limits of dtypes", T + "torch.finfo(torch.int32)", "type", "for floats"),
    ("own layers", T + "class L(torch.nn.Linear): pass\nL(2)", "type", "out_features"),
    ("own schedulers", T + "class S(torch.optim.lr_scheduler.LRScheduler): pass\nS(3)", "type",
     "an optimiser first"),
    ("own optimisers", T + "class S(torch.optim.Optimizer): pass\n"
     "S([torch.ones(1)], 3)", "type", "dictionary"),
    ("limits of dtypes", T + "torch.finfo(3)", "type", "a dtype"),
    ("memory", T + "torch.ones(2, 3).t().view(6)", "value",
     "contiguous subspaces"),
    ("graph nodes", W + "(w * 2).grad_fn.saved", "name", "saved"),
    ("anomalies", T + "x = torch.tensor(-1., requires_grad=True)\n"
     "with torch.autograd.set_detect_anomaly(True): x.sqrt().backward()", "value", "nan"),
    ("schedulers", T + "torch.optim.lr_scheduler.OneCycleLR(torch.optim.SGD([torch.ones(1, "
     "requires_grad=True)]), 1.0)", "value", "total_steps"),
    ("print options", T + "torch.set_printoptions(profile='long')", "value", "default, short"),
    ("leaves", W + "y = w * 2\ny.requires_grad = False", "no-grad", "leaves only"),
    ("in place", W + "w.mul_(2)", "value", "cannot change in place"),
    ("in place", T + "x = torch.ones(1).expand(3)\nx.add_(1)", "value", "expanded"),
    ("in place", W + "y = w**2\nwith torch.no_grad(): w.add_(1)\ny.sum().backward()", "value",
     "modified by an inplace operation"),
    ("elements", W + "w[0] = 1", "value", "cannot change in place"),
    ("elements", T + "x = torch.ones(3)\nx[5] = 1", "index", "out of range"),
    ("elements", T + "x = torch.ones(3)\nx[:2] = torch.ones(3)", "shape", "cannot be put into"),
    ("elements", "x = (1, 2)\nx[0] = 3", "type", "the elements of a tuple cannot be set"),
    ("elements", T + "x = [1, 2]\nx[2] = 3", "index", "out of range"),
    ("dictionaries", "d = {'a': 1}\nd['b']", "index", "no key 'b'"),
    ("dictionaries", "d = {[1]: 1}", "type", "cannot be a key"),
    ("dictionaries", "d = {}\nd['d'] = d", "value", "cannot hold itself"),
    ("dictionaries", "d = {}\nd.item()", "name", "no method 'item'"),
    ("membership", "3 in 4", "type", "nothing to loop over"),
    ("unpacking", "a, *b, c = [1]", "value", "names for 1"),
    ("unpacking", "def f(x): return x\nf(**3)", "type", "takes a dictionary"),
    ("dictionaries", "d = {**3}", "type", "** takes a dictionary, not"),
    ("strings", "ord('ab')", "type", "one character"),
    ("strings", "chr(-1)", "value", "no character -1"),
    ("layers", T + "torch.nn.Conv1d(1, 1, 3, padding_mode='mirror')", "value", "padding_mode is"),
    ("layers", T + "torch.nn.Embedding.from_pretrained(torch.ones(2))", "shape", "a matrix"),
    ("strings", "'a'.uper()", "name", "no method 'uper'"),
    ("strings", "', '.join([1])", "type", "join takes strings"),
    ("sorted", "sorted(['a', 1])", "type", "no < of int and str"),
    ("class", "class A:\n    def f(self): return self.b\nA().f()", "name", "no attribute 'b'"),
    ("class", ABSTRACT, "type", "abstract class A with abstract method f"),
    ("transforms", T + "torch.func.vmap(lambda x: x + torch.randn(1))(torch.ones(2, 1))", "value",
     "random operation"),
    ("numbers", "int('z', 16)", "value", "no whole number of base 16"),
    ("class", "class A: pass\nA(3)", "type", "takes no arguments"),
    ("class", "x = 3\nclass A(x): pass", "type", "cannot be made from"),
    ("models", T + "class N(torch.nn.Module):\n    pass\nN()(1)", "type", "no forward"),
    ("models", "super()", "type", "outside a method"),
    ("own backward", T + "class F(torch.autograd.Function):\n    @staticmethod\n"
     "    def forward(ctx, x): return x * 2\n    @staticmethod\n"
     "    def backward(ctx, g): return g, g\n"
     "F.apply(torch.ones(2, requires_grad=True)).sum().backward()", "value",
     "incorrect number of gradients"),
    ("own backward", T + "class F(torch.autograd.Function):\n    pass\nF.apply(torch.ones(2))",
     "type", "has no forward"),
    ("raise", "raise ValueError('no')", "assertion", "no"),
    ("global", "def f():\n    global\n", "syntax", "name"),
    ("in place", W + "w.grad = torch.ones(3)", "gradient-shape", "does not fit"),
    ("in place", W + "with torch.no_grad(): w.copy_(torch.ones(3))", "shape", "(3,)"),
    ("autograd", T + "torch.autograd.grad(torch.ones(2), torch.ones(2))", "gradient-required",
     "shape"),
    ("functional", T + "torch.autograd.functional.jacobian(1, 2)", "type", "a function"),
    ("functional", T + "torch.autograd.functional.hessian(lambda x: x, torch.ones(2))",
     "gradient-required", "(2,)"),
    ("transforms", T + "torch.func.grad(lambda x: x)(torch.ones(2))", "gradient-required", "(2,)"),
    ("transforms", T + "torch.func.vmap(lambda a, b: a * b)(torch.ones(2), torch.ones(3))",
     "shape", "rows"),
    ("transforms", T + "torch.func.grad(lambda x: x, argnums=1)(torch.ones(2))", "index",
     "argnums"),
    ("layers", T + "torch.nn.Linear(2)", "type", "out_features"),
    ("layers", T + "m = torch.nn.Linear(2, 1)\nm(torch.ones(3))", "shape", "3"),
    ("layers", T + "torch.nn.FractionalMaxPool2d(2)", "name", "'torch.nn.FractionalMaxPool2d'"),
    ("recurrent layers", T + "torch.nn.LSTM(2, 3)(torch.ones(4, 1, 5))", "shape", "length 2"),
    ("recurrent layers", T + "torch.nn.GRU(2, 3, proj_size=2)", "value", "only supported for LSTM"),
    ("recurrent layers", T + "torch.nn.RNNCell(2, 3)(torch.ones(2), torch.ones(4))", "shape",
     "state"),
    ("batch norm", T + "torch.nn.BatchNorm1d(2)(torch.ones(1, 2))", "value", "more than 1"),
    ("batch norm", T + "torch.nn.BatchNorm2d(2)(torch.ones(1, 2))", "shape", "batch, 2"),
    ("schedulers", T + "torch.optim.lr_scheduler.StepLR(3, step_size=1)", "type", "optimiser"),
    ("schedulers", W + "o = torch.optim.SGD([w], lr=0.1)\n"
     "torch.optim.lr_scheduler.StepLR(o, step_size=0)", "value", "1 or more"),
    ("hooks", T + "torch.ones(2).register_hook(lambda g: g)", "no-grad", "require gradient"),
    ("hooks", W + "y = w.sum()\n"
     "y.register_hook(lambda g: y.backward(retain_graph=True))\ny.backward(retain_graph=True)",
     "limit-depth", "inside each other"),
    ("own backward", T + "x = torch.ones(2, requires_grad=True)\n"
     "class F(torch.autograd.Function):\n    @staticmethod\n"
     "    def forward(ctx, x): return x * 2\n    @staticmethod\n"
     "    @torch.enable_grad()\n"
     "    def backward(ctx, g): return torch.autograd.grad(F.apply(x).sum(), x)[0]\n"
     "F.apply(x).sum().backward()", "limit-depth", "inside each other"),
    ("autograd", W + "torch.autograd.grad(w.sum(), torch.ones(1, requires_grad=True))", "no-grad",
     "do not depend on the input at index 0"),
    ("autograd", W + "torch.autograd.grad(w.detach().sum(), w)", "no-grad", "any leaf"),
    ("autograd", W + "w.numpy()", "no-grad", "through which no gradient flows"),
    ("autograd", T + "class F(torch.autograd.Function):\n    @staticmethod\n"
     "    def forward(ctx, x): return x * 2\n    @staticmethod\n"
     "    def backward(ctx, g): return g\n"
     "torch.autograd.gradcheck(F.apply, torch.ones(2, requires_grad=True))", "assertion",
     "Jacobian mismatch"),
    ("hooks", W + "w.register_hook(3)", "type", "a function"),
    ("numbers", T + "x = 7\nfor i in range(60):\n    x = x.__mul__(x)", "value", "too large"),
    ("data", T + "torch.utils.data.DataLoader(torch.ones(2), batch_size=0)", "value", "1 or more"),
    ("data", T + "torch.utils.data.TensorDataset(torch.ones(2), torch.ones(3))", "shape",
     "as many rows"),
    ("data", T + "class D(torch.utils.data.Dataset): pass\nlen(D())", "type", "has no length"),
    ("data", T + "torch.utils.data.random_split(torch.ones(3), [1, 1])", "value", "add up to 2"),
    ("data", T + "torch.utils.data.Subset(torch.ones(3), [3])", "index", "3 rows"),
    ("attention", T + "torch.nn.MultiheadAttention(4, 3)", "value", "divisible"),
    ("attention", T + "torch.nn.TransformerEncoder(3, 2)", "type", "takes a layer"),
    ("attention", T + "torch.nn.TransformerEncoderLayer(4, 2, activation='tan')", "value",
     "activation"),
    ("calls of models", T + "m = torch.nn.Linear(2, 1)\n"
     "torch.func.functional_call(m, {'w': m.weight})",
     "name", "no parameter 'w'"),
    ("calls of models", T + "torch.func.stack_module_state([3])", "type", "list of models"),
    ("dataclasses", "from dataclasses import dataclass\n@dataclass\nclass A:\n    x: int\nA()",
     "type", "A needs x"),
    ("dataclasses", "from dataclasses import dataclass\ndataclass(3)", "type", "is for classes"),
    ("functools", "from functools import reduce\nreduce(lambda a, b: a, [])", "value",
     "no elements"),
    ("functools", "from functools import partial\npartial(3)", "type", "takes a function"),
    ("complex tensors", T + "torch.linalg.eig(torch.ones(2, 2, requires_grad=True))", "no-grad",
     "eigenvalues that are complex"),
    ("complex tensors", T + "torch.func.grad(lambda a: torch.linalg.eigvals(a).real.sum())("
     "torch.eye(2))", "no-grad", "eigenvalues that are complex"),
    ("complex tensors", T + "torch.fft.fft(torch.ones(2))[2]", "index", "index 2"),
    ("complex tensors", T + "torch.fft.fft(torch.ones(2)).sum().backward()", "gradient-required",
     "no gradient of its own"),
    ("complex tensors", T + "torch.fft.rfft(torch.ones(2) + 1j)", "type", "a real tensor"),
    ("complex tensors", T + "torch.view_as_complex(torch.ones(3))", "shape", "along the last axis"),
    ("complex tensors", T + "1j / 0", "value", "division by zero"),
    ("complex tensors", T + "torch.complex(torch.zeros(200000, 1), torch.zeros(200000))",
     "limit-memory", "TiB"),
    ("complex tensors", T + "i = torch.zeros(200000, dtype=torch.long)\n"
     "torch.fft.fft(torch.zeros(9, 9))[i[:, None], i]", "limit-memory", "GiB"),
    ("complex tensors", T + "for z in torch.fft.fft(torch.zeros(2**24)): pass", "limit-nodes", ""),
    ("itertools", "import itertools\nitertools.product(3)", "type", "nothing to loop over"),
    ("tqdm", "import tqdm\ntqdm.trange(1, 2, 0)", "value", "what range takes"),
    ("time", "import time\ntime.time(1)", "type", "time takes 0 arguments"),
    ("distributions", T + "torch.distributions.Categorical()", "type", "probs or logits"),
    ("distributions", T + "torch.distributions.Normal(0., 1.).rate", "name", "'rate'"),
    ("distributions", T + "torch.multinomial(torch.tensor([1., 0.]), 2)", "value", "so few"),
    ("distributions", T + "torch.multinomial(torch.tensor(1.), 2)", "shape", "row of weights"),
    ("distributions", T + "torch.poisson(torch.tensor([-1.]))", "value", "0 or more"),
    ("distributions", "import random\nrandom.choice([])", "index", "nothing to choose"),
    ("distributions", "import random\nrandom.randint(3, 1)", "value", "no integer"),
    ("distributions", "import random\nrandom.sample([1], 2)", "value", "cannot be drawn"),
    ("counts", T + "torch.bincount(torch.tensor([-1]))", "value", "0 or more"),
    ("counts", T + "torch.bincount(torch.tensor([2**40]))", "limit-memory", "above"),
    ("counts", T + "torch.bucketize(torch.ones(1), torch.ones(1, 1))", "shape", "one row"),
    ("counts", T + "torch.histc(torch.ones(1), bins=0)", "value", "bins"),
    ("counts", T + "torch.unique(torch.ones(1), dim=2)", "axis", "dim 2"),
    ("sets", "{1, 2}[0]", "type", "can be chosen"),
    ("sets", "{1} | 2", "type", "must be a set"),
    ("sets", "s = {1}\ns.add([1, 2])", "type", "cannot be a key"),
    ("deepcopy", "import copy\ncopy.deepcopy()", "type", "deepcopy needs x"),
    ("layers", T + "torch.nn.Sequential(torch.relu)", "type", "made of layers"),
    ("losses", T + "torch.nn.MSELoss(reduction='total')(torch.ones(2), torch.ones(2))", "value",
     "total"),
    ("optimisers", W + "torch.optim.SGD([w * 2], lr=0.1)", "value", "non-leaf"),
    ("optimisers", W + "torch.optim.LBFGS([w]).step(3)", "type", "needs a closure"),
    ("optimisers", W + "torch.optim.SGD([w]).load_state_dict({})", "type", "state_dict() gave"),
    ("optimisers", W + "torch.optim.SGD(w, lr=0.1)", "type", "list of parameters"),
    ("optimisers", W + "torch.optim.SGD([w], rate=0.1)", "name", "'rate'"),
]  # fmt: skip


def run(text: str) -> list[str]:
    return [*evaluate(parse_program(Source("cell", text), ParseLimits()), {}).printed]


@pytest.mark.parametrize("value", ["[1]", "[1.0, 2.0]", "3", "(1, 2)", "'a'", "[torch.ones(2)]"])
def test_only_tensors_are_tensors(value: str) -> None:
    assert run(f"{T}print(torch.is_tensor({value}))\na = {value}\nprint(torch.is_tensor(a))") == [
        "False",
        "False",
    ]
    assert run(f"{T}a = torch.ones(2)\nprint(torch.is_tensor(a))") == ["True"]


def test_del() -> None:
    """The lines that Python prints."""
    cell = """
class P:
    def __init__(self):
        self.rewards, self.kept = [1.0, 2.0], {1: 2, 3: 4}
    def __delitem__(self, key):
        del self.kept[key]
p, d, xs, ys = P(), {"a": 1, (1, 2): 3}, [1, 2, 3, 4], list(range(7))
del p.rewards[:], p[1], d[1, 2], xs[0], xs[-1], ys[::2]
print(p.rewards, p.kept, d, xs, ys)
x = torch.ones(2, requires_grad=True)
x.sum().backward()
del p.kept, x.grad
print(hasattr(p, "kept"), x.grad)
"""
    assert run(T + cell) == ["[] {3: 4} {'a': 1} [2, 3] [1, 3, 5]", "False None"]


def test_arrays_and_strings_in_lists_are_printed_as_repr_does() -> None:
    """PyTorch 2.13 and NumPy 2 print these lines."""
    text = """
import numpy as np
import torch
from collections import deque
a = torch.tensor([[1., 2.5], [3., 4.]]).numpy()
b = np.array([1., 2.])
print([a, b], (torch.tensor([1, 2]).numpy(),), {'a': a > 2})
print(repr(a), repr('a'), repr([1, 'b']))
print(f"{b!r} {b!s} {[1.5, 2]!s:>9}|{'a'!r:>5}|{b.tolist()!r:.5s}")
print(torch.tensor(deque([1., 2.])))
"""
    assert (
        "\n".join(run(text))
        == """\
[array([[1. , 2.5],
       [3. , 4. ]], dtype=float32), array([1., 2.])] (array([1, 2]),) {'a': array([[False,  True],
       [ True,  True]])}
array([[1. , 2.5],
       [3. , 4. ]], dtype=float32) 'a' [1, 'b']
array([1., 2.]) [1. 2.]  [1.5, 2]|  'a'|[1.0,
tensor([1., 2.])"""
    )


def test_a_program_of_numpy_alone_prints_arrays() -> None:
    """NumPy 2 prints these lines."""
    text = """
import numpy as np
a = np.ones((3))
b = np.array([[1., 2.5], [3, 4]])
print(a, (a == a).sum(), b.sum(), -b)
b[0, 0] = 7
b += 1
print(repr(b), b > 4)
for row in b:
    print(row)
"""
    assert (
        "\n".join(run(text))
        == """\
[1. 1. 1.] 3 10.5 [[-1.  -2.5]
 [-3.  -4. ]]
array([[8. , 3.5],
       [4. , 5. ]]) [[ True False]
 [False  True]]
[8.  3.5]
[4. 5.]"""
    )


@pytest.mark.parametrize("turned", ["x.T", "x.t()", "x.mT", "torch.swapaxes(x, 0, 1)"])
def test_a_turned_tensor_has_no_view(turned: str) -> None:
    """PyTorch 2.13 refuses each."""
    cell = f"{T}x = torch.ones(2, 3)\ny = {turned}\nprint(y.shape)\ny.view(6)"
    with pytest.raises(GradcliError) as caught:
        run(cell)
    assert "view size is not compatible" in caught.value.diagnostic.message


def test_grad_by_what_does_not_require_it() -> None:
    text = (
        T
        + """
x = torch.tensor(1., requires_grad=True)
y = 3 * x
w = torch.tensor(1.)
print(torch.autograd.grad(y, x, create_graph=True))
try:
    torch.autograd.grad(y, [x, w], allow_unused=True)
except RuntimeError as e:
    print(e)

class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**2

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx, g):
        x, = ctx.saved_tensors
        return g * 2 * x

print(torch.autograd.grad(Square.apply(x), x))
"""
    )
    assert run(text) == [
        "(tensor(3.),)",
        "One of the differentiated Tensors does not require grad",
        "(tensor(2.),)",
    ]


@pytest.mark.parametrize("construct", CONSTRUCTS, ids=lambda each: each.title)
def test_the_example_runs(construct: Construct) -> None:
    run(construct.example)
    assert f"  {construct.title}: {construct.meaning}\n" in language()


@pytest.mark.one_in(2)
@pytest.mark.parametrize(("title", "text", "code", "message"), ERRORS)
def test_its_errors(title: str, text: str, code: str, message: str) -> None:
    few = DEFAULT._replace(limits=Limits(trace=TraceLimits(steps=10_000)))
    with pytest.raises(GradcliError) as caught:
        evaluate(parse_program(Source("cell", text), ParseLimits()), {}, (), few)
    found = caught.value.diagnostic
    assert (found.code, message in found.message) == (code, True), found


def test_every_construct_has_errors() -> None:
    assert {title for title, *_ in ERRORS} == {each.title for each in CONSTRUCTS}


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("x = {1: 2, 3}", "{'a': 1}"),
        ("def f(): async 1", "one statement after another"),
    ],
)
def test_what_stays_outside_has_a_hint(text: str, hint: str) -> None:
    with pytest.raises(GradcliError) as caught:
        run(text)
    assert hint in (caught.value.diagnostic.hint or "")
