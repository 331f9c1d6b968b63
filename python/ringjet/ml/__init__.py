"""Machine learning on encrypted data."""

from . import layout, sigmoid, training
from .assumptions import TrainingWarning, check
from .estimator import LogisticRegression
from .layout import TrainingPlan
from .training import EncryptedModel, EncryptedTraining, State, Step, train_in_the_clear

__all__ = [
    "EncryptedModel",
    "EncryptedTraining",
    "LogisticRegression",
    "State",
    "Step",
    "TrainingPlan",
    "TrainingWarning",
    "check",
    "layout",
    "sigmoid",
    "train_in_the_clear",
    "training",
]
