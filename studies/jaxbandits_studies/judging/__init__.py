"""Policies judged on instances that nobody has tuned on: one leaderboard per setting.

What is played is fixed before anything is tuned: a module per setting lists the tuning
set, the judging set and the entrants, with the date.
"""
