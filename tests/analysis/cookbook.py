"""More derivatives in the form of textbooks, which stand in `tests.analysis.textbook` by their
short names; each was written before it was derived.
"""

from __future__ import annotations

from tests.analysis.textbook import forms

COOKBOOK = forms(
    """
trace(X.T @ X)**2 | X=n,m | X_grad | 4 * trace(X.T @ X) * X | MC (115), chain rule
sum(X**2)**2 | X=n,m | X_grad | 4 * sum(X**2) * X | the same in other words
trace(X.T @ X @ X.T @ X) | X=n,m | X_grad | 4 * X @ X.T @ X | MC (121), chain rule
trace(X @ X @ X @ X) | X=n,n | X_grad | 4 * X.T @ X.T @ X.T | MC (121)
norm(X, "nuc") | X=n,m | X_grad |\
 svd(X, full_matrices=False).U @ svd(X, full_matrices=False).Vh | Watson (1992): U Vᵀ
svdvals(X)[0] | X=n,m | X_grad |\
 outer(svd(X, full_matrices=False).U[:, 0], svd(X, full_matrices=False).Vh[0]) | MC (65): u₁ v₁ᵀ
prod(x)**(1 / n) | x=n | x_grad | prod(x)**(1 / n) / (n * x) | CO 3.1.5, geometric mean
sum(x**p)**(1 / p) | x=n p= | x_grad |\
 sum(x**p)**(1 / p - 1) * x**(p - 1) | CO A.1.2, chain rule
x**(a - 1) * x | x= a= | x_grad | a * x**(a - 1) | DLMF 4.8
sum(sigmoid(w @ x)) | w=n x=n | w_grad | sigmoid(w @ x) * (1 - sigmoid(w @ x)) * x | PRML (4.88)
trace(cos(X)) | X=n,n | X_grad | -diag(sin(diagonal(X))) | by hand
sum(diagonal(X)**2) | X=n,n | X_grad | 2 * diag(diagonal(X)) | MC (141), chain rule
sum(log(diagonal(X))) | X=n,n | X_grad | diag(1 / diagonal(X)) | by hand, a Cholesky determinant
x @ inv(M) @ inv(M) @ x | x=n M=n,n | x_grad |\
 (inv(M) @ inv(M) + inv(M).T @ inv(M).T) @ x | MC (81)
a @ X @ X @ b | a=n X=n,n b=n | X_grad | outer(a, b) @ X.T + X.T @ outer(a, b) | MC (91), n = 2
a @ X @ X @ X @ b | a=n X=n,n b=n | X_grad | outer(a, b) @ X.T @ X.T\
 + X.T @ outer(a, b) @ X.T + X.T @ X.T @ outer(a, b) | MC (91), n = 3
trace(kron(A, X)) | A=n,n X=n,n | X_grad | trace(A) * eye(n) | MC (516), (99)
norm(kron(A, X))**2 | A=n,n X=m,k | X_grad | 2 * sum(A**2) * X | MC 10.2: product of the norms
sum(kron(a, b)) | a=n b=m | a_grad | sum(b) * ones_like(a) | MC 10.2
kron(a, b) | a=n b=m | a_grad | reshape(v, n, m) @ b | MC 10.2
reshape(X, -1) @ reshape(Y, -1) | X=n,m Y=n,m | X_grad | Y | MC (521): vec(X)ᵀ vec(Y)
sum(reshape(X, -1)**3) | X=n,m | X_grad | 3 * X**2 | by hand
trace(X) * trace(X @ A) | X=n,n A=n,n | X_grad |\
 trace(X @ A) * eye(n) + trace(X) * A.T | MC (99), (100), product rule
logdet(X) * trace(X) | X=n,n | X_grad |\
 trace(X) * inv(X).T + logdet(X) * eye(n) | MC (57), (99), product rule
trace(inv(X.T @ C @ X) @ A) | X=n,m C=n,n A=m,m | X_grad |\
 -C @ X @ inv(X.T @ C @ X) @ A @ inv(X.T @ C @ X)\
 - C.T @ X @ inv(X.T @ C @ X).T @ A.T @ inv(X.T @ C @ X).T | MC (125)
det(X.T @ X) | X=n,m | X_grad | 2 * det(X.T @ X) * X @ inv(X.T @ X) | MC (53)
log(det(X.T @ A @ X)) | X=n,m A=n,n | X_grad |\
 A @ X @ inv(X.T @ A @ X) + A.T @ X @ inv(X.T @ A @ X).T | MC (54)
norm(A @ x - b, 1) | A=n,m x=m b=n | x_grad | A.T @ sign(A @ x - b) | CO 6.1.2
norm(x, 3) | x=n | x_grad | x * abs(x) / norm(x, 3)**2 | CO A.1.2, chain rule
sum(logsumexp(X @ W, dim=1)) | X=n,d W=d,k | W_grad | X.T @ softmax(X @ W, dim=1) | CO A.4.2
logsumexp(log(p) - (x - mu)**2 / 2) | p=k x= mu=k | mu_grad |\
 softmax(log(p) - (x - mu)**2 / 2) * (x - mu) | PRML (9.16), unit variances
w @ X.T @ X @ w / (w @ w) | X=n,d w=d | w_grad |\
 2 * X.T @ X @ w / (w @ w) - 2 * w * (w @ X.T @ X @ w) / (w @ w)**2 | PRML 12.1.1
norm(y - X @ b)**2 / (2 * s**2) + n * log(s) | y=n X=n,k b=k s= | b_grad |\
 -X.T @ (y - X @ b) / s**2 | PRML (3.13)
norm(y - X @ b)**2 / (2 * s**2) + n * log(s) | y=n X=n,k b=k s= | s_grad |\
 n / s - norm(y - X @ b)**2 / s**3 | PRML 3.1.1
sum(norm(X, dim=1)) | X=n,d | X_grad | X / norm(X, dim=1)[:, None] | MC (129), each row
trace(matrix_power(X, 3)) | X=n,n | X_grad | 3 * X.T @ X.T | MC (121)
exp(trace(X)) | X=n,n | X_grad | exp(trace(X)) * eye(n) | MC (99), chain rule
cross_entropy(X @ W, y) | X=n,d W=d,k y=n | X_grad |\
 (softmax(X @ W, dim=1) - one_hot(y, k)) @ W.T / n | PRML (4.109), by the inputs
sum(tanh(W @ tanh(V @ x))) | W=m,k V=k,n x=n | V_grad |\
 outer((1 - tanh(V @ x)**2) * (W.T @ (1 - tanh(W @ tanh(V @ x))**2)), x) | PRML (5.56)
norm(softmax(x))**2 | x=n | x_grad |\
 2 * softmax(x) * (softmax(x) - norm(softmax(x))**2) | PRML (4.106)
trace(A @ X @ X.T @ B) | A=k,n X=n,m B=n,k | X_grad | (A.T @ B.T + B @ A) @ X | MC (109)
norm(X - outer(u, v))**2 | X=n,m u=n v=m | u_grad |\
 -2 * (X - outer(u, v)) @ v | PRML 12.1.2, one component
sum(x)**2 / sum(x**2) | x=n | x_grad |\
 2 * sum(x) / sum(x**2) - 2 * sum(x)**2 * x / sum(x**2)**2 | quotient rule
x @ pinv(A) @ b | x=m A=n,m b=n | b_grad | pinv(A).T @ x | MC (69)
x @ A @ A @ x | x=n A=n,n | x_grad | (A @ A + A.T @ A.T) @ x | MC (81)
norm(A @ x) | x=n A=m,n | x_grad | A.T @ A @ x / norm(A @ x) | MC (129), chain rule
norm(x)**3 | x=n | x_grad | 3 * norm(x) * x | MC (129), chain rule
1 / norm(x) | x=n | x_grad | -x / norm(x)**3 | the field of a charge
exp(-norm(x)**2) | x=n | x_grad | -2 * exp(-norm(x)**2) * x | MC (131), chain rule
trace(A @ X @ X.T @ A.T) | A=k,n X=n,m | X_grad | 2 * A.T @ A @ X | MC (109)
logdet(A @ X @ B) | A=n,n X=n,n B=n,n | X_grad | inv(X).T | MC (51), (57)
logdet(eye(n) + outer(x, x)) | x=n | x_grad | 2 * inv(eye(n) + outer(x, x)) @ x | MC (57), (43)
logdet(S) + x @ inv(S) @ x | S=n,n x=n | S_grad |\
 inv(S).T - inv(S).T @ outer(x, x) @ inv(S).T | MC (57), (61)
-mean(y * log(p) + (1 - y) * log(1 - p)) | p=n y=n | p_grad |\
 ((1 - y) / (1 - p) - y / p) / n | DL 5.5, of one probability each
sum(log(1 + exp(X @ w))) - y @ X @ w | X=n,d w=d y=n | w_grad |\
 X.T @ (sigmoid(X @ w) - y) | ESL (4.21)
-sum(Y * log(softmax(X @ W, dim=1))) | X=n,d W=d,k Y=n,k | W_grad |\
 X.T @ (softmax(X @ W, dim=1) * sum(Y, dim=1)[:, None] - Y) | PRML (4.109)
log(sum(exp(a * x))) / a | x=n a= | x_grad | softmax(a * x) | CO 3.1.5, of a temperature
sum(log(x)) - n * log(sum(x)) | x=n | x_grad | 1 / x - n / sum(x) | a multinomial likelihood
trace(X @ S @ X.T) / trace(X @ X.T) | X=k,n S=n,n | X_grad |\
 X @ (S + S.T) / trace(X @ X.T) - 2 * trace(X @ S @ X.T) * X / trace(X @ X.T)**2 | MC (127)
x @ A @ x / 2 - b @ x | x=n A=n,n b=n | x_grad | (A + A.T) @ x / 2 - b | CO A.4.2
(a @ x) * (b @ x) | a=n x=n b=n | x_grad | a * (b @ x) + b * (a @ x) | MC (76)
sum(relu(W @ x + b)) | W=m,n x=n b=m | W_grad | outer(float(W @ x + b > 0), x) | DL 6.5.6
sum(U @ diag(s) @ V.T) | U=n,k s=k V=m,k | s_grad | sum(U, dim=0) * sum(V, dim=0) | uᵢᵀ 1 1ᵀ vᵢ
trace(A @ diag(x) @ B) | A=k,n x=n B=n,k | x_grad | diagonal(B @ A) | MC (141): diag(BA)
sum(A * B @ c) | A=n,m B=n,m c=m | c_grad | sum(A * B, dim=0) | Σᵢ aᵢⱼ bᵢⱼ
det(X)**2 | X=n,n | X_grad | 2 * det(X)**2 * inv(X).T | MC (58)
trace(X)**2 - trace(X @ X) | X=n,n | X_grad |\
 2 * trace(X) * eye(n) - 2 * X.T | MC (99), (106)
sum((X[:, None] - C)**2) | X=n,d C=k,d | C_grad | -2 * sum(X[:, None, :] - C, dim=0) | PRML 9.1
sum((x[1:] - x[:-1])**2) | x=n | x_grad |\
 2 * pad(x[1:] - x[:-1], (1, 0)) - 2 * pad(x[1:] - x[:-1], (0, 1)) | 2 Dᵀ D x
sum(x[1:]**2) | x=n | x_grad | 2 * pad(x[1:], (1, 0)) | by hand: 0, 2 x₁, 2 x₂, …
sum(x[:-2] * x[2:]) | x=n | x_grad | pad(x[2:], (0, 2)) + pad(x[:-2], (2, 0)) | by hand
sum(x * roll(x, 1)) | x=n | x_grad | roll(x, -1) + roll(x, 1) | by hand: circulant, S + Sᵀ
sum(x[idx]**2) | x=n idx=m | x_grad | 2 * index_add(zeros(n), 0, idx, x[idx]) | by hand
"""
)
"""Gradients."""

