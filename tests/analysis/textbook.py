"""Derivatives in the form that textbooks give them, and where that form stands.

MC is Petersen and Pedersen, The Matrix Cookbook (2012); its equations by number. PRML is Bishop,
Pattern Recognition and Machine Learning (2006). ESL is Hastie, Tibshirani, Friedman, The Elements
of Statistical Learning (2009). CO is Boyd and Vandenberghe, Convex Optimization (2004). DL is
Goodfellow, Bengio, Courville, Deep Learning (2016). MLPP is Murphy, Machine Learning (2012). RW is
Rasmussen and Williams, Gaussian Processes for Machine Learning (2006).
"""

from __future__ import annotations

from typing import NamedTuple


class Form(NamedTuple):
    """A program, the shapes of what it reads, and one of its derivatives."""

    program: str
    shapes: str
    title: str
    expected: str
    source: str


def forms(text: str) -> list[Form]:
    rows = (line.split("|") for line in text.strip().splitlines())
    return [Form(*(part.strip() for part in row)) for row in rows]


FORMS = forms(
    """
a @ x | a=n x=n | x_grad | a | MC (69)
a @ X @ b | a=n X=n,m b=m | X_grad | outer(a, b) | MC (70): a bᵀ
a @ X.T @ b | a=m X=n,m b=n | X_grad | outer(b, a) | MC (71): b aᵀ
a @ X @ a | a=n X=n,n | X_grad | outer(a, a) | MC (72): a aᵀ
b @ X.T @ X @ c | X=n,m b=m c=m | X_grad | X @ (outer(c, b) + outer(b, c)) | MC (77)
(B @ x + b) @ C @ (D @ x + d) | B=n,m x=m b=n C=n,k D=k,m d=k | x_grad |\
 B.T @ C @ (D @ x + d) + D.T @ C.T @ (B @ x + b) | MC (78)
b @ X.T @ D @ X @ c | b=m X=n,m D=n,n c=m | X_grad |\
 D @ X @ outer(c, b) + D.T @ X @ outer(b, c) | MC (80)
x @ B @ x | x=n B=n,n | x_grad | (B + B.T) @ x | MC (81)
x.T @ A @ x | x=n A=n,n | x_grad | (A + A.T) @ x | MC (81)
(X @ b + c) @ D @ (X @ b + c) | X=n,m b=m c=n D=n,n | X_grad |\
 (D + D.T) @ outer(X @ b + c, b) | MC (83): (D + Dᵀ)(Xb + c)bᵀ
(x - A @ s) @ W @ (x - A @ s) | x=n A=n,m s=m W=n,n | s_grad |\
 -A.T @ (W + W.T) @ (x - A @ s) | MC (84): -2AᵀW(x - As) of symmetric W
(x - A @ s) @ W @ (x - A @ s) | x=n A=n,m s=m W=n,n | A_grad |\
 -(W + W.T) @ outer(x - A @ s, s) | MC (88): -2W(x - As)sᵀ of symmetric W
trace(X) | X=n,n | X_grad | eye(n) | MC (99)
trace(X @ A) | X=n,m A=m,n | X_grad | A.T | MC (100)
trace(A @ X @ B) | A=k,n X=n,m B=m,k | X_grad | A.T @ B.T | MC (101)
trace(A @ X.T @ B) | A=k,m X=n,m B=n,k | X_grad | B @ A | MC (102)
trace(X.T @ A) | X=n,m A=n,m | X_grad | A | MC (103)
trace(A @ X.T) | A=n,m X=n,m | X_grad | A | MC (104)
trace(X @ X) | X=n,n | X_grad | 2 * X.T | MC (106)
trace(X @ X @ B) | X=n,n B=n,n | X_grad | X.T @ B.T + B.T @ X.T | MC (107): (XB + BX)ᵀ
trace(X.T @ B @ X) | X=n,m B=n,n | X_grad | (B + B.T) @ X | MC (108): BX + BᵀX
trace(B @ X @ X.T) | X=n,m B=n,n | X_grad | (B + B.T) @ X | MC (109)
trace(X @ B @ X.T) | X=n,m B=m,m | X_grad | X @ (B + B.T) | MC (111): XBᵀ + XB
trace(A @ X @ B @ X) | X=n,m A=m,n B=m,n | X_grad |\
 A.T @ X.T @ B.T + B.T @ X.T @ A.T | MC (114)
trace(X.T @ X) | X=n,m | X_grad | 2 * X | MC (115)
trace(B @ X.T @ C @ X @ B) | X=n,m B=m,m C=n,n | X_grad |\
 C @ X @ B @ B + C.T @ X @ B.T @ B.T | MC (116)
trace(X.T @ B @ X @ C) | X=n,m B=n,n C=m,m | X_grad | B @ X @ C + B.T @ X @ C.T | MC (117)
trace(A @ X @ B @ X.T @ C) | A=k,n X=n,m B=m,m C=n,k | X_grad |\
 A.T @ C.T @ X @ B.T + C @ A @ X @ B | MC (118)
trace((A @ X @ B + C) @ (A @ X @ B + C).T) | A=k,n X=n,m B=m,l C=k,l | X_grad |\
 2 * A.T @ (A @ X @ B + C) @ B.T | MC (119)
trace(inv(X)) | X=n,n | X_grad | -inv(X).T @ inv(X).T | MC (63), A = B = I
trace(A @ inv(X) @ B) | A=k,n X=n,n B=n,k | X_grad |\
 -inv(X).T @ A.T @ B.T @ inv(X).T | MC (63): -(X⁻¹BAX⁻¹)ᵀ
trace(inv(X + A)) | X=n,n A=n,n | X_grad | -inv(X + A).T @ inv(X + A).T | MC (64)
a @ inv(X) @ b | a=n X=n,n b=n | X_grad | -inv(X).T @ outer(a, b) @ inv(X).T | MC (61)
solve(A, b) @ c | A=n,n b=n c=n | A_grad | -inv(A).T @ outer(c, b) @ inv(A).T | MC (61)
det(X) | X=n,n | X_grad | det(X) * inv(X).T | MC (49)
det(A @ X @ B) | A=n,n X=n,n B=n,n | X_grad | det(A @ X @ B) * inv(X).T | MC (51)
det(X.T @ A @ X) | X=n,m A=n,n | X_grad |\
 det(X.T @ A @ X) * (A @ X @ inv(X.T @ A @ X) + A.T @ X @ inv(X.T @ A @ X).T) | MC (54)
det(X)**3 | X=n,n | X_grad | 3 * det(X)**3 * inv(X).T | MC (58)
det(inv(X)) | X=n,n | X_grad | -inv(X).T / det(X) | MC (62)
logdet(X) | X=n,n | X_grad | inv(X).T | MC (57)
log(det(X)) | X=n,n | X_grad | inv(X).T | MC (57)
logdet(X.T @ X) | X=n,m | X_grad | 2 * X @ inv(X.T @ X) | MC (55): 2 (X⁺)ᵀ
logdet(A @ A.T) | A=n,m | A_grad | 2 * inv(A @ A.T) @ A | MC (55), transposed
x.T @ A @ x | x=n,1 A=n,n | x_grad | (A + A.T) @ x | MC (81), a column
a.T @ X @ b | a=n,1 X=n,m b=m,1 | X_grad | a @ b.T | MC (70), columns
norm(x - a) | x=n a=n | x_grad | (x - a) / norm(x - a) | MC (129)
norm(x)**2 | x=n | x_grad | 2 * x | MC (131)
norm(X)**2 | X=n,m | X_grad | 2 * X | MC (132)
norm(X) | X=n,m | X_grad | X / norm(X) | MC (132) and the chain rule
norm(A - U @ V.T)**2 | A=n,m U=n,k V=m,k | U_grad | -2 * (A - U @ V.T) @ V | MC (119)
norm(A - W @ H)**2 / 2 | A=n,m W=n,k H=k,m | H_grad | -W.T @ (A - W @ H) | MC (119)
sum((X @ w - y)**2) | X=n,k w=k y=n | w_grad | 2 * X.T @ (X @ w - y) | ESL (3.4)
sum((X @ w - y)**2) / 2 | X=n,k w=k y=n | w_grad | X.T @ (X @ w - y) | PRML (3.13)
mean((X @ w - y)**2) | X=n,k w=k y=n | w_grad | 2 * X.T @ (X @ w - y) / n | ESL (3.4) over n
sum((X @ w - y)**2) + lam * w @ w | X=n,k w=k y=n | w_grad |\
 2 * X.T @ (X @ w - y) + 2 * lam * w | ESL (3.43), ridge
norm(X @ w - y) | X=n,k w=k y=n | w_grad | X.T @ (X @ w - y) / norm(X @ w - y) | CO A.4.2
sum((A @ x - b)**2) + lam * norm(x, 1) | A=n,m x=m b=n | x_grad |\
 2 * A.T @ (A @ x - b) + lam * sign(x) | ESL (3.52), lasso
mean(softplus(-y * (X @ w))) | X=n,k w=k y=n | w_grad |\
 -X.T @ (y * sigmoid(-y * (X @ w))) / n | ESL 10.6, labels -1 and 1
sum(log(1 + exp(-y * (X @ w)))) | X=n,k w=k y=n | w_grad |\
 -X.T @ (y * sigmoid(-y * (X @ w))) | ESL 10.6
p = sigmoid(X @ w); -sum(y * log(p) + (1 - y) * log(1 - p)) | X=n,k w=k y=n | w_grad |\
 X.T @ (sigmoid(X @ w) - y) | PRML (4.91)
binary_cross_entropy_with_logits(X @ w, y) | X=n,k w=k y=n | w_grad |\
 X.T @ (sigmoid(X @ w) - y) / n | PRML (4.91) over n
binary_cross_entropy(sigmoid(z), y) | z=n y=n | z_grad | (sigmoid(z) - y) / n | PRML (4.91) over n
cross_entropy(z, y) | z=n,k y=n | z_grad | (softmax(z, dim=1) - one_hot(y, k)) / n | PRML (4.109)
cross_entropy(X @ W, y) | X=n,d W=d,k y=n | W_grad |\
 X.T @ (softmax(X @ W, dim=1) - one_hot(y, k)) / n | PRML (4.109)
logsumexp(x) | x=n | x_grad | softmax(x) | CO 3.1.5
logsumexp(A @ x + b) | A=n,m x=m b=n | x_grad | A.T @ softmax(A @ x + b) | CO A.4.2
-logdet(S) / 2 - (x - mu) @ inv(S) @ (x - mu) / 2 | S=n,n x=n mu=n | mu_grad |\
 (inv(S) + inv(S).T) @ (x - mu) / 2 | MC (86): S⁻¹(x - μ) of symmetric S
-logdet(S) / 2 - (x - mu) @ inv(S) @ (x - mu) / 2 | S=n,n x=n mu=n | S_grad |\
 (inv(S).T @ outer(x - mu, x - mu) @ inv(S).T - inv(S).T) / 2 | MC (57) and (61)
-logdet(S) / 2 - trace(inv(S) @ A) / 2 | S=n,n A=n,n | S_grad |\
 (inv(S).T @ A.T @ inv(S).T - inv(S).T) / 2 | MLPP 4.1.3
sum((X - mu) @ inv(S) * (X - mu)) | X=n,k mu=k S=k,k | mu_grad |\
 -(inv(S) + inv(S).T) @ sum(X - mu, dim=0) | PRML (2.120), both halves of S
-sum((x - mu)**2) / (2 * s**2) - x.shape[0] * log(s) | x=n | mu_grad |\
 sum(x - mu) / s**2 | PRML 1.2.4
-sum((x - mu)**2) / (2 * s**2) - x.shape[0] * log(s) | x=n | s_grad |\
 sum((x - mu)**2) / s**3 - n / s | PRML 1.2.4
mean(x) | x=n | x_grad | ones_like(x) / n | by hand
sum((x - mean(x))**2) | x=n | x_grad | 2 * (x - mean(x)) | by hand
var(x) | x=n | x_grad | 2 * (x - mean(x)) / (n - 1) | by hand
std(x) | x=n | x_grad | (x - mean(x)) / (std(x) * (n - 1)) | by hand
x @ A @ x / (x @ x) | x=n A=n,n | x_grad |\
 (A + A.T) @ x / (x @ x) - 2 * x * (x @ A @ x) / (x @ x)**2 | MC 5.2.4, Rayleigh quotient
sum(tanh(W @ x)) | W=m,n x=n | W_grad | outer(1 - tanh(W @ x)**2, x) | DL (6.46)
exp(-x @ x / 2) | x=n | x_grad | -exp(-x @ x / 2) * x | by hand
x**2 * sin(x) | | x_grad | 2 * x * sin(x) + x**2 * cos(x) | product rule
softmax(x) | x=n | x_grad | softmax(x) * (v - v @ softmax(x)) | DL 6.2.2.3
"""
)
"""Gradients."""

