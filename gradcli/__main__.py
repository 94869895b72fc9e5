"""`python -m gradcli` is the command `gradcli`."""

from gradcli.cli import main

main()
