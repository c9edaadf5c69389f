"""The benchmark's game of the farewell setting, and its contestants."""
