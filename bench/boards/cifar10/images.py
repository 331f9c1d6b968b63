"""What is special about CIFAR-10: how its images are normalised."""

import sys
from pathlib import Path

import numpy as np

SUITE = Path(__file__).resolve().parent
sys.path.insert(0, str(SUITE.parent))

#: Means and deviations of the three colours, those of the suite's harness.
MEANS, DEVIATIONS = (0.4914, 0.4822, 0.4465), (0.2023, 0.1994, 0.2010)


def prepare(pixels: np.ndarray) -> np.ndarray:
    """Rows of pixels from 0 to 1, one colour after the other, as inputs of the network."""
    shape = (1, 3, 1, 1)
    return (pixels.reshape(-1, 3, 32, 32) - np.reshape(MEANS, shape)) / np.reshape(DEVIATIONS, shape)
