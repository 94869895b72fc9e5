import torch
from torch import nn, optim
import torch.nn.functional as F
from functools import partial

class DataLoaders:
    def __init__(self, *dls): self.train, self.valid = dls[:2]

class Callback(): order = 0

def run_cbs(cbs, method_nm, learn=None):
    for cb in sorted(cbs, key=lambda c: c.order):
        method = getattr(cb, method_nm, None)
        if method is not None: method(learn)

class CompletionCB(Callback):
    def before_fit(self, learn): self.count = 0
    def after_batch(self, learn): self.count += 1
    def after_fit(self, learn): print(f'Completed {self.count} batches')

class PrintLoss(Callback):
    order = CompletionCB.order - 1
    def after_epoch(self, learn): print(f'{"train" if learn.training else "eval"} {learn.epoch} {learn.loss.item():.4f}')

class Learner():
    def __init__(self, model, dls, loss_func, lr, cbs, opt_func=optim.SGD):
        self.model, self.dls, self.loss_func, self.lr, self.cbs, self.opt_func = model, dls, loss_func, lr, cbs, opt_func

    def one_batch(self):
        self.preds = self.model(self.batch[0])
        self.loss = self.loss_func(self.preds, self.batch[1])
        if self.model.training:
            self.loss.backward()
            self.opt.step()
            self.opt.zero_grad()

    def one_epoch(self, train):
        self.model.train(train)
        self.training = train
        self.dl = self.dls.train if train else self.dls.valid
        for self.num, self.batch in enumerate(self.dl):
            self.one_batch()
            run_cbs(self.cbs, 'after_batch', self)
        run_cbs(self.cbs, 'after_epoch', self)

    def fit(self, n_epochs):
        self.opt = self.opt_func(self.model.parameters(), self.lr)
        run_cbs(self.cbs, 'before_fit', self)
        for self.epoch in range(n_epochs):
            self.one_epoch(True)
            with torch.no_grad(): self.one_epoch(False)
        run_cbs(self.cbs, 'after_fit', self)

model = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 2))
for p in model.parameters(): p.data = torch.linspace(-.5, .5, p.numel()).view_as(p)
xb = torch.tensor([[1., 0.], [0., 1.], [1., 1.], [-1., .5]]); yb = torch.tensor([0, 1, 1, 0])
dls = DataLoaders([(xb[:2], yb[:2]), (xb[2:], yb[2:])], [(xb, yb)])
learn = Learner(model, dls, F.cross_entropy, lr=0.5, cbs=[CompletionCB(), PrintLoss()])
learn.fit(3)
