from dataclasses import dataclass, field
from typing import List, Optional, Tuple, Dict
import torch
from torch import Tensor, nn
@dataclass
class TrainConfig:
    lr: float = 1e-2
    epochs: int = 3
    hidden: List[int] = field(default_factory=lambda: [4, 4])
class MLP(nn.Module):
    def __init__(self, sizes: List[int], act: Optional[nn.Module] = None) -> None:
        super().__init__()
        self.act = act or nn.ReLU()
        self.layers = nn.ModuleList(nn.Linear(i, o) for i, o in zip(sizes[:-1], sizes[1:]))
    def forward(self, x: Tensor) -> Tensor:
        for i, layer in enumerate(self.layers):
            x = layer(x)
            if i < len(self.layers) - 1:
                x = self.act(x)
        return x
cfg = TrainConfig(epochs=2)
print(cfg)
net = MLP([2, *cfg.hidden, 1])
for p in net.parameters():
    nn.init.constant_(p, 0.1)
def step(net: nn.Module, batch: Tuple[Tensor, Tensor], opt: torch.optim.Optimizer) -> Dict[str, float]:
    x, y = batch
    loss: Tensor = nn.functional.mse_loss(net(x), y)
    opt.zero_grad(); loss.backward(); opt.step()
    return {"loss": round(loss.item(), 5)}
opt = torch.optim.SGD(net.parameters(), lr=cfg.lr)
for e in range(cfg.epochs):
    print(step(net, (torch.ones(3, 2), torch.ones(3, 1)), opt))
print(f"{len(net.layers) = }")
