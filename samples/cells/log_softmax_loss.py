import torch
import torch.nn.functional as F

torch.manual_seed(123)
logits = torch.zeros(4, 3, requires_grad=True)
labels = torch.tensor([0, 1, 2, 1])
loss = F.nll_loss(F.log_softmax(logits, dim=1), labels)
loss.backward()
print("loss = %.4f" % loss)
print(logits.grad)
