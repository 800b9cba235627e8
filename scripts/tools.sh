# shellcheck shell=bash
# Sourced by scripts that check with tools of other projects.

# install_tool PROGRAM PACKAGE: the program is on the PATH afterwards, if need be from a package of PyPI in a folder of the build. Fails if it
# cannot be had.
install_tool() {
    local tools=${CARGO_TARGET_DIR:-target}/tools
    [[ $tools == /* ]] || tools=$PWD/$tools
    PATH=$PATH:$tools/bin
    command -v "$1" >/dev/null && return
    [[ -x $tools/bin/pip ]] || python3 -m venv "$tools" || return
    # A network that answers nothing must not hold up the checks.
    timeout 90 "$tools/bin/pip" install --quiet --disable-pip-version-check --retries 1 --timeout 15 "$2" && command -v "$1" >/dev/null
}
