import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.optim.lr_scheduler import _LRScheduler

class ConvBNReLU(nn.Sequential):
    def __init__(self, i, o, k=3):
        super().__init__(
            nn.Conv2d(i, o, k, padding=k // 2, bias=False),
            nn.BatchNorm2d(o),
            nn.ReLU6(inplace=True),
        )
b = ConvBNReLU(1, 2)
print(b)
for p in b.parameters(): nn.init.constant_(p, 0.5)
x = torch.arange(9.).view(1, 1, 3, 3)
print(b(x), len(b), b[0].kernel_size)
print([n for n, _ in b.named_parameters()])

class MaskedLinear(nn.Linear):
    """ same as Linear except has a configurable mask on the weights """
    def __init__(self, in_features, out_features, bias=True):
        super().__init__(in_features, out_features, bias)
        self.register_buffer('mask', torch.ones(out_features, in_features))
    def set_mask(self, mask):
        self.mask.data.copy_(mask)
    def forward(self, input):
        return F.linear(input, self.mask * self.weight, self.bias)
m = MaskedLinear(3, 2)
m.set_mask(torch.tensor([[1., 0., 1.], [0., 1., 0.]]))
with torch.no_grad():
    m.weight.fill_(2.); m.bias.zero_()
y = m(torch.tensor([[1., 2., 3.]]))
y.sum().backward()
print(y, m.weight.grad, m.bias.grad, m, isinstance(m, nn.Linear), isinstance(m, nn.Module))
print(list(m.state_dict()))
opt = torch.optim.SGD(m.parameters(), lr=0.1)
opt.step()
print(m.weight, m.in_features)

class Swish(nn.Module):
    def forward(self, x): return x * torch.sigmoid(x)
class MLP(nn.ModuleList):
    def forward(self, x):
        for l in self:
            x = l(x)
        return x
mm = MLP([nn.Identity(3, foo=1), Swish()])
print(mm(torch.ones(2)), mm)
class WS(nn.Conv2d):
    def forward(self, x):
        w = self.weight
        w = (w - w.mean(dim=(1, 2, 3), keepdim=True)) / (w.std(dim=(1, 2, 3), keepdim=True) + 1e-5)
        return self._conv_forward(x, w, self.bias) if False else F.conv2d(x, w, self.bias, self.stride, self.padding)
c = WS(1, 1, 2, bias=False)
c.weight.data = torch.arange(4.).view(1, 1, 2, 2)
print(c(x), c.train(False).training)
class Drop(nn.Dropout):
    pass
d = Drop(0.5)
print(d.eval()(torch.ones(3)), d)

class FocalLoss(nn.CrossEntropyLoss):
    def __init__(self, gamma=2.0, **kw):
        super().__init__(reduction='none', **kw)
        self.gamma = gamma
    def forward(self, logits, target):
        ce = super().forward(logits, target)
        pt = torch.exp(-ce)
        return ((1 - pt) ** self.gamma * ce).mean()
print(FocalLoss()(torch.tensor([[1., 2.], [0.5, 0.]]), torch.tensor([1, 1])))

class Warm(_LRScheduler):
    def __init__(self, optimizer, warmup_steps, last_epoch=-1):
        self.warmup_steps = warmup_steps
        super(Warm, self).__init__(optimizer, last_epoch)
    def get_lr(self):
        if self.last_epoch < self.warmup_steps:
            return [b * (self.last_epoch + 1) / self.warmup_steps for b in self.base_lrs]
        return [group['lr'] * 0.5 for group in self.optimizer.param_groups]
s = Warm(opt, 2)
for i in range(4):
    print(opt.param_groups[0]['lr'], s.get_last_lr(), s.last_epoch)
    opt.step(); s.step()
