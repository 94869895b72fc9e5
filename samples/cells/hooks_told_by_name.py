import torch
m = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.ReLU())
torch.nn.init.ones_(m[0].weight); torch.nn.init.zeros_(m[0].bias)
acts = {}
def hook(name):
    def f(mod, i, o): acts[name] = o.detach()
    return f
hs = [l.register_forward_hook(hook(n)) for n, l in m.named_children()]
m(torch.ones(1, 2)); print(acts)
print(len(m[0]._forward_hooks))
hs[0].remove(); print(len(m[0]._forward_hooks))
m[0].register_full_backward_hook(lambda mod, gi, go: print("b", [None if g is None else g.shape for g in gi], go[0]))
m[0].register_forward_pre_hook(lambda mod, i: (i[0] * 2,))
m(torch.ones(1, 2, requires_grad=True)).sum().backward()
m[0].register_full_backward_pre_hook(lambda mod, go: (go[0] * 2,))
m.zero_grad()
m(torch.ones(1, 2)).sum().backward(); print(m[0].bias.grad)
m[0].register_forward_hook(lambda mod, a, k, o: o * 2, with_kwargs=True)
print(m(torch.ones(1, 2)))
