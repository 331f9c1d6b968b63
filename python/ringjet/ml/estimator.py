"""Logistic regression with scikit-learn's interface, trained on encrypted data."""

from __future__ import annotations

import inspect
import math
import warnings
from collections.abc import Callable
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from .. import _arrays
from .._ringjet import Client, Parameters, Server
from .._ringjet import preset as named
from ..errors import NotSharableError
from ..program import Plan
from ..program import plan as plan_of
from .assumptions import TrainingWarning, check
from .layout import SETTINGS, TrainingPlan
from .sigmoid import sigmoid
from .training import EncryptedModel, EncryptedTraining

if TYPE_CHECKING:
    from typing_extensions import Self

    from ..cluster import ClusterTraining

Vector = npt.NDArray[np.float64]


class LogisticRegression:
    """Logistic regression for two classes that is trained on ciphertexts.

    `fit` runs a client and a server in one process. The client holds the secret, standardises the
    samples and encrypts them. The server gets bytes only and trains (`EncryptedTraining`). To run
    client and server apart, use `plan` and the classes of `ringjet.ml`.

    - preset: the name of a parameter set, or `Parameters`. With bootstrapping parameters any number
      of iterations is possible.
    - iterations: number of iterations of Nesterov's method, at least 1; None for as many as the
      levels allow without bootstrapping.
    - degree: degree of the polynomial that approximates the sigmoid, odd, 3 to 15. An iteration
      takes 4 levels for degree 3, 5 levels up to 7, and 6 levels up to 15.
    - bound: a positive number; the polynomial approximates the sigmoid for scores from `-bound` to
      `bound`. Training diverges if scores become much larger.
    - learning_rate, decay: iteration t has the step size `learning_rate / (1 + decay * t)`; a
      positive number and a number of at least 0.
    - l2: penalty on all weights, at least 0; it also keeps scores within `bound`.
    - batch_size: number of samples per iteration; None for all samples.
    - clip: standardised features are cut off at `-clip` and `clip`, a positive number. None cuts
      nothing off, but makes the largest absolute value of a feature public, rounded up to a power
      of two.
    - weight_bound: positive bound on the absolute values of the weights during training. A larger
      bound costs precision. After training the client checks the bounds on weights and scores. If
      one did not hold, `fit` warns with `ringjet.ml.TrainingWarning`.
    - standardize: whether features are shifted and scaled to mean 0 and deviation 1.
    - random_state: seed of the random order of samples; used only with batches.
    - seed: makes keys and encryption reproducible; see `Client`. Pickles and copies do not contain
      it.
    - backend, threads, key_memory: as for `Server`.
    - cluster: the address of a Ray cluster whose nodes train, such as "auto", as for
      `ringjet.cluster`; None for this process alone. The results are the same, bit for bit.
    - shard: number of blocks in the unit of work of a node, see `TrainingPlan.make`.
    - progress: True for a progress bar, or a callable that takes (done, total).
    - share: whether `coef_` and `intercept_` may be given to others. If False, they are exact
      decryptions, which reveal information on the secret key; only the owner of the key may have
      them. If True, they come from `Client.decrypt_for_sharing`; all other results stay exact. True
      needs a preset with "share" in its name, so few iterations that nothing is bootstrapped, and
      no `seed`. Otherwise `fit` raises `NotSharableError` before it encrypts anything.
    - share_bits: bits after the binary point of shared coefficients.

    `fit` sets these attributes:

    - `coef_`, `intercept_`: the model for standardised features.
    - `mean_`, `scale_`: mean and deviation of the features.
    - `classes_`, `n_features_in_`, `n_iter_`, `plan_`.
    - `shared_`: whether `coef_` and `intercept_` may be shared.
    - `encrypted_`: the encrypted model of the server. After a training on a cluster its weights
      have no server, like those from a pickle.
    """

    classes_: npt.NDArray[Any]
    coef_: Vector
    intercept_: Vector
    mean_: Vector
    scale_: Vector
    n_features_in_: int
    n_iter_: npt.NDArray[np.int64]
    plan_: TrainingPlan
    shared_: bool
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
        weight_bound: float = 4.0,
        share: bool = False,
        share_bits: int = 8,
        random_state: int | None = None,
        seed: int | bytes | None = None,
        backend: str = "auto",
        threads: int | None = None,
        key_memory: Literal["expanded", "compressed"] = "expanded",
        cluster: str | None = None,
        shard: int = 16,
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
        self.weight_bound = weight_bound
        self.share = share
        self.share_bits = share_bits
        self.random_state = random_state
        self.seed = seed
        self.backend = backend
        self.threads = threads
        self.key_memory = key_memory
        self.cluster = cluster
        self.shard = shard
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
        """The state for pickles and copies. It has no seed, since the seed gives the secret key; a
        fit of the copy uses another key."""
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
        """The packing, keys and bootstraps for training with `samples` samples of `features`
        features. Without `clip`, features are bounded by the largest one in the last call of
        `prepare`."""
        clip = self.clip if self.clip is not None else getattr(self, "_largest", None)
        if clip is None:
            raise ValueError("clip = None: how large features are is known after prepare")
        settings = {name: getattr(self, name) for name in SETTINGS}
        return TrainingPlan.make(self.parameters, samples, features, **{**settings, "clip": clip}, shard=self.shard)

    def prepare(self, X: npt.ArrayLike, y: npt.ArrayLike) -> tuple[Vector, Vector]:
        """Standardises samples, and converts labels to -1 and 1. Returns both in the order of
        encryption. Sets `classes_`, `mean_`, `scale_` and `n_features_in_`."""
        if self.clip is not None and not self.clip > 0:
            raise ValueError(f"clip = {self.clip}: a positive number is needed, or None to cut nothing off")
        x, labels = _samples(X), _arrays.plain(y, "y")
        if labels.shape != (len(x),):
            raise ValueError(f"X has {len(x)} samples, y has shape {labels.shape}")
        if labels.dtype.kind in "fc" and not np.isfinite(labels).all():
            raise ValueError("y contains NaN or infinity")
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
        x = self.transform(x)
        self._largest = 2.0 ** math.ceil(math.log2(max(1.0, np.max(np.abs(x)))))
        return x[order], np.where(labels == self.classes_[1], 1.0, -1.0)[order]

    def transform(self, X: npt.ArrayLike) -> Vector:
        """Standardises samples and cuts them off, as for encryption."""
        x = (_samples(X) - self.mean_) / self.scale_
        return x if self.clip is None else np.asarray(np.clip(x, -self.clip, self.clip))

    def fit(self, X: npt.ArrayLike, y: npt.ArrayLike) -> Self:
        """Trains on the rows of X as samples, with labels y of two classes."""
        x, labels = self.prepare(X, y)
        plan = self.plan(*x.shape)
        sharing = self._sharing(plan) if self.share else None
        rows = plan.rows_of(x, labels)
        client = plan.client(self.parameters, self.seed)
        keys = plan.keys(client, key_memory=self.key_memory).to_bytes()
        data = [ct.to_bytes() for ct in plan.encrypt(client, rows)]
        # ---- the server's side: it gets bytes only ----
        allow = self.parameters.allow_insecure
        options: dict[str, Any] = {"threads": self.threads, "allow_insecure": allow, "key_memory": self.key_memory}
        show = _shown(self.progress)
        curve = []
        with ExitStack() as nodes:
            training: EncryptedTraining | ClusterTraining
            if self.cluster is None:
                server = Server(keys, self.backend, max_bytes=len(keys), **options)
                training = EncryptedTraining(plan, plan.load(server, data))
            else:
                from ..cluster import Cluster

                made = nodes.enter_context(Cluster(keys, address=self.cluster, backend=self.backend, **options))
                training = made.training(plan, data)
            del keys, data
            for step in training.run():
                curve.append((step.weights.to_bytes(), step.factor))
                show(step.iteration + 1, plan.iterations)
        self.encrypted_ = EncryptedModel(plan, step.state.w, step.state.factor)
        answer = step.state.w.to_bytes()
        # ---- the client's side again ----
        # without a check of the decryption: `check` below reports weights far out of their bounds
        history = [plan.unpack(client.decrypt(weights, check=False), factor) for weights, factor in curve]
        message = check(plan, rows, history)
        if sharing is not None:
            if message:
                raise _not_sharable(f"training left the bounds that its plan is for: {message}")
            shared = client.decrypt_for_sharing(answer, self._bits, plan=sharing)
            self.set_weights(plan, plan.unpack(shared, step.state.factor), shared=True)
            return self
        if message:
            warnings.warn(message, TrainingWarning, stacklevel=2)
        self.set_weights(plan, plan.unpack(client._decrypt(answer, check=not message)[0], step.state.factor))
        return self

    @property
    def _bits(self) -> int:
        """Bits after the binary point of a shared decryption. It holds weights divided by
        `weight_bound`."""
        return max(0, self.share_bits + math.ceil(math.log2(self.weight_bound)))

    def _sharing(self, plan: TrainingPlan) -> Plan:
        """The plan of the training's result, made before training. Its error bound decides how much
        noise hides the error."""
        if self.seed is not None:
            raise _not_sharable(
                "a seed makes the same key at every fit, and only answers of one client are counted: leave seed out"
            )
        if plan.bootstraps:
            raise _not_sharable(
                f"{plan.iterations} iterations take {len(plan.bootstraps)} bootstraps, and after bootstrapping no bound of the "
                "error is proved: "
                "use fewer iterations (iterations=None: as many as the levels last for), or train without share"
            )

        def training(server: Server) -> Any:
            *_, last = EncryptedTraining(plan, plan.inputs(server)).run()
            return last.state.w

        sharing = plan_of(training, self.parameters, bootstrapping=False)
        # a temporary client tests whether scale and modulus have room for the noise
        probe, made = Client(self.parameters, plan.slots), sharing.planned()
        probe.decrypt_for_sharing(probe.encrypt([0.0], level=made.level), self._bits, plan=sharing)
        return sharing

    def set_weights(self, plan: TrainingPlan, weights: Vector, *, shared: bool = False) -> None:
        """Sets the model from decrypted weights, constant first. `shared` says whether they come
        from `decrypt_for_sharing`."""
        self.plan_, self.shared_ = plan, shared
        self.intercept_, self.coef_ = weights[:1].copy(), weights[None, 1:].copy()
        self.n_iter_ = np.array([plan.iterations])

    # ---- inference ----

    def decision_function(self, X: npt.ArrayLike) -> Vector:
        """The scores of samples; positive scores mean the second class."""
        if not hasattr(self, "coef_"):
            raise ValueError("this LogisticRegression is not fitted yet: call fit")
        x = _samples(X)
        if x.shape[1] != self.n_features_in_:
            expected = f"LogisticRegression is expecting {self.n_features_in_} features"
            raise ValueError(f"X has {x.shape[1]} features, but {expected}")
        return np.asarray(self.transform(x) @ self.coef_[0] + self.intercept_[0])

    def predict_proba(self, X: npt.ArrayLike) -> Vector:
        """The probabilities of both classes, one row per sample."""
        p = sigmoid(self.decision_function(X))
        return np.column_stack([1 - p, p])

    def predict(self, X: npt.ArrayLike) -> npt.NDArray[Any]:
        """The more probable class of each sample."""
        second = self.decision_function(X) > 0
        return np.asarray(self.classes_[second.astype(int)])

    def score(self, X: npt.ArrayLike, y: npt.ArrayLike) -> float:
        """The fraction of samples that are classified correctly."""
        return float(np.mean(self.predict(X) == _arrays.plain(y, "y")))


def _not_sharable(reason: str) -> NotSharableError:
    error = NotSharableError(f"the weights cannot be shared: {reason}")
    error.reason = reason
    return error


def _samples(X: npt.ArrayLike) -> Vector:
    x = _arrays.reals(X, "X", finite=False)
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
