import torch
import torch.nn.functional as F
words = ["emma", "ava", "mia"]
chars = sorted(set("".join(words)))
stoi = {s: i + 1 for i, s in enumerate(chars)}
stoi["."] = 0
itos = {i: s for s, i in stoi.items()}
N = torch.zeros((6, 6), dtype=torch.int32)
xs, ys = [], []
for w in words:
    chs = ["."] + list(w) + ["."]
    for ch1, ch2 in zip(chs, chs[1:]):
        ix1, ix2 = stoi[ch1], stoi[ch2]
        N[ix1, ix2] += 1
        xs.append(ix1); ys.append(ix2)
print(N)
print(N[0].dtype, N.sum(), N[0])
P = (N + 1).float()
P /= P.sum(1, keepdim=True)
print(P[0])
xs = torch.tensor(xs); ys = torch.tensor(ys)
W = torch.zeros((6, 6), requires_grad=True)
for k in range(3):
    xenc = F.one_hot(xs, num_classes=6).float()
    logits = xenc @ W
    counts = logits.exp()
    probs = counts / counts.sum(1, keepdims=True)
    loss = -probs[torch.arange(ys.nelement()), ys].log().mean() + 0.01 * (W ** 2).mean()
    print(loss.item())
    W.grad = None
    loss.backward()
    W.data += -50 * W.grad
log_likelihood = 0.0
for ch1, ch2 in zip(".ava", "ava."):
    log_likelihood += torch.log(P[stoi[ch1], stoi[ch2]])
print(f"{log_likelihood=}")
