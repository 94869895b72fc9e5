import torch
from torch.optim.lr_scheduler import StepLR, ExponentialLR
w = torch.tensor([1.0], requires_grad=True)
opt = torch.optim.SGD([w], lr=0.1)
sched = StepLR(opt, step_size=3, gamma=0.5)
for i in range(8):
    opt.zero_grad()
    loss = (w - 3).pow(2).sum()
    loss.backward()
    opt.step()
    sched.step()
    print(i, opt.param_groups[0]['lr'], sched.get_last_lr())
print(w)
