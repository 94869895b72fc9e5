import torch

a = torch.tensor(2., requires_grad=True)
b = torch.tensor(3., requires_grad=True)

loss1 = a * b
loss2 = a ** 2

total_loss = sum([loss1, loss2])
total_loss.backward()
print(a.grad, b.grad)
