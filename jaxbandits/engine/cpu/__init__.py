"""The lanes transform: a function of one run, for many runs on the cores of a CPU."""
