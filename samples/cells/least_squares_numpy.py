import numpy as np
import torch
# least squares: numpy vs torch
np.set_printoptions(precision=4, suppress=True)
X = np.array([[1., 1.], [1., 2.], [1., 3.], [1., 4.]])
y = np.array([6., 5., 7., 10.])
theta = np.linalg.inv(X.T @ X) @ X.T @ y
print(theta)
Xt = torch.tensor(X, dtype=torch.float32)
yt = torch.tensor(y, dtype=torch.float32)
t = torch.zeros(2, requires_grad=True)
for i in range(200):
    loss = ((Xt @ t - yt) ** 2).mean()
    loss.backward()
    with torch.no_grad():
        t -= 0.05 * t.grad
    t.grad.zero_()
print(t.detach().numpy())
sol = torch.linalg.lstsq(Xt, yt.unsqueeze(1)).solution
print(sol.squeeze())
print(np.allclose(theta, sol.squeeze().numpy(), atol=1e-3))
