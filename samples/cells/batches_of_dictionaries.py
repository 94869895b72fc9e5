import torch
from torch.utils.data import Dataset, DataLoader
class Words(Dataset):
    def __init__(self):
        self.items = [("a b", 0), ("c d e", 1), ("f", 0)]
    def __len__(self):
        return len(self.items)
    def __getitem__(self, i):
        text, label = self.items[i]
        return {"ids": torch.tensor([ord(c) - 97 for c in text.split()]) if False else torch.arange(len(text.split())), "label": label}
def collate(batch):
    n = max(len(b["ids"]) for b in batch)
    ids = torch.zeros(len(batch), n, dtype=torch.long)
    mask = torch.zeros(len(batch), n)
    for i, b in enumerate(batch):
        ids[i, :len(b["ids"])] = b["ids"]
        mask[i, :len(b["ids"])] = 1
    return {"ids": ids, "mask": mask, "labels": torch.tensor([b["label"] for b in batch])}
for batch in DataLoader(Words(), batch_size=2, collate_fn=collate):
    print({k: v.tolist() for k, v in batch.items()})
    lengths = batch["mask"].sum(1)
    print(lengths, (batch["mask"] * batch["ids"]).sum(1) / lengths)
