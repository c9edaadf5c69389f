"""Policies of the budgeted setting: a file per algorithm."""
