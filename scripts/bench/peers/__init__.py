"""Published bandit libraries on a game that they all can play: see `game`."""
