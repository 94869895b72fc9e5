"""Answers and errors, rendered for people and for programs."""
