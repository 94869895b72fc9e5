"""Exercises on gradients: drawn by chance, and judged."""
