#!/usr/bin/env bash
# The one command on the machine with the GPU: checks that it computes correctly, then measures. Takes at
# most nine minutes, and writes OUT/first.json as it goes. README.md in this folder lists the steps.
#
#     bench/gpu/first.sh OUT [BACKEND] [--seconds 540] [--pack FOLDER]
#
# Ends with 0 if every step ran, 1 after a check that failed, 2 if the GPU cannot be opened, 3 if a step did
# not run. With `cuda-emulated` as BACKEND it runs the same steps on the emulator, at small sizes.
set -euo pipefail
exec "${PYTHON:-python3}" "$(dirname "${BASH_SOURCE[0]}")/first.py" "$@"
