#!/usr/bin/env bash
# Compares the rounds of three parties with Lattigo's multiparty package in one run, in which the two take turns. See
# BENCHMARKING.md. Options: --help.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
exec "${PYTHON:-python3}" bench/parties/beside.py "$@"
