import math
import torch

class WarmupCosine(torch.optim.lr_scheduler.LRScheduler):
    def __init__(self, optimizer, warmup, total, last_epoch=-1):
        self.warmup, self.total = warmup, total
        super().__init__(optimizer, last_epoch)
    def get_lr(self):
        s = self.last_epoch
        if s < self.warmup:
            return [base * (s + 1) / self.warmup for base in self.base_lrs]
        p = (s - self.warmup) / max(1, self.total - self.warmup)
        return [base * 0.5 * (1 + math.cos(math.pi * p)) for base in self.base_lrs]

p = torch.nn.Parameter(torch.zeros(2))
opt = torch.optim.SGD([p], lr=0.1)
sched = WarmupCosine(opt, 3, 10)
for step in range(10):
    opt.step()
    print(f"{step} {sched.get_last_lr()[0]:.5f}")
    sched.step()
