import torch

def main():
    torch.manual_seed(42)
    x = torch.ones(3, requires_grad=True)
    y = (x * torch.tensor([1., 2., 3.])).prod()
    y.backward()
    print("y =", y.item())
    print("grad =", x.grad.tolist())

if __name__ == "__main__":
    main()
