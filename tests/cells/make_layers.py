"""Writes layers.json, from PyTorch: `python -m tests.cells.make_layers`.

Each line of `LAYERS` is a layer, and what it is called with: names are those of `INPUTS`.
"""

from __future__ import annotations

import contextlib
import io
import json
import re
from pathlib import Path

FILE = Path(__file__).with_name("layers.json")
INPUTS = {
    "v": "torch.sin(torch.arange(6.0)).reshape(2, 3)",
    "s": "torch.sin(torch.arange(24.0)).reshape(2, 4, 3)",
    "q": "torch.sin(torch.arange(24.0)).reshape(3, 2, 4)",
    "c1": "torch.sin(torch.arange(32.0)).reshape(2, 4, 4)",
    "c2": "torch.sin(torch.arange(128.0)).reshape(2, 4, 4, 4)",
    "c3": "torch.sin(torch.arange(256.0)).reshape(1, 4, 4, 4, 4)",
    "rows": "torch.tensor([[1, 2, 0], [3, 1, 2]])",
    "k": "torch.tensor([1, 2])",
    "t": "(torch.tensor([[3, 2], [3, 2]]), torch.tensor([3, 3]), torch.tensor([2, 1]))",
}
LAYERS = """
AdaptiveAvgPool1d(2) | c1
AdaptiveAvgPool2d((2, 3)) | c2
AdaptiveAvgPool2d((None, 3)) | c2
AdaptiveAvgPool3d(2) | c3
AdaptiveLogSoftmaxWithLoss(3, 6, [2, 4], div_value=2.) | v, torch.tensor([1, 5])
AdaptiveLogSoftmaxWithLoss(3, 6, [2], head_bias=True) | v, torch.tensor([1, 5])
AdaptiveMaxPool1d(2) | c1
AdaptiveMaxPool2d((None, 2), return_indices=True) | c2
AdaptiveMaxPool2d(2) | c2
AdaptiveMaxPool3d(2) | c3
AlphaDropout(.2, True)
AlphaDropout(0.) | v
AvgPool1d(2) | c1
AvgPool1d(2, 1, 1, False, False) | c1
AvgPool2d(2) | c2
AvgPool2d(2, divisor_override=3) | c2
AvgPool2d(3, 2, 1, ceil_mode=True, count_include_pad=False) | c2
AvgPool3d(2) | c3
AvgPool3d(2, 1, 1, True, False, 3) | c3
BCELoss() | torch.sigmoid(v), (v>0).float()
BCELoss(weight=torch.tensor([1., 2., 3.])) | torch.sigmoid(v), (v>0).float()
BCEWithLogitsLoss(pos_weight=torch.tensor([1., 2., 3.])) | v, (v>0).float()
BatchNorm1d(3) | v
BatchNorm1d(4) | c1
BatchNorm1d(4, 1e-3, .2, False) | c1
BatchNorm1d(4, momentum=None) | c1
BatchNorm2d(4) | c2
BatchNorm2d(4, track_running_stats=False) | c2
BatchNorm3d(4) | c3
Bilinear(3, 3, 2) | v, v
Bilinear(3, 3, 2, bias=False) | v, v
CELU() | v
CELU(2.) | v
CTCLoss() | torch.log_softmax(q, 2), *t
CTCLoss(blank=1, reduction='sum', zero_infinity=True) | torch.log_softmax(q, 2), *t
ChannelShuffle(2) | c2
CircularPad1d(1) | c1
CircularPad2d((1, 0, 2, 1)) | c2
CircularPad3d(1) | c3
ConstantPad1d(1, 2.5) | c1
ConstantPad2d(1, 0.) | c2
ConstantPad3d(1, 3) | c3
Conv1d(4, 2, 3) | c1
Conv1d(4, 4, 3, padding='same', groups=2, bias=False) | c1
Conv2d(4, 2, (3, 2), dilation=(1, 2), padding_mode='reflect', padding=1) | c2
Conv2d(4, 2, 3, padding=1, stride=2) | c2
Conv3d(4, 2, 2) | c3
ConvTranspose1d(4, 2, 3) | c1
ConvTranspose2d(4, 2, 3, 2, 1, output_padding=1) | c2
ConvTranspose2d(4, 4, 3, groups=2, bias=False) | c2
ConvTranspose3d(4, 2, 2) | c3
CosineEmbeddingLoss(margin=.1) | v, v+1, torch.tensor([1, -1])
CosineSimilarity() | v, v+1
CosineSimilarity(dim=0, eps=1e-6) | v, v+1
CrossEntropyLoss() | v, k
CrossEntropyLoss(reduction='sum') | v, torch.softmax(v, 1)
CrossEntropyLoss(torch.tensor([1., 2., 3.]), ignore_index=2, label_smoothing=.1) | v, k
Dropout(.3, inplace=True)
Dropout(0.) | v
Dropout1d(0.) | c1
Dropout2d(0.) | c2
Dropout2d(inplace=True)
Dropout3d(0.) | c3
ELU() | v
ELU(alpha=2.) | v
Embedding(5, 3) | rows
Embedding(5, 3, padding_idx=0) | rows
EmbeddingBag(5, 3) | rows
EmbeddingBag(5, 3, mode='sum') | rows
FeatureAlphaDropout(0.) | c1
Flatten() | c2
Flatten(0, 1) | c2
Fold((4, 4), (2, 2)) | torch.sin(torch.arange(72.)).reshape(1, 8, 9)
GELU('tanh') | v
GELU() | v
GLU() | c1
GLU(dim=1) | c1
GRU(3, 2) | s
GRU(3, 2, 2, bidirectional=True, batch_first=True) | s
GRUCell(3, 2) | v
GaussianNLLLoss() | v, v+1, v.abs()
GaussianNLLLoss(full=True, eps=1e-4, reduction='sum') | v, v+1, v.abs()
GroupNorm(2, 4) | c2
GroupNorm(2, 4, affine=False) | c2
Hardshrink() | v
Hardsigmoid() | v
Hardswish() | v
Hardtanh() | v
Hardtanh(-.5, .5) | v
HingeEmbeddingLoss() | v, torch.sign(v+.1)
HuberLoss('sum', .5) | v, v+1
HuberLoss(delta=.5) | v, v+1
Identity(3, a=2) | v
InstanceNorm1d(4) | c1
InstanceNorm1d(4, affine=True) | c1
InstanceNorm2d(4) | c2
InstanceNorm2d(4, affine=True, track_running_stats=True) | c2
InstanceNorm3d(4) | c3
KLDivLoss(log_target=True) | torch.log_softmax(v, 1), torch.log_softmax(v*2, 1)
KLDivLoss(reduction='batchmean') | torch.log_softmax(v, 1), torch.softmax(v*2, 1)
L1Loss(reduction='none') | v, v+1
LPPool1d(2, 2) | c1.abs()
LPPool2d(2., 2) | c2.abs()
LPPool3d(2, 2) | c3.abs()
LSTM(3, 2) | s
LSTM(3, 2, bias=False) | s
LSTM(3, 2, num_layers=2, bidirectional=True) | s
LSTMCell(3, 2) | v
LayerNorm((4, 4), elementwise_affine=False) | c2
LayerNorm(3) | v
LayerNorm(3, bias=False) | v
LazyBatchNorm1d() | c1
LazyBatchNorm2d() | c2
LazyBatchNorm3d() | c3
LazyConv1d(2, 3) | c1
LazyConv2d(2, 3, padding=1) | c2
LazyConv3d(2, 2) | c3
LazyConvTranspose1d(2, 3) | c1
LazyConvTranspose2d(2, 3) | c2
LazyConvTranspose3d(2, 2) | c3
LazyInstanceNorm1d() | c1
LazyInstanceNorm2d(affine=True) | c2
LazyInstanceNorm3d() | c3
LazyLinear(2) | v
LazyLinear(2, bias=False) | v
LeakyReLU() | v
LeakyReLU(.2) | v
Linear(3, 2) | v
Linear(3, 2, False) | v
Linear(3, 2, bias=False) | v
LocalResponseNorm(2) | c2
LogSigmoid() | v
LogSoftmax(-1) | v
LogSoftmax(dim=1) | v
MSELoss() | v, v+1
MarginRankingLoss(.5) | v, v+1, torch.sign(v+.1)
MaxPool1d(2) | c1
MaxPool1d(2, return_indices=True) | c1
MaxPool1d(2, stride=1, padding=1, dilation=1) | c1
MaxPool2d((2, 1), ceil_mode=True) | c2
MaxPool2d(2) | c2
MaxPool2d(2, return_indices=True) | c2
MaxPool3d(2) | c3
MaxPool3d(2, 1, 0, 2) | c3
MaxPool3d(2, return_indices=True) | c3
MaxUnpool1d(2) | *nn.MaxPool1d(2, return_indices=True)(c1)
MaxUnpool2d(2) | *nn.MaxPool2d(2, return_indices=True)(c2)
MaxUnpool2d(2, stride=2, padding=0) | *nn.MaxPool2d(2, return_indices=True)(c2)
MaxUnpool3d((2, 2, 2)) | *nn.MaxPool3d(2, return_indices=True)(c3)
Mish() | v
ModuleDict({'a':nn.ReLU(), 'b':nn.Linear(3, 2)})
ModuleList([nn.ReLU(), nn.Linear(3, 2)])
MultiLabelMarginLoss() | v, torch.tensor([[1, -1, 0], [0, 2, -1]])
MultiLabelSoftMarginLoss() | v, (v>0).float()
MultiMarginLoss() | v, k
MultiMarginLoss(2, .5, torch.tensor([1., 2., 3.])) | v, k
MultiheadAttention(4, 2) | q, q, q
MultiheadAttention(4, 2, add_bias_kv=True) | q, q, q
MultiheadAttention(4, 2, add_zero_attn=True) | q, q, q
MultiheadAttention(4, 2, batch_first=True) | q, q, q
MultiheadAttention(4, 2, bias=False) | q, q, q
MultiheadAttention(4, 2, kdim=3, vdim=3) | q, q[..., :3], q[..., :3]
MultiheadAttention(4, 2, kdim=4, vdim=4) | q, q, q
NLLLoss() | torch.log_softmax(v, 1), k
NLLLoss(weight=torch.tensor([1., 2., 3.]), reduction='none') | v, k
NLLLoss2d() | torch.log_softmax(c2, 1), torch.arange(32).reshape(2, 4, 4)%4
PReLU() | v
PReLU(3) | v
PReLU(init=.1) | v
PairwiseDistance() | v, v+1
PairwiseDistance(1., keepdim=True) | v, v+1
ParameterDict({'a':torch.ones(2)})
ParameterList([torch.ones(2), torch.ones(3, 2)])
PixelShuffle(2) | c2
PixelUnshuffle(2) | c2
PoissonNLLLoss() | v, v.abs()
PoissonNLLLoss(log_input=False, full=True) | v.abs(), v.abs()*5
RMSNorm(3) | v
RMSNorm(3, elementwise_affine=False) | v
RMSNorm([3], eps=1e-5) | v
RNN(3, 2) | s
RNN(3, 2, 2, nonlinearity='relu') | s
RNNCell(3, 2) | v
RReLU()
ReLU() | v
ReLU6() | v*7
ReflectionPad1d(1) | c1
ReflectionPad2d((1, 2, 0, 1)) | c2
ReflectionPad3d(1) | c3
ReplicationPad1d(1) | c1
ReplicationPad2d(1) | c2
ReplicationPad3d(1) | c3
SELU() | v
Sequential(nn.Linear(3, 2), nn.ReLU()) | v
SiLU() | v
Sigmoid() | v
SmoothL1Loss(beta=.5) | v, v+1
SoftMarginLoss() | v, torch.sign(v+.1)
Softmax() | v
Softmax(dim=1) | v
Softmax2d() | c2
Softmin(dim=1) | v
Softplus() | v
Softplus(2, 1) | v
Softshrink() | v
Softsign() | v
SyncBatchNorm(4) | c2
Tanh() | v
Tanhshrink() | v
Threshold(.1, 20) | v
Transformer(4, 2, 1, 1, 8, dropout=0.) | q, q
Transformer(4, 2, 2, 1, 8, 0.0, "gelu", batch_first=True, norm_first=True, bias=False) | q, q
TransformerDecoder(nn.TransformerDecoderLayer(4, 2, 8, dropout=0.), 2) | q, q
TransformerDecoderLayer(4, 2, 8, dropout=0.) | q, q
TransformerEncoder(nn.TransformerEncoderLayer(4, 2, 8, dropout=0.), 2) | q
TransformerEncoder(nn.TransformerEncoderLayer(4, 2, 8, dropout=0.), 2, norm=nn.LayerNorm(4)) | q
TransformerEncoderLayer(4, 2, 8, 0., 'gelu', 1e-4, True, True, False) | q
TransformerEncoderLayer(4, 2, 8, dropout=0.) | q
TripletMarginLoss() | v, v+1, v*2
TripletMarginLoss(.5, 1., 1e-5, True, reduction='none') | v, v+1, v*2
TripletMarginWithDistanceLoss() | v, v+1, v*2
TripletMarginWithDistanceLoss(distance_function=lambda a, b: (a - b).abs().sum(1)) | v, v + 1, v * 2
Unflatten(1, (2, 2)) | c2
Unfold(2) | c2
Upsample(scale_factor=(2, 1.5), mode='bilinear', align_corners=True) | c2
Upsample(scale_factor=1.5, mode='bicubic') | c2
Upsample(scale_factor=2) | c2
Upsample(size=(3, 5), mode='bilinear') | c2
UpsamplingBilinear2d(scale_factor=2) | c2
UpsamplingNearest2d(size=3) | c2
ZeroPad1d(1) | c1
ZeroPad2d(1) | c2
ZeroPad3d(1) | c3
"""


