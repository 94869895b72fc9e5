import torch
import torch.nn as nn


class Scaled(nn.Module):
    def __init__(self, inner, factor, note):
        super().__init__()
        self.inner = inner
        self.factor = factor
        self.note = note

    def extra_repr(self):
        return self.note.format(factor=self.factor)


class Alone(nn.Module):
    def __init__(self, text):
        super().__init__()
        self.text = text

    def extra_repr(self):
        return self.text


print(Scaled(nn.Linear(2, 1), 3, "factor={factor}"))
print(Scaled(nn.Sequential(nn.Linear(2, 1), Alone("a=1")), 3, "one\ntwo"))
print(Alone("a=1, b=2"), Alone("a=1\nb=2"), Alone(""), sep="\n")
