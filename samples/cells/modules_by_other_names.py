import torch

nn = torch.nn
F = torch.nn.functional
S = torch.optim.lr_scheduler


@torch.compile
def f(x):
    return F.relu(x) * 2


w = torch.tensor([1.0, -2.0], requires_grad=True)
o = torch.optim.SGD([w], lr=1.0)
s = S.StepLR(o, 2)
f(w).sum().backward()
o.step()
s.step()
print(w, f(w), nn.Tanh()(torch.zeros(2)))
print(torch.compile(nn.ReLU())(torch.tensor([-1.0, 3.0])))
print(w.new_zeros(2), w.new_full((2,), 7.0), w.new([1.0, 2.0]), w.new(2, 3).shape)
