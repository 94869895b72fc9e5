import torch

w = torch.nn.Parameter(torch.tensor([1.0, -2.0]))
opt = torch.optim.Adam([w], lr=0.1)
for _ in range(2):
    opt.zero_grad()
    w.pow(2).sum().backward()
    opt.step()
print(opt)
sd = opt.state_dict()
print(sd.keys())
print(sd['state'][0]['step'], sd['state'][0]['exp_avg'])
print(sd['param_groups'][0]['lr'], sd['param_groups'][0]['betas'])
for g in opt.param_groups:
    g['lr'] *= 0.5
print(opt.param_groups[0]['lr'])
opt2 = torch.optim.Adam([w], lr=0.1)
opt2.load_state_dict(sd)
print(opt2.state[w]['exp_avg_sq'])
opt.add_param_group({'params': [torch.nn.Parameter(torch.zeros(1))], 'lr': 0.01})
print(len(opt.param_groups))
