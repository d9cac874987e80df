#!/bin/sh
# Make .venv from a pinned requirements file: sh deploy/setup.sh requirements.txt
# Does nothing when the file has not changed since. PYTHON names the interpreter to take.
set -eu

file=$1
mark=.venv/installed-${file%.txt}
sum=$(cat requirements.txt "$file" | cksum)
fits='import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 14))'

if [ -x .venv/bin/python ] && .venv/bin/python -c "$fits" 2>/dev/null; then
    [ "$(cat "$mark" 2>/dev/null)" = "$sum" ] && exit 0
else
    python=
    for candidate in ${PYTHON:-python3 python3.14 python3.13 python3.12 python3.11 python}; do
        if "$candidate" -c "$fits" 2>/dev/null; then python=$candidate && break; fi
    done
    if [ -z "$python" ]; then
        found=$("${PYTHON:-python3}" --version 2>&1) || found="none"
        echo "Python 3.11 to 3.14 is needed (found: $found): install one, or name it with PYTHON=." >&2
        exit 1
    fi
    rm -rf .venv
    if command -v uv >/dev/null 2>&1; then
        uv venv --quiet --python "$(command -v "$python")" .venv
    elif ! "$python" -m venv .venv >/dev/null 2>&1; then
        rm -rf .venv
        echo "$python cannot make a virtual environment: install its venv package (python3-venv)." >&2
        exit 1
    fi
fi

# uv installs in seconds what takes pip most of a minute.
if command -v uv >/dev/null 2>&1; then
    uv pip install --quiet --python .venv/bin/python -r "$file"
elif .venv/bin/python -m uv --version >/dev/null 2>&1 ||
    .venv/bin/python -m pip install --quiet --disable-pip-version-check uv==0.13.9; then
    .venv/bin/python -m uv pip install --quiet --python .venv/bin/python -r "$file"
else
    .venv/bin/python -m pip install --quiet --disable-pip-version-check -r "$file"
fi
echo "$sum" >"$mark"
