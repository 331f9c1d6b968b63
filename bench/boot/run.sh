#!/usr/bin/env bash
# Measures ringjet's bootstrapping and another library's, in turn, never both at once. See
# BENCHMARKING.md. Options: --help.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
exec "${PYTHON:-python3}" bench/boot/boot.py "$@"
