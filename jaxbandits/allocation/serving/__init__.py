"""The allocation setting with arms that are served in turn: game and policies."""
