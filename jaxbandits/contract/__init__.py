"""The contract of policies and games.

`environment` and `params` look at what was given, `round` refuses what breaks the
protocol by a trace of one round, before anything is compiled; `reads` finds what a
program does with its noise; `accounts` holds what is on record after play against what
was promised. `jaxbandits.testing` looks at the rest, by play of its own.
"""
