#!/usr/bin/env bash
# Compares the cost model's times with measured ones on this machine. See BENCHMARKING.md. Options:
# --help.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
exec "${PYTHON:-python3}" bench/model/model.py "$@"
