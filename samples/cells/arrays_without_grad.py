import torch
import torch.nn as nn
import numpy as np

X_numpy = np.array([[0.5, 1.2], [1.5, 0.3], [-0.5, -1.0], [-1.2, 0.2], [2.0, 1.0], [-2.0, -0.4]], dtype=np.float32)
y_numpy = np.array([1, 1, 0, 0, 1, 0])
X = torch.from_numpy(X_numpy.astype(np.float32))
y = torch.from_numpy(y_numpy.astype(np.float32))
y = y.view(y.shape[0], 1)
n_samples, n_features = X.shape

class LogisticRegression(nn.Module):
    def __init__(self, n_input_features):
        super(LogisticRegression, self).__init__()
        self.linear = nn.Linear(n_input_features, 1)

    def forward(self, x):
        y_predicted = torch.sigmoid(self.linear(x))
        return y_predicted

model = LogisticRegression(n_features)
model.linear.weight.data.fill_(0.01)
model.linear.bias.data.fill_(0.)
criterion = nn.BCELoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
num_epochs = 50
for epoch in range(num_epochs):
    y_predicted = model(X)
    loss = criterion(y_predicted, y)
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    if (epoch+1) % 10 == 0:
        print(f'epoch: {epoch+1}, loss = {loss.item():.4f}')

with torch.no_grad():
    y_predicted = model(X)
    y_predicted_cls = y_predicted.round()
    acc = y_predicted_cls.eq(y).sum() / float(y.shape[0])
    print(f'accuracy = {acc:.4f}')
    print(y_predicted.numpy().flatten().round(3))
    tp = ((y_predicted_cls == 1) & (y == 1)).sum().item()
    print("tp:", tp, "of", int(y.sum()))
