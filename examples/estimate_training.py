"""Estimates the time of training on encrypted data on other machines. It counts operations instead
of computing.

`training` is a program for `ringjet estimate`, which prints more details:

    ringjet estimate examples/estimate_training.py:training --preset n16-boot --device a100-80gb
"""

from __future__ import annotations

import argparse

import ringjet as rj

#: The size of the training part of scikit-learn's breast cancer data, as `ringjet train` splits it.
SAMPLES, FEATURES = 456, 30


def training(
    server: rj.Server, iterations: int = 30, samples: int = SAMPLES, features: int = FEATURES
) -> rj.Ciphertext:
    """The encrypted weights after `iterations` iterations. Operators bootstrap if no level is
    left."""
    plan = rj.ml.TrainingPlan.make(server.params, samples, features, iterations=iterations)
    *_, last = rj.ml.EncryptedTraining(plan, plan.inputs(server)).run()
    weights: rj.Ciphertext = last.state.w
    return weights


def published_batch(server: rj.Server) -> rj.Ciphertext:
    """Two iterations with the batch of Table VII of de Castro et al. (ePrint 2021/1636). The first
    one starts from weights of zero, so it is shorter."""
    return training(server, iterations=2, samples=1024, features=256)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--preset", default="n16-boot")
    parser.add_argument("--iterations", type=int, default=30)
    chosen = parser.parse_args()
    server = rj.Server(backend="model", params=chosen.preset)
    weights = training(server, chosen.iterations)
    print(f"{chosen.iterations} iterations of {SAMPLES} samples with {FEATURES} features: {weights}")
    for device in rj.devices():
        print(server.estimate(device))


if __name__ == "__main__":
    main()
