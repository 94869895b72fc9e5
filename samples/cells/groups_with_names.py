import torch
a, b = torch.ones(1, requires_grad=True), torch.ones(1, requires_grad=True)
o = torch.optim.SGD([{"params": [a], "name": "first", "lr": 0.5}, {"params": [b], "name": "second"}], lr=0.1)
for g in o.param_groups:
    print(g["name"], g["lr"])
(a + b).sum().backward(); o.step(); print(a, b)
