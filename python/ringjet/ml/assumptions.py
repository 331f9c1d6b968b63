"""Checks for the client whether training stayed within the bounds that it assumes.

`EncryptedTraining` assumes bounds on weights and scores that cannot be proved without the data. If
they held in every iteration, nothing wrapped around a modulus and no polynomial left its interval.
If a bound did not hold in one iteration, the weights up to that iteration are right and show the
excess; only later weights can be wrong.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from . import sigmoid
from .layout import TrainingPlan

Vector = npt.NDArray[np.float64]

#: Slots inside a row hold sums over the row's last features and the next row's first ones. They are
#: assumed to be within PARTIAL * `sigmoid.reach`; `sigmoid.reach` is the bound on scores.
PARTIAL = 2.0


class TrainingWarning(RuntimeWarning):
    """Training left the assumed bounds, so its results may be wrong."""


def check(plan: TrainingPlan, rows: Vector, history: Sequence[Vector]) -> str:
    """Compares a training run with the bounds that `EncryptedTraining` assumes. `rows` is the
    result of `plan.rows_of`, `history` has the decrypted weights after every iteration. Returns a
    message, which is empty if all bounds held."""
    previous, etas = np.zeros(rows.shape[1]), plan.momentum()
    for t, (weights, eta) in enumerate(zip(history, etas)):
        v = (1 - eta) * weights + eta * previous
        previous = weights
        for values, bound in ((weights, plan.weight_bound), (v, 2 * plan.weight_bound)):
            largest = float(np.max(np.abs(values)))
            # the comparison is false for NaN, so NaN is reported
            if not largest <= bound:
                return (
                    f"a weight reaches {largest:.3g} in iteration {t + 1}, beyond {bound:g}, as "
                    f"weight_bound={plan.weight_bound:g}: use a larger weight_bound or l2, or a lower learning_rate"
                )
        if t + 1 < plan.iterations and (message := _scores(plan, rows, v, t + 1)):
            return message
    return ""


def _scores(plan: TrainingPlan, rows: Vector, v: Vector, t: int) -> str:
    """The same check for the scores of iteration t, whose gradient is taken at `v`."""
    b = plan.batch_of(t)
    batch = rows[b * plan.batch_size : (b + 1) * plan.batch_size]
    if message := sigmoid.warning(plan.degree, plan.bound, batch @ v):
        return f"{message} (in iteration {t + 1})"
    limit = PARTIAL * sigmoid.reach(plan.degree, plan.bound)
    for start in range(0, len(batch), plan.rows):
        reached = plan.bound * float(np.max(np.abs(inner_sums(plan, batch[start : start + plan.rows], v))))
        if not reached <= limit:
            return (
                f"sums over parts of samples reach {reached:.3g} in iteration {t + 1}, beyond {limit:.3g}, which is "
                f"{PARTIAL:g} times what scores may reach for bound={plan.bound:g}: use a larger bound or l2, or a "
                "lower learning_rate"
            )
    return ""


def inner_sums(plan: TrainingPlan, rows: Vector, weights: Vector) -> Vector:
    """The slots of the server's inner sums of a block of rows with the weights: scores divided by
    `bound` in the first slot of every row, sums over parts of two rows in the other slots."""
    padded = np.zeros(plan.width)
    padded[: len(weights)] = weights / plan.weight_bound
    repeated = np.tile(padded, plan.slots // plan.width)
    total = sum(part * np.roll(repeated, -k * plan.chunk) for k, part in enumerate(plan.pack_block(rows)))
    sums, count = np.asarray(total), 1
    while count < plan.chunk:
        sums = sums + np.roll(sums, -count)
        count *= 2
    return sums
