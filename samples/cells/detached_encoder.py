import torch
torch.manual_seed(0)
enc = torch.nn.Linear(2, 2); dec = torch.nn.Linear(2, 1)
torch.nn.init.ones_(enc.weight); torch.nn.init.zeros_(enc.bias)
torch.nn.init.ones_(dec.weight); torch.nn.init.zeros_(dec.bias)
x = torch.tensor([[1., 2.]])
h = enc(x)
out = dec(h.detach())
out.backward()
print(enc.weight.grad, dec.weight.grad)
out2 = dec(enc(x))
out2.backward()
print(enc.weight.grad, dec.weight.grad)
for p in enc.parameters():
    p.requires_grad_(False)
print([p.requires_grad for p in list(enc.parameters()) + list(dec.parameters())])
opt = torch.optim.Adam([
    {'params': dec.parameters()},
    {'params': enc.parameters(), 'lr': 1e-4}], lr=1e-2)
print(len(opt.param_groups), [g['lr'] for g in opt.param_groups])
opt.step()
print(dec.weight)
