from dataclasses import dataclass, field
@dataclass(order=True)
class Config:
    lr: float = 0.1
    layers: list = field(default_factory=lambda: [2, 1])
    name: str = field(default="net", compare=False)
    secret: str = field(default="s", repr=False)
    size: int = field(init=False)
    def __post_init__(self): self.size = len(self.layers)
c = Config(lr=0.01)
print(c, c == Config(0.01, name='x'), c < Config(0.2), c < Config(0.01, name='zz'), c.secret, c.size)
print(sorted([Config(3.), Config(1.)])[0])
@dataclass(frozen=True)
class P:
    x: int
    y: int = field(default=0, compare=False)
print({P(1, 2): 'a'}[P(1, 3)], P(1) == P(1, 5))
