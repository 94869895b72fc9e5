import torch

w = torch.ones(1, requires_grad=True)
for epoch in range(3):
    model_output = (w * 3).sum()
    model_output.backward()
    print(w.grad)

# after emptying the gradients
w.grad.zero_()
for epoch in range(2):
    model_output = (w * 3).sum()
    model_output.backward()
    print(w.grad)
    w.grad.zero_()
