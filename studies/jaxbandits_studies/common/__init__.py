"""What the experiments of all settings share: their form, their runs, their tables."""
