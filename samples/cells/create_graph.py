import torch

x = torch.tensor(2.0, requires_grad=True)
y = x * x
y.backward(create_graph=True)
first = x.grad.clone()
x.grad.zero_()
first.backward()
print(first.item(), x.grad.item())