def cells() -> dict[str, str]:
    """A program for each layer: what it is made of, and two numbers of what it computes."""
    return {line: cell(line) for line in LAYERS.strip().splitlines()}


def cell(line: str) -> str:
    made, inputs = line.split(" | ") if " | " in line else (line, "")
    mentioned = set(re.findall(r"[a-z_]\w*", inputs))
    lines = ["import torch", "from torch import nn"]
    lines += [f"{name} = {text}" for name, text in INPUTS.items() if name in mentioned]
    lines += [f"m = nn.{made}", "print(m)"]
    if made.startswith("Lazy"):
        lines += [f"y = m({inputs})", "print(m)"]
    lines += [
        "with torch.no_grad():",
        "    for i, p in enumerate(m.parameters()):",
        "        p.copy_(torch.sin(torch.arange(p.numel()) * 0.37 + i).reshape(p.shape) / 2)",
        "print([(n, tuple(p.shape)) for n, p in m.named_parameters()])",
        "print([(n, tuple(b.shape)) for n, b in m.named_buffers()])",
        "print(list(m.state_dict().keys()))",
    ]
    for mode in ("train", "eval") if inputs else ():
        lines += [
            f"m.{mode}()",
            f"y = m({inputs})",
            "y = y[0] if isinstance(y, tuple) else y",
            "print(tuple(y.shape))",
            "print((y * torch.cos(torch.arange(y.numel())).reshape(y.shape)).sum().item())",
        ]
    return "\n".join(lines) + "\n"


def main() -> None:
    found = {}
    for line, program in cells().items():
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            exec(compile(program, line, "exec"), {})  # our own text, not a user's
        found[line] = out.getvalue().rstrip("\n").split("\n")
    FILE.write_text(json.dumps(found, indent=0, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
