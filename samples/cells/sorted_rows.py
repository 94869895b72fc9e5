import torch
d = {"b": [1.0, 2.0], "a": [3.0]}
print(sorted(d.items()))
print(sorted([(2, "x"), (1, "y"), (1, "b")]))
print(sorted([((1, 2), "p"), ((0, 5), "q")]))
print(max({"x": 3, "y": 7}.items(), key=lambda kv: kv[1]))
