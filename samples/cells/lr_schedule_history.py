import torch
import torch.nn as nn
from torch.optim.lr_scheduler import StepLR, CosineAnnealingLR
model = nn.Linear(2, 1)
optimizer = torch.optim.Adam(model.parameters(), lr=0.1)
scheduler = StepLR(optimizer, step_size=2, gamma=0.5)
for epoch in range(5):
    optimizer.step()
    scheduler.step()
    print(epoch, scheduler.get_last_lr(), optimizer.param_groups[0]['lr'])
scheduler2 = CosineAnnealingLR(optimizer, T_max=10)
lrs = []
for _ in range(3):
    lrs.append(optimizer.param_groups[0]["lr"])
    optimizer.step()
    scheduler2.step()
print([f"{lr:.5f}" for lr in lrs])
