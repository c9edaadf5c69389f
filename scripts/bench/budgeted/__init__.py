"""The benchmark's game of the budgeted setting, and its contestants."""
