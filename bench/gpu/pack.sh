#!/usr/bin/env bash
# Builds everything that first.sh needs on a machine with a GPU, in the folder bench/gpu/pack: programs
# of this commit, machine code of the kernels, and the digests that the processor computes here. That
# machine needs the GPU's driver and Python; neither Rust, a compiler nor a network.
#
#     bench/gpu/pack.sh
#
# The digests at full size take minutes and 10 GB of memory. They are kept in target/gpu-digests
# until the program changes.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
pack=bench/gpu/pack
most_megabytes=40
target=${CARGO_TARGET_DIR:-target}
compiler=$target/gpu-compiler-13.0
cuda=$compiler/nvidia/cu13
version=13.0.88 # an old compiler of CUDA 13, whose code drivers of CUDA 13.0 can load
least_free=4 # GB

free=$(df --output=avail -BG . | tail -1 | tr -dc 0-9)
[ "$free" -ge "$least_free" ] || { echo "pack.sh: $free GB of disk are free, $least_free are needed" >&2; exit 1; }

if [ ! -e "$compiler/$version" ]; then
    rm -rf "$compiler"
    "${PYTHON:-python3}" -m pip install --quiet --disable-pip-version-check --root-user-action=ignore --no-deps --target "$compiler" \
        nvidia-cuda-{nvcc,crt,nvrtc}=="$version" nvidia-nvvm=="$version" nvidia-cuda-runtime==13.0.96
    touch "$compiler/$version"
fi

cargo build --release --quiet -p ringjet-cli -p ringjet-cuda --bin ringjet --example device_bench --example compile_kernels
rm -rf "$pack"
mkdir -p "$pack"
for program in ringjet examples/device_bench; do
    strip -o "$pack/$(basename "$program")" "$target/release/$program"
done
for program in ceilings chains heaan004; do
    "$cuda/bin/nvcc" -O3 -std=c++17 -arch=sm_90 -L"$cuda/lib" -I crates/ringjet-cuda/kernels \
        "bench/gpu/$program.cu" -o "$pack/$program"
    strip "$pack/$program"
done
built=$(ls -td "$target"/release/build/ringjet-cuda-*/out | head -1)
"${PYTHON:-python3}" crates/ringjet-cuda/tools/compile.py --spills "$cuda" --built "$built"
LD_LIBRARY_PATH=$cuda/lib "$target/release/examples/compile_kernels" sm_90 "$pack/cubin"

digests=$target/gpu-digests/$(sha256sum "$pack/ringjet" | cut -c1-16).jsonl
if [ ! -e "$digests" ]; then
    mkdir -p "$(dirname "$digests")"
    "$pack/ringjet" digest > "$digests.part"
    mv "$digests.part" "$digests"
fi
cp "$digests" "$pack/digests.jsonl"

changed=$(git status --porcelain --untracked-files=no | cut -c4- | sed 's/.*/"&"/' | paste -sd,)
printf '{"commit": "%s", "changed_files": [%s], "rustc": "%s", "cuda": "%s"}\n' \
    "$(git rev-parse HEAD)" "$changed" "$(rustc --version)" "$version" > "$pack/pack.json"

size=$(du -sm "$pack" | cut -f1)
[ "$size" -le "$most_megabytes" ] || { echo "pack.sh: $pack has $size MB, at most $most_megabytes can travel" >&2; exit 1; }
cat <<END
$pack is complete: $size MB. Git ignores it, so it has to be carried along: carry = ["$pack"].
Then run one command on the machine with the GPU, in the repository's root, with a limit of 560 s:

    bench/gpu/first.sh \$OUT
END
