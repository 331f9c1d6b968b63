#!/usr/bin/env bash
# Compares ringjet with other libraries in one run, in which the libraries take turns. See
# BENCHMARKING.md. Options: --help; with --all first, every library: --all --help.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
script=compare.py
if [ "${1:-}" = --all ]; then
    script=peers.py
    shift
fi
exec "${PYTHON:-python3}" "bench/compare/$script" "$@"
