import torch
import torch.nn as nn
class QuantileLoss(nn.Module):
    def __init__(self, quantiles):
        super().__init__()
        self.quantiles = quantiles
    def forward(self, preds, target):
        assert not target.requires_grad
        assert preds.size(0) == target.size(0)
        losses = []
        for i, q in enumerate(self.quantiles):
            errors = target - preds[:, i]
            losses.append(torch.max((q - 1) * errors, q * errors).unsqueeze(1))
        loss = torch.mean(torch.sum(torch.cat(losses, dim=1), dim=1))
        return loss
class FocalLoss(nn.Module):
    def __init__(self, alpha=1, gamma=2):
        super(FocalLoss, self).__init__()
        self.alpha = alpha
        self.gamma = gamma
    def forward(self, inputs, targets):
        ce_loss = nn.functional.cross_entropy(inputs, targets, reduction='none')
        pt = torch.exp(-ce_loss)
        focal = self.alpha * (1 - pt) ** self.gamma * ce_loss
        return focal.mean()
preds = torch.tensor([[0.5, 1.0, 1.5], [1.0, 2.0, 2.5]], requires_grad=True)
target = torch.tensor([1.2, 1.8])
loss = QuantileLoss([0.1, 0.5, 0.9])(preds, target)
loss.backward()
print(loss, preds.grad)
logits = torch.tensor([[2.0, 0.5], [0.2, 1.0]], requires_grad=True)
fl = FocalLoss()(logits, torch.tensor([0, 1]))
fl.backward()
print(fl.item(), logits.grad)
print(FocalLoss(gamma=0)(logits, torch.tensor([0, 1])).item() == nn.CrossEntropyLoss()(logits, torch.tensor([0, 1])).item())
print(QuantileLoss([0.5]), FocalLoss())
