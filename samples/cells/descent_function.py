import torch

def gradient_descent(f, x0, lr=0.1, tol=1e-6, max_iter=100):
    x = torch.tensor(x0, requires_grad=True)
    for i in range(max_iter):
        y = f(x)
        y.backward()
        with torch.no_grad():
            step = lr * x.grad
            x -= step
        x.grad.zero_()
        if abs(step.item()) < tol:
            break
    return x.item(), i

xmin, n = gradient_descent(lambda x: (x - 3) ** 2 + 1, 0.0)
print(f"{xmin:.4f} after {n} iterations")
