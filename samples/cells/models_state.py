import torch
import torch.nn as nn

class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 6, 5)
        self.pool = nn.MaxPool2d(2, 2)
        self.fc1 = nn.Linear(6 * 2 * 2, 4)
        self.bn = nn.BatchNorm1d(4)
        self.scale = nn.Parameter(torch.tensor(1.5))
        self.register_buffer('steps', torch.tensor(0))

    def forward(self, x):
        self.steps += 1
        x = self.pool(torch.relu(self.conv1(x)))
        return self.bn(self.fc1(x.flatten(1))) * self.scale

model = Model()
optimizer = torch.optim.SGD(model.parameters(), lr=0.001, momentum=0.9)
print("Model's state_dict:")
for param_tensor in model.state_dict():
    print(param_tensor, "\t", model.state_dict()[param_tensor].size())
print("Optimizer's state_dict:")
for var_name in optimizer.state_dict():
    print(var_name, "\t", optimizer.state_dict()[var_name])
model(torch.zeros(2, 3, 8, 8))
print(model.steps, model.training)
clone = Model()
print(clone.load_state_dict(model.state_dict()))
clone.eval()
print(clone.training, clone.steps, clone.bn.training)
print([name for name, _ in model.named_children()])
print(torch.equal(clone.fc1.weight, model.fc1.weight), clone.fc1.weight is model.fc1.weight)
try:
    model.load_state_dict({'scale': torch.tensor(1.)})
except RuntimeError as e:
    print(str(e).splitlines()[0])
print(sum(p.numel() for p in model.parameters() if p.requires_grad))
