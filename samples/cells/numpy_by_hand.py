import numpy as np
import torch

np.random.seed(0)
x_np = np.random.randn(4, 3)
w_np = np.random.randn(3, 2)
# numpy forward & manual backward
h = x_np.dot(w_np)
h_relu = np.maximum(h, 0)
loss_np = np.square(h_relu).sum()
grad_h_relu = 2.0 * h_relu
grad_h = grad_h_relu.copy()
grad_h[h < 0] = 0
grad_w = x_np.T.dot(grad_h)
# torch
x_t = torch.from_numpy(x_np)
w_t = torch.tensor(w_np, requires_grad=True)
loss_t = torch.relu(x_t @ w_t).square().sum()
loss_t.backward()
print(loss_np, loss_t.item())
print(np.allclose(grad_w, w_t.grad.numpy()))
print(grad_w)
np.testing.assert_allclose(grad_w, w_t.grad.numpy(), rtol=1e-10)
print("ok")
