"""Policies of the allocation setting: a file per algorithm."""
