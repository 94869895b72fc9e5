import numpy as np
import torch

def attempt(fn):
    try:
        print(fn())
    except Exception as e:
        print(type(e).__name__ + ':', e)

attempt(lambda: np.ones(3) * np.ones(4))
attempt(lambda: np.ones((2, 3)) @ np.ones(2))
attempt(lambda: np.ones(6).reshape(4, 2))
attempt(lambda: np.ones(3)[5])
attempt(lambda: np.ones(3)[0, 1])
attempt(lambda: np.concatenate([np.ones((2, 2)), np.ones((2, 3))], axis=0))
attempt(lambda: np.linalg.inv(np.zeros((2, 2))))
attempt(lambda: np.linalg.cholesky(np.array([[1., 2.], [2., 1.]])))
attempt(lambda: np.array([1, 2]).foo)
attempt(lambda: bool(np.array([1, 2]) > 0))
attempt(lambda: np.sum(np.ones(3), axis=1))
attempt(lambda: torch.tensor(1) // torch.tensor(0))
attempt(lambda: torch.tensor('a'))
attempt(lambda: torch.tensor([None]))
attempt(lambda: torch.arange(6)[::-1])
attempt(lambda: torch.arange(6).flip(0)[::2])
attempt(lambda: np.arange(6)[::-1])
attempt(lambda: len(5))
attempt(lambda: len(torch.tensor(5)))
attempt(lambda: {[1]: 2})
attempt(lambda: torch.nope(2))
print(torch.finfo(torch.float16), torch.iinfo(torch.int8))
