import torch

w = torch.tensor([1.0, 2.0], requires_grad=True)
b = torch.tensor([0.5], requires_grad=True)
for made in (torch.optim.SGD([w], lr=0.1), torch.optim.Adam([w], lr=0.01),
             torch.optim.AdamW([{"params": [w], "lr": 0.5}, {"params": b}], lr=0.01)):
    print(made.param_groups)
    print(made.param_groups[0].keys(), len(made.param_groups))
    print(made)
sgd = torch.optim.SGD([w], lr=0.1, momentum=0.9, nesterov=True)
sgd.add_param_group({"params": b, "lr": 0.001})
print(sgd.param_groups[1], sgd.param_groups[0]["nesterov"])
(w.sum() + b.sum()).backward()
sgd.step()
print(w, b, sgd.state_dict()["param_groups"][1])
inner = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.ReLU())
net = torch.nn.Sequential(inner, torch.nn.Tanh(), torch.nn.Linear(3, 1))
net.apply(lambda m: print(type(m).__name__, len(list(m.children()))))
