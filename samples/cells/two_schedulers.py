import torch
from torch import nn, optim

model = nn.Linear(1, 1, bias=False)
nn.init.ones_(model.weight)
optimizer = optim.SGD(model.parameters(), lr=0.1, momentum=0.9, nesterov=True)
scheduler1 = optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.9)
scheduler2 = optim.lr_scheduler.MultiStepLR(optimizer, milestones=[3, 8], gamma=0.1)

for epoch in range(10):
    optimizer.zero_grad()
    loss = (model(torch.tensor([[2.]])) - 1).square().mean()
    loss.backward()
    optimizer.step()
    scheduler1.step()
    scheduler2.step()
    print("epoch %2d  lr %.6f  loss %.5f" % (epoch, scheduler1.get_last_lr()[0], loss.item()))

opt = optim.AdamW([{'params': model.parameters(), 'lr': 1e-2}], lr=1e-3)
lambda1 = lambda epoch: 0.65 ** epoch
sch = optim.lr_scheduler.LambdaLR(opt, lr_lambda=lambda1)
lrs = []
for i in range(5):
    opt.step()
    lrs.append(opt.param_groups[0]["lr"])
    sch.step()
print([round(v, 6) for v in lrs])
cos = optim.lr_scheduler.CosineAnnealingLR(optim.SGD(model.parameters(), lr=1.), T_max=4, eta_min=0.1)
print(cos.get_last_lr(), cos.last_epoch)