FURTHER = forms(
    """
trace(inv(X) @ A) | X=n,n A=n,n | X_grad | -inv(X).T @ A.T @ inv(X).T | MC (124)
trace(X @ X @ X) | X=n,n | X_grad | 3 * X.T @ X.T | MC (121)
logdet(A + B @ X) | A=n,n B=n,m X=m,n | X_grad | B.T @ inv(A + B @ X).T | MC (57), chain rule
logdet(eye(n) + X @ X.T) | X=n,m | X_grad | 2 * inv(eye(n) + X @ X.T) @ X | MC (57), chain rule
logdet(s**2 * K + L) | K=n,n L=n,n | s_grad | 2 * s * trace(inv(s**2 * K + L) @ K) | MC (43)
a @ X @ X.T @ b | a=n X=n,m b=n | X_grad | (outer(a, b) + outer(b, a)) @ X | MC (77), transposed
norm(A @ X - B)**2 | A=k,n X=n,m B=k,m | X_grad | 2 * A.T @ (A @ X - B) | MC (119)
norm(X @ X.T - A)**2 | X=n,m A=n,n | X_grad |\
 2 * (X @ X.T - A + (X @ X.T - A).T) @ X | by hand: 4(XXᵀ - A)X of symmetric A
norm(X.T @ X - eye(m))**2 | X=n,m | X_grad | 4 * X @ (X.T @ X - eye(m)) | by hand
sum(M * (A - U @ V.T)**2) | A=n,m M=n,m U=n,k V=m,k | U_grad |\
 -2 * (M * (A - U @ V.T)) @ V | by hand, weighted factors
(y - X @ w) @ W @ (y - X @ w) | y=n X=n,k w=k W=n,n | w_grad |\
 -X.T @ (W + W.T) @ (y - X @ w) | MC (84)
sum(v * (X @ w - y)**2) | X=n,k w=k y=n v=n | w_grad | 2 * X.T @ (v * (X @ w - y)) | PRML (3.104)
solve(X.T @ X + lam * eye(k), X.T @ y) @ c | X=n,k y=n c=k | y_grad |\
 X @ inv(X.T @ X + lam * eye(k)) @ c | ESL (3.44)
sum(log(1 + exp(-y * (X @ w + b)))) | X=n,k w=k y=n | w_grad |\
 -X.T @ (y * sigmoid(-y * (X @ w + b))) | ESL 10.6
-mean(log(sigmoid(y * (X @ w)))) | X=n,k w=k y=n | w_grad |\
 -X.T @ (y * (1 - sigmoid(y * (X @ w)))) / n | ESL 10.6
1 / (1 + exp(-(w @ x + b))) | w=n x=n | w_grad |\
 sigmoid(w @ x + b) * (1 - sigmoid(w @ x + b)) * x | PRML (4.88)
sum(relu(1 - y * (X @ w))) | X=n,k w=k y=n | w_grad |\
 -X.T @ (y * float(1 - y * (X @ w) > 0)) | ESL 12.3.2, hinge
sum(abs(X @ w - y)) | X=n,k w=k y=n | w_grad | X.T @ sign(X @ w - y) | CO 6.1.2
sum(exp(X @ w) - y * (X @ w)) | X=n,k w=k y=n | w_grad | X.T @ (exp(X @ w) - y) | MLPP 9.3, Poisson
poisson_nll_loss(X @ w, y) | X=n,k w=k y=n | w_grad | X.T @ (exp(X @ w) - y) / n | MLPP 9.3
theta @ t - logsumexp(T @ theta) | theta=k t=k T=n,k | theta_grad |\
 t - T.T @ softmax(T @ theta) | PRML (2.226)
-y @ inv(K) @ y / 2 - logdet(K) / 2 - n / 2 * log(2 * pi) | K=n,n y=n | K_grad |\
 (inv(K).T @ outer(y, y) @ inv(K).T - inv(K).T) / 2 | RW (5.9)
-y @ inv(K) @ y / 2 - logdet(K) / 2 - n / 2 * log(2 * pi) | K=n,n y=n | y_grad |\
 -(inv(K) + inv(K).T) @ y / 2 | RW (2.30)
(y - H @ x) @ inv(R) @ (y - H @ x) + (x - m) @ inv(P) @ (x - m) |\
 y=k H=k,n x=n R=k,k m=n P=n,n | x_grad |\
 (inv(P) + inv(P).T) @ (x - m) - H.T @ (inv(R) + inv(R).T) @ (y - H @ x) | PRML 13.3
trace((eye(n) - K @ H) @ P @ (eye(n) - K @ H).T + K @ R @ K.T) |\
 K=n,m H=m,n P=n,n R=m,m | K_grad |\
 K @ (R + R.T) - (eye(n) - K @ H) @ (P + P.T) @ H.T | PRML 13.3, 0 at the Kalman gain
(w @ A @ w) / (w @ B @ w) | w=n A=n,n B=n,n | w_grad |\
 (A + A.T) @ w / (w @ B @ w) - (B + B.T) @ w * (w @ A @ w) / (w @ B @ w)**2 | PRML (4.26), (4.29)
(w @ m)**2 / (w @ S @ w) | w=n m=n S=n,n | w_grad |\
 2 * m * (w @ m) / (w @ S @ w) - (S + S.T) @ w * (w @ m)**2 / (w @ S @ w)**2 | PRML (4.26)
(trace(inv(T) @ S) + (m - u) @ inv(T) @ (m - u) - k + logdet(T) - logdet(S)) / 2 |\
 T=k,k S=k,k m=k u=k | S_grad | (inv(T).T - inv(S).T) / 2 | RW (A.23)
(trace(inv(T) @ S) + (m - u) @ inv(T) @ (m - u) - k + logdet(T) - logdet(S)) / 2 |\
 T=k,k S=k,k m=k u=k | m_grad | (inv(T) + inv(T).T) @ (m - u) / 2 | RW (A.23)
sum(log(t) - log(s) + (s**2 + (m - u)**2) / (2 * t**2) - 0.5) | s=n t=n m=n u=n | s_grad |\
 s / t**2 - 1 / s | RW (A.23), independent
sum(log(t) - log(s) + (s**2 + (m - u)**2) / (2 * t**2) - 0.5) | s=n t=n m=n u=n | t_grad |\
 1 / t - (s**2 + (m - u)**2) / t**3 | RW (A.23), independent
-0.5 * sum(1 + lv - mu**2 - exp(lv)) | mu=n lv=n | lv_grad |\
 (exp(lv) - 1) / 2 | Kingma and Welling (2014), appendix B
-0.5 * sum(1 + lv - mu**2 - exp(lv)) | mu=n lv=n | mu_grad | mu | Kingma and Welling (2014), B
cross_entropy(X @ W, y) + lam / 2 * norm(W)**2 | X=n,d W=d,k y=n | W_grad |\
 X.T @ (softmax(X @ W, dim=1) - one_hot(y, k)) / n + lam * W | PRML (4.109), decay
cross_entropy(X @ W + b, y) | X=n,d W=d,k b=k y=n | b_grad |\
 mean(softmax(X @ W + b, dim=1) - one_hot(y, k), dim=0) | PRML (4.109)
-sum(y * log(softmax(z))) | z=k y=k | z_grad | sum(y) * softmax(z) - y | PRML (4.108), (4.109)
-sum(Y * log_softmax(X @ W, dim=1)) / n | X=n,d W=d,k Y=n,k | W_grad |\
 X.T @ (softmax(X @ W, dim=1) * sum(Y, dim=1)[:, None] - Y) / n | PRML (4.109)
mse_loss(X @ W + b, Y) | X=n,d W=d,k b=k Y=n,k | W_grad |\
 2 * X.T @ (X @ W + b - Y) / (n * k) | DL (6.1)
mse_loss(X @ W + b, Y) | X=n,d W=d,k b=k Y=n,k | b_grad |\
 2 * mean(X @ W + b - Y, dim=0) / k | DL (6.1)
x @ y / (norm(x) * norm(y)) | x=n y=n | x_grad |\
 y / (norm(x) * norm(y)) - x * (x @ y) / (norm(x)**3 * norm(y)) | by hand, cosine
sum(softmax(Q @ K.T / sqrt(d), dim=1) @ V * G) | Q=n,d K=m,d V=m,l G=n,l | V_grad |\
 softmax(Q @ K.T / sqrt(d), dim=1).T @ G | Vaswani et al. (2017) (1), chain rule
sum(x * log(x)) | x=n | x_grad | 1 + log(x) | CO 3.1.5, entropy
sum(p * log(p / q)) | p=n q=n | p_grad | 1 + log(p / q) | CO 3.2.6
sum(p * log(p / q)) | p=n q=n | q_grad | -p / q | CO 3.2.6
-sum(log(b - A @ x)) | A=m,n x=n b=m | x_grad | A.T @ (1 / (b - A @ x)) | CO (11.5), barrier
c @ x - mu * sum(log(x)) | c=n x=n | x_grad | c - mu / x | CO 11.2
-logdet(X) + trace(S @ X) + lam * sum(abs(X)) | X=n,n S=n,n | X_grad |\
 S.T - inv(X).T + lam * sign(X) | ESL 17.3.2, graphical lasso
exp(-norm(x - y)**2 / (2 * s**2)) | x=n y=n | x_grad |\
 -exp(-norm(x - y)**2 / (2 * s**2)) * (x - y) / s**2 | RW (4.9)
exp(-norm(x - y)**2 / (2 * s**2)) | x=n y=n | s_grad |\
 exp(-norm(x - y)**2 / (2 * s**2)) * norm(x - y)**2 / s**3 | RW (4.9)
sqrt((x - m) @ inv(S) @ (x - m)) | x=n m=n S=n,n | x_grad |\
 (inv(S) + inv(S).T) @ (x - m) / (2 * sqrt((x - m) @ inv(S) @ (x - m))) | PRML (2.44)
w @ cov(X.T) @ w | X=n,k w=k | w_grad |\
 2 * (X - mean(X, dim=0)).T @ (X - mean(X, dim=0)) @ w / (n - 1) | PRML (12.2)
trace(A.T @ X) / norm(X) | A=n,m X=n,m | X_grad |\
 A / norm(X) - trace(A.T @ X) * X / norm(X)**3 | MC (103), (132) and the quotient rule
trace(A @ inv(X) @ B @ inv(X)) | A=n,n X=n,n B=n,n | X_grad |\
 -inv(X).T @ (A @ inv(X) @ B + B @ inv(X) @ A).T @ inv(X).T | MC (59)
mean((sigmoid(X @ w) - y)**2) | X=n,k w=k y=n | w_grad |\
 2 * X.T @ ((sigmoid(X @ w) - y) * sigmoid(X @ w) * (1 - sigmoid(X @ w))) / n | PRML (4.88)
exp(x @ A @ x) | x=n A=n,n | x_grad | exp(x @ A @ x) * (A + A.T) @ x | MC (81), chain rule
log(1 + x @ A @ x) | x=n A=n,n | x_grad | (A + A.T) @ x / (1 + x @ A @ x) | MC (81), chain rule
logsumexp(X, dim=1) @ a | X=n,m a=n | X_grad | softmax(X, dim=1) * a[:, None] | CO 3.1.5
prod(x) | x=n | x_grad | prod(x) / x | product rule
"""
)
"""More gradients, of statistics and learning; the names of lengths are names in the programs."""

