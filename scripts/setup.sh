#!/usr/bin/env bash
# Make .venv at the top of the repository and install jaxbandits in it: editable,
# with the versions in constraints.txt.
#
#   scripts/setup.sh [run|test]
#
#   run   what the package needs (the default)
#   test  the `dev` dependency group as well
#
# Uses uv where it is on PATH, else python3 -m venv and pip. PYTHON=/path/to/python
# picks the interpreter for a new .venv. Nothing is installed again until
# pyproject.toml or constraints.txt changes. All messages go to standard error.
set -euo pipefail

say() { printf 'setup: %s\n' "$*" >&2; }
fail() {
    say "$@"
    exit 1
}

profile=${1:-run}
case $profile in
    run | test) ;;
    *) fail "unknown profile '$profile' (run or test)" ;;
esac

root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd -P)
venv=$root/.venv
python=$venv/bin/python
cd -- "$root"

new_enough() {
    "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1
}

version_of() {
    "$1" -c 'import sys; print(sys.version.split()[0])' 2>/dev/null || echo "not usable"
}

# Print the first interpreter that is at least 3.11.
find_python() {
    local candidate
    if [[ -n ${PYTHON:-} ]]; then
        new_enough "$PYTHON" ||
            fail "Python 3.11 or newer is needed; PYTHON=$PYTHON is $(version_of "$PYTHON")"
        printf '%s\n' "$PYTHON"
        return
    fi
    for candidate in python3 python3.13 python3.12 python3.11; do
        if new_enough "$candidate"; then
            printf '%s\n' "$candidate"
            return
        fi
    done
    fail "Python 3.11 or newer is needed (python3 is $(version_of python3));" \
        "install one, or name it: PYTHON=/path/to/python3.11"
}

make_venv() {
    local base
    if command -v uv >/dev/null 2>&1; then
        say "making .venv with uv"
        # --seed puts pip in, so that .venv is of use without uv too.
        uv venv --quiet --seed --python "${PYTHON:->=3.11}" "$venv" ||
            fail "uv could not make .venv with Python 3.11 or newer (see above)"
        return
    fi
    base=$(find_python)
    "$base" -c 'import ensurepip, venv' >/dev/null 2>&1 ||
        fail "$base has no venv module (or no ensurepip);" \
            "on Debian and Ubuntu: apt install python3-venv"
    say "making .venv with $base ($(version_of "$base"))"
    "$base" -m venv "$venv" || fail "$base -m venv failed (see above)"
}

# Where the tree is, which Python, and the two files that say what to install.
fingerprint() {
    "$python" -I -S -c '
import hashlib, sys
digest = hashlib.sha256(f"{sys.argv[1]}\n{sys.version}\n".encode())
for name in ("pyproject.toml", "constraints.txt"):
    with open(name, "rb") as file:
        digest.update(hashlib.sha256(file.read()).digest())
print(digest.hexdigest())
' "$root"
}

install() {
    local what=(--constraint constraints.txt --editable .)
    if [[ $profile == test ]]; then
        what+=(--group dev)
    fi
    # An uv that is too old for --group leaves the work to pip.
    if command -v uv >/dev/null 2>&1 && [[ $(uv pip install --help) == *--group* ]]; then
        uv pip install --quiet --python "$python" "${what[@]}"
        return
    fi
    "$python" -m pip --version >/dev/null 2>&1 ||
        "$python" -m ensurepip --default-pip >/dev/null ||
        fail ".venv has no pip; remove .venv and run this again"
    # --group came with pip 25.1.
    "$python" -m pip install --quiet --disable-pip-version-check 'pip>=25.1'
    "$python" -m pip install --quiet --disable-pip-version-check "${what[@]}"
}

[[ -e $venv ]] || make_venv
new_enough "$python" ||
    fail ".venv does not hold a working Python 3.11 or newer" \
        "(its Python is $(version_of "$python")); remove .venv and run this again"

current=$(fingerprint)
stamp=$venv/.jaxbandits-$profile
if [[ -f $stamp && $(<"$stamp") == "$current" && -x $venv/bin/jaxbandits ]]; then
    exit 0
fi

say "installing jaxbandits ($profile) in .venv; the first time takes a minute or more"
rm -f -- "$venv/.jaxbandits-run" "$venv/.jaxbandits-test"
install || fail "the installation failed (see above)"
# What the tests need includes what a run needs.
printf '%s\n' "$current" >"$venv/.jaxbandits-run"
printf '%s\n' "$current" >"$stamp"
say "done"
