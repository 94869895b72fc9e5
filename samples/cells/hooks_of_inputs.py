import torch
import torch.nn as nn

model = nn.Sequential(nn.Linear(2, 2), nn.Sigmoid(), nn.Linear(2, 1))
for p in model.parameters():
    nn.init.constant_(p, 0.5)

def backward_hook(module, grad_input, grad_output):
    print(module.__class__.__name__)
    print('  in', grad_input)
    print('  out', grad_output)

def forward_pre(module, args):
    print('pre', args[0].shape)

handles = [m.register_full_backward_hook(backward_hook) for m in model]
h = model[0].register_forward_pre_hook(forward_pre)
x = torch.tensor([[1., 2.]], requires_grad=True)
model(x).sum().backward()
h.remove()
for hd in handles:
    hd.remove()
print(x.grad)
model(x).sum().backward()
print(x.grad)
