#!/usr/bin/env bash
# Builds the documentation site in target/site, and checks its links. Any warning is an error.
#
#     docs/build.sh            # builds target/site; open target/site/index.html in a browser
#     docs/build.sh tools      # only installs the tools
#     docs/build.sh serve      # shows the pages on http://127.0.0.1:8000, and again after each change
#
# The tools are installed into target/docs-venv at the first call. After that no network is needed.
set -euo pipefail
cd "$(dirname "$0")/.."

venv=target/docs-venv
if ! cmp --silent docs/requirements.txt "$venv/requirements.txt"; then
    mkdir -p target
    "${PYTHON:-python3}" -m venv "$venv"
    "$venv/bin/python" -m pip install --quiet --disable-pip-version-check -r docs/requirements.txt
    cp docs/requirements.txt "$venv/requirements.txt"
fi
if [ "${1:-}" = tools ]; then
    exit
fi

export NO_MKDOCS_2_WARNING=1
if [ "${1:-}" = serve ]; then
    exec "$venv/bin/python" -m mkdocs serve
fi
# --quiet would also hide warnings from --strict
"$venv/bin/python" -m mkdocs build --strict
"$venv/bin/python" docs/check.py target/site
