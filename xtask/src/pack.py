# Packs the Python package with its compiled half as a wheel: `pack.py LIBRARY FOLDER`. The folder has
# the wheel's metadata, which maturin wrote, and gets the wheel.
import pathlib
import sys
import zipfile

library, folder = map(pathlib.Path, sys.argv[1:])
info = next(folder.glob("*.dist-info"))
package = pathlib.Path("python/ringjet")
files = {f"ringjet/{p.relative_to(package)}": p for p in package.rglob("*") if p.suffix in (".py", ".pyi", ".typed")}
files["ringjet/_ringjet.abi3.so"] = library
files |= {f"{info.name}/{p.relative_to(info)}": p for p in info.rglob("*") if p.is_file()}
record = f"{info.name}/RECORD"
with zipfile.ZipFile(folder / f"{info.stem}-py3-none-any.whl", "w") as wheel:
    for name, path in files.items():
        wheel.write(path, name)
    wheel.writestr(record, "".join(f"{name},,\n" for name in [*files, record]))
