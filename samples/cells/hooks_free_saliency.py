import torch
import torch.nn.functional as F

image = torch.tensor([[0.1, 0.9], [0.4, 0.6]], requires_grad=True)
weights = torch.tensor([[1., -1.], [0.5, 2.]])
score = F.relu((image * weights).sum())
score.backward()
saliency, _ = torch.max(image.grad.data.abs(), dim=1)
print(saliency)
