import torch

x = torch.tensor([1., 2., 3.], requires_grad=True)
y = x * 2
try:
    y.backward()
except RuntimeError as e:
    print(e)
y.backward(torch.tensor([1., 1., 1.]))
print(x.grad)
