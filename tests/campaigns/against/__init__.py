"""Random programs in two spellings, gradcli's and PyTorch's, and what compares their answers."""
