"""What `gradcli help command` prints: how a program in any language is asked by `check`."""

TEXT = """\
Check the gradient of a program in any language

  Its gradient is judged by the program's, and by differences of its own values:

    gradcli check "y = sum(sin(x))" -s x=1,2 --command "python3 sines.py"

  by differences of its own values, where no program is needed:

    gradcli check --command "./sines" --command-only-value -s x=1,2

  and the program's gradient by differences of the command's values:

    gradcli check "sum(sin(x))" -s x=1,2 --command ./sines --command-only-value

The command is split into words as a shell would do it, and started once,
without a shell: "sh -c '...'" asks for one. It has a process group of its own,
which is ended at the end; first its standard input is closed. --safe refuses
it.

Requests and answers are JSON objects, one on each line of its standard input
and standard output. It must flush its standard output after each answer.

  A request asks for the value, and is answered by it:

    {"id": 1, "inputs": {"x": [1.0, 2.0]}}
    {"id": 1, "value": 1.7507684116335782}

  With a gradient it asks for the grads, too:

    {"id": 2, "inputs": {"x": [1.0, 2.0]}, "gradient": 1.0}
    {"id": 2, "value": 1.75, "grads": {"x": [0.54, -0.41]}}

  Where there is no value:

    {"id": 3, "error": "x is negative"}

  inputs: all of them, --set, and names that the program binds to numbers

  gradient: v, with the shape of the value; grads are v times the Jacobian

  arrays: nested lists; "NaN", "Infinity" and "-Infinity" for such numbers

  id: an answer may leave it out

Answer with all digits. What changes at random, or by rounding, is measured
before the check, and the steps are chosen by it; where it is much, a gradient
passes that agrees and is known to 5 %, and one is wrong that is off by more
than noise explains. A gradient that changes from answer to answer is judged by
the mean of up to 1,024 answers. A program that ends, answers anything else, or
takes longer than --command-timeout is an error that names the request.

Python

{python}
Python with PyTorch: the same, with

{torch}
C++

{cpp}
Julia

{julia}"""
"""With the examples to be filled in."""

PYTHON = """\
import json, math, sys

for line in sys.stdin:
    request = json.loads(line)
    x = request["inputs"]["x"]
    value = sum(math.sin(a) for a in x)
    answer = {"id": request["id"], "value": value}
    if "gradient" in request:
        v = request["gradient"]
        grad = [v * math.cos(a) for a in x]
        answer["grads"] = {"x": grad}
    print(json.dumps(answer), flush=True)
"""
TORCH = """\
import json, sys, torch

torch.set_default_dtype(torch.float64)
for line in sys.stdin:
    request = json.loads(line)
    x = torch.tensor(request["inputs"]["x"])
    x.requires_grad = True
    y = torch.sin(x).sum()
    answer = {"id": request["id"], "value": y.tolist()}
    if "gradient" in request:
        y.backward(torch.tensor(request["gradient"]))
        answer["grads"] = {"x": x.grad.tolist()}
    print(json.dumps(answer), flush=True)
"""
CPP = r"""#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <string>
#include <vector>

int main() {
  std::string line;
  while (std::getline(std::cin, line)) {
    const char *text = line.c_str();
    std::vector<double> x;
    const char *found = std::strstr(text, "\"x\":");
    const char *at = std::strchr(found, '[') + 1;
    while (*at != ']') {
      char *end;
      x.push_back(std::strtod(at, &end));
      at = end + std::strspn(end, ", ");
    }
    double value = 0;
    for (double a : x) value += std::sin(a);
    std::printf("{\"value\": %.17g", value);
    found = std::strstr(text, "\"gradient\":");
    if (found) {
      const char *number = std::strchr(found, ':') + 1;
      double v = std::strtod(number, nullptr);
      const char *before = ", \"grads\": {\"x\": [";
      for (double a : x) {
        std::printf("%s%.17g", before, v * std::cos(a));
        before = ", ";
      }
      std::printf("]}");
    }
    std::printf("}\n");
    std::fflush(stdout);
  }
}
"""
JULIA = """\
using JSON

for line in eachline(stdin)
    request = JSON.parse(line)
    x = Float64.(request["inputs"]["x"])
    answer = Dict{String,Any}("id" => request["id"])
    answer["value"] = sum(sin.(x))
    if haskey(request, "gradient")
        v = request["gradient"]
        answer["grads"] = Dict("x" => v .* cos.(x))
    end
    println(JSON.json(answer))
    flush(stdout)
end
"""


def guide() -> str:
    """The guide with its examples."""
    from textwrap import indent

    text = TEXT
    for name, example in EXAMPLES.items():
        text = text.replace(f"{{{name}}}", indent(example, "    "))
    return text


EXAMPLES = {"python": PYTHON, "torch": TORCH, "cpp": CPP, "julia": JULIA}
"""Programs that answer, by what they are written in."""
