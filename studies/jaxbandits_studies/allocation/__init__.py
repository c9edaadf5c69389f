"""The figures and tables of the allocation paper, a file per subject."""
