"""The language: text to a syntax tree with spans, and back."""
