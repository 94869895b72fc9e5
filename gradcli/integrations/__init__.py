"""gradcli where people work already: pytest, notebooks, editors, highlighters of text."""
