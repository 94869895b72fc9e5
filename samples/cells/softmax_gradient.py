import torch
import torch.nn.functional as F

logits = torch.tensor([2.0, 1.0, 0.1], requires_grad=True)
probs = F.softmax(logits, dim=0)
print(probs)
loss = -torch.log(probs[0])
loss.backward()
print(logits.grad)
print(torch.allclose(logits.grad, probs.detach() - torch.tensor([1., 0., 0.])))
