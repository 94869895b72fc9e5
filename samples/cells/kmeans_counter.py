import torch
from collections import Counter, defaultdict
X = torch.tensor([[1., 1.], [1.2, 0.8], [5., 5.], [5.2, 4.9], [9., 1.]])
centers = X[[0, 2, 4]].clone()
for it in range(3):
    d = torch.cdist(X, centers)
    assign = d.argmin(dim=1)
    for k in range(3):
        centers[k] = X[assign == k].mean(dim=0)
print(assign.tolist(), centers)
c = Counter(assign.tolist())
print(c)
print(c.most_common(1), c[0])
groups = defaultdict(list)
for i, a in enumerate(assign.tolist()):
    groups[a].append(i)
print(dict(groups))
print(Counter("hello")['l'])
