import torch

def rosen(t):
    x, y = t
    return (1 - x) ** 2 + 10 * (y - x ** 2) ** 2

makers = {
    'SGD': lambda p: torch.optim.SGD(p, lr=0.01),
    'Momentum': lambda p: torch.optim.SGD(p, lr=0.01, momentum=0.9, dampening=0.1),
    'Adam': lambda p: torch.optim.Adam(p, lr=0.05),
    'AMSGrad': lambda p: torch.optim.Adam(p, lr=0.05, amsgrad=True),
    'AdamW': lambda p: torch.optim.AdamW(p, lr=0.05, weight_decay=0.1),
    'RMSprop': lambda p: torch.optim.RMSprop(p, lr=0.01, momentum=0.5, centered=True),
    'Adagrad': lambda p: torch.optim.Adagrad(p, lr=0.3),
    'Adadelta': lambda p: torch.optim.Adadelta(p, lr=1.),
    'Adamax': lambda p: torch.optim.Adamax(p, lr=0.05),
    'NAdam': lambda p: torch.optim.NAdam(p, lr=0.05),
    'RAdam': lambda p: torch.optim.RAdam(p, lr=0.05),
    'ASGD': lambda p: torch.optim.ASGD(p, lr=0.01),
    'Rprop': lambda p: torch.optim.Rprop(p, lr=0.01),
}
for name, make in makers.items():
    t = torch.tensor([-1., 1.5], requires_grad=True)
    opt = make([t])
    for _ in range(10):
        opt.zero_grad()
        loss = rosen(t)
        loss.backward()
        opt.step()
    print(f'{name:10s} {loss.item():9.4f} {t[0]:8.4f} {t[1]:8.4f}')
