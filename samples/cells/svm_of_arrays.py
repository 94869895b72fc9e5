import numpy as np
import torch
def svm_loss_vectorized(W, X, y, reg):
    loss = 0.0
    dW = np.zeros(W.shape)
    num_train = X.shape[0]
    scores = X.dot(W)
    correct = scores[np.arange(num_train), y].reshape(-1, 1)
    margins = np.maximum(0, scores - correct + 1)
    margins[np.arange(num_train), y] = 0
    loss = np.sum(margins) / num_train + reg * np.sum(W * W)
    binary = (margins > 0).astype(float)
    row_sum = np.sum(binary, axis=1)
    binary[np.arange(num_train), y] = -row_sum
    dW = X.T.dot(binary) / num_train + 2 * reg * W
    return loss, dW
np.random.seed(231)
W = np.random.randn(5, 3) * 0.01
X = np.random.randn(4, 5)
y = np.array([0, 2, 1, 1])
loss, grad = svm_loss_vectorized(W, X, y, 0.1)
print('loss: %f' % loss)
Wt = torch.tensor(W, requires_grad=True)
s = torch.from_numpy(X) @ Wt
m = (s - s[range(4), y].view(-1, 1) + 1).clamp(min=0)
mask = torch.ones_like(m); mask[range(4), y] = 0
lt = (m * mask).sum() / 4 + 0.1 * (Wt ** 2).sum()
lt.backward()
print(np.allclose(grad, Wt.grad.numpy()), abs(lt.item() - loss) < 1e-8)
def grad_check_sparse(f, x, analytic_grad, num_checks=3, h=1e-5):
    for i in range(num_checks):
        ix = tuple([np.random.randint(m) for m in x.shape])
        oldval = x[ix]
        x[ix] = oldval + h # increment by h
        fxph = f(x) # evaluate f(x + h)
        x[ix] = oldval - h # increment by h
        fxmh = f(x) # evaluate f(x - h)
        x[ix] = oldval # reset
        grad_numerical = (fxph - fxmh) / (2 * h)
        grad_analytic = analytic_grad[ix]
        rel_error = abs(grad_numerical - grad_analytic) / (abs(grad_numerical) + abs(grad_analytic))
        print('numerical: %f analytic: %f, relative error small: %s' % (grad_numerical, grad_analytic, rel_error < 1e-5))
f = lambda w: svm_loss_vectorized(w, X, y, 0.1)[0]
grad_check_sparse(f, W, grad)
