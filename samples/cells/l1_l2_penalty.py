import torch

w = torch.tensor([0.5, -1.5, 2.0], requires_grad=True)
l1_lambda, l2_lambda = 0.01, 0.001

mse = ((w - 1) ** 2).mean()
l1 = w.abs().sum()
l2 = w.pow(2.0).sum()
loss = mse + l1_lambda * l1 + l2_lambda * l2
loss.backward()
print(loss)
print(w.grad)
