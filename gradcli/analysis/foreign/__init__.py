"""Gradients of functions that are computed outside of gradcli, checked by their own values."""
