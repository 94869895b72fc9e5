import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

X = torch.linspace(-1, 1, 20).unsqueeze(1)
y = (X > 0).float()
train_ds = TensorDataset(X[::2], y[::2])
loader = DataLoader(train_ds, batch_size=5, shuffle=False)
model = nn.Sequential(nn.Linear(1, 1), nn.Sigmoid())
nn.init.zeros_(model[0].bias)
nn.init.ones_(model[0].weight)
loss_fn = nn.BCELoss()
opt = torch.optim.SGD(model.parameters(), lr=1.0)
def train_one_epoch(epoch):
    total, correct, running = 0, 0, 0.
    for batch_idx, (xb, yb) in enumerate(loader):
        pred = model(xb)
        loss = loss_fn(pred, yb)
        opt.zero_grad(set_to_none=True)
        loss.backward()
        opt.step()
        running += loss.item() * len(xb)
        correct += ((pred > 0.5).float() == yb).sum().item()
        total += len(xb)
        if batch_idx % 1 == 0 and epoch == 0:
            print(f"[{batch_idx * len(xb):>2d}/{len(loader.dataset):>2d}] loss: {loss.item():>7f}")
    return running / total, correct / total
for e in range(3):
    l, acc = train_one_epoch(e)
    print(f"Epoch {e}: {l:.4f} {acc:.1%} {100 * acc:>0.1f}%")
model.eval()
with torch.inference_mode():
    p = model(X[1::2])
tp = ((p > 0.5) & (y[1::2] == 1)).sum().item()
print(tp, type(tp), len(loader), len(train_ds), train_ds[0])
