"""The tape's words as numbers in (0, 1), in float64: what the twins compute with.

A kind is a letter: ``u`` is a word's 23-bit grid, ``n`` the number that two words
spell, ``p`` that of one word, ``l`` that of four.
"""

import numpy as np

TAKES = {"u": 1, "p": 1, "n": 2, "l": 4}


def grid(words):
    """Midpoints of the 2**23 cells that a word's leading bits name."""
    return (np.floor(np.asarray(words, np.float64) / 2**9) + 0.5) / 2**23


def spelt(words):
    """0.w1 w2 ... in base 2**32: words along the last axis, the last one's middle."""
    value = 0.5
    for word in np.moveaxis(np.asarray(words, np.float64), -1, 0)[::-1]:
        value = (word + value) / 2**32
    return value


def numbers(words, kinds):
    """Columns of a tape, u32[rounds, width], as f64[rounds, len(kinds)]."""
    words = np.asarray(words)
    assert words.dtype == np.uint32 and words.shape[1] == sum(TAKES[k] for k in kinds)
    columns, start = [], 0
    for kind in kinds:
        part = words[:, start : start + TAKES[kind]]
        columns.append(grid(part[:, 0]) if kind == "u" else spelt(part))
        start += TAKES[kind]
    return np.stack(columns, axis=1) if columns else np.zeros((len(words), 0))


def spell(numbers, kinds):
    """The words that spell numbers: u32[rounds, width] of f64[rounds, len(kinds)]."""
    columns = []
    for column, kind in zip(np.asarray(numbers, np.float64).T, kinds, strict=True):
        rest = column
        for _ in range(TAKES[kind]):
            digit = np.floor(rest * 2**32)
            columns.append(digit.astype(np.uint32))
            rest = rest * 2**32 - digit
    return np.stack(columns, axis=1)
