import torch
from torch.optim import lr_scheduler as S

def run(make, n=6, **kw):
    opt = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=0.5, momentum=0.9)
    sch = make(opt)
    rates = []
    for i in range(n):
        rates.append(opt.param_groups[0]['lr'])
        opt.step()
        sch.step()
    print(type(sch).__name__, ['%.4f' % r for r in rates])

run(lambda o: S.StepLR(o, step_size=2, gamma=0.1))
run(lambda o: S.MultiStepLR(o, [1, 3], 0.5))
run(lambda o: S.ConstantLR(o, 0.5, 2))
run(lambda o: S.LinearLR(o, total_iters=4))
run(lambda o: S.ExponentialLR(o, 0.9))
run(lambda o: S.PolynomialLR(o, 4, 2.0))
run(lambda o: S.CosineAnnealingLR(o, 3))
run(lambda o: S.CosineAnnealingWarmRestarts(o, 2, 2), 8)
run(lambda o: S.OneCycleLR(o, max_lr=1.0, total_steps=7))
run(lambda o: S.CyclicLR(o, 0.1, 0.5, step_size_up=2))
run(lambda o: S.LambdaLR(o, lambda e: 1 / (e + 1)))
run(lambda o: S.MultiplicativeLR(o, lambda e: 0.8))
run(lambda o: S.SequentialLR(o, [S.ConstantLR(o, 0.1, 2), S.ExponentialLR(o, 0.5)], milestones=[2]))
run(lambda o: S.ChainedScheduler([S.ConstantLR(o, 0.1, 2), S.ExponentialLR(o, 0.5)]))
