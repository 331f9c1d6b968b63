#!/usr/bin/env bash
# Measures a multiplication of HEAAN in the variants of two papers and in ringjet. See
# BENCHMARKING.md. Options: --help.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
exec "${PYTHON:-python3}" bench/heaan/heaan.py "$@"
