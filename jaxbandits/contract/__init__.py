"""The contract of policies and games.

`environment` and `params` check arguments. `round` traces one round before anything is
compiled, and refuses what breaks the protocol; `reads` finds what a program does with
its noise; `accounts` checks the records of played rounds. `jaxbandits.testing` checks
what takes play of its own.
"""
