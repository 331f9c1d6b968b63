#!/usr/bin/env bash
# Measures how much faster two threads are than one, and, for comparison, two processes of one
# thread each. See BENCHMARKING.md. Options: --help.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
exec "${PYTHON:-python3}" bench/scaling/scaling.py "$@"
