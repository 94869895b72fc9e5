import torch
import torch.nn.functional as F

inp = torch.arange(16, dtype=torch.float32).reshape(1, 1, 4, 4).requires_grad_()
kernel = torch.ones(1, 1, 2, 2, requires_grad=True)
out = F.conv2d(inp, kernel, stride=2)
print(out.squeeze())
out.sum().backward()
print(kernel.grad.squeeze())
print(inp.grad[0, 0])
