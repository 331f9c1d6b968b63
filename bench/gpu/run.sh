#!/usr/bin/env bash
# Packs the files that device.sh needs on a machine with a GPU into bench/gpu/pack: stripped
# programs of this commit, and the sources that nvcc compiles there. See README.md in this folder.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
pack=bench/gpu/pack
target=${CARGO_TARGET_DIR:-target}
cargo build --release --quiet -p ringjet-cli
cargo build --release --quiet -p ringjet-cuda --example device_bench
rm -rf "$pack"
mkdir -p "$pack/kernels"
for program in ringjet examples/device_bench; do
    strip -o "$pack/$(basename "$program")" "$target/release/$program"
done
cp -r bench/gpu/*.cu bench/gpu/*.cuh bench/gpu/heaan "$pack"
cp crates/ringjet-cuda/kernels/{modarith*,device}.cuh crates/ringjet-cuda/kernels/arith_probe.cu "$pack/kernels"
changed=false
[ -z "$(git status --porcelain --untracked-files=no)" ] || changed=true
printf '{"commit": "%s", "changed_files": %s, "rustc": "%s"}\n' "$(git rev-parse HEAD)" "$changed" "$(rustc --version)" \
    > "$pack/pack.json"
du -sh "$pack"
