import numpy as np
dt = 0.5
A = np.array([[1, dt], [0, 1]])
C = np.array([[1.0, 0]])
Q = np.diag([0.01, 0.02])
R = np.array([[0.3]])
x = np.zeros((2, 1))
P = np.eye(2)
zs = [0.4, 1.1, 1.4, 2.2]
hist = []
for k, z in enumerate(zs):
    x = A @ x
    P = A.dot(P).dot(A.T) + Q
    y = z - C @ x
    S = C @ P @ C.T + R
    K = P @ C.T @ np.linalg.inv(S)
    x = x + K @ y
    P = (np.eye(2) - K @ C) @ P
    hist.append((k, *x.ravel().round(4), float(np.trace(P))))
for row in hist:
    print("%d pos=%.4f vel=%.4f tr=%.4f" % row)
print(x.T, x.shape)
print(P)
print(np.round(np.sqrt(np.diag(P)), 3), K.flatten())
print(np.array_str(P, precision=2), A.dtype, Q.ndim, np.linalg.det(P).round(6))
