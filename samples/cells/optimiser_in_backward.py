import torch

model = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Tanh(), torch.nn.Linear(2, 1))
for p in model.parameters():
    p.data.fill_(0.3)
optimizer_dict = {p: torch.optim.SGD([p], lr=0.1) for p in model.parameters()}

def optimizer_hook(parameter) -> None:
    optimizer_dict[parameter].step()
    optimizer_dict[parameter].zero_grad()

for p in model.parameters():
    p.register_post_accumulate_grad_hook(optimizer_hook)

x = torch.tensor([[1., 2.], [0., -1.]])
for i in range(3):
    loss = model(x).pow(2).mean()
    loss.backward()
    print(f"{i}: {loss:.6f}")
print([p.grad for p in model.parameters()])
