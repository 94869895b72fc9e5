"""Command lines can be run here, too."""

from tests.cli.conftest import gradcli

__all__ = ["gradcli"]
