import torch

temp = torch.tensor([0.5, 14.0, 15.0, 28.0, 11.0])
unk = torch.tensor([35.7, 55.9, 58.2, 81.9, 56.3])

def model(t_u, w, b):
    return w * t_u + b

def loss_fn(t_p, t_c):
    squared_diffs = (t_p - t_c)**2
    return squared_diffs.mean()

def training_loop(n_epochs, learning_rate, params, t_u, t_c):
    for epoch in range(1, n_epochs + 1):
        if params.grad is not None:
            params.grad.zero_()
        t_p = model(t_u, *params)
        loss = loss_fn(t_p, t_c)
        loss.backward()
        with torch.no_grad():
            params -= learning_rate * params.grad
        if epoch % 500 == 0:
            print('Epoch %d, Loss %f' % (epoch, float(loss)))
    return params

print(training_loop(1000, 1e-2, torch.tensor([1.0, 0.0], requires_grad=True), 0.1 * unk, temp))
