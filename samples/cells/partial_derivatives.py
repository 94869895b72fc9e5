import torch

x = torch.tensor(1.5, requires_grad=True)
y = torch.tensor(-0.5, requires_grad=True)
f = x**2 * y + y.exp()
df_dx, df_dy = torch.autograd.grad(f, [x, y])
print(df_dx, df_dy)
print(x.grad is None)
