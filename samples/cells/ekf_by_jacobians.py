import torch
from torch.autograd.functional import jacobian

class EKF:
    def __init__(self, x0, P0, f, h, Q, R):
        self.x, self.P, self.f, self.h, self.Q, self.R = x0, P0, f, h, Q, R
    def predict(self, u):
        F = jacobian(lambda s: self.f(s, u), self.x)
        self.x = self.f(self.x, u)
        self.P = F @ self.P @ F.T + self.Q
        return self
    def update(self, z):
        H = jacobian(self.h, self.x)
        y = z - self.h(self.x)
        y[1] = (y[1] + torch.pi) % (2 * torch.pi) - torch.pi
        S = H @ self.P @ H.T + self.R
        K = torch.linalg.solve(S, H @ self.P).T
        self.x = self.x + K @ y
        self.P = (torch.eye(3) - K @ H) @ self.P
        return self
    @property
    def std(self):
        return self.P.diagonal().sqrt()

def f(s, u):
    x, y, th = s
    v, w = u
    return torch.stack([x + v * torch.cos(th), y + v * torch.sin(th), th + w])
landmark = torch.tensor([5., 3.])
def h(s):
    d = landmark - s[:2]
    return torch.stack([d.norm(), torch.atan2(d[1], d[0]) - s[2]])

ekf = EKF(torch.zeros(3), 0.1 * torch.eye(3), f, h, 0.01 * torch.eye(3), torch.diag(torch.tensor([0.05, 0.01])))
truth = torch.tensor([0.1, -0.1, 0.05])
for t in range(5):
    u = torch.tensor([0.5, 0.1])
    truth = f(truth, u)
    ekf.predict(u).update(h(truth))
print(ekf.x, truth)
print(ekf.std, bool((ekf.x - truth).norm() < 0.2))
