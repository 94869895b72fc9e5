import torch
def f(x, y):
    return x ** 2 * y + torch.exp(y)
x = torch.tensor(1.5, requires_grad=True)
y = torch.tensor(0.5, requires_grad=True)
z = f(x, y)
gx, gy = torch.autograd.grad(z, (x, y), create_graph=True)
print(f"df/dx = {gx.item():.4f}, df/dy = {gy.item():.4f}")
H = torch.zeros(2, 2)
for i, g in enumerate((gx, gy)):
    row = torch.autograd.grad(g, (x, y), retain_graph=True)
    H[i] = torch.stack(row)
print(H)
print(torch.autograd.functional.hessian(f, (x.detach(), y.detach())))
eigvals = torch.linalg.eigvalsh(H)
print(eigvals, torch.linalg.det(H), H.trace(), torch.linalg.matrix_rank(H))
L, V = torch.linalg.eigh(H)
print(torch.allclose(V @ torch.diag(L) @ V.T, H, atol=1e-5))
print(torch.linalg.solve(H, torch.stack([gx, gy]).detach()))
