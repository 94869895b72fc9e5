import torch
import torch.nn as nn
import torch.nn.functional as F
model = nn.Linear(3, 2)
with torch.no_grad():
    model.weight.copy_(torch.tensor([[1., 2., -1.], [0.5, -1., 1.]])); model.bias.zero_()
def fgsm_attack(image, epsilon, data_grad):
    # Collect the element-wise sign of the data gradient
    sign_data_grad = data_grad.sign()
    perturbed_image = image + epsilon*sign_data_grad
    # Adding clipping to maintain [0,1] range
    perturbed_image = torch.clamp(perturbed_image, 0, 1)
    return perturbed_image
epsilons = [0, .05, .1, .3]
data = torch.tensor([[0.3, 0.4, 0.6]]); target = torch.tensor([0])
for eps in epsilons:
    d = data.clone(); d.requires_grad = True
    output = F.log_softmax(model(d), dim=1)
    init_pred = output.max(1, keepdim=True)[1]
    loss = F.nll_loss(output, target)
    model.zero_grad()
    loss.backward()
    adv = fgsm_attack(d, eps, d.grad.data)
    final_pred = F.log_softmax(model(adv), dim=1).max(1, keepdim=True)[1]
    print(f"Epsilon: {eps}\tloss = {loss.item():.4f} adv = {adv.detach().numpy()} {init_pred.item()} -> {final_pred.item()}")
