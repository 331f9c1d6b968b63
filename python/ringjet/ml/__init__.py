"""Machine learning on encrypted data."""

from . import layout, sigmoid, training
from .assumptions import TrainingWarning, check
from .estimator import LogisticRegression
from .heir import HeirPacking, HeirProgram, from_heir
from .layout import TrainingPlan
from .models import Client, Computation, Model, PredictionWarning, Profile, Server, Trial, compile
from .training import EncryptedModel, EncryptedTraining, State, Step, train_in_the_clear

__all__ = [
    "Client",
    "Computation",
    "EncryptedModel",
    "EncryptedTraining",
    "HeirPacking",
    "HeirProgram",
    "LogisticRegression",
    "Model",
    "PredictionWarning",
    "Profile",
    "Server",
    "State",
    "Step",
    "TrainingPlan",
    "TrainingWarning",
    "Trial",
    "check",
    "compile",
    "from_heir",
    "layout",
    "sigmoid",
    "train_in_the_clear",
    "training",
]
