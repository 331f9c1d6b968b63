"""What is special about MNIST: which pixels the network takes."""

import sys
from pathlib import Path

import numpy as np

SUITE = Path(__file__).resolve().parent
sys.path.insert(0, str(SUITE.parent))

import inference


def list_of_pixels() -> Path:
    """The file with the numbers of the pixels that the network takes."""
    return inference.models(SUITE) / "pixels.npy"


def prepare(pixels: np.ndarray) -> np.ndarray:
    """Rows of 784 pixels as inputs of the network."""
    return pixels[:, None, None, np.load(list_of_pixels())]
