import torch
import torch.nn as nn
import torch.nn.functional as F

class Net(nn.Module):
    def __init__(self, n_in: int = 2, n_hidden: int = 4):
        super(Net, self).__init__()
        self.fc1 = nn.Linear(n_in, n_hidden)
        self.fc2 = nn.Linear(n_hidden, 2)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = F.relu(self.fc1(x))
        return self.fc2(x)

X = torch.tensor([[0., 0.], [0., 1.], [1., 0.], [1., 1.]])
Y = torch.tensor([0, 1, 1, 0])
net = Net()
with torch.no_grad():
    for i, p in enumerate(net.parameters()):
        p.copy_(torch.linspace(-1, 1, p.numel()).view_as(p) + 0.1 * i)
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(net.parameters(), lr=0.5, momentum=0.9)
net.train()
for epoch in range(50):
    running_loss = 0.0
    for i in range(0, 4, 2):
        xb, yb = X[i:i+2], Y[i:i+2]
        optimizer.zero_grad()
        loss = criterion(net(xb), yb)
        loss.backward()
        optimizer.step()
        running_loss += loss.item() * xb.size(0)
    if epoch % 10 == 9:
        print(f"epoch {epoch + 1:3d} loss {running_loss / len(X):.3f}")
net.eval()
with torch.no_grad():
    logits = net(X)
    pred = logits.argmax(dim=1)
    acc = (pred == Y).float().mean()
print(f'Accuracy: {acc.item() * 100:.1f}%')
print(pred, (pred == Y).sum().item(), '/', len(Y))
print(F.softmax(logits, dim=1).max(dim=1))
