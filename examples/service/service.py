"""Two programs of a service. Start it with

    ringjet serve examples/service/service.py:service

The first start prints a token for clients.
"""

import numpy as np, ringjet as rj
from ringjet import Ciphertext
from ringjet.serve import Service, progress

service = Service()
FEATURES, ROWS = 16, 512

# The model of the service. It is in the clear here, and clients never see it.
rng = np.random.default_rng(2)
WEIGHTS, BIAS = rng.normal(0, 0.5, FEATURES), 0.25
MODEL = rj.LinearTransform(WEIGHTS[np.newaxis, :], slots=rj.preset("n14-depth6").slots, batch=ROWS)


@service.program(params="n14-depth6")
def score(x: Ciphertext) -> Ciphertext:
    """The probability of each of 512 rows with 16 features: feature i of row r is in slot i * 512 +
    r."""
    return (x.matmul(MODEL) + BIAS).sigmoid((-8, 8), error=0.01)


@service.program(params="n13-depth2", slots=1024)
def smooth(x: Ciphertext) -> Ciphertext:
    """The moving average of 1024 values over three neighbours, around the end."""
    progress(0, 2)  # clients see it; a cancelled job stops here
    total = x + x.rotate(1) + x.rotate(-1)
    progress(1, 2)
    return total / 3
