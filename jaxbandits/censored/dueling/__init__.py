"""The censored setting with preferences in place of rewards: game and policies."""
