import numpy as np
def kernel(a, b, l=1.0, s=1.0):
    sq = np.sum(a**2, 1).reshape(-1, 1) + np.sum(b**2, 1) - 2 * np.dot(a, b.T)
    return s**2 * np.exp(-.5 / l**2 * sq)
X = np.array([-3., -1., 0., 2.]).reshape(-1, 1)
Y = np.sin(X)
Xs = np.linspace(-4, 4, 5)[:, np.newaxis]
K = kernel(X, X) + 1e-6 * np.eye(len(X))
L = np.linalg.cholesky(K)
Lk = np.linalg.solve(L, kernel(X, Xs))
mu = Lk.T @ np.linalg.solve(L, Y)
s2 = np.diag(kernel(Xs, Xs)) - np.sum(Lk**2, axis=0)
print(mu.ravel().round(4))
print(np.sqrt(s2).round(4))
lml = -0.5 * Y.T @ np.linalg.solve(K, Y) - np.log(np.diag(L)).sum() - len(X) / 2 * np.log(2 * np.pi)
print(lml, lml.item(), lml.shape)
print(np.linalg.slogdet(K), np.allclose(L @ L.T, K))
evals, evecs = np.linalg.eigh(K)
print(evals.round(5), np.linalg.cond(K).round(3), np.linalg.matrix_rank(K), np.linalg.norm(K, 'fro').round(5))
for i, (m, v) in enumerate(zip(mu.flat, s2)):
    print(f"x*={Xs[i, 0]:+.1f}: {m:+.3f} +/- {1.96 * v**0.5:.3f}")
