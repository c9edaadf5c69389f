# For .ci/run, .ci/build and .ci/full: every step runs; the whole fails if any of them does.
#
#   step NAME COMMAND...
#   end_of_steps
#
# only=NAME, set by the caller, leaves out all others.
failed=()

step() {
    local name=$1
    shift
    [[ -z ${only:-} || $only == "$name" ]] || return 0
    printf '== %s\n' "$name"
    "$@" || failed+=("$name")
}

end_of_steps() {
    if ((${#failed[@]})); then
        printf '== failed: %s\n' "${failed[*]}" >&2
        exit 1
    fi
}
