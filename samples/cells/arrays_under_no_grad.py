import torch
x = torch.tensor([[1.2345], [2.5]], requires_grad=True)
with torch.no_grad():
    y = torch.sigmoid(x)
    print(y.numpy())
    print(y.numpy().flatten())
    print(y.numpy().round(3))
    print(y.numpy().flatten().round(3))
print(y.numpy().flatten().round(3))
print(y.view(-1).numpy().round(3))
