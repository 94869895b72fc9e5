import torch

# Create a tensor and set requires_grad=True to track computation with it
x = torch.tensor(3.0, requires_grad=True)
y = x**2 + 2*x + 1
y.backward()
print("dy/dx at x=3:", x.grad)
