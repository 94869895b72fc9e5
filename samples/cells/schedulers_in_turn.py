import torch
from torch.optim.lr_scheduler import StepLR, ExponentialLR, CosineAnnealingLR, LambdaLR, ReduceLROnPlateau
p = torch.nn.Parameter(torch.tensor([1.0]))
for make in (lambda o: StepLR(o, step_size=2, gamma=0.1), lambda o: ExponentialLR(o, 0.9), lambda o: CosineAnnealingLR(o, T_max=5), lambda o: LambdaLR(o, lr_lambda=lambda e: 0.95 ** e)):
    opt = torch.optim.SGD([p], lr=0.1, momentum=0.9)
    sch = make(opt)
    lrs = []
    for epoch in range(5):
        opt.zero_grad()
        (p ** 2).sum().backward()
        opt.step()
        lrs.append(opt.param_groups[0]["lr"])
        sch.step()
    print([f"{v:.5f}" for v in lrs], sch.get_last_lr())
opt = torch.optim.SGD([p], lr=0.1)
sch = ReduceLROnPlateau(opt, 'min', patience=1)
for v in [1.0, 0.9, 0.9, 0.9, 0.9]:
    sch.step(v)
    print(opt.param_groups[0]['lr'])
print(p)
