import numpy as np

np.set_printoptions(precision=3, floatmode="fixed", sign="+")
print(np.array([1.0, 2.25]), np.array([[1, 2]]))
