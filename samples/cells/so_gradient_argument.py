import torch

x = torch.tensor([1.0, 2.0, 3.0, 4.0], requires_grad=True)
z = torch.stack([x[0]**2 + x[1], x[2] * x[3]])
z.backward(torch.FloatTensor([1, 1]), retain_graph=True)
print(x.grad.data)
x.grad.data.zero_()
z.backward(torch.FloatTensor([1, 0]), retain_graph=True)
print(x.grad.data)
x.grad.data.zero_()
z.backward(torch.FloatTensor([0, 1]))
print(x.grad.data)
