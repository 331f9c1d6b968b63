"""Many requests at a time, for minutes: throughput, latency, refusals, and the service's memory."""

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
    parser.add_argument("--seconds", type=float, default=300)
    parser.add_argument("--threads", type=int, default=64)
    a = parser.parse_args()
    service = Service("--tenant-seconds", "1e6")
    client = rj.connect(service.url, service.token)
    v, w = np.random.default_rng(0).uniform(-1, 1, (2, 4096))
    client.call("product", v, w)
    end, times, wrong, failures, memory = time.monotonic() + a.seconds, [], [0], [], []

    def use() -> None:
        while time.monotonic() < end:
            start = time.monotonic()
            try:
                if np.abs(client.call("product", v, w) - v * w).max() > 1e-3:
                    wrong[0] += 1
                times.append(time.monotonic() - start)
            except Exception as error:
                failures.append(f"{type(error).__name__}: {error}"[:100])

    threads = [threading.Thread(target=use) for _ in range(a.threads)]
    for thread in threads:
        thread.start()
    while time.monotonic() < end:
        memory.append(service.memory())
        time.sleep(max(0.5, a.seconds / 60))
    for thread in threads:
        thread.join()
    # the first fifth fills pools and caches
    settled = memory[len(memory) // 5 :]
    figures = {
        "threads": a.threads,
        "seconds": a.seconds,
        "calls": len(times),
        "calls_per_second": round(len(times) / a.seconds, 1),
        "median_s": round(float(np.median(times)), 3),
        "p99_s": round(float(np.quantile(times, 0.99)), 3),
        "wrong": wrong[0],
        "failures": len(failures),
        "examples_of_failures": sorted(set(failures))[:3],
        "internal_errors": service.errors(),
        "memory_mb": [round(m / 1e6) for m in (memory[0], settled[0], max(settled), settled[-1])],
        "exit_status": service.stop(),
    }
    print(json.dumps(figures, indent=1))


if __name__ == "__main__":
    main()
