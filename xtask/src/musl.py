"""Checks what the library in a wheel for musl needs.

    python3 musl.py WHEEL LIBC

Fails if the library needs another one than musl and zig's own parts, or a symbol that is neither of LIBC nor of
Python. Needs readelf and nm, of binutils.
"""

import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path


def output(*words):
    return subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True).stdout


def symbols(library, kind):
    """Dynamic symbols: kind is `--undefined-only` or `--defined-only`."""
    lines = output("nm", "--dynamic", kind, str(library)).splitlines()
    # weak ones may be missing
    return {line.split()[-1].split("@")[0] for line in lines if " w " not in line}


def main(wheel, libc):
    with tempfile.TemporaryDirectory() as folder:
        with zipfile.ZipFile(wheel) as archive:
            (name,) = [name for name in archive.namelist() if name.endswith(".so")]
            library = Path(archive.extract(name, folder))
        text = output("readelf", "--dynamic", "--wide", str(library))
        needed = [line.split("[")[1].rstrip("]") for line in text.splitlines() if "(NEEDED)" in line]
        others = [name for name in needed if name not in ("libc.so", "libc.musl-x86_64.so.1", "libc.musl-aarch64.so.1")]
        undefined, known = symbols(library, "--undefined-only"), symbols(libc, "--defined-only")
        unknown = {name for name in undefined - known if not name.startswith(("Py", "_Py"))}
    if others or unknown:
        sys.exit(f"the library needs {others} and the symbols {sorted(unknown)}")
    of_python = sum(name.startswith(("Py", "_Py")) for name in undefined)
    print(f"{name}: needs {needed}, {len(undefined) - of_python} symbols of musl and {of_python} of Python")


if __name__ == "__main__":
    main(*sys.argv[1:])
