import torch
from torch.optim.swa_utils import AveragedModel, update_bn

m = torch.nn.Sequential(torch.nn.BatchNorm1d(2), torch.nn.Linear(2, 1))
torch.nn.init.ones_(m[1].weight)
torch.nn.init.zeros_(m[1].bias)
swa = AveragedModel(m)
swa.update_parameters(m)
data = [torch.tensor([[1.0, 2.0], [3.0, 5.0]]), torch.tensor([[0.0, 2.0], [3.0, 6.0], [2.0, 2.0]])]
update_bn(data, swa)
print(swa.module[0].running_mean, swa.module[0].running_var, swa.module[0].num_batches_tracked)
print(m[0].running_mean, m[0].momentum, swa.module[0].momentum, swa.training)
b = torch.nn.BatchNorm1d(2, momentum=None)
b(data[0])
b(data[1])
print(b.running_mean)
print(swa.state_dict().keys())
