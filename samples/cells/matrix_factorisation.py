import torch

class MatrixFactorization(torch.nn.Module):
    def __init__(self, n_users, n_items, n_factors=2):
        super().__init__()
        self.user_factors = torch.nn.Embedding(n_users, n_factors)
        self.item_factors = torch.nn.Embedding(n_items, n_factors)
        self.user_biases = torch.nn.Embedding(n_users, 1)
        self.item_biases = torch.nn.Embedding(n_items, 1)
        self.user_factors.weight.data = torch.linspace(-.5, .5, n_users * n_factors).view(n_users, n_factors)
        self.item_factors.weight.data = torch.linspace(.5, -.5, n_items * n_factors).view(n_items, n_factors)
        torch.nn.init.zeros_(self.user_biases.weight)
        self.item_biases.weight.data.zero_()

    def forward(self, user, item):
        pred = self.user_biases(user) + self.item_biases(item)
        pred += (self.user_factors(user) * self.item_factors(item)).sum(dim=1, keepdim=True)
        return pred.squeeze()

ratings = [(0, 0, 5.), (0, 1, 3.), (1, 0, 4.), (1, 2, 1.), (2, 1, 1.), (2, 2, 5.), (3, 0, 2.)]
model = MatrixFactorization(4, 3)
loss_fn = torch.nn.MSELoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, weight_decay=1e-4)
users = torch.LongTensor([u for u, _, _ in ratings])
items = torch.LongTensor([i for _, i, _ in ratings])
r = torch.FloatTensor([x for *_, x in ratings])
for epoch in range(40):
    optimizer.zero_grad()
    prediction = model(users, items)
    loss = loss_fn(prediction, r)
    loss.backward()
    optimizer.step()
    if epoch % 10 == 0:
        print('epoch {:3d} loss {:.4f} rmse {:.3f}'.format(epoch, loss.item(), loss.item() ** 0.5))
with torch.no_grad():
    full = model.user_factors.weight @ model.item_factors.weight.T + model.user_biases.weight + model.item_biases.weight.T
print(full)
print(model)
