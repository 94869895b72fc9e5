import numpy as np
import torch
X = np.array([[0.5, 1.0], [1.5, 2.0], [-1.0, -0.5], [-2.0, -1.0]])
y = np.array([1, 1, 0, 0])
X_t = torch.tensor(X, dtype=torch.float32)
y_t = torch.tensor(y, dtype=torch.float32).view(-1, 1)
model = torch.nn.Sequential(torch.nn.Linear(2, 1), torch.nn.Sigmoid())
with torch.no_grad():
    model[0].weight.zero_()
    model[0].bias.zero_()
opt = torch.optim.SGD(model.parameters(), lr=0.5, weight_decay=0.01)
loss_fn = torch.nn.BCELoss()
for epoch in range(1, 6):
    p = model(X_t)
    loss = loss_fn(p, y_t)
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(f'Epoch [{epoch}/5], Loss: {loss.item():.4f}')
with torch.no_grad():
    pred = model(X_t).round()
    acc = pred.eq(y_t).sum() / float(y_t.shape[0])
    print(f'accuracy: {acc.item():.4f}')
print(pred.numpy().ravel())
print(model[0].weight.data.numpy())
