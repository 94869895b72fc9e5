import torch

s = torch.tensor([1., 1.], requires_grad=True)
for _ in range(3):
    loss = (s[0] - 1) ** 2 + 10 * (s[1] - s[0] ** 2) ** 2 + s.norm()
    grad, = torch.autograd.grad(loss, (s,))
    s = (s - 0.01 * grad).detach().requires_grad_(True)
print(s.data)
