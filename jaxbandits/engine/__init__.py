"""The engine: plays any policy in any environment, many seeds at a time.

It depends on the protocol alone, not on a policy or a setting. See docs/engine.md.
"""
