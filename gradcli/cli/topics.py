"""What `gradcli help TOPIC` and the manual page print. A test runs every command in it.

A line that begins at the margin is a heading; a line of four blanks and more is shown as it is.
"""

from __future__ import annotations

GRADIENT = """\
The gradient vector v
  Backward computes v times J, where J is the Jacobian: a row for each element
  of the output, a column for each element of the input. An output with one
  element needs no v: 1 is used. Any other output needs one weight for each of
  its elements.

    gradcli eval "y = x**2" -s x=1,2,3 -g 1,0.1,0.01
    gradcli jacobian "y = x**2" -s x=1,2,3 -g 1,0.1,0.01

  [1,0] asks for the first row of J, [0,1] for the second, [1,1] for their sum.

    gradcli eval "y = x @ [[1,2],[3,4]]" -s x=2,1 -g 1,0 --no-tree
    gradcli jacobian "y = x @ [[1,2],[3,4]]" -s x=2,1

Several passes
  Each --gradient is a pass of its own. --accumulate adds them up, as .grad
  does in PyTorch. With several outputs a gradient is given by name.

    gradcli eval "y = x**2" -s x=1,2 -g 1,0 -g 0,1 --accumulate --no-tree
    gradcli eval "a = x**2; b = 3*x; a, b" -s x=1,2 -g a=1,0 -g b=0,1 --no-tree

Shapes
  A v that broadcasts to the shape of the output is broadcast, with a note;
  --strict refuses it, as PyTorch does.

    gradcli eval "y = 2*x" -s x="[[1,2],[3,4]]" -g 1,0 --no-tree

Which names get a grad
  Inputs bound by --set, and leaves that the program marks by requires_grad.
  Without either, names bound to numbers. --wrt chooses, --retain-grad adds
  intermediates.

    gradcli eval "z = (2*x)**3; out = mean(z)" -s x=1,2 --wrt z --no-tree
    gradcli eval "z = (2*x)**3; out = mean(z)" -s x=1,2 --retain-grad z
"""

SESSIONS = """\
Sessions
  A program may call backward and read .grad, as in PyTorch. What it leaves in
  .grad is then the answer.

    gradcli eval "x = tensor(3, requires_grad=True); (x**2).backward(); x.grad"

Accumulation
  A second backward adds to .grad; x.grad.zero_() or zero_grad() clear it.

    gradcli eval "x = tensor(3, requires_grad=True); (x**2).backward(); \\
        (2*x).backward()"

Freed graphs
  backward frees the graph that it has walked. A second walk needs
  retain_graph=True in the first, or the expression computed once more. The
  error is graph-freed, and names the line that freed it.

    gradcli explain --error "Trying to backward through the graph a second time"

Derivatives of derivatives
  grad gives values to compute on.

    gradcli eval "x = tensor(3, requires_grad=True); \\
        g = grad(x**3, x, create_graph=True); grad(g, x)"

Scripts that check themselves
  A comment says what a statement gives, or which error it raises. pytest
  collects files that end in .grad, too: each expectation is a test.

    gradcli test samples/session.grad

At a terminal
  A session is kept by gradcli repl: :help lists what it understands.
"""

KINKS = """\
Where a derivative does not exist
  At kinks gradcli takes the value that PyTorch takes, and gradcli ops NAME says
  which: 0 for relu and abs at 0, a share for each of the tied in max.

    gradcli eval "relu(x)" -s x=-1,0,1 -g 1,1,1 --no-tree
    gradcli eval "max(x)" -s x=1,3,3 --no-tree
    gradcli ops relu

  check says that differences cannot decide there, and why.

    gradcli check "sum(abs(x))" -s x=0,1

NaN and infinity
  They are results, not errors; a note names the step that made the first one.
  A branch that was not selected gets no gradient at all, so no 0 * inf.
  A note says where PyTorch has nan for that reason.

    gradcli eval "y = log(x)" -s x=0,1 -g 1,1 --no-tree
    gradcli eval "sum(where(x > 0, sqrt(x), 0))" -s x=0,4 --no-tree
    gradcli ops --deviations
"""

EXIT_CODES = """\
Exit codes
  0    done
  1    a finding: a check, a test or an assertion failed, or some records did
  2    usage: the command line is wrong
  3    the program or its data are wrong
  4    a limit: time, memory, steps, nodes, tokens, depth
  70   a bug of gradcli: please report it
  130  Ctrl-C
  143  ended by SIGTERM

    gradcli check "sum(x**2)" -s x=1,2 --mine "x=3*x"; echo $?
    gradcli eval "y = maen(x)" -s x=1; echo $?
    gradcli eval "while True { x = 1 }" --max-steps 1000; echo $?

  With --json an error is one object on standard output, with a code, a message,
  its place, and a hint; nothing comes on standard error.

    gradcli eval "y = maen(x)" -s x=1 --json; echo $?

  --timeout takes seconds, or a number with a unit: 500ms, 90s, 5m, 2h.
"""

