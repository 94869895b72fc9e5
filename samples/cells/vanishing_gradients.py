import torch
import torch.nn as nn
torch.manual_seed(0)
layers = []
for i in range(4):
    lin = nn.Linear(3, 3)
    nn.init.eye_(lin.weight)
    nn.init.zeros_(lin.bias)
    layers += [lin, nn.Sigmoid()]
net = nn.Sequential(*layers)
norms = {}
def save_norm(name):
    def hook(module, grad_in, grad_out):
        norms[name] = grad_out[0].norm().item()
    return hook
for i, m in enumerate(net):
    if isinstance(m, nn.Linear):
        m.register_full_backward_hook(save_norm(f'layer{i}'))
out = net(torch.tensor([[0.5, -0.5, 1.0]]))
out.sum().backward()
for k in sorted(norms):
    print(f'{k}: {norms[k]:.6f}')
grads = [p.grad.abs().mean().item() for n, p in net.named_parameters() if 'weight' in n]
print(['%.2e' % g for g in grads])
print(net[0].weight.grad)
