import numpy as np
import torch
np.random.seed(0)
X = np.random.rand(5, 2)
w_true = np.array([2.0, -1.0])
y = X @ w_true
print(X.shape, y.shape, X.dtype)
Xt = torch.from_numpy(X).float()
yt = torch.from_numpy(y).float().unsqueeze(1)
print(Xt.dtype, yt.shape)
model = torch.nn.Linear(2, 1)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
losses = []
for epoch in range(20):
    pred = model(Xt)
    loss = torch.nn.functional.mse_loss(pred, yt)
    opt.zero_grad()
    loss.backward()
    opt.step()
    losses.append(loss.item())
print(len(losses), losses[-1] < losses[0])
