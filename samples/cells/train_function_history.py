import torch
from torch import nn
def train(model, X, y, lr=0.1, epochs=5, verbose=True):
    history = {"loss": [], "acc": []}
    loss_fn = nn.BCEWithLogitsLoss()
    opt = torch.optim.SGD(model.parameters(), lr=lr)
    for epoch in range(1, epochs + 1):
        logits = model(X).squeeze()
        preds = torch.round(torch.sigmoid(logits))
        loss = loss_fn(logits, y)
        acc = (preds == y).float().mean().item() * 100
        opt.zero_grad()
        loss.backward()
        opt.step()
        history["loss"].append(loss.item())
        history["acc"].append(acc)
        if verbose:
            print(f"Epoch: {epoch} | Loss: {loss:.5f}, Accuracy: {acc:.2f}%")
    return history
X = torch.tensor([[0., 0.], [0., 1.], [1., 0.], [1., 1.]])
y = torch.tensor([0., 1., 1., 1.])
model = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 1))
for k, v in model.state_dict().items():
    print(k, tuple(v.shape))
    v.fill_(0.3)
hist = train(model, X, y)
best = min(hist["loss"])
print(f"{best:.4f}", hist["loss"].index(best), max(hist['acc']))
