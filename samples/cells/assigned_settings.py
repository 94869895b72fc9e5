import torch
from torch import nn


class Conv2dAuto(nn.Conv2d):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.padding = (self.kernel_size[0] // 2, self.kernel_size[1] // 2)
        self.note = "padded"


conv = Conv2dAuto(2, 4, 3, bias=False)
print(conv, conv(torch.ones(1, 2, 5, 5)).shape, conv.padding, conv.note)
conv.weight.data.fill_(1.0)
conv.stride = (2, 2)
print(conv(torch.ones(1, 2, 4, 4))[0, 0])

model = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2), nn.LeakyReLU(0.1), nn.Dropout(0.5))
nn.init.eye_(model[0].weight), nn.init.zeros_(model[0].bias)
for m in model.modules():
    if isinstance(m, nn.Dropout):
        m.p = 0.0
    if isinstance(m, nn.BatchNorm1d):
        m.momentum = 0.5
        m.eps = 1.0
model[2].negative_slope = 0.5
print(model)
print(model(torch.tensor([[1.0, 2.0], [3.0, 4.0]])), model[1].running_mean, model[3].p)
loss = nn.CrossEntropyLoss()
loss.reduction = "sum"
loss.weight = torch.tensor([1.0, 3.0])
print(loss(torch.eye(2), torch.tensor([0, 1])), list(loss.parameters()))
loss.weight = None
print(loss(torch.eye(2), torch.tensor([0, 1])))
plain = nn.Conv2d(1, 1, 1, bias=False)
plain.weight.data.fill_(2.0)
plain.bias = nn.Parameter(torch.ones(1))
print(plain(torch.ones(1, 1, 1, 1)), [name for name, _ in plain.named_parameters()])
plain.training = False
print(plain.training)
