"""The figures and tables of the censored paper, a file per subject."""
