#!/usr/bin/env bash
# The cost model's times against measured ones on this machine. See BENCHMARKING.md. Options: --help.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
exec "${PYTHON:-python3}" bench/model/model.py "$@"
