# Sourced by the other scripts: `environment run|dev` makes this checkout's own virtual environment in .venv,
# and adds to it when what it is made of has changed. It needs Python 3.11 or later and nothing else.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
bin=$root/.venv/bin

environment() {
    local extras=cluster,parquet,plot,postgres,web made wanted python
    [ "$1" = dev ] && extras=dev
    made=$(cat "$root/.venv/made" 2>/dev/null)
    wanted=$( (echo "$root" && cat "$root"/{setup.cfg,pyproject.toml,scripts/_environment.sh}) | cksum)
    # What is needed to develop includes what is needed to run.
    if [ "$made" = "$wanted dev" ] || [ "$made" = "$wanted $1" ]; then
        return
    fi
    echo "making $root/.venv (once; some minutes on a slow line)" >&2
    # One that was moved here from elsewhere, or whose Python is gone, is of no use.
    if ! { head -n 1 "$bin/pip" | grep -qF "$bin/" && "$bin/python" -c ""; } 2>/dev/null; then
        python=$(python) || exit 1
        if ! "$python" -m venv --clear "$root/.venv"; then
            echo "$0: $python could not make a virtual environment; on Debian: apt-get install python3-venv" >&2
            exit 1
        fi
    fi
    if ! "$bin/python" -m pip install --quiet --disable-pip-version-check --editable "$root[$extras]" >&2; then
        echo "$0: pip could not install what setup.cfg asks for, see above; run this again when it can" >&2
        exit 1
    fi
    echo "$wanted $1" >"$root/.venv/made"
}

# The first Python that is new enough: $PYTHON, or what is on the path.
python() {
    local found
    for found in ${PYTHON:-} python3 python3.14 python3.13 python3.12 python3.11 python; do
        if "$found" -c 'import sys; sys.exit(not sys.version_info >= (3, 11))' 2>/dev/null; then
            echo "$found"
            return
        fi
    done
    echo "$0: expected Python 3.11 or later on the path, found none; name one: PYTHON=/path/to/python3 $0" >&2
    exit 1
}
