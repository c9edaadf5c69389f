"""The figures and tables of the farewell paper, a file per subject."""
