"""Records the program that the examples in C and Go run, and saves it as score.program."""

from pathlib import Path

import ringjet as rj

WEIGHTS = [0.5, -0.25, 1.0, 0.125]


def score(x):
    return (x * WEIGHTS).inner_sum(1, 4) + 0.5


program = rj.compile(score, "n13-depth2", magnitudes=[(0.0, 10.0)], counts=[4])
program.save(Path(__file__).with_name("score.program"))
