#!/usr/bin/env bash
# A multiplication of HEAAN as two papers describe it, variant after variant, and ringjet's own. See BENCHMARKING.md. Options: --help.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
exec "${PYTHON:-python3}" bench/heaan/heaan.py "$@"
