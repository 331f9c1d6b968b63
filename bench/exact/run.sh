#!/usr/bin/env bash
# Compares BGV and BFV with other libraries in one run, in which the libraries take turns. See
# BENCHMARKING.md. Options: --help.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
exec "${PYTHON:-python3}" bench/exact/exact.py "$@"
