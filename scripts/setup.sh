#!/usr/bin/env bash
# Make .venv at the top of the repository and install jaxbandits and its studies in it:
# editable, with the versions in constraints.txt (on Python 3.11: constraints-3.11.txt).
#
#   scripts/setup.sh [run|test|site|find]
#
#   run   what the package needs (the default)
#   test  the `dev` dependency group as well
#   site  that and the `site` group, which scripts/site.py needs
#   find  install nothing: print the Python that a new environment is made with
#
# PYTHON=python3.12 names the interpreter of a new environment, VENV=DIR another place
# than .venv. DEPENDENCIES=newest installs the newest versions, DEPENDENCIES=oldest the
# oldest that pyproject.toml allows (needs uv), each in a new environment. Uses uv where
# it is on PATH, else venv and pip. Nothing is installed again until pyproject.toml or
# the constraints change.
set -euo pipefail

say() { printf 'setup: %s\n' "$*" >&2; }
fail() { say "$@"; exit 1; }

profile=${1:-run}
case $profile in
    run | find) groups=() ;;
    test) groups=(--group dev) ;;
    site) groups=(--group dev --group site) ;;
    *) fail "unknown profile '$profile' (run, test, site or find)" ;;
esac
dependencies=${DEPENDENCIES:-pinned}
case $dependencies in
    pinned | newest | oldest) ;;
    *) fail "unknown DEPENDENCIES=$dependencies (pinned, newest or oldest)" ;;
esac
cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."
venv=${VENV:-$PWD/.venv}
python=$venv/bin/python
uv=$(command -v uv || true)

is() { "$1" -c "import sys; sys.exit(not sys.version_info $2)" 2>/dev/null; }

# Print an interpreter for a new environment: on PATH, or of pyenv, which keeps those
# that are not chosen off it.
find_python() {
    local base minor pythons=()
    for minor in 13 12 11 14; do
        pythons+=("python3.$minor" "$HOME/.pyenv/versions/3.$minor".*/bin/python)
    done
    for base in "${PYTHON:-${pythons[@]}}" "${PYTHON:-python3}"; do
        if is "$base" ">= (3, 11)"; then
            printf '%s\n' "$base"
            return
        fi
    done
    fail "Python 3.11 or newer is needed; name one: PYTHON=/path/to/python"
}

if [[ $profile == find ]]; then
    find_python
    exit
fi
if [[ ! -e $venv ]]; then
    say "making $venv"
    if [[ -n $uv ]]; then
        uv venv --quiet --seed --python "${PYTHON:->=3.11,<3.15}" "$venv" ||
            fail "uv found no Python 3.11 or newer; name one: PYTHON=/path/to/python"
    else
        base=$(find_python)
        "$base" -m venv "$venv" ||
            fail "$base -m venv failed (on Debian and Ubuntu: apt install python3-venv)"
    fi
fi
is "$python" ">= (3, 11)" ||
    fail "$venv holds no working Python 3.11 or newer; remove it and run this again"

constraints=constraints.txt
if is "$python" "< (3, 12)"; then constraints=constraints-3.11.txt; fi
wanted="$PWD $dependencies $(cat pyproject.toml studies/pyproject.toml "$constraints" | cksum)"
[[ ! -f $venv/.$profile || $(<"$venv/.$profile") != "$wanted" ]] || exit 0

say "installing jaxbandits and its studies ($profile) in $venv; the first time takes a minute or more"
rm -f -- "$venv"/.{run,test,site}
case $dependencies in
    pinned) cat "$constraints" ;;
    # mypy and ruff judge differently from version to version.
    newest) grep -E '^(mypy|ruff)==' "$constraints" ;;
    oldest)
        uv pip compile --quiet --no-deps --resolution lowest --python "$python" \
            pyproject.toml studies/pyproject.toml
        echo 'pyparsing<3.3  # warns of the oldest matplotlib'
        grep -E '^(mypy|ruff)==' "$constraints"
        ;;
esac >"$venv/.constraints" || fail "DEPENDENCIES=$dependencies needs uv"
[[ $dependencies == pinned ]] || groups+=(--upgrade)
what=(
    --quiet --constraint "$venv/.constraints" --editable . --editable studies
    ${groups[@]+"${groups[@]}"}
)
if [[ -n $uv ]]; then
    uv pip install --python "$python" "${what[@]}"
else
    # --group came with pip 25.1.
    "$python" -m pip install --quiet --disable-pip-version-check 'pip>=25.1'
    "$python" -m pip install --disable-pip-version-check "${what[@]}"
fi
# What a profile needs includes what those before it need.
for done in run test site; do
    printf '%s\n' "$wanted" >"$venv/.$done"
    [[ $done != "$profile" ]] || break
done
