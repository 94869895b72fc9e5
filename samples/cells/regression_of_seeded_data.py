import numpy as np
import torch
np.random.seed(42)
x = np.random.rand(100, 1)
y = 1 + 2 * x + .1 * np.random.randn(100, 1)
idx = np.arange(100)
np.random.shuffle(idx)
train_idx = idx[:80]
x_train, y_train = x[train_idx], y[train_idx]
print(x_train.shape, y_train.mean())
device = 'cuda' if torch.cuda.is_available() else 'cpu'
x_train_tensor = torch.from_numpy(x_train).float().to(device)
y_train_tensor = torch.from_numpy(y_train).float().to(device)
print(type(x_train), type(x_train_tensor), x_train_tensor.type())
a = torch.zeros(1, requires_grad=True, dtype=torch.float)
b = torch.zeros(1, requires_grad=True, dtype=torch.float)
optimizer = torch.optim.SGD([a, b], lr=1e-1)
for epoch in range(100):
    yhat = a + b * x_train_tensor
    error = y_train_tensor - yhat
    loss = (error ** 2).mean()
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
print(a, b)
