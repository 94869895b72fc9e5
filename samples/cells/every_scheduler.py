import torch

w = torch.ones(1, requires_grad=True)


def run(make, n=6):
    o = torch.optim.SGD([w], lr=1.0)
    s = make(o)
    r = []
    for i in range(n):
        o.step()
        r.append(round(o.param_groups[0]["lr"], 5))
        s.step()
    print(r)


S = torch.optim.lr_scheduler
run(lambda o: S.StepLR(o, 2))
run(lambda o: S.MultiStepLR(o, [1, 3]))
run(lambda o: S.ExponentialLR(o, 0.9))
run(lambda o: S.CosineAnnealingLR(o, 5))
run(lambda o: S.CosineAnnealingWarmRestarts(o, 2, 2))
run(lambda o: S.LinearLR(o))
run(lambda o: S.ConstantLR(o, total_iters=3))
run(lambda o: S.PolynomialLR(o, 4, 2.0))
run(lambda o: S.LambdaLR(o, lambda e: 0.95**e))
run(lambda o: S.MultiplicativeLR(o, lambda e: 0.95))
run(lambda o: S.OneCycleLR(o, 2.0, total_steps=10))
run(lambda o: S.CyclicLR(o, 0.1, 1.0, step_size_up=2))
run(lambda o: S.SequentialLR(o, [S.ConstantLR(o, 0.1, 2), S.ExponentialLR(o, 0.9)], [2]))
run(lambda o: S.ChainedScheduler([S.ConstantLR(o, 0.1, 2), S.ExponentialLR(o, 0.9)]))
o = torch.optim.SGD([w], lr=1.0)
s = S.ReduceLROnPlateau(o, patience=1)
for l in [1.0, 1.0, 1.0, 1.0]:
    s.step(l)
print(o.param_groups[0]["lr"], s.num_bad_epochs)

import torch

w = torch.tensor([3.0, -4.0], requires_grad=True)
o = torch.optim.SGD([w], lr=1.0)
s = torch.optim.lr_scheduler.ReduceLROnPlateau(o, mode="max", patience=1, factor=0.5)
for l in [1.0, 1.0, 1.0, 1.0, 2.0]:
    s.step(l)
    print(o.param_groups[0]["lr"], s.num_bad_epochs, s.best)
