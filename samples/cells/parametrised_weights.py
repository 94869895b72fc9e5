import torch
import torch.nn.utils.parametrize as parametrize


class Sym(torch.nn.Module):
    def forward(self, X):
        return X.triu() + X.triu(1).T


m = torch.nn.Linear(2, 2)
with torch.no_grad():
    m.weight.copy_(torch.tensor([[3.0, 4.0], [1.0, 0.0]]))
parametrize.register_parametrization(m, "weight", Sym())
print(m.weight)
m.weight.sum().backward()
print(m.parametrizations.weight.original.grad)
print(parametrize.is_parametrized(m))
