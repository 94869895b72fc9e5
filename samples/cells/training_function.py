import torch

def train(lr, steps=5):
    w = torch.zeros(1, requires_grad=True)
    for _ in range(steps):
        loss = ((w * 2 - 4) ** 2).mean()
        loss.backward()
        w.data.sub_(lr * w.grad)
        w.grad.zero_()
    return w.item(), loss.item()

for lr in (0.01, 0.1):
    w, l = train(lr)
    print("lr = {:.2f} -> w = {:.4f}, loss = {:.4f}".format(lr, w, l))
