"""The commands that experiments bring to the command line."""
