# What the step `serve` of `cargo xtask dist-test` runs in an environment with the wheel and its extra `serve`.
import pathlib
import re
import subprocess
import sys
import sysconfig
import tempfile

import ringjet

script = pathlib.Path(sysconfig.get_path("scripts")) / "ringjet"
with tempfile.TemporaryDirectory() as folder:
    command = [script, "serve", "--folder", f"{folder}/service", "--port", "0", "--open"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as service:
        try:
            line = service.stdout.readline()
            found = re.search(r"http://\S+", line)
            if found is None:
                sys.exit(f"the service began with {line!r}")
            mean = ringjet.connect(found[0]).call("mean", [0.1, 0.2, 0.6])[0]
        finally:
            service.terminate()
    if abs(mean - 0.3) > 1e-3 or service.returncode != 0:
        sys.exit(f"the mean is {mean}, and the service ended with {service.returncode}")
print("a service that the wheel started has computed a mean")
