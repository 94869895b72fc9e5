import torch
import torch.nn as nn
import numpy as np

x_train = np.array([[3.3], [4.4], [5.5], [6.71], [6.93], [4.168]], dtype=np.float32)
y_train = np.array([[1.7], [2.76], [2.09], [3.19], [1.694], [1.573]], dtype=np.float32)
model = nn.Linear(1, 1)
with torch.no_grad():
    model.weight.fill_(0.5)
    model.bias.fill_(0.1)
criterion = nn.MSELoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.001)
num_epochs = 20
for epoch in range(num_epochs):
    inputs = torch.from_numpy(x_train)
    targets = torch.from_numpy(y_train)
    outputs = model(inputs)
    loss = criterion(outputs, targets)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if (epoch+1) % 5 == 0:
        print ('Epoch [{}/{}], Loss: {:.4f}'.format(epoch+1, num_epochs, loss.item()))
predicted = model(torch.from_numpy(x_train)).detach().numpy()
print(predicted)
print(predicted.shape, type(predicted))
print(optimizer)
print(model.state_dict())
