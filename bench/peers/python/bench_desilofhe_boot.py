"""Times DESILO FHE's bootstrapping. The library chooses all parameters."""

import sys

import boot

o = boot.options("desilofhe_boot", size="medium", level=-1)

# E402: the options come first, as for the other libraries
from importlib.metadata import version  # noqa: E402

import common  # noqa: E402
import desilofhe  # noqa: E402

parallel = {"mode": "parallel", "thread_count": o.threads} if o.threads > 1 else {"mode": "cpu"}
e = desilofhe.Engine(bootstrap=True, **parallel)
log_n = e.slot_count.bit_length()
sk = e.create_secret_key()
keys, keygen_s = boot.timed(
    lambda: (e.create_relinearization_key(sk), e.create_conjugation_key(sk), e.create_bootstrap_key(sk, size=o.size))
)
(want,) = common.vectors(e.slot_count, 1)
level = o.level
fresh = None
# the lowest level that the library bootstraps from
for level in [o.level] if o.level >= 0 else range(8):
    fresh = e.encrypt(want, sk, level)
    try:
        e.bootstrap(fresh, *keys)
        break
    except (RuntimeError, ValueError) as why:
        print(f"level {level}: {why}", file=sys.stderr)
else:
    sys.exit("the library bootstraps from no level up to 7")

boot.run(
    o,
    f"desilofhe-{version('desilofhe')}",
    f"n{log_n}",
    {
        "set": f"{o.size} key",
        "log_n": log_n,
        "log_qp": None,
        "secret": "not stated",
        "security": "128 bits by its manual; parameters not shown",
        "level_bits": None,
        "output_scale_log2": None,
        "key_bytes": sum(k.nbytes for k in keys),
        "keygen_s": keygen_s,
        "setup_s": 0.0,
        # those below the level that a bootstrap begins at cannot be used
        "levels": lambda ct: ct.level - level,
    },
    want,
    fresh,
    lambda: e.bootstrap(fresh, *keys),
    lambda ct: e.decrypt(ct, sk),
)
