import torch
dt = 1.0
F = torch.tensor([[1.0, dt], [0.0, 1.0]])
H = torch.tensor([[1.0, 0.0]])
Q = 0.01 * torch.eye(2)
R = torch.tensor([[0.5]], requires_grad=True)
x = torch.zeros(2, 1)
P = torch.eye(2)
zs = [1.1, 1.9, 3.2, 3.9]
nll = 0.0
for z in zs:
    x = F @ x
    P = F @ P @ F.T + Q
    S = H @ P @ H.T + R
    K = P @ H.T @ torch.inverse(S)
    innov = torch.tensor([[z]]) - H @ x
    nll = nll + 0.5 * (innov.T @ torch.linalg.inv(S) @ innov + torch.logdet(S)).squeeze()
    x = x + K @ innov
    P = (torch.eye(2) - K @ H) @ P
print(x)
print(P)
nll.backward()
print(R.grad)
