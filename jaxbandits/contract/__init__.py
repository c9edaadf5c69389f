"""The contract of policies and games, as far as a trace of one round shows it.

`round` refuses what breaks the protocol before anything is compiled, `reads` finds what
a program does with its noise. `jaxbandits.testing` looks at the rest, by play.
"""
