import copy
import torch
from torch import nn

class EMA:
    def __init__(self, model, decay=0.9):
        self.decay = decay
        self.shadow = {}
        self.backup = {}
        for name, param in model.named_parameters():
            if param.requires_grad:
                self.shadow[name] = param.data.clone()
        self.model = model
    def update(self):
        for name, param in self.model.named_parameters():
            if param.requires_grad:
                assert name in self.shadow
                new_average = (1.0 - self.decay) * param.data + self.decay * self.shadow[name]
                self.shadow[name] = new_average.clone()
    def apply_shadow(self):
        for name, param in self.model.named_parameters():
            if param.requires_grad:
                self.backup[name] = param.data
                param.data = self.shadow[name]
    def restore(self):
        for name, param in self.model.named_parameters():
            if param.requires_grad:
                param.data = self.backup[name]
        self.backup = {}

m = nn.Linear(2, 1, bias=False)
nn.init.ones_(m.weight)
ema = EMA(m)
opt = torch.optim.SGD(m.parameters(), lr=0.1)
for _ in range(5):
    opt.zero_grad()
    m(torch.tensor([[1., 2.]])).sum().backward()
    opt.step()
    ema.update()
print(m.weight)
ema.apply_shadow()
print(m.weight)
ema.restore()
print(m.weight)
