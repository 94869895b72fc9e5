"""PyTorch's messages: what is said of each, and where a traceback points."""

from __future__ import annotations

import re

import pytest

from gradcli.analysis.messages import MESSAGES, Message, explained

NEEDED = "one of the variables needed for gradient computation"
ONE_PLACE = "refers to a single memory location. Please clone() the tensor"
EXPECTED = "expected shape compatible with"
AND_DOUBLE = "destination and Double for the source."
SAID = [
    "grad can be implicitly created only for scalar outputs",
    "element 0 of tensors does not require grad and does not have a grad_fn",
    "Trying to backward through the graph a second time (or directly access saved tensors after",
    f"{NEEDED} has been modified by an inplace operation: [torch.FloatTensor [2]]",
    "a leaf Variable that requires grad is being used in an in-place operation.",
    "a view of a leaf Variable that requires grad is being used in an in-place operation.",
    "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.",
    "Only Tensors of floating point and complex dtype can require gradients",
    "One of the differentiated Tensors appears to not have been used in the graph.",
    "Mismatch in shape: grad_output[0] has a shape of (2) and output[0] has a shape of (3).",
    "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. Its .grad",
    "'NoneType' object has no attribute 'zero_'",
    "unsupported operand type(s) for *: 'float' and 'NoneType'",
    "you can only change requires_grad flags of leaf variables.",
    "can't optimize a non-leaf Tensor",
    "optimizer got an empty parameter list",
    "params argument given to the optimizer should be an iterable of Tensors or dicts",
    "mat1 and mat2 shapes cannot be multiplied (2x3 and 2x4)",
    "The size of tensor a (3) must match the size of tensor b (4) at non-singleton dimension 0",
    "Expected all tensors to be on the same device, but found at least two devices",
    "expected scalar type Float but found Double",
    "shape '[2, 2]' is invalid for input of size 3",
    "a Tensor with 2 elements cannot be converted to Scalar",
    "Boolean value of Tensor with more than one value is ambiguous",
    "Using a target size (torch.Size([4])) that is different to the input size (torch.Size([1]))",
    "0D or 1D target tensor expected, multi-target not supported",
    "Expected input batch_size (3) to match target batch_size (2).",
    "Target 5 is out of bounds.",
    "view size is not compatible with input tensor's size and stride (at least one dimension spans",
    "assigned grad has data of a different size",
    "output with shape [2] doesn't match the broadcast shape [2, 2]",
    "Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol",
    "Function 'SqrtBackward0' returned nan values in its 0th output.",
    "derivative for 'aten::foo' is not implemented",
    "Dimension out of range (expected to be in range of [-1, 0], but got 1)",
    "Inference tensors cannot be saved for backward.",
    "can't convert cuda:0 device type tensor to numpy. Use Tensor.cpu() to copy",
    "One of the differentiated Tensors does not require grad",
    "Output 0 of UnbindBackward0 is a view and is being modified inplace. This view is the output",
    f"unsupported operation: more than one element of the written-to tensor {ONE_PLACE}",
    "function FnBackward returned an incorrect number of gradients (expected 2, got 1)",
    f"Function GBackward returned an invalid gradient at index 1 - got [2, 3] but {EXPECTED} [2]",
    "You must implement either the backward or vjp method for your custom autograd.Function to use",
    "save_for_backward can only save variables, but argument 1 is of type int",
    "Legacy autograd function with non-static forward method is deprecated. Please use new-style",
    "Jacobian mismatch for output 0 with respect to input 0,\nnumerical:tensor([[0.2000]])",
    "Inplace update to inference tensor outside InferenceMode is not allowed.You can make a clone",
    "result type Float can't be cast to the desired output type Long",
    f"Index put requires the source and destination dtypes match, got Float for the {AND_DOUBLE}",
    "\"log_softmax_lastdim_kernel_impl\" not implemented for 'Long'",
    "cannot assign 'torch.FloatTensor' as parameter 'weight' (torch.nn.Parameter or None expected)",
    "cannot assign module before Module.__init__() call",
    "all elements of input should be between 0 and 1",
    "stack expects each tensor to be equal size, but got [2] at entry 0 and [3] at entry 1",
    "vmap: It looks like you're calling .item() on a Tensor. We don't support vmap over calling",
    "grad_and_value(f)(*args): Expected f(*args) to return a scalar Tensor, got tensor with 1 dims",
    "cudnn RNN backward can only be called in training mode",
    "Expected to have finished reduction in the prior iteration before starting a new one.",
]


FRAMES = """\
  File "cell.py", line 4, in <module>
    y.backward()
  File "/x/site-packages/torch/_tensor.py", line 9, in backward
    torch.go()
"""


@pytest.mark.parametrize(("message", "said"), [*zip(MESSAGES, SAID, strict=True)])
def test_each_is_found_by_its_words(message: Message, said: str) -> None:
    found = explained(f"RuntimeError: {said}")
    assert found is not None
    assert re.search(message.pattern, said)
    assert found.remedy[:5] == message.remedy[:5]
    assert not re.search(r"\{\d", found.meaning + found.remedy)


def test_there_are_thirty() -> None:
    assert len(MESSAGES) >= 30


def test_of_two_messages_in_one_place_the_longer_is_meant() -> None:
    found = explained("a view of a leaf Variable that requires grad is being used in an in-place "
                      "operation.")  # fmt: skip
    assert found is not None
    assert found.meaning.startswith("A part of a parameter")


def test_numbers_of_the_message_are_used() -> None:
    found = explained(SAID[17])
    assert found is not None
    assert "3 elements" in found.meaning
    assert "nn.Linear(3, n)" in found.remedy


@pytest.mark.parametrize(
    ("text", "line", "code"),
    [
        (FRAMES, 4, "y.backward()"),
        ("Cell In[3], line 7\n      6 y = x * 2\n----> 7 y.backward()\n", 7, "y.backward()"),
        ("", None, None),
    ],
)  # fmt: skip
def test_the_line_of_the_cell(text: str, line: int | None, code: str | None) -> None:
    found = explained(f"Traceback (most recent call last):\n{text}RuntimeError: {SAID[0]}\n")
    assert found is not None
    assert (found.line, found.code) == (line, code)


@pytest.mark.parametrize("text", ["", "KeyError: 3", "grad"])
def test_others_are_not_known(text: str) -> None:
    assert explained(text) is None


def test_long_texts_take_little_time() -> None:
    assert explained('File "' * 100_000 + "---->" * 100_000 + "shape '[" * 50_000) is None
