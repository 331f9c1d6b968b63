#!/usr/bin/env bash
# How much faster two threads are than one, beside what two processes of one thread reach. See BENCHMARKING.md. Options: --help.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
exec "${PYTHON:-python3}" bench/scaling/scaling.py "$@"
