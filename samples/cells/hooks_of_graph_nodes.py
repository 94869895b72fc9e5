import torch

x = torch.tensor([1., 2.], requires_grad=True)
y = x * 3
z = y.sum()
z.grad_fn.register_hook(lambda grad_in, grad_out: print('sum', grad_in, grad_out))
handle = y.grad_fn.register_prehook(lambda grad_out: (grad_out[0] * 10,))
print(z.grad_fn.name(), y.grad_fn.name(), y.grad_fn == z.grad_fn.next_functions[0][0])
y.grad_fn.metadata['note'] = 'times three'
print(y.grad_fn.metadata)
z.backward(retain_graph=True)
print(x.grad)
handle.remove()
x.grad = None
leaf = y.grad_fn.next_functions[0][0]
leaf.register_hook(lambda grad_in, grad_out: print('accumulated', grad_in, grad_out))
leaf.register_prehook(lambda grad_out: (grad_out[0] + 1,))
y.grad_fn.register_hook(lambda grad_in, grad_out: tuple(g if g is None else g * 2 for g in grad_in))
z.backward()
print(x.grad)
try:
    torch.ones(2).retain_grad()
except RuntimeError as e:
    print(e)

w = torch.ones(2, requires_grad=True)


class Sort(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        values, places = x.sort()
        ctx.mark_non_differentiable(places)
        ctx.set_materialize_grads(False)
        ctx.save_for_backward(places, None)
        return values, places, x * 2

    @staticmethod
    def backward(ctx, of_values, of_places, of_double):
        print(of_values, of_places, of_double, ctx.needs_input_grad)
        places, nothing = ctx.saved_tensors
        assert nothing is None
        return torch.zeros_like(of_values).index_add(0, places, of_values)


values, places, double = Sort.apply(torch.tensor([3., 1.]) * w)
(values * torch.tensor([1., 5.])).sum().backward()
print(places, places.requires_grad, w.grad)
