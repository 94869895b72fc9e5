import torch
import torch.nn as nn
import torch.nn.functional as F

emb = nn.Embedding(5, 3, padding_idx=0)
with torch.no_grad():
    emb.weight[1:] = torch.arange(12.).reshape(4, 3) / 6
anchor, positive, negative = emb(torch.tensor([1, 2])), emb(torch.tensor([2, 3])), emb(torch.tensor([4, 0]))
loss = F.triplet_margin_loss(anchor, positive, negative, margin=1.0)
print(loss)
loss.backward()
print(emb.weight.grad)
print(emb)
sim = F.cosine_similarity(anchor, positive)
print(sim, F.pairwise_distance(anchor, positive), F.normalize(anchor, dim=1))
logits = F.normalize(anchor) @ F.normalize(positive).T / 0.1
labels = torch.arange(2)
nce = (F.cross_entropy(logits, labels) + F.cross_entropy(logits.T, labels)) / 2
print(nce)
bag = nn.EmbeddingBag(4, 2, mode='mean')
bag.weight.data = torch.arange(8.).view(4, 2)
print(bag(torch.tensor([0, 1, 3]), torch.tensor([0, 2])))
print(F.gelu(torch.tensor([-1., 0., 1.])), F.silu(torch.tensor([-1., 1.])), F.softplus(torch.tensor([0., 20., 30.])), F.elu(torch.tensor([-1.])), F.leaky_relu(torch.tensor([-2.]), 0.1))
print(F.huber_loss(torch.tensor([0., 3.]), torch.tensor([0.5, 0.])), F.kl_div(torch.tensor([[0.5, 0.5]]).log(), torch.tensor([[0.9, 0.1]]), reduction='batchmean'))
