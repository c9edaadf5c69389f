"""The engine: lanes of seeds, the tape of words, the rollout and how it is run.

It knows the protocol only, never a policy or a setting.
"""
