"""Tracing: the program's syntax tree is run with nodes as values, which gives a graph."""

from gradcli.trace.bindings import Binding
from gradcli.trace.loops import TraceLimits
from gradcli.trace.tracer import Tracer

__all__ = ["Binding", "TraceLimits", "Tracer"]
