"""Logistic regression in scikit-learn's manner, trained on encrypted data."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from .. import Parameters, Server
from .._ringjet import preset as named
from .layout import SETTINGS, TrainingPlan
from .sigmoid import sigmoid, warning
from .training import EncryptedModel, EncryptedTraining

if TYPE_CHECKING:
    from typing_extensions import Self

Vector = npt.NDArray[np.float64]


class LogisticRegression:
    """Two-class logistic regression whose training sees ciphertexts only.

    `fit` plays both sides: a client that holds the secret standardises and encrypts the samples, and a server that gets
    bytes trains (`EncryptedTraining`). To keep the two apart, take `plan` and the classes of `ringjet.ml`.

    preset: name of a parameter set, or `Parameters`; one that bootstraps allows any number of iterations. iterations: of
    Nesterov's method; None for as many as the levels last for without bootstrapping. degree: odd, 3 to 15, of the polynomial near
    the sigmoid: a higher one takes more levels (4 an iteration for 3, 5 up to 7, 6 up to 15) and comes closer. bound: scores up
    to which it is near; a little further training diverges. learning_rate, decay: iteration t goes
    `learning_rate / (1 + decay t)` far. l2: penalty on all weights, which also keeps scores in bounds. batch_size: samples of an iteration, all by default.
    clip: standardised features are cut off here. standardize: whether features are brought to mean 0 and deviation 1 first.
    random_state: of the order of samples, where there are batches. seed: makes keys and encryption reproducible; see
    `Client`. Pickles and copies do not hold it. backend, threads, key_memory: as for `Server`. progress: True for a bar, or a callable taking (done, total).

    After `fit` there are `coef_` and `intercept_` for standardised features, `mean_` and `scale_` of these, `classes_`,
    `n_features_in_`, `n_iter_`, `plan_`, and `encrypted_`: the model as the server has it.
    """

    classes_: npt.NDArray[Any]
    coef_: Vector
    intercept_: Vector
    mean_: Vector
    scale_: Vector
    n_features_in_: int
    n_iter_: npt.NDArray[np.int64]
    plan_: TrainingPlan
    encrypted_: EncryptedModel

    def __init__(
        self,
        preset: str | Parameters = "n16-boot",
        *,
        iterations: int | None = 30,
        degree: int = 15,
        bound: float = 20.0,
        learning_rate: float = 1.0,
        decay: float = 0.1,
        l2: float = 0.01,
        batch_size: int | None = None,
        standardize: bool = True,
        clip: float | None = 2.0,
        random_state: int | None = None,
        seed: int | bytes | None = None,
        backend: str = "auto",
        threads: int | None = None,
        key_memory: Literal["expanded", "compressed"] = "expanded",
        progress: bool | Callable[[int, int], object] = False,
    ) -> None:
        self.preset = preset
        self.iterations = iterations
        self.degree = degree
        self.bound = bound
        self.learning_rate = learning_rate
        self.decay = decay
        self.l2 = l2
        self.batch_size = batch_size
        self.standardize = standardize
        self.clip = clip
        self.random_state = random_state
        self.seed = seed
        self.backend = backend
        self.threads = threads
        self.key_memory = key_memory
        self.progress = progress

    # ---- parameters ----

    @classmethod
    def _names(cls) -> list[str]:
        return [name for name in inspect.signature(cls.__init__).parameters if name != "self"]

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The constructor's parameters."""
        return {name: getattr(self, name) for name in self._names()}

    def set_params(self, **params: Any) -> Self:
        """Sets constructor parameters."""
        for name, value in params.items():
            if name not in self._names():
                raise ValueError(f"no parameter is called {name!r}; there are {', '.join(self._names())}")
            setattr(self, name, value)
        return self

    def __getstate__(self) -> dict[str, Any]:
        """What pickles and copies hold: no seed, as it makes the secret key. Whoever fits them again gets another key."""
        return {**self.__dict__, "seed": None}

    def __repr__(self) -> str:
        defaults = {n: p.default for n, p in inspect.signature(type(self).__init__).parameters.items()}
        hidden = {"seed"}
        shown = [f"{n}={v!r}" for n, v in self.get_params().items() if v != defaults[n] and n not in hidden]
        return f"LogisticRegression({', '.join(shown)})"

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import (  # type: ignore[import-untyped, import-not-found, unused-ignore]
            ClassifierTags,
            InputTags,
            Tags,
            TargetTags,
        )

        return Tags(
            estimator_type="classifier",
            target_tags=TargetTags(required=True),
            classifier_tags=ClassifierTags(multi_class=False),
            input_tags=InputTags(),
        )

    # ---- training ----

    @property
    def parameters(self) -> Parameters:
        """The parameter set."""
        return self.preset if isinstance(self.preset, Parameters) else named(self.preset)

    def plan(self, samples: int, features: int) -> TrainingPlan:
        """What training on so many samples and features takes: packing, keys, bootstraps."""
        return TrainingPlan.make(
            self.parameters,
            samples,
            features,
            **{name: getattr(self, name) for name in SETTINGS},
        )

    def prepare(self, X: npt.ArrayLike, y: npt.ArrayLike) -> tuple[Vector, Vector]:
        """Standardised samples and labels in {-1, 1}, in the order in which they are encrypted; sets `classes_`, `mean_`,
        `scale_` and `n_features_in_`."""
        if self.clip is not None and not self.clip > 0:
            raise ValueError(f"clip = {self.clip}: a positive number is needed, or None to cut nothing off")
        x, labels = _samples(X), np.asarray(y)
        if labels.shape != (len(x),):
            raise ValueError(f"X has {len(x)} samples, y has shape {labels.shape}")
        self.classes_ = np.unique(labels)
        if len(self.classes_) != 2:
            raise ValueError(f"{len(self.classes_)} classes: exactly 2 are known")
        self.n_features_in_ = x.shape[1]
        self.mean_, self.scale_ = np.zeros(x.shape[1]), np.ones(x.shape[1])
        if self.standardize:
            self.mean_, deviation = x.mean(axis=0), x.std(axis=0)
            self.scale_ = np.where(deviation > 0, deviation, 1.0)
        order = np.arange(len(x))
        if self.batch_size is not None and self.batch_size < len(x):
            order = np.random.default_rng(self.random_state).permutation(len(x))
        return self.transform(x)[order], np.where(labels == self.classes_[1], 1.0, -1.0)[order]

    def transform(self, X: npt.ArrayLike) -> Vector:
        """Samples as they are encrypted: standardised and cut off."""
        x = (_samples(X) - self.mean_) / self.scale_
        return x if self.clip is None else np.asarray(np.clip(x, -self.clip, self.clip))

    def fit(self, X: npt.ArrayLike, y: npt.ArrayLike) -> Self:
        """Trains on samples (rows of X) with two kinds of labels."""
        x, labels = self.prepare(X, y)
        plan = self.plan(*x.shape)
        client = plan.client(self.parameters, self.seed)
        keys = plan.keys(client, key_memory=self.key_memory).to_bytes()
        data = [client.encrypt(vector).to_bytes() for vector in plan.pack(plan.rows_of(x, labels))]
        # ---- from here on the server works, on bytes ----
        allow = self.parameters.allow_insecure
        kept = self.key_memory
        server = Server(keys, self.backend, self.threads, max_bytes=len(keys), allow_insecure=allow, key_memory=kept)
        del keys
        training = EncryptedTraining(plan, plan.load(server, data))
        show = _shown(self.progress)
        for step in training.run():
            show(step.iteration + 1, plan.iterations)
        self.encrypted_ = EncryptedModel(plan, step.state.w, step.state.factor)
        # ---- and the client reads the answer ----
        self.set_weights(plan, plan.unpack(client.decrypt(step.state.w.to_bytes()), step.state.factor))
        if message := warning(self.degree, self.bound, self.intercept_ + x @ self.coef_[0]):
            warnings.warn(message, RuntimeWarning, stacklevel=2)
        return self

    def set_weights(self, plan: TrainingPlan, weights: Vector) -> None:
        """Takes decrypted weights, constant first."""
        self.plan_ = plan
        self.intercept_, self.coef_ = weights[:1].copy(), weights[None, 1:].copy()
        self.n_iter_ = np.array([plan.iterations])

    # ---- inference ----

    def decision_function(self, X: npt.ArrayLike) -> Vector:
        """Scores: positive for the second class."""
        if not hasattr(self, "coef_"):
            raise ValueError("this LogisticRegression is not fitted yet: call fit")
        x = _samples(X)
        if x.shape[1] != self.n_features_in_:
            expected = f"LogisticRegression is expecting {self.n_features_in_} features"
            raise ValueError(f"X has {x.shape[1]} features, but {expected}")
        return np.asarray(self.transform(x) @ self.coef_[0] + self.intercept_[0])

    def predict_proba(self, X: npt.ArrayLike) -> Vector:
        """Probabilities of both classes."""
        p = sigmoid(self.decision_function(X))
        return np.column_stack([1 - p, p])

    def predict(self, X: npt.ArrayLike) -> npt.NDArray[Any]:
        """The likelier class."""
        second = self.decision_function(X) > 0
        return np.asarray(self.classes_[second.astype(int)])

    def score(self, X: npt.ArrayLike, y: npt.ArrayLike) -> float:
        """Accuracy."""
        return float(np.mean(self.predict(X) == np.asarray(y)))


def _samples(X: npt.ArrayLike) -> Vector:
    x = np.asarray(X, dtype=np.float64)
    if x.ndim != 2 or not x.shape[0] or not x.shape[1]:
        raise ValueError(f"X has shape {x.shape}: samples are the rows of a matrix")
    if not np.isfinite(x).all():
        raise ValueError("X contains NaN or infinity")
    return x


def _shown(progress: bool | Callable[[int, int], object]) -> Callable[[int, int], object]:
    if callable(progress):
        return progress
    if progress:
        from ..progress import bar

        return bar("training")
    return lambda done, total: None
