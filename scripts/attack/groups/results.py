"""To be filled in."""


def cases():
    return []
