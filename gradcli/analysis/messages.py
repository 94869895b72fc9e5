"""PyTorch's error messages around gradients: what each means, and what to write instead.

The messages are those of PyTorch 2.13; `(…)` in a pattern takes what differs between them.
"""

from __future__ import annotations

import re
from typing import NamedTuple


class Message(NamedTuple):
    """A message of PyTorch."""

    pattern: str
    """What finds it in a text."""
    meaning: str
    remedy: str
    """What to write; lines of a cell."""


class Explained(NamedTuple):
    """A message as it was found in a text."""

    said: str
    meaning: str
    remedy: str
    line: int | None
    """The line of the cell that raised it, if the text tells."""
    code: str | None
    """What stands in that line."""


_NONE_ATTRIBUTE = (
    r"'NoneType' object has no attribute "
    r"'(zero_|data|item|detach|clone|norm|shape|numpy|fill_|abs|mul_)'"
)

MESSAGES = (
    Message(
        r"grad can be implicitly created only for scalar outputs",
        "backward() was called on a tensor with several elements. It computes vᵀ·J, and only for a "
        "single value it knows the v: 1.",
        "y.sum().backward()                    # the gradient of the sum\n"
        "y.backward(torch.ones_like(y))        # the same, with v written out\n"
        "y.backward(gradient=v)                # any other weights, in the shape of y",
    ),
    Message(
        r"element (\d+) of tensors does not require grad and does not have a grad_fn",
        "The output does not depend on any leaf: no tensor that it was computed from has "
        "requires_grad=True, or the way to it is cut by detach(), .data, .item(), numpy() or "
        "torch.no_grad().",
        "x = torch.tensor([1., 2.], requires_grad=True)   # before y is computed\n"
        "loss = criterion(model(x), y)                    # not under torch.no_grad()",
    ),
    Message(
        r"Trying to backward through the graph a second time",
        "A first backward() has freed the values that it had saved, and this one needs them again.",
        "loss.backward(retain_graph=True)      # in the first call, if both are meant\n"
        "(loss1 + loss2).backward()            # one call for two losses\n"
        "h = h.detach()                        # in a loop: cut the graph of the step before",
    ),
    Message(
        r"one of the variables needed for gradient computation has been modified by an inplace "
        r"operation",
        "A value that backward() needs was overwritten after it had been used: by +=, by a method "
        "with _ at its end, by x[i] = …, or by an optimiser's step.",
        "x = x + 1                             # a new tensor, instead of x += 1\n"
        "y = torch.relu(x)                     # instead of torch.relu_(x)\n"
        "loss.backward(); optimizer.step()     # all backwards before the step",
    ),
    Message(
        r"a leaf Variable that requires grad is being used in an in-place operation",
        "A parameter was changed in place while operations are recorded.",
        "with torch.no_grad():\n    w -= lr * w.grad",
    ),
    Message(
        r"a view of a leaf Variable that requires grad is being used in an in-place operation",
        "A part of a parameter was changed in place while operations are recorded.",
        "with torch.no_grad():\n    w[0] = 0.",
    ),
    Message(
        r"Can't call numpy\(\) on Tensor that requires grad",
        "NumPy records no operations, so the tensor has to be cut from its graph before.",
        "y.detach().numpy()\ny.item()                              # of a single value",
    ),
    Message(
        r"[Oo]nly Tensors of floating point(?: and complex)? dtype can require gradients",
        "Whole numbers and truth values have no gradient: torch.tensor([1, 2]) holds integers.",
        "x = torch.tensor([1., 2.], requires_grad=True)\nx = x.float().requires_grad_()",
    ),
    Message(
        r"One of the differentiated Tensors appears to not have been used in the graph",
        "grad() was asked for the derivative by a tensor that the output was not computed from, or "
        "only through a copy of it.",
        "g, = torch.autograd.grad(y, x, allow_unused=True)   # None where it is not used\n"
        "y = f(x)                              # with the very x that grad gets",
    ),
    Message(
        r"Mismatch in shape: grad_output\[(\d+)\] has a shape of (.{1,80}?) and output\[\d+\] has "
        r"a shape of ([^.\n]{1,80})",
        "The gradient that was given does not have the shape of the output.",
        "y.backward(torch.ones_like(y))",
    ),
    Message(
        r"The \.grad attribute of a Tensor that is not a leaf Tensor is being accessed",
        "Only leaves keep their grad. This tensor was computed from others, perhaps by .to(), "
        ".view() or * 1 behind requires_grad=True.",
        "h.retain_grad()                       # before backward\n"
        "x = torch.rand(3, device=d, requires_grad=True)   # the leaf itself on the device",
    ),
    Message(
        _NONE_ATTRIBUTE,
        "x.grad is None: no backward() has reached x yet, x is no leaf, or x was bound to a new "
        "tensor since (x = x - lr * x.grad makes one).",
        "if x.grad is not None:\n    x.grad.zero_()\n"
        "with torch.no_grad():\n    x -= lr * x.grad                  # keeps the leaf",
    ),
    Message(
        r"unsupported operand type\(s\) for \*: 'float' and 'NoneType'",
        "x.grad is None: no backward() has reached x, or x is no leaf any more.",
        "loss.backward()                       # before x.grad is used\n"
        "with torch.no_grad():\n    x -= lr * x.grad                  # keeps the leaf",
    ),
    Message(
        r"you can only change requires_grad flags of leaf variables",
        "requires_grad was set on a tensor that was computed from others.",
        "y = y.detach()                        # a constant\n"
        "x.requires_grad = False               # of the leaves that it was computed from",
    ),
    Message(
        r"can't optimize a non-leaf Tensor",
        "An optimiser changes leaves, and was given a tensor that was computed.",
        "w = torch.randn(3, requires_grad=True)\nopt = torch.optim.SGD([w], lr=0.1)",
    ),
    Message(
        r"optimizer got an empty parameter list",
        "The model has no parameters: its layers are in a plain list, or none were made.",
        "model = nn.Sequential(*layers)        # or nn.ModuleList(layers)\n"
        "torch.optim.SGD([w, b], lr=0.1)",
    ),
    Message(
        r"params argument given to the optimizer should be an iterable of Tensors",
        "The optimiser was given one tensor.",
        "torch.optim.SGD([w], lr=0.1)          # a list of one",
    ),
    Message(
        r"mat1 and mat2 shapes cannot be multiplied \((\d+)x(\d+) and (\d+)x(\d+)\)",
        "The rows of the first matrix have {2} elements, and the columns of the second {3}: these "
        "must be equal.",
        "x @ w.T                               # if w has an output in each row\n"
        "nn.Linear({2}, n)                     # a layer for inputs of {2} features",
    ),
    Message(
        r"The size of tensor a \((\d+)\) must match the size of tensor b \((\d+)\) at "
        r"non-singleton dimension (\d+)",
        "Along axis {3} one operand has {1} elements and the other {2}. Lengths agree if they are "
        "equal, or if one is 1.",
        "print(a.shape, b.shape)\na.unsqueeze(1) * b                    # a column times a row",
    ),
    Message(
        r"Expected all tensors to be on the same device",
        "One operand is in the memory of the CPU, the other in that of a GPU.",
        "x = x.to(w.device)\nmodel.to(device); x = x.to(device)",
    ),
    Message(
        r"expected (?:scalar type|m1 and m2 to have the same dtype|mat1 and mat2 to have the same "
        r"dtype)[^\n]*|Found dtype \w+ but expected \w+",
        "Two tensors have different dtypes: NumPy's arrays are float64, PyTorch's tensors float32, "
        "and a list of whole numbers int64.",
        "x = torch.from_numpy(a).float()\nx = torch.tensor([1, 2], dtype=torch.float32)",
    ),
    Message(
        r"shape '\[([^\]\n]{0,80})\]' is invalid for input of size (\d+)",
        "The new shape [{1}] does not have {2} elements, as the tensor has.",
        "x.reshape(-1)                         # -1: as many as there are\n"
        "x.reshape(x.shape[0], -1)",
    ),
    Message(
        r"a Tensor with (\d+) elements cannot be converted to Scalar|only one element tensors can "
        r"be converted to Python scalars",
        "item() and float() are for tensors of one element.",
        "x.sum().item()\nx[0].item()\nx.tolist()",
    ),
    Message(
        r"Boolean value of Tensor with more than one value is ambiguous",
        "A condition is one truth value, and this tensor has several. (Or a loss class was called "
        "with tensors where an instance should be: nn.MSELoss()(x, y).)",
        "if (x > 0).all():\nif (x > 0).any():\ny = torch.where(x > 0, a, b)          # element by "
        "element",
    ),
    Message(
        r"Using a target size \((.{1,80}?)\) that is different to the input size \((.{1,80}?)\)",
        "The loss broadcasts the target {1} and the output {2} to each other: every output is "
        "compared with every target, so the gradient is wrong.",
        "loss = F.mse_loss(y_pred.squeeze(1), y)\nloss = F.mse_loss(y_pred, y.unsqueeze(1))",
    ),
    Message(
        r"0D or 1D target tensor expected, multi-target not supported",
        "The target of cross_entropy is a row of class numbers, not a column.",
        "loss = F.cross_entropy(logits, target.squeeze(1))\n"
        "loss = F.cross_entropy(logits, onehot.argmax(1))",
    ),
    Message(
        r"Expected input batch_size \((\d+)\) to match target batch_size \((\d+)\)",
        "There are {1} rows of scores and {2} targets.",
        "print(logits.shape, target.shape)     # (N, classes) and (N)",
    ),
    Message(
        r"(?:Target|IndexError: Target) (-?\d+) is out of bounds",
        "A target names class {1}, and there are fewer columns of scores: classes count from 0.",
        "nn.Linear(features, classes)          # classes > the largest target",
    ),
    Message(
        r"view size is not compatible with input tensor's size and stride",
        "view() copies nothing, and the elements do not lie in the order that it needs.",
        "x.reshape(2, 3)                       # copies where it must\nx.contiguous().view(2, 3)",
    ),
    Message(
        r"assigned grad has data of a different (?:size|type)",
        "A grad has the shape and dtype of its tensor.",
        "x.grad = torch.zeros_like(x)\nx.grad = None",
    ),
    Message(
        r"output with shape \[([^\]\n]{0,80})\] doesn't match the broadcast shape "
        r"\[([^\]\n]{0,80})\]",
        "An in-place operation cannot make a tensor larger: it has shape [{1}], the result [{2}].",
        "x = x + y                             # a new tensor",
    ),
    Message(
        r"Only Tensors created explicitly by the user[^\n]*support the deepcopy protocol",
        "A copy of a tensor that was computed would have to copy its graph.",
        "copy = x.detach().clone()",
    ),
    Message(
        r"Function '(\w{1,80})' returned nan values in its (\d+)\w* output",
        "set_detect_anomaly found where a gradient becomes nan: behind a sqrt, log, norm or "
        "division at 0, or 0 times infinity.",
        "torch.sqrt(x + 1e-12)\ntorch.log(x.clamp(min=1e-12))\n"
        "gradcli eval -f cell.py               # notes say which op it was",
    ),
    Message(
        r"derivative for '?([\w:]{1,80})'? is not implemented",
        "{1} has no derivative in PyTorch, or none of the second order.",
        "y = f(x.detach())                     # if no gradient through it is meant\n"
        "gradcli ops                           # functions with derivatives of every order",
    ),
    Message(
        r"Dimension out of range \(expected to be in range of \[(-?\d+), (-?\d+)\], but got "
        r"(-?\d+)\)",
        "The tensor has no axis {3}: there are {1} to {2}. A dimension was lost, as by x[0] or "
        "squeeze().",
        "print(x.shape)\nx.sum(dim=-1)                         # the last axis, whatever the rank",
    ),
    Message(
        r"Inference tensors cannot be saved for backward",
        "A tensor that was made under torch.inference_mode() is used where all is recorded.",
        "with torch.no_grad():                 # instead of inference_mode\nx = x.clone()",
    ),
    Message(
        r"can't convert cuda:?\d* device type tensor to numpy",
        "NumPy reads the memory of the CPU only.",
        "x.detach().cpu().numpy()",
    ),
    Message(
        r"One of the differentiated Tensors does not require grad",
        "grad() was asked for the derivative by a tensor that requires no grad.",
        "x = torch.tensor([1., 2.], requires_grad=True)   # before y is computed\n"
        "x.requires_grad_()",
    ),
    Message(
        r"Output (\d+) of (\w{1,80}) is a view and is being modified inplace",
        "A row of unbind(), of split() or of a loop over a tensor was changed in place: these "
        "views are made at once, and none may change.",
        "y[0] += 1                             # an element of y itself\n"
        "rows = [row + 1 for row in y]         # new tensors\nrow = row.clone()",
    ),
    Message(
        r"unsupported operation: (?:more than one element of the written-to tensor refers|some "
        r"elements of the input tensor and the written-to tensor refer) to a single memory "
        r"location",
        "The tensor is expanded, or overlaps with its operand: some elements lie in one place of "
        "memory, and cannot change apart.",
        "x = x.clone()                         # or x.contiguous(): memory of its own\n"
        "x = x + y                             # a new tensor",
    ),
    Message(
        r"[fF]unction (\w{1,80}) returned an incorrect number of gradients \(expected (\d+), got "
        r"(\d+)\)",
        "forward of this autograd.Function got {2} arguments besides ctx, and its backward "
        "returned {3} gradients: there must be one for each argument.",
        "return grad_x, None                   # None for what needs no gradient",
    ),
    Message(
        r"Function (\w{1,80}) returned an invalid gradient at index (\d+) - got "
        r"\[([^\]\n]{0,80})\] but expected shape compatible with \[([^\]\n]{0,80})\]",
        "The gradient number {2} (counted from 0) has shape [{3}], and its operand [{4}]. An "
        "operand that was broadcast gets the sum over the axes that were added.",
        "grad.sum(0)                           # over an axis that broadcasting added\n"
        "grad.sum_to_size(x.shape)",
    ),
    Message(
        r"You must implement either the backward or vjp method for your custom autograd\.Function",
        "The class has no backward.",
        "@staticmethod\ndef backward(ctx, grad_output):\n    x, = ctx.saved_tensors\n"
        "    return grad_output * 2 * x        # of y = x ** 2",
    ),
    Message(
        r"save_for_backward can only save variables, but argument (\d+) is of type (\w{1,80})",
        "Only tensors are saved this way; this is {2}.",
        "ctx.factor = factor                   # anything else is an attribute of ctx",
    ),
    Message(
        r"Legacy autograd function with non-static forward method is deprecated",
        "The class is written as before PyTorch 1.3: methods of an object, which is called.",
        "@staticmethod\ndef forward(ctx, x): …         # both methods are static\n"
        "y = MyFunction.apply(x)               # and apply is called",
    ),
    Message(
        r"Jacobian mismatch for output (\d+) with respect to input (\d+)",
        "gradcheck has compared the gradient with differences, and they differ: the backward is "
        "wrong, or the function has a kink there, or its inputs are float32.",
        "x = torch.rand(3, dtype=torch.double, requires_grad=True)   # always float64\n"
        "gradcli check …                       # says which element, and often why",
    ),
    Message(
        r"Inplace update to inference tensor outside InferenceMode is not allowed",
        "A tensor that was made under torch.inference_mode() was changed in place outside.",
        "x = x.clone()\nwith torch.no_grad():                 # instead of inference_mode",
    ),
    Message(
        r"result type (\w{1,80}) can't be cast to the desired output type (\w{1,80})",
        "An in-place operation cannot change the dtype: the result is {1}, the tensor {2}.",
        "x = x + 0.5                           # a new tensor\nx = x.float(); x += 0.5",
    ),
    Message(
        r"Index put requires the source and destination dtypes match, got (\w{1,80}) for the "
        r"destination and (\w{1,80}) for the source",
        "The tensor has elements of {1}, and what is put into it of {2}.",
        "x[i] = v.to(x.dtype)",
    ),
    Message(
        r"\"(\w{1,80})\" not implemented for '(\w{1,80})'",
        "This function has no code for elements of {2}: most of them are for floats.",
        "x.float()                             # where it holds whole numbers or halves",
    ),
    Message(
        r"cannot assign '([\w.]{1,80})' (?:object to|as) parameter '(\w{1,80})'",
        "A parameter of a module was given a plain tensor.",
        "self.{2} = nn.Parameter(tensor)\nwith torch.no_grad():\n    self.{2}.copy_(tensor)",
    ),
    Message(
        r"cannot assign (?:module|parameters?) before Module\.__init__\(\) call",
        "A module gets its parts before nn.Module is set up.",
        "def __init__(self):\n    super().__init__()                # first of all",
    ),
    Message(
        r"all elements of input should be between 0 and 1",
        "binary_cross_entropy takes probabilities, and was given scores.",
        "loss = F.binary_cross_entropy_with_logits(scores, y)\n"
        "loss = F.binary_cross_entropy(torch.sigmoid(scores), y)",
    ),
    Message(
        r"stack expects each tensor to be equal size, but got \[([^\]\n]{0,80})\] at entry (\d+) "
        r"and \[([^\]\n]{0,80})\] at entry (\d+)",
        "Tensors of shapes [{1}] and [{3}] cannot lie next to each other along a new axis.",
        "torch.cat(tensors)                    # along an axis that they have\n"
        "nn.utils.rnn.pad_sequence(tensors)    # filled up to the longest",
    ),
    Message(
        r"vmap: It looks like you're (?:calling \.item\(\) on a Tensor|attempting to use a Tensor "
        r"in some data-dependent control flow)",
        "A function under vmap runs once for all rows: it cannot look at the value of one.",
        "torch.where(x > 0, a, b)              # instead of if x > 0",
    ),
    Message(
        r"Expected f\(\*args\) to return a scalar Tensor, got tensor with (\d+) dims",
        "torch.func.grad is for functions of one value.",
        "torch.func.grad(lambda x: f(x).sum())(x)\n"
        "torch.func.jacrev(f)(x)               # all of them",
    ),
    Message(
        r"cudnn RNN backward can only be called in training mode",
        "model.eval() was called, and then backward through an LSTM, GRU or RNN on a GPU.",
        "model.train()                         # before the forward\n"
        "with torch.backends.cudnn.flags(enabled=False):\n    y = model(x)",
    ),
    Message(
        r"Expected to have finished reduction in the prior iteration before starting a new one",
        "DistributedDataParallel (DDP) waits for gradients of parameters that this pass did "
        "not use.",
        "DDP(model, find_unused_parameters=True)   # of nn.parallel",
    ),
)
"""Those that are searched for most, the most frequent first."""

