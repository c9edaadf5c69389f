#!/usr/bin/env bash
# Set up .venv with the `dev` group if need be, then run the tests.
#
#   scripts/test.sh [PYTEST ARGS...]
#
# VENV=DIR uses another environment, see scripts/setup.sh. Compiled programs are kept for
# the next run, in .pytest_cache or in JAX_COMPILATION_CACHE_DIR=DIR.
# Runs at the top of the repository, with as many workers as there are cores (-n 0: one,
# in this process). The long reproductions: scripts/test.sh -m slow
set -euo pipefail

root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd -P)
"$root/scripts/setup.sh" test

cd -- "$root"
# The tests of a file share what they make, so they stay with one worker.
exec "${VENV:-$root/.venv}/bin/python" -m pytest -n auto --dist loadfile "$@"
