import torch
import torch.nn as nn
import torch.optim as optim
from torch.utils.data import TensorDataset, DataLoader

X = torch.arange(10).float().unsqueeze(1)
y = 2 * X + 1
ds = TensorDataset(X, y)
dl = DataLoader(ds, batch_size=4, shuffle=False)
print(len(ds), len(dl))
model = nn.Linear(1, 1)
model.weight.data.fill_(0.0)
model.bias.data.zero_()
opt = optim.SGD(model.parameters(), lr=0.01)
for epoch in range(3):
    running = 0.0
    for xb, yb in dl:
        pred = model(xb)
        loss = nn.functional.mse_loss(pred, yb)
        opt.zero_grad()
        loss.backward()
        opt.step()
        running += loss.item() * xb.size(0)
    print(f'epoch {epoch}: {running / len(ds):.4f}')
print(model.weight.item(), model.bias.item())
