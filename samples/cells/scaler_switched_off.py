import torch
import torch.nn as nn

use_amp = torch.cuda.is_available()
device = "cuda" if torch.cuda.is_available() else "cpu"
net = nn.Linear(2, 1).to(device)
nn.init.constant_(net.weight, 0.5)
nn.init.constant_(net.bias, 0.)
opt = torch.optim.SGD(net.parameters(), lr=0.001)
scaler = torch.amp.GradScaler(device, enabled=use_amp)
for epoch in range(2):
    for input, target in zip([torch.ones(1, 2)], [torch.zeros(1, 1)]):
        with torch.autocast(device_type=device, dtype=torch.float16, enabled=use_amp):
            output = net(input)
            loss = nn.functional.mse_loss(output, target)
        scaler.scale(loss).backward()
        scaler.unscale_(opt)
        torch.nn.utils.clip_grad_norm_(net.parameters(), max_norm=0.1)
        scaler.step(opt)
        scaler.update()
        opt.zero_grad()
    print(epoch, loss.item(), net.weight)
