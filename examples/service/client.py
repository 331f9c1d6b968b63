"""A client of the service in service.py. Give it the address and the token that the service prints:

    python examples/service/client.py http://127.0.0.1:8080 TOKEN

The service computes on encrypted values and sees neither them nor the results.
"""

import sys

import numpy as np, ringjet as rj

FEATURES, ROWS = 16, 512
url, token = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else None
rng = np.random.default_rng(3)

with rj.connect(url, token, progress=True) as client:
    print("programs:", ", ".join(client.programs))

    # The service computes while this program goes on. `secrets` would let another process ask for the result.
    series = np.sin(np.linspace(0, 6, 1024)) * 0.9
    job = client.submit("smooth", x=series)

    # The first call for some parameters makes keys and sends them; later calls send ciphertexts only.
    rows = rng.uniform(-1, 1, (ROWS, FEATURES))
    scores = client.call("score", rows.T.ravel())[:ROWS]
    print(f"scores from {scores.min():.3f} to {scores.max():.3f}")
    assert 0 < scores.min() < scores.max() < 1

    average = job.result()
    expected = (series + np.roll(series, 1) + np.roll(series, -1)) / 3
    print(f"moving average: largest error {np.abs(average - expected).max():.1e}")
    assert np.abs(average - expected).max() < 1e-3
