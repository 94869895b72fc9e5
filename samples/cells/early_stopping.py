import torch

x = torch.tensor(10.0, requires_grad=True)
prev = float('inf')
for i in range(1000):
    loss = x ** 2
    if prev - loss.item() < 1e-3:
        print('converged after', i, 'steps')
        break
    prev = loss.item()
    loss.backward()
    with torch.no_grad():
        x -= 0.1 * x.grad
    x.grad = None
else:
    print('no convergence')
