"""Bad input: what is tried, and how the answers are judged (see scripts/attack.py)."""
