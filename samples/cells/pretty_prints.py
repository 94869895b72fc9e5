# Results, laid out by pprint.
import pprint
from collections import OrderedDict
from pprint import pformat
import torch

w = torch.zeros(2, requires_grad=True)
history = {"loss": [], "w": []}
optimizer = torch.optim.Adagrad([w], lr=0.5)
for epoch in range(4):
    loss = ((w - torch.tensor([1.0, -2.0])) ** 2).sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    history["loss"].append(round(loss.item(), 3))
    history["w"].append([round(v, 2) for v in w.tolist()])
pprint.pprint(history)
pprint.pprint({"last": history["loss"][-1], "first": history["loss"][0], "kind": "a", 3: (1, None, True)})
config = {
    "model": {"layers": [64, 128, 256], "activation": "relu", "dropout": 0.1, "residual": False},
    "optimizer": {"name": "AdamW", "lr": 1e-3, "betas": (0.9, 0.999)},
    "seed": 7,
}
pprint.pprint(config)
pprint.pprint(config, width=40)
pprint.pprint(config, indent=4, sort_dicts=False)
pprint.pp(config["optimizer"])
pprint.pprint(list(range(40)), compact=True)
pprint.pprint([["a long sentence of many words " * 2, "another one"], set([3, 1, 2])])
print(pformat([1, 2]), len(pformat(config)))
pprint.pprint({"w": torch.ones(2), "grad": w.grad.round(decimals=2)})
pprint.pprint("text")
pprint.pprint(torch.tensor([1.5]))
