"""Two clients score rows while a third one uploads keys again and again."""

from __future__ import annotations

import argparse
import json
import threading
import time

import numpy as np
import ringjet as rj
from own import Service


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1000, help="of both clients together")
    a = parser.parse_args()
    service = Service("--tenant-seconds", "1e6")
    done, uploads, largest = threading.Event(), [0], []

    def score(seed: int) -> None:
        rng, client = np.random.default_rng(seed), rj.connect(service.url, service.token)
        for _ in range(a.rows // 2):
            v, w = rng.uniform(-1, 1, (2, 4096))
            largest.append(abs(client.call("dot", v, w)[0] - v @ w))

    def upload() -> None:
        while not done.is_set():
            with rj.connect(service.url, service.token) as client:
                client.prepare("dot")
                client.forget("dot")
            uploads[0] += 1

    start = time.monotonic()
    threads = [threading.Thread(target=score, args=(seed,)) for seed in (1, 2)]
    third = threading.Thread(target=upload)
    for thread in [*threads, third]:
        thread.start()
    for thread in threads:
        thread.join()
    seconds = time.monotonic() - start
    done.set()
    third.join()
    figures = {
        "rows": len(largest),
        "seconds": round(seconds, 1),
        "rows_per_second": round(len(largest) / seconds, 1),
        "largest_error": max(largest),
        "uploads_of_keys_meanwhile": uploads[0],
        "internal_errors": service.errors(),
        "memory_mb": round(service.memory() / 1e6),
        "exit_status": service.stop(),
    }
    print(json.dumps(figures, indent=1))


if __name__ == "__main__":
    main()
