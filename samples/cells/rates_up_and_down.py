import torch
model = torch.nn.Linear(2, 1)
opt = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
sched = torch.optim.lr_scheduler.OneCycleLR(opt, max_lr=1.0, total_steps=10)
lrs = []
for i in range(10):
    opt.step()
    lrs.append(round(opt.param_groups[0]["lr"], 4))
    if i < 9: sched.step()
print(lrs)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
s1 = torch.optim.lr_scheduler.ConstantLR(opt, factor=0.1, total_iters=2)
s2 = torch.optim.lr_scheduler.ExponentialLR(opt, gamma=0.9)
scheduler = torch.optim.lr_scheduler.SequentialLR(opt, schedulers=[s1, s2], milestones=[2])
for epoch in range(5):
    opt.step()
    print(epoch, ["%.5f" % v for v in scheduler.get_last_lr()])
    scheduler.step()
opt = torch.optim.SGD(model.parameters(), lr=0.1)
scheduler = torch.optim.lr_scheduler.CyclicLR(opt, base_lr=0.001, max_lr=0.1, step_size_up=3, mode="triangular")
for epoch in range(7):
    opt.step(); scheduler.step()
    print("%.4f" % opt.param_groups[0]['lr'], end=" ")
print()
