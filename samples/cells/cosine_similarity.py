import torch
import torch.nn.functional as F

anchor = torch.tensor([[1.0, 0.0], [0.0, 1.0]], requires_grad=True)
other = torch.tensor([[0.8, 0.2], [0.1, 0.9]])
sim = F.cosine_similarity(anchor, other)
loss = (1 - sim).mean()
loss.backward()
print(sim.detach().numpy())
print(anchor.grad)
