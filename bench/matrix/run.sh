#!/usr/bin/env bash
# Times products of matrices: in the clear by encrypted ones beside OpenBLAS, encrypted ones in batches and in
# blocks beside other libraries. Writes two records to bench/results. `--show` prints the newest ones.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
make --silent setup # with the optimised wheel
for script in matrix batch; do
    .venv/bin/python "bench/matrix/$script.py" "$@"
done
