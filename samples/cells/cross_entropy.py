import torch
import torch.nn as nn

loss = nn.CrossEntropyLoss()
input = torch.tensor([[1.0, 2.0, 0.5], [0.1, 0.2, 3.0]], requires_grad=True)
target = torch.tensor([1, 2])
output = loss(input, target)
output.backward()
print(output)
print(input.grad)
