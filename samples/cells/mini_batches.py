import torch

# accumulate gradients over mini batches
data = torch.arange(8, dtype=torch.float32)
w = torch.tensor(0.5, requires_grad=True)
for batch in data.split(4):
    loss = ((w * batch - 2 * batch) ** 2).sum() / len(data)
    loss.backward()
print(w.grad)
