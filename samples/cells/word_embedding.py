import torch
import numpy as np

# word embeddings, skip-gram by hand
corpus = "the quick brown fox jumps over the lazy dog".split()
vocab = sorted(set(corpus))
word_to_ix = {word: i for i, word in enumerate(vocab)}
print(word_to_ix)
E = torch.nn.Embedding(len(vocab), 3)
E.weight.data = torch.arange(len(vocab) * 3).float().view(-1, 3) / 10
idx = torch.tensor([word_to_ix[w] for w in ["the", "dog"]], dtype=torch.long)
out = E(idx)
print(out)
loss = out.pow(2).sum()
loss.backward()
print(E.weight.grad)
