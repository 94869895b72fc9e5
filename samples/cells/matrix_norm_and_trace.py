import torch

t = torch.tensor([[1., 2.], [3., 4.]], requires_grad=True)
n = torch.norm(t)
n.backward()
print(n.item(), t.grad)
t.grad = None
torch.trace(t @ t.T).backward()
print(t.grad)
