import torch

# y = x^2, dy/dx = 2x
x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
y = x.pow(2)
for i in range(3):
    y[i].backward(retain_graph=True)
print(x.grad)
