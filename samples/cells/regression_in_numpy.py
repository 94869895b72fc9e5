import numpy as np
X = np.array([1., 2., 3., 4., 5.])
y = np.array([2.1, 3.9, 6.2, 7.8, 10.1])
w, b = 0.0, 0.0
lr = 0.01
n = float(len(X))
for epoch in range(200):
    y_pred = w * X + b
    D_w = (-2/n) * sum(X * (y - y_pred))
    D_b = (-2/n) * np.sum(y - y_pred)
    w = w - lr * D_w
    b = b - lr * D_b
    if epoch % 50 == 0:
        mse = np.mean((y - y_pred)**2)
        print(f"Epoch {epoch}: mse={mse:.4f}, w={w:.3f}, b={b:.3f}")
print(w, b)
A = np.vstack([X, np.ones(len(X))]).T
m, c = np.linalg.lstsq(A, y, rcond=None)[0]
print(m, c)
print(np.polyfit(X, y, 1))
print(np.linalg.inv(A.T @ A) @ A.T @ y)
print(np.corrcoef(X, y)[0, 1], np.var(X), np.std(y, ddof=1), np.median(y), np.percentile(y, 25))
print(A[:2], A.shape, A.dtype, X[X > 2], X.reshape(-1, 1)[:2].tolist())
print(np.outer([1, 2], [3, 4]), np.eye(2, dtype=int), np.arange(3) ** 2, np.clip(X, 2, 4))
