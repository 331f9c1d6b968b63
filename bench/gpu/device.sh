#!/usr/bin/env bash
# Runs on the machine with the GPU: every step of device_bench, with results in FOLDER/h200.json.
# Needs the files that run.sh packed, the driver, and for some steps nvcc and compute-sanitizer, but
# neither Rust nor a network. Takes less than ten minutes. With `cuda-emulated` as second argument
# it tests everything but the device, at small sizes.
#
#     bench/gpu/device.sh FOLDER [BACKEND [SECONDS]]
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
[ -x "$here/pack/device_bench" ] || { echo "$here/pack/device_bench is missing: run $here/run.sh first" >&2; exit 1; }
out=${1:?usage: device.sh FOLDER [BACKEND [SECONDS]]}
mkdir -p "$out"
for toolkit in /usr/local/cuda/bin /usr/local/cuda/compute-sanitizer; do
    [ ! -d "$toolkit" ] || PATH="$PATH:$toolkit"
done
if nvcc=$(command -v nvcc); then # NVRTC is installed next to nvcc
    toolkit=$(dirname "$(dirname "$(readlink -f "$nvcc")")")
    LD_LIBRARY_PATH="$toolkit/lib64:$toolkit/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
    export LD_LIBRARY_PATH
fi
cache=$(mktemp -d)
trap 'rm -rf "$cache"' EXIT
export PATH RINGJET_CACHE_DIR="$cache" # an empty cache, so that the first start compiles
"$here/pack/device_bench" --backend "${2:-cuda}" --out "$out/h200.json" --seconds "${3:-560}"
