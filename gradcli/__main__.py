"""`python -m gradcli` is the command `gradcli`."""

from gradcli.cli import main

if __name__ == "__main__":  # not where a worker of a cluster imports it
    main()
