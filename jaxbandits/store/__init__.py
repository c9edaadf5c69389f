"""Stores of sweeps: folders and buckets in which every file is written once.

The names of files say what the files are. No program ever changes a file, so no program
needs a lock, and what is missing of a sweep is the difference of two lists of names::

    sweep.json             the first request: what shall be played, and the block size
    asked/<digest>.json    every request, a copy of the first too; later ones add to it
    blocks/<key>.npz       played runs; the key digests all that their numbers depend on
    sessions/<digest>.json who played: versions, machine, job, time
    done/<digest>.json     all blocks of the request of this name were there once

`place` has folders and buckets, `block_file` the format of a block, `request` requests
and how they are cut into blocks, `block_store` the store, `open` its dataset.
"""
