#!/bin/sh
# fuzz/run.sh [seconds] [targets...]: runs fuzz targets (by default all) one after the other, each
# for the given seconds (by default 60) in one process. Needs a nightly toolchain and cargo-fuzz
# (cargo install cargo-fuzz). Stops at the first failure, whose input is in fuzz/artifacts/.
set -eu
cd "$(dirname "$0")/.."
seconds=${1:-60}
[ $# -gt 0 ] && shift
[ $# -gt 0 ] || set -- header program parameters secret_key public_key evaluation_keys bootstrapping_keys switching_key plaintext ciphertext \
    party party_hello party_deal key_message answer_share fhetch
# the versions that the library is tested with
[ -e fuzz/Cargo.lock ] || cp Cargo.lock fuzz
for target in "$@"; do
    corpus=fuzz/corpus/$target
    mkdir -p "$corpus"
    case $target in
    # programs of two inputs, as the target describes its inputs
    program) cp fuzz/programs/*.bin "$corpus" ;;
    fhetch)
        { printf '\004'; printf '%s\n' 'modulus_count 2' 'm[0] 0xFFFFFFFFFFFFFFFF' 'm[1] 0x61' 'sr_addp %3, %1, %2, m=1' \
            'sr_mulps %4, %3, 5, m=1' 'sr_ntt %5, %4, m=1, omega=19' \
            'sr_automorph_eval %6, %5, m=1, mask=15, logn=4, k=5' halt; } > "$corpus/all.txt"
        ;;
    # they change objects of their own
    bootstrapping_keys | party | party_hello | party_deal | key_message | answer_share) ;;
    *)
        files=$target
        [ "$target" != header ] || files=
        for scheme in tiny heaan bgv bfv bgv_crt; do
            for file in vectors/v2/"$scheme/$files"*.rjet; do cp "$file" "$corpus/${scheme}_$(basename "$file")"; done
        done
        ;;
    esac
    if [ "$target" = parameters ]; then
        cp fuzz/specs/*.json "$corpus"
        for scheme in n10 boot; do cp vectors/v2/$scheme/parameters.rjet "$corpus/$scheme.rjet"; done
    fi
    echo "=== $target: $seconds s ==="
    cargo +nightly fuzz run --fuzz-dir fuzz "$target" "$corpus" -- \
        -max_total_time="$seconds" -max_len=8192 -timeout=20 -rss_limit_mb=2048 -malloc_limit_mb=256 -print_final_stats=1
done
