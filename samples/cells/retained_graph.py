import torch

x = torch.tensor([2.0], requires_grad=True)
y = x ** 2
y.backward(retain_graph=True)
y.backward()
print(x.grad)   # 4 + 4
x.grad.zero_()
try:
    y.backward()
except RuntimeError as e:
    print(str(e)[:43])
