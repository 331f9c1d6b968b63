#!/usr/bin/env bash
# run.sh openfhe|tenseal|desilofhe|openfhe_exact|tenseal_exact|openfhe_vectors|tenseal_vectors|openfhe_boot|desilofhe_boot|openfhe_matrix|desilofhe_matrix [options] [names...]
# Makes a virtual environment for the library at the first call, then runs its benchmarks.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

# A Python 3.10: on the PATH, or the newest one of pyenv, whose stand-in on the PATH may refuse to run.
python310() {
    local found pyenv=${PYENV_ROOT:-$HOME/.pyenv}
    for found in python3.10 $(ls -dr "$pyenv"/versions/3.10*/bin/python3.10 2>/dev/null); do
        if "$found" -c "" 2>/dev/null; then
            echo "$found"
            return
        fi
    done
    echo python3.10
}

bench=${1:-}
name=${bench%_exact}
name=${name%_vectors}
name=${name%_boot}
name=${name/#desilofhe_matrix/desilofhe}
case $name in
openfhe_matrix) want=openfhe-numpy==1.5.1.0.0.22.4 python=${PYTHON310:-$(python310)} ;;
openfhe)   want=openfhe==1.6.1.0.22.4 python=${PYTHON310:-$(python310)} ;;
tenseal)   want=tenseal==0.3.18 python=${PYTHON:-python3} ;;
desilofhe) want=desilofhe==2.0.0 python=${PYTHON:-python3} ;;
*) echo "usage: run.sh openfhe|tenseal|desilofhe|openfhe_exact|tenseal_exact|openfhe_vectors|tenseal_vectors|openfhe_boot|desilofhe_boot|openfhe_matrix|desilofhe_matrix [options] [names...]" >&2; exit 2 ;;
esac
shift
venv=$here/.venv-$name
if [ ! -e "$venv/installed" ]; then
    "$python" -m venv "$venv" || {
        echo "$name: no $python here. Install it (for openfhe: pyenv install 3.10, or your system's python3.10" \
            "with venv), or name it: PYTHON310=... for openfhe, PYTHON=... for the others" >&2
        exit 1
    }
    timeout 300 "$venv/bin/pip" install --quiet --disable-pip-version-check "$want" numpy
    touch "$venv/installed"
fi
exec "$venv/bin/python" "$here/bench_$bench.py" "$@"
