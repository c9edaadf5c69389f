#!/usr/bin/env bash
# Make .venv at the top of the repository and install jaxbandits in it: editable,
# with the versions in constraints.txt (Python 3.11: constraints-3.11.txt).
#
#   scripts/setup.sh [run|test|site]
#   scripts/setup.sh find [3.11]
#
#   run   what the package needs (the default)
#   test  the `dev` dependency group as well
#   site  that and the `site` group, which scripts/site.py needs
#   find  install nothing; print an interpreter of that version, if there is one, or the
#         one that a new environment is made with
#
# DEPENDENCIES=newest takes the newest versions in place of those of the constraints, and
# DEPENDENCIES=oldest the oldest that pyproject.toml allows (needs uv), both in a new
# environment; mypy and ruff, which judge differently from version to version, stay.
#
# Takes the newest Python that it finds from 3.14 (not tested yet) down to 3.11: on PATH,
# among pyenv's, or of uv. PYTHON=/path/to/python picks the interpreter for a new environment, VENV=DIR
# another place than .venv. Uses uv where it is on PATH, else python -m venv and pip.
# Nothing is installed again until pyproject.toml or the constraints change. All messages
# go to standard error.
set -euo pipefail

say() { printf 'setup: %s\n' "$*" >&2; }
fail() {
    say "$@"
    exit 1
}

profile=${1:-run}
case $profile in
    run | test | site | find) ;;
    *) fail "unknown profile '$profile' (run, test, site or find)" ;;
esac

dependencies=${DEPENDENCIES:-pinned}
case $dependencies in
    pinned | newest | oldest) ;;
    *) fail "unknown DEPENDENCIES=$dependencies (pinned, newest or oldest)" ;;
esac

root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd -P)
venv=${VENV:-$root/.venv}
python=$venv/bin/python
cd -- "$root"

new_enough() {
    "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1
}

version_of() {
    "$1" -c 'import sys; print(sys.version.split()[0])' 2>/dev/null || echo "not usable"
}

# Whether it is an interpreter that an environment can be made with.
usable() {
    new_enough "$1" && "$1" -c 'import ensurepip, venv' >/dev/null 2>&1
}

# Print a usable interpreter of a version: on PATH, or of pyenv, which keeps those that
# are not chosen off PATH.
of_version() {
    local candidate
    for candidate in "python$1" "${PYENV_ROOT:-$HOME/.pyenv}/versions/$1".*/bin/python; do
        if usable "$candidate"; then
            printf '%s\n' "$candidate"
            return
        fi
    done
    return 1
}

# Print the newest interpreter from 3.14 down to 3.11, or else python3 if it is newer.
find_python() {
    local minor
    if [[ -n ${PYTHON:-} ]]; then
        new_enough "$PYTHON" ||
            fail "Python 3.11 or newer is needed; PYTHON=$PYTHON is $(version_of "$PYTHON")"
        printf '%s\n' "$PYTHON"
        return
    fi
    for minor in 14 13 12 11; do
        of_version "3.$minor" && return
    done
    if new_enough python3; then
        printf 'python3\n'
        return
    fi
    fail "Python 3.11 or newer is needed (python3 is $(version_of python3));" \
        "install one, or name it: PYTHON=/path/to/python3.13"
}

make_venv() {
    local base
    if command -v uv >/dev/null 2>&1; then
        # Where there is no Python, uv fetches one.
        base=$(find_python 2>/dev/null) || base=${PYTHON:->=3.11,<3.15}
        say "making $venv with uv ($base)"
        # --seed puts pip in, so that the environment is of use without uv too.
        uv venv --quiet --seed --python "$base" "$venv" ||
            fail "uv could not make $venv with Python 3.11 or newer (see above)"
        return
    fi
    base=$(find_python)
    "$base" -c 'import ensurepip, venv' >/dev/null 2>&1 ||
        fail "$base has no venv module (or no ensurepip);" \
            "on Debian and Ubuntu: apt install python3-venv"
    say "making $venv with $base ($(version_of "$base"))"
    "$base" -m venv "$venv" || fail "$base -m venv failed (see above)"
}

# The versions that are tested with the environment's Python.
constraints() {
    if "$python" -c 'import sys; sys.exit(sys.version_info >= (3, 12))'; then
        printf 'constraints-3.11.txt\n'
    else
        printf 'constraints.txt\n'
    fi
}

# Print the constraints to install with.
wanted() {
    case $dependencies in
        pinned) cat "$(constraints)" ;;
        newest) grep -E '^(mypy|ruff)==' "$(constraints)" ;;
        oldest)
            command -v uv >/dev/null 2>&1 || fail "DEPENDENCIES=oldest needs uv"
            # Of what the package names itself; the rest has to suit the tests' tools too.
            uv pip compile --quiet --no-deps --resolution lowest --python "$python" \
                pyproject.toml
            echo 'pyparsing<3.3  # warns of the oldest matplotlib'
            grep -E '^(mypy|ruff)==' "$(constraints)"
            ;;
    esac
}

# Where the tree is, which Python, and what says what to install.
fingerprint() {
    "$python" -I -S -c '
import hashlib, sys
root, dependencies, constraints = sys.argv[1:]
digest = hashlib.sha256(f"{root}\n{sys.version}\n{dependencies}\n".encode())
for name in ("pyproject.toml", constraints):
    with open(name, "rb") as file:
        digest.update(hashlib.sha256(file.read()).digest())
print(digest.hexdigest())
' "$root" "$dependencies" "$(constraints)"
}

install() {
    local what
    wanted >"$venv/.jaxbandits-constraints" || return
    what=(--constraint "$venv/.jaxbandits-constraints" --editable .)
    if [[ $dependencies != pinned ]]; then
        what+=(--upgrade)
    fi
    if [[ $profile != run ]]; then
        what+=(--group dev)
    fi
    if [[ $profile == site ]]; then
        what+=(--group site)
    fi
    # An uv that is too old for --group leaves the work to pip.
    if command -v uv >/dev/null 2>&1 && [[ $(uv pip install --help) == *--group* ]]; then
        uv pip install --quiet --python "$python" "${what[@]}"
        return
    fi
    "$python" -m pip --version >/dev/null 2>&1 ||
        "$python" -m ensurepip --default-pip >/dev/null ||
        fail "$venv has no pip; remove it and run this again"
    # --group came with pip 25.1.
    "$python" -m pip install --quiet --disable-pip-version-check 'pip>=25.1'
    "$python" -m pip install --quiet --disable-pip-version-check "${what[@]}"
}

if [[ $profile == find ]]; then
    if [[ -n ${2:-} ]]; then of_version "$2"; else find_python; fi
    exit
fi
[[ -e $venv ]] || make_venv
new_enough "$python" ||
    fail "$venv does not hold a working Python 3.11 or newer" \
        "(its Python is $(version_of "$python")); remove it and run this again"

current=$(fingerprint)
stamp=$venv/.jaxbandits-$profile
if [[ -f $stamp && $(<"$stamp") == "$current" && -x $venv/bin/jaxbandits ]]; then
    exit 0
fi

say "installing jaxbandits ($profile) in $venv; the first time takes a minute or more"
rm -f -- "$venv"/.jaxbandits-{run,test,site}
install || fail "the installation failed (see above)"
# What a profile needs includes what those before it need.
for done in run test site; do
    printf '%s\n' "$current" >"$venv/.jaxbandits-$done"
    [[ $done != "$profile" ]] || break
done
say "done"
