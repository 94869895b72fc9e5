"""More derivatives in the form that textbooks give them: of learning, of single elements, and of
what is centred or divided. The books have the names that `textbook.py` gives them.
"""

from __future__ import annotations

from tests.analysis.textbook import forms

LEARNING = forms(
    """
-log_softmax(z, dim=1)[arange(n), y].mean() | z=n,k y=n | z_grad |\
 (softmax(z, dim=1) - one_hot(y, k)) / n | PRML (4.109)
-sum(log(softmax(z, dim=1))[arange(n), y]) | z=n,k y=n | z_grad |\
 softmax(z, dim=1) - one_hot(y, k) | PRML (4.109)
-log_softmax(X @ W, dim=1)[arange(n), y].mean() | X=n,d W=d,k y=n | W_grad |\
 X.T @ (softmax(X @ W, dim=1) - one_hot(y, k)) / n | PRML (4.109)
z[k] | z=n k= | z_grad | one_hot(k, n) | the unit vector e_k
-log(softmax(z)[k]) | z=n k= | z_grad | softmax(z) - one_hot(k, n) | PRML (4.109)
logsumexp(z) - z[k] | z=n k= | z_grad | softmax(z) - one_hot(k, n) | PRML (4.109)
(A @ x)[k] | A=m,n x=n k= | x_grad | A[k] | row k of A
X[i, j]**2 | X=n,m i= j= | X_grad | 2 * X[i, j] * outer(one_hot(i, n), one_hot(j, m)) | MC (32)
-log(exp(z[0]) / sum(exp(z))) | z=n | z_grad | softmax(z) - one_hot(0, n) | PRML (4.109)
sum(embedding(i, E) @ w) | E=n,d i=m w=d | E_grad |\
 index_add(zeros(n, d), 0, i, outer(ones(m), w)) | w, added to row i
einsum('ij,ji->', A, X) | A=n,m X=m,n | X_grad | A.T | MC (101)
einsum('ij,jk,ki->', A, X, B) | A=n,m X=m,k B=k,n | X_grad | A.T @ B.T | MC (101): Aᵀ Bᵀ of tr(AXB)
einsum('i,ij,j->', x, A, x) | x=n A=n,n | x_grad | (A + A.T) @ x | MC (81)
sum(v * softmax(q @ K.T)) | v=n q=d K=n,d | q_grad |\
 K.T @ (softmax(K @ q) * (v - v @ softmax(K @ q))) | DL (6.29), chained: p (v - pᵀv)
g @ ((x - mean(x)) / std(x)) | g=n x=n | x_grad | (g - mean(g)) / std(x)\
 - (x - mean(x)) * (g @ (x - mean(x))) / (std(x)**3 * (n - 1)) | Ba et al. (2016), by hand
x / (1 + x) | | x_grad | 1 / (1 + x)**2 | quotient rule
(1 - x) / (1 + x) | | x_grad | -2 / (1 + x)**2 | quotient rule
(x**2 + 1) / (x - 1) | | x_grad | (x**2 - 2 * x - 1) / (x - 1)**2 | quotient rule
x**2 / (1 + x**2) | | x_grad | 2 * x / (1 + x**2)**2 | quotient rule
(a * x + b) / (c * x + d) | a= b= c= d= | x_grad | (a * d - c * b) / (c * x + d)**2 |\
 of a Moebius map
sum(x / (1 + abs(x))) | x=n | x_grad | 1 / (1 + abs(x))**2 | softsign: Bergstra et al. (2009)
x / sqrt(1 + x**2) | | x_grad | 1 / (1 + x**2)**1.5 | quotient rule
log(x + sqrt(x**2 + 1)) | | x_grad | 1 / sqrt(x**2 + 1) | DLMF 4.37.16, the inverse of sinh
atan(y / x) | x= y= | x_grad | -y / (x**2 + y**2) | the polar angle
log(1 + (x - m) @ P @ (x - m) / nu) | x=n m=n P=n,n nu= | x_grad |\
 (P + P.T) @ (x - m) / (nu + (x - m) @ P @ (x - m)) | MLPP (2.71): Student's t
x * exp(-x) | | x_grad | (1 - x) * exp(-x) | product rule
sum(x**2 * exp(-x**2)) | x=n | x_grad | 2 * x * (1 - x**2) * exp(-x**2) | product rule
x**x | | x_grad | x**x * (1 + log(x)) | logarithmic derivative
sum(silu(x)) | x=n | x_grad | (1 + x * (1 - sigmoid(x))) * sigmoid(x) | Elfwing et al. (2018), (5)
exp(-norm(x)**2 / 2) * (a @ x) | x=n a=n | x_grad |\
 exp(-norm(x)**2 / 2) * (a - x * (a @ x)) | product rule
norm(x, 4) | x=n | x_grad | x**3 / norm(x, 4)**3 | CO A.1.2, chain rule
norm(x - y, 3) | x=n y=n | x_grad | (x - y) * abs(x - y) / norm(x - y, 3)**2 | CO A.1.2, chain rule
sum(x * abs(x)) | x=n | x_grad | 2 * abs(x) | by hand
-log_softmax(z, dim=1).gather(1, y[:, None]).mean() | z=n,k y=n | z_grad |\
 (softmax(z, dim=1) - one_hot(y, k)) / n | PRML (4.109)
sum(take_along_dim(X, j[:, None], 1)) | X=n,m j=n | X_grad | one_hot(j, m) | Σᵢ xᵢ,ⱼ₍ᵢ₎
sum(A * log(A / (W @ H)) - A + W @ H) | A=n,m W=n,k H=k,m | W_grad | (1 - A / (W @ H)) @ H.T |\
 Lee and Seung (2001): the divergence of a factorisation
sum(y * log(y / (X @ b)) - y + X @ b) | y=n X=n,k b=k | b_grad | X.T @ (1 - y / (X @ b)) |\
 McCullagh and Nelder (1989), 2.3: the deviance of counts
log((a @ x) / (b @ x)) | a=n x=n b=n | x_grad | a / (a @ x) - b / (b @ x) | quotient rule
log(x @ A @ x / (x @ x)) | x=n A=n,n | x_grad |\
 (A + A.T) @ x / (x @ A @ x) - 2 * x / (x @ x) | MC (81), a quotient
trace(inv(A + t * B)) | A=n,n t= B=n,n | t_grad |\
 -trace(B @ inv(A + t * B) @ inv(A + t * B)) | MC (59)
0.5 * sum(s**2 + m**2 - 1 - log(s**2)) | s=n m=n | s_grad | s - 1 / s |\
 Kingma and Welling (2014), appendix B
mean((tanh(X @ W + b) @ w - y)**2) | X=n,d W=d,h b=h w=h y=n | W_grad |\
 2 * X.T @ (outer(tanh(X @ W + b) @ w - y, w) * (1 - tanh(X @ W + b)**2)) / n | PRML (5.56)
layer_norm(x, (d,), w, b) | x=n,d w=d b=d | w_grad |\
 sum(v * (x - mean(x, dim=1)[:, None])\
 / sqrt(sum((x - mean(x, dim=1)[:, None])**2, dim=1) / d + 1e-5)[:, None], dim=0) |\
 Ba et al. (2016): Σᵢ vᵢ x̂ᵢ
sum(softmax(X, dim=1) * (A @ B)) | X=n,m A=n,k B=k,m | X_grad |\
 softmax(X, dim=1) * (A @ B - sum(softmax(X, dim=1) * (A @ B), dim=1)[:, None]) |\
 Dao et al. (2022), B.2: P (dP - rowsum(P dP))
cross_entropy(tanh(X @ W + b) @ V, y) | X=n,d W=d,h b=h V=h,k y=n | b_grad |\
 sum((1 - tanh(X @ W + b)**2) * ((softmax(tanh(X @ W + b) @ V, dim=1) - one_hot(y, k)) @ V.T),\
 dim=0) / n | PRML (5.56), (4.109)
sum((sigmoid(X @ W + b) - Y)**2) | X=n,d W=d,k b=k Y=n,k | b_grad |\
 2 * sum((sigmoid(X @ W + b) - Y) * sigmoid(X @ W + b) * (1 - sigmoid(X @ W + b)), dim=0) |\
 PRML (4.88)
"""
)
"""Gradients."""

