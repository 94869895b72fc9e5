import torch

batch = torch.tensor([[0.2, 0.4], [0.6, 0.8]])
w = torch.tensor([[1.0], [-1.0]], requires_grad=True)
for i in range(len(batch)):
    out = batch[i] @ w
    out.backward()
    print(i, w.grad.flatten())
