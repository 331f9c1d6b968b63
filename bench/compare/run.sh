#!/usr/bin/env bash
# ringjet against other libraries in one run, the libraries taking turns. See BENCHMARKING.md. Options: --help.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
exec "${PYTHON:-python3}" bench/compare/compare.py "$@"
