import torch

def safe_div(a, b):
    try:
        return a / b
    except ZeroDivisionError:
        return float('inf')
    finally:
        print('div', a, b)

print(safe_div(1, 2), safe_div(1, 0))
results = {}
for name, fn in {'relu': torch.relu, 'tanh': torch.tanh, 'sigmoid': torch.sigmoid}.items():
    x = torch.tensor([-1., 0., 2.], requires_grad=True)
    fn(x).sum().backward()
    results[name] = x.grad.tolist()
for k in sorted(results):
    print(f"{k:<10}|" + "|".join(f"{v:8.4f}" for v in results[k]) + "|")
a = torch.ones(2, 3)
b = torch.ones(4, 5)
try:
    a @ b
except RuntimeError as e:
    print("RuntimeError:", e)
try:
    a + torch.ones(2)
except RuntimeError as e:
    print("RuntimeError:", e)
try:
    torch.ones(3, requires_grad=True).numpy()
except RuntimeError as e:
    print(e)
try:
    bool(torch.tensor([1, 2]))
except RuntimeError as e:
    print(e)
try:
    a.view(4, 2)
except RuntimeError as e:
    print(e)
try:
    results['gelu']
except KeyError as e:
    print('missing', e)
try:
    torch.tensor([1., 2.], requires_grad=True).backward()
except RuntimeError as e:
    print(e)
matrix = [[1, 2, 3], [4, 5, 6]]
print([list(r) for r in zip(*matrix)], [v for row in matrix for v in row if v % 2])
*head, last = matrix[0]
print(head, last, any(v > 5 for v in matrix[1]), all(matrix[0]))
print("{:>6.2%} {!r} {:,}".format(0.256, 'hi', 1234567))
