import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList([nn.Linear(2, 2) for _ in range(2)])
        self.register_buffer('step', torch.tensor(0), persistent=False)
        self.register_buffer('mean', torch.zeros(2))

    def forward(self, x):
        for block in self.blocks:
            x = x + block(x)
        return x


net = Net()
print(net.get_submodule('blocks.0'), net.get_parameter('blocks.1.bias').shape, net.get_buffer('step'))
print(list(net.state_dict()), [name for name, _ in net.named_buffers()], net.extra_repr() == '')
print(list(net.blocks[0]._parameters), list(net._buffers), list(net.blocks._modules))
net.blocks.insert(0, nn.Tanh())
print(net.blocks.pop(1), len(net.blocks), net.blocks)
layers = nn.Sequential(nn.Linear(1, 2), nn.ReLU(), nn.Linear(2, 3))
layers.insert(0, nn.Identity())
del layers[1]
print(layers.pop(0), layers)
x = torch.zeros(3, 4)
print(x.shape[1:], x.shape[1:] + (2,), torch.Size([2, 3]).numel(), x.shape[:0])
print(torch.tensor([[]]), not (x > 0).any(), hasattr(x, 'grad_fn'))
try:
    not x
except RuntimeError as e:
    print(e)
optimizer = torch.optim.SGD(layers.parameters(), lr=1.)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=1, gamma=0.5)
optimizer.step()
scheduler.step()
state = scheduler.state_dict()
print(state['last_epoch'], state['_last_lr'], state['step_size'])
again = torch.optim.lr_scheduler.StepLR(optimizer, step_size=1, gamma=0.5)
again.load_state_dict(state)
print(again.last_epoch, again.get_last_lr())
