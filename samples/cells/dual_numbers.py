import torch
import torch.autograd.forward_ad as fwAD
primal = torch.tensor([1., 2., 3.])
tangent = torch.tensor([1., 0., -1.])
def fn(x, y):
    return x ** 2 + y ** 2
with fwAD.dual_level():
    dual_input = fwAD.make_dual(primal, tangent)
    assert fwAD.unpack_dual(dual_input).tangent is tangent
    dual_output = fn(dual_input, torch.ones(3))
    jvp = fwAD.unpack_dual(dual_output).tangent
print(jvp)
import torch.func as ft
primal_out, tangent_out = ft.jvp(fn, (primal, torch.ones(3)), (tangent, torch.zeros(3)))
print(primal_out, tangent_out)