FORMATS = """\
Data in
  --set and --gradient take text, @FILE, or @- for standard input: .npy,
  .npz:KEY, .json, .csv and .txt.

    echo 1,2,3 > x.csv
    gradcli eval "sum(x**2)" -s x=@x.csv --save x_grad.npz --quiet
    gradcli eval "2*g" -s g=@x_grad.npz:x.grad --forward --json

Programs in
  As an argument, through a pipe, or from a file.

    echo "x = [0, 2]; sum(exp(x))" | gradcli eval --json
    echo "x = [0, 2]; sum(exp(x))" > program.grad
    gradcli eval program.grad --json

Answers out
  Text is for people and may change. JSON does not: one object on one line,
  numbers that read back to the same bits, and the strings "NaN", "Infinity"
  and "-Infinity". CSV has rows of name,kind,index,value.

    gradcli eval "sum(x**2)" -s x=1,2 --json
    gradcli eval "sum(x**2)" -s x=1,2 --format csv
    gradcli graph "sum(x**2)" -s x=1,2 --format dot
    gradcli plot "tanh(x)" --over x=-3:3 --format svg > tanh.svg
    gradcli explain "sum(x**2)" -s x=1,2 --format markdown

Many programs
  One JSON line, or one program, for each record; one JSON line each out.

    echo '{"id": 1, "program": "x**2", "set": {"x": 3}}' | gradcli batch

Elsewhere
  Editors are served by gradcli lsp. pytest collects .grad files. In a notebook,
  %load_ext gradcli gives cells that begin with %%gradcli, with --page for the
  chain rule step by step. Pygments knows the language as gradcli; a grammar for
  editors that take TextMate's is written by python -m
  gradcli.integrations.textmate. .pre-commit-hooks.yaml and .github/actions/test
  of the repository run scripts in CI.
"""

EXAMPLES = """\
Values and gradients
    gradcli eval "z = (2*x)**3; out = mean(z)" --set x="[[1,2],[3,4]]"
    gradcli eval "y = x**2" -s x=1,2,3 -g 1,0.1,0.01

Why
    gradcli explain "z = (2*x)**3; out = mean(z)" -s x="[[1,2],[3,4]]"
    gradcli explain "z = (2*x)**3; out = mean(z)" -s x="[[1,2],[3,4]]" \\
        --entry "x[0,1]"
    gradcli graph "z = (2*x)**3; out = mean(z)" -s x="[[1,2],[3,4]]"

Is it right
    gradcli check "z = (2*x)**3; out = mean(z)" -s x="[[1,2],[3,4]]"
    gradcli check "out = mean((2*x)**3)" -s x=1,2 --mine x="24*x**2"

As a formula
    gradcli derive "y = x**3" -s x=2
    gradcli derive "y = x**3" -s x=2 --to latex
    gradcli derive "x.T @ A @ x" --shape A=n,n --shape x=n

Whole matrices
    gradcli jacobian "y = x @ [[1,2],[3,4]]" -s x=2,1 -g 1,0
    gradcli hessian "100*(y - x**2)**2 + (1 - x)**2" -s x=1 -s y=1
    gradcli hessian "sum((x[1:] - x[:-1]**2)**2)" -s x=1,2,3,4 --sparsity
    gradcli hvp "sum(x**4)" -s x=1,2,3 --vector 1,0,0

Curves
    gradcli plot "sin(x) * x" --over x=-6:6

Loops and functions
    gradcli eval "y = x; while norm(y) < 100 { y = y * 2 }; sum(y)" -s x=1,2
    gradcli eval "f(a, n=3) = a**n + n; f(x)" -s x=2 --no-tree
"""

COMPILER = """\
The variable GRADCLI_CXX names a C++ compiler: c++, g++ or clang++.

    export GRADCLI_CXX=c++
    gradcli eval "mean(gelu(x))" -s "x=randn(100000)" --no-tree

Chains of elementwise functions over float64 arrays of 65,536 elements or more
are then compiled, each once, in 0.2 s or so: gelu, tanh and exp take a third
of the time. Unasked nothing is compiled, and --safe starts no compiler.

What it changes: results may differ by 4 units in the last place from those
without it. They depend neither on threads nor on what else is computed.

Where the functions are kept: in ~/.cache/gradcli ($XDG_CACHE_HOME/gradcli),
the last 500. A folder or file that other users own or can write to is refused.
"""
