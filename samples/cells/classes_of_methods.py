import torch
import torch.nn as nn
m = nn.Sequential(nn.Linear(1,1))
print(type(m.modules), type(m.parameters), type(m.forward), type(m[0].parameters))
class A:
    def f(self): return 1
a = A()
print(type(a.f), type(A.f), a.f())