PIECES = forms(
    """
trace(matrix_exp(A)) | A=n,n | A_grad | matrix_exp(A).T | Higham, Functions of Matrices, 3.2
trace(matrix_exp(t * A)) | A=n,n | A_grad | t * matrix_exp(t * A).T | the same: t exp(tA)ᵀ
log(abs(det(X))) | X=n,n | X_grad | inv(X).T | MC (57)
huber_loss(x, y, reduction="sum") | x=n y=n | x_grad |\
 where(abs(x - y) <= 1, x - y, sign(x - y)) | ESL (10.23): r, or δ sign(r)
sum(where(abs(r) <= d, 0.5 * r**2, d * (abs(r) - 0.5 * d))) | r=n | r_grad |\
 where(abs(r) <= d, r, d * sign(r)) | ESL (10.23)
smooth_l1_loss(x, y) | x=n y=n | x_grad |\
 where(abs(x - y) < 1, x - y, sign(x - y)) / n | Girshick (2015)
sum(maximum(q * r, (q - 1) * r)) | r=n | r_grad | q * float(r > 0) + (q - 1) * float(r < 0) |\
 Koenker, Quantile Regression (2005), 1.3
sum(elu(x)) | x=n | x_grad | where(x > 0, 1, exp(x)) | Clevert et al. (2016), (16)
sum(leaky_relu(x)) | x=n | x_grad | where(x > 0, 1, 0.01) | DL, 6.3.1
sum(maximum(0, 1 - y * (X @ w))) | X=n,k w=k y=n | w_grad |\
 -X.T @ (y * float(1 - y * (X @ w) > 0)) | ESL (12.25): hinge
sum(maximum(0, 1 - y * (X @ w))**2) | X=n,k w=k y=n | w_grad |\
 -2 * X.T @ (y * maximum(0, 1 - y * (X @ w))) | ESL, table 12.1: squared hinge
sum(relu(x)**2) | x=n | x_grad | 2 * relu(x) | 2 max(0, x)
sum(minimum(x, c)) | x=n | x_grad | float(x < c) | 1 below c
sum(log(cosh(x - y))) | x=n y=n | x_grad | tanh(x - y) | (ln cosh)' = tanh
sum(sinh(x)) | x=n | x_grad | cosh(x) | DLMF 4.34.7
sum(cosh(A @ x)) | A=m,n x=n | x_grad | A.T @ sinh(A @ x) | DLMF 4.34.8
log(sum(exp(x))) | x=n | x_grad | softmax(x) | CO 3.1.5
sum(erf(x)) | x=n | x_grad | 2 * exp(-x**2) / sqrt(pi) | DLMF 7.2.1
sum(ndtr(x)) | x=n | x_grad | exp(-x**2 / 2) / sqrt(2 * pi) | MLPP (2.43): the normal density
sum(gelu(x)) | x=n | x_grad | x * exp(-x**2 / 2) / sqrt(2 * pi) + ndtr(x) |\
 Hendrycks and Gimpel (2016): Φ(x) + x φ(x)
x**n | | x_grad | n * x**(n - 1) | DLMF 4.8
a**x | | x_grad | a**x * log(a) | DLMF 4.8
atan2(y, x) | | y_grad | x / (y**2 + x**2) | the polar angle
gaussian_nll_loss(m, y, v) | m=n y=n v=n | m_grad | (m - y) / (n * v) | PRML (1.54)
trace(outer(a, a) @ X) | a=n X=n,n | X_grad | outer(a, a) | MC (72)
trace(diag(a) @ X) | a=n X=n,n | a_grad | diagonal(X) | Σ a_i X_ii
sum(outer(a, b) * C) | a=n b=m C=n,m | a_grad | C @ b | aᵀ C b
norm(inv(X) @ b)**2 | X=n,n b=n | X_grad |\
 -2 * inv(X).T @ inv(X) @ outer(b, b) @ inv(X).T | MC (61), chained
norm(X - X @ W @ W.T)**2 | X=n,d W=d,k | W_grad |\
 -2 * (X.T @ (X - X @ W @ W.T) + (X - X @ W @ W.T).T @ X) @ W | an autoencoder that shares weights
-trace(W.T @ X.T @ X @ W) | X=n,d W=d,k | W_grad | -2 * X.T @ X @ W | PRML 12.1.1
sum((V @ tanh(W @ x) - t)**2) | V=k,m W=m,n x=n t=k | V_grad |\
 2 * outer(V @ tanh(W @ x) - t, tanh(W @ x)) | PRML (5.67)
sum(softplus(x)) | x=n | x_grad | sigmoid(x) | DL (3.36)
x * log(x) - x | | x_grad | log(x) | DLMF 4.10
exp(-x**2 / 2) / sqrt(2 * pi) | | x_grad | -x * exp(-x**2 / 2) / sqrt(2 * pi) | -x φ(x)
trace(X)**2 | X=n,n | X_grad | 2 * trace(X) * eye(n) | MC (99), chain rule
det(X) * trace(X) | X=n,n | X_grad | det(X) * trace(X) * inv(X).T + det(X) * eye(n) |\
 MC (49), (99) and the product rule
logdet(K + s**2 * eye(n)) | K=n,n | s_grad | 2 * s * trace(inv(K + s**2 * eye(n))) | MC (43)
trace(A * X) | A=n,n X=n,n | X_grad | diag(diagonal(A)) | Σ a_ii x_ii
sum(U @ diag(s) @ V.T * G) | U=n,k s=k V=m,k G=n,m | s_grad | diagonal(U.T @ G @ V) | uᵢᵀ G vᵢ
sum((X @ w + b - y)**2) | X=n,k w=k y=n b= | w_grad | 2 * X.T @ (X @ w + b - y) | ESL (3.4)
sum((X @ w + b - y)**2) | X=n,k w=k y=n b= | b_grad | 2 * sum(X @ w + b - y) | ESL (3.4)
a @ X.T @ b | a=m X=n,m b=n | X_grad | outer(b, a) | MC (71)
(X @ b + c) @ D @ (X @ b + c) | X=n,m b=m c=n D=n,n | X_grad |\
 (D + D.T) @ outer(X @ b + c, b) | MC (78)
norm(x)**2 / t | x=n t= | t_grad | -norm(x)**2 / t**2 | CO 3.1.5, quadratic over linear
log(det(X.T @ X)) / 2 | X=n,m | X_grad | X @ inv(X.T @ X) | MC (55)
trace(A @ X @ B @ X) | A=m,n X=n,m B=m,n | X_grad |\
 A.T @ X.T @ B.T + B.T @ X.T @ A.T | MC (105)
-log(softmax(z)[0]) | z=n | z_grad | softmax(z) - one_hot(0, n) | PRML (4.109)
-log_softmax(z)[0] | z=n | z_grad | softmax(z) - one_hot(0, n) | PRML (4.109)
sin(x[0]) * x[1] | x=n | x_grad |\
 x[1] * cos(x[0]) * one_hot(0, n) + sin(x[0]) * one_hot(1, n) | product rule, unit vectors
X[0] @ a | X=n,m a=m | X_grad | outer(one_hot(0, n), a) | MC (70) of e₀ᵀ X a
X[0, 1]**2 | X=n,m | X_grad | 2 * X[0, 1] * outer(one_hot(0, n), one_hot(1, m)) | MC (32)
x[-1]**2 | x=n | x_grad | 2 * x[n - 1] * one_hot(n - 1, n) | power rule
inv(A)[0, 0] | A=n,n | A_grad | -outer(inv(A)[0], inv(A)[:, 0]) | MC (60)
(A @ x)[0] | A=m,n x=n | x_grad | A[0] | by hand
n * logdet(S) + trace(inv(S) @ X.T @ X) | S=k,k X=n,k | S_grad |\
 n * inv(S).T - inv(S).T @ X.T @ X @ inv(S).T | MC (57), (63)
"""
)
"""Gradients of functions that are put together of pieces, and more."""