COOKBOOK_MATRICES = forms(
    """
norm(x)**4 | x=n | x_hessian | 8 * outer(x, x) + 4 * norm(x)**2 * eye(n) | MC (130), chain rule
sum(sigmoid(w @ x)) | w=n x=n | w_hessian |\
 sigmoid(w @ x) * (1 - sigmoid(w @ x)) * (1 - 2 * sigmoid(w @ x)) * outer(x, x) | PRML (4.88), twice
sum(sigmoid(X @ w)) | X=n,d w=d | w_hessian |\
 X.T @ diag(sigmoid(X @ w) * (1 - sigmoid(X @ w)) * (1 - 2 * sigmoid(X @ w))) @ X | PRML (4.88)
sum(log(1 + exp(X @ w)) - y * (X @ w)) | X=n,d w=d y=n | w_hessian |\
 X.T @ diag(sigmoid(X @ w) * (1 - sigmoid(X @ w))) @ X | PRML (4.97)
(a @ x)**2 | a=n x=n | x_hessian | 2 * outer(a, a) | MC (98)
logdet(X) | X=n,n | X_hessian | -einsum('da,bc->abcd', inv(X), inv(X)) | MC (60): -X⁻¹ₗᵢ X⁻¹ⱼₖ
norm(X)**2 | X=n,m | X_hessian | 2 * einsum('ac,bd->abcd', eye(n), eye(m)) | 2 δᵢₖ δⱼₗ
inv(A) | A=n,n | A_jacobian | -einsum('ac,db->abcd', inv(A), inv(A)) | MC (60)
A @ B | A=n,m B=m,k | A_jacobian | einsum('ac,db->abcd', eye(n), B) | δᵢₖ Bₗⱼ
flip(x, 0) | x=n | x_jacobian | flip(eye(n), dim=1) | the exchange matrix
roll(x, 1) | x=n | x_jacobian | roll(eye(n), -1, 1) | the cyclic shift
x[1:] - x[:-1] | x=n | x_jacobian | pad(eye(n - 1), (1, 0)) - pad(eye(n - 1), (0, 1)) |\
 the matrix of differences
cat([x, y]) | x=n y=m | y_jacobian | eye(n + m)[:, n:] | columns of the identity
"""
)
"""Hessians and Jacobians."""
