"""What stands elsewhere in a program does not keep a loop from being one node, but what the loop
reaches does.
"""

from __future__ import annotations

import pytest

from tests.loops.test_training import LOSS, STEP, ZERO, looped, told
from tests.loops.training import DATA

MODEL = (
    "class Net(torch.nn.Module):\n    def __init__(self):\n        super().__init__()\n"
    "        self.fc = torch.nn.Linear(2, 1, bias=False)\n        self.seen = []\n"
    "    def forward(self, x):\n        {0}return self.fc(x)\n"
    "torch.manual_seed(0)\nnet = Net()\nnet.double()\n"
)
TRAINS = ("loss = ((net(X)[:, 0] - y)**2).mean()", "net.zero_grad()", "loss.backward()",
          "with torch.no_grad():\n    for p in net.parameters(): p -= 0.05*p.grad")  # fmt: skip
COUNTED = "counts = {'n': 0}\n"
SUB = "with torch.no_grad(): w.sub_(0.05*w.grad)"
PLAIN = (LOSS, "loss.backward()", STEP, ZERO)
ROLLED = {
    "attributes that an object gets together": looped(
        *TRAINS,
        before=MODEL.format("x = self.c(self.a(x))\n        ").replace(
            "self.fc = ", "self.a, (*c, self.c) = torch.nn.Tanh(), (1, torch.nn.Tanh())\n"
            "        self.fc = "
        ),
        after="print(net.fc.weight)",
    ),
    "a tuple, a list and a text that each pass makes": looped(
        "state = None",
        "outs = []",
        "for k in range(2):\n        v, state = cell(0.1*k, state)\n        outs.append(v)",
        "said = 'a' + str(w.shape)",
        "loss = (torch.stack(outs)**2).sum()",
        "loss.backward()",
        STEP,
        ZERO,
        before="def cell(x, state):\n    h = state[0] if state else 0.5*w\n"
        "    h = torch.tanh(h*0.5 + w*x)\n    return h.sum(), (h, x)",
        after="print(w, state, said, outs, loss)",
    ),
    "elements set before": looped(
        *PLAIN, before="rows = [1, 2]\nrows[0] = rows[1]\nd = {}\nd['rate'] = 0.05"
    ),
    "a function that is not called in it": looped(
        *PLAIN,
        before=f"{COUNTED}def count():\n    counts['n'] += 1\n    return counts['n']",
        after="print(w, count(), count())",
    ),
    "an error caught, a list changed behind it": looped(
        *PLAIN, after="xs = [3, 1, 2]\nxs.sort()\nprint(w, xs.index(2))\ndel xs[0]\nprint(xs)"
    ),
    "a method that is not called in it": looped(
        *TRAINS,
        before=MODEL.format(
            "return self.fc(x)\n    def count(self, x):\n        self.n = 1\n        "
        ),
        after="net.count(X)\nprint(net.fc.weight)",
    ),
    "a name as of a function": looped(*PLAIN).replace("for i in", "for iter in"),
    "a list of its own": looped(
        "loss = ((rows(w) - y)**2).mean()",
        *PLAIN[1:],
        before=(
            "def rows(w):\n    found = []\n    for k in range(3): found.append((X[k]*w).sum())\n"
            "    return torch.stack(found)"
        ),
    ),
    "training mode": looped("net.train()", *TRAINS, before=MODEL.format(""), after="print(loss)"),
    "modes that take turns": looped(
        "net.train()",
        *TRAINS,
        "net.eval()\nkept = kept + net(X).detach().sum()",
        before=MODEL.format("x = x*2 if self.training else x; ") + "kept = 0.0",
        after="print(kept)",
    ),
    "an error between two modes": looped(
        "net.eval()",
        "kept = kept + net(X).detach().sum()",
        "if i == 70: net.eval()",
        "net.train()",
        *TRAINS,
        before=MODEL.format("x = x*2 if self.training else x; ") + "kept = 0.0",
        after="print(kept, net.training)",
    ),
    "imports that it does not use": looped(
        *PLAIN,
        before="from torch.utils.data import DataLoader, TensorDataset\nimport copy\n"
        "from typing import List\nbest = copy.deepcopy([1])",
    ),
    "batches in order": looped(
        "for a, b in loader:\n    loss = ((a @ w - b)**2).mean()\n    loss.backward()\n"
        "    with torch.no_grad(): w -= 0.05*w.grad\n    w.grad = None\n"
        "    total += loss.item()*len(b)",
        before="from torch.utils.data import DataLoader, TensorDataset\n"
        "loader = DataLoader(TensorDataset(X, y), batch_size=2)\ntotal = 0.0",
        after="print(w, total)",
    ),
    "batches in a random order": looped(
        "for a, b in loader:\n    loss = ((a @ w - b)**2).mean()\n    loss.backward()\n"
        "    with torch.no_grad(): w -= 0.05*w.grad\n    w.grad = None\n"
        "    kept.append(loss.item())",
        before="from torch.utils.data import DataLoader, TensorDataset\n"
        "torch.manual_seed(3)\nrows = TensorDataset(X, y)\n"
        "loader = DataLoader(rows, batch_size=2, shuffle=True)\nkept = []",
        after="print(w, kept)",
    ),
    "a random order": looped(
        "perm = torch.randperm(3)\nfor k in range(0, 3, 2):\n    at = perm[k:k + 2]\n"
        "    loss = ((X[at] @ w - y[at])**2).mean()\n    loss.backward()\n"
        "    with torch.no_grad(): w -= 0.05*w.grad\n    w.grad = None",
        before="torch.manual_seed(3)",
        after="print(w, perm)",
    ),
    "a gradient that is cut": looped(
        LOSS, "loss.backward()", "n = torch.nn.utils.clip_grad_norm_([w], 0.1)", STEP, ZERO,
        after="print(w, n)",
    ),
    "a gradient of which the elements are cut": looped(
        LOSS, "loss.backward()", "torch.nn.utils.clip_grad_value_([w], 0.1)", STEP, ZERO
    ),
    "numbers of its numbers in a list": looped(
        *PLAIN, "kept.append(loss.item()/3 + 1)\nok.append(100*(X @ w > y).sum().item()/3)",
        before="kept = []\nok = []", after="print(w, kept, ok)",
    ),
    "counts in a list": looped(
        *PLAIN, "at.append(i)\nright.append((X @ w > y).sum().item())",
        before="at = []\nright = []", after="print(w, at, right)",
    ),
    "counts added up": looped(
        *PLAIN, "right += (X @ w > y + 0.01*i).sum().item()\nn += len(y)",
        before="right = 0\nn = 0", after="print(w, right, n, right/n)",
    ),
    "its numbers in a list": looped(
        *PLAIN, "kept.append(loss.item())", before="kept = []",
        after="print(w, kept[3], min(kept), sum(kept)/len(kept), len(kept), kept[-1])",
    ),
    "lists in a dictionary": looped(
        *PLAIN, "log['loss'].append(loss.item())\nlog['w'].append(w.detach().clone())",
        before="log = {'loss': [], 'w': [], 'best': 0.0}",
        after="print(w, log['loss'][3], len(log['loss']), log['w'][-1], sorted(log))",
    ),
    "a list in a dictionary that begins with something": looped(
        *PLAIN, "if loss.item() < best: best = loss.item()\nlog['all']['w'].append(w.sum().item())",
        before="best = float('inf')\nlog = {'all': {'w': [1.0, 2.0]}, 'none': []}",
        after="print(best, log)",
    ),
    "lists of an object": looped(
        "run.step()",
        before="class Run:\n    def __init__(self):\n"
        "        self.kept, self.log = [], {'loss': []}\n"
        f"    def step(self):\n        {LOSS}\n        loss.backward()\n        {SUB}\n"
        f"        {ZERO}\n        self.kept.append(loss.item())\n"
        "        self.log['loss'].append(loss.detach())\nrun = Run()",
        after="print(w, run.kept[-1], run.kept[5], torch.stack(run.log['loss']).sum())",
    ),
    "a loop in a method": "\n".join((
        "import torch", *DATA, "class Run:", "    def __init__(self):",
        "        self.log = {'loss': []}", "    def fit(self, n):", "        for i in range(n):",
        *(f"            {line}" for line in (LOSS, "loss.backward()", SUB, ZERO)),
        "            self.log['loss'].append(loss.item())", "run = Run()", "run.fit(120)",
        "print(w, run.log['loss'][7], len(run.log['loss']))\n",
    )),
    "a list that two dictionaries hold": looped(
        *PLAIN, "a['loss'].append(loss.item())",
        before="a = {'loss': []}\nb = {'same': a['loss']}",
        after="print(w, b['same'], a['loss'][3])",
    ),
    "a block that may record": looped(
        "for phase in ['train', 'val']:\n    with torch.set_grad_enabled(phase == 'train'):\n"
        f"        {LOSS}\n        if phase == 'train':\n            loss.backward()",
        STEP,
        ZERO,
        "kept.append(loss.item())",
        before="kept = []",
        after="print(w, kept[-1], kept[3], torch.is_grad_enabled())",
    ),
    "recording is turned off and on": looped(
        LOSS, "loss.backward()", "torch.set_grad_enabled(False)\nw -= 0.05*w.grad",
        "torch.set_grad_enabled(True)", ZERO, after="print(w, torch.is_grad_enabled())",
    ),
    "a function that turns recording off": looped(
        *PLAIN, before="def off():\n    torch.set_grad_enabled(False)", after="off()\nprint(w*2)"
    ),
    "numbers added up": looped(
        *PLAIN, "total += loss.item() * 2", before="total = 0.0", after="print(w, total/120)"
    ),
    "numbers added up, and no gradient flows back": looped(
        LOSS,
        "g, = torch.autograd.grad(loss, w)",
        "with torch.no_grad(): w -= 0.05*g",
        "total += loss.item()\nn += 1",
        before="total, n = 0.0, 0",
        after="print(total, n, n/2, total/n)",
    ),
    "a number that nothing needs": looped(*PLAIN, "loss.item()"),
    "a number that is taken twice": looped(
        *PLAIN, "kept.append(loss.item())", "last = loss.item()",
        before="kept = []\nlast = 0.0", after="print(last, kept[7], kept[-1])",
    ),
    "some passes that evaluate": looped(
        "net.train()", *TRAINS, "if i % 30 == 2:\n    net.eval()\n    v = net(X).detach().sum()",
        before=MODEL.format("x = x*2 if self.training else x; ") + "v = 0.0",
        after="print(v, net.training)",
    ),
    "few passes that make many nodes": looped(
        "h = w", *["h = torch.tanh(h*1.01)\nh = h*h + 0.1*h"]*40,
        "loss = ((X @ h - y)**2).mean()", *PLAIN[1:], passes=40,
    ),
    "the last number": looped(
        *PLAIN, "last = loss.item()", before="last = 0.0", after="print(last)"
    ),
    "numbers of other tensors": looped(
        *PLAIN, "kept.append((w*w).sum().item())\ngrown = grown + w[0].item()",
        before="kept, grown = [], 1.5", after="print(kept[7], grown)",
    ),
}  # fmt: skip
DOUBT = "import numpy as np\nnp.random.seed(0)\n"
"""Something that is not known to change nothing but tensors."""
LAYERS = "bn = torch.nn.BatchNorm1d(2).double()\n"
IN_DOUBT = {
    "a seed of NumPy's": looped(*PLAIN, before=DOUBT),
    "numbers of Python's, drawn before": looped(
        *PLAIN, before="import random\nrandom.seed(1)\nrate = random.random()"
    ),
    "statistics of batches": looped(
        "bn.train()\nloss = ((bn(X) @ w - y)**2).mean()",
        *PLAIN[1:],
        "bn.eval()\nkept.append(((bn(X) @ w - y)**2).mean().item())",
        before=LAYERS + "kept = []",
        after="print(w, bn.running_mean, bn.running_var, bn.num_batches_tracked, kept)",
    ),
    "a method that counts, of another object": looped(
        *TRAINS,
        before=DOUBT + MODEL.format("") + "class Other(torch.nn.Module):\n"
        "    def forward(self, x):\n        self.n = 1\n        return x\nother = Other()\n",
        after="other(X)\nprint(net.fc.weight)",
    ),
    "a function of autograd's own": looped(
        *PLAIN,
        before="class Twice(torch.autograd.Function):\n    @staticmethod\n"
        "    def forward(ctx, x):\n        ctx.save_for_backward(x)\n        return 2*x\n"
        "    @staticmethod\n    def backward(ctx, g):\n        x, = ctx.saved_tensors\n"
        "        return 2*g\nprint(Twice.apply(w))",
    ),
    "a class of data": looped(
        *PLAIN,
        before="from torch.utils.data import Dataset\nclass Rows(Dataset):\n"
        "    def __init__(self):\n        self.x = X\n    def __len__(self):\n"
        "        return 3\n    def __getitem__(self, i):\n        return self.x[i]\n"
        "rows = Rows()\nprint(len(rows), rows[1])",
    ),
    "an object that keeps something, and has no part in it": looped(
        *PLAIN, before=DOUBT + "g = np.random.default_rng(0)", after="print(w, g.integers(9))"
    ),
}
"""Loops of programs in which something else may change more than tensors."""
COUNTING = (
    "class Net(torch.nn.Module):\n    n = 0\n    def forward(self, x):\n"
    "        self.n = self.n + 1\n        return x @ w\nnet = Net()"
)
KEEPING = {
    "a count in forward": looped(
        "loss = ((net(X) - y)**2).mean()", *PLAIN[1:], before=DOUBT + COUNTING, after="print(net.n)"
    ),
    "a hook that counts": looped(
        *PLAIN,
        before="seen = [0]\ndef count(g):\n    seen[0] += 1\nw.register_hook(count)",
        after="print(seen)",
    ),
    "a hook of a module": looped(
        *TRAINS,
        before=MODEL.format("") + "seen = [0]\ndef count(*a):\n    seen[0] += 1\n"
        "net.register_forward_hook(count)",
        after="print(seen)",
    ),
    "a set": looped(
        *PLAIN,
        "seen.add('a' + str(len(seen)))",
        before=DOUBT + "seen = set()",
        after="print(sorted(seen))",
    ),
    "a function whose results are kept": looped(
        *PLAIN,
        "v = half(3)",
        before="from functools import lru_cache\n@lru_cache\ndef half(k):\n"
        "    print('once')\n    return k/2",
        after="print(w, half.cache_info())",
    ),
    "a generator that is asked": looped(
        *PLAIN,
        "v = next(rates)",
        before="def rate():\n    k = 0\n    while True:\n        k = k + 1\n"
        "        yield k\nrates = rate()",
        after="print(v)",
    ),
    "numbers of Python's": looped(
        LOSS,
        "loss.backward()",
        "with torch.no_grad(): w -= 0.05*random.uniform(0, 1)*w.grad",
        ZERO,
        before="import random\nrandom.seed(0)",
    ),
    "a source of its own": looped(
        *PLAIN,
        "v = torch.rand(2, generator=g)",
        before="g = torch.Generator()\ng.manual_seed(3)",
        after="print(v)",
    ),
    "a scaler": looped(
        LOSS,
        "scaler.scale(loss).backward()",
        "scaler.step(opt)",
        "scaler.update()",
        "opt.zero_grad()",
        before="opt = torch.optim.SGD([w], lr=0.05)\n"
        "scaler = torch.amp.GradScaler('cpu', growth_interval=10)",
        after="print(w, scaler.get_scale())",
    ),
    "an optimiser that asks again": looped(
        "opt.step(closure)",
        before="opt = torch.optim.LBFGS([w], lr=0.5, max_iter=2)\ndef closure():\n"
        f"    opt.zero_grad()\n    {LOSS}\n    loss.backward()\n    return loss",
    ),
    "a plateau": looped(
        LOSS,
        "opt.zero_grad()",
        "loss.backward()",
        "opt.step()",
        "plan.step(loss)",
        before="opt = torch.optim.SGD([w], lr=0.3)\n"
        "plan = torch.optim.lr_scheduler.ReduceLROnPlateau(opt, patience=3)",
        after="print(w, opt.param_groups[0]['lr'])",
    ),
    "a dictionary that gets keys by being read": looped(
        *PLAIN,
        "log['a' + str(len(log))]",
        before="from collections import defaultdict\nlog = defaultdict(list)",
        after="print(len(log))",
    ),
    "a loop whose errors are caught": (
        "import torch\nimport numpy as np\nnp.random.seed(0)\n"
        "def run():\n    w = torch.tensor(1.0, requires_grad=True)\n    try:\n"
        "        for i in range(120):\n            w = (w*1.1).detach().requires_grad_()\n"
        "            (w*w).backward()\n    except RuntimeError:\n        print('no')\n"
        "    return w\nprint(run())\n"
    ),
}
"""Loops that use what keeps more than tensors from pass to pass."""
OUTER = "\n".join((
    "import torch", *DATA, "k, v = 0, torch.zeros(2, dtype=torch.float64)", "def train():",
    "    global w, {}",
    "    for i in range(120):", f"        {LOSS}", "        loss.backward()", f"        {STEP}",
    f"        {ZERO}", "        {}", "train()", "print(w, v, k)\n",
))  # fmt: skip
"""A loop in a function, with a line before it and one in it."""
UNROLLED = {
    "a tuple that is read before it is bound": looped(
        "h, c = state",
        "h = torch.tanh(h*0.5 + w.detach())",
        "state = (h, c*0.9 + h)",
        *PLAIN,
        before="state = (torch.zeros(3).double(), torch.ones(3).double())",
        after="print(w, state)",
    ),
    "a tuple of a function's name": looped(
        "v = max(0.5, w.sum().item())", "max = (w, v)", *PLAIN, after="print(w, v)"
    ),
    "an attribute that is set together with a name": looped(
        "net.count, v = net.count + 1, w.detach()*2",
        *PLAIN,
        before="class Net:\n    pass\nnet = Net()\nnet.count = 0",
        after="print(w, net.count, v)",
    ),
    "a number of an outer body": OUTER.format("k", "k = k + i"),
    "a tensor of an outer body": OUTER.format("v", "v = 0.9*v + w.detach()"),
    "the target of a loop is an outer name": OUTER.format("k", "for k in range(i): pass"),
    "an outer name that is not changed": OUTER.format("k", "z = v + k"),
    "recording stays off": looped(
        "torch.set_grad_enabled(i < 70)", LOSS, "kept.append(loss.requires_grad)",
        before="kept = []", after="print(w, kept, torch.is_grad_enabled())",
    ),
    "recording goes off behind the loss": looped(
        LOSS, "v = (w*2).requires_grad", "torch.set_grad_enabled(False)",
        after="print(w, loss.requires_grad, v, torch.is_grad_enabled())",
    ),
    "a list of a dictionary that is new in each pass": looped(
        *PLAIN, "log['loss'] = log['loss'] + [loss.item()]",
        before="log = {'loss': []}", after="print(w, log)",
    ),
    "a dictionary that is new in each pass": looped(
        *PLAIN, "log['last'] = [loss.item()]\nlog['last'].append(i)",
        before="log = {}", after="print(w, log)",
    ),
    "a list of a dictionary, read in each pass": looped(
        *PLAIN, "log['loss'].append(loss.item())\nif i > 3: low = min(log['loss'])",
        before="log = {'loss': []}\nlow = 0.0", after="print(w, low, log)",
    ),
    "a list of a dictionary that has a name, too": looped(
        *PLAIN, "kept.append(loss.item())\nlast = log['loss'][-1]",
        before="log = {'loss': []}\nkept = log['loss']", after="print(w, last, log, kept)",
    ),
    "two lists of a dictionary by turns": looped(
        *PLAIN, "log['odd' if i % 2 else 'even'].append(loss.item())",
        before="log = {'odd': [], 'even': []}", after="print(w, log)",
    ),
    "a list of an outer dictionary": looped(
        "step()", before="log = {'loss': []}\ndef step():\n"
        f"    {LOSS}\n    loss.backward()\n    {SUB}\n    {ZERO}\n"
        "    for k in range(9): log['loss'].append(k*loss.item())",
        after="print(w, log)",
    ),
    "a function that counts": looped(
        *PLAIN,
        "count()",
        before=f"{COUNTED}def count():\n    counts['n'] += 1",
        after="print(w, counts)",
    ),
    "a function of another name": looped(
        *PLAIN,
        "f()",
        before=f"{COUNTED}def count():\n    counts['n'] += 1\nf = count",
        after="print(w, counts)",
    ),
    "a function in a list": looped(
        *PLAIN,
        "fs[0]()",
        before=f"{COUNTED}def count():\n    counts['n'] += 1\nfs = [count]",
        after="print(w, counts)",
    ),
    "a function that another one makes": looped(
        *PLAIN,
        "f()",
        before=(
            f"{COUNTED}def make():\n    def count():\n        counts['n'] += 1\n    return count\n"
            "f = make()"
        ),
        after="print(w, counts)",
    ),
    "a function that another one calls": looped(
        *PLAIN,
        "outer()",
        before=f"{COUNTED}def count():\n    counts['n'] += 1\ndef outer():\n    count()",
        after="print(w, counts)",
    ),
    "a decorator": looped(
        "loss = f()",
        *PLAIN[1:],
        before=(
            f"{COUNTED}def counted(g):\n    def call():\n        counts['n'] += 1\n"
            f"        return g()\n    return call\n@counted\ndef f():\n    {LOSS}\n    return loss"
        ),
        after="print(w, counts)",
    ),
    "a model that counts": looped(
        *TRAINS,
        before=COUNTED + MODEL.format("counts['n'] += 1; "),
        after="print(net.fc.weight, counts)",
    ),
    "a model that remembers": looped(
        *TRAINS,
        before=MODEL.format("self.last = x.sum(); "),
        after="print(net.fc.weight, net.last)",
    ),
    "a model that keeps": looped(
        *TRAINS,
        before=MODEL.format("self.seen.append(1); "),
        after="print(net.fc.weight, len(net.seen))",
    ),
    "a hook": looped(
        *PLAIN,
        before=f"{COUNTED}def count(g):\n    counts['n'] += 1\nw.register_hook(count)",
        after="print(w, counts)",
    ),
    "a property": looped(
        *PLAIN,
        "c.more",
        before=(
            "class C:\n    def __init__(self):\n        self.n = 0\n    @property\n"
            "    def more(self):\n        self.n += 1\n        return self.n\nc = C()"
        ),
        after="print(w, c.n)",
    ),
    "an operator of its own": looped(
        *PLAIN,
        "c + 1",
        before=(
            "class C:\n    def __init__(self):\n        self.n = 0\n    def __add__(self, other):\n"
            "        self.n += other\n        return self\nc = C()"
        ),
        after="print(w, c.n)",
    ),
    "a class that counts its objects": looped(
        *PLAIN,
        "C()",
        before=f"{COUNTED}class C:\n    def __init__(self):\n        counts['n'] += 1",
        after="print(w, counts)",
    ),
    "a class of another object": looped(
        *PLAIN,
        "type(c)()",
        before=f"{COUNTED}class C:\n    def __init__(self):\n        counts['n'] += 1\nc = C()",
        after="print(w, counts)",
    ),
    "an iterator": looped(
        *PLAIN,
        "for k in it:\n    total += k",
        before="it = iter([1.0, 2.0, 4.0])\ntotal = 0.0",
        after="print(w, total)",
    ),
    "a bound method": looped(
        *PLAIN, "put('a')", before="xs = ['b']\nput = xs.append", after="print(w, len(xs))"
    ),
    "a list of all passes": looped(
        *PLAIN, "add(xs)", before="xs = []\ndef add(ys):\n    ys.append(1)",
        after="print(w, len(xs))",
    ),
    "a mode that changes": looped(
        "net.train(i % 7 == 0)",
        *TRAINS,
        before=MODEL.format("x = x*2 if self.training else x; "),
        after="print(net.fc.weight)",
    ),
    "a mode that changes late": looped(
        "if i == 90: net.eval()",
        *TRAINS,
        before=MODEL.format("x = x*2 if self.training else x; "),
        after="print(net.fc.weight, net.training)",
    ),
    "a number that decides": looped(
        *PLAIN, "if loss.item() < 0.5: k += 1", before="k = 0", after="print(w, k)"
    ),
    "the least number": looped(
        *PLAIN, "best = min(best, loss.item())", before="best = 9.0", after="print(w, best)"
    ),
    "numbers that are infinite": looped(
        LOSS, "loss.backward()", "with torch.no_grad(): w -= 1.3*w.grad", ZERO,
        "kept.append(loss.item())", before="kept = []", after="print(kept[-1], kept[60])",
        passes=1500,
    ),
    "an integer": looped(
        *PLAIN, "n += (w > 0).sum().item()", before="n = 0", after="print(w, n, n/2)"
    ),
    "whole numbers": looped(
        "w = w + 1", "kept.append(w[0].item())",
        before="w = torch.zeros(2)\nkept = []", after="print(w, kept[5], kept[-1])",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", ROLLED)
def test_a_loop_is_one_node_whatever_stands_elsewhere(name: str) -> None:
    found, loops = told(ROLLED[name])
    assert loops
    assert found == told(ROLLED[name], unroll=True)[0]


@pytest.mark.parametrize("name", UNROLLED)
def test_what_a_loop_reaches_is_done_in_each_pass(name: str) -> None:
    assert told(UNROLLED[name])[0] == told(UNROLLED[name], unroll=True)[0]


@pytest.mark.parametrize("name", IN_DOUBT)
def test_what_is_elsewhere_in_a_program_keeps_no_loop_from_being_one_node(name: str) -> None:
    found, loops = told(IN_DOUBT[name])
    assert loops
    assert found == told(IN_DOUBT[name], unroll=True)[0]


@pytest.mark.parametrize("name", KEEPING)
def test_what_keeps_more_than_tensors_keeps_passes_apart(name: str) -> None:
    found, loops = told(KEEPING[name])
    assert len(found) == 3, found
    assert not loops
    assert found == told(KEEPING[name], unroll=True)[0]
