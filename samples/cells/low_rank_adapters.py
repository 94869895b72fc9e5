import math
import torch
import torch.nn as nn
import torch.nn.functional as F

class LoRALinear(nn.Module):
    def __init__(self, base: nn.Linear, r: int = 2, alpha: float = 4.0, dropout: float = 0.0):
        super().__init__()
        self.base = base
        for p in self.base.parameters():
            p.requires_grad_(False)
        self.r, self.scaling = r, alpha / r
        self.lora_A = nn.Parameter(torch.empty(r, base.in_features))
        self.lora_B = nn.Parameter(torch.zeros(base.out_features, r))
        nn.init.kaiming_uniform_(self.lora_A, a=math.sqrt(5))
        self.drop = nn.Dropout(dropout) if dropout > 0 else nn.Identity()
        self.merged = False

    def forward(self, x):
        if self.merged:
            return self.base(x)
        return self.base(x) + self.drop(x) @ self.lora_A.T @ self.lora_B.T * self.scaling

    @torch.no_grad()
    def merge(self):
        self.base.weight += self.scaling * self.lora_B @ self.lora_A
        self.merged = True
        return self

    def extra_repr(self):
        return f"r={self.r}, scaling={self.scaling}, merged={self.merged}"

class MLP(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(3, 4)
        self.fc2 = nn.Linear(4, 2)
    def forward(self, x):
        return self.fc2(F.gelu(self.fc1(x), approximate="tanh"))

def inject(model, r=2):
    for name, child in model.named_children():
        if isinstance(child, nn.Linear):
            setattr(model, name, LoRALinear(child, r=r))
        else:
            inject(child, r)
    return model

m = MLP()
with torch.no_grad():
    for p in m.parameters():
        p.copy_(torch.linspace(-0.3, 0.4, p.numel()).view_as(p))
x = torch.tensor([[1.0, -1.0, 2.0], [0.5, 0.5, 0.5]])
before = m(x)
m = inject(m)
print(m)
print(torch.equal(before, m(x)))
trainable = [n for n, p in m.named_parameters() if p.requires_grad]
print(trainable)
with torch.no_grad():
    for n, p in m.named_parameters():
        if "lora_A" in n:
            p.fill_(0.1)
opt = torch.optim.AdamW((p for p in m.parameters() if p.requires_grad), lr=0.1, weight_decay=0.0)
for i in range(3):
    loss = F.cross_entropy(m(x), torch.tensor([0, 1]))
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(f"{i}: {loss.item():.5f}")
out = m(x)
for mod in m.modules():
    if isinstance(mod, LoRALinear):
        mod.merge()
print(torch.allclose(out, m(x), atol=1e-6), m.fc1.merged)
print(m.fc2.lora_B, m.fc1.base.weight.grad, out.grad_fn.name())
