#!/usr/bin/env bash
# Trains on encrypted data at full size, one data set after the other. See BENCHMARKING.md. Options:
# --help.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
make --quiet setup
.venv/bin/python -m pip install --quiet --disable-pip-version-check --no-deps -r python/requirements-bench.txt
exec .venv/bin/python bench/train/train.py "$@"
