import torch

emb = torch.tensor([[0.1, 0.2], [0.3, 0.4], [0.5, 0.6]], requires_grad=True)
idx = torch.tensor([2, 0, 2])
out = emb[idx]
out.sum().backward()
print(out.shape, emb.grad)
