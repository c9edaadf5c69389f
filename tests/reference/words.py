"""The tape's words, and numbers in (0, 1) of them, in float64: what twins compute with.

A kind is a letter: ``u`` is a word's 23-bit grid, ``n`` the number that two words
spell, ``p`` that of one word, ``l`` that of four.
"""

from functools import cache

import numpy as np

TAKES = {"u": 1, "p": 1, "n": 2, "l": 4}
ROTATIONS = (13, 15, 26, 6), (17, 29, 16, 24)


def threefry(key, counter):
    """Threefry-2x32 of 20 rounds, Salmon et al. (2011): two words for every counter."""
    (k, l), (x, y) = (np.broadcast_arrays(*np.uint32(pair)) for pair in (key, counter))
    schedule = k, l, k ^ l ^ np.uint32(0x1BD11BDA)
    x, y = x + schedule[0], y + schedule[1]
    for i in range(1, 6):
        for r in ROTATIONS[(i - 1) % 2]:
            x = x + y
            y = (y << r | y >> 32 - r) ^ x
        x, y = x + schedule[i % 3], y + (schedule[(i + 1) % 3] + np.uint32(i))
    return x, y


@cache
def tape(stream, rounds, width, seed_index=0):
    """The words of a stream in the rounds of a run of seed 0: u32[rounds, width]."""
    key = threefry((np.zeros(1), np.zeros(1)), ([seed_index], [stream]))
    half = (width + 1) // 2
    table = np.meshgrid(np.arange(1, rounds + 1), np.arange(half), indexing="ij")
    first, second = threefry([np.broadcast_to(k, table[0].shape) for k in key], table)
    return np.concatenate([first, second[:, : width - half]], axis=1)


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
