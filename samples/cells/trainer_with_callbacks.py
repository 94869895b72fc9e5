from dataclasses import dataclass, field, asdict
from typing import List, Dict, Callable
from contextlib import contextmanager
import torch
import torch.nn as nn
@dataclass
class Config:
    lr: float = 0.1
    epochs: int = 3
    hidden: List[int] = field(default_factory=lambda: [3, 2])
    tags: Dict[str, str] = field(default_factory=dict)
ACTS: Dict[str, Callable] = {"relu": nn.ReLU, "tanh": nn.Tanh}
class CancelFit(Exception): pass
class Callback:
    order = 0
    def before_fit(self, trainer): pass
    def after_batch(self, trainer): pass
    def after_fit(self, trainer): pass
class Recorder(Callback):
    def before_fit(self, t): self.losses, self.lrs = [], []
    def after_batch(self, t):
        self.losses.append(t.loss.item()); self.lrs.append(t.opt.param_groups[0]["lr"])
    def after_fit(self, t): print("recorded", len(self.losses), [round(l, 4) for l in self.losses])
class StopAt(Callback):
    order = 1
    def __init__(self, thr): self.thr = thr
    def after_batch(self, t):
        if t.loss < self.thr: raise CancelFit(f"loss {t.loss.item():.4f} below {self.thr}")
class Trainer:
    def __init__(self, model, cfg, cbs=()):
        self.model, self.cfg = model, cfg
        self.cbs = sorted(cbs, key=lambda c: c.order)
        self.opt = torch.optim.SGD(model.parameters(), lr=cfg.lr)
    def __call__(self, name):
        for cb in self.cbs: getattr(cb, name)(self)
    @contextmanager
    def phase(self, name):
        self(f"before_{name}")
        try:
            yield
        except CancelFit as e:
            print("cancelled:", e)
        finally:
            self(f"after_{name}")
    def fit(self, batches):
        with self.phase("fit"):
            for self.epoch in range(self.cfg.epochs):
                for xb, yb in batches:
                    self.loss = nn.functional.mse_loss(self.model(xb), yb)
                    self.loss.backward()
                    self.opt.step()
                    self.opt.zero_grad()
                    self("after_batch")
def build(cfg, act="tanh"):
    sizes = [1] + cfg.hidden + [1]
    mods = []
    for i, (a, b) in enumerate(zip(sizes, sizes[1:])):
        lin = nn.Linear(a, b)
        lin.weight.data.fill_(0.2 * (i + 1)); lin.bias.data.fill_(0.05)
        mods += [lin, ACTS[act]()]
    return nn.Sequential(*mods[:-1])
cfg = Config(lr=0.3, tags={"run": "a"})
print(cfg, asdict(cfg))
x = torch.linspace(-1, 1, 6).view(-1, 1)
tr = Trainer(build(cfg), cfg, [StopAt(0.05), Recorder()])
tr.fit([(x[:3], x[:3] * 0.5), (x[3:], x[3:] * 0.5)])
print(tr.epoch, tr.model[0].weight.flatten())
print(tr.model)
