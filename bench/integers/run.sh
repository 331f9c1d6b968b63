#!/usr/bin/env bash
# Compares encrypted integers with TFHE-rs in one run, in which the two take turns. See BENCHMARKING.md. Options: --help.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
exec "${PYTHON:-python3}" bench/integers/beside.py "$@"
