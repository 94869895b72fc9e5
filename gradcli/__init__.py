"""gradcli: differentiate tensor expressions from the command line."""

__version__ = "0.1.0"
