"""From nodes to text: a node as an expression of the language, a graph as a program of it."""
