"""What a few lines may ask terabytes for is paid for before it is made: text that is laid out,
arrays of complex numbers, histograms.
"""

from __future__ import annotations

import pytest

from gradcli.diagnostics import GradcliError, Source
from gradcli.language.parser import ParseLimits, parse_program
from gradcli.session import Limits, Options, evaluate

SHARED = "x = [1]\nfor i in range(45): x = [x, x]\n"
"""A list that is in itself 2**45 times."""
SPECTRUM = "import numpy as np\nz = np.fft.fft(np.ones(10**5))\n"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("import pprint\n" + SHARED + "pprint.pprint(x)", "limit-memory"),
        ("import json\n" + SHARED + "print(json.dumps(x))", "limit-memory"),
        ('import pprint\npprint.pprint({"k"*10**6: [1]*10**5})', "limit-memory"),
        ("import pprint\npprint.pprint([1, 2], indent=10**9)", "value"),
        ("import pprint\npprint.pprint([1, 2], indent=-1)", "value"),
        ("import json\nprint(json.dumps([1], indent=10**9))", "value"),
        (SPECTRUM + "z.reshape(-1, 1) * z", "limit-memory"),
        (SPECTRUM + "z.reshape(-1, 1) @ z.reshape(1, -1)", "limit-memory"),
        (SPECTRUM + "np.fft.ifft(z, n=10**12)", "limit-memory"),
        (SPECTRUM + "np.fft.fft2(np.ones((3, 3)), s=(10**5, 10**5))", "limit-memory"),
        (SPECTRUM + "np.fft.fft(np.ones((300, 3)), 10**9, 0)", "limit-memory"),
        (SPECTRUM + "np.fft.fftfreq(10**12)", "limit-memory"),
        (SPECTRUM + "z.tolist()", "limit-memory"),
        ("import torch\ntorch.histogramdd(torch.ones(3, 9), bins=[1024]*9)", "limit-memory"),
        (
            "import pprint\nx = []\nfor i in range(60): x = [x]\npprint.pprint(x)",
            "limit-depth",
        ),
    ],
)
def test_what_takes_too_much_is_refused(text: str, code: str) -> None:
    program = parse_program(Source("program", text), ParseLimits())
    with pytest.raises(GradcliError) as caught:
        evaluate(program, {}, (), Options(limits=Limits(memory=2**24)))
    assert caught.value.diagnostic.code == code