LEARNING_MATRICES = forms(
    """
x - mean(x) | x=n | x_jacobian | eye(n) - ones(n, n) / n | the centring matrix
log_softmax(x) | x=n | x_jacobian | eye(n) - outer(ones(n), softmax(x)) | I - 1 pᵀ
x / sum(x) | x=n | x_jacobian | eye(n) / sum(x) - outer(x, ones(n)) / sum(x)**2 | quotient rule
mean(x)**2 | x=n | x_hessian | 2 * ones(n, n) / n**2 | by hand
sum(x)**2 | x=n | x_hessian | 2 * ones(n, n) | by hand
var(x) | x=n | x_hessian | 2 * eye(n) / (n - 1) - 2 * ones(n, n) / (n * (n - 1)) | by hand
sum((x - mean(x))**2) | x=n | x_hessian | 2 * eye(n) - 2 * ones(n, n) / n | the centring matrix
(x - mean(x)) / std(x) | x=n | x_jacobian | eye(n) / std(x) - ones(n, n) / (n * std(x))\
 - outer(x - mean(x), x - mean(x)) / (std(x)**3 * (n - 1)) | Ba et al. (2016), by hand
sum(sqrt(x**2 + 1)) | x=n | x_hessian | diag(1 / (x**2 + 1)**1.5) | quotient rule
x / (1 + abs(x)) | x=n | x_jacobian | diag(1 / (1 + abs(x))**2) | softsign: Bergstra et al. (2009)
x * exp(-x) | | x_hessian | (x - 2) * exp(-x) | product rule
exp(-x**2 / 2) | | x_hessian | (x**2 - 1) * exp(-x**2 / 2) | the Hermite polynomial He₂
mean(X, dim=0) | X=n,m | X_jacobian | expand(eye(m)[:, None, :], m, n, m) / n | δⱼₗ / n
cross_entropy(X @ w, y) | X=k,d w=d y= | w_hessian | X.T @ (diag(softmax(X @ w))\
 - outer(softmax(X @ w), softmax(X @ w))) @ X | PRML (4.110)
normalize(x, dim=0) | x=n | x_jacobian | eye(n) / norm(x) - outer(x, x) / norm(x)**3 | MC (130)
1 / (1 + x**2) | | x_hessian | (6 * x**2 - 2) / (1 + x**2)**3 | quotient rule
"""
)
"""Hessians and Jacobians."""