_FRAME = re.compile(r'^\s*File "([^"]*)", line (\d+)[^\n]*\n(?:\s*(?!File |\^)(\S[^\n]*)\n)?', re.M)
_ARROW = re.compile(r"^-+> *(\d+) (.*)$", re.M)
_LIBRARIES = ("site-packages", "dist-packages", "/torch/", "\\torch\\", "<frozen")
_LONGEST = 200


def explained(text: str) -> Explained | None:
    """The last known message in a text, which may be a whole traceback; None without one."""
    found = [
        (match.end(), -match.start(), -number, match)  # one may stand inside another
        for number, message in enumerate(MESSAGES)
        for match in re.finditer(message.pattern, text)
    ]
    if not found:
        return None
    *_, before, match = max(found, key=lambda each: each[:3])
    message = MESSAGES[-before]
    line, code = _place(text[: match.start()])
    groups = [match[0], *(group or "" for group in match.groups())]
    return Explained(
        " ".join(match[0].split())[:_LONGEST],
        _filled(message.meaning, groups),
        _filled(message.remedy, groups),
        line,
        code,
    )


def _filled(text: str, groups: list[str]) -> str:
    """The text with `{1}`, `{2}` … as what the pattern took."""
    return re.sub(r"\{(\d)\}", lambda place: groups[int(place[1])][:_LONGEST], text)


def _place(traceback: str) -> tuple[int | None, str | None]:
    """The last line of the reader's own code that a traceback names, and what stands there."""
    arrows = [(int(match[1]), match[2].strip()) for match in _ARROW.finditer(traceback)]
    if arrows:
        return arrows[0]
    frames = [
        (int(match[2]), match[3] and match[3].strip())
        for match in _FRAME.finditer(traceback)
        if not any(part in match[1] for part in _LIBRARIES)
    ]
    return frames[-1] if frames else (None, None)
