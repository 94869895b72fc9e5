import torch
import torch.nn as nn
import torch.nn.functional as F
class FocalLoss(nn.Module):
    def __init__(self, alpha=0.25, gamma=2.0, reduction: str = "mean"):
        super().__init__()
        self.alpha, self.gamma, self.reduction = alpha, gamma, reduction
    def forward(self, inputs: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
        bce = F.binary_cross_entropy_with_logits(inputs, targets, reduction="none")
        pt = torch.exp(-bce)
        loss = self.alpha * (1 - pt) ** self.gamma * bce
        match self.reduction:
            case "mean":
                return loss.mean()
            case "sum":
                return loss.sum()
            case _:
                return loss
x = torch.tensor([0.5, -1.0, 2.0], requires_grad=True); t = torch.tensor([1., 0., 0.])
for r in ("mean", "sum", "none"):
    print(r, FocalLoss(reduction=r)(x, t))
FocalLoss()(x, t).backward()
print(x.grad)
def dice(p, t, smooth=1.): return 1 - (2 * (p * t).sum() + smooth) / (p.sum() + t.sum() + smooth)
print(dice(torch.sigmoid(x), t))
