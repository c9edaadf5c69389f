"""The figures and tables of the budgeted paper, a file per subject."""
