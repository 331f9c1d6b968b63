#!/bin/sh
# fuzz/run.sh [seconds] [targets...]: runs fuzz targets (by default all) one after the other, each
# for the given seconds (by default 60) in one process. Needs a nightly toolchain and cargo-fuzz
# (cargo install cargo-fuzz). Stops at the first failure, whose input is in fuzz/artifacts/.
set -eu
cd "$(dirname "$0")/.."
seconds=${1:-60}
[ $# -gt 0 ] && shift
[ $# -gt 0 ] || set -- header program parameters secret_key public_key evaluation_keys bootstrapping_keys switching_key plaintext ciphertext \
    heaan_parameters heaan_secret_key heaan_public_key heaan_evaluation_keys heaan_switching_key heaan_plaintext heaan_ciphertext \
    bgv_parameters bgv_secret_key bgv_public_key bgv_evaluation_keys bgv_switching_key bgv_plaintext bgv_ciphertext
tiny=vectors/v2/tiny
for target in "$@"; do
    corpus=fuzz/corpus/$target
    mkdir -p "$corpus"
    case $target in
    header)
        cp $tiny/*.rjet "$corpus"
        for scheme in heaan bgv bfv bgv_crt; do
            for file in vectors/v2/$scheme/*.rjet; do cp "$file" "$corpus/${scheme}_$(basename "$file")"; done
        done
        ;;
    bgv_parameters)
        for set in bgv bfv bgv_crt; do cp vectors/v2/$set/parameters.rjet "$corpus/$set.rjet"; done
        ;;
    bgv_*) cp vectors/v2/bgv_crt/"${target#bgv_}"*.rjet "$corpus" ;;
    heaan_*) cp vectors/v2/heaan/"${target#heaan_}"*.rjet "$corpus" ;;
    parameters)
        cp $tiny/parameters.rjet fuzz/specs/*.json "$corpus"
        cp vectors/v2/n10/parameters.rjet "$corpus/n10.rjet"
        cp vectors/v2/boot/parameters.rjet "$corpus/boot.rjet"
        ;;
    # its inputs are no files of a client
    program) ;;
    # the target applies changes to keys of its own; its corpus starts empty
    bootstrapping_keys) ;;
    *) cp $tiny/"$target"*.rjet "$corpus" ;;
    esac
    echo "=== $target: $seconds s ==="
    cargo +nightly fuzz run --fuzz-dir fuzz "$target" "$corpus" -- \
        -max_total_time="$seconds" -max_len=8192 -timeout=20 -rss_limit_mb=2048 -malloc_limit_mb=256 -print_final_stats=1
done
