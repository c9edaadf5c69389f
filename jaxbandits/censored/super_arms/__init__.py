"""The censored setting with several arms in a round: its game and its policies."""
