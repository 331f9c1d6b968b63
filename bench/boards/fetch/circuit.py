"""What the server computes, on ciphertexts: the same code runs on values and on the cost model."""

from collections.abc import Iterable, Iterator

import layout
import numpy as np
import ringjet as rj
from layout import CELLS, COLUMNS, SLOTS, STRIDE
from numpy.polynomial import Chebyshev
from numpy.polynomial.chebyshev import chebvander

#: Cosines up to LOW are no matches, those from HIGH on are; the suite's threshold of 0.8 lies between. Matches come out
#: as 0.98 to 1.02, all others as at most 3e-6, and cosines within +-0.5 as at most 5e-8.
LOW, HIGH, DEGREE = 0.7, 0.85, 63

#: Bound on the sums in a cell: of the suite's at most 32 matches, each with numbers below 2.
CELL_BOUND = 64


def keys(instance: layout.Instance) -> dict[str, object]:
    """Arguments of `Client.evaluation_keys`: rotations, with the highest level at which each is used."""
    top = instance.level
    levels = {1: top, instance.baby: top - 1}
    if instance.count_only:
        used = dict.fromkeys(rj.inner_sum_rotations(1, SLOTS), 1)
    else:
        used = dict.fromkeys(rj.inner_sum_rotations(CELLS, STRIDE) + rj.inner_sum_rotations(1, STRIDE) + [STRIDE], 1)
        used[-1] = 0
    levels = used | levels
    return {"rotations": list(levels), "conjugation": True, "levels": levels | {"conjugation": top - 1}}


def threshold() -> np.ndarray:
    """Coefficients, in Chebyshev polynomials, of a polynomial that is near 0 up to LOW and near 1 from HIGH on: Lawson's
    iteration for a weighted minimax approximation. Most records are far from the query, so they weigh most."""
    x = np.cos((np.arange(400) + 0.5) * np.pi / 400)
    x = x[(x <= LOW) | (x >= HIGH)]
    weight = np.where(x >= HIGH, 1e-4, np.where(np.abs(x) <= 0.5, 30, 1))
    powers, matches = chebvander(x, DEGREE), (x >= HIGH) * 1.0
    share = np.full(len(x), 1 / len(x))
    for _ in range(30):
        rows = np.sqrt(share) * weight
        coefficients = np.linalg.lstsq(powers * rows[:, None], matches * rows, rcond=None)[0]
        share *= np.abs(powers @ coefficients - matches) * weight
        share /= share.sum()
    return coefficients


def rotated_queries(query: rj.Ciphertext, baby: int) -> list[rj.Ciphertext]:
    """The query rotated by 0 to baby - 1 slots, one after the other with a single key."""
    queries = [query]
    for _ in range(baby - 1):
        queries.append(queries[-1].rotate(1))
    return queries


def similarities(queries: list[rj.Ciphertext], steps: Iterable[list[rj.Ciphertext]]) -> rj.Ciphertext:
    """Half the cosines of a group of records. `steps`: its ciphertexts, as many at a time as there are queries, the last
    ones first."""
    total = None
    for step in steps:
        products = rj.sum_of_products(step, queries)
        total = products if total is None else total.rotate(len(queries)) + products
    return total


def matches(half: rj.Ciphertext, polynomial: Chebyshev, sets: int) -> Iterator[rj.Ciphertext]:
    """1 for matches and 0 for other records: of the real parts, and where there are two sets of the imaginary parts."""
    conjugate = half.conjugate()
    yield (half + conjugate).with_range(-1, 1).polynomial(polynomial)
    if sets == 2:
        yield (conjugate - half).times_i().with_range(-1, 1).polynomial(polynomial)


def count(decisions: Iterable[rj.Ciphertext], unit: float) -> rj.Ciphertext:
    """The number of matches times `unit`, in every slot: the lowest modulus has no room for large numbers."""
    total = None
    for decision in decisions:
        total = decision if total is None else total + decision
    return (total.inner_sum(1, SLOTS) * unit).to_level(0)


class Tables:
    """Two tables of sums of what matches hold. A record is in one cell of each, and no two records share both."""

    def __init__(self) -> None:
        self.first: list[rj.Ciphertext] = []
        self.second: list[rj.Ciphertext] = []

    def add(self, decision: rj.Ciphertext, payloads: list[rj.Ciphertext]) -> None:
        """Adds a set of records. In the second table earlier sets move on by a cell."""
        found = [decision * payload for payload in payloads]
        self.first = [a + b for a, b in zip(self.first, found, strict=True)] if self.first else found
        self.second = [a.rotate(STRIDE) + b for a, b in zip(self.second, found, strict=True)] if self.second else found

    def answer(self) -> list[rj.Ciphertext]:
        """The first table has cell j mod CELLS of slot j and a column each CELLS slots, the second one cell j // STRIDE
        and its columns in slots beside each other."""
        slot = np.arange(SLOTS)
        first, second = 0, None
        for column in range(COLUMNS):
            sums = self.first[column].inner_sum(CELLS, STRIDE).with_magnitude(CELL_BOUND)
            first = sums * (slot // CELLS == column) + first
        for column in reversed(range(COLUMNS)):
            sums = self.second[column].inner_sum(1, STRIDE).with_magnitude(CELL_BOUND) * (slot % STRIDE == 0)
            second = sums if second is None else second.rotate(-1) + sums
        return [first, second]