MATRICES = forms(
    """
x @ A @ x | x=n A=n,n | x_hessian | A + A.T | MC (98)
sum((X @ w - y)**2) | X=n,k w=k y=n | w_hessian | 2 * X.T @ X | ESL (3.5)
sum((X @ w - y)**2) + lam * w @ w | X=n,k w=k y=n | w_hessian |\
 2 * X.T @ X + 2 * lam * eye(k) | ESL (3.44)
binary_cross_entropy_with_logits(X @ w, y) | X=n,k w=k y=n | w_hessian |\
 X.T @ diag(sigmoid(X @ w) * (1 - sigmoid(X @ w))) @ X / n | PRML (4.97) over n
logsumexp(x) | x=n | x_hessian | diag(softmax(x)) - outer(softmax(x), softmax(x)) | CO 3.1.5
norm(x) | x=n | x_hessian | eye(n) / norm(x) - outer(x, x) / norm(x)**3 | MC (130)
x**3 | | x_hessian | 6 * x | power rule
sum(x * log(x)) | x=n | x_hessian | diag(1 / x) | CO 3.1.5, entropy
logsumexp(A @ x + b) | A=m,n x=n b=m | x_hessian | A.T @ (diag(softmax(A @ x + b))\
 - outer(softmax(A @ x + b), softmax(A @ x + b))) @ A | CO 3.1.5
-sum(log(b - A @ x)) | A=m,n x=n b=m | x_hessian | A.T @ diag(1 / (b - A @ x)**2) @ A | CO 9.5.2
-sum(log(x)) | x=n | x_hessian | diag(1 / x**2) | CO 9.5.2
A @ x | A=m,n x=n | x_jacobian | A | by hand
softmax(x) | x=n | x_jacobian | diag(softmax(x)) - outer(softmax(x), softmax(x)) | PRML (4.106)
sigmoid(x) | x=n | x_jacobian | diag(sigmoid(x) * (1 - sigmoid(x))) | PRML (4.88)
tanh(W @ x + b) | W=m,n x=n b=m | x_jacobian | diag(1 - tanh(W @ x + b)**2) @ W | DL (10.22)
(x - a) / norm(x - a) | x=n a=n | x_jacobian |\
 eye(n) / norm(x - a) - outer(x - a, x - a) / norm(x - a)**3 | MC (130)
"""
)
"""Hessians and Jacobians."""
