import torch

x = torch.tensor([1., 2.], requires_grad=True)
y = torch.tensor([3., 4.], requires_grad=True)
z = torch.cat([x, y]).prod()
gx, gy = torch.autograd.grad(outputs=z, inputs=[x, y])
print(gx, gy, z.grad_fn is None, x.is_leaf)
