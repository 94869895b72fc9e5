import torch

A = torch.tensor([[1., 2.], [3., 4.]], requires_grad=True)
B = torch.tensor([[5., 6.], [7., 8.]], requires_grad=True)

C = A.mm(B)
C.sum().backward()
print(A.grad)
print(B.grad)
print(C.shape)
