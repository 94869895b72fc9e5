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
        Construct("augmented", "x = 3; x += 1", "binds a new value to the name"),
        Construct("if", "x = 3\nif x > 2: y = x\nelse: y = 1", "by indentation, or in { }"),
        Construct("while", "x = 1\nwhile x < 9:\n    x = x * 2",
         "looks at values; has a step limit"),
        Construct("for", "for i in range(3): y = i", "over ranges, lists and rows; else too"),
        Construct("def", "def f(x, y=1):\n    return x * y\nf(2)", "functions; types are ignored"),
        Construct("lambda", "f = lambda x: x**2\nf(3)", "a function as a value"),
        Construct("with", "with torch.no_grad():\n    y = 1", "torch.no_grad(), enable_grad()"),
        Construct("decorators", "@torch.no_grad()\ndef f(x): return x\nf(1)",
         "the same for functions"),
        Construct("try",
         "import torch\ntry:\n    torch.ones(2).backward()\nexcept RuntimeError: print(3)",
                  "for a statement that must fail"),
        Construct("assert", "x = 3; assert x == 3, 'not 3'", "an error where it does not hold"),
        Construct("del", "x = 3; y = 2; del y; x", "forgets a name"),
        Construct("pass", "if 1 > 2: pass\nx = 1", "nothing"),
        Construct("docstrings", "def f(x):\n    '''Squares.'''\n    return x**2\nf(3)",
         "are skipped"),
    ),
    "Expressions": (
        Construct("conditional", "x = 3; y = x if x > 0 else -x", "a choice by one truth value"),
        Construct("comprehensions", "sum([i**2 for i in range(4) if i > 1])",
                  "lists; in ( ) for arguments"),
        Construct("f-strings", "x = 3; print(f'{x:.3f} {x = }')", "looked at when they are met"),
        Construct("format", "print('{:>6.2f} {n}'.format(3.14, n=1), '%d' % 2)",
                  "Python's formats, in strings too"),
        Construct("lists", "xs = []; xs.append(3); len(xs)", "append, extend, len, sum, min, max"),
        Construct("iterables", "for i, (a, b) in enumerate(zip([1, 2], [3, 4])): y = a * b",
                  "zip, enumerate, reversed, list, tuple"),
        Construct("numbers", "max(1, 2) + abs(-3) + round(2.5) + int(7.9) + float('2')",
                  "of plain numbers as Python's"),
        Construct("is", "x = 3; y = 1 if x is not None else 0", "None, and the same tensor"),
        Construct("print", "print(1, 2, sep=', ', end='!')", "sep and end too"),
    ),
    "Modules": (
        Construct("import",
         "import torch, math\nfrom torch.nn import functional as F\nF.relu(math.pi)",
                  "torch, numpy, math, and parts of torch"),
        Construct("seeds", "import torch\ntorch.manual_seed(1)\ntorch.randn(3).sum()",
                  "gradcli's own random numbers, not PyTorch's"),
    ),
    "Gradients": (
        Construct("leaves", "x = tensor(3., requires_grad=True); y = x**2; y.backward(); x.grad",
                  "requires_grad, is_leaf, grad, grad_fn"),
        Construct("in place", "w = tensor(1., requires_grad=True)\nwith torch.no_grad(): w -= 0.1\n"
                  "w.data.mul_(2); w.grad = None; w", "leaves under no_grad, and .data"),
        Construct("autograd", "import torch\nx = torch.tensor(2., requires_grad=True)\n"
                  "torch.autograd.grad(x**3, x)[0]", "grad, backward"),
        Construct("functional", "import torch\n"
                  "torch.autograd.functional.jacobian(lambda x: x**2, torch.ones(2)).sum()",
                  "jacobian, hessian, jvp, vjp, hvp, vhp"),
        Construct("transforms", "import torch\ntorch.func.grad(lambda x: x**3)(torch.tensor(2.))",
                  "torch.func: grad, jacrev, jacfwd, hessian, vmap, jvp, vjp"),
        Construct("layers", "import torch\nm = torch.nn.Linear(2, 1)\n"
                  "torch.nn.init.ones_(m.weight)\nm(torch.ones(2)).sum()",
                  "nn.Linear, Conv1d, Conv2d, Embedding, LayerNorm, Sequential, activations"),
        Construct("losses", "import torch\ntorch.nn.MSELoss()(torch.ones(2), torch.zeros(2))",
                  "nn.MSELoss, CrossEntropyLoss and the like"),
        Construct("optimisers", "import torch\nw = torch.ones(1, requires_grad=True)\n"
                  "o = torch.optim.SGD([w], lr=0.1)\n(w**2).sum().backward(); o.step(); w.sum()",
                  "SGD, Adam, AdamW, RMSprop, Adagrad: zero_grad, step"),
    ),
}  # fmt: skip
"""By subject."""

OUTSIDE = (
    ("class", "functions, and models of layers: nn.Sequential(…)"),
    ("x[i] = v", "where(mask, v, x), scatter and index_put make a changed copy"),
    ("import of other modules", "data come in by --set x=@data.npy"),
    ("files, time, plots", "--save FILE.npz; gradcli plot"),
    ("dictionaries, sets, yield, global, raise", "lists and tuples; assert for a check"),
)
"""What is not in the language, and what serves instead."""
