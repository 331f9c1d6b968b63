#!/usr/bin/env bash
# ringjet's bootstrapping against another library's, never both at once. See BENCHMARKING.md. Options: --help.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
exec "${PYTHON:-python3}" bench/boot/boot.py "$@"
