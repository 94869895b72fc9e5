import torch
from torch import tensor

three = tensor([[0, 120, 255], [30, 200, 10], [0, 255, 255]]).float()/255
seven = tensor([[255, 255, 255], [0, 10, 200], [0, 90, 0]]).float()/255
stacked_threes = torch.stack([three, three * 0.9, three.flip(0)])
stacked_sevens = torch.stack([seven, seven * 0.8])
print(stacked_threes.shape, stacked_threes.ndim)
mean3 = stacked_threes.mean(0)
mean7 = stacked_sevens.mean(0)
a_3 = stacked_threes[1]
dist_3_abs = (a_3 - mean3).abs().mean()
dist_3_sqr = ((a_3 - mean3)**2).mean().sqrt()
print(dist_3_abs, dist_3_sqr)
def mnist_distance(a,b): return (a-b).abs().mean((-1,-2))
print(mnist_distance(stacked_threes, mean3))
def is_3(x): return mnist_distance(x,mean3) < mnist_distance(x,mean7)
print(is_3(a_3), is_3(a_3).float(), is_3(stacked_threes))
train_x = torch.cat([stacked_threes, stacked_sevens]).view(-1, 3*3)
train_y = tensor([1]*len(stacked_threes) + [0]*len(stacked_sevens)).unsqueeze(1)
print(train_x.shape, train_y.shape)
dset = list(zip(train_x,train_y))
x,y = dset[0]
print(x.shape,y)

def mnist_loss(predictions, targets):
    predictions = predictions.sigmoid()
    return torch.where(targets==1, 1-predictions, predictions).mean()

weights = torch.linspace(-1, 1, 9)[:, None].requires_grad_()
bias = torch.zeros(1).requires_grad_()
def linear1(xb): return xb@weights + bias
preds = linear1(train_x)
corrects = (preds>0.0).float() == train_y
print(corrects.float().mean().item())

def calc_grad(xb, yb, model):
    preds = model(xb)
    loss = mnist_loss(preds, yb)
    loss.backward()

calc_grad(train_x, train_y, linear1)
print(weights.grad.mean(),bias.grad)
calc_grad(train_x, train_y, linear1)
print(weights.grad.mean(),bias.grad)
weights.grad.zero_()
bias.grad.zero_();

def train_epoch(model, lr, params):
    for xb,yb in [(train_x, train_y)]:
        calc_grad(xb, yb, model)
        for p in params:
            p.data -= p.grad*lr
            p.grad.zero_()

def batch_accuracy(xb, yb):
    preds = xb.sigmoid()
    correct = (preds>0.5) == yb
    return correct.float().mean()

for i in range(20):
    train_epoch(linear1, 1., (weights, bias))
    if i % 5 == 4: print(round(batch_accuracy(linear1(train_x), train_y).item(), 4), end=' ')
print()
