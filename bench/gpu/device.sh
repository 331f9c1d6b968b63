#!/usr/bin/env bash
# Runs on the machine with the GPU: every step of a part of device_bench, `kernels` or `programs`,
# with results in FOLDER/PART.json.
# Needs the files that run.sh packed, the driver, and for some steps nvcc and compute-sanitizer, but
# neither Rust nor a network. A part takes less than ten minutes. With `cuda-emulated` as third argument
# it tests everything but the device, at small sizes.
#
#     bench/gpu/device.sh FOLDER PART [BACKEND [SECONDS]]
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
[ -x "$here/pack/device_bench" ] || { echo "$here/pack/device_bench is missing: run $here/run.sh first" >&2; exit 1; }
out=${1:?usage: device.sh FOLDER PART [BACKEND [SECONDS]]}
part=${2:?the part: kernels or programs}
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
"$here/pack/device_bench" --part "$part" --backend "${3:-cuda}" --out "$out/$part.json" --seconds "${4:-560}"
