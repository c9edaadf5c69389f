#!/usr/bin/env bash
# Set up .venv if need be, then run jaxbandits.
#
#   scripts/run.sh [ARGS...]    (default: reproduce censored-fig4)
#
# Runs in the directory it is called from.
set -euo pipefail

root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd -P)
"$root/scripts/setup.sh" run

if (($# == 0)); then
    set -- reproduce censored-fig4
fi
exec "$root/.venv/bin/jaxbandits" "$@"
