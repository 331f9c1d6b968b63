# What the gate's step `install` runs in the bare environment, after the README's examples.
import importlib
import importlib.metadata
import pathlib
import pkgutil
import re
import subprocess
import sys
import sysconfig
import tempfile

import ringjet

declared = {"numpy", "ringjet"}
installed = {str(d.metadata["Name"]).lower() for d in importlib.metadata.distributions()}
if installed != declared:
    sys.exit(f"installed: {sorted(installed)}, expected: {sorted(declared)}")

# every module, also those that the examples do not use; what is missing may be of an extra only
needs = [need for need in importlib.metadata.requires("ringjet") or [] if "extra ==" in need]
extras = {re.split(r"[^\w-]", need)[0].replace("-", "_") for need in needs}
for module in pkgutil.walk_packages(ringjet.__path__, "ringjet."):
    try:
        importlib.import_module(module.name)
    except ModuleNotFoundError as missing:
        if str(missing.name).partition(".")[0] not in extras:
            raise

# the installed command runs, and has Rust's and Python's commands
script = pathlib.Path(sysconfig.get_path("scripts")) / "ringjet"
with tempfile.TemporaryDirectory() as folder:
    saved = f"{folder}/square.program"
    ringjet.compile(lambda x: x * x, "n13-depth2").save(saved)
    for arguments in ("--version", "doctor", "params n13-depth2", f"program plan {saved}", "serve --help"):
        subprocess.run([script, *arguments.split()], check=True, stdout=subprocess.DEVNULL)
    # a service needs packages of an extra, and says so
    refused = subprocess.run([script, "serve", "--folder", f"{folder}/service"], stderr=subprocess.PIPE, text=True)
    if refused.returncode != 1 or "ringjet[serve]" not in refused.stderr:
        sys.exit(f"serve without its extra: {refused}")

folders = {pathlib.Path(sysconfig.get_path(name)) for name in ("purelib", "platlib")}
imported = set()
for module in list(sys.modules.values()):
    file = getattr(module, "__file__", None)
    for folder in folders:
        if file is not None and folder in pathlib.Path(file).parents:
            imported.add(pathlib.Path(file).relative_to(folder).parts[0])
if imported != declared:
    sys.exit(f"imported: {sorted(imported)}, expected: {sorted(declared)}")
print(f"imported: {', '.join(sorted(imported))}")
