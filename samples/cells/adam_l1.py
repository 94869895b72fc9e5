import torch

x = torch.zeros(2, requires_grad=True)
optimizer = torch.optim.Adam([x], lr=0.1, betas=(0.9, 0.99))
target = torch.tensor([1.0, -1.0])
step = 0
while step < 3:
    optimizer.zero_grad(set_to_none=True)
    loss = torch.nn.functional.l1_loss(x, target)
    loss.backward()
    optimizer.step()
    step += 1
    print(step, loss.item(), x.tolist())
