"""Stores of sweeps: folders and buckets in which every file is written once.

A store is a set of files whose names say what they are. Nobody changes a file, so
nobody needs a lock, and what is missing of a sweep is the difference of two lists of
names::

    sweep.json             the first request: what is played, and how it is cut
    asked/<digest>.json    every request, the first one too; later ones let a store grow
    blocks/<key>.npz       what was played; the key digests all that its numbers are of
    sessions/<digest>.json who played: versions, machine, job, time
    done/<digest>.json     the blocks of this request were all there once

`place` says where files lie, `block_file` what a block is, `request` what is asked for
and into which blocks it falls, `block_store` puts the four together, `open` reads.
"""
