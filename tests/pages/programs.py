"""Programs whose pages are tested, and strings that would like to be part of one."""

from __future__ import annotations

from tests.cli.conftest import Runner

CUBES = ("z = (2*x)**3; out = mean(z)", "-s", "x=[[1,2],[3,4]]")
OPENED = (
    ("def f(a) {\n  b = tanh(a)\n  return b * b + a\n}\nh = f(x)\ny = x\n"
    "for i in range(3) { y = y * h + sin(y) }\nmean((y - 1)**2)"),
    "-s", "x=1,2",
)  # fmt: skip
PASSES = (
    ("x = tensor([1., 2.], requires_grad=True)\n(x**2).sum().backward()\n"
    "z = 3*x\nz.backward(gradient=tensor([1., 10.]))\nx.grad"),
)  # fmt: skip

HOSTILE = [
    "<script>window.broken = 1</script>",
    "</script><script>window.broken = 1</script>",
    "</style><script>window.broken = 1</script>",
    "</title><script>window.broken = 1</script>",
    "</pre></code><img src=x onerror=window.broken=1>",
    "<img src=x onerror='window.broken = 1'>",
    "<svg onload='window.broken = 1'>",
    "<svg><script>window.broken = 1</script></svg>",
    "<math><mtext><script>window.broken = 1</script></mtext></math>",
    "<iframe srcdoc='<script>parent.broken = 1</script>'></iframe>",
    "<iframe src='javascript:parent.broken = 1'></iframe>",
    "<a href='javascript:window.broken = 1'>x</a>",
    "<body onload='window.broken = 1'>",
    "<details open ontoggle='window.broken = 1'>",
    "<input autofocus onfocus='window.broken = 1'>",
    "<video><source onerror='window.broken = 1'></video>",
    "<object data='javascript:window.broken = 1'></object>",
    "<embed src='javascript:window.broken = 1'>",
    "<link rel=stylesheet href=http://127.0.0.1:9/x>",
    "<meta http-equiv=refresh content='0;url=http://127.0.0.1:9/'>",
    "<base href='http://127.0.0.1:9/'>",
    "<form action='http://127.0.0.1:9/'><button>x</button></form>",
    "<style>body { display: none }</style>",
    "<template><script>window.broken = 1</script></template>",
    "<noscript><script>window.broken = 1</script></noscript>",
    "<!-- <script>window.broken = 1</script>",
    "--><script>window.broken = 1</script>",
    "<![CDATA[<script>window.broken = 1</script>]]>",
    "]]><script>window.broken = 1</script>",
    "&lt;script&gt;window.broken = 1&lt;/script&gt;",
    "&#60;script&#62;window.broken = 1&#60;/script&#62;",
    "onclick=window.broken=1",
    "' onclick='window.broken = 1",
    "` onmouseover=`window.broken = 1",
    "${window.broken = 1}",
    "{{window.broken = 1}}",
    "javascript:window.broken = 1",
    "＜script＞window.broken = 1＜/script＞",
    "%3Cscript%3Ewindow.broken = 1%3C/script%3E",
    "<plaintext>",
]


def written_out(nodes: int) -> str:
    """A program of so many nodes without a loop, whose passes would be one node."""
    return "\n".join(["y = x", *["y = sin(y)*1.1"] * (nodes // 2 - 1), "sum(y)"])


def page(gradcli: Runner, command: str, *arguments: str) -> str:
    """The page that a command prints."""
    answer = gradcli(command, *arguments, "--format", "html")
    assert answer.code == 0, answer.err
    return answer.out


def told(hostile: str) -> str:
    """A program that has a string in a comment and in an argument."""
    safe = hostile.replace('"', "")
    return f'y = gelu(x, approximate="none")  # {safe}\nprint("{safe}")\nsum(y)'
