import torch
import torch.optim as optim

w = torch.nn.Parameter(torch.tensor([1.0, -2.0]))
opt = optim.SGD([w], lr=0.1, momentum=0.9, weight_decay=1e-2, nesterov=True)
for _ in range(3):
    opt.zero_grad()
    loss = (w ** 2).sum()
    loss.backward()
    opt.step()
    print(w.data)
