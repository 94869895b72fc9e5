import torch

w1 = torch.tensor([1., 2.], requires_grad=True)
w2 = torch.tensor([3., 4.], requires_grad=True)
w1.requires_grad = False      # freeze the first layer
loss = (w1 * w2).sum()
loss.backward()
print(w1.grad)
print(w2.grad)
