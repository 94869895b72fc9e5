"""Tracing: a syntax tree is run over nodes, and what comes out is a graph."""

from gradcli.trace.tracer import Binding, TraceLimits, Tracer

__all__ = ["Binding", "TraceLimits", "Tracer"]
