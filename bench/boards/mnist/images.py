"""What is special about MNIST: which pixels the network takes."""

import sys
from pathlib import Path

import numpy as np

SUITE = Path(__file__).resolve().parent
sys.path.insert(0, str(SUITE.parent))

import inference

#: Inputs of the network: the pixels that are most often lit in training images.
PIXELS = 512


def list_of_pixels() -> Path:
    """The file with the numbers of these pixels."""
    return inference.models(SUITE) / "pixels.npy"


def prepare(pixels: np.ndarray) -> np.ndarray:
    """Rows of 784 pixels as inputs of the network."""
    return pixels[:, np.load(list_of_pixels())].reshape(-1, 1, 1, PIXELS)
