"""Texts of programs, right and wrong ones, and the layers of gradcli that they are put through."""
